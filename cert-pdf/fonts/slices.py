"""Cuts the regular weight of Noto Sans SC, JP and KR into the slices of Fontsource's packages, one file for each.

    pip install fonttools==4.63.0 zopfli==0.4.3
    python slices.py PACKAGES OUT [SCRIPT...]

PACKAGES has the unpacked packages @fontsource/noto-sans-sc, -jp and -kr 5.3.0 in the folders sc, jp and kr.
"""

import io
import json
import re
import sys

import zopfli.zlib
from fontTools import subset

FEATURES = ["ccmp", "locl", "mark", "mkmk", "ljmo", "vjmo", "tjmo"]
# Only vertical text and other programs need them.
UNUSED = ["BASE", "DSIG", "STAT", "VORG", "vhea", "vmtx"]


def is_wanted(code):
    """Returns true for characters after the scripts of the other fonts, without those for private use."""
    return 0x1100 <= code < 0xE000 or 0xF900 <= code < 0xF0000


def codes_of(text):
    """Returns the characters of `U+4e00,U+4e03-4e05`."""
    codes = set()
    for part in text.split(","):
        first, _, last = part.removeprefix("U+").partition("-")
        codes.update(range(int(first, 16), int(last or first, 16) + 1))
    return {code for code in codes if is_wanted(code)}


def ranges_of(codes):
    """Returns characters as `4e00,4e03-4e05`."""
    ranges = []
    for code in sorted(codes):
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return ",".join(f"{first:x}" if first == last else f"{first:x}-{last:x}" for first, last in ranges)


def cut(packages, out, script):
    folder = f"{packages}/{script}/package"
    with open(f"{folder}/unicode.json") as file:
        slices = json.load(file)
    # `[119]` is the slice with the most frequent characters.
    numbers = sorted((int(key[1:-1]) for key in slices if re.fullmatch(r"\[\d+\]", key)), reverse=True)
    lines, seen = [], set()
    for number in numbers:
        options = subset.Options(layout_features=FEATURES, hinting=False, notdef_outline=True, recalc_timestamp=False)
        options.name_IDs = [0, 1, 2, 6, 14]
        options.drop_tables += UNUSED
        font = subset.load_font(f"{folder}/files/noto-sans-{script}-{number}-400-normal.woff", options)
        codes = (codes_of(slices[f"[{number}]"]) & set(font.getBestCmap())) - seen
        if not codes:
            continue
        subsetter = subset.Subsetter(options)
        subsetter.populate(unicodes=codes)
        subsetter.subset(font)
        # Fonts of one document need different names.
        name = f"NotoSans{script.upper()}-Regular-{len(lines)}"
        font["name"].setName(name, 6, 3, 1, 0x409)
        font["name"].removeNames(nameID=6, platformID=1)
        font.flavor = None
        file = io.BytesIO()
        font.save(file)
        with open(f"{out}/{script}-{len(lines)}.slice", "wb") as target:
            target.write(zopfli.zlib.compress(file.getvalue(), numiterations=3))
        seen |= codes
        lines.append(ranges_of(codes))
    with open(f"{out}/{script}.ranges", "w") as target:
        target.write("\n".join(lines) + "\n")
    print(script, len(lines), "slices", len(seen), "characters")


for one in sys.argv[3:] or ["sc", "jp", "kr"]:
    cut(sys.argv[1], sys.argv[2], one)
