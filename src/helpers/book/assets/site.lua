-- The HTML site: one page a chapter, with sidebar, neighbours and "on this page".

local bibliography = require 'bibliography'
local problems = require 'problems'
local search = require 'search'

local site = {}

local function slurp(path)
  local file = assert(io.open(path, 'rb'))
  local text = file:read 'a'
  file:close()
  return text
end

local function spit(path, text)
  local file = assert(io.open(path, 'wb'))
  assert(file:write(text))
  assert(file:close())
end

local function inline_html(inlines)
  local bare = pandoc.Inlines(inlines):walk {
    Note = function() return {} end,
    Link = function(link) return link.content end,
  }
  local options = { html_math_method = 'mathml' }
  return (pandoc.write(pandoc.Pandoc { pandoc.Plain(bare) }, 'html5', options):gsub('\n', ' '))
end

local function plain(text) return inline_html { pandoc.Str(text) } end

-- The chapter list as the sidebar shows it on the page of `current`: runs of one part together.
local function sidebar(chapters, current)
  local groups = pandoc.List {}
  for _, chapter in ipairs(chapters) do
    if #groups == 0 or groups[#groups].name ~= chapter.part then
      local part = chapter.part ~= '' and plain(chapter.part) or nil
      groups:insert { name = chapter.part, part = part, chapters = pandoc.List {} }
    end
    groups[#groups].chapters:insert {
      url = chapter.stem .. '.html',
      number = chapter.number,
      title = chapter.html_title,
      current = chapter == current,
    }
  end
  return groups
end

-- Puts the numbers into the headings and returns the page's own list of contents.
local function outline(chapter, depth)
  local entries = pandoc.List {}
  chapter.blocks = chapter.blocks:walk {
    Header = function(header)
      local number = header.attributes.number
      if header.level > 1 and header.level <= depth then
        entries:insert {
          url = '#' .. header.identifier,
          level = header.level,
          number = number,
          title = inline_html(header.content),
        }
      end
      header.attributes.number = nil
      if number then
        header.content:insert(1, pandoc.Space())
        header.content:insert(1, pandoc.Span(pandoc.Str(number), { class = 'heading-number' }))
      end
      return header
    end,
  }
  return entries
end

local function neighbour(chapter)
  return chapter and { url = chapter.stem .. '.html', number = chapter.number, title = chapter.html_title }
end

function site.write(book, here, out)
  local template = pandoc.template.compile(slurp(pandoc.path.join { here, 'page.html' }))
  local authors = pandoc.List(book.authors):map(plain)
  for _, chapter in ipairs(book.chapters) do
    chapter.html_title = inline_html(chapter.blocks[1].content)
    -- References of this chapter alone, at its end, as Quarto's books have them.
    chapter.blocks = bibliography.add(chapter.blocks, book, chapter.file, 2)
  end
  local index = pandoc.List {}
  for i, chapter in ipairs(book.chapters) do
    index:extend(search.entries(chapter))
    local entries = outline(chapter, book.toc_depth)
    local options = {
      template = template,
      html_math_method = 'mathml',
      wrap_text = 'none',
      variables = {
        lang = book.lang,
        book = {
          title = plain(book.title),
          subtitle = book.subtitle ~= '' and plain(book.subtitle) or nil,
          authors = #authors > 0 and authors or nil,
          date = book.date ~= '' and plain(book.date) or nil,
          downloads = book.downloads,
        },
        cover = i == 1,
        part = chapter.part ~= '' and plain(chapter.part) or nil,
        pagetitle = plain(pandoc.utils.stringify(chapter.blocks[1].content)),
        sidebar = sidebar(book.chapters, chapter),
        outline = #entries > 0 and entries or nil,
        previous = neighbour(book.chapters[i - 1]),
        next = neighbour(book.chapters[i + 1]),
      },
    }
    local page = problems.watch(
      chapter.file, pandoc.write, pandoc.Pandoc(chapter.blocks), 'html5', options
    )
    spit(pandoc.path.join { out, chapter.stem .. '.html' }, page)
  end
  spit(pandoc.path.join { out, 'search-index.js' }, search.script(index))
  for _, name in ipairs { 'book.css', 'shared.css', 'book.js', 'ledger.js' } do
    spit(pandoc.path.join { out, name }, slurp(pandoc.path.join { here, name }))
  end
end

return site
