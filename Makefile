# `make run` and `make test` set up everything they need; the rest is for working on the project.
# The first Python of 3.13, 3.12 and 3.11 that is there is used; PYTHON=... chooses another.

PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
  command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' 2>/dev/null \
  && { echo $$p; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
RUN := .venvs/run
SOURCES := hermes_sdk hookspecs builtin_plugins examples tests benchmarks docs

.DEFAULT_GOAL := help
.PHONY: help run run-corpus test lint format types floors docs-check docs-generate docs benchmarks compat clean

help: ## say what there is to make
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 16

run: $(RUN)/.done ## play the example session: plugins found, a command blocked, a secret masked, ...
	@home=$$(mktemp -d) && trap 'rm -rf "$$home"' EXIT && cp -R examples/home/. "$$home" && \
	  $(RUN)/bin/hermes-sdk run examples/sessions/tour.yaml --home "$$home"

run-corpus: ## play it with ten published plugins, which are other people's code
	@$(PYTHON) examples/corpus/run.py

test: $(VENV)/.test ## run the tests
	$(BIN)/pytest -n auto -m 'not compat' $(PYTEST_ARGS)

lint: $(VENV)/.lint ## check style, types and floors
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/mypy
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/lint-imports

format: $(VENV)/.lint ## bring the code into form
	$(BIN)/ruff check --fix $(SOURCES)
	$(BIN)/ruff format $(SOURCES)

docs-generate: $(VENV)/.test ## write the generated pages anew
	$(BIN)/python docs/generate

docs-check: $(VENV)/.docs ## check that the generated pages are current and that the docs build without a warning
	$(BIN)/python docs/generate --check
	$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build/html

docs: docs-check ## build the docs into docs/_build/html

benchmarks: $(VENV)/.test ## print every comparison
	$(BIN)/python benchmarks/dispatch.py
	$(BIN)/python benchmarks/startup.py
	$(BIN)/python benchmarks/replay.py
	$(BIN)/python benchmarks/shell_hooks.py
	$(BIN)/python benchmarks/bridge.py
	$(BIN)/python benchmarks/gateway_replies.py
	$(BIN)/python benchmarks/redaction.py
	$(BIN)/python benchmarks/audit_log.py
	$(BIN)/python benchmarks/guardrails.py
	$(BIN)/python benchmarks/memory.py

compat: $(VENV)/.test ## compare with every release of hermes-agent, and run ours in each of them
	$(BIN)/python tests/compat
	$(BIN)/pytest -n auto tests/compat tests/interop $(PYTEST_ARGS)
	$(BIN)/python benchmarks/bridge.py --rounds 4

clean: ## remove what was set up and built
	rm -rf .venv .venvs .cache build dist docs/_build .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

# -- environments: a stamp says what is installed -----------------------------------------------------------------

$(VENV)/.made:
	@test -n "$(PYTHON)" || { echo "no Python 3.11, 3.12 or 3.13 found: install one, or say make PYTHON=/path/to/python" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	touch $@

$(VENV)/.test: $(VENV)/.made pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . --group test
	touch $@

$(VENV)/.lint: $(VENV)/.test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group lint
	touch $@

$(VENV)/.docs: $(VENV)/.test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group docs
	touch $@

$(RUN)/.done: pyproject.toml examples/entrypoint-plugin/pyproject.toml
	@test -n "$(PYTHON)" || { echo "no Python 3.11, 3.12 or 3.13 found: install one, or say make PYTHON=/path/to/python" >&2; exit 1; }
	@echo "setting up $(RUN) ..."
	@$(PYTHON) -m venv $(RUN)
	@$(RUN)/bin/python -m pip install --quiet --disable-pip-version-check --editable . ./examples/entrypoint-plugin
	@touch $@
