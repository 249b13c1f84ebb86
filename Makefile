# The short way to everything; CMake does the work.
MODEL ?= models/four_bar.yaml
PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
CLANG_FORMAT ?= clang-format-14
SECONDS ?= 60
MAKEFLAGS += --no-print-directory

.PHONY: all build run test check-long fuzz bench bench-peers bench-trees gallery papers format install clean packages

all: build

build:
	@scripts/setup --check build
	@cmake --preset release $(CMAKE_FLAGS) --log-level=WARNING >/dev/null
	@cmake --build build --parallel $(JOBS)

# installs what is missing
packages:
	@scripts/setup build

run: packages
	@$(MAKE) build
	build/trammel run $(MODEL) $(ARGS)

test:
	@scripts/setup build test
	@$(MAKE) build
	@cmake --build build --target tests --parallel $(JOBS)
	@cmake --preset asan --log-level=WARNING >/dev/null
	@cmake --build --preset asan --parallel $(JOBS)
	ctest --preset release --parallel $(JOBS)
	ctest --preset asan --parallel $(JOBS)

check-long:
	@scripts/setup build test
	@$(MAKE) build
	@cmake --build build --target tests --parallel $(JOBS)
	ctest --preset long --parallel $(JOBS)

# every harness for so many seconds; what it finds is left in build/fuzz/found
fuzz:
	@scripts/setup build fuzz
	@scripts/fuzz $(SECONDS)

# threads of the matrix library would wait for work in a loop and be counted
bench: export OPENBLAS_NUM_THREADS = 1
bench: build
	@cmake --build build --target bench_four_bar_limit bench_energy bench_recording bench_scaling bench_stiff >/dev/null
	build/trammel bench $(ARGS)
	build/bench/four_bar_limit models/four_bar.yaml
	-build/bench/recording models/four_bar.yaml models/slider_crank.yaml models/n_four_bar.yaml models/triple_pendulum.yaml models/bricard.yaml
	build/bench/energy models/four_bar.yaml models/slider_crank_braun.yaml models/n_four_bar.yaml models/bricard.yaml models/triple_pendulum.yaml
	build/bench/scaling
	-build/bench/stiff models/flyball_governor.yaml models/reference/flyball_governor.csv

# docs/gallery.html, the README's picture, and docs/gallery/ with all reports
gallery: packages
	@$(MAKE) build
	scripts/gallery build/trammel

# docs/papers: numbers and figures by fresh runs
papers: packages
	@$(MAKE) build
	scripts/papers build/trammel

# other engines on the same mechanisms: installed into build/peers, left out where that fails
bench-peers: build
	@scripts/setup peers || true
	@bench/peers/install build/peers
	cd build/peers && TRM_SIMBODY=$(CURDIR)/build/peers/simbody python/bin/python ../../bench/peers/compare.py ../trammel $(ARGS)

# robots and chains in space, ours built for this processor
bench-trees: packages
	@scripts/setup peers || true
	@bench/peers/install build/peers
	@cmake -S . -B build/peers/native -DCMAKE_BUILD_TYPE=Release -DTRM_PAGE=OFF -DTRM_NATIVE=ON >/dev/null
	@cmake --build build/peers/native --target trammel_program bench_tree --parallel $(JOBS)
	build/peers/python/bin/python -W ignore bench/peers/trees.py build/peers/native/bench/tree build/peers build/peers/native/trammel $(ARGS)
	build/peers/python/bin/python -W ignore bench/peers/motions.py build/peers/native/trammel build/peers $(ARGS)

format:
	@scripts/setup format
	find include src cli tests examples bench -name '*.[ch]' -exec $(CLANG_FORMAT) -i {} +

install: build
	cmake --install build --prefix $(PREFIX)

clean:
	rm -rf build
