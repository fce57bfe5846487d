# SPDX-License-Identifier: Apache-2.0
"""Prints a C program that prints the layout of all structs of the Python package (`layout.py c`),
or the same lines as the package has them (`layout.py python`). The test compares the two."""

import ctypes
import sys

from stele import _library as c

# Parts of a struct that have no name of their own in C, and structs that the library may let grow.
INNER = ("_FieldBytes", "_FieldRun", "_FieldValue", "_ValueWide", "_ValueAny")
HANDED_OUT = ("TraceInfo", "Stream")
C_NAMES = {"Stats": "stele_reader_stats", "ArrowSchema": "struct ArrowSchema",
           "ArrowArray": "struct ArrowArray", "ArrowArrayStream": "struct ArrowArrayStream"}


def structs():
    for name, made in sorted(vars(c).items()):
        if isinstance(made, type) and issubclass(made, ctypes.Structure) and name not in INNER:
            if made.__module__ == c.__name__:
                yield name, C_NAMES.get(name, "stele_" + "".join(
                    "_" + letter.lower() if letter.isupper() else letter
                    for letter in name).lstrip("_")), made


def print_c():
    print("#include <stddef.h>\n#include <stdio.h>\n#include <stele/stele.h>\nint main(void)\n{")
    for name, c_name, made in structs():
        if name not in HANDED_OUT:
            print(f'    printf("{c_name} %zu\\n", sizeof({c_name}));')
        for member, *_ in made._fields_:
            print(f'    printf("{c_name}.{member} %zu %zu\\n", offsetof({c_name}, {member}), '
                  f'sizeof((({c_name} *)0)->{member}));')
    print('    printf("kinds %d\\n", STELE_KIND_COUNT);')
    print('    printf("types %d\\n", STELE_TYPE_COUNT);')
    print('    printf("cells %d\\n", STELE_CELL_TYPE_COUNT);')
    print("    return 0;\n}")


def print_python():
    for name, c_name, made in structs():
        if name not in HANDED_OUT:
            print(f"{c_name} {ctypes.sizeof(made)}")
        for member, *_ in made._fields_:
            place = getattr(made, member)
            print(f"{c_name}.{member} {place.offset} {place.size}")
    print(f"kinds {len(c.KINDS)}")
    print(f"types {c.TYPE_VARIANT + 1}")
    print(f"cells {c.CELL_TYPE_COUNT}")


if sys.argv[1] == "c":
    print_c()
else:
    print_python()
