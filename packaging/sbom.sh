#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: sbom.sh BUILD
# What the build in BUILD is made of, as SPDX 2.3 in JSON on standard output: Stele and the libraries
# that it is linked with, with their versions as pkg-config knows them. The same commit and libraries
# give the same text: the time is that of the commit, or of SOURCE_DATE_EPOCH.
set -eu
build=$1
cd "$(dirname "$0")/.."
version=$(sed -n 's/^project(stele VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
commit=$(git rev-parse HEAD 2>/dev/null || echo unknown)
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
created=$(date -u -d "@$epoch" +%Y-%m-%dT%H:%M:%SZ)

# library NAME PKG-CONFIG-NAME LICENCE
packages='' relations=''
library() {
    found=$(pkg-config --modversion "$2" 2>/dev/null) || found=NOASSERTION
    packages="$packages,
    {
      \"SPDXID\": \"SPDXRef-$1\", \"name\": \"$1\", \"versionInfo\": \"$found\",
      \"downloadLocation\": \"NOASSERTION\", \"filesAnalyzed\": false,
      \"licenseConcluded\": \"$3\", \"licenseDeclared\": \"$3\", \"copyrightText\": \"NOASSERTION\"
    }"
    relations="$relations,
    {
      \"spdxElementId\": \"SPDXRef-stele\", \"relationshipType\": \"DEPENDS_ON\",
      \"relatedSpdxElement\": \"SPDXRef-$1\"
    }"
}
# part NAME: is this optional part of the build on?
part() { grep -q "^on	$1 " "$build/optional-parts.txt"; }

library zlib zlib Zlib
library zstd libzstd BSD-3-Clause
! part bz2 || library bzip2 bzip2 bzip2-1.0.6
! part crypto || library openssl libcrypto Apache-2.0
! part elf || library elfutils libdw 'LGPL-3.0-or-later OR GPL-2.0-or-later'
! part edit || library libedit libedit BSD-3-Clause
! part http || library libmicrohttpd libmicrohttpd LGPL-2.1-or-later

cat <<TXT
{
  "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
  "name": "stele-$version",
  "documentNamespace": "https://spdx.org/spdxdocs/stele-$version-$commit",
  "creationInfo": { "created": "$created", "creators": ["Tool: stele-sbom"] },
  "packages": [
    {
      "SPDXID": "SPDXRef-stele", "name": "stele", "versionInfo": "$version",
      "downloadLocation": "NOASSERTION", "filesAnalyzed": false,
      "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0",
      "copyrightText": "NOASSERTION", "primaryPackagePurpose": "APPLICATION"
    }$packages
  ],
  "relationships": [
    {
      "spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
      "relatedSpdxElement": "SPDXRef-stele"
    }$relations
  ]
}
TXT
