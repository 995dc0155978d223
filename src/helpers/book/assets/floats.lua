-- Figures and tables with captions, until a target draws them: a div of class "float" with its
-- caption as first child.

local floats = {}

floats.NAMES = { fig = 'Figure', tbl = 'Table', eq = 'Equation', sec = 'Section' }

-- "tbl" for "tbl-consistency", nil for an id that is no cross-reference label.
function floats.kind(id)
  local kind = id:match '^(%a+)%-'
  return kind and floats.NAMES[kind] and kind
end

function floats.new(kind, id, caption, body)
  local head = pandoc.Div({ pandoc.Plain(caption) }, { class = 'float-caption' })
  local content = pandoc.Blocks { head }
  content:extend(body)
  return pandoc.Div(content, { id = id, class = 'float', kind = kind })
end

-- The float as its target needs it: caption inlines, body, and the small print that may follow.
function floats.open(div)
  local body = div.content:clone()
  local caption = body:remove(1).content[1].content
  local last = body[#body]
  local has_foot = last and last.t == 'Div' and last.classes:includes 'provenance'
  local foot = has_foot and body:remove().content or pandoc.Blocks {}
  return {
    id = div.identifier,
    kind = div.attributes.kind,
    label = div.attributes.label,
    caption = caption,
    body = body,
    foot = foot,
  }
end

return floats
