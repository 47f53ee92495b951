# Two commands matter: `make demo` and `make test`. Both need only Python 3.11 or later, pip and make.

PY := .venv/bin/python
STAMP := .venv/.installed
TORCH_CPU := https://download.pytorch.org/whl/cpu/torch/
# The packages of the checkout: every top-level folder with an __init__.py.
ROOMS := $(filter-out servogym,$(patsubst %/__init__.py,%,$(wildcard */__init__.py)))

.PHONY: help install demo walk test lint format types bench clean

help:
	@echo "make demo    in about five minutes: train a policy, export, verify, judge and film it"
	@echo "make walk    the same in full: as many steps as train.py makes unless told otherwise"
	@echo "make test    lint, check types, run the tests"
	@echo "make lint    ruff alone;   make types   pyright alone;   make format   let ruff tidy the code"
	@echo "make bench   measure environment steps per second on this machine"
	@echo "make install only .venv, which the others make too"
	@echo "make clean   remove the environment and caches (your runs stay)"

# A first run builds .venv; afterwards it is rebuilt only when one of these three files changes. Last it
# puts the package, and nothing else, on the path: an editable install is an import hook, and that comes
# too late for a script beside a clone called servogym, where Python takes the clone for the package.
$(STAMP): pyproject.toml setup.py constraints.txt
	@found=""; \
	for candidate in $(PYTHON) python3 python3.13 python3.12 python3.11 python; do \
	  if $$candidate -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; \
	  then found=$$candidate; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
	  echo "servogym needs Python 3.11 or later; found: $$(python3 --version 2>&1 || echo none)."; \
	  echo "Install one and say where it is: make PYTHON=/path/to/python3.12"; exit 1; \
	fi; \
	echo "installing into .venv with $$($$found --version), a few minutes the first time ..."; \
	if [ ! -x $(PY) ] || ! $(PY) -m pip --version >/dev/null 2>&1; then \
	  $$found -m venv --clear .venv >/dev/null 2>&1 \
	  || { $$found -m venv --clear --without-pip .venv && $$found -m pip --python $(PY) install -q pip; }; \
	fi
	@$(PY) -m pip install -q --disable-pip-version-check -c constraints.txt setuptools wheel
	@echo "  PyTorch (CPU) ..."
	@$(PY) -c 'import urllib.request as u; u.urlopen("$(TORCH_CPU)", timeout=10)' 2>/dev/null \
	  && links="--find-links $(TORCH_CPU)" || links=""; \
	$(PY) -m pip install -q --disable-pip-version-check -c constraints.txt $$links torch
	@echo "  everything else ..."
	@$(PY) -m pip install -q --disable-pip-version-check -c constraints.txt \
	  --no-build-isolation -e '.[video,viewer,dev]'
	@mkdir -p .venv/front && ln -sfn ../../servogym .venv/front/servogym
	@echo "$(CURDIR)/.venv/front" > \
	  "$$($(PY) -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/servogym.pth"
	@touch $@

install: $(STAMP)
	@echo "installed into .venv; now: . .venv/bin/activate"

demo: $(STAMP)
	@$(PY) -m servogym.learning.demo

walk: $(STAMP)
	@$(PY) -m servogym.learning.walk

test: lint types
	@OMP_NUM_THREADS=1 $(PY) -m pytest -q -n 2 --dist loadgroup

lint: $(STAMP)
	@$(PY) -m ruff check -q . || { echo "ruff: see above"; exit 1; }
	@$(PY) -m ruff format -q --check . || { echo "run: make format"; exit 1; }
	@echo "ruff: clean"

format: $(STAMP)
	@$(PY) -m ruff check -q --fix-only .
	@$(PY) -m ruff format -q .

# Type checkers cannot follow an editable install's import hook, so they get a fresh copy in which
# every room lies inside servogym, as it does in a wheel: build/typed/servogym/envs is envs.
types: $(STAMP)
	@rm -rf build/typed && mkdir -p build/typed && cp -R servogym build/typed/
	@cp -R $(ROOMS) $(wildcard *.py) build/typed/servogym/
	@$(PY) -m pyright --project pyproject.toml --pythonpath $(PY) || { echo "pyright: see above"; exit 1; }

bench: $(STAMP)
	@$(PY) -m benchmarks

clean:
	rm -rf .venv build dist *.egg-info .pytest_cache .ruff_cache .hypothesis
