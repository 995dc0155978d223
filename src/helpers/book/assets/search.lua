-- The search index: the words of each section. A script, since pages opened from disk may not
-- read other files.

local search = {}

-- The words of a block, with a space wherever one element ends and the next begins.
local function words(block)
  local found = pandoc.List {}
  local function take(element) found:insert(element.text) end
  pandoc.Blocks({ block }):walk {
    traverse = 'topdown',
    Str = take,
    Code = take,
    Math = take,
    Space = function() found:insert ' ' end,
    SoftBreak = function() found:insert ' ' end,
    LineBreak = function() found:insert ' ' end,
    CodeBlock = function() return {}, false end,
    Plain = function() found:insert ' ' end,
    Para = function() found:insert ' ' end,
  }
  return table.concat(found)
end

-- One entry for each heading of levels 1 and 2.
function search.entries(chapter)
  local entries, entry = pandoc.List {}, nil
  local url = chapter.stem .. '.html'
  for _, block in ipairs(chapter.blocks) do
    if block.t == 'Header' and block.level <= 2 then
      local number = block.attributes.number
      local title = pandoc.utils.stringify(block.content)
      entry = {
        url = block.level == 1 and url or url .. '#' .. block.identifier,
        title = (number and number .. ' ' or '') .. title,
        chapter = pandoc.utils.stringify(chapter.blocks[1].content),
        text = pandoc.List {},
      }
      entries:insert(entry)
    elseif entry then
      entry.text:insert(words(block))
    end
  end
  for _, each in ipairs(entries) do
    each.text = table.concat(each.text, ' '):gsub('%s+', ' '):gsub('^ ', '')
  end
  return entries
end

function search.script(entries)
  local rows = entries:map(function(entry)
    return pandoc.json.encode { entry.url, entry.title, entry.chapter, entry.text }
  end)
  return 'window.BOOK_INDEX = [\n' .. table.concat(rows, ',\n') .. '\n];\n'
end

return search
