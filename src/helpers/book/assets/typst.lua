-- How each construct looks in the PDF, and the one document that typst compiles to it.
-- The functions called here are defined in book.typ.

local bibliography = require 'bibliography'
local problems = require 'problems'
local floats = require 'floats'
local tables = require 'tables'

local typst = { name = 'typst' }

local TEXT_WIDTH = 470 -- points between the margins of book.typ
local TURNED_WIDTH = 715 -- the same of a page that is turned

local function raw(text) return pandoc.RawBlock('typst', text) end

local function quote(text) return '"' .. text:gsub('[\\"]', '\\%0'):gsub('\n', ' ') .. '"' end

local function wrap(open, blocks, close)
  local out = pandoc.Blocks { raw(open) }
  out:extend(blocks)
  out:insert(raw(close))
  return out
end

-- Labels of figures and the like are unique in the book; all other ids only in their chapter.
local function qualified(chapter, id)
  return floats.kind(id) and id or chapter.stem .. '.' .. id
end

local function label(id) return id ~= '' and (' #label(%s)'):format(quote(id)) or '' end

function typst.url(chapter, id)
  return '#' .. qualified(chapter, id ~= '' and id or chapter.blocks[1].identifier)
end

function typst.code(text)
  return pandoc.Blocks { pandoc.CodeBlock(text, { class = 'python' }) }
end

function typst.output(text)
  return pandoc.Blocks { pandoc.CodeBlock((text:gsub('%s+$', ''))) }
end

function typst.columns(blocks, count)
  local cells = pandoc.Blocks {}
  for _, block in ipairs(blocks) do cells:extend(wrap('[', { block }, '],')) end
  return wrap(('#grid(columns: %d * (1fr,), gutter: 12pt,'):format(math.tointeger(tonumber(count))), cells, ')')
end

function typst.margin(blocks) return wrap('#margin-note[', blocks, ']') end

function typst.small_print(blocks) return wrap('#small-print[', blocks, ']') end

function typst.callout(callout)
  local short = #pandoc.utils.stringify(callout.body) < 1000
  local open = ('#callout("%s", breakable: %s, ['):format(callout.kind, tostring(not short))
  local title = wrap(open, { pandoc.Plain(callout.title) }, '])[')
  title:extend(callout.body)
  title:insert(raw(']' .. label(callout.id)))
  return title
end

function typst.tabset(tabs)
  local out = pandoc.Blocks {}
  for _, tab in ipairs(tabs) do
    out:extend(wrap('#tab-title[', { pandoc.Plain(tab.title) }, ']'))
    out:extend(tab.body)
  end
  return out
end

function typst.equation(math, id, number)
  if not number then return pandoc.Para { math } end
  return wrap('#numbered-equation("' .. number .. '")[', { pandoc.Plain { math } }, ']' .. label(id))
end

-- A table on the page: turned if it is too wide, unbroken if it is short.
local function placed(blocks, laid)
  if laid.turned then return wrap('#landscape[', blocks, ']') end
  if laid.short then return wrap('#together[', blocks, ']') end
  return blocks
end

function typst.float(float)
  local caption = pandoc.Inlines {}
  if float.label then
    caption:extend { pandoc.Strong { pandoc.Str(float.label .. ':') }, pandoc.Space() }
  end
  caption:extend(float.caption)
  local open = '#figure(kind: %s, supplement: none, numbering: none, outlined: false, caption: ['
  local out = pandoc.Blocks { raw(open:format(float.kind == 'tbl' and 'table' or 'image')) }
  out:insert(pandoc.Plain(caption))
  local foot = #float.foot > 0 and typst.small_print(float.foot) or pandoc.Blocks {}
  if float.kind ~= 'tbl' then out:extend(foot) end
  out:insert(raw '], [')
  out:extend(float.body)
  if float.kind == 'tbl' then out:extend(foot) end
  out:insert(raw('])' .. label(float.id)))
  return placed(out, float)
end

---- tables -------------------------------------------------------------------------------------

local ALIGN = { AlignLeft = 'left', AlignRight = 'right', AlignCenter = 'center', AlignDefault = 'left' }

