"""Verifies evidence of the profile AIH-1 (docs/spec/aih-1.md), with its default hasher and noncer."""

import hashlib
import json
import re
from dataclasses import dataclass, field
from itertools import combinations

from jsontext import Refused, number_text, units

MAX_LEVELS = 64
# If a shown nonce of a list has one of these lengths, the closing node's nonce may be as long as two hashes (128). The closing nonce may be
# up to 4 characters longer than the shown nonce, because its index may have one more digit, written in up to 4 characters. See rule 5 of
# the specification.
DOUBTFUL_LENGTHS = set(range(124, 129))


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


# Schemas: which places are groups, and which positions they have.


@dataclass
class Place:
    """A node of the schema. `slots` has the properties of an object that have a position, in order; `item` is the place of a list's items."""

    slots: dict = None
    members: dict = None
    item: object = None

    @property
    def is_object(self):
        return self.members is not None

    @property
    def has_position(self):
        """Returns true if the node has a position in its group. An object without a leaf below it has no position."""
        return not self.is_object or bool(self.slots)


def read_schema(schema):
    """Returns the root's place. Refuses schemas that the profile cannot certify."""
    paths = []
    place = _place(schema, (), paths, 1)
    _refuse_equal_paths(paths)
    if not place.is_object and place.item is None:
        raise Refused("schema-root-not-object")
    return place


def _place(schema, path, paths, level):
    if level > MAX_LEVELS:
        raise Refused("schema-too-deep", path)
    paths.append(path)
    kind = schema.get("type") if isinstance(schema, dict) else None
    if kind == "object":
        if not isinstance(schema.get("properties"), dict):
            raise Refused("schema-invalid", path)
        properties = schema["properties"]
        members = {name: _place(properties[name], (*path, name), paths, level + 1) for name in sorted(properties, key=units)}
        return Place({name: inner for name, inner in members.items() if inner.has_position}, members)
    if kind == "array":
        if not isinstance(schema.get("items"), dict):
            raise Refused("schema-invalid", path)
        item = _place(schema["items"], (*path, ANY), paths, level + 1)
        # A list whose items have no position is one absent leaf.
        return Place(item=item) if item.has_position else Place()
    return Place()


class _Any:
    """The step of a path that means every index of a list."""


ANY = _Any()


def _refuse_equal_paths(paths):
    """Refuses two paths that are equal after their steps are joined with dots."""
    alike = {}
    for path in paths:
        segments = [part for step in path for part in ([ANY] if step is ANY else step.split("."))]
        form = tuple("0" if one is ANY or re.fullmatch("0|[1-9][0-9]*", one) else one for one in segments)
        alike.setdefault(form, []).append(segments)
    for group in alike.values():
        for one, other in combinations(group, 2):
            if all(a is ANY or b is ANY or a == b for a, b in zip(one, other)):
                raise Refused("path-ambiguous")


def _is_array_index(key):
    return bool(re.fullmatch("0|[1-9][0-9]*", key)) and int(key) < 2**32 - 1


def _stringify(value, is_sorted):
    """Returns a value as `JSON.stringify` writes it: keys that are array indexes come first, in ascending order."""
    if isinstance(value, dict):
        keys = sorted(value, key=units) if is_sorted else list(value)
        keys = sorted(filter(_is_array_index, keys), key=int) + [key for key in keys if not _is_array_index(key)]
        return "{" + ",".join(f"{_stringify(key, False)}:{_stringify(value[key], is_sorted)}" for key in keys) + "}"
    if isinstance(value, list):
        items = sorted(value, key=lambda item: units(_to_string(item))) if is_sorted else value
        return "[" + ",".join(_stringify(item, False) for item in items) + "]"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return number_text(value)
    return json.dumps(value, ensure_ascii=False)


def _to_string(value):
    """Returns the string by which ECMAScript's `Array.prototype.sort` compares an item."""
    if isinstance(value, dict):
        return "[object Object]"
    if isinstance(value, list):
        return ",".join("" if item is None else _to_string(item) for item in value)
    return value if isinstance(value, str) else _stringify(value, False)


def schema_id(schema, is_sorted=False):
    return "0x" + sha256(_stringify(schema, is_sorted))


