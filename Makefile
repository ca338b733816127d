# Most of the time you need only `make run` and `make test`. `make help` lists the other targets.
.DEFAULT_GOAL := help
.PHONY: help install lock run test test-slow test-faults test-all fault-table lint audit format bench board docs clean

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
PY := $(VENV)/bin/python
LOCK := requirements.txt requirements-dev.txt
STAMP := $(VENV)/lock.txt

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' Makefile

install: $(STAMP)  ## create .venv and install the locked packages, nothing else

# The stamp is a copy of the lock files that were installed, so nothing is installed again while they stay the same. Torch
# goes first: later packages then find it installed and leave it alone.
$(STAMP): $(LOCK)
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || \
	  { echo "Python 3.11 is needed; '$(PYTHON)' is a different version. Choose one: make PYTHON=/path/to/python3.11"; exit 1; }
	@test -x $(PY) && $(PY) -m pip --version >/dev/null 2>&1 || "$(PYTHON)" -m venv --clear $(VENV)
	@if cat $(LOCK) | cmp -s - $(STAMP); then touch $(STAMP); else \
	  echo "Installing the locked packages into $(VENV) (this takes some minutes the first time)."; \
	  $(PY) -m pip install --disable-pip-version-check -c requirements.txt "$$(grep '^torch==' requirements.txt)" && \
	  $(PY) -m pip install --disable-pip-version-check -r requirements-dev.txt && \
	  cat $(LOCK) > $(STAMP); fi

lock:  ## write the lock files from the packages installed in .venv
	$(PY) .ci/lock

run: install  ## start the site and a worker on http://127.0.0.1:8000 (HOST, PORT)
	@exec $(PY) manage.py up

# Two processes share the files, in the order of tests/conftest.py. They have a core each: a second thread for small
# matrices would take the other one's, mostly to wait on it. Without these options, as in test-all, threads are as usual.
SHARED := OMP_NUM_THREADS=1 $(PY) -m pytest -n 2 --dist loadfile --no-loadscope-reorder

test: install  ## run the tests: no network and no GPU, under ten minutes on two cores
	$(SHARED) -m "not slow and not fault"

# pytest's exit status 5 means that no test was collected.
test-slow: install  ## run the slow tests, without those of faults: pages in a browser, real data, the documentation
	$(SHARED) -m "slow and not fault" || { status=$$?; [ "$$status" = 5 ] || exit "$$status"; }

test-faults: install  ## run some of the fault tests, which break real processes: minutes
	$(PY) -m pytest tests/faults -m "not slow"

test-all: install  ## run every test, with all pages in a browser, slow tests, all faults and hostile files, and a short load test
	$(PY) -m pytest
	$(PY) -m research.performance.load --smoke

fault-table: install  ## run all faults and write the table of docs/reliability.md
	$(PY) -m pytest tests/faults --fault-table docs/reliability.md

lint: install  ## ruff, mypy --strict, missing migrations
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy --strict tasks benchmark workers vecboard research plots
	$(VENV)/bin/bandit --quiet --configfile pyproject.toml --recursive benchmark tasks workers plots
	$(PY) manage.py makemigrations --check --dry-run

audit: install  ## check the locked packages for known vulnerabilities (reports if there is no network)
	$(PY) .ci/audit

format: install  ## fix and format the code with ruff
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

bench: install  ## print the speed and memory tables of research/performance/ (an hour; see --only in the script's help)
	$(PY) -m research.performance.bench

board: install  ## train, submit and follow the entries of the board (hours; after Ctrl-C the same command resumes)
	@exec $(PY) -m research.board make $(BOARD)

docs: install  ## build the documentation into site/, offline; a warning is an error
	NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict

clean:  ## remove caches; keep the data in var/
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis staticfiles site build
