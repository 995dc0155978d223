-- Everything wrong with a book is collected and told at once, each with the chapter it is in.

local problems = { found = pandoc.List {} }

function problems.add(where, message)
  local told = where .. ': ' .. message
  if not problems.found:includes(told) then problems.found:insert(told) end
end

-- Calls `f` and turns what pandoc would only warn of (a missing citation, TeX it cannot read) into
-- problems of `where`.
function problems.watch(where, f, ...)
  local messages, result = pandoc.log.silence(f, ...)
  for _, message in ipairs(messages) do
    local told = pandoc.json.decode(pandoc.json.encode(message), false)
    if told.verbosity == 'WARNING' or told.verbosity == 'ERROR' then
      problems.add(where, (told.pretty:gsub('\n%s*', ' ')))
    end
  end
  return result
end

return problems
