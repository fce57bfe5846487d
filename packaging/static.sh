#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: static.sh [OUT]     OUT: a folder, build/static if not given
# The command as one static file for any Linux of this architecture, made with musl. Debian has no
# libraries for musl, so zlib and zstd are compiled from its source packages. A static program loads
# no libraries: `stele query` and disassembly are not in it, and the command says so.
set -eu
cd "$(dirname "$0")/.."
mkdir -p "${1:-build/static}"
out=$(cd "${1:-build/static}" && pwd)
jobs=$(getconf _NPROCESSORS_ONLN)
command -v musl-gcc >/dev/null || {
    echo "no musl-gcc: apt install musl-tools"
    exit 1
}

# The source packages, by lists of their own: what apt is set up to use here stays as it is.
fetch_sources() {
    mkdir -p lists/partial sources.d
    printf '%s\n' 'Types: deb-src' 'URIs: http://deb.debian.org/debian' 'Suites: bookworm' \
        'Components: main' 'Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg' \
        >sources.d/source.sources
    set -- -qq -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$out/sources.d" \
        -o "Dir::State::Lists=$out/lists" -o APT::Get::List-Cleanup=0 -o APT::Sandbox::User=
    apt-get "$@" update
    apt-get "$@" source --download-only zlib libzstd
}

build_libraries() {
    mkdir -p zlib zstd
    tar -C zlib --strip-components=1 -xf zlib_*.orig.tar.*2
    tar -C zstd --strip-components=1 -xf libzstd_*.orig.tar.xz
    (cd zlib && CC=musl-gcc ./configure --static --prefix="$out/prefix" && make -j "$jobs" install)
    make -C zstd/lib -j "$jobs" CC=musl-gcc PREFIX="$out/prefix" install-static install-includes
}

if [ ! -e "$out/prefix/lib/libzstd.a" ]; then
    (cd "$out" && fetch_sources && build_libraries) >"$out/libraries.log" 2>&1 || {
        tail -n 20 "$out/libraries.log"
        exit 1
    }
fi

cmake -S . -B "$out/build" -DCMAKE_C_COMPILER=musl-gcc -DCMAKE_BUILD_TYPE=Release \
    -DBUILD_TESTING=OFF -DCMAKE_EXE_LINKER_FLAGS=-static \
    -DSTELE_WITH_BZ2=OFF -DSTELE_WITH_CRYPTO=OFF -DSTELE_WITH_ELF=OFF -DSTELE_WITH_HTTP=OFF \
    -DSTELE_WITH_EDIT=OFF \
    -DZLIB_LIBRARY="$out/prefix/lib/libz.a" -DZLIB_INCLUDE_DIR="$out/prefix/include" \
    -DZstd_LIBRARY="$out/prefix/lib/libzstd.a" -DZstd_INCLUDE_DIR="$out/prefix/include" \
    >"$out/build.log" 2>&1 &&
    cmake --build "$out/build" --target stele --parallel "$jobs" >>"$out/build.log" 2>&1 || {
    tail -n 20 "$out/build.log"
    exit 1
}
cp "$out/build/stele" "$out/stele"
strip "$out/stele"

# What it is for: the same events as the ordinary build shows, and no library.
! ldd "$out/stele" >/dev/null 2>&1 || { echo "$out/stele asks for libraries"; exit 1; }
"$out/stele" check src/formats/heph/good/heph_tracing_example.bin.log
ls -l "$out/stele"
