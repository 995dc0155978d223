"""A small sound study to spoil."""

from pathlib import Path

from helpers.study import check

STUDY = """\
title: Three evaluators
kind: perception
simulated: true
dimensions:
  - {code: accuracy, label: Accuracy, min: 1, max: 5}
  - {code: clarity, label: Clarity, min: 0, max: 10}
"""

# Row 2 is E1 on case 1 and analyst A; every evaluator and case has three rows, A to C.
RATINGS = """\
evaluator,case,analyst,accuracy,clarity,rank
E1,1,A,5,9,1
E1,1,B,3,4,2
E1,1,C,2,0,3
E1,2,A,1,2,3
E1,2,B,4,8,1
E1,2,C,4,7,2
E2,1,A,5,10,1
E2,1,B,2,3,3
E2,1,C,3,5,2
E2,2,A,2,2,3
E2,2,B,3,6,2
E2,2,C,5,9,1
E3,1,A,4,7,2
E3,1,B,4,8,1
E3,1,C,1,1,3
"""

FILES = {
    "study.yml": STUDY,
    "evaluators.csv": "evaluator,specialty,years\nE1,Cardiology;Urology,4.5\nE2,,12\nE3,Urology,\n",
    "cases.csv": "case,specialty,group\n1,Cardiology,X\n2,Urology,Y\n",
    "analysts.csv": "analyst,kind,level,family\nA,llm,,GPT\nB,llm,,Qwen\nC,physician,senior,\n",
    "ratings.csv": RATINGS,
    "benchmarks.csv": "analyst,benchmark,accuracy,source\nA,Arena,51.5,paper\nB,Arena,,not found\n",
}


class Folder:
    """The study in a folder, and what `check` says of it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True)
        for name, text in FILES.items():
            self.write(name, text)

    def write(self, name: str, content: str | bytes) -> None:
        data = content if isinstance(content, bytes) else content.encode()
        (self.path / name).write_bytes(data)

    def text(self, name: str) -> str:
        return (self.path / name).read_text()

    def spoil(self, name: str, old: str, new: str) -> None:
        """Replace the first `old`, which must be there."""
        text = self.text(name)
        assert old in text
        self.write(name, text.replace(old, new, 1))

    def row(self, name: str, number: int, line: str) -> None:
        """Replace the row that a spreadsheet shows under this number."""
        lines = self.text(name).split("\n")
        lines[number - 1] = line
        self.write(name, "\n".join(lines))

    def say(self, key: str) -> None:
        """Add a line to study.yml."""
        self.write("study.yml", self.text("study.yml") + key + "\n")

    @property
    def faults(self) -> list[str]:
        return [str(fault) for fault in check(self.path)]
