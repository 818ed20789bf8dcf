"""Verifies evidence of the profile AIH-2 (docs/spec/aih-2.md; reports as in docs/spec/evidence.md)."""

import base64
import binascii
import hashlib
import hmac
import re
import sys
from dataclasses import dataclass, field

from jsontext import Refused, canonical, units

MAX_WORK = 2**22
MAX_INDEX = 2**32 - 1
MAX_LEVELS = 64
MAX_DEPTH = 32

# Up to 64 levels of lists, each with a tree of up to 33 levels.
sys.setrecursionlimit(max(sys.getrecursionlimit(), 10_000))


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


# Section 2: schemas.


def depth_of(count):
    return (count - 1).bit_length() if count > 1 else 0


def _has_type(schema, name):
    kind = schema.get("type")
    return kind == name or (isinstance(kind, list) and name in kind)


class Shape:
    """The part of a schema node that decides how a value is split.

    `slots` has the shapes of an object's properties in order, or is None. `item` is the shape of a list's items, or None.
    """

    def __init__(self, schema, level=1):
        if level > MAX_LEVELS:
            raise Refused("schema-too-deep")
        self.slots = self.item = self.max_items = None
        if not isinstance(schema, dict):
            return
        if _has_type(schema, "object") and isinstance(schema.get("properties"), dict):
            properties = schema["properties"]
            self.slots = {name: Shape(properties[name], level + 1) for name in sorted(properties, key=units)}
            self.names = list(self.slots)
        if _has_type(schema, "array") and isinstance(schema.get("items"), dict):
            self.item = Shape(schema["items"], level + 1)
            limit = schema.get("maxItems")
            if isinstance(limit, int) and not isinstance(limit, bool) and 0 <= limit <= MAX_INDEX:
                self.max_items = limit

    def splits(self, value):
        """Returns true if the value is not a leaf."""
        return (self.slots is not None and isinstance(value, dict)) or (self.item is not None and isinstance(value, list))

    def list_depth(self, length):
        """Returns the depth of a list's tree. Refuses a list that is longer than `maxItems`."""
        if self.max_items is None:
            return depth_of(length)
        if length > self.max_items:
            raise Refused("list-too-long")
        return depth_of(self.max_items)


def root_shape(schema):
    if not isinstance(schema, dict):
        raise Refused("schema-invalid")
    shape = Shape(schema)
    if shape.slots is None:
        raise Refused("schema-root-not-object")
    return shape


def schema_id(schema):
    return sha256(canonical(schema))


# Sections 3 and 4: keys and hashes of a value whose key is known.


def left_key(key):
    return sha256(b"\x06", key)


def right_key(key):
    return sha256(b"\x07", key)


def hash_block(key, level, present, hash_slot, start=0):
    """Returns the hash of a block under a known key. The block's first `present` slots are below the size of the object or list.

    `hash_slot(index, key)` hashes a slot.
    """
    if present <= 0:
        return sha256(b"\x02", key)
    if level == 0:
        return hash_slot(start, key)
    half = 1 << (level - 1)
    left = hash_block(left_key(key), level - 1, present, hash_slot, start)
    right = hash_block(right_key(key), level - 1, present - half, hash_slot, start + half)
    return sha256(b"\x01", left, right)


def hash_value(shape, value, key):
    """Returns the hash of a value. Keys that the schema does not have are ignored here."""
    if not shape.splits(value):
        return sha256(b"\x00", key, canonical(value))
    if isinstance(value, dict):
        names = shape.names

        def property_slot(index, key):
            name = names[index]
            return hash_value(shape.slots[name], value[name], key) if name in value else sha256(b"\x02", key)

        depth, size, tag, slot = depth_of(len(names)), len(names), b"\x03", property_slot
    else:
        depth, size, tag = shape.list_depth(len(value)), len(value), b"\x04"
        slot = lambda index, key: hash_value(shape.item, value[index], key)
    return sha256(tag, bytes([depth]), hash_block(key, depth, size, slot))


def work_of_block(level, present):
    """Counts the hashes of a block under a known key, without the hashes of its present slots."""
    if present <= 0:
        return 1
    if level == 0:
        return 0
    if present >= 1 << level:
        return 3 * ((1 << level) - 1)
    half = 1 << (level - 1)
    return 3 + work_of_block(level - 1, present) + work_of_block(level - 1, present - half)


