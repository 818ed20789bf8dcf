"""Deploys a ledger and creates an asset on it: `ASSAY_KEY=… ASSAY_API=… python3 issue.py IMPRINT`.

Every request body follows openapi.json, and every claim follows docs/spec/orders.md. The script prints the ledger's address. It needs a service
whose deposits move no money, such as the service that `cargo xtask dev` starts.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request

import orders

PRIORITY = 2
FINAL = 7
PATIENCE = 60


class Service:
    """The service's routes for one account."""

    def __init__(self, url, account):
        self.url = url.rstrip("/")
        self.account = account
        text = self.call("GET", "/health", authorized=False)["authorizationText"]
        self.authorization = account.claim(text)

    def call(self, method, path, body=None, authorized=True):
        headers = {"Authorization": self.authorization} if authorized else {}
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            raise SystemExit(f"{method} {path}: {error.code} {error.read().decode()}") from None

    def wait(self, path):
        """Waits until a record is finalized, and returns the record. Exits if the record has an error or the wait takes too long."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            record = self.call("GET", path)
            if record["status"] == FINAL:
                return record
            if record["error"]:
                raise SystemExit(f"{path}: {record['error']}")
            time.sleep(0.2)
        raise SystemExit(f"{path} is not finalized after {PATIENCE} seconds")


def now():
    return time.time_ns() // 1_000_000


def deploy(service, gateway, payment, name):
    """Deploys a ledger and returns its address."""
    me = service.account.id
    data = {
        "assetLedgerData": {
            "name": name, "symbol": "CERT", "uriPrefix": "https://assets.example/", "uriPostfix": ".json",
            "schemaId": "00" * 32, "capabilities": [2], "ownerId": me,
        },
        "makerId": me, "seed": now(), "expiration": now() + 3_600_000,
        "tokenTransferData": {
            "ledgerId": payment["tokenAddress"], "receiverId": payment["receiverAddress"], "value": payment["assetDeployCost"],
        },
    }
    value = orders.deployment_hash(data, gateway["assetLedgerDeployOrderId"])
    record = service.call("POST", "/deployments", {"deploy": data, "claim": service.account.claim(value), "priority": PRIORITY})
    if record["hash"] != "0x" + value.hex():
        raise SystemExit("the service computes another hash")
    return service.wait(f"/deployments/{record['ref']}")["ledgerId"]


def create(service, gateway, payment, ledger, asset, imprint):
    """Creates an asset with an order that also pays for it."""
    me = service.account.id
    content = {
        "signers": [{"accountId": me}],
        "actions": [
            {"kind": 1, "ledgerId": ledger, "assetId": asset, "assetImprint": imprint, "senderId": me, "receiverId": me},
            {
                "kind": 3, "ledgerId": payment["tokenAddress"], "value": payment["assetCreateCost"],
                "senderId": me, "receiverId": payment["receiverAddress"],
            },
        ],
        "seed": now(), "expiration": now() + 3_600_000,
    }
    value = orders.order_hash(content, gateway["actionsOrderId"])
    content["signers"][0]["claim"] = service.account.claim(value)
    record = service.call("POST", "/orders", {"order": content, "priority": PRIORITY, "wildcardSigner": False, "automatedPerform": True})
    if record["hash"] != "0x" + value.hex():
        raise SystemExit("the service computes another hash")
    service.wait(f"/orders/{record['ref']}")


def main(imprint):
    service = Service(os.environ.get("ASSAY_API", "http://127.0.0.1:8787"), orders.Account(os.environ["ASSAY_KEY"]))
    service.call("POST", "/deposits", {"amount": 2000})
    account = service.call("GET", "/account")
    gateway, payment = account["gateway"], account["payment"]
    ledger = deploy(service, gateway, payment, "Certificates")
    create(service, gateway, payment, ledger, "1", imprint)
    print(ledger)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(sys.argv[1])
