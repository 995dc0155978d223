"""What every declared relation shares: a strict, typed declaration that checks a paper."""

from abc import ABC, abstractmethod
from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict

from helpers.audit.finding import Finding
from helpers.published import Paper


class Relation(BaseModel, ABC):
    """A relation that printed figures must satisfy, as declared in `relations.yml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    def strings(self) -> Iterator[str]:
        """All texts of the declaration, among them the names of the quotes it uses."""
        yield from _strings(self.model_dump())

    @abstractmethod
    def check(self, paper: Paper) -> Iterator[Finding]:
        """Check the relation wherever it applies in `paper`.

        Yields
        ------
        Finding
            One for each figure checked.
        """


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in (*value.keys(), *value.values()):
            yield from _strings(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _strings(part)
