#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: dist.sh [OUT]     OUT: a folder, build/dist if not given
# The source archive of the commit that is checked out. The same commit gives the same bytes: times
# are those of the commit, and the packer is told to keep neither names nor times.
set -eu
cd "$(dirname "$0")/.."
out=${1:-build/dist}
version=$(sed -n 's/^project(stele VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
mkdir -p "$out"
archive=$out/stele-$version.tar.gz
git archive --format=tar --prefix="stele-$version/" HEAD | gzip -9n >"$archive.new"
mv "$archive.new" "$archive"
sha256sum "$archive"
