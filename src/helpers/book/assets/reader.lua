-- Chapters as pandoc blocks: Markdown is parsed, holes are filled with the cells they stand for.

local allowed = require 'allowed'
local problems = require 'problems'
local floats = require 'floats'

local reader = {}

-- Without example lists, since "@fig-x." at the start of a line is a reference.
local MARKDOWN = 'markdown-example_lists'

function reader.markdown(text, where)
  return allowed.check(problems.watch(where, pandoc.read, text, MARKDOWN).blocks, where, text)
end

function reader.inlines(text, where)
  return pandoc.utils.blocks_to_inlines(reader.markdown(text, where))
end

-- Stored HTML keeps its text and its tables; colours and scripts stay behind, so that a table
-- looks like the others of the book, in either target.
local function html_blocks(text, where)
  local function bare(element)
    element.attr = pandoc.Attr()
    return element
  end
  local blocks = problems.watch(where, pandoc.read, text, 'html').blocks
  return blocks:walk {
    Div = function(div) return div.content end,
    Span = function(span) return span.content end,
    Table = function(tbl)
      for _, row in ipairs(tbl.head.rows) do
        bare(row)
        row.cells = row.cells:map(bare)
      end
      for _, body in ipairs(tbl.bodies) do
        for _, row in ipairs(body.body) do
          bare(row)
          row.cells = row.cells:map(bare)
        end
      end
      return bare(tbl)
    end,
  }
end

local function output_blocks(output, cell, where, target)
  if output.kind == 'markdown' then
    return reader.markdown(output.text, where)
  elseif output.kind == 'image' then
    local alt = cell.alt ~= '' and cell.alt or cell.caption
    local image = pandoc.Image(reader.inlines(alt, where), output.path, '', { class = 'drawn' })
    if output.width > 0 then image.attributes.width = ('%dpx'):format(output.width) end
    return pandoc.Blocks { pandoc.Plain { image } }
  elseif output.kind == 'html' then
    if output.text:match '<table' then return html_blocks(output.text, where) end
    return pandoc.Blocks { pandoc.RawBlock('html', output.text) }
  end
  return target.output(output.text, output.kind)
end

local function cell_blocks(cell, chapter, target)
  local where = ('%s, cell %d'):format(chapter.file, cell.number)
  local blocks, body = pandoc.Blocks {}, pandoc.Blocks {}
  if cell.code ~= '' then blocks:extend(target.code(cell.code, cell.fold, cell.summary)) end
  for _, output in ipairs(cell.outputs) do
    local into = output.kind == 'stderr' and blocks or body
    into:extend(output_blocks(output, cell, where, target))
  end
  if cell.columns > 1 then body = target.columns(body, cell.columns) end
  local kind = floats.kind(cell.label)
  if (kind == 'fig' or kind == 'tbl' or cell.caption ~= '') and #body > 0 then
    kind = kind or (body[1].t == 'Table' and 'tbl' or 'fig')
    body = pandoc.Blocks {
      floats.new(kind, cell.label, reader.inlines(cell.caption, where), body),
    }
  end
  if cell.margin then body = target.margin(body) end
  blocks:extend(body)
  return blocks
end

-- Puts the chapter's one heading of level 1 first.
local function titled(blocks, chapter)
  local title, rest = nil, pandoc.Blocks {}
  if chapter.title ~= '' then
    title = pandoc.Header(1, reader.inlines(chapter.title, chapter.file))
  end
  for _, block in ipairs(blocks) do
    if block.t ~= 'Header' or block.level > 1 then
      rest:insert(block)
    elseif title then
      local text = pandoc.utils.stringify(block)
      problems.add(chapter.file, ('second title "%s"; write it as ## %s'):format(text, text))
    else
      title = block
    end
  end
  if not title then
    problems.add(chapter.file, 'has no title; begin it with a line such as # The title')
    title = pandoc.Header(1, { pandoc.Str(chapter.stem) })
  end
  if title.identifier == '' then title.identifier = 'title' end
  rest:insert(1, title)
  return rest
end

-- Outputs are parsed on their own, so a heading in one may get an id that the page already has.
-- Labels such as sec-x are the author's: used twice, they are a fault that crossref.lua tells.
local function with_unique_ids(blocks)
  local seen = {}
  return blocks:walk {
    Header = function(header)
      local id, n = header.identifier, 1
      if floats.kind(id) then return nil end
      while seen[header.identifier] do
        n = n + 1
        header.identifier = id .. '-' .. n
      end
      seen[header.identifier] = true
      return header
    end,
  }
end

function reader.read(chapter, target)
  local cells, filled = {}, 0
  for _, cell in ipairs(chapter.cells) do cells[('%d'):format(cell.number)] = cell end
  local blocks = reader.markdown(chapter.text, chapter.file):walk {
    Div = function(div)
      if div.classes:includes 'notebook-cell' then
        filled = filled + 1
        return cell_blocks(cells[div.attributes.number], chapter, target)
      end
    end,
  }
  if filled ~= #chapter.cells then
    problems.add(chapter.file, 'a Markdown cell leaves a code block or comment open')
  end
  return with_unique_ids(titled(blocks, chapter))
end

return reader
