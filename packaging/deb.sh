#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: deb.sh [OUT]     OUT: a folder, build/deb if not given
# The packages for Debian, made of the commit that is checked out, and what lintian says of them.
set -eu
cd "$(dirname "$0")/.."
mkdir -p "${1:-build/deb}"
out=$(cd "${1:-build/deb}" && pwd)
for tool in dpkg-buildpackage dh; do
    command -v "$tool" >/dev/null || {
        echo "no $tool: apt install dpkg-dev debhelper dh-python, and what debian/control asks for"
        exit 1
    }
done
rm -rf "$out"/stele-* "$out"/*.deb "$out"/*.buildinfo "$out"/*.changes
packaging/dist.sh "$out"
archive=$(echo "$out"/stele-*.tar.gz)
version=$(basename "$archive" .tar.gz)
version=${version#stele-}
mv "$archive" "$out/stele_$version.orig.tar.gz"
tar -C "$out" -xzf "$out/stele_$version.orig.tar.gz"
(cd "$out/stele-$version" && dpkg-buildpackage --no-sign --build=binary) >"$out/build.log" 2>&1 || {
    tail -n 60 "$out/build.log"
    exit 1
}
ls -l "$out"/*.deb
if command -v lintian >/dev/null; then
    # No package of Debian asks for these, so there is no report that they could close.
    lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs "$out"/*.changes
else
    echo "SKIP: no lintian (package lintian): the packages are not checked"
fi
