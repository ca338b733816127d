# Most of the time you need only `make run` and `make test`. `make help` lists the other targets.
.DEFAULT_GOAL := help
.PHONY: help install lock run test test-slow test-faults test-all fault-table lint audit format bench board docs clean

# The newest Python that works. Each is run: a version manager's shim fails where its Python isn't active, and Debian's
# Python has no ensurepip without the package python3-venv.
USABLE := import ensurepip, ssl, sqlite3, sys, venv; assert (3, 11) <= sys.version_info[:2] <= (3, 13)
PYTHON ?= $(shell for python in python3.13 python3.12 python3.11 python3; do \
  "$$python" -c '$(USABLE)' 2>/dev/null && { echo "$$python"; break; }; done)
VENV := .venv
PY := $(VENV)/bin/python
SITE := $(VENV)/installed-site
TORCH := $(VENV)/installed-torch
TESTS := $(VENV)/installed-tests
PIP := $(PY) -m pip install --quiet --disable-pip-version-check

# uv installs in seconds. It doesn't read pip's settings, so it is given pip's index; where it cannot be had
# or fails, pip does the same. Packages without a RECORD, which is written last, are left over from an interrupted
# installation, but would count as installed.
INSTALL = for package in $(VENV)/lib/python3*/site-packages/*.dist-info; do \
    [ -e "$$package/RECORD" ] || rm -rf "$$package"; done; \
  UV_SYSTEM_CERTS=1 UV_DEFAULT_INDEX="$${PIP_INDEX_URL:-$$($(PY) -m pip config get global.index-url 2>/dev/null)}" \
    $(VENV)/bin/uv pip install --quiet --python $(PY) $(1) 2>/dev/null || $(PIP) $(1)

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' Makefile

install: $(TORCH)  ## create .venv and install the packages of the site, the script and the client

# Each stamp is a copy of the files that were installed from, so nothing is installed again while they stay the same.
# An existing .venv keeps its Python. The site's pages need nothing but what is installed here.
$(SITE): requirements.txt pyproject.toml
	@$(PY) -c '$(USABLE); import pip' 2>/dev/null || { \
	  "$(PYTHON)" -c '$(USABLE)' 2>/dev/null && "$(PYTHON)" -m venv --clear $(VENV); } || { \
	  echo "Python 3.11, 3.12 or 3.13 is needed, with its module venv (Debian: apt install python3-venv)."; \
	  echo "Found: $(or $(PYTHON),none). To choose another: make PYTHON=/path/to/python3.12"; exit 1; }
	@if cat $^ | cmp -s - $@; then touch $@; else \
	  echo "Installing $$(grep -c '==' requirements.txt) locked packages into $(VENV) (about 200 MB)" && \
	  { $(PIP) --require-hashes -r .ci/uv.txt 2>/dev/null || true; } && \
	  { $(call INSTALL,--require-hashes -r requirements.txt); } && \
	  { $(call INSTALL,--no-deps --no-build-isolation --editable .); } && cat $^ > $@; fi

# Torch's builds differ: with CUDA's libraries or without. The package index's are checked by hash. Builds with a name of
# their own, such as 2.13.0+cpu, come from an index or folder that somebody has named, and are preferred.
$(TORCH): requirements-extras.txt torch.txt torch-locked.txt | $(SITE)
	@if cat $^ | cmp -s - $@; then touch $@; else \
	  echo "Installing what torch, files of R and buckets need (about 50 MB)" && \
	  { $(call INSTALL,--require-hashes -r requirements-extras.txt); } && \
	  if [ -n "$(TORCH_INDEX)" ] && [ ! -e /dev/nvidiactl ]; then \
	    echo "Installing torch for CPUs (about 200 MB)" && $(PIP) --index-url "$(TORCH_INDEX)" -r torch.txt; \
	  else \
	    echo "Installing torch (200 MB, or gigabytes if the package index has only the build for NVIDIA devices;" && \
	    echo "TORCH_INDEX=<index with CPU builds> make install avoids that)" && \
	    { $(PY) -m pip index versions torch 2>/dev/null | grep -qF "$$(sed 's/.*==//' torch.txt)+" || \
	      $(PIP) --no-deps --require-hashes -r torch-locked.txt; } && $(PIP) -r torch.txt; \
	  fi && cat $^ > $@; fi

$(TESTS): requirements-dev.txt | $(TORCH)
	@if cmp -s requirements-dev.txt $@; then touch $@; else \
	  echo "Installing the packages of tests and checks (about 160 MB)" && \
	  { $(call INSTALL,--require-hashes -r requirements-dev.txt); } && cp requirements-dev.txt $@; fi

lock: $(TESTS)  ## write the lock files, with hashes, from .ci/*.in
	.ci/lock

run: $(SITE)  ## start the site and a worker on http://127.0.0.1:8000 (HOST, PORT); the rest is installed while it serves
	@if $(MAKE) --question install; then exec $(PY) manage.py up; \
	else exec $(PY) manage.py up --install "$(MAKE) --no-print-directory install"; fi

# Two processes share the files, in the order of conftest.py, with one core and one thread each, as small matrices gain
# nothing from a second thread. test-all runs without these options.
SHARED := OMP_NUM_THREADS=1 $(PY) -m pytest -n 2 --dist loadfile --no-loadscope-reorder

# Tests start hundreds of processes, which need the compiled modules of earlier ones.
test test-slow test-faults test-all fault-table: export PYTHONDONTWRITEBYTECODE :=

test: $(TESTS)  ## run the tests: no network and no GPU, under ten minutes on two cores
	$(SHARED) -m "not slow and not fault" $(PYTEST_OPTIONS)

# pytest's exit status 5 means that no test was collected.
test-slow: $(TESTS)  ## run the slow tests, without faults and exhaustive ones: pages in a browser, real data, the documentation
	$(SHARED) -m "slow and not fault and not exhaustive" || { status=$$?; [ "$$status" = 5 ] || exit "$$status"; }

test-faults: $(TESTS)  ## run some of the fault tests, which break real processes: minutes
	$(SHARED) tests/faults -m "not slow"

test-all: $(TESTS)  ## run every test, with all pages in a browser, slow tests, all faults and hostile files, and a short load test
	$(PY) -m pytest
	$(PY) -m research.performance.load --smoke

fault-table: $(TESTS)  ## run all faults and write the table of docs/reliability.md
	$(PY) -m pytest tests/faults --fault-table docs/reliability.md

lint: $(TESTS)  ## ruff, mypy --strict, missing migrations
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy --strict tasks benchmark extensions workers vecboard research plots
	$(VENV)/bin/bandit --quiet --configfile pyproject.toml --recursive benchmark extensions tasks workers plots
	$(PY) manage.py makemigrations --check --dry-run

audit: $(TESTS)  ## check the locked packages for known vulnerabilities (reports if there is no network)
	$(PY) .ci/audit

format: $(TESTS)  ## fix and format the code with ruff
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

bench: $(TESTS)  ## print the speed and memory tables of research/performance/ (see --only in the script's help)
	$(PY) -m research.performance.bench

board: install  ## train, submit and follow the entries of the board (hours; after Ctrl-C the same command resumes)
	@exec $(PY) -m research.board make $(BOARD)

docs: $(TESTS)  ## build the documentation into site/, offline; a warning is an error
	NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict

clean:  ## remove caches; keep the data in var/
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis staticfiles site build
