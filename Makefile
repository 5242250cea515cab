# Reeve. `make` alone lists the targets; each installs what it needs and lacks (tools/setup), quickly when nothing is missing.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

TARGET_DIR := $(or $(CARGO_TARGET_DIR),target)
LISTEN ?= 127.0.0.1:8080
ARGS ?=
export FUZZ SECONDS_EACH

# Every recipe starts with this: cargo and a fitting Node on the PATH, and where the tests find their peers.
ENV := . tools/env.sh;

# Leaving these out changes no feature of what is left, so that `make test` goes on with the same build.
NO_BENCH := --exclude reeve-bench --exclude reeve-bench-learn --exclude reeve-bench-scale

WEB_SOURCES := $(shell find web -maxdepth 1 -type f 2>/dev/null) \
	$(shell find web/src web/public web/tools/docs -type f 2>/dev/null | sed 's/ /\\ /g') $(shell find docs -name '*.md' 2>/dev/null)

.NOTPARALLEL:
.PHONY: help run test check build bench bench-learn fuzz fmt openapi setup setup-run setup-test setup-check setup-build setup-bench setup-rust screenshots web no-dashboard clean

help: ## this list
	@echo "Reeve: the targets"
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 20

run: setup-run web ## build and start the demo: a simulated estate that lives (LISTEN=127.0.0.1:8080, ARGS=...)
	@[ -e $(TARGET_DIR)/debug/reeve ] || echo "The first build compiles a query engine and the cloud clients: about 16 minutes on two cores. Later ones take seconds."
	@$(ENV) cargo build --workspace --bins $(NO_BENCH)
	@$(ENV) tools/open-browser $(LISTEN) & $(ENV) exec $(TARGET_DIR)/debug/reeve demo --listen $(LISTEN) $(ARGS)

test: setup-test web ## every test: Rust, web, and the pages in a real Chromium
	@$(ENV) tools/test

check: setup-check web ## the whole gate: formatting, lints, crate borders, drift, licences (ONLY="name name" for a few)
	@$(ENV) python3 tools/check.py $(ONLY)

build: setup-build web ## programs to install: target/dist/reeve and target/dist/reeve-verify
	@$(ENV) cargo build --profile dist --bin reeve --bin reeve-verify
	@if [ "$(TARGET_DIR)" != target ]; then install -D -t target/dist $(TARGET_DIR)/dist/reeve $(TARGET_DIR)/dist/reeve-verify; fi
	@ls -l target/dist/reeve target/dist/reeve-verify

bench: setup-bench web ## the service and PostgreSQL measured side by side (ENTRIES=200000 for minutes, ARGS="append search" for a part)
	@$(ENV) bench/run $(ARGS)

bench-learn: setup-rust ## what is learnt, on open data and on ten thousand resources (ARGS="forecast scale" for a part)
	@$(ENV) bench/learn/run $(ARGS)

fuzz: setup-rust ## every fuzz target for a minute (FUZZ="query wal", SECONDS_EACH=600); fuzz/README.md
	@$(ENV) fuzz/run

fmt: setup-run ## format the Rust code and the dashboard's
	@$(ENV) cargo fmt --all
	@$(ENV) npm --prefix web run --silent format

openapi: setup-run web ## write docs/openapi.json and the types the dashboard derives from it
	@$(ENV) cargo build --workspace --bins
	@$(ENV) $(TARGET_DIR)/debug/reeve openapi > docs/openapi.json.new && mv docs/openapi.json.new docs/openapi.json
	@$(ENV) npm --prefix web run --silent generate

screenshots: setup-test web ## pictures of the dashboard for the documentation
	@$(ENV) cargo build --workspace --bins
	@$(ENV) npm --prefix web run --silent screenshots

setup: setup-run setup-test setup-check ## install everything the targets need, and build nothing
setup-run setup-test setup-check setup-build setup-bench setup-rust:
	@tools/setup $(@:setup-%=%)

# The dashboard, embedded into the program by crates/http. Rebuilt when its sources are newer than the last build.
# The programs contain the files of web/dist: their times are cargo's, and the last build has a file of its own.
web: .build/web-built
.build/web-built: $(WEB_SOURCES) $(if $(wildcard web/dist/index.html),,no-dashboard) | setup-run
	@echo "web: building the dashboard"
	@$(ENV) npm --prefix web run --silent build
	@mkdir -p .build && touch $@
no-dashboard:

clean: ## remove everything that was built (not what was installed on the machine)
	rm -rf target web/dist web/node_modules .venv .build