def work_of_value(shape, value):
    """Counts the hashes of a value under a known key."""
    if not shape.splits(value):
        return 1
    if isinstance(value, dict):
        size = len(shape.slots)
        slots = (work_of_value(inner, value[name]) if name in value else 1 for name, inner in shape.slots.items())
        return 1 + work_of_block(depth_of(size), size) + sum(slots)
    return 1 + work_of_block(shape.list_depth(len(value)), len(value)) + sum(work_of_value(shape.item, item) for item in value)


def unknown_keys(shape, value, path=()):
    """Yields the paths of keys that the schema does not have."""
    if not shape.splits(value):
        return
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from unknown_keys(shape.item, item, (*path, index))
        return
    for name, inner in value.items():
        if name in shape.slots:
            yield from unknown_keys(shape.slots[name], inner, (*path, name))
        else:
            yield (*path, name)


# Section 5: imprints.


def imprint_of(schema_hash, root_hash):
    return "aih2:" + sha256(b"\x05AIH-2", schema_hash, root_hash).hex()


def read_imprint(text):
    match = re.fullmatch(r"(?:aih2:|0x)?([0-9a-f]{64})", text) if isinstance(text, str) else None
    if not match:
        raise Refused("imprint-invalid")
    return "aih2:" + match[1]


def document_key(secret, schema, document, asset_id=""):
    if len(secret) < 32:
        raise Refused("secret-too-short")
    text = b"AIH-2 key" + schema_id(schema) + sha256(canonical(document)) + asset_id.encode()
    return hmac.digest(secret, text, "sha256")


def certify(schema, document, key):
    """Returns the imprint of a document under its key."""
    shape = root_shape(schema)
    if not isinstance(document, dict):
        raise Refused("data-type-mismatch")
    for path in unknown_keys(shape, document):
        raise Refused("not-in-schema", path)
    if work_of_value(shape, document) + 1 > MAX_WORK:
        raise Refused("too-much-work")
    return imprint_of(schema_id(schema), hash_value(shape, document, key))


# Section 6: the tokens of a proof.


@dataclass
class Hidden:
    hash: bytes


@dataclass
class Open:
    """A token that opens a block with everything under it. `present` is the number of slots in the block that are not void.

    `values` has the values of these slots. `Reader` fills in both.
    """

    key: bytes
    level: int
    start: int
    present: int = 0
    values: list = field(default_factory=list)


@dataclass
class Split:
    """A block of a level above 0, which is open in part: its two halves."""

    left: object
    right: object


@dataclass
class Part:
    """An object or list that is open in part: the block of all its slots."""

    is_list: bool
    depth: int
    block: object


class Tokens:
    """Reads the tokens of a proof, and connects them to the schema."""

    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, count):
        if self.at + count > len(self.data):
            raise Refused("proof-short")
        self.at += count
        return self.data[self.at - count : self.at]

    def block(self, shape_at, level, start=0):
        """Reads a block. `shape_at(index)` is the shape of a slot, or None if an object has no such slot."""
        token = self.take(1)
        if token == b"H":
            return Hidden(self.take(32))
        if token == b"K":
            return Open(self.take(32), level, start)
        if token == b"N" and level > 0:
            left = self.block(shape_at, level - 1, start)
            right = self.block(shape_at, level - 1, start + (1 << (level - 1)))
            if isinstance(left, Hidden) and isinstance(right, Hidden):
                raise Refused("proof-shape")
            return Split(left, right)
        shape = shape_at(start) if level == 0 else None
        if token == b"O" and shape is not None and shape.slots is not None:
            slots = list(shape.slots.values())
            depth = depth_of(len(slots))
            block = self.block(lambda index: slots[index] if index < len(slots) else None, depth)
            if isinstance(block, Hidden):
                raise Refused("proof-shape")
            return Part(False, depth, block)
        if token == b"A" and shape is not None and shape.item is not None:
            depth = self.take(1)[0]
            if depth > MAX_DEPTH or (shape.max_items is not None and depth != depth_of(shape.max_items)):
                raise Refused("list-depth")
            return Part(True, depth, self.block(lambda index: shape.item, depth))
        raise Refused("proof-shape")


def read_proof(text, shape):
    if not isinstance(text, str) or not re.fullmatch("[A-Za-z0-9_-]*", text):
        raise Refused("evidence-malformed")
    try:
        data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except binascii.Error:
        raise Refused("evidence-malformed") from None
    if base64.urlsafe_b64encode(data).rstrip(b"=").decode() != text:
        raise Refused("evidence-malformed")
    tokens = Tokens(data)
    root = tokens.block(lambda index: shape, 0)
    if tokens.at != len(data):
        raise Refused("proof-long")
    if isinstance(root, Hidden):
        raise Refused("nothing-open")
    return root


