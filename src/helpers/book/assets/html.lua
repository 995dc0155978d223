-- How each construct looks in HTML. Everything works without JavaScript; book.js adds comfort.

local html = { name = 'html' }

local function raw(text) return pandoc.RawBlock('html', text) end

local function escape(text)
  return (text:gsub('[&<>"]', { ['&'] = '&amp;', ['<'] = '&lt;', ['>'] = '&gt;', ['"'] = '&quot;' }))
end

local function id_attribute(id) return id ~= '' and (' id="%s"'):format(escape(id)) or '' end

local function wrap(open, blocks, close)
  local out = pandoc.Blocks { raw(open) }
  out:extend(blocks)
  out:insert(raw(close))
  return out
end

-- Where a link to `id` in `chapter` leads when it is followed from `from`.
function html.url(chapter, id, from)
  local fragment = id ~= '' and '#' .. id or ''
  if chapter == from and id ~= '' then return fragment end
  return chapter.stem .. '.html' .. fragment
end

function html.code(text, fold, summary)
  local block = pandoc.Blocks { pandoc.CodeBlock(text, { class = 'python' }) }
  if fold == 'no' then return block end
  local open = fold == 'open' and ' open' or ''
  return wrap(
    ('<details class="code-fold"%s><summary>%s</summary>'):format(open, escape(summary)),
    block,
    '</details>'
  )
end

function html.output(text, kind)
  local code = pandoc.CodeBlock((text:gsub('%s+$', '')))
  return pandoc.Blocks { pandoc.Div({ code }, { class = 'output ' .. kind }) }
end

function html.columns(blocks, count)
  local style = ('--columns: %d'):format(math.tointeger(tonumber(count)))
  return pandoc.Blocks { pandoc.Div(blocks, { class = 'side-by-side', style = style }) }
end

function html.margin(blocks)
  return pandoc.Blocks { pandoc.Div(blocks, { class = 'margin-note' }) }
end

function html.small_print(blocks)
  return pandoc.Blocks { pandoc.Div(blocks, { class = 'provenance' }) }
end

function html.callout(callout)
  local open = ('<div class="callout callout-%s"%s>'):format(callout.kind, id_attribute(callout.id))
  local title = pandoc.Blocks { pandoc.Plain(callout.title) }
  if not callout.collapse then
    local head = wrap('<div class="callout-title">', title, '</div>')
    head:extend(callout.body)
    return wrap(open, head, '</div>')
  end
  local state = callout.collapse == 'false' and ' open' or ''
  local head = wrap('<details' .. state .. '><summary class="callout-title">', title, '</summary>')
  head:extend(callout.body)
  return wrap(open, head, '</details></div>')
end

-- Without JavaScript, and in print, the tabs stand below each other under their headings.
function html.tabset(tabs)
  local out = pandoc.Blocks {}
  for _, tab in ipairs(tabs) do
    local section = wrap('<div class="tab-title">', { pandoc.Plain(tab.title) }, '</div>')
    section:extend(tab.body)
    out:extend(wrap('<div class="tab">', section, '</div>'))
  end
  return wrap('<div class="tabset">', out, '</div>')
end

function html.equation(math, id, number)
  local out = pandoc.Inlines { pandoc.RawInline('html', '<span class="scroll" tabindex="0">'), math }
  out:insert(pandoc.RawInline('html', '</span>'))
  if number then
    out:insert(pandoc.RawInline('html', ('<span class="equation-number">(%s)</span>'):format(number)))
  end
  return pandoc.Div({ pandoc.Plain(out) }, { id = id, class = 'equation' })
end

-- A figure's small print stands in its caption, since that must be a figure's last child.
local function caption(float, foot)
  local text = pandoc.Inlines {}
  if float.label then
    text:insert(pandoc.Span({ pandoc.Str(float.label .. ':') }, { class = 'caption-label' }))
    if #float.caption > 0 then text:insert(pandoc.Space()) end
  end
  text:extend(float.caption)
  if #text == 0 and #foot == 0 then return pandoc.Blocks {} end
  local id = float.id ~= '' and id_attribute(float.id .. '-caption') or ''
  local content = wrap('<div' .. id .. '>', { pandoc.Plain(text) }, '</div>')
  content:extend(foot)
  return wrap('<figcaption>', content, '</figcaption>')
end

-- On a phone a figure keeps a width at which it can be read, and scrolls.
function html.wide(blocks, id)
  local open = '<div class="scroll" role="region" tabindex="0" aria-labelledby="%s-caption">'
  return wrap(open:format(escape(id)), blocks, '</div>')
end

function html.float(float)
  local content = pandoc.Blocks {}
  local foot = #float.foot > 0 and html.small_print(float.foot) or pandoc.Blocks {}
  if float.kind == 'tbl' then
    content:extend(caption(float, pandoc.Blocks {}))
    content:extend(float.body)
    content:extend(foot)
  else
    content:extend(float.id ~= '' and html.wide(float.body, float.id) or float.body)
    content:extend(caption(float, foot))
  end
  local open = ('<figure class="float float-%s"%s>'):format(float.kind, id_attribute(float.id))
  return wrap(open, content, '</figure>')
end

local unnamed = 0

-- A table scrolls inside a region of its own, which the keyboard can reach and which has a name.
function html.table(tbl, float)
  local name
  if float and float.id ~= '' then
    name = ('aria-labelledby="%s-caption"'):format(escape(float.id))
  else
    unnamed = unnamed + 1
    name = ('aria-label="Unnumbered table %d"'):format(unnamed)
  end
  for _, row in ipairs(tbl.head.rows) do
    for _, cell in ipairs(row.cells) do
      if #cell.contents == 0 then
        cell.contents = { pandoc.Plain { pandoc.Span('Row', { class = 'visually-hidden' }) } }
      end
    end
  end
  local shares = tbl.colspecs[1] and tbl.colspecs[1][2] and ' shares' or ''
  local open = '<div class="scroll%s" role="region" tabindex="0" %s style="--columns: %d">'
  return wrap(open:format(shares, name, #tbl.colspecs), { tbl }, '</div>')
end

function html.write(book, here, out)
  require('site').write(book, here, out)
end

return html
