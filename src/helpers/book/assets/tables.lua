-- What every table gets, whichever target draws it.

local tables = {}

local MINUS = '\u{2212}'

-- Whether a cell holds a number as tables print it: 1,234  −.25  12 %  < .001  2.1***  [.1, .3]
local is_number
function is_number(text)
  text = text:gsub(MINUS, '-'):gsub('\u{a0}', ' '):gsub('\u{2009}', ' '):gsub('\u{202f}', ' ')
  local low, high = text:match '^%[(.-),%s*(.-)%]$'
  if low then return is_number(low) and is_number(high) end
  text = text:gsub('%*+$', ''):gsub('%s*%%$', ''):gsub('^[<>=~]%s*', ''):gsub('^\u{2264}%s*', ''):gsub('^\u{2265}%s*', '')
  return text:match '^[-+]?%d[%d,]*%.?%d*$' ~= nil or text:match '^[-+]?%.%d+$' ~= nil
end

local function rows_of(tbl)
  local rows = pandoc.List {}
  for _, body in ipairs(tbl.bodies) do rows:extend(body.body) end
  return rows
end

-- Calls `visit` with each cell of a row and the number of the column it starts in.
local function each_cell(row, visit)
  local column = 1
  for _, cell in ipairs(row.cells) do
    visit(cell, column)
    column = column + cell.col_span
  end
end

-- Columns that hold numbers alone are set flush right unless the source says otherwise.
local function align_numbers(tbl)
  local numbers, other = {}, {}
  for _, row in ipairs(rows_of(tbl)) do
    each_cell(row, function(cell, column)
      local text = pandoc.utils.stringify(cell.contents)
      if is_number(text) then
        numbers[column] = true
      elseif text:match '[%w]' then
        other[column] = true
      end
    end)
  end
  for column, spec in ipairs(tbl.colspecs) do
    if spec[1] == 'AlignDefault' and numbers[column] and not other[column] then
      tbl.colspecs[column] = { 'AlignRight', spec[2] }
    end
  end
end

-- A table without header cells keeps none: an empty header row would only draw a line.
local function drop_empty_head(tbl)
  for _, row in ipairs(tbl.head.rows) do
    for _, cell in ipairs(row.cells) do
      if #cell.contents > 0 then return end
    end
  end
  tbl.head.rows = {}
end

-- Pandoc gives every column of a Markdown table with long lines a share of the width, by counting
-- dashes. Equal counts were not meant as a decision: such columns fit what they hold.
local function drop_equal_widths(tbl)
  local first = tbl.colspecs[1] and tbl.colspecs[1][2]
  for _, spec in ipairs(tbl.colspecs) do
    if spec[2] ~= first then return end
  end
  for column, spec in ipairs(tbl.colspecs) do tbl.colspecs[column] = { spec[1], nil } end
end

function tables.prepare(tbl)
  drop_empty_head(tbl)
  drop_equal_widths(tbl)
  align_numbers(tbl)
  return tbl
end

-- The table with the columns of these numbers alone, as wide as they like.
local function selected(tbl, columns)
  local part = tbl:clone()
  local function select(row)
    row.cells = columns:map(function(column) return row.cells[column] end)
    return row
  end
  part.colspecs = columns:map(function(column) return { tbl.colspecs[column][1], nil } end)
  part.head.rows = part.head.rows:map(select)
  part.foot.rows = part.foot.rows:map(select)
  for _, body in ipairs(part.bodies) do body.body = body.body:map(select) end
  return part
end

local function is_plain(tbl)
  for _, row in ipairs(pandoc.List(tbl.head.rows) .. rows_of(tbl) .. tbl.foot.rows) do
    if #row.cells ~= #tbl.colspecs then return false end
  end
  return true
end

-- Parts of a table that `fits` accepts, each with the first column, which names the rows. A table
-- with cells across columns or rows stays whole.
function tables.split(tbl, fits)
  if fits(tbl) or not is_plain(tbl) then return { tbl } end
  local parts, columns = pandoc.List {}, pandoc.List { 1 }
  for column = 2, #tbl.colspecs do
    if #columns > 1 and not fits(selected(tbl, columns .. { column })) then
      parts:insert(selected(tbl, columns))
      columns = pandoc.List { 1 }
    end
    columns:insert(column)
  end
  parts:insert(selected(tbl, columns))
  return parts
end

-- The longest word of each column, in characters.
function tables.longest_words(tbl)
  local longest = {}
  local rows = rows_of(tbl)
  rows:extend(tbl.head.rows)
  for column = 1, #tbl.colspecs do longest[column] = 0 end
  for _, row in ipairs(rows) do
    each_cell(row, function(cell, column)
      for word in pandoc.utils.stringify(cell.contents):gmatch '[^%s-]+' do
        longest[column] = math.max(longest[column], utf8.len(word) or #word)
      end
    end)
  end
  return longest
end

-- About how many lines a table takes when each column is so many characters wide.
function tables.lines(tbl, widths)
  local total = #tbl.head.rows
  for _, row in ipairs(rows_of(tbl)) do
    local lines = 1
    each_cell(row, function(cell, column)
      local length = #pandoc.utils.stringify(cell.contents)
      lines = math.max(lines, math.ceil(length / widths[column]))
    end)
    total = total + lines
  end
  return total
end

return tables
