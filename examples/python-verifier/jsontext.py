"""JSON texts within I-JSON, and their canonical form (docs/spec/aih-2.md, section 1; RFC 8785)."""

import json
from decimal import Decimal
from math import isinf, isnan

LARGEST_INTEGER = 2**53 - 1


class Refused(Exception):
    """The refusal of an input. `code` names the reason, and `path` the place if it is known."""

    def __init__(self, code, path=()):
        super().__init__(code)
        self.code = code
        self.path = tuple(path)


def number_text(number):
    """Returns a number as ECMAScript's Number::toString writes it."""
    number = float(number)
    if number == 0:
        return "0"
    sign, digits, exponent = Decimal(repr(number)).as_tuple()
    stripped = "".join(map(str, digits)).rstrip("0")
    exponent += len(digits) - len(stripped)
    # The value is 0.stripped times 10 to the power of `point`.
    point = len(stripped) + exponent
    if len(stripped) <= point <= 21:
        text = stripped + "0" * (point - len(stripped))
    elif 0 < point <= 21:
        text = stripped[:point] + "." + stripped[point:]
    elif -6 < point <= 0:
        text = "0." + "0" * -point + stripped
    else:
        fraction = "." + stripped[1:] if stripped[1:] else ""
        text = f"{stripped[0]}{fraction}e{point - 1:+d}"
    return "-" + text if sign else text


def _number(text):
    """Reads a number. Integers become `int`, other numbers `float`."""
    value = float(text)
    if isinf(value) or isnan(value):
        raise Refused("number-not-finite")
    if not any(sign in number_text(value) for sign in ".e") or not any(sign in text for sign in ".eE"):
        if abs(value) > LARGEST_INTEGER:
            raise Refused("integer-too-large")
        return int(value)
    return value


def _constant(text):
    raise Refused("json-invalid")


def _object(pairs):
    value = dict(pairs)
    if len(value) != len(pairs):
        raise Refused("key-duplicate")
    return value


def _check(value, levels):
    """Refuses unpaired surrogates and values with more than `levels` levels of objects and lists."""
    if isinstance(value, str):
        if any("\ud800" <= sign <= "\udfff" for sign in value):
            raise Refused("surrogate-unpaired")
    elif isinstance(value, (dict, list)):
        if levels == 0:
            raise Refused("json-too-deep")
        for key in value if isinstance(value, dict) else ():
            _check(key, levels)
        for inner in value.values() if isinstance(value, dict) else value:
            _check(inner, levels - 1)


def parse(text, levels=256):
    """Reads a JSON text (str or bytes) strictly. Raises `Refused`."""
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8")
        value = json.loads(text, object_pairs_hook=_object, parse_int=_number, parse_float=_number, parse_constant=_constant)
    except RecursionError:
        raise Refused("json-too-deep") from None
    except ValueError:
        raise Refused("json-invalid") from None
    _check(value, levels)
    return value


def units(text):
    """Returns the sort key of a string: its UTF-16 code units."""
    return text.encode("utf-16-be")


def canonical(value):
    """Returns the canonical text of RFC 8785 as bytes."""
    return _canonical(value).encode()


def _canonical(value):
    if isinstance(value, dict):
        members = (f"{_string(key)}:{_canonical(value[key])}" for key in sorted(value, key=units))
        return "{" + ",".join(members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_canonical, value)) + "]"
    if isinstance(value, str):
        return _string(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return number_text(value)


def _string(text):
    # Python escapes the same characters in the same way as ECMAScript.
    return json.dumps(text, ensure_ascii=False)
