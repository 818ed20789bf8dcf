#!/usr/bin/env python3
"""Makes compact.json, the vectors of form 2 of links (docs/spec/file.md), from the vectors of AIH-2. Shares no code with www/lib.

    python3 tests/vectors/file/compact.py > tests/vectors/file/compact.json
"""

import base64
import hashlib
import json
import math
import pathlib
import struct

FOLDER = pathlib.Path(__file__).parent
LEDGER, ASSET = "0xF9196f9f176fd2eF9243E8960817d5FbE63D79aa", "1"
DIGITS = [0, 3, 5, 8, 10, 13, 15, 17]
ABSENT = object()


class Id:
    """Stands for an id that the link's address has."""


def head(major, number):
    if number < 24:
        return bytes([major << 5 | number])
    for kind, width in enumerate((1, 2, 4, 8)):
        if number < 256**width:
            return bytes([major << 5 | 24 + kind]) + number.to_bytes(width, "big")
    raise ValueError(number)


def cbor(value):
    if value is ABSENT:
        return b"\xf7"
    if value is Id:
        return head(2, 0)
    if value is None:
        return b"\xf6"
    if isinstance(value, bool):
        return b"\xf5" if value else b"\xf4"
    if isinstance(value, (int, float)):
        if float(value).is_integer() and abs(value) < 2**53:
            number = int(value)
            return head(0, number) if number >= 0 else head(1, -1 - number)
        try:
            if struct.unpack(">f", struct.pack(">f", value))[0] == value:
                return b"\xfa" + struct.pack(">f", value)
        except OverflowError:
            pass
        return b"\xfb" + struct.pack(">d", value)
    if isinstance(value, str):
        data = value.encode()
        return head(3, len(data)) + data
    if isinstance(value, list):
        return head(4, len(value)) + b"".join(map(cbor, value))
    return head(5, len(value)) + b"".join(cbor(key) + cbor(member) for key, member in value.items())


def has_type(node, name):
    kind = node.get("type") if isinstance(node, dict) else None
    return name in (kind if isinstance(kind, list) else [kind])


def names_of(node):
    if has_type(node, "object") and isinstance(node.get("properties"), dict):
        return sorted(node["properties"], key=lambda name: name.encode("utf-16-be"))
    return None


def items_of(node):
    return node["items"] if has_type(node, "array") and isinstance(node.get("items"), dict) else None


def packed(value, node, is_root=False):
    names = names_of(node)
    if isinstance(value, list):
        items = [packed(item, items_of(node)) for item in value]
        return items if names is None else {0: items}
    if not isinstance(value, dict):
        return value
    if names is None:
        return {key: packed(member, None) for key, member in value.items()}
    slots = [member(value, node, name, is_root) for name in names]
    while slots and slots[-1] is ABSENT:
        slots.pop()
    return slots


def member(value, node, name, is_root):
    if name not in value:
        return ABSENT
    if is_root and value[name] == {"ledgerId": LEDGER, "assetId": ASSET}.get(name, ABSENT):
        return Id
    return packed(value[name], node["properties"][name])


def read(data, at=0):
    token = chr(data[at])
    if token in "HK":
        return (token, data[at + 1 : at + 33]), at + 33
    if token == "N":
        left, at = read(data, at + 1)
        right, at = read(data, at)
        return ("N", left, right), at
    if token == "O":
        inner, at = read(data, at + 1)
        return ("O", inner), at
    inner, end = read(data, at + 2)
    return ("A", data[at + 1], inner), end


def write(block):
    token = block[0]
    if token == "P":
        return b"P"
    if token in "HK":
        return token.encode() + block[1]
    if token == "A":
        return b"A" + bytes([block[1]]) + write(block[2])
    return token.encode() + b"".join(map(write, block[1:]))


def lacking(key, public):
    """The keys, derived from the key of a block, of the blocks that the public proof hides."""
    token = public[0]
    if token == "K":
        return ("P",)
    if token == "H":
        return ("K", key)
    if token == "N":
        halves = [lacking(hashlib.sha256(bytes([tag]) + key).digest(), half) for tag, half in ((6, public[1]), (7, public[2]))]
        return ("P",) if halves == [("P",), ("P",)] else ("N", *halves)
    inner = lacking(key, public[-1])
    return ("P",) if inner == ("P",) else (*public[:-1], inner)


def values_of(block, node, value, is_root=True):
    """The values of the open slots, in the order of the proof."""
    if block[0] == "K":
        return [packed(value, node, is_root)]
    if block[0] == "O":
        names, given = names_of(node), value if isinstance(value, dict) else {}

        def object_slots(inner, start, end):
            if inner[0] == "K":
                return [member(given, node, name, is_root) for name in names[start:end]]
            return values_of(inner, node["properties"][names[start]], given.get(names[start]), False)

        return slots_of(block[1], math.ceil(math.log2(max(len(names), 1))), 0, object_slots)
    if block[0] == "A":
        items = value if isinstance(value, list) else []

        def list_slots(inner, start, end):
            if inner[0] == "K":
                return [[packed(item, items_of(node)) for item in items[start:end]]]
            return values_of(inner, items_of(node), items[start] if start < len(items) else None, False)

        return slots_of(block[2], block[1], 0, list_slots)
    return []


def slots_of(block, level, start, visit):
    if level > 0 and block[0] == "N":
        half = 2 ** (level - 1)
        return slots_of(block[1], level - 1, start, visit) + slots_of(block[2], level - 1, start + half, visit)
    return [] if block[0] in "HP" else visit(block, start, start + 2**level)


