"""Verifies badges with the Python libraries openbadgeslib and openvc-core.

Standard input has a JSON list of [badge, did_document] or [badge, did_document, service]. A service has `dids`, its DID documents, and `lists`, its status lists by
their addresses. Standard output gets a list of [outcome of openbadgeslib, outcome of openvc-core]. An outcome is "accepted", "revoked" or the library's refusal. No
outcome needs the network.
"""

import json
import sys
from importlib.resources import files as resources
from urllib.parse import unquote

import openvc
from openbadgeslib.ob3 import OB3LdpVerifier
from openvc.did.did_web import DidWebResolver

CONTEXTS = resources("openbadgeslib.ob3") / "contexts"
EXTRA = {
    "https://purl.imsglobal.org/spec/ob/v3p0/context-3.0.3.json": "ob-v3p0-context-3.0.3.json",
    "https://purl.imsglobal.org/spec/ob/v3p0/extensions.json": "ob-v3p0-extensions.json",
}
EXTRA = {address: json.loads((CONTEXTS / name).read_text()) for address, name in EXTRA.items()}


def outcome(verify):
    try:
        verify()
    except Exception as error:  # Each library has its own kinds of refusals.
        text = f"{type(error).__name__}: {error}"
        is_revoked = isinstance(error, openvc.status.CredentialRevoked) or "status 'revocation' is set" in text
        return "revoked" if is_revoked else text
    return "accepted"


def address_of(did):
    return f"https://{unquote(did['id'].removeprefix('did:web:'))}/.well-known/did.json"


def openbadgeslib(badge, did, service):
    """The library reads status lists only as JWT, unless their signature is not checked."""
    files = {address_of(one): one for one in [did, *service["dids"]]} | service["lists"]
    download = lambda url, *_, **__: json.dumps(files[url]).encode()
    check = "credentialStatus" in badge
    return OB3LdpVerifier(issuer_did=did["id"]).verify(badge, download=download, check_status=check, verify_status_list=False)


def openvc_core(badge, did, service):
    files = {address_of(one): one for one in [did, *service["dids"]]}
    resolver = DidWebResolver(lambda url, *_: files[url])

    def status_list(url, *_):
        credential = service["lists"][url]
        openvc.verify_credential(credential, resolver=resolver)
        return credential

    # The issuers of the badge and of its status list differ.
    trusted = frozenset(one["id"] for one in service["dids"])
    policy = openvc.VerificationPolicy(require_status_issuer_binding=True, status_issuer_allowlist=trusted)
    return openvc.verify_credential(badge, resolver=resolver, policy=policy, resolve_status_list=status_list, extra_contexts=EXTRA)


def outcomes(badge, did, service=None):
    service = service or {"dids": [], "lists": {}}
    return [outcome(lambda: openbadgeslib(badge, did, service)), outcome(lambda: openvc_core(badge, did, service))]


json.dump([outcomes(badge, did, *service) for badge, did, *service in json.load(sys.stdin)], sys.stdout)
