"""Where a build keeps what it makes."""

import json
import os
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from helpers.files import digest, write_text

DEFAULT = "default"
CACHE = "cache"


@dataclass(frozen=True)
class Places:
    """The folders and files of one study's build, all below `_build/<study>/`.

    Parameters
    ----------
    root : Path
        The project: the folder of `_quarto.yml`.
    study : str
        Names the folder below `_build/`; `default` for the book of the shipped studies.
    """

    root: Path
    study: str = DEFAULT

    @classmethod
    def claim(cls, root: Path, folder: Path) -> "Places":
        """Give a study places of its own, named after its folder, and remember whose they are.

        A second study whose folder has the same name gets a digest of its path added. A name
        whose study is no longer where it was is free again.

        Parameters
        ----------
        root : Path
            The project.
        folder : Path
            The study's folder.
        """
        whole = folder.resolve()
        path = os.path.relpath(whole, root.resolve())
        name = _safe(whole.name)
        for free in (name, f"{name}-{digest([path.encode()])[:8]}"):
            places = cls(root, free)
            if free not in (DEFAULT, CACHE) and places._owner() in (None, path):
                write_text(places.owner, json.dumps({"folder": path}) + "\n")
                return places
        raise FileExistsError(f"{name}: two studies have the same name and digest")

    def _owner(self) -> str | None:
        """The study that has these places, if there still is one."""
        try:
            folder = str(json.loads(self.owner.read_text("utf-8"))["folder"])
        except (OSError, ValueError, LookupError, TypeError):
            return None
        return folder if (self.root / folder).is_dir() else None

    @property
    def owner(self) -> Path:
        """Names the study that these places were given to."""
        return self.build / "study.json"

    @property
    def sound(self) -> Path:
        """Which studies were found sound, and what they say of themselves."""
        return self.build / "sound.json"

    @property
    def book(self) -> Path:
        """Where the book goes unless the user says otherwise."""
        return self.root / ("_book" if self.study == DEFAULT else f"_book-{self.study}")

    def is_usual(self, folder: Path) -> bool:
        """Whether a folder is where the book of some study goes unless the user says otherwise."""
        usual = Places(self.root).book
        return folder == usual or (
            folder.parent == usual.parent and folder.name.startswith(f"{usual.name}-")
        )

    @property
    def build(self) -> Path:
        """All of this build."""
        return self.root / "_build" / self.study

    @property
    def results_folder(self) -> Path:
        """The chapters' results, read by the chapters that need them."""
        return self.build / "results"

    @property
    def stage(self) -> Path:
        """The book as the renderer gets it."""
        return self.build / "stage"

    @property
    def rendered(self) -> Path:
        """Which folder holds the book rendered last."""
        return self.build / "rendered.json"

    @property
    def lock(self) -> Path:
        """Held by the one build that may write."""
        return self.build / "lock"

    @property
    def cache(self) -> Path:
        """What libraries keep between runs (matplotlib's list of fonts)."""
        return self.root / "_build" / CACHE

    def executed(self, stem: str) -> Path:
        """The chapter after a run without fault."""
        return self.build / "executed" / f"{stem}.ipynb"

    def running(self, stem: str) -> Path:
        """The chapter while it runs."""
        return self.build / "running" / f"{stem}.ipynb"

    def failed(self, stem: str) -> Path:
        """The chapter as far as it came before it failed."""
        return self.build / "failed" / f"{stem}.ipynb"

    def results(self, stem: str) -> Path:
        """The chapter's results."""
        return self.results_folder / f"{stem}.json"

    def key(self, stem: str) -> Path:
        """The key under which the chapter was run, with its ingredients."""
        return self.build / "keys" / f"{stem}.json"

    def name(self, path: Path) -> str:
        """`path` as a message shows it: relative to the project where it lies inside."""
        return str(path.relative_to(self.root) if path.is_relative_to(self.root) else path)


def _safe(name: str) -> str:
    """Make a name that no shell, file system or address takes amiss; umlauts lose their dots."""
    ascii_only = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^\w.-]+", "-", ascii_only)[:60].strip(".-") or "study"
