# A thin front for meson and ninja (docs/design/build.md).  Nothing is built here.
.DEFAULT_GOAL := build
.PHONY: build demo check test bench soak fuzz mutants abi format install uninstall dist packages
.PHONY: clean help
.PHONY: setup-build setup-demo setup-test setup-soak
MAKEFLAGS += --no-print-directory

BUILD ?= build
PREFIX ?= /usr/local
# Third-party vectors are not part of this repository; tests that need them skip without.
ifneq ($(wildcard ../shared/vectors/.),)
export HARTSCOPE_VECTORS ?= $(abspath ../shared/vectors)
endif

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile | expand -t 18

build: setup-build ## the library, the tool and the recorder, in build/
	@scripts/configure.sh $(BUILD) --buildtype=release --prefix=$(PREFIX)
	@scripts/build.sh $(BUILD) $(PREFIX)

demo: setup-demo build ## record, encode, decode and list an example program
	@scripts/docs/demo.sh $(BUILD)

check: setup-test build ## unit tests, vectors and a smoke of the commands: 90 s
	@meson test -C $(BUILD) --quiet --print-errorlogs --suite unit --suite smoke

test: ## every test; installs what it needs
	@scripts/test.sh

bench: setup-demo build ## measure, and compare with the last time (HISTORY=FILE)
	@bench/bench.sh $(BUILD) $(HISTORY)

soak: setup-test setup-soak build ## long forms, other builds, fuzzing: an hour of it, in turn (HARTSCOPE_SOAK_MINUTES)
	@scripts/soak/soak.sh

fuzz: setup-build setup-test ## the fuzz targets under libFuzzer and AFL++, a minute each
	@scripts/soak/fuzz.sh

mutants: setup-build setup-test ## 400 seeded edits of the codecs and models: which do the tests not notice?
	@scripts/tests/mutants.py

abi: setup-test ## store the binary interface as it is now, after showing what changed
	@scripts/checks/abi.sh renew

format: ## format the lines that differ from main (clang-format)
	@scripts/checks/format.sh

install: build ## all that users need, below PREFIX (/usr/local); lists what went where
	@DESTDIR=$(abspath $(DESTDIR)) scripts/packaging/install.sh $(BUILD)

uninstall: ## remove what the last install from here put there
	@scripts/packaging/install.sh --remove $(BUILD)

dist: ## a tarball of the last commit, which builds without git
	@scripts/packaging/dist.sh $(BUILD)

packages: ## Debian packages of the last commit, in build/packages (needs debhelper)
	@scripts/packaging/packages.sh $(BUILD)/packages

clean: ## remove every build folder of this Makefile
	rm -rf $(BUILD) build-sanitize build-fuzz build-afl build-coverage

setup-build setup-demo setup-test setup-soak:
	@scripts/setup.sh $(patsubst setup-%,%,$@)
setup-demo setup-test setup-soak: setup-build
