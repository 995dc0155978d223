-- Citations and the list of what was cited, by pandoc's own processor.

local problems = require 'problems'

local bibliography = {}

-- Which file citeproc could not read, and why, out of its message.
local function unreadable(message, book)
  local told = message:gsub('\n%s*', ' '):gsub('%s+$', '')
  local files = pandoc.List(book.bibliography) .. { book.csl ~= '' and book.csl or nil }
  for _, file in ipairs(files) do
    local first, last = told:find(file, 1, true)
    if first then
      local why = told:sub(1, first - 1):gsub('Error reading bibliography file', '') .. told:sub(last + 1)
      return pandoc.path.filename(file), 'cannot be read: ' .. why:gsub('^[%s:]+', '')
    end
  end
  return 'bibliography', told
end

-- Resolves the citations in `blocks`; if there are any, the references follow at the end under a
-- heading of the given level.
function bibliography.add(blocks, book, where, level)
  if #book.bibliography == 0 then return blocks end
  local meta = { bibliography = book.bibliography, ['link-citations'] = true, lang = book.lang }
  if book.csl ~= '' then meta.csl = book.csl end
  local document = pandoc.Pandoc(blocks, meta)
  local sound, result = pcall(problems.watch, where, pandoc.utils.citeproc, document)
  if not sound then
    problems.add(unreadable(tostring(result), book))
    return blocks
  end
  local cited = result.blocks
  local last = cited[#cited]
  if last and last.t == 'Div' and last.identifier == 'refs' then
    local heading = pandoc.Header(level, 'References', { id = 'references', class = 'unnumbered' })
    cited:insert(#cited, heading)
  end
  return cited
end

return bibliography