# The values to verify, from a document or from pairs.


class Missing:
    """Marks the absence of a value."""


MISSING = Missing()


class FromDocument:
    """The values of a detached document. A place is the document's value there."""

    def __init__(self, document):
        self.root = document

    def property(self, place, name):
        return place.get(name, MISSING) if isinstance(place, dict) else MISSING

    def item(self, place, index):
        return place[index] if isinstance(place, list) and index < len(place) else MISSING

    def has(self, place):
        return place is not MISSING

    def value(self, place):
        return place

    def length(self, place):
        return len(place) if isinstance(place, list) else 0

    def enter(self, place, is_list, path):
        """Checks that a place that is open in part has an object or list. A list may be missing, or `null` as an item."""
        if is_list:
            is_hidden = place is MISSING or (place is None and isinstance(path[-1], int))
            allowed = is_hidden or isinstance(place, list)
        else:
            allowed = isinstance(place, dict)
        if not allowed:
            raise Refused("value-mismatch", path)

    def finish(self):
        pass


class FromPairs:
    """The values of attached evidence. A place is its path."""

    root = ()

    def __init__(self, pairs):
        self.pairs = read_pairs(pairs)
        self.used = 0

    def property(self, place, name):
        return (*place, name)

    item = property

    def has(self, place):
        return place in self.pairs

    def value(self, place):
        self.used += self.has(place)
        return self.pairs.get(place, MISSING)

    def length(self, place):
        return 0

    def enter(self, place, is_list, path):
        pass

    def finish(self):
        """Refuses evidence with a pair that belongs to no slot."""
        if self.used != len(self.pairs):
            raise Refused("value-mismatch")


def nesting(value):
    if not isinstance(value, (dict, list)):
        return 0
    inner = value.values() if isinstance(value, dict) else value
    return 1 + max(map(nesting, inner), default=0)


def is_index(step):
    return isinstance(step, int) and not isinstance(step, bool) and 0 <= step <= MAX_INDEX


def read_pairs(pairs):
    if not isinstance(pairs, list):
        raise Refused("evidence-malformed")
    found = {}
    for pair in pairs:
        if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[0], list):
            raise Refused("evidence-malformed")
        path, value = tuple(pair[0]), pair[1]
        if not all(isinstance(step, str) or is_index(step) for step in path) or len(path) + nesting(value) > 256 or path in found:
            raise Refused("evidence-malformed")
        found[path] = value
    for path in found:
        if any(path[:end] in found for end in range(len(path))):
            raise Refused("evidence-malformed")
    return found


# Section 8: what the evidence shows. One view for each place.


@dataclass
class HiddenView:
    shows = False


@dataclass
class AbsentView:
    shows = False


@dataclass
class LeafView:
    value: object
    shows = True


@dataclass
class ObjectView:
    slots: dict
    complete: bool
    shows = True


@dataclass
class ListView:
    items: dict
    at_most: int
    length: object
    complete: bool
    # False for a slot under a K, which always shows its value.
    is_part: bool

    def __post_init__(self):
        self.last = max((index for index, item in self.items.items() if item.shows), default=-1)

    @property
    def shows(self):
        return not self.is_part or self.last >= 0 or self.at_most == 0

    def at(self, index):
        return self.items.get(index) or (AbsentView() if index >= self.at_most else HiddenView())


def view_of(shape, value):
    """Returns the view of a value that is open with everything under it."""
    if not shape.splits(value):
        return LeafView(value)
    if isinstance(value, dict):
        slots = {name: view_of(inner, value[name]) if name in value else AbsentView() for name, inner in shape.slots.items()}
        return ObjectView(slots, True)
    depth = shape.list_depth(len(value))
    limit = (1 << depth) if shape.max_items is None else shape.max_items
    # A list with 2^depth items has no void. Its length is then the limit.
    end = len(value) if len(value) < 1 << depth else limit
    return ListView({index: view_of(shape.item, item) for index, item in enumerate(value)}, end, end, True, False)


