"""Studies: a folder of `study.yml` and CSV files, checked in full before anything is computed."""

from helpers.study.faults import Fault
from helpers.study.load import Study, check, load, summary
from helpers.study.platform import import_platform
from helpers.study.template import new_study

__all__ = ["Fault", "Study", "check", "import_platform", "load", "new_study", "summary"]
