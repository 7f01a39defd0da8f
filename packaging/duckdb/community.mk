# The targets that the build of DuckDB's community extensions calls: configure, debug, release, test. Makefile includes it.
#
# That build puts duckdb/extension-ci-tools into the folder extension-ci-tools; its base.Makefile adds the metadata and runs the tests.
# Its rules for Rust build the package in the root of a repository, and this one is in duckdb/.

.PHONY: all configure debug release test test_debug test_release clean clean_all

EXTENSION_NAME=slider_attacks
# The extension uses the stable interface for C. Version 1.2.0 of it is in all later versions of DuckDB.
TARGET_DUCKDB_VERSION=v1.2.0

all: configure release

include extension-ci-tools/makefiles/c_api_extensions/base.Makefile

TEST_RUNNER_BASE=$(TEST_RUNNER) --test-dir packaging/duckdb/test/sql $(EXTRA_EXTENSIONS_PARAM)

# The target of Rust, where it is not that of the machine.
ifeq ($(OSX_BUILD_ARCH),x86_64)
  RUST_TARGET=x86_64-apple-darwin
else ifeq ($(OSX_BUILD_ARCH),arm64)
  RUST_TARGET=aarch64-apple-darwin
endif
RUST_OPTIONS=--package slider-attacks-duckdb --lib --locked $(if $(RUST_TARGET),--target $(RUST_TARGET))
RUST_FOLDER=target/$(if $(RUST_TARGET),$(RUST_TARGET)/)
ifeq ($(OS),Windows_NT)
  RUST_LIBRARY=slider_attacks_duckdb.dll
else
  RUST_LIBRARY=$(subst $(EXTENSION_NAME),slider_attacks_duckdb,$(EXTENSION_LIB_FILENAME))
endif

build_extension_library_debug: check_configure
	cargo build $(RUST_OPTIONS)
	mkdir -p $(EXTENSION_BUILD_PATH)/debug/extension/$(EXTENSION_NAME)
	cp $(RUST_FOLDER)debug/$(RUST_LIBRARY) $(EXTENSION_BUILD_PATH)/debug/$(EXTENSION_LIB_FILENAME)

# DuckDB needs only the entry point. The other symbols are two thirds of the file.
build_extension_library_release: check_configure
	cargo rustc --release $(RUST_OPTIONS) -- -C strip=symbols
	mkdir -p $(EXTENSION_BUILD_PATH)/release/extension/$(EXTENSION_NAME)
	cp $(RUST_FOLDER)release/$(RUST_LIBRARY) $(EXTENSION_BUILD_PATH)/release/$(EXTENSION_LIB_FILENAME)

configure: venv platform extension_version

debug: build_extension_library_debug build_extension_with_metadata_debug
release: build_extension_library_release build_extension_with_metadata_release

test: test_release
test_debug: test_extension_debug
test_release: test_extension_release

clean: clean_build
	cargo clean --package slider-attacks-duckdb
clean_all: clean clean_configure
