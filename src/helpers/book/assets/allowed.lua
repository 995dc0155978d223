-- Refuses what constructs.json does not list: one engine would render it and the other not.

local problems = require 'problems'

local allowed = {}

local function set(list)
  local found = {}
  for _, name in ipairs(list or {}) do found[name] = true end
  return found
end

local listed -- constructs.json, its lists as sets

function allowed.load(here)
  local file = assert(io.open(pandoc.path.join { here, 'constructs.json' }, 'rb'))
  local found = pandoc.json.decode(file:read 'a', false)
  file:close()
  listed = {
    elements = set(pandoc.List(found.blocks) .. found.inlines),
    raw = set(found.raw),
    classes = {},
    attributes = {},
  }
  for element, names in pairs(found.classes) do listed.classes[element] = set(names) end
  for element, names in pairs(found.attributes) do listed.attributes[element] = set(names) end
end

local function refuse(where, what)
  problems.add(where, ('the book may not use %s; constructs.json lists what it may'):format(what))
end

local function check(element, where, shortcodes)
  local tag = element.t
  if not listed.elements[tag] then return refuse(where, tag) end
  if (tag == 'RawBlock' or tag == 'RawInline') and not listed.raw[element.format] then
    return refuse(where, 'raw ' .. element.format)
  end
  if tag == 'Str' and shortcodes and element.text:match '^{{<' then
    return refuse(where, 'a shortcode within a line')
  end
  local language = tag == 'Code' and element.text:match '^({%a+}) '
  if language then return refuse(where, 'code that an engine runs, ' .. language) end
  if not element.attr or element.classes:includes 'notebook-cell' then return end
  for _, class in ipairs(element.classes) do
    if not (listed.classes[tag] or {})[class] then refuse(where, ('%s .%s'):format(tag, class)) end
  end
  for name in pairs(element.attributes) do
    if not (listed.attributes[tag] or {})[name] then refuse(where, ('%s %s="…"'):format(tag, name)) end
  end
end

-- Checks what was read from `where`, down to the last word; `text` is how it was written, since
-- an escaped `\{\{\<` is no shortcode.
function allowed.check(blocks, where, text)
  local shortcodes = text:find('{{<', 1, true)
  local function visit(element) check(element, where, shortcodes) end
  blocks:walk { Block = visit, Inline = visit }
  return blocks
end

return allowed