# Hashes.


def text_of(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else number_text(value)


def nonce_at(path, index):
    return sha256(".".join(map(str, (*path, index))))


def leaf(value, nonce):
    return sha256(sha256(text_of(value)) + nonce)


def list_order(length):
    """Returns the indexes of a list by position. Indexes are ordered as decimal strings."""
    return sorted(range(length), key=str)


def is_empty_list(place, data):
    return place.item is not None and (data is None or data == [])


def imprint_of(schema, data):
    """Returns the imprint of a whole document."""
    return _group(read_schema(schema), data, ())


def _group(place, data, path):
    if place.is_object:
        if not isinstance(data, (dict, type(None))):
            raise Refused("data-type-mismatch", path)
        members = [(name, inner, (data or {}).get(name)) for name, inner in place.slots.items()]
    else:
        if not isinstance(data, list):
            raise Refused("data-type-mismatch", path)
        members = [(index, place.item, data[index]) for index in list_order(len(data))]
    node = sha256(nonce_at(path, len(members)))
    for index in reversed(range(len(members))):
        step, inner, value = members[index]
        node = sha256(leaf(_value(inner, value, (*path, step)), nonce_at(path, index)) + node)
    return node


def _value(place, data, path):
    """Returns the content that is hashed for a member: a value, or a group's imprint."""
    if place.is_object or (place.item is not None and not is_empty_list(place, data)):
        return _group(place, data, path)
    if isinstance(data, dict) or (isinstance(data, list) and data):
        raise Refused("data-type-mismatch", path)
    return None if data == [] else data


# Proofs.


@dataclass
class Group:
    """A checked proof. `positions` maps the steps below the group to indexes. `values` maps indexes to disclosed values."""

    imprint: str
    positions: dict
    values: dict = field(default_factory=dict)


def _index(entry):
    index = entry.get("index")
    if isinstance(index, bool) or not isinstance(index, int) or index < 0:
        raise Refused("evidence-malformed")
    return index


def _entries(proof, member):
    entries = proof.get(member)
    if not isinstance(entries, list) or not all(isinstance(one, dict) for one in entries):
        raise Refused("evidence-malformed")
    found = {_index(one): one for one in entries}
    if len(found) != len(entries):
        raise Refused("evidence-malformed")
    return found


def _recompute(proof, place):
    """Returns the group of a proof. A hash from the proof is used only if it cannot be computed."""
    hashes = {}
    for index, entry in _entries(proof, "nodes").items():
        if not isinstance(entry.get("hash"), str) or not re.fullmatch("[0-9a-f]{64}", entry["hash"]):
            raise Refused("evidence-malformed")
        hashes[index] = entry["hash"]
    leaves, values, nonces = {}, {}, set()
    for index, entry in _entries(proof, "values").items():
        value = entry.get("value")
        if not isinstance(entry.get("nonce"), str) or isinstance(value, (dict, list)):
            raise Refused("evidence-malformed")
        leaves[index] = leaf(value, entry["nonce"])
        values[index] = value
        nonces.add(len(units(entry["nonce"])) // 2)
    # The chain of nodes ends at the first position without a leaf. The proof has the node of this position, the closing node.
    count = 0
    while count in leaves or 2 * count + 1 in hashes:
        count += 1
    if max(leaves, default=-1) >= count or max(hashes, default=-1) > 2 * count or 2 * count not in hashes:
        raise Refused("evidence-malformed")
    if not place.is_object and count and count - 1 not in leaves and nonces & DOUBTFUL_LENGTHS:
        # The last leaf and the closing node could be the halves of one nonce. In this case, the list really ends before that leaf.
        raise Refused("closing-ambiguous")
    node = hashes[2 * count]
    for index in reversed(range(count)):
        hash_of_leaf = leaves.get(index) or hashes[2 * index + 1]
        node = sha256(hash_of_leaf + node)
        if hashes.get(2 * index, node) != node or hashes.get(2 * index + 1, hash_of_leaf) != hash_of_leaf:
            raise Refused("hash-mismatch")
    steps = list(place.slots) if place.is_object else list_order(count)
    if count > len(steps):
        raise Refused("evidence-malformed")
    return Group(node, {step: index for index, step in enumerate(steps)}, values)


def connect(schema, proofs):
    """Returns the groups of evidence by their paths. Every group is bound to the root's imprint. Raises `Refused` for evidence that is malformed or not connected."""
    if isinstance(proofs, dict):
        proofs = proofs.get("data")
    if not isinstance(proofs, list):
        raise Refused("evidence-malformed")
    by_path = {}
    for proof in proofs:
        path = proof.get("path") if isinstance(proof, dict) else None
        if not isinstance(path, list) or any(isinstance(step, bool) or not isinstance(step, (str, int)) for step in path):
            raise Refused("evidence-malformed")
        if tuple(path) in by_path:
            raise Refused("evidence-malformed")
        by_path[tuple(path)] = proof
    if () not in by_path:
        raise Refused("evidence-malformed")
    groups, places = {}, {}
    for path in sorted(by_path, key=len):
        place = _place_at(path, groups, places, schema)
        group = _recompute(by_path[path], place)
        if path:
            above = groups[path[:-1]]
            if above.values.get(above.positions[path[-1]]) != group.imprint:
                raise Refused("not-connected", path)
        groups[path], places[path] = group, place
    return groups


def _place_at(path, groups, places, schema):
    if not path:
        return read_schema(schema)
    above = path[:-1]
    if above not in groups or path[-1] not in groups[above].positions:
        raise Refused("not-connected", path)
    place = places[above].slots[path[-1]] if places[above].is_object else places[above].item
    if not place.is_object and place.item is None:
        raise Refused("not-connected", path)
    return place


def same(one, other):
    """Returns true if two values have the same JSON type and are equal. `None` means both `null` and an absent value."""
    kinds = [bool if isinstance(value, bool) else float if isinstance(value, (int, float)) else type(value) for value in (one, other)]
    return kinds[0] == kinds[1] and one == other


@dataclass
class Finder:
    """Compares a document with the evidence. Finds the values that the evidence proves, and the paths of all other values."""

    groups: dict
    proven: list = field(default_factory=list)
    unproven: list = field(default_factory=list)

    def check(self, place, data, path):
        if place.is_object:
            self.object(place, data, path)
        elif place.item is not None and isinstance(data, list) and data:
            if self.is_proven_empty(path):
                self.unproven.append(path)
            for index, item in enumerate(data):
                # `null` means a hidden item.
                if item is not None:
                    self.check(place.item, item, (*path, index))
        else:
            self.leaf(None if data == [] and place.item is not None else data, path)

    def object(self, place, data, path):
        if data is None:
            for name, inner in place.slots.items():
                self.check(inner, None, (*path, name))
        elif not isinstance(data, dict):
            self.unproven.append(path)
        else:
            for name, inner in place.members.items():
                if name in data:
                    self.check(inner, data[name], (*path, name))

    def opened(self, path):
        """Returns the group around a place and the place's index in it, if the evidence opens the place."""
        group = self.groups.get(path[:-1]) if path else None
        index = group.positions.get(path[-1]) if group else None
        return (group, index) if group and index in group.values else (None, None)

    def is_proven_empty(self, path):
        group, index = self.opened(path)
        return group is not None and group.values[index] is None

    def leaf(self, value, path):
        group, index = self.opened(path)
        if group and same(group.values[index], value):
            self.proven.append((path, value))
        else:
            self.unproven.append(path)


@dataclass
class Report:
    """The result of `verify`. `imprint` is None if the evidence is refused. Paths are tuples."""

    valid: bool
    imprint: object
    proven: list
    unproven: list


def verify(schema, data, proofs, imprint):
    """Verifies a document and its evidence against an imprint from a trusted place: 64 hexadecimal digits."""
    try:
        groups = connect(schema, proofs)
    except Refused:
        return Report(False, None, [], [])
    finder = Finder(groups)
    finder.check(read_schema(schema), data, ())
    computed = groups[()].imprint
    if computed != imprint:
        return Report(False, computed, [], finder.unproven)
    return Report(not finder.unproven, computed, finder.proven, finder.unproven)
