# What one does with Perch, in one word each. CMake does the work; `make help` lists the targets.
JOBS   ?= $(shell nproc 2>/dev/null || echo 2)
PRESET ?= release
ROOT   ?= site
# Empty: perchd's own default, http://localhost:8080 and https://localhost:8443.
LISTEN ?=
PREFIX ?= /usr/local

# Configures build/$(PRESET) unless it is; ninja itself notices later changes.
configure = test -f build/$(PRESET)/build.ninja || cmake --preset $(PRESET)
build = cmake --build build/$(PRESET) -j $(JOBS)

.DEFAULT_GOAL := help
.PHONY: help run build test bench format check install package clean deps bench-peers

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile
	@echo "Variables: JOBS=$(JOBS) PRESET=release|gcc|asan|tsan ROOT=$(ROOT) LISTEN=$(LISTEN) PREFIX=$(PREFIX)"

run:  ## build perchd and serve ROOT at http://localhost:8080 and https://localhost:8443, or at LISTEN
	@tools/deps.sh build
	@$(configure)
	@$(build) --target perchd
	@exec build/$(PRESET)/bin/perchd --root '$(ROOT)' $(foreach url,$(LISTEN),--listen '$(url)')

build:  ## programs in build/release/bin/, benchmark programs in build/release/bench/
	@tools/deps.sh build test
	@cmake --preset $(PRESET)
	@$(build) --target perch programs benches

test:  ## build and run every test
	@tools/deps.sh build test
	@cmake --preset $(PRESET) -DPERCH_TESTS=ON
	@$(build)
	@tools/test.sh $(PRESET)

bench:  ## build and run the micro-benchmarks
	@tools/deps.sh build test
	@cmake --preset release
	@cmake --build build/release -j $(JOBS) --target benches
	@tools/bench.sh $(BENCH_ARGS)

format:  ## format the sources
	@tools/format.sh

check:  ## format, layers, headers, coroutines
	@tools/deps.sh build test ci
	@tools/format.sh --check
	@tools/check_layers.sh && tools/check_coroutines.py
	@tools/check_headers.sh $(PRESET)

install:  ## programs, library and headers into PREFIX (honours DESTDIR)
	@tools/deps.sh build
	@$(configure)
	@$(build) --target perch programs
	@cmake --install build/$(PRESET) --prefix '$(PREFIX)'

package:  ## build/$(PRESET)/package/*.deb: the programs, the service, the manual pages
	@tools/deps.sh build package
	@$(configure)
	@$(build) --target programs man_pages
	@cd build/$(PRESET) && cpack -G DEB -B package
	@ls build/$(PRESET)/package/*.deb

deps:  ## install every package that building, testing and checking need
	@tools/deps.sh build test ci

bench-peers:  ## install nginx, h2o, haproxy and lighttpd, without starting them
	@tools/deps.sh peers

clean:  ## remove build/
	@rm -rf build
