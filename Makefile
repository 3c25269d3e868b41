# `make` installs everything into .venv and runs the quick study; `make help` lists the targets.
# Needs git, make and Python 3.11 or newer. The first installation takes about a minute.
#
#   make CORES=4                      use four cores instead of all
#   make PYTHON=/path/to/python3.12   choose the Python that a new .venv is made with

CORES ?= $(shell nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)
PYTHON ?=

.PHONY: quick paper test lint bench install lock clean help

quick: .venv/installed  ## install, then run the quick study (results/quick); the default
	.venv/bin/snakemake --cores $(CORES) --configfile config/quick.yaml

paper: .venv/installed  ## run the paper-scale study (results/paper)
	.venv/bin/snakemake --cores $(CORES)

test: .venv/installed  ## run the tests
	.venv/bin/python -m pytest

lint: .venv/installed  ## check style and format of the Python and Snakemake files
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/snakefmt --check Snakefile workflow
	.venv/bin/snakemake --lint

bench: .venv/installed  ## time the library
	.venv/bin/python tests/benchmarks/bench.py

install: .venv/installed  ## install only

# Installed anew whenever the lock file changes. An interrupted installation leaves no stamp, and the next
# make repairs it.
.venv/installed: requirements.lock
	@PYTHON='$(PYTHON)' sh workflow/install.sh

lock:  ## write requirements.lock anew from pyproject.toml (needs uv)
	@command -v uv >/dev/null || { echo "Error: make lock needs uv, which was not found; install uv and run make lock again." >&2; exit 1; }
	uv pip compile --universal --python-version 3.11 --fork-strategy fewest --generate-hashes \
	  --no-annotate --no-emit-index-url --extra workflow --extra dev pyproject.toml \
	  -o requirements.lock --custom-compile-command "make lock"

clean:  ## remove the results of the quick study
	rm -rf results/quick

help:  ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/\1 \2/p' Makefile | while read -r target text; do printf '%-8s %s\n' "$$target" "$$text"; done