class Reader:
    """Assigns values to the slots under each `K`, and counts the hashes."""

    def __init__(self, source):
        self.source = source
        self.work = 1
        self.unknown = []

    def slot(self, shape, token, place, path):
        """Returns the view of a slot."""
        if isinstance(token, Hidden):
            return HiddenView()
        if isinstance(token, Open):
            token.present = 1
            return self.open(shape, token, place, path)
        self.count(1)
        self.source.enter(place, token.is_list, path)
        return (self.list if token.is_list else self.object)(shape, token, place, path)

    def open(self, shape, token, place, path):
        """Assigns the value at a place to a block, and returns its view."""
        value = self.source.value(place)
        token.values.append(value)
        if value is MISSING:
            self.count(1)
            return AbsentView()
        self.count(work_of_value(shape, value))
        self.unknown += unknown_keys(shape, value, path)
        return view_of(shape, value)

    def count(self, hashes):
        self.work += hashes
        if self.work > MAX_WORK:
            raise Refused("too-much-work")

    def object(self, shape, part, place, path):
        slots, complete = {}, True
        for token, level, start in self.blocks(part):
            if isinstance(token, Split):
                continue
            names = shape.names[start : start + (1 << level)]
            if isinstance(token, Open):
                token.present = len(names)
                self.count(work_of_block(level, token.present))
            for name in names:
                step = self.open if isinstance(token, Open) else self.slot
                slots[name] = step(shape.slots[name], token, self.source.property(place, name), (*path, name))
                complete = complete and not isinstance(token, Hidden)
        return ObjectView(slots, complete)

    def blocks(self, part):
        """Yields the tokens of an object's or list's block from left to right, with level and first slot."""

        def walk(token, level, start):
            if isinstance(token, Split):
                self.count(1)
                yield token, level, start
                yield from walk(token.left, level - 1, start)
                yield from walk(token.right, level - 1, start + (1 << (level - 1)))
            else:
                yield token, level, start

        return walk(part.block, part.depth, 0)

    def list(self, shape, part, place, path):
        length = self.source.length(place)
        limit = (1 << part.depth) if shape.max_items is None else shape.max_items
        if length > limit:
            raise Refused("list-too-long", path)
        items, end, complete = {}, None, True
        for token, level, start in self.blocks(part):
            if end is not None and not isinstance(token, Open):
                raise Refused("list-order", path)
            if isinstance(token, Hidden):
                complete = complete and start >= limit
            elif isinstance(token, Part):
                items[start] = self.slot(shape.item, token, self.source.item(place, start), (*path, start))
            elif isinstance(token, Open):
                self.items(shape, token, place, path, items)
                if token.present and end is not None:
                    raise Refused("value-mismatch", path)
                if token.present < 1 << level and end is None:
                    end = start + token.present
        if end is not None and length > end:
            raise Refused("value-mismatch", path)
        if max(items, default=-1) >= limit:
            raise Refused("list-too-long", path)
        if end is not None and (end > limit if shape.max_items is not None else depth_of(end) != part.depth):
            raise Refused("list-depth", path)
        at_most = limit if end is None else end
        known = at_most if at_most == 0 or at_most - 1 in items else None
        return ListView(items, at_most, known, complete, True)

    def items(self, shape, token, place, path, items):
        """Reads the items that a `K` in a list covers, up to the first void."""
        for index in range(token.start, token.start + (1 << token.level)):
            item = self.source.item(place, index)
            if not self.source.has(item):
                break
            items[index] = self.open(shape.item, token, item, (*path, index))
            token.present += 1
        self.count(work_of_block(token.level, token.present))


def hash_slot_token(shape, token):
    """Returns the hash of a slot from its token and the values that `Reader` assigned."""
    if not isinstance(token, Part):
        return hash_block_token(token, 0, 0, lambda index: shape)
    shape_at = (lambda index: shape.item) if token.is_list else (lambda index: shape.slots[shape.names[index]])
    block = hash_block_token(token.block, token.depth, 0, shape_at)
    return sha256(b"\x04" if token.is_list else b"\x03", bytes([token.depth]), block)


def hash_block_token(token, level, start, shape_at):
    """Like `hash_slot_token`, for a block. `shape_at(index)` is the shape of a slot."""
    if isinstance(token, Hidden):
        return token.hash
    if isinstance(token, Part):
        return hash_slot_token(shape_at(start), token)
    if isinstance(token, Split):
        left = hash_block_token(token.left, level - 1, start, shape_at)
        return sha256(b"\x01", left, hash_block_token(token.right, level - 1, start + (1 << (level - 1)), shape_at))

    def slot(index, key):
        value = token.values[index]
        return sha256(b"\x02", key) if value is MISSING else hash_value(shape_at(start + index), value, key)

    return hash_block(token.key, level, token.present, slot)


