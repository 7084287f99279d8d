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

$(READY): pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $(READY)
