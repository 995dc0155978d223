"""A study's folder in, checked frames out; or every fault of every file in one message."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from helpers.errors import HelpersError
from helpers.study import config as configs
from helpers.study import perception
from helpers.study.cells import MARKS, read_table
from helpers.study.faults import Fault, Findings, counted, message, plain
from helpers.study.folder import CONFIG, read_files
from helpers.study.perception import PerceptionConfig
from helpers.study.rankings import settle
from helpers.study.sheet import read_sheet

# Another kind brings its config here, and the dispatch on it in `_read`.
KINDS = {"perception": PerceptionConfig}


@dataclass(frozen=True)
class Study:
    """A study that was read and found sound.

    Attributes
    ----------
    folder : Path
        Where it was read from.
    config : PerceptionConfig
        What its `study.yml` says.
    tables : mapping of str to DataFrame
        Its CSV files by name without `.csv`; files that may be absent are there when they are.
        Ids and text are strings, scores and ranks whole numbers (rank 1 the best), `years` in
        years, `accuracy` in percent, `specialty` of evaluators a list.
    accounting : DataFrame
        What became of the ratings: `status` (read, dropped, used; missing among the used),
        `reason`, number of `rows` and of `rankings` (one evaluator's ranks for one case). Read is
        dropped and used together.
    dropped : DataFrame
        The rankings dropped: `evaluator`, `case`, analysts `ranked`, `of` how many.
    notices : tuple of str
        What was put right, passed over or looks odd.
    provenance : mapping of str to str
        SHA-256 of each file, by its name.
    """

    folder: Path
    config: PerceptionConfig
    tables: Mapping[str, pl.DataFrame]
    accounting: pl.DataFrame
    dropped: pl.DataFrame
    notices: tuple[str, ...]
    provenance: Mapping[str, str]

    def __getitem__(self, name: str) -> pl.DataFrame:
        """Give the table of this name, or say which file the study lacks."""
        if name not in self.tables:
            raise HelpersError(f"this study has no {name}.csv")
        return self.tables[name]


def load(folder: str | Path, settings: configs.Settings | None = None) -> Study:
    """Read a study and check all of it.

    Parameters
    ----------
    folder : str or Path
        The folder that holds `study.yml` and the CSV files.
    settings : mapping, optional
        What its `parameters` may set, by kind of study; without it any name is taken.

    Returns
    -------
    Study
        Typed tables, with a count of everything that was left out.

    Raises
    ------
    HelpersError
        With every fault of every file in one message.
    """
    study, found = _read(Path(folder), settings)
    if study is None:
        raise HelpersError(message(f"study {plain(folder, limit=200)}", found.faults))
    return study


def check(folder: str | Path) -> list[Fault]:
    """Find all faults of a study; an empty list means that it can be loaded."""
    return _read(Path(folder))[1].faults


def summary(study: Study) -> str:
    """Say what was read, used, dropped and noticed, in a few lines."""
    config = study.config
    numbers = {status: (rows, rankings) for status, _, rows, rankings in study.accounting.rows()}
    read, used = numbers["read"], numbers["used"]
    parts = ", ".join(
        counted(study[table].height, noun)
        for table, noun in (("evaluators", "evaluator"), ("cases", "case"), ("analysts", "analyst"))
    )
    lines = [
        f"{config.kind} study {plain(config.title, limit=200)!r} is sound"
        + (" (SIMULATED)" if config.simulated else ""),
        f"  {parts}, {counted(len(config.dimensions), 'dimension')}",
        f"  rows: {read[0]:,} read, {used[0]:,} used; rankings: {read[1]:,} read, {used[1]:,} used",
    ]
    for status, reason, rows, rankings in study.accounting.rows():
        if status in {"dropped", "missing"} and (rows or rankings):
            told = counted(rankings, "ranking") if rankings else counted(rows, "row")
            lines.append(f"  {status}: {told}, {reason}")
    absent = [table.file for table in perception.tables(config) if table.name not in study.tables]
    if absent:
        lines.append(f"  without: {', '.join(absent)}")
    return "\n".join([*lines, *(f"  notice: {notice}" for notice in study.notices)])


def _read(folder: Path, settings: configs.Settings | None = None) -> tuple[Study | None, Findings]:
    found = Findings()
    name = plain(folder.name or folder)
    try:
        if not folder.is_dir():
            told = "is no folder" if folder.exists() else "is not there"
            found.fault(name, f"{told}; expected a folder with {CONFIG} and CSV files")
            return None, found
        return _read_folder(folder, settings, found), found
    except PermissionError as error:
        found.fault(name, f"cannot be read: {error.strerror}")
        return None, found


def _read_folder(folder: Path, settings: configs.Settings | None, found: Findings) -> Study | None:
    expected = perception.tables(None)
    contents = read_files(
        folder,
        needed=[CONFIG, *(table.file for table in expected if table.needed)],
        optional=[table.file for table in expected if not table.needed],
        found=found,
    )
    config = None
    if CONFIG in contents:
        config = configs.parse(contents[CONFIG], KINDS, found, settings)
    frames, whole = _read_tables(config, contents, found)
    if config is None:
        return None
    complete = {
        table.name
        for table in perception.tables(config)
        if table.name in frames
        and all(column.name in frames[table.name] for column in table.columns if column.needed)
    }
    if all(table.name in complete for table in expected if table.needed):
        perception.look_over(config, frames, found)
    settled = settle(config, frames["ratings"], whole, found) if "ratings" in complete else None
    if found.faults or settled is None:
        return None
    tables = {**frames, "ratings": settled.ratings}
    return Study(
        folder=folder,
        config=config,
        tables={name: frame.drop(MARKS) for name, frame in tables.items()},
        accounting=settled.accounting,
        dropped=settled.dropped,
        notices=tuple(found.notices),
        provenance={
            file: hashlib.sha256(content).hexdigest() for file, content in contents.items()
        },
    )


def _read_tables(
    config: PerceptionConfig | None, contents: Mapping[str, bytes], found: Findings
) -> tuple[dict[str, pl.DataFrame], bool]:
    """Read the CSV files, and say whether every row of the ratings could be read."""
    frames: dict[str, pl.DataFrame] = {}
    known: dict[str, pl.Series] = {}
    whole = False
    for table in perception.tables(config):
        if table.file not in contents:
            continue
        names = [column.name for column in table.columns if column.needed]
        sheet = read_sheet(table.file, contents[table.file], found, names, table.needed)
        if sheet is None:
            continue
        frame = read_table(table, sheet, known, found, names_known=config is not None)
        frames[table.name] = frame
        if sheet.whole and table.key[0] in frame.columns:
            known[table.name] = frame[table.key[0]].drop_nulls().unique()
        if table.name == "ratings":
            whole = sheet.whole
    return frames, whole