# The comparison of the document with the evidence, and the report.


class Comparison:
    """Finds the differences between a document and the evidence. `shown` has each value of the document in the document's order."""

    def __init__(self, is_attached):
        self.is_attached = is_attached
        self.errors = []
        self.shown = []

    def error(self, code, path):
        self.errors.append((code, path))

    def place(self, shape, view, value, path):
        if isinstance(view, HiddenView):
            self.error("not-covered", path)
            self.mark(shape, value, path, "not-covered")
        elif isinstance(view, ObjectView) and isinstance(value, dict):
            self.object(shape, view, value, path)
        elif isinstance(view, ListView) and isinstance(value, list):
            self.list(shape, view, value, path)
        elif isinstance(view, LeafView) and not shape.splits(value) and canonical(value) == canonical(view.value):
            self.shown.append((path, "proven"))
        else:
            self.error("value-mismatch", path)
            self.mark(shape, value, path, "changed")

    def object(self, shape, view, value, path):
        if not value:
            lacks = self.is_attached and any(inner.shows for inner in view.slots.values())
            self.shown.append((path, "changed" if lacks else "proven"))
        for name, inner in value.items():
            if name not in view.slots:
                self.error("not-in-schema", (*path, name))
                self.shown.append(((*path, name), "not-in-schema"))
            else:
                self.place(shape.slots[name], view.slots[name], inner, (*path, name))
        for name, inner in view.slots.items():
            if name not in value:
                self.missing(inner, (*path, name))

    def list(self, shape, view, value, path):
        if not value:
            self.empty_list(view, path)
        for index, item in enumerate(value):
            inner = view.at(index)
            if index < view.last and not inner.shows and item is None:
                continue
            if index > view.last and index < view.at_most:
                inner = HiddenView()
            self.place(shape.item, inner, item, (*path, index))
        if len(value) <= view.last:
            self.error("value-mismatch" if self.is_attached else "not-covered", path)

    def empty_list(self, view, path):
        if not view.shows:
            # The detached document does not have the list.
            self.error("not-covered", path)
        covered = "proven" if view.last < 0 and view.shows else "not-covered"
        self.shown.append((path, "changed" if view.last >= 0 and self.is_attached else covered))

    def missing(self, view, path):
        """Reports a place that the document does not have."""
        if self.is_attached and view.shows:
            self.error("value-mismatch", path)
        elif isinstance(view, ListView) and view.shows:
            self.error("not-covered", path)

    def mark(self, shape, value, path, status):
        """Gives each value of a part of the document the same status, except below keys that the schema does not have."""
        if not shape.splits(value) or not value:
            self.shown.append((path, status))
        elif isinstance(value, dict):
            for name, inner in value.items():
                if name in shape.slots:
                    self.mark(shape.slots[name], inner, (*path, name), status)
                else:
                    self.shown.append(((*path, name), "not-in-schema"))
        else:
            for index, item in enumerate(value):
                self.mark(shape.item, item, (*path, index), status)


@dataclass
class Report:
    """The report of docs/spec/evidence.md. Paths are tuples."""

    valid: bool = False
    imprint: object = None
    errors: list = field(default_factory=list)
    entries: list = field(default_factory=list)
    absent: list = field(default_factory=list)
    objects: list = field(default_factory=list)
    lists: list = field(default_factory=list)
    shown: list = field(default_factory=list)

    def add(self, view, path=()):
        """Adds the findings about the evidence."""
        if isinstance(view, LeafView):
            self.entries.append((path, view.value))
        elif isinstance(view, AbsentView):
            if path and isinstance(path[-1], str):
                self.absent.append(path)
        elif isinstance(view, ObjectView):
            self.objects.append({"path": path, "complete": view.complete})
            for name, inner in view.slots.items():
                self.add(inner, (*path, name))
        elif isinstance(view, ListView):
            self.lists.append({"path": path, "atMost": view.at_most, "length": view.length, "complete": view.complete})
            for index in sorted(view.items):
                self.add(view.items[index], (*path, index))


