#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# environment: SOURCE, LIBRARY (libstele.so), CC
# The Python package: its structs have the layout of the headers, and its tests pass, with numpy and
# without.
set -eu
python=${PYTHON:-/usr/bin/python3}
command -v "$python" >/dev/null || {
    echo "SKIP: no python3 (package python3)"
    exit 77
}
# The class and the machine of both, which an ELF header has at the same places.
"$python" -c 'import sys
heads = [open(name, "rb").read(20) for name in (sys.executable, sys.argv[1])]
sys.exit(len({(head[4], head[18:20]) for head in heads}) - 1)' "$LIBRARY" || {
    echo "SKIP: $python is for another machine than $LIBRARY"
    exit 77
}
export STELE_LIBRARY="$LIBRARY" PYTHONPATH="$SOURCE/python" PYTHONDONTWRITEBYTECODE=1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

"$python" "$SOURCE/tests/python/layout.py" c >"$tmp/layout.c"
"$CC" -I "$SOURCE/include" -o "$tmp/layout" "$tmp/layout.c"
"$tmp/layout" >"$tmp/c.txt"
"$python" "$SOURCE/tests/python/layout.py" python >"$tmp/python.txt"
diff "$tmp/c.txt" "$tmp/python.txt" || {
    echo "the structs of python/stele/_library.py differ from include/stele"
    exit 1
}
echo "ok: $(wc -l <"$tmp/c.txt") places of structs"

cd "$tmp"
"$python" "$SOURCE/tests/python/test_stele.py"
"$python" -c 'import numpy' 2>/dev/null ||
    echo "SKIP: no numpy (package python3-numpy): arrays are not tested"
for module in pandas pyarrow; do
    "$python" -c "import $module" 2>/dev/null || echo "SKIP: no $module: tables are not tested as its"
done
