"""Classic tables, raters in rows, and what R says about them."""

import csv
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent


def _read(name):
    return np.genfromtxt(HERE / f"data/{name}.csv", delimiter=",", skip_header=1)


def with_gaps(table, step):
    """Every step-th rating missing, counted as R counts: down the items of one rater, then on."""
    gappy = np.array(table, dtype=float)
    gappy.flat[::step] = np.nan
    return gappy


ANXIETY = _read("anxiety").T
ROUNDING = _read("rounding_times")  # blocks are rows
SHROUT = _read("shrout_fleiss").T
PENICILLIN = _read("penicillin").T
ATTITUDE = _read("attitude")  # rows × items
THURSTONE = _read("thurstone")  # correlations
FLEISS = np.array(  # Fleiss 1971, table 1: how many of 6 diagnoses of each patient are which
    [
        [int(count) for count in row]
        for row in (
            "00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 "
            "11040 03300 10050 02031 00501 30012 51000 02040 10203 00006 01050 "
            "02013 20040 10041 05010 40002 02040 10500 00006"
        ).split()
    ]
)
_ = np.nan
KRIPPENDORFF = np.array(  # Krippendorff 2011, *Computing Krippendorff's Alpha-Reliability*
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
        [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
    ]
)
COHEN = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]  # Cohen 1968, table 1, of 200
MOVIES = [[24, 8, 13], [8, 13, 11], [10, 9, 64]]  # Siskel and Ebert; Agresti & Winner 1997

with (HERE / "R/agreement.csv").open() as file:
    R = {
        (row["data"], row["statistic"]): tuple(
            None if row[part] == "NA" else float(row[part]) for part in ("value", "low", "high")
        )
        for row in csv.DictReader(file)
    }
