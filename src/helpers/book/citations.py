"""Citations that no bibliography has, found in the sources before anything is run."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from helpers.book.chapters import Book, entries
from helpers.errors import did_you_mean
from helpers.paths import inside

_ENTRY = re.compile(r"@(?!comment|string|preamble)\w+\s*[{(]\s*([^\s,{}()\"#]+)\s*,", re.IGNORECASE)
_CITED = re.compile(r"(?<![\w\\.])@\{?([\w][\w:.#$%&+?<>~/-]*)")
_REFERENCES = re.compile(r"(?i)(fig|tbl|sec|eq|lst)-")
"""What a label of a figure and the like begins with; those are checked in the pages."""


def unknown(book: Book) -> list[str]:
    """Faults of chapters and pages that cite what no bibliography has, each with its place.

    Nothing is said where a bibliography is of another form than BibTeX. Only what looks unknown is
    given to pandoc, which alone knows code and addresses from citations.
    """
    files = _listed(book.config.get("bibliography"))
    if not files or not all(name.endswith(".bib") for name in files):
        return []
    paths = [inside(name, book.root) for name in files]
    known = {key for path in paths if path.is_file() for key in _keys(path)}
    faults = []
    for place, text in _texts(book):
        doubtful = [key for key in _CITED.findall(text) if _stray(key, known)]
        for key in sorted(set(_cited(text)) - known) if doubtful else ():
            if not _REFERENCES.match(key):
                where = f"in {', '.join(files)}"
                near = did_you_mean(key, known)
                faults.append(f"{place}: cites @{key}, which is not {where}{near}")
    return faults


def _keys(path: Path) -> list[str]:
    return _ENTRY.findall(path.read_text("utf-8", errors="replace"))


def _stray(key: str, known: set[str]) -> bool:
    """Whether a citation may be unknown; punctuation behind it is not part of its key."""
    return not _REFERENCES.match(key) and key.rstrip(":.#$%&+?<>~/-") not in known


def _texts(book: Book) -> Iterator[tuple[str, str]]:
    """Markdown of chapters' cells, of captions and of pages, each with its place."""
    for chapter in book.chapters:
        for number, cell in enumerate(chapter.cells, 1):
            if cell.cell_type == "markdown":
                yield f"{chapter.name}, cell {number}", cell.source
            else:
                options = [line[2:] for line in cell.source.splitlines() if line.startswith("#|")]
                yield f"{chapter.name}, cell {number}", "\n".join(options)
    for name in entries(book.config):
        if name.endswith((".qmd", ".md")) and (path := inside(name, book.root)).is_file():
            yield name, path.read_text("utf-8", errors="replace")


def _cited(text: str) -> Iterator[str]:
    """Keys that pandoc takes for citations."""
    import pypandoc  # late: a build in which nothing is amiss does not need it

    run = subprocess.run(
        [pypandoc.get_pandoc_path(), "-f", "markdown-example_lists", "-t", "json"],
        input=text,
        capture_output=True,
        encoding="utf-8",
    )
    return _in_tree(json.loads(run.stdout)) if run.returncode == 0 else iter(())


def _in_tree(node: object) -> Iterator[str]:
    if isinstance(node, dict):
        if "citationId" in node:
            yield node["citationId"]
        yield from (key for value in node.values() for key in _in_tree(value))
    elif isinstance(node, list):
        yield from (key for value in node for key in _in_tree(value))


def _listed(value: object) -> list[str]:
    return [str(item) for item in (value if isinstance(value, list) else [value]) if item]