def read_evidence(evidence, schema):
    """Checks the members of evidence, and returns the schema's hash."""
    if not isinstance(evidence, dict):
        raise Refused("evidence-malformed")
    if evidence.get("profile") != "AIH-2":
        raise Refused("profile-unknown")
    if not {"profile", "schemaId", "proof"} <= evidence.keys() <= {"profile", "schemaId", "proof", "values", "$schema"}:
        raise Refused("evidence-malformed")
    if not isinstance(evidence.get("$schema", ""), str):
        raise Refused("evidence-malformed")
    schema_hash = schema_id(schema)
    if evidence["schemaId"] != "0x" + schema_hash.hex():
        raise Refused("schema-mismatch")
    return schema_hash


def asset_name(asset):
    """Returns the address and number of an asset `{ledgerId, assetId}`."""
    address, number = (read(asset.get(name)) for read, name in ((read_address, "ledgerId"), (read_number, "assetId")))
    if address is None or number is None:
        raise Refused("option-invalid")
    return address, number


def read_address(text):
    return text.lower() if isinstance(text, str) and re.fullmatch("0[xX][0-9a-fA-F]{40}", text) else None


def read_number(text):
    if not isinstance(text, str):
        return None
    if re.fullmatch("[0-9]+", text):
        digits, base, most = text.lstrip("0"), 10, 78
    elif re.fullmatch("0[xX][0-9a-fA-F]+", text):
        digits, base, most = text[2:].lstrip("0"), 16, 64
    else:
        return None
    number = int(digits or "0", base) if len(digits) <= most else 2**256
    return number if number < 2**256 else None


def check_asset(shape, view, report, asset):
    address, number = asset
    for name in ("ledgerId", "assetId"):
        if isinstance(view.slots.get(name), HiddenView):
            report.errors.append(("asset-hidden", (name,)))
    proven = dict(report.entries)
    ledger = read_address(proven.get(("ledgerId",)))
    if ledger is not None:
        if ledger != address:
            report.errors.append(("asset-mismatch", ("ledgerId",)))
        given = proven.get(("assetId",))
        if isinstance(given, bool) or not isinstance(given, (str, int, float)):
            pass
        elif (read_number(given) if isinstance(given, str) else given) != number:
            report.errors.append(("asset-mismatch", ("assetId",)))
    if not report.errors:
        names = {("$schema",), ("$evidence",)}
        leaves = any(path[:1] not in names for path, _ in report.entries)
        empty = any(one["atMost"] == 0 and one["path"][:1] not in names for one in report.lists)
        if not leaves and not empty:
            report.errors.append(("nothing-proven", ()))


def calculate(schema, evidence, document=MISSING):
    """Returns shape, view, reader and imprint of evidence. Raises `Refused` if the evidence is refused under any imprint."""
    shape = root_shape(schema)
    schema_hash = read_evidence(evidence, schema)
    if "values" not in evidence and document is MISSING:
        raise Refused("document-missing")
    if document is not MISSING and not isinstance(document, dict):
        raise Refused("value-mismatch")
    root = read_proof(evidence["proof"], shape)
    source = FromPairs(evidence["values"]) if "values" in evidence else FromDocument(document)
    reader = Reader(source)
    view = reader.slot(shape, root, source.root, ())
    if not isinstance(view, ObjectView):
        raise Refused("value-mismatch")
    source.finish()
    return shape, view, reader, imprint_of(schema_hash, hash_slot_token(shape, root))


def verify(schema, evidence, imprint, document=MISSING, asset=None):
    """Verifies evidence against an imprint from a trusted place, and returns a `Report`. Arguments have the types that `jsontext.parse` returns.

    Raises `Refused` if `asset` is malformed, or if the schema of a given document is invalid.
    """
    report = Report()
    asset = None if asset is None else asset_name(asset)
    try:
        imprint = read_imprint(imprint)
        shape, view, reader, report.imprint = calculate(schema, evidence, document)
        if report.imprint != imprint:
            raise Refused("imprint-mismatch")
    except Refused as refusal:
        report.errors.append((refusal.code, refusal.path))
        if isinstance(document, dict):
            comparison = Comparison(False)
            comparison.mark(root_shape(schema), document, (), "not-proven")
            report.shown = comparison.shown
        return report
    report.add(view)
    comparison = Comparison("values" in evidence)
    if document is not MISSING:
        comparison.place(shape, view, document, ())
    report.errors = list(dict.fromkeys([*comparison.errors, *(("not-in-schema", path) for path in reader.unknown)]))
    report.shown = comparison.shown
    if asset is not None:
        check_asset(shape, view, report, asset)
    report.valid = not report.errors
    return report
