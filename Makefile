PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
CHECKED := src tests benchmarks docs reproduction
WORKERS ?= 2
AUDIT := .venv-audit

.DEFAULT_GOAL := help
.PHONY: help setup demo test check audit soak docs tables format bench bench-scale lock wheel dist clean

help:  ## Show the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1	/p' $(MAKEFILE_LIST) | expand -t 12

setup: $(READY)  ## Make the virtual environment .venv with every version pinned

# torch comes alone and first, so that pip takes the pinned build before anything else asks for it.
# Everything else is checked against its hash; requirements.lock says why torch is not.
$(READY): pyproject.toml reproduction/pyproject.toml constraints.txt requirements.lock
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet "$$(grep '^torch==' constraints.txt)" -c constraints.txt
	$(BIN)/python -m pip install --quiet --no-deps --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e . -e ./reproduction
	@touch $@

lock:  ## Write requirements.lock anew from constraints.txt
	$(PYTHON) .ci/lock

demo: $(READY)  ## Compare four methods on the embedded graph, also with wrong edges, and write a page
	$(BIN)/homogcl demo

# One thread per worker: two workers with a thread per core slow each other down.
test: $(READY)  ## Run the tests
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $(WORKERS) $(ARGS)

check: $(READY)  ## Lint, format check, types and spelling
	$(BIN)/ruff check $(CHECKED)
	$(BIN)/ruff format --check $(CHECKED)
	$(BIN)/mypy $(CHECKED)
	$(BIN)/codespell $(CHECKED) *.md Makefile pyproject.toml CITATION.cff
	@$(MAKE) --no-print-directory audit

audit:  ## Look every pinned version up among known vulnerabilities, where the database answers
	@$(PYTHON) .ci/audit $(AUDIT)

# Ten times as many kills and spoiled files, counted into the page; then fuzzing by coverage.
soak: $(READY)  ## Break it for an hour, and write what was counted into docs/reliability.md
	OMP_NUM_THREADS=1 HOMOGCL_SOAK=10 HOMOGCL_COUNTS=docs/reliability.json \
		$(BIN)/python -m pytest -n $(WORKERS) tests/reliability --deselect tests/reliability/test_page.py $(ARGS)
	$(BIN)/python docs/reliability_table.py
	-$(BIN)/python -m pip install --quiet --only-binary :all: "$$(grep '^atheris==' constraints.txt)"
	$(BIN)/python -m tests.reliability.guided

docs: $(READY)  ## Write the methods' pages and build the site into docs/_build/html
	$(BIN)/python docs/method_pages.py
	$(BIN)/python docs/inputs_table.py
	$(BIN)/python -m sphinx -W --keep-going -q docs docs/_build/html

tables: $(READY)  ## Write all tables, figures and numbers of README and docs anew from the records
	$(BIN)/python -m reproduction all --no-train --out docs/reproduced
	$(BIN)/python -m reproduction study --no-train --out docs/study
	$(BIN)/python -m reproduction pages

format: $(READY)  ## Rewrite the code in the project's format
	$(BIN)/ruff check --fix $(CHECKED)
	$(BIN)/ruff format $(CHECKED)

bench: $(READY)  ## Measure against peers and limits
	$(BIN)/python -m benchmarks $(ARGS)

bench-scale: $(READY)  ## Measure time and memory on graphs of up to 2,000,000 nodes
	$(BIN)/python -m benchmarks scale arxiv-step arxiv-epoch
	for name in scale arxiv-step; do $(BIN)/python -m reproduction table $$name --insert docs/scaling.md; done

wheel: $(READY)  ## Build the wheel into dist/
	$(BIN)/python -m build --wheel

dist: $(READY)  ## Build the wheel and the source into dist/, and run the wheel in an empty environment
	$(BIN)/python -m build
	$(PYTHON) .ci/first-minute dist

clean:  ## Remove the environment and everything generated
	rm -rf $(VENV) $(AUDIT) build dist docs/_build .mypy_cache .pytest_cache .ruff_cache .hypothesis src/*.egg-info \
		reproduction/build reproduction/*.egg-info
