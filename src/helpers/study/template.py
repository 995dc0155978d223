"""A new study's folder: example rows that can be read as they stand and wait to be replaced."""

from pathlib import Path

from helpers.study.folder import CONFIG, write_new

STUDY = """\
# What this folder holds. Lines that begin with # are notes; everything else is read.
# All names that begin with example- are placeholders: put your own in their place, and set
# `simulated: false`. Then `make check STUDY=…` says whether the folder can be read.

title: "EXAMPLE: title of the study"
kind: perception     # evaluators score and rank what analysts made of each case
simulated: true      # true: the book says SIMULATED on every page. false: these are real ratings

# One line per scale. `code` is the column of ratings.csv; scores are whole numbers, min to max.
dimensions:
  - {code: accuracy, label: "EXAMPLE: Diagnostic Accuracy", min: 1, max: 5}
  - {code: reasoning, label: "EXAMPLE: Reasoning Soundness", min: 1, max: 5}

best_rank: lowest         # lowest: rank 1 is the best. highest: the largest number is
ties: refused             # allowed: analysts may share a rank, as 1, 2, 2, 4
partial_rankings: refuse  # drop: leave out a ranking that lacks an analyst (its scores stay)
analysts: all             # differ: on purpose, not every case has every analyst

# What to call the groups of cases (column `group` of cases.csv). Leave it out if there are none.
groups:
  A: "EXAMPLE: Cardiology"
  B: "EXAMPLE: Neurology"

# Values for parameters of chapters, where they should differ from the book's own:
# parameters:
#   resamples: 500

# The files (CSV, comma or semicolon, UTF-8; a blank cell is a missing value):
#   evaluators.csv   evaluator, specialty (several with ; between), years of practice
#   cases.csv        case, specialty, group; optional: difficulty
#   analysts.csv     analyst, kind (llm or physician), level, family
#   ratings.csv      evaluator, case, analyst, a column for each dimension, rank;
#                    optional: tier (good, medium, poor), position, timestamp
#   benchmarks.csv   optional: analyst, benchmark, accuracy (%), source
#   assignments.csv  optional: case, analyst, person (who wrote as this analyst)
#   alignment.csv    optional: evaluator, case, specialist (true or false)
"""

FILES = {
    CONFIG: STUDY,
    "evaluators.csv": """\
evaluator,specialty,years
example-E1,Cardiology,12
example-E2,Neurology;Psychiatry,4.5
""",
    "cases.csv": """\
case,specialty,group
example-C1,Cardiology,A
example-C2,Neurology,B
""",
    "analysts.csv": """\
analyst,kind,level,family
example-LLM1,llm,,GPT
example-LLM2,llm,,Qwen
example-P1,physician,senior,
""",
    "ratings.csv": """\
evaluator,case,analyst,accuracy,reasoning,rank
example-E1,example-C1,example-LLM1,5,4,1
example-E1,example-C1,example-LLM2,2,3,3
example-E1,example-C1,example-P1,4,4,2
example-E1,example-C2,example-LLM1,3,3,2
example-E1,example-C2,example-LLM2,1,2,3
example-E1,example-C2,example-P1,5,5,1
example-E2,example-C1,example-LLM1,4,5,1
example-E2,example-C1,example-LLM2,3,,2
example-E2,example-C1,example-P1,2,3,3
""",
    "benchmarks.csv": """\
analyst,benchmark,accuracy,source
example-LLM1,EXAMPLE benchmark,45.8,EXAMPLE: where the figure was published
example-LLM2,EXAMPLE benchmark,25.7,EXAMPLE: where the figure was published
""",
}


def new_study(folder: str | Path) -> Path:
    """Write a template into a new or empty folder, whole or not at all.

    Parameters
    ----------
    folder : str or Path
        Where the study will be.

    Returns
    -------
    Path
        The folder. Its study can be loaded as it stands: two evaluators, cases and dimensions,
        three analysts, one score missing.

    Raises
    ------
    HelpersError
        If the folder is not empty or cannot be written.
    """
    write_new(Path(folder), FILES)
    return Path(folder)
