# Proctor. `make` alone lists what can be made; every command runs in .venv, which `make setup` builds.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup installed install reproduce verify sweep crate run platform test lint previews site lab status record logs assignments slides lock clean

# What neither Python's path nor Snakemake can hold in a folder's name.
ifneq (,$(or $(findstring :,$(CURDIR)),$(findstring {,$(CURDIR)),$(findstring },$(CURDIR))))
$(error The checkout lies in "$(CURDIR)": a folder whose name has a colon or a brace in it can't be used; move it)
endif

PYTHON ?= python3
VENV ?= .venv
PINS ?= requirements.txt
PARAMS ?= params/default.yaml
JOBS ?=
P ?=
NOTEBOOK ?=
NAME ?=
LAB_ARGS ?=

# What a caller gives reaches commands as it stands, by the environment: make expands nothing in it, and a shell takes
# it for one quoted word. So a file may be called anything.
GIVEN := PYTHON VENV PINS PARAMS JOBS P NOTEBOOK NAME LAB_ARGS
$(foreach name,$(GIVEN),$(eval override $(name) := $$(value $(name))))
export $(GIVEN)

PY := "$$VENV/bin/python"
# A module of ours, with P split into words, as a shell would, behind what the recipe gives it.
WORDS = $(PY) -c 'import os, shlex, sys; given = os.environ["P"]; \
  sys.excepthook = lambda kind, error, place: print(f"P={given}: {error}; close the quote", file=sys.stderr); \
  os.execv(sys.executable, [sys.executable, "-m", *sys.argv[1:], *shlex.split(given)])'
FETCHED := .cache/fetched/.complete

# Nothing of the caller's own Python may leak in: results must come from the pins and this checkout's library.
unexport PYTHONHOME PYTHONDONTWRITEBYTECODE
export PYTHONPATH := $(CURDIR)/lib
export PYTHONNOUSERSITE := 1
# Runs with other parameters leave their figures in build/figures: show those.
ifneq ($(strip $(PARAMS) $(P)),params/default.yaml)
site status: export PROCTOR_FIGURES ?= $(CURDIR)/build/figures
endif

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
	@echo
	@echo '  make reproduce PARAMS=params/quick.yaml JOBS=4 P="-p seed 7"    another profile, more at once, one value'
	@echo '  make reproduce NOTEBOOK=uq/6_agreement                          one notebook alone'

setup: installed $(FETCHED) ## build .venv from the pins, fetch weights and questions; digests checked: PINS=requirements.lock

reproduce: setup ## run every notebook whose inputs changed; figures land in figures/
	@$(WORDS) proctor.workflow.reproduce --params="$$PARAMS" --jobs="$${JOBS:-3}" $${NOTEBOOK:+--notebook="$$NOTEBOOK"}

verify: setup ## run the notebooks again into build/verify and compare with figures/; one: NOTEBOOK=uq/6_agreement
	@$(WORDS) proctor.workflow.verify --jobs="$${JOBS:-3}" $${NOTEBOOK:+--notebook="$$NOTEBOOK"}

sweep: setup ## notebooks over a grid, one table of claims: P="uq/6_agreement --seed 1 2 -p resamples 500 2000"
	@$(WORDS) proctor.workflow.sweep --jobs="$${JOBS:-3}"

crate: setup ## the last `make reproduce` as an RO-Crate in build/ro-crate, to deposit
	@$(WORDS) proctor.workflow.crate $${NOTEBOOK:+--notebook="$$NOTEBOOK"}

run: setup ## your own data: P="exam mine.jsonl --model openai/o3 --budget 5"; P=--help lists the commands
	@$(WORDS) proctor

platform: setup ## UQ's review desk with a made-up community, on this machine; P="--port 9000", P=--help
	@$(WORDS) proctor platform

test: setup ## the tests
	@$(PY) -m pytest -q -n "$${JOBS:-3}" --dist loadfile --no-loadscope-reorder

lint: setup ## style, types, floors, notebooks without outputs (part of `make test` too)
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy --cache-dir .cache/mypy
	@"$$VENV/bin/lint-imports" --cache-dir .cache/import_linter --no-logo
	@"$$VENV/bin/nbstripout" --keep-id --verify $$(git ls-files 'notebooks/*.ipynb')

previews: setup ## each notebook with its committed results as Markdown, in previews/ (`make reproduce` does it too)
	@$(PY) -m proctor.report.preview

site: setup ## the book: the executed notebooks as a site, in build/site/ (run `make reproduce` before)
	@$(PY) -m proctor.report.site

lab: setup ## JupyterLab on the same environment; NOTEBOOK=uq/6_agreement LAB_ARGS="--port 9999"
	@P="$$LAB_ARGS" $(WORDS) proctor.workflow.lab "$$NOTEBOOK"

status: setup ## which published artifact is regenerated, from what evidence, and does it agree
	@$(PY) -m proctor.report.catalog

record: setup ## ask the embedded model everything again and compare with the recording; 200 of it: P="--sample 200"
	@$(WORDS) proctor.recordings.record

logs: setup ## fetch and import public logs of strong models into .cache/logs; one source: make logs NAME=llmbar
	@$(PY) -m proctor logs $${NAME:+"$$NAME"}

assignments: setup ## the exercises without solutions, to hand out, in build/assignments/ (docs/teaching.md)
	@$(PY) -m proctor.workflow.grade --hand-out

slides: setup ## the lessons of docs/teaching.md as slides that need no network, in build/slides/
	@$(PY) -m proctor.report.slides

lock: installed ## write requirements.lock: the pins with the digests of their files, as your registry lists them (by uv)
	@$(PY) -m pip install --disable-pip-version-check -q --target build/uv uv
	@build/uv/bin/uv pip compile -q --no-deps --generate-hashes --no-header --no-annotate \
	  --python "$$VENV/bin/python" --output-file requirements.lock requirements.txt

clean: ## delete what was built (build/ and caches of tools); .venv, .cache and figures/ stay
	rm -rf build .snakemake .pytest_cache .hypothesis
	find lib tests benchmarks -name __pycache__ -prune -exec rm -rf {} +

installed:
	@[ "$$VENV/.installed" -nt requirements.txt ] && [ "$$VENV/.installed" -nt pyproject.toml ] \
	  || $(MAKE) --no-print-directory install

install:
	@command -v "$$PYTHON" >/dev/null || { \
	  echo "make setup: there is no '$$PYTHON' here."; \
	  echo "  Install Python 3.11 or newer (Debian: apt-get install python3 python3-venv), or name one: make setup PYTHON=..."; \
	  exit 1; }
	@"$$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "make setup: Python 3.11 or newer is needed, '$$PYTHON' is $$("$$PYTHON" -V 2>&1)."; \
	  echo "  Name a newer one: make setup PYTHON=python3.12"; \
	  exit 1; }
	@"$$PYTHON" -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "make setup: '$$PYTHON' cannot make virtual environments. On Debian: apt-get install python3-venv"; \
	  exit 1; }
	@echo "== 1/3 Python environment in $$VENV"
	@$(PY) -c '' 2>/dev/null || "$$PYTHON" -m venv --clear "$$VENV"
	@echo "== 2/3 packages from $$PINS (1 to 5 minutes; full log: $$VENV/pip.log)"
	@$(PY) -m pip install --disable-pip-version-check --no-input --progress-bar off -r "$$PINS" 2>&1 \
	  | tee "$$VENV/pip.log" \
	  | awk -v all="$$(grep -c == requirements.txt)" \
	    '/^(Collecting|Processing) / && ++n % 20 == 0 { print "   " n " of " all " found"; fflush() } \
	     /^Installing collected/ { print "   " n " of " all " found; unpacking them"; fflush() }' \
	  || { echo "make setup: pip failed:"; grep -v '^WARNING: Location' "$$VENV/pip.log" | tail -n 25; exit 1; }
# One line in site-packages puts lib/ on the path of .venv/bin/python, relative so that the checkout may be moved; an
# editable install would need a build backend and would write this machine's absolute path. An environment that
# belongs to another checkout keeps its line.
	@$(PY) -c 'import os, sysconfig; site = os.path.realpath(sysconfig.get_path("purelib")); \
	  line = os.path.join(site, "proctor.pth"); ours = site.startswith(os.path.realpath(".") + os.sep); \
	  (ours or not os.path.exists(line)) and open(line, "w").write(os.path.relpath("lib", site) + "\n")'
	@touch "$$VENV/.installed"

$(FETCHED): lib/proctor/data/fetch.py | installed
	@echo "== 3/3 model weights and question sets into .cache/fetched"
	@$(PY) -m proctor.data.fetch
	@mkdir -p $(@D) && touch $@
