"""Runs the test vectors: `python3 -m unittest` in this folder."""

import json
import unittest
from pathlib import Path

import aih1
import aih2
import verify
from jsontext import Refused, parse

VECTORS = Path(__file__).parents[2] / "tests" / "vectors"


def cases(name):
    return json.loads((VECTORS / name).read_text(encoding="utf-8"))["cases"]


def value(case, name, levels=256):
    """Returns a member of a case as the strict parser reads it. Returns MISSING if the case lacks the member."""
    if name not in case:
        return aih2.MISSING
    text = case[name] if case.get("text") else json.dumps(case[name])
    return parse(text, levels)


def tuples(paths):
    return sorted(map(tuple, paths), key=repr)


def by_path(findings):
    return sorted(({**one, "path": tuple(one["path"])} for one in findings), key=repr)


class Aih1(unittest.TestCase):
    def test_imprints_and_schema_ids(self):
        for case in cases("cert/reference.json"):
            with self.subTest(case["name"]):
                ids = {form: aih1.schema_id(case["schema"], form == "sorted")[2:] for form in case["schemaId"]}
                self.assertEqual(ids, case["schemaId"])
                self.assertEqual(aih1.imprint_of(case["schema"], case["data"]), case["imprint"])

    def test_disclosed_evidence(self):
        for case in cases("cert/reference.json"):
            shown = [(case["data"], case["notarize"])]
            # Other implementations do not bind the positions in parts of long lists ("Limits of AIH-1").
            if not case["arraysOver10"]:
                shown += ((one["expose"], one["proofs"]) for one in case["disclose"])
            for data, proofs in shown:
                with self.subTest(case["name"]):
                    report = aih1.verify(case["schema"], data, proofs, case["imprint"])
                    self.assertEqual((report.valid, report.imprint), (True, case["imprint"]))

    def test_forgeries(self):
        for case in cases("cert/forged.json"):
            with self.subTest(case["name"]):
                report = aih1.verify(case["schema"], case["data"], case["proofs"], case["imprint"])
                self.assertFalse(report.valid)


class Files(unittest.TestCase):
    def test_files_of_both_profiles(self):
        text = (VECTORS / "file" / "files.json").read_text(encoding="utf-8")
        accepted = {case["name"]: case["text"] for case in json.loads(text)["accepted"]}
        for name in ("AIH-2, without a document", "AIH-2, with the values in the evidence and the document", "AIH-1"):
            with self.subTest(name):
                file = parse(accepted[name], verify.LEVELS)
                proven, reasons = verify.check(file, file["imprint"])
                self.assertTrue(proven)
                self.assertEqual(reasons, [])
                self.assertIsNone(verify.check(file, "0" * 64)[0])
                file["document"] = {**(file["document"] or {}), "added": 1}
                self.assertEqual(verify.check(file, file["imprint"])[0] is None, name != "AIH-1")


class Aih2(unittest.TestCase):
    def test_imprints_and_keys(self):
        for case in cases("aih2/vectors.json"):
            if case["kind"] not in ("disclose", "make") or not case["valid"]:
                continue
            with self.subTest(case["name"]):
                schema, data = value(case, "schema"), value(case, "data")
                self.assertEqual("0x" + aih2.schema_id(schema).hex(), case["schemaId"])
                key = bytes.fromhex(case["key"])
                if "secret" in case:
                    derived = aih2.document_key(bytes.fromhex(case["secret"]), schema, data, case.get("assetId", ""))
                    self.assertEqual(derived, key)
                self.assertEqual(aih2.certify(schema, data, key), case["imprint"])

    def test_refused_documents(self):
        for case in cases("aih2/vectors.json"):
            if case["kind"] != "make" or case["valid"]:
                continue
            with self.subTest(case["name"]), self.assertRaises(Refused):
                schema, data = value(case, "schema"), value(case, "data")
                if "secret" in case:
                    key = aih2.document_key(bytes.fromhex(case["secret"]), schema, data)
                elif "key" in case and len(case["key"]) == 64:
                    key = bytes.fromhex(case["key"])
                else:
                    raise Refused("option-invalid")
                aih2.certify(schema, data, key)

    def check(self, schema, part, imprint):
        """Verifies the evidence in three forms: detached with its document, attached alone, and attached with its document."""
        evidence, document = part["evidence"], value(part, "document")
        attached = {**evidence, "values": value(part, "values")}
        for some, shown in ((evidence, document), (attached, aih2.MISSING), (attached, document)):
            report = aih2.verify(schema, some, imprint, shown)
            self.assertEqual((report.errors, report.valid, report.imprint), ([], True, imprint))
            self.assertEqual(tuples(report.absent), tuples(part["absent"]))
            self.assertEqual(by_path(report.objects), by_path(part["objects"]))
            self.assertEqual(by_path(report.lists), by_path(part["lists"]))
            self.assertTrue(all(status == "proven" for _, status in report.shown))

    def test_disclosed_evidence(self):
        for case in cases("aih2/vectors.json"):
            if case["kind"] != "disclose" or not case["valid"]:
                continue
            with self.subTest(case["name"]):
                schema = value(case, "schema")
                self.check(schema, case, case["imprint"])
                if "reduce" in case:
                    self.check(schema, case["reduce"], case["imprint"])

    def test_decisions(self):
        for case in cases("aih2/vectors.json"):
            if case["kind"] != "verify":
                continue
            with self.subTest(case["name"]):
                try:
                    evidence = value(case, "evidence", 260)
                    report = aih2.verify(value(case, "schema"), evidence, case["imprint"], value(case, "document"))
                except Refused as refused:
                    report = aih2.Report(errors=[(refused.code, refused.path)])
                self.assertEqual((report.valid, not report.errors), (case["valid"], case["valid"]))

    def test_reports(self):
        for case in cases("aih2/reports.json"):
            with self.subTest(case["name"]):
                report = aih2.verify(case["schema"], case["evidence"], case["imprint"], value(case, "document"), case.get("asset"))
                self.assertEqual(report.valid, case["valid"])
                expected = sorted(((one["code"], tuple(one["path"])) for one in case["errors"]), key=repr)
                self.assertEqual(sorted(report.errors, key=repr), expected)
                self.assertEqual(report.shown, [(tuple(one["path"]), one["status"]) for one in case["shown"]])


if __name__ == "__main__":
    unittest.main()
