# SPDX-License-Identifier: Apache-2.0
# Short names for common tasks. Meson builds; each target first installs missing Debian packages, as
# root or with sudo. NO_DEPS=1 skips that.

BUILD  = build
PREFIX = /usr/local
LIBDIR = lib
DESTDIR =
STEPS  =
SUITES = bookworm trixie
SECONDS =

.DEFAULT_GOAL = all
.PHONY: all demo check test test-fresh test-long test-vm soak fuzz-long validate bench bench-model install format lint clean help

all: ## build the program, the library, the page and the manual pages
	@scripts/install-deps build web
	@[ -f $(BUILD)/build.ninja ] || meson setup $(BUILD) -Dtests=false
	@ninja -C $(BUILD)

demo: ## build, and show the main job on what comes with Plumb
	@scripts/demo

test: ## build and run every test and check there is; STEPS="gcc lint" for some
	@scripts/test $(STEPS)

test-long: ## what takes hours: long fuzzing, studies, benchmarks; before a release
	@scripts/test --long

test-fresh: ## both commands of the README in fresh Debians 12 and 13 (SUITES), as root; takes hours
	@scripts/test --check $(STEPS)
	@[ -n "$(strip $(SUITES))" ] || { echo "test-fresh: SUITES names no suite" >&2; exit 2; }
	@status=0; trap 'status=130' INT; for suite in $(SUITES); do \
		scripts/fresh $$suite bash -c 'time make demo && time make test STEPS="$$0"' \
			"$(STEPS)" || status=$$?; \
		[ $$status -le 128 ] || break; \
	done; exit $$status

test-vm: ## count on a virtual Arm machine's PMU, under a real kernel
	@scripts/test vm

soak: ## record a program of many threads and processes for 10 minutes; SECONDS=60 for one
	@for set in build test model; do scripts/install-deps $$set; done
	@[ -f $(BUILD)/build.ninja ] || meson setup $(BUILD)
	@meson configure $(BUILD) -Dtests=true
	@ninja -C $(BUILD) all test/running/running-churn
	@/usr/bin/python3 test/running/soak.py $(BUILD)/cli/plumb $(BUILD)/test/running/running-churn \
		$(SECONDS)

fuzz-long: ## try new inputs in each fuzz harness for an hour; SECONDS=60 for a minute
	@scripts/install-deps clang
	@PLUMB_FUZZ_SECONDS=$(or $(SECONDS),3600) PLUMB_FUZZ_SEED=0 scripts/steps/fuzz

check: ## quick: the unit tests of the normal build alone
	@scripts/install-deps build test
	@[ -f $(BUILD)/build.ninja ] || meson setup $(BUILD)
	@meson configure $(BUILD) -Dtests=true
	@meson test -C $(BUILD) --suite unit

validate: ## compare the model with published figures of cores, and write doc/validation.md
	@scripts/bench validate

bench: ## measure, side by side with the peers
	@scripts/bench

bench-model: ## judge the core model by llvm-mca, loop by loop
	@scripts/bench model

install: all ## install to PREFIX (/usr/local), LIBDIR (lib) in it, below DESTDIR if given
	@meson configure "$(BUILD)" -Dprefix="$$(realpath -ms -- "$(PREFIX)")" -Dlibdir="$(LIBDIR)"
	@PLUMB_INSTALL_NOTES=1 meson install -C "$(BUILD)" \
		$(if $(DESTDIR),--destdir "$$(realpath -ms -- "$(DESTDIR)")") 3>&1
	@[ -n "$(DESTDIR)" ] || [ "$$(id -u)" -ne 0 ] || ldconfig

format: ## bring every C file into the project's format
	@scripts/install-deps lint
	@command -v clang-format-14 >/dev/null || { echo "make format: the layout is that of" \
		"clang-format-14, which Debian 12 has; later versions differ" >&2; exit 1; }
	@. scripts/lib.sh && sources '*.c' '*.h' | xargs clang-format-14 -i

lint: ## clang-format, clang-tidy, cppcheck, shellcheck and the like
	@scripts/test lint

clean: ## remove everything that was built
	@rm -rf build build-*/

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /  make \1\t/p' Makefile | expand -t 18
