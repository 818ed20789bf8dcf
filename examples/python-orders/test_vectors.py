"""Runs the test vectors: `python3 -m unittest` in this folder."""

import json
import unittest
from pathlib import Path

import orders

VECTORS = json.loads((Path(__file__).parents[2] / "tests" / "vectors" / "claims" / "claims.json").read_text(encoding="utf-8"))
GATEWAY = VECTORS["gatewayConfig"]


class Claims(unittest.TestCase):
    def check_claims(self, case, value):
        for claim in case["claims"]:
            # The specification has no claims of kinds 1 and 2. Only the contracts accept them.
            if claim["kind"] not in (0, 3):
                continue
            self.assertEqual(orders.signer_of(claim["claim"], value), claim["signer"])
            if claim["kind"] == 3:
                self.assertEqual(orders.Account(claim["privateKey"]).claim(value), claim["claim"])

    def test_orders(self):
        for case in VECTORS["actionsOrders"]:
            with self.subTest(case["name"]):
                request = case["apiOrder"]
                unsafe = {step["contractAddress"] for step in case["actionSteps"] if step["proxyId"] == 2}
                value = orders.order_hash(request["order"], GATEWAY["actionsOrderId"], request["wildcardSigner"], unsafe)
                self.assertEqual("0x" + value.hex(), case["orderHash"])
                self.check_claims(case, value)

    def test_deployments(self):
        for case in VECTORS["deployments"]:
            with self.subTest(case["name"]):
                value = orders.deployment_hash(case["apiDeploy"], GATEWAY["assetLedgerDeployOrderId"])
                self.assertEqual("0x" + value.hex(), case["hash"])
                self.check_claims(case, value)

    def test_approvals(self):
        for case in VECTORS["approvals"]:
            with self.subTest(case["name"]):
                value = orders.approval_hash(case["apiApproval"])
                self.assertEqual("0x" + value.hex(), case["hash"])
                self.check_claims(case, value)

    def test_authorization(self):
        for case in VECTORS["auth"]:
            if case["signatureType"] == 3:
                with self.subTest(case["text"]):
                    self.assertEqual(orders.Account(case["privateKey"]).claim(case["text"]), case["authorization"])

    def test_forged_claims(self):
        claim = orders.Account("0x" + "11" * 32).claim("text")
        kind, r, s, v = claim[:2], claim[4:68], int(claim[68:132], 16), claim[132:]
        high = f"{kind}0x{r}{orders.ORDER - s:064x}{'1b' if v == '1c' else '1c'}"
        for forged in (high, claim[:-2] + "1d", "1" + claim[1:], claim[:-2], f"{kind}0x{'00' * 32}{s:064x}{v}"):
            with self.subTest(forged), self.assertRaises(ValueError):
                orders.signer_of(forged, "text")
        self.assertNotEqual(orders.signer_of(claim, "another text"), orders.signer_of(claim, "text"))


if __name__ == "__main__":
    unittest.main()
