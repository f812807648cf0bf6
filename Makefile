# make run opens the app, make test runs the tests, make check the linters, make bench measures, make docs builds the
# documentation; each installs first what it needs.
# make test-long runs the tests that take minutes, or repeat a test with many values: the same each time, and with
# EXAMPLES=new values that were never tried.
# make translations brings the catalogues in player/locale up to date with the code; NEW=nl begins another one.
# make release makes and checks what is published, in build/release; make licences the page docs/licences.md.
# make whisper installs Earmark with speech recognition and a model in build/whisper (0.5 GB), for make test-long.
EXAMPLES = many
.PHONY: run test test-long translations whisper check bench docs screenshot licences release clean

run:
	@scripts/prepare run
	@exec .venv/bin/earmark

test:
	@scripts/prepare test
	@PYTHONDONTWRITEBYTECODE= .venv/bin/pytest --numprocesses 3 --dist worksteal

test-long: whisper
	@scripts/prepare test
	@EARMARK_EXAMPLES=$(EXAMPLES) PYTHONDONTWRITEBYTECODE= .venv/bin/pytest --numprocesses 3 --dist worksteal -m 'long or hypothesis'

whisper:
	@scripts/prepare whisper

translations:
	@scripts/prepare test
	@.venv/bin/python -m tests.translating $(NEW)

bench:
	@scripts/prepare test
	@.venv/bin/python -m tests.bench

check:
	@scripts/prepare check
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/lint-imports

docs:
	@scripts/prepare docs
	.venv/bin/sphinx-build -n -W --keep-going -q -b html docs docs/_site
	@echo "docs/_site/index.html"

screenshot:
	@scripts/prepare test
	.venv/bin/python scripts/screenshot.py

licences:
	@scripts/prepare licences
	@build/licences/bin/python scripts/make_licences.py

release:
	@scripts/prepare release
	@.venv/bin/python scripts/release.py

clean:
	rm -rf .venv build docs/_site docs/generated *.egg-info