local function cell_source(cell, breakable)
  local given = pandoc.List {}
  if cell.col_span > 1 then given:insert('colspan: ' .. cell.col_span) end
  if cell.row_span > 1 then given:insert('rowspan: ' .. cell.row_span) end
  if cell.alignment ~= 'AlignDefault' then given:insert('align: ' .. ALIGN[cell.alignment]) end
  if breakable then given:insert 'breakable: true' end
  local open = #given > 0 and ('table.cell(%s)['):format(table.concat(given, ', ')) or '['
  return wrap(open, cell.contents, '],')
end

-- A row stays on one page, but for one that may be higher than a page.
local function rows_source(rows)
  local out = pandoc.Blocks {}
  for _, row in ipairs(rows) do
    local breakable = false
    for _, cell in ipairs(row.cells) do
      breakable = breakable or #pandoc.utils.stringify(cell.contents) > 600
    end
    for _, cell in ipairs(row.cells) do out:extend(cell_source(cell, breakable)) end
  end
  return out
end

-- Type size by the number of columns.
local function type_size(tbl)
  local count = #tbl.colspecs
  return count <= 5 and 9 or count <= 8 and 8 or 7.5
end

-- The least width of each column in points: its longest word, which may be hyphenated beyond 18
-- letters, and the room between columns. A letter is about half as wide as the type is high.
local function least_widths(tbl, size)
  return pandoc.List(tables.longest_words(tbl)):map(function(letters)
    return math.min(letters, 18) * size * 0.5 + 9
  end)
end

local function sum(list)
  local total = 0
  for _, value in ipairs(list) do total = total + value end
  return total
end

-- Column widths after the shares the source gives, but none below the least: those that would be
-- get the least, and the others divide what is left.
local function shared_widths(tbl, least)
  local widths, free, shares = pandoc.List {}, TEXT_WIDTH, 0
  for _, spec in ipairs(tbl.colspecs) do shares = shares + spec[2] end
  local changed = true
  while changed do
    changed = false
    for column, spec in ipairs(tbl.colspecs) do
      if not widths[column] and spec[2] / shares * free < least[column] then
        widths[column] = least[column]
        free, shares, changed = free - least[column], shares - spec[2], true
      end
    end
  end
  for column, spec in ipairs(tbl.colspecs) do
    widths[column] = widths[column] or spec[2] / shares * free
  end
  return widths
end

-- How a table is laid out: type size, columns as typst wants them, whether the page must be turned
-- and whether the table is short enough to stay on one page.
local function layout(tbl)
  local size = type_size(tbl)
  local least = least_widths(tbl, size)
  local has_shares = tbl.colspecs[1] and tbl.colspecs[1][2]
  local turned = sum(least) > TEXT_WIDTH
  local widths = has_shares and not turned and shared_widths(tbl, least)
  local columns = pandoc.List {}
  for column, spec in ipairs(tbl.colspecs) do
    local share = widths and widths[column] or spec[2]
    columns:insert(share and ('%.4ffr'):format(share) or 'auto')
  end
  local letters = (widths or least:map(function() return math.huge end)):map(function(width)
    return (width - 9) / (size * 0.45)
  end)
  return {
    size = size,
    columns = table.concat(columns, ', '),
    turned = turned,
    short = tables.lines(tbl, letters) <= 24 and #pandoc.utils.stringify(tbl) < 3000,
  }
end

local function table_source(tbl, laid)
  local aligned = pandoc.List {}
  for _, spec in ipairs(tbl.colspecs) do aligned:insert(ALIGN[spec[1]]) end
  local open = '#book-table(size: %gpt, columns: (%s,), align: (%s,),'
  local out = pandoc.Blocks { raw(open:format(laid.size, laid.columns, table.concat(aligned, ', '))) }
  if #tbl.head.rows > 0 then
    out:extend(wrap('table.header(', rows_source(tbl.head.rows), 'table.hline(stroke: .6pt)),'))
  end
  for _, body in ipairs(tbl.bodies) do
    out:extend(rows_source(body.head))
    out:extend(rows_source(body.body))
  end
  if #tbl.foot.rows > 0 then
    out:insert(raw 'table.hline(stroke: .6pt),')
    out:extend(rows_source(tbl.foot.rows))
  end
  out:insert(raw ')')
  return out
