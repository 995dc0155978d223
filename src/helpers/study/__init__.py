"""Studies: a folder of `study.yml` and CSV files, checked in full before anything is computed."""

from helpers.study.faults import Fault
from helpers.study.load import Study, check, load, summary

__all__ = ["Fault", "Study", "check", "load", "summary"]
