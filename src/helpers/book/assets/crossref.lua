-- Numbers for chapters, sections, figures, tables and equations; references to them.

local problems = require 'problems'
local floats = require 'floats'

local crossref = {}

-- Gives every numbered thing its number as an attribute and returns what each label means:
-- { name = "Table", number = "2.1", chapter = ... }.
function crossref.number(chapters)
  local labels, chapter_count, appendix_count = {}, 0, 0

  local function define(id, chapter, label)
    label.chapter = chapter
    if floats.kind(id) and labels[id] then
      problems.add(chapter.file, ('label %s is already used in %s'):format(id, labels[id].chapter.file))
    end
    if floats.kind(id) then labels[id] = label end
  end

  local function number_chapter(chapter)
    local counts, sections = {}, {}
    local function next_number(kind)
      counts[kind] = (counts[kind] or 0) + 1
      return (chapter.number and chapter.number .. '.' or '') .. counts[kind]
    end

    local function header(element)
      local plain = { title = element.content }
      if not chapter.number or element.classes:includes 'unnumbered' then
        return define(element.identifier, chapter, plain)
      end
      for level = element.level + 1, 6 do sections[level] = nil end
      local number = chapter.number
      if element.level > 1 then
        sections[element.level] = (sections[element.level] or 0) + 1
        for level = 2, element.level do number = number .. '.' .. (sections[level] or 0) end
      end
      element.attributes.number = number
      local name = element.level > 1 and 'Section' or chapter.appendix and 'Appendix' or 'Chapter'
      define(element.identifier, chapter, { name = name, number = number })
      return element
    end

    local function div(element)
      local kind = floats.kind(element.identifier)
      if element.classes:includes 'float' and kind then
        local number = next_number(kind)
        element.attributes.label = floats.NAMES[kind] .. '\u{a0}' .. number
        define(element.identifier, chapter, { name = floats.NAMES[kind], number = number })
      elseif element.classes:includes 'equation' and kind then
        element.attributes.number = next_number 'eq'
        define(element.identifier, chapter, { name = 'Equation', number = element.attributes.number })
      end
      return element
    end

    chapter.blocks = chapter.blocks:walk { traverse = 'topdown', Header = header, Div = div }
  end

  for _, chapter in ipairs(chapters) do
    if not chapter.blocks[1].classes:includes 'unnumbered' then
      if chapter.appendix then
        appendix_count = appendix_count + 1
        chapter.number = string.char(64 + appendix_count)
      else
        chapter_count = chapter_count + 1
        chapter.number = tostring(chapter_count)
      end
    end
    number_chapter(chapter)
  end
  return labels
end

local function reference(citation, label, url)
  local text = pandoc.Inlines {}
  if label.title then
    text = label.title
  else
    if citation.mode ~= 'SuppressAuthor' then
      text:extend(#citation.prefix > 0 and citation.prefix or pandoc.Inlines(label.name))
      text:insert(pandoc.Str '\u{a0}')
    end
    text:insert(pandoc.Str(label.number))
  end
  local link = pandoc.Inlines { pandoc.Link(text, url, '', { class = 'xref' }) }
  link:extend(citation.suffix)
  return link
end

-- Replaces @fig-x and the like by links, and links to chapter files by links to their pages.
function crossref.resolve(chapter, chapters, labels, target)
  local by_name = {}
  for _, other in ipairs(chapters) do by_name[pandoc.path.filename(other.file)] = other end

  local function cite(element)
    local out = pandoc.Inlines {}
    for i, citation in ipairs(element.citations) do
      local id = citation.id:gsub('^%u', string.lower)
      if not floats.kind(id) then return nil end
      if i > 1 then out:extend { pandoc.Str ',', pandoc.Space() } end
      local label = labels[id]
      if label then
        out:extend(reference(citation, label, target.url(label.chapter, id, chapter)))
      else
        problems.add(chapter.file, ('@%s is not defined anywhere in the book'):format(citation.id))
      end
    end
    return out
  end

  local function link(element)
    local file, id = element.target:match '^([^:#]*)#?(.*)$'
    local to = file == '' and chapter or file and by_name[pandoc.path.filename(file)]
    if to then
      element.target = target.url(to, id, chapter)
      return element
    end
  end

  -- Links first: those that references become are right already.
  chapter.blocks = chapter.blocks:walk({ Link = link }):walk { Cite = cite }
end

return crossref