def digits(data):
    groups = [data[at : at + 7] for at in range(0, len(data), 7)]
    return "".join(str(int.from_bytes(group, "big")).zfill(DIGITS[len(group)]) for group in groups)


def framed(content):
    return f"2{len(content):04}{digits(content)}"


def form(block, node, value):
    return framed(write(block) + cbor(values_of(block, node, value)))


def proof_of(evidence):
    text = evidence["proof"]
    return read(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))[0]


def text_of(proof):
    return base64.urlsafe_b64encode(write(proof)).rstrip(b"=").decode()


def whole(case):
    """The evidence that opens everything."""
    return {"profile": "AIH-2", "schemaId": case["schemaId"], "proof": text_of(("K", bytes.fromhex(case["key"])))}


def main():
    cases = {case["name"]: case for case in json.loads((FOLDER / "../aih2/vectors.json").read_text())["cases"]}
    accepted = []

    def add(name, schema, document, evidence, form, public=None, imprint=None):
        accepted.append({"name": name, "form": form, "schema": schema, "public": public, "imprint": imprint, "copy": {"document": document, "evidence": evidence}})

    course = json.loads((FOLDER / "links.json").read_text())["accepted"][0]["file"]
    document = {path[0]: value for path, value in course["evidence"]["values"]}
    evidence = {name: value for name, value in course["evidence"].items() if name != "values"}
    add("the ids of the link's address", course["schema"], document, evidence, form(proof_of(evidence), course["schema"], document))
    for title, name in {
        "the whole document": "document 9",
        "an object as the list of its slots, with absent ones": "document 45",
        "some slots of an object": "document 42",
        "an absent slot": "document 13",
        "items of a list and its end": "document 8",
        "items of a list after hidden ones": "document 111",
        "lists in lists": "document 116",
        "a list that is proven empty": "document 20",
        "an object in a list, open in part": "document 26",
        "the name __proto__": "document 104",
        "numbers that are not integers": "document 106",
    }.items():
        case = cases[name]
        add(title, case["schema"], case["document"], case["evidence"], form(proof_of(case["evidence"]), case["schema"], case["document"]), imprint=case["imprint"])
    for title, name in {
        "a supplement: slots of an object": "document 42",
        "a supplement: items of a list": "document 111",
        "a supplement: a part of an object in a list": "document 26",
        "a supplement: nothing that is not public": "document 9",
    }.items():
        case = cases[name]
        part = lacking(bytes.fromhex(case["key"]), proof_of(case["evidence"]))
        public = {"metadata": case["document"], "evidence": case["evidence"]}

        def opened(block, known):
            """The merged proof."""
            if block[0] == "P":
                return known
            if block[0] == "N":
                return ("N", opened(block[1], known[1]), opened(block[2], known[2]))
            return block if block[0] in "HK" else (*block[:-1], opened(block[-1], known[-1]))

        merged = {**case["evidence"], "proof": text_of(opened(part, proof_of(case["evidence"])))}
        add(title, case["schema"], case["data"], merged, form(part, case["schema"], case["data"]), public, case["imprint"])

    first = accepted[0]["form"]
    case = cases["document 42"]
    supplement = accepted[-4]["form"]
    block = write(proof_of(evidence))
    refused = [
        ("only the version", "2", "file.link"),
        ("a length that is cut", first[:4], "file.link"),
        ("a cut end", first[:-1], "file.link"),
        ("a missing middle", first[:40] + first[45:], "file.link"),
        ("a group that is too large for its bytes", first[:5] + "9" * 17 + first[22:], "file.link"),
        ("a byte that is no token", framed(b"X" + block[1:] + cbor([])), "file.link"),
        ("a proof that ends early", framed(block[:-1]), "file.link"),
        ("no values", framed(block), "file.link"),
        ("values that are not a list", framed(block + cbor("a")), "file.link"),
        ("bytes after the values", framed(block + cbor([]) + b"\0"), "file.link"),
        ("a length of 0", "20000", "file.link"),
        ("another version", "3" + first[1:], "file.linkVersion"),
    ]
    schema = course["schema"]
    values = values_of(proof_of(evidence), schema, document)
    misfits = [
        ("a value too few", framed(block + cbor(values[:-1])), schema, None, "file.link"),
        ("a value too many", framed(block + cbor([*values, 1])), schema, None, "file.link"),
        ("an empty byte string in place of another text", framed(block + cbor([*values[:-1], Id])), schema, None, "file.link"),
        ("a map in place of an object's slots", framed(b"K" + bytes(32) + cbor([{"name": "a"}])), schema, None, "file.link"),
        ("more slots than the schema has", framed(b"K" + bytes(32) + cbor([[1, 2, 3, 4, 5]])), schema, None, "file.link"),
        ("an infinite number", framed(b"K" + bytes(32) + b"\x81\x81\xfa\x7f\x80\0\0"), schema, None, "file.link"),
        ("an item far behind hidden ones", framed(b"OA\x20NH" + bytes(32) + b"K" + bytes(32) + cbor([[1]])), {"type": "object", "properties": {"a": {"type": "array", "items": {}}}}, None, "file.link"),
        ("a supplement without public files", supplement, case["schema"], None, "file.linkPublic"),
        ("a supplement of other public files", supplement, case["schema"], {"metadata": {}, "evidence": whole(case)}, "file.linkPublic"),
    ]
    content = {
        "ids": {"ledger": LEDGER, "asset": ASSET},
        "accepted": accepted,
        "refused": [{"name": name, "form": text, "key": key} for name, text, key in refused],
        "misfits": [{"name": name, "form": text, "schema": schema, "public": public, "key": key} for name, text, schema, public, key in misfits],
    }
    print(json.dumps(content, indent=1))


main()
