PYTHON ?= python3
NAME ?= myframework
OUTPUT ?= ../band-adapter-$(NAME)

BIN := .venv/bin
READY := .venv/ready

.PHONY: adapter test check golden template docs bench clean

# The main job: a new adapter package, checked.
adapter: $(READY)
	$(BIN)/band-new-adapter $(NAME) --defaults --output $(OUTPUT)

test: $(READY)
	$(BIN)/python -m pytest -n 2

check: $(READY)
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/pyrefly check

# The golden packages, as the template makes them today.
golden: $(READY)
	$(BIN)/python -m tests.test_golden

# The bundle, with the working tree as the version of today.
template: $(READY)
	$(BIN)/python -m band_new_adapter.bundle

# What is generated: the reference pages, and the passages that repeat the catalogue.
docs: $(READY)
	$(BIN)/python -m docs.generate

bench: $(READY)
	$(BIN)/python -m benchmarks.cli
	$(BIN)/python -m benchmarks.turn

clean:
	rm -rf .venv

# pip would say of each requirement which of its versions an older Python cannot have.
OLD := "Python %d.%d is too old: add PYTHON=python3.11, or a newer one" % sys.version_info[:2]

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit($(OLD))'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $(READY)
