-- Renders a book: `pandoc lua book.lua OUT < book.json`, where book.json is what sources.py read.
--
--   reader.lua      Markdown and cells        -> blocks
--   allowed.lua     refuses what the book may not use
--   constructs.lua  Quarto's divs             -> blocks
--   crossref.lua    numbers and references
--   tables.lua      what every table gets
--   bibliography.lua  citations and references
--   html.lua, typst.lua   how each construct looks in either target
--   site.lua, search.lua  the pages and their index;  typst.lua also writes the one document
--
-- Prints the problems found, a line each; the caller decides that any problem is one too many.

local here = pandoc.path.directory(arg[0])
package.path = pandoc.path.join { here, '?.lua' } .. ';' .. package.path

local problems = require 'problems'
local reader = require 'reader'
local constructs = require 'constructs'
local crossref = require 'crossref'

require('allowed').load(here)
local book = pandoc.json.decode(io.read 'a', false)
local out = arg[1]
local target = require(book.target)

for _, chapter in ipairs(book.chapters) do
  chapter.blocks = constructs.build(reader.read(chapter, target), chapter, target)
end
local labels = crossref.number(book.chapters)
for _, chapter in ipairs(book.chapters) do
  crossref.resolve(chapter, book.chapters, labels, target)
  chapter.blocks = constructs.finish(chapter.blocks, target)
end
if #problems.found == 0 then target.write(book, here, out) end

for _, problem in ipairs(problems.found) do print(problem) end
