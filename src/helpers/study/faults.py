"""What is wrong with a study's files: found all at once, said in few words, safe to print."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from helpers.errors import near

SHOWN = 5  # places named before "and 300 more"
LINES = 60  # faults listed before "and 40 more faults"
LENGTH = 40  # characters of a value shown
EXAMPLE = "`make new-study DIR=…` writes an example"


@dataclass(frozen=True)
class Cell:
    """A place in a file: its row or rows as a spreadsheet numbers them (the header is row 1)."""

    rows: tuple[int, ...]
    text: str = ""


@dataclass(frozen=True)
class Fault:
    """One thing wrong, at one place or many.

    Attributes
    ----------
    file : str
        Name of the file inside the study's folder.
    problem : str
        What is wrong or was expected and, where not obvious, what to do.
    column : str
        The column or, in `study.yml`, the key; "" when the fault is of the whole file.
    cells : tuple of Cell
        The first places that have the fault.
    count : int
        How many places have it, shown or not.
    """

    file: str
    problem: str
    column: str = ""
    cells: tuple[Cell, ...] = ()
    count: int = 0

    def __str__(self) -> str:
        """Put the fault in one line."""
        head = f"{self.file}, {self.column}" if self.column else self.file
        if not self.cells:
            return f"{head}: {self.problem}"
        unit = "row" if self.file.endswith(".csv") else "line"
        return f"{head}: {self._places(unit)}; {self.problem}"

    def _places(self, unit: str) -> str:
        texts = {cell.text for cell in self.cells}
        if len(texts) == 1 and all(len(cell.rows) == 1 for cell in self.cells):
            rows = [cell.rows[0] for cell in self.cells]
            told = f"{numbered(unit, rows)} {texts.pop()}".rstrip()
        else:
            told = ", ".join(
                f"{numbered(unit, cell.rows)} {cell.text}".rstrip() for cell in self.cells
            )
        more = self.count - len(self.cells)
        return f"{told} and {more:,} more" if more > 0 else told


@dataclass
class Findings:
    """What reading a study brings up: faults that refuse it, notices that its reader should see."""

    faults: list[Fault] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)

    def fault(
        self,
        file: str,
        problem: str,
        column: str = "",
        cells: Iterable[Cell] = (),
        count: int | None = None,
    ) -> None:
        """Note a fault; of its `cells` the first few are kept, `count` says how many there are."""
        every = tuple(cells)
        self.faults.append(
            Fault(file, problem, column, every[:SHOWN], len(every) if count is None else count)
        )

    def notice(self, text: str) -> None:
        """Note something that was put right or left out."""
        self.notices.append(text)


def message(title: str, faults: Sequence[Fault]) -> str:
    """All faults in one message, a line each, under a title that counts them."""
    lines = [f"{title}: {counted(len(faults), 'fault')}", *(f"  {f}" for f in faults[:LINES])]
    if len(faults) > LINES:
        lines.append(f"  and {counted(len(faults) - LINES, 'more fault')}")
    return "\n".join(lines)


def show(value: object, limit: int = LENGTH) -> str:
    """Quote a value from a file: shortened, and with every character that cannot be seen escaped.

    Control characters could otherwise rewrite the terminal, and those without a shape would hide
    why two ids differ.
    """
    return f'"{plain(value, limit)}"'


def plain(value: object, limit: int = LENGTH) -> str:
    """Shorten and escape as `show` does, without quotes."""
    text = str(value)
    cut = f"{text[:limit]}…" if len(text) > limit else text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in cut)


def ask(name: str, options: Iterable[str]) -> str:
    """Give a question to put after a wrong name: ` (did you mean "x"?)`, or nothing."""
    option = near(name, options)
    return "" if option is None else f" (did you mean {show(option)}?)"


def counted(number: int, noun: str) -> str:
    """Count in words: `1 fault`, `2 faults`, `1,620 rows`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def listed(names: Sequence[str], total: int | None = None) -> str:
    """List the first few names and count the rest: `a, b and 7 more`."""
    shown = ", ".join(names[:SHOWN])
    more = (len(names) if total is None else total) - len(names[:SHOWN])
    return f"{shown} and {more:,} more" if more > 0 else shown


def numbered(unit: str, rows: Sequence[int]) -> str:
    """Name rows: `row 5`, `rows 5 and 8`, `rows 5, 8, 9`."""
    if len(rows) == 1:
        return f"{unit} {rows[0]}"
    if len(rows) == 2:
        return f"{unit}s {rows[0]} and {rows[1]}"
    shown = ", ".join(map(str, rows[:SHOWN]))
    return f"{unit}s {shown}{'…' if len(rows) > SHOWN else ''}"
