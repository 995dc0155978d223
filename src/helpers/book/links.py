"""Check a rendered site: nothing it points to is missing, and nothing comes from elsewhere."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

URLS = {"href", "src", "poster", "data", "action"}
CSS_URL = re.compile(r"url\(\s*(\"[^\"]*\"|'[^']*'|[^)\s]*)\s*\)|@import\s+(\"[^\"]*\"|'[^']*')")
CSS_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


@dataclass(frozen=True)
class Link:
    """One address in a page or style sheet, and whether following it is left to the reader."""

    tag: str
    url: str

    @property
    def is_resource(self) -> bool:
        """Whether a browser loads the address by itself."""
        return self.tag not in {"a", "area", "form", "link-hint"}


@dataclass
class Page(HTMLParser):
    """What one page defines and points to.

    `unresolved` holds references that the engine could not resolve but wrote into the page,
    `unnamed` the images without alternative text.
    """

    html: str
    ids: list[str] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    unresolved: list[str] = field(default_factory=list)
    unnamed: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self._style = False
        self._doubtful = False
        self.feed(self.html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect ids and addresses of an element."""
        given = {name: value or "" for name, value in attrs}
        if given.get("id"):
            self.ids.append(given["id"])
        if tag == "a" and given.get("name"):
            self.ids.append(given["name"])
        hint = tag == "link" and not {"stylesheet", "icon", "preload"} & set(
            given.get("rel", "").split()
        )
        for name in URLS & given.keys():
            self.links.append(Link("link-hint" if hint else tag, given[name]))
        for candidate in given.get("srcset", "").split(","):
            if candidate.strip():
                self.links.append(Link(tag, candidate.split()[0]))
        self.links += [Link("style", url) for url in css_urls(given.get("style", ""))]
        if tag == "img" and "alt" not in given:
            self.unnamed.append(given.get("src", ""))
        self._style = tag == "style"
        self._doubtful = "quarto-unresolved-ref" in given.get("class", "").split()

    def handle_endtag(self, tag: str) -> None:
        """Leave a style element or an unresolved reference."""
        self._style = self._doubtful = False

    def handle_data(self, data: str) -> None:
        """Read style sheets inside the page, and the text of unresolved references."""
        if self._style:
            self.links += [Link("style", url) for url in css_urls(data)]
        if self._doubtful:
            self.unresolved.append(data.strip())


def css_urls(css: str) -> Iterator[str]:
    """Yield the addresses in a style sheet: `url(…)` and `@import "…"`."""
    for match in CSS_URL.finditer(CSS_COMMENT.sub("", css)):
        yield (match[1] or match[2]).strip("\"'")


def pages(folder: Path) -> dict[str, Page]:
    """Read every page of a site.

    Returns
    -------
    dict
        Path of the page, relative to `folder` and with forward slashes, to the page.
    """
    return {
        path.relative_to(folder).as_posix(): Page(path.read_text("utf-8"))
        for path in sorted(folder.rglob("*.html"))
    }


def local(links: Iterable[Link], page: str) -> Iterator[tuple[Link, str, str]]:
    """Yield (link, path in the site, fragment) for each link of `page` that stays in the site.

    A path that leads out of the site keeps its leading "..".
    """
    for link in links:
        parts = urlsplit(link.url)
        if parts.scheme or parts.netloc:
            continue
        path = _collapse(PurePosixPath(page).parent / unquote(parts.path)) if parts.path else page
        yield link, path, unquote(parts.fragment)


def check(folder: Path) -> list[str]:
    """Check every page and style sheet of a site.

    Parameters
    ----------
    folder : Path
        The rendered site.

    Returns
    -------
    list of str
        One line for each fault, naming page and target; empty when all is well. Faults are broken
        links and fragments, ids used twice in a page, references left unresolved, images without
        alternative text, and resources that a browser would fetch from elsewhere. Links to other
        sites are the reader's to follow and no fault.
    """
    site = pages(folder)
    faults = [] if site else [f"{folder.name}: has no HTML page"]
    for name, page in site.items():
        faults += [
            f"{name}: id {found} is used {n} times"
            for found, n in Counter(page.ids).items()
            if n > 1 and not found.startswith("quarto-")  # Quarto's own, which nothing links to
        ]
        faults += [f"{name}: reference {text} is not resolved" for text in page.unresolved]
        faults += [
            f"{name}: image {src} has no alternative text; give it fig-alt" for src in page.unnamed
        ]
        faults += _external(name, page.links)
        for link, path, fragment in local(page.links, name):
            target = _target(folder, path)
            if target is None:
                faults.append(f"{name}: links to {link.url}, which is not in the book")
            elif fragment and target in site and fragment not in {*site[target].ids, "top"}:
                faults.append(f"{name}: links to {link.url}, but {target} has no such place")
    for sheet in sorted(folder.rglob("*.css")):
        name = sheet.relative_to(folder).as_posix()
        links = [Link("style", url) for url in css_urls(sheet.read_text("utf-8"))]
        faults += _external(name, links)
        faults += [
            f"{name}: uses {link.url}, which is not in the book"
            for link, path, _ in local(links, name)
            if _target(folder, path) is None
        ]
    return faults


def _external(name: str, links: Iterable[Link]) -> list[str]:
    return [
        f"{name}: loads {link.url} from elsewhere; the book must work without a network"
        for link in links
        if link.is_resource
        and (urlsplit(link.url).netloc or urlsplit(link.url).scheme not in {"", "data"})
    ]


def _target(folder: Path, path: str) -> str | None:
    """Return the file that a path in the site stands for, or None when there is none."""
    if path.startswith(".."):
        return None
    found = folder / path
    if found.is_dir():
        path = _collapse(PurePosixPath(path) / "index.html")
        found = folder / path
    return path if found.is_file() else None


def _collapse(path: PurePosixPath) -> str:
    parts: list[str] = []
    for part in path.parts:
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)
