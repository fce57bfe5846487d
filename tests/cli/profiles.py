# SPDX-License-Identifier: Apache-2.0
# A profile of pprof by a decoder of its own, or one of Callgrind, as folded stacks or functions with
# their own time: `main;read 12`, `read 12`.
# usage: profiles.py FILE [thread]
import collections
import gzip
import sys

with open(sys.argv[1], "rb") as f:
    data = f.read()
if data[:2] == b"\x1f\x8b":
    data = gzip.decompress(data)


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data):
    at, found = 0, collections.defaultdict(list)
    while at < len(data):
        key, at = varint(data, at)
        value, at = varint(data, at)
        if key & 7 == 2:
            value, at = data[at : at + value], at + value
        elif key & 7 != 0:
            sys.exit(f"type of wire {key & 7}")
        found[key >> 3].append(value)
    return found


def pprof():
    profile = fields(data)
    texts = [t.decode() for t in profile[6]]
    if texts[0] != "":
        sys.exit("the first text is not empty")
    types = [fields(t) for t in profile[1]]
    print("#", *(f"{texts[t[1][0]]}/{texts[t[2][0]]}" for t in types), texts[profile[14][0]])
    functions = {}
    for function in map(fields, profile[5]):
        functions[function[1][0]] = texts[function[2][0]]
    locations = {}
    for location in map(fields, profile[4]):
        locations[location[1][0]] = functions[fields(location[4][0])[1][0]]
    if 0 in locations or len(locations) != len(profile[4]):
        sys.exit("locations are not numbered")
    sums = collections.Counter()
    for sample in map(fields, profile[2]):
        if len(sample[2]) != len(types):
            sys.exit("a sample has not a value of each type")
        path = [locations[i].replace(";", "_") for i in reversed(sample[1])]
        if "thread" in sys.argv[2:]:
            label = fields(sample[3][0])
            path.insert(0, texts[label[2][0]].replace(";", "_"))
        sums[";".join(path)] += sample[2][1]
    return sums


def callgrind():
    sums, names, name, is_call = collections.Counter(), {}, None, False
    for line in data.decode().splitlines():
        if line.startswith(("fn=", "cfn=")):
            number, _, text = line.split("=", 1)[1].partition(" ")
            names.setdefault(number, text)
            if text and names[number] != text:
                sys.exit(f"{number} is {names[number]} and {text}")
            if line.startswith("fn="):
                name = names[number]
        elif line.startswith("calls="):
            is_call = True
        elif line[:1].isdigit():
            if not is_call:
                sums[name] += int(line.split()[1])
            is_call = False
    return sums


sums = callgrind() if data.startswith(b"# callgrind") else pprof()
for path, value in sorted(sums.items()):
    if value:
        print(path, value)
