# SPDX-License-Identifier: Apache-2.0
# A thin door for those who have make; everything is in CMakePresets.json and ./setup.
.PHONY: all dev test demo release asan fuzz coverage format install dist deb static sbom
.DEFAULT_GOAL := all

all: dev

dev release asan fuzz:
	cmake --preset $@
	cmake --build --preset $@

test: dev
	ctest --preset dev

demo:
	./setup demo

coverage:
	cmake --preset coverage
	cmake --build --preset coverage
	ctest --preset coverage -L quick
	gcovr --root . --filter src/ build/coverage

format:
	cmake --preset dev
	cmake --build --preset dev --target format

install: release
	cmake --install build/release

# What is handed out, in build/: the source archive, packages for Debian, one static file, and what
# the release build is made of.
dist deb static:
	packaging/$@.sh

sbom: release
	packaging/sbom.sh build/release >build/stele.spdx.json
