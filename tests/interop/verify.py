"""Verifies badges with the Python libraries openbadgeslib and openvc-core.

Standard input has a JSON list of [badge, did_document]. Standard output gets a list of [outcome of openbadgeslib, outcome of openvc-core]. An outcome is
"accepted" or the library's refusal. No outcome needs the network.
"""

import json
import sys
from importlib.resources import files

import openvc
from openbadgeslib.ob3 import OB3LdpVerifier
from openvc.did.did_web import DidWebResolver

CONTEXTS = files("openbadgeslib.ob3") / "contexts"
EXTRA = {
    "https://purl.imsglobal.org/spec/ob/v3p0/context-3.0.3.json": "ob-v3p0-context-3.0.3.json",
    "https://purl.imsglobal.org/spec/ob/v3p0/extensions.json": "ob-v3p0-extensions.json",
}
EXTRA = {address: json.loads((CONTEXTS / name).read_text()) for address, name in EXTRA.items()}


def outcome(verify):
    try:
        verify()
    except Exception as error:  # Each library has its own kinds of refusals.
        return f"{type(error).__name__}: {error}"
    return "accepted"


def openbadgeslib(badge, did):
    download = lambda *_, **__: json.dumps(did).encode()
    return OB3LdpVerifier(issuer_did=did["id"]).verify(badge, download=download)


def openvc_core(badge, did):
    policy = openvc.VerificationPolicy(require_status=False)
    return openvc.verify_credential(badge, resolver=DidWebResolver(lambda *_: did), policy=policy, extra_contexts=EXTRA)


def outcomes(badge, did):
    return [outcome(lambda: openbadgeslib(badge, did)), outcome(lambda: openvc_core(badge, did))]


json.dump([outcomes(badge, did) for badge, did in json.load(sys.stdin)], sys.stdout)