end

-- A table that is too wide even for a turned page is set in parts, one below the other.
function typst.table(tbl, float)
  local parts = tables.split(tbl, function(part)
    return sum(least_widths(part, type_size(part))) <= TURNED_WIDTH
  end)
  local out, all = pandoc.Blocks {}, { turned = #parts > 1, short = #parts == 1 }
  for _, part in ipairs(parts) do
    local laid = layout(part)
    all.turned, all.short = all.turned or laid.turned, all.short and laid.short
    out:extend(table_source(part, laid))
  end
  if not float then return placed(out, all) end
  float.turned, float.short = all.turned, all.short
  return out
end

---- the document -------------------------------------------------------------------------------

local function picture(image)
  local width = image.attributes.width or ''
  local pixels = tonumber(width:match '^([%d.]+)px$')
  if pixels then width = ('%.1f%%'):format(math.min(100, pixels * 75 / TEXT_WIDTH)) end
  local alt = pandoc.utils.stringify(image.caption)
  return pandoc.RawInline('typst', ('#box(image(%s%s%s))'):format(
    quote(image.src),
    width ~= '' and ', width: ' .. width or '',
    alt ~= '' and ', alt: ' .. quote(alt) or ''
  ))
end

-- A chapter's blocks with ids made unique, and headings one level down: level 1 is for parts.
local function chapter_blocks(chapter)
  local function rename(element)
    if element.identifier ~= '' then element.identifier = qualified(chapter, element.identifier) end
    return element
  end
  return chapter.blocks:walk {
    Image = picture,
    Div = rename,
    Span = rename,
    Header = function(header)
      rename(header)
      header.level = header.level + 1
      local number = header.attributes.number
      header.attributes.number = nil
      if number then
        header.content:insert(1, pandoc.RawInline('typst', ('#heading-number("%s")'):format(number)))
      end
      return header
    end,
    RawBlock = function(block) if block.format == 'html' then return {} end end,
  }
end

-- A word as it stands: in markup typst would make an ellipsis of three points, a minus sign of a
-- hyphen before a digit, and an opening quote of an apostrophe that begins a word.
local function exact(str)
  if str.text:find('...', 1, true) or str.text:find '%-%d' or str.text:find '^\u{2019}' then
    return pandoc.RawInline('typst', '#' .. quote(str.text) .. ';')
  end
end

local function joined(book)
  local blocks, part = pandoc.Blocks {}, ''
  for _, chapter in ipairs(book.chapters) do
    if chapter.part ~= part and chapter.part ~= '' then
      blocks:insert(pandoc.Header(1, { pandoc.Str(chapter.part) }))
    end
    part = chapter.part
    blocks:insert(raw('// ' .. chapter.file)) -- what typst finds wrong is below the name of its file
    blocks:extend(chapter_blocks(chapter))
  end
  return blocks
end

function typst.write(book, here, out)
  local file = assert(io.open(pandoc.path.join { here, 'book.typ' }, 'rb'))
  local template = pandoc.template.compile(file:read 'a')
  file:close()
  local options = {
    template = template,
    wrap_text = 'none',
    highlight_method = 'idiomatic',
    variables = {
      title = quote(book.title),
      subtitle = book.subtitle ~= '' and quote(book.subtitle) or nil,
      authors = #book.authors > 0 and pandoc.List(book.authors):map(quote) or nil,
      date = book.date ~= '' and quote(book.date) or nil,
      lang = quote(book.lang:sub(1, 2)),
    },
  }
  local blocks = bibliography.add(joined(book), book, 'PDF', 2):walk { Str = exact }
  local text = problems.watch(
    'PDF', pandoc.write, pandoc.Pandoc(blocks), 'typst-citations', options
  )
  local target = assert(io.open(pandoc.path.join { out, 'book.typ' }, 'wb'))
  assert(target:write(text))
  assert(target:close())
end

return typst
