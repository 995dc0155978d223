"""What computed the chapters of a book: the packages that their code imports, with versions."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from helpers.book.chapters import Chapter
from helpers.book.keys import LOCK, Ingredients, Modules, notebook_imports
from helpers.bootstrap import R_PACKAGES
from helpers.environment import pins, requirement_name
from helpers.paths import ROOT

OWN = "module "
BESIDE = {"matplotlib", "plotnine", "pydantic", "pyyaml", "seaborn", "tqdm"}
"""What draws, reads or shows progress, and computes nothing."""


def versions(made: Iterable[tuple[Chapter, Ingredients]]) -> list[str]:
    """Python and R, each with the packages that the chapters use.

    Parameters
    ----------
    made : iterable of (Chapter, Ingredients)
        Chapters that ran, and what their keys were made of.

    Returns
    -------
    list of str
        Such as "Python 3.11.7 (numpy 2.4.6 and polars 1.31.0)". Of Python's packages those that
        the project names as its own dependencies, at the versions of its lock; of R's those that
        the modules of the chapters name.
    """
    all_made = list(made)
    if not all_made:
        return []
    about = {name: version for _, own in all_made for name, version in own.items()}
    found = []
    for language, packages in (
        ("Python", _python(chapter for chapter, _ in all_made)),
        ("R", _r(about)),
    ):
        if language in about:
            told = f" ({', '.join(packages)})" if packages else ""
            found.append(f"{language} {about[language]}{told}")
    return found


def _python(chapters: Iterable[Chapter]) -> list[str]:
    modules = Modules(ROOT / "src")
    imported = {
        name.partition(".")[0]
        for chapter in chapters
        for name in modules.closure(notebook_imports(chapter.cells))
    }
    known = pins((ROOT / LOCK).read_text("utf-8"))
    used = {name for name in _direct() - BESIDE if imported & _top(name)}
    return [f"{name} {known[name]}" for name in sorted(used) if name in known]


def _direct() -> set[str]:
    """What the project itself depends on."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return {requirement_name(name) for name in project["dependencies"]}


def _top(name: str) -> set[str]:
    """What a package is imported as."""
    try:
        files = distribution(name).files or []
    except PackageNotFoundError:
        return set()
    return {file.parts[0].removesuffix(".py") for file in files if file.suffix == ".py"}


def _r(about: Mapping[str, str]) -> list[str]:
    """R packages that modules of the chapters call, with the versions in their keys."""
    source = Path(ROOT / "src")
    texts = "\n".join(
        (source / name.removeprefix(OWN).replace(".", "/")).with_suffix(".py").read_text("utf-8")
        for name in about
        if name.startswith(OWN) and _is_file(source, name.removeprefix(OWN))
    )
    called = [
        name
        for name in R_PACKAGES
        if re.search(rf'(?<![\w.])(?:{re.escape(name)}::|require\("{re.escape(name)}")', texts)
    ]
    return [f"{n} {about[f'R package {n}']}" for n in called if f"R package {n}" in about]


def _is_file(source: Path, name: str) -> bool:
    return (source / name.replace(".", "/")).with_suffix(".py").is_file()
