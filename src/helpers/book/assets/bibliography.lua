-- Citations and the list of what was cited, by pandoc's own processor.

local problems = require 'problems'

local bibliography = {}

-- Resolves the citations in `blocks`; if there are any, the references follow at the end under a
-- heading of the given level.
function bibliography.add(blocks, book, where, level)
  if #book.bibliography == 0 then return blocks end
  local meta = { bibliography = book.bibliography, ['link-citations'] = true, lang = book.lang }
  if book.csl ~= '' then meta.csl = book.csl end
  local document = pandoc.Pandoc(blocks, meta)
  local cited = problems.watch(where, pandoc.utils.citeproc, document).blocks
  local last = cited[#cited]
  if last and last.t == 'Div' and last.identifier == 'refs' then
    local heading = pandoc.Header(level, 'References', { id = 'references', class = 'unnumbered' })
    cited:insert(#cited, heading)
  end
  return cited
end

return bibliography
