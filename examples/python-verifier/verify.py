"""Verifies a certificate file (docs/spec/file.md): `python3 verify.py FILE IMPRINT`.

Take the imprint from the ledger or from the issuer, not from the file. The command prints the proven values as JSON, one path and value per line.
Exit codes: 0 proven, 1 not proven, 2 wrong usage, or a file that cannot be read or is not a certificate file.
"""

import json
import sys
from pathlib import Path

import aih1
import aih2
from jsontext import Refused, parse

MEMBERS = {"assay", "service", "ledger", "asset", "imprint", "schema", "document", "evidence"}
# The limit for a whole file: the object of the file and the 260 levels of its evidence.
LEVELS = 261


def check(file, imprint):
    """Returns the proven values and the reasons. The values are None if the file is not valid under the imprint."""
    if not isinstance(file, dict) or not MEMBERS <= file.keys() <= MEMBERS | {"confirmation"} or file["assay"] != 1:
        raise Refused("file-invalid")
    schema, document, evidence = file["schema"], file["document"], file["evidence"]
    if isinstance(evidence, dict) and "profile" in evidence:
        asset = {"ledgerId": file["ledger"], "assetId": file["asset"]}
        shown = aih2.MISSING if document is None else document
        report = aih2.verify(schema, evidence, imprint, shown, asset)
        return report.entries if report.valid else None, [f"{code} at {json.dumps(path)}" for code, path in report.errors]
    digits = aih2.read_imprint(imprint).removeprefix("aih2:")
    report = aih1.verify(schema, document, evidence, digits)
    return report.proven if report.valid else None, [f"not proven at {json.dumps(path)}" for path in report.unproven]


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        proven, reasons = check(parse(Path(arguments[0]).read_bytes(), LEVELS), arguments[1])
    except (OSError, Refused) as error:
        print(f"{arguments[0]}: {error}", file=sys.stderr)
        return 2
    if proven is None:
        print("not proven", *reasons, sep="\n  ", file=sys.stderr)
        return 1
    for path, value in proven:
        print(json.dumps([path, value], ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
