#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: build.sh COMPILER [CMAKE-OPTION...]     environment: CMAKE, GENERATOR, BUILD, SOURCE
# Stele builds in another configuration, without a warning, and its command runs.
set -eu
compiler=$1
shift
if [ -z "$compiler" ] || [ "${compiler%NOTFOUND}" != "$compiler" ]; then
    echo "SKIP: no clang (package clang): not built with it"
    exit 77
fi

"$CMAKE" -S "$SOURCE" -B "$BUILD" -G "$GENERATOR" -DCMAKE_C_COMPILER="$compiler" \
    -DCMAKE_BUILD_TYPE=Debug -DSTELE_WERROR=ON -DBUILD_TESTING=OFF "$@"
"$CMAKE" --build "$BUILD" --parallel 2
[ ! -x "$BUILD/stele" ] || "$BUILD/stele" formats
