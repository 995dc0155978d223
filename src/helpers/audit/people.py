"""Labels, names and people of one table against another's."""

import re
from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from helpers import say
from helpers.audit.finding import Finding, Verdict
from helpers.audit.quotes import normalise
from helpers.audit.relation import Relation
from helpers.published import Paper


class Numbered(Relation):
    """Row labels that must be 1, 2, 3, … up to the number the text gives, each once."""

    relation: Literal["numbered"]
    table: str
    count: str

    def check(self, paper: Paper) -> Iterator[Finding]:
        """One finding for the table."""
        table = paper.table(self.table)
        due = [str(n + 1) for n in range(paper.quote(self.count).count(least=1))]
        missing = [label for label in due if label not in table.labels]
        twice = sorted({label for label in table.labels if table.labels.count(label) > 1})
        other = [label for label in table.labels if label not in due]
        faults = [
            f"{what} {say.listing(labels)}"
            for what, labels in (("missing", missing), ("repeated", twice), ("unknown", other))
            if labels
        ]
        yield Finding(
            self.table,
            "row labels",
            f"numbered 1 to {due[-1]}",
            ", ".join(table.labels),
            f"1 to {due[-1]}, each once",
            Verdict.INCONSISTENT if faults else Verdict.CONSISTENT,
            f"{'; '.join(faults).capitalize()}." if faults else "Every number is there once.",
        )


class LabelSpan(Relation):
    """Labels quoted as a span, "P1-P8", whose last number must be the count that is quoted."""

    relation: Literal["label_span"]
    labels: str
    count: str

    def check(self, paper: Paper) -> Iterator[Finding]:
        """One finding for each quote of the span."""
        count = paper.quote(self.count)
        number = count.count()
        for quote in paper.quotes:
            if quote.about == self.labels:
                ends = [int(number) for number in re.findall(r"\d+", quote.printed)]
                fits = len(ends) == 2 and ends[1] - ends[0] + 1 == number
                yield Finding(
                    "text",
                    quote.about,
                    f"{quote.place} against the number of {count.about}",
                    quote.printed,
                    count.printed,
                    Verdict.CONSISTENT if fits else Verdict.INCONSISTENT,
                    "Labels and count agree."
                    if fits
                    else f"The labels are {quote.printed}, the text counts {count.printed}.",
                )


class SameColumn(Relation):
    """Tables that print the same column for the same labels."""

    relation: Literal["same_column"]
    tables: Annotated[tuple[str, ...], Field(min_length=2)]
    column: str

    def check(self, paper: Paper) -> Iterator[Finding]:
        """One finding for each label of any of the tables."""
        tables = [paper.table(name) for name in self.tables]
        printed: dict[str, list[tuple[str, str]]] = {}
        for table in tables:
            for item, cell in zip(table.items, table.column(self.column), strict=True):
                printed.setdefault(item, []).append((table.title, cell))
        for item, cells in printed.items():
            absent = [table.title for table in tables if item not in table.items]
            present = list(dict.fromkeys(title for title, _ in cells))
            verdict, why = self._judge(cells, present)
            note = f" No row of that label in {say.listing(absent)}." if absent else ""
            yield Finding(
                self.tables[0],
                item,
                f"{self.column} in {say.listing(present)}",
                cells[0][1],
                "; ".join(f"{title}: {cell}" for title, cell in cells),
                verdict,
                why + note,
            )

    def _judge(self, cells: list[tuple[str, str]], present: list[str]) -> tuple[Verdict, str]:
        if len({normalise(cell) for _, cell in cells}) > 1:
            shown = "; ".join(f"{title}: {cell}" for title, cell in cells)
            return Verdict.INCONSISTENT, f"They differ – {shown}."
        if len(present) == 1:
            return Verdict.UNCHECKABLE, f"Only {present[0]} has this row."
        return Verdict.CONSISTENT, f"{say.listing(present)} agree."


class SameLabels(Relation):
    """Tables whose rows carry the same labels in the same order."""

    relation: Literal["same_labels"]
    tables: Annotated[tuple[str, ...], Field(min_length=2)]

    def check(self, paper: Paper) -> Iterator[Finding]:
        """One finding for each table after the first."""
        first, *rest = (paper.table(name) for name in self.tables)
        for table in rest:
            same = [normalise(a) for a in first.labels] == [normalise(b) for b in table.labels]
            yield Finding(
                table.name,
                "row labels",
                f"the same as in {first.title}",
                say.count(len(table.labels), "label"),
                say.count(len(first.labels), "label"),
                Verdict.CONSISTENT if same else Verdict.INCONSISTENT,
                "Same labels in the same order." if same else "Labels or their order differ.",
            )


class Role(BaseModel):
    """What a role asks of a person: the case's specialty or another, and one of some titles."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    same_specialty: bool
    titles: tuple[str, ...] = ()


class Roles(Relation):
    """People assigned to cases in roles that ask for a specialty and a title.

    `roles` are columns of `table` that hold ids of `people`; `specialty` is the case's column,
    `domain` and `title` those of the person. `explained` lists ids whose role the text explains.
    """

    relation: Literal["roles"]
    table: str
    specialty: str
    people: str
    domain: str
    title: str
    roles: dict[str, Role]
    explained: dict[str, str] = Field(default={})

    def check(self, paper: Paper) -> Iterator[Finding]:
        """One finding for the specialty and, where asked for, one for the title of each cell."""
        table, people = paper.table(self.table), paper.table(self.people)
        domains = dict(zip(people.labels, people.column(self.domain), strict=True))
        titles = dict(zip(people.labels, people.column(self.title), strict=True))
        specialties = table.column(self.specialty)
        for column, role in self.roles.items():
            for label, specialty, person in zip(
                table.labels, specialties, table.column(column), strict=True
            ):
                item = f"case {label}, {column}: {person}"
                if person not in domains:
                    yield self._unknown(item, person, people.title)
                    continue
                yield self._specialty(item, role, specialty, domains[person], person)
                if role.titles:
                    fits = titles[person] in role.titles
                    asked = say.listing(list(role.titles), "or")
                    yield self._finding(item, "title", titles[person], asked, fits, "")

    def _specialty(
        self, item: str, role: Role, specialty: str, domain: str, person: str
    ) -> Finding:
        fits = (normalise(specialty) == normalise(domain)) == role.same_specialty
        asked = specialty if role.same_specialty else f"not {specialty}"
        remark = self.explained.get(f"{person} {specialty}", "")
        return self._finding(item, "specialty", domain, asked, fits, remark)

    def _unknown(self, item: str, person: str, title: str) -> Finding:
        return Finding(
            self.table,
            item,
            f"listed in {title}",
            person,
            f"a person of {title}",
            Verdict.INCONSISTENT,
            f"{title} has no {person}.",
        )

    def _finding(
        self, item: str, what: str, printed: str, asked: str, fits: bool, remark: str
    ) -> Finding:
        why = f"The role asks for {asked}; this person’s {what} is {printed}."
        return Finding(
            self.table,
            item,
            f"{what} that the role asks for",
            printed,
            asked,
            Verdict.CONSISTENT if fits else Verdict.INCONSISTENT,
            why if fits else f"{why} {remark}".strip(),
        )
