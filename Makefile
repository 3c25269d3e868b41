# `make` installs the study into .venv and runs the quick study; `make help` lists the targets.
# Needs git, make and Python 3.11 or newer. The first installation takes about two minutes.
#
#   make CORES=4                      use four cores instead of all
#   make PYTHON=/path/to/python3.12   choose the Python that a new .venv is made with
#   make audit CONFIG=config/x.yaml   audit the study of that configuration; without CONFIG the quick study
#   make test ARITHMETIC=native       with all instructions of this processor, see docs/reproducibility.md
#   make slurm ACCOUNTING=no          only on a SLURM without accounting

CORES ?= $(shell nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)
PYTHON ?=
CONFIG ?= config/quick.yaml
ARITHMETIC ?= portable
ACCOUNTING ?= both

# SUMMARY=no: the recipes show the summary themselves, below all that Snakemake says, and also when nothing was to be done.
SNAKEMAKE := SUMMARY=no .venv/bin/snakemake

# The setting of the configuration, unless another is asked for.
OPTIONS := $(if $(filter-out portable,$(ARITHMETIC)),--config arithmetic=$(ARITHMETIC))

# Twice as many processes as cores, since a study in a test leaves a core idle a third of the time. Studies first: a long one
# at the end would leave cores idle too.
PYTEST := ARITHMETIC=$(ARITHMETIC) OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 \
  .venv/bin/python -m pytest -n $(shell expr $(CORES) \* 2) --dist loadfile --no-loadscope-reorder --durations=30 \
  tests/workflow tests/campaign tests/regression tests/papers tests/study tests/library

.PHONY: quick paper settle audit test test-all campaign docs docs_links lint bench slurm install install-slurm lock clean help

quick: .venv/installed  ## install, then run the quick study (results/quick); the default
	@$(SNAKEMAKE) --cores $(CORES) --configfile config/quick.yaml $(OPTIONS)
	@echo; cat results/quick/summary.txt

paper: .venv/installed  ## run the paper-scale study (results/paper)
	@$(SNAKEMAKE) --cores $(CORES) $(OPTIONS)
	@echo; cat results/paper/summary.txt

settle: .venv/installed  ## the paper-scale study, with more draws of what claims leave undecided, up to their caps
	PYTHONPATH=src:workflow .venv/bin/python -m replication.claims.stages --cores $(CORES) $(if $(filter-out file,$(origin CONFIG)),--configfile $(CONFIG)) $(OPTIONS)

audit: .venv/installed  ## hash the results again: which are stale, edited by hand or missing
	@$(SNAKEMAKE) audit --configfile $(CONFIG) $(OPTIONS)

test: quick  ## install, run the quick study, then run the tests and a sample of the slow ones
	$(PYTEST)

test-all: quick  ## the same with all slow tests (`make test` runs a sample)
	$(PYTEST) --slow all

campaign: .venv/installed  ## kill, interrupt, damage and mislead the study by the hundred; writes docs/campaign.md (three to four hours)
	.venv/bin/python tests/campaign/campaign.py --cores $(CORES) --write

docs: .venv/docs_installed  ## build the documentation site in build/docs/html; a warning or a dead link is an error
	.venv/bin/sphinx-build -q -W --keep-going -b html -d build/docs/doctrees docs build/docs/html
	.venv/bin/python docs/_ext/internal_links.py build/docs/html

docs_links: .venv/docs_installed  ## look at the links of the site to other sites (over the network)
	DOCS_EXAMPLES=skip .venv/bin/sphinx-build -q -b linkcheck -d build/docs/doctrees_links docs build/docs/links

lint: .venv/installed  ## check style, format and types of the Python and Snakemake files
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/snakefmt --check Snakefile workflow
	.venv/bin/snakemake --lint
	.venv/bin/mypy

bench: .venv/installed  ## benchmark the library against the standard alternatives; writes docs/speed_table.md (an hour)
	.venv/bin/python tests/benchmarks/bench.py --write

slurm: .venv/slurm_installed  ## run a small study on a SLURM set up in a temporary folder, and compare (Debian, 15 minutes)
	.venv/bin/python tests/cluster/slurm.py --accounting $(ACCOUNTING)

install: .venv/installed  ## install only

install-slurm: .venv/slurm_installed  ## install, with Snakemake's plugin for SLURM

# Installed again whenever the lock file or the installation changes. An interrupted installation leaves no stamp, and
# the next make repairs it.
.venv/installed: requirements.lock requirements-install.lock workflow/install.sh
	@PYTHON='$(PYTHON)' sh workflow/install.sh

.venv/docs_installed: .venv/installed requirements-docs.lock
	@echo "Installing the pinned packages of requirements-docs.lock into .venv (half a minute) ..."
	@.venv/bin/python -m pip --disable-pip-version-check install -qq --no-user --require-hashes -r requirements-docs.lock
	@touch $@

.venv/slurm_installed: .venv/installed requirements-slurm.lock
	@echo "Installing Snakemake's plugin for SLURM into .venv ..."
	@.venv/bin/python -m pip --disable-pip-version-check install -qq --no-user --require-hashes -r requirements-slurm.lock
	@touch $@

# Each lock pins what it needs by version and hash; all agree on what they share.
LOCK := .venv/bin/uv pip compile --universal --python-version 3.11 --fork-strategy fewest --generate-hashes \
  --no-annotate --no-emit-index-url --custom-compile-command "make lock"

lock: .venv/installed  ## write the four lock files again, from pyproject.toml
	$(LOCK) pyproject.toml --extra workflow --extra dev -o requirements.lock
	$(LOCK) pyproject.toml --extra docs --constraints requirements.lock -o requirements-docs.lock
	$(LOCK) pyproject.toml --extra slurm --constraints requirements.lock -o requirements-slurm.lock
	echo uv | $(LOCK) - -o requirements-install.lock

clean:  ## remove the results of the quick study
	rm -rf results/quick

help:  ## list the targets
	@sed -n 's/^\([a-z_-]*\):.*## \(.*\)/\1 \2/p' Makefile | while read -r target text; do printf '%-10s %s\n' "$$target" "$$text"; done
