# Every command of the project. `make help` explains them.

# What may follow a target, as in `make report OUT=_book-draft`:
P =
ENGINE = auto
OUT =
STUDY =
DIR =
FILE =
TIME_LIMIT =
CODE =
KERNELS =
ONLY =
UPGRADE =
STUDIES =
EVALUATORS =
CASES =
EFFECT =
SCHEDULER =
KNOWN = P ENGINE OUT STUDY DIR FILE TIME_LIMIT CODE KERNELS ONLY UPGRADE STUDIES EVALUATORS CASES \
  EFFECT SCHEDULER

# A misspelt variable would silently change nothing, so it is refused.
GIVEN := $(foreach name,$(.VARIABLES),$(if $(filter command,$(origin $(name))),$(name)))
ifneq ($(filter-out $(KNOWN),$(GIVEN)),)
$(error unknown variable $(filter-out $(KNOWN),$(GIVEN)): known are $(KNOWN) (see `make help`))
endif

PYTHON = .venv/bin/python
# A variable's value for the shell, exactly as typed.
quoted = '$(subst ','\'',$(value $1))'
# The same as an option, if it was typed: $(call option,STUDY,study) is --study='…'.
option = $(if $(filter command,$(origin $1)),--$2=$(call quoted,$1))
# What `report` and `preview` may be told.
BOOK = --engine=$(call quoted,ENGINE) --set=$(call quoted,P) $(call option,STUDY,study) \
  $(call option,OUT,out) $(call option,TIME_LIMIT,time-limit) $(call option,CODE,pdf-code) \
  $(call option,KERNELS,kernels)
# Kernels come from .venv, whatever is registered in the user's home.
export JUPYTER_PREFER_ENV_PATH = 1

.DEFAULT_GOAL = help
.NOTPARALLEL:
.PHONY: help report preview check new-study import-platform data evidence power test bench lint lab clean lock set-up set-up-test

help: ## Explain the commands
	@awk -F ': .*## |## ' '/^[a-z-]+: .*## /{printf "make %-15s %s\n", $$1, $$2} /^ *## /{print "                    " $$2}' Makefile

report: set-up ## Run the chapters that changed and build the book: _book/index.html, _book/book.pdf
## STUDY=folder               the book of this study alone, in _book-<name of the folder>
## P='name=value …'           set chapters' parameters (each chapter's first cell lists them)
## ENGINE=auto|quarto|pandoc  what renders the book; auto takes quarto where it is installed
## OUT=folder                 where the book goes: a new folder, or one with a book and nothing else
## TIME_LIMIT=seconds         how long one chapter may take (3600)
## CODE=yes                   show the chapters' code in the PDF too
## KERNELS=fresh              start Python anew for each chapter, instead of forking one; slower
	@$(PYTHON) -m helpers report $(BOOK)

preview: set-up ## Show the book in a browser, and build it anew whenever a source is saved
## …                          what `make report` may be told
	@$(PYTHON) -m helpers preview $(BOOK)

check: set-up ## Say whether a study can be read, and all that is wrong with it: STUDY=folder
	@$(PYTHON) -m helpers check $(call option,STUDY,study)

new-study: set-up ## Write a template of a study, with example rows: DIR=folder
	@$(PYTHON) -m helpers new-study $(call option,DIR,dir)

import-platform: set-up ## Turn saves of the perception platform into a study: FILE=saves DIR=folder
## FILE=…                     a save, a folder of saves, or a pattern such as 'saves/*.json'
	@$(PYTHON) -m helpers import-platform $(call option,FILE,file) $(call option,DIR,dir)

data: set-up ## Write the shipped, simulated study anew, byte for byte: data/perception
	@$(PYTHON) -m helpers data

evidence: set-up ## Simulate studies and see whether planted parameters are found: data/evidence (an hour)
## SCHEDULER=address          of a Dask cluster that does the work; a run that was killed goes on
	@$(PYTHON) -m helpers evidence $(call option,SCHEDULER,scheduler)

power: set-up ## Simulate studies to plan the next one; the next book shows what came out (an hour)
## STUDIES=number             simulated studies of each combination (200)
## EVALUATORS='10 20 40'      numbers of evaluators to try; CASES='6 9 12' likewise
## EFFECT='0 1'               what the effects are multiplied by; 0 shows how often tests err
## P='name=value …'           effects and all else that the chapter on the next study lists
## STUDY=folder               a study whose sizes and weights to start from (data/perception)
## SCHEDULER=address          of a Dask cluster that does the work; a run that was killed goes on
	@$(PYTHON) -m helpers power --set=$(call quoted,P) $(call option,STUDY,study) \
	  $(call option,STUDIES,studies) $(call option,EVALUATORS,evaluators) \
	  $(call option,CASES,cases) $(call option,EFFECT,effect) $(call option,SCHEDULER,scheduler)

test: set-up-test lint ## Check everything: style, types, statistics against known answers, pages in a browser
	$(PYTHON) -m pytest

bench: set-up ## Time the book and the statistics beside their peers, as a Markdown table
## ONLY='book clmm …'         these alone, each a file benchmarks/bench_….py
	@$(PYTHON) -m benchmarks $(ONLY)

lint: set-up ## Check style and types alone
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy

# git takes what this makes of a notebook: no outputs, nothing that JupyterLab notes of its kernel.
CLEAN = $(PYTHON) -m nbstripout --keep-id | $(PYTHON) -m helpers.book.clean

lab: set-up ## Open the chapters in JupyterLab; outputs stay out of git
	@if [ -e .git ]; then git config filter.nbstripout.clean '$(CLEAN)'; fi
	$(PYTHON) -m jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) notebooks

clean: ## Remove what was built (not .venv)
	rm -rf _build _book _book-* ._book* .pytest_cache .mypy_cache .ruff_cache src/*.egg-info
	find src tests notebooks -name __pycache__ -o -name .ipynb_checkpoints | xargs -r -d '\n' rm -rf

lock: set-up ## For maintainers: bring requirements.lock and renv-free-env.yml in step with pyproject.toml
## UPGRADE=yes                take the newest versions that pyproject.toml allows
	.venv/bin/uv pip compile --quiet --no-config --python-version 3.11 --python-platform linux --extra test \
	  --generate-hashes --no-emit-index-url --no-emit-find-links --custom-compile-command 'make lock' \
	  $(if $(UPGRADE),--upgrade) --output-file requirements.lock pyproject.toml
	$(PYTHON) -m helpers.environment

set-up:
	@python3 -I src/helpers/bootstrap.py

set-up-test:
	@python3 -I src/helpers/bootstrap.py --test
