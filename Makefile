# Two commands matter: `make run` and `make test`. Needed beforehand: python3 (3.11 or newer) with venv, and pip.
#
#   make run                        your own agent homes, or the made-up sample if there are none
#   make run SOURCE=DIR LAKE=DIR    the same for one folder or file, into a lake of your choice
#
# SOURCE and LAKE may contain spaces when quoted: make run SOURCE="/my disk/projects".

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SAMPLE := data/sample/claude
SAMPLE_LAKE := data/lake

export SOURCE LAKE

.PHONY: help run test lint rows docs sample bench slow fuzz crash clean
.DELETE_ON_ERROR:

help:
	@echo "make run    set up, extract SOURCE (default: your agent homes, else the sample) into LAKE, show what it cost"
	@echo "make test   set up and run the tests"
	@echo "make slow   the tests that take long"
	@echo "make fuzz   run the fuzzer (EXECUTIONS, 100,000 unless you say otherwise)"
	@echo "make crash  kill and refuse every file operation of a run, one at a time"
	@echo "make bench  one table of speed, size and memory as ratios (BENCH=--help lists its options)"
	@echo "make lint   style and types"
	@echo "make rows   write the row classes again, from the declared columns"
	@echo "make docs   write docs/data-dictionary.md again"
	@echo "make sample write data/sample/claude again"
	@echo "make clean  remove what the others made"

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# The stamps are older than pyproject.toml when it has changed: then the installation is brought up to date.
$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/.installed

run: $(VENV)/.installed
	@set -e; \
	if [ -z "$$SOURCE" ] && ! $(BIN)/python -c 'import sys, tracelake.config as c; sys.exit(not c.agent_homes())'; then \
		echo "No transcripts of your own were found; this is the made-up sample in $(SAMPLE)."; \
		SOURCE=$(SAMPLE); LAKE="$${LAKE:-$(SAMPLE_LAKE)}"; \
	fi; \
	if [ -n "$$LAKE" ]; then export TRACELAKE_HOME="$$LAKE"; fi; \
	$(BIN)/tracelake extract $${SOURCE:+"$$SOURCE"} || [ $$? -eq 4 ]; \
	echo; \
	$(BIN)/tracelake report cost; \
	echo; \
	echo "The lake is in $$($(BIN)/python -c 'import tracelake.config as c; print(c.default_lake().absolute())')"; \
	echo "Ask it: $(BIN)/tracelake query$${LAKE:+ --lake \"$$LAKE\"} \"SELECT * FROM sessions\""

test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -m "not slow" -n auto --dist loadgroup

slow: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -m slow

fuzz: $(VENV)/.installed-dev
	PYTHONPATH=pipeline $(BIN)/python -m tests.fuzz $${EXECUTIONS:-100000}

crash: $(VENV)/.installed-dev
	TRACELAKE_CRASH_SHARE=1 $(BIN)/python -m pytest -m crash

bench: $(VENV)/.installed-dev
	$(BIN)/python -m tests.bench $(BENCH)

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

rows: $(VENV)/.installed
	PYTHONPATH=pipeline $(BIN)/python pipeline/make_rows.py

docs: $(VENV)/.installed
	$(BIN)/python docs/make_dictionary.py

sample: $(VENV)/.installed
	$(BIN)/python data/make_sample.py

clean:
	rm -rf $(VENV) $(SAMPLE_LAKE) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
