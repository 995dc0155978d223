-- Quarto's constructs that pandoc does not know: read off the divs, drawn by the target.
--
--   ::: {.callout-note}  also tip, warning, important, caution; title="…" or a heading; collapse="…"
--   ::: {.panel-tabset}  a heading begins each tab
--   ::: {.column-margin}
--   ::: {layout-ncol=2}
--   ::: {.content-visible when-format="html"}  also content-hidden, unless-format; html or typst;
--   [text]{.content-visible when-format="html"}  the same within a line
--   ::: {.provenance}  how a thing was made, in small print; below a figure or table part of it
--   ::: {#fig-x} or {#tbl-x}  the last paragraph is the caption
--   ![caption](image.png){#fig-x fig-alt="…"}
--   : caption {#tbl-x}  below a Markdown table
--   $$ … $$ {#eq-x}

local problems = require 'problems'
local floats = require 'floats'
local tables = require 'tables'

local constructs = {}

local CALLOUTS = { note = 'Note', tip = 'Tip', warning = 'Warning', important = 'Important', caution = 'Caution' }

local function callout(div, kind, target)
  local body = div.content:clone()
  local title = div.attributes.title and pandoc.Inlines(div.attributes.title)
  if not title and body[1] and body[1].t == 'Header' then title = body:remove(1).content end
  return target.callout {
    id = div.identifier,
    kind = kind,
    title = title or pandoc.Inlines(CALLOUTS[kind]),
    collapse = div.attributes.collapse, -- nil, "true" or "false" (can be folded, starts open)
    body = body,
  }
end

local function tabset(div, target)
  local tabs = pandoc.List {}
  for _, block in ipairs(div.content) do
    if block.t == 'Header' then
      tabs:insert { title = block.content, level = block.level, body = pandoc.Blocks {} }
    elseif #tabs > 0 then
      tabs[#tabs].body:insert(block)
    end
  end
  return target.tabset(tabs)
end

-- `.content-visible when-format="html"` and its opposites, of a div or a span.
local function shown_in(element, target, chapter)
  local wanted = element.attributes['when-format'] or element.attributes['unless-format']
  if wanted ~= 'html' and wanted ~= 'typst' then
    problems.add(chapter.file, 'conditional content: name the format html or typst')
  end
  local hit = (wanted == target.name) == (element.attributes['when-format'] ~= nil)
  return hit == element.classes:includes 'content-visible'
end

local function is_conditional(element)
  return element.classes:includes 'content-visible' or element.classes:includes 'content-hidden'
end

-- `::: {#fig-x}` or `::: {#tbl-x}` with the caption as last paragraph.
local function float_div(div, kind)
  local body = div.content:clone()
  local caption = pandoc.Inlines {}
  if #body > 1 and body[#body].t == 'Para' then caption = body:remove(#body).content end
  return floats.new(kind, div.identifier, caption, body)
end

local function div_construct(div, chapter, target)
  local kind = floats.kind(div.identifier)
  local columns = div.attributes['layout-ncol']
  if columns and (kind == 'fig' or kind == 'tbl') then
    local float = float_div(div, kind)
    local head = float.content:remove(1)
    float.content = target.columns(float.content, columns)
    float.content:insert(1, head)
    return float
  elseif (kind == 'fig' or kind == 'tbl') and not div.classes:includes 'float' then
    return float_div(div, kind)
  elseif columns then
    return target.columns(div.content, columns)
  end
  for _, class in ipairs(div.classes) do
    local callout_kind = class:match '^callout%-(%a+)$'
    if callout_kind and CALLOUTS[callout_kind] then
      return callout(div, callout_kind, target)
    elseif class == 'panel-tabset' then
      return tabset(div, target)
    elseif class == 'column-margin' then
      return target.margin(div.content)
    end
  end
  if is_conditional(div) then return shown_in(div, target, chapter) and div.content or {} end
end

-- `![](image.png){fig-alt="..."}`
local function image(element)
  local alt = element.attributes['fig-alt']
  if not alt then return nil end
  element.attributes['fig-alt'] = nil
  element.caption = pandoc.Inlines(alt)
  return element
end

-- `![caption](image.png){#fig-x}`
local function figure(element)
  local caption = pandoc.utils.blocks_to_inlines(element.caption.long)
  return floats.new('fig', element.identifier, caption, element.content)
end

-- A Markdown table with `: caption {#tbl-x}` below it.
local function captioned_table(tbl)
  if #tbl.caption.long == 0 then return nil end
  local id, caption = tbl.identifier, pandoc.utils.blocks_to_inlines(tbl.caption.long)
  tbl.identifier, tbl.caption = '', pandoc.Caption()
  return floats.new('tbl', id, caption, { tbl })
end

-- Display equations stand between paragraphs: `$$ x $$ {#eq-x}` may end one.
local function equations(paragraph)
  local parts, text = pandoc.Blocks {}, pandoc.Inlines {}
  local function flush()
    while #text > 0 and (text[#text].t == 'Space' or text[#text].t == 'SoftBreak') do text:remove(#text) end
    if #text > 0 then parts:insert(pandoc.Para(text)) end
    text = pandoc.Inlines {}
  end
  local i = 1
  while i <= #paragraph.content do
    local inline = paragraph.content[i]
    if inline.t == 'Math' and inline.mathtype == 'DisplayMath' then
      flush()
      local tail = paragraph.content[i + 2]
      local id = tail and tail.t == 'Str' and tail.text:match '^{#(eq%-[%w_-]+)}$'
      parts:insert(pandoc.Div({ pandoc.Plain { inline } }, { id = id or '', class = 'equation' }))
      if id then i = i + 2 end
    elseif #text > 0 or (inline.t ~= 'Space' and inline.t ~= 'SoftBreak') then
      text:insert(inline)
    end
    i = i + 1
  end
  flush()
  return parts
end

-- Moves the small print below a float into it.
local function join_provenance(blocks)
  local joined = pandoc.Blocks {}
  for _, block in ipairs(blocks) do
    local last = joined[#joined]
    local belongs = block.t == 'Div' and block.classes:includes 'provenance'
      and last and last.t == 'Div' and last.classes:includes 'float'
    if belongs then
      last.content:insert(block)
    else
      joined:insert(block)
    end
  end
  return joined
end

-- Turns what Quarto writes as divs, captions and attributes into floats and target constructs.
function constructs.build(blocks, chapter, target)
  return blocks
    :walk { Image = image, Figure = figure, Table = captioned_table, Para = equations }
    :walk {
      Div = function(div) return div_construct(div, chapter, target) end,
      Span = function(span)
        if is_conditional(span) then return shown_in(span, target, chapter) and span.content or {} end
      end,
    }
    :walk { Blocks = join_provenance }
end

-- Draws what had to wait for its number: floats, tables and equations.
function constructs.finish(blocks, target)
  local draw
  draw = {
    traverse = 'topdown',
    Div = function(div)
      if div.classes:includes 'float' then
        local float = floats.open(div)
        float.body = float.body:walk {
          Table = function(tbl) return target.table(tables.prepare(tbl), float) end,
        }
        return target.float(float), false
      elseif div.classes:includes 'provenance' then
        return target.small_print(div.content), false
      elseif div.classes:includes 'equation' then
        return target.equation(div.content[1].content[1], div.identifier, div.attributes.number), false
      end
    end,
    Table = function(tbl) return target.table(tables.prepare(tbl), nil), false end,
  }
  return blocks:walk(draw)
end

return constructs
