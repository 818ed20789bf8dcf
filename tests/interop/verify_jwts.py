"""Verifies SD-JWTs with the Python libraries sd-jwt and openvc-core, and badges as JWT with openbadgeslib.

Standard input has a JSON list of [kind, token, world]. A world has `did` and `issuerMetadata`, the files of the issuer, `dids`, the DID documents of the service, and
`lists` and `statusLists`, its status list tokens and credentials by their addresses. Standard output gets a list of outcomes: [sd-jwt, openvc-core] for an SD-JWT, and
[openbadgeslib] for a badge. An outcome is the claims, or the library's refusal as text. No outcome needs the network.
"""

import json
import sys
from urllib.parse import unquote

import openvc
from jwcrypto.jwk import JWK
from openbadgeslib.ob3 import OB3Verifier
from openvc.did.did_web import DidWebResolver
from openvc.status.issue import verify_status_list_token
from sd_jwt.verifier import SDJWTVerifier


def outcome(verify):
    try:
        return verify()
    except Exception as error:  # Each library has its own kinds of refusals.
        is_revoked = isinstance(error, openvc.status.CredentialRevoked)
        return "revoked" if is_revoked else f"{type(error).__name__}: {error}"


def sd_jwt(token, world):
    keys = {key["kid"]: key for key in world["issuerMetadata"]["jwks"]["keys"]}
    key = lambda issuer, header: JWK.from_json(json.dumps(keys[header["kid"]]))
    return SDJWTVerifier(token, key).get_verified_payload()


def files_of(world):
    address = lambda did: f"https://{unquote(did['id'].removeprefix('did:web:'))}/.well-known/did.json"
    metadata = world["issuerMetadata"]
    dids = {address(one): one for one in [world["did"], *world["dids"]]}
    return dids | {f"{metadata['issuer']}/.well-known/jwt-vc-issuer": metadata} | world.get("statusLists", {})


def openbadgeslib(token, world):
    """The library reads status lists only as JWT, unless their signature is not checked."""
    files = files_of(world)
    download = lambda url, *_, **__: json.dumps(files[url]).encode()
    verifier = OB3Verifier.for_issuer_did(world["did"]["id"], download)
    badge = verifier.verify(token, check_status=True, verify_status_list=False, download=download)
    return {"credentialSubject": {"result": [{"value": badge.results[0].value}]}}


def openvc_core(token, world):
    files = files_of(world)
    resolver = DidWebResolver(lambda url, *_: files[url])

    def status_token(uri):
        text = world["lists"][uri]
        service = world["dids"][0]["id"]
        key = resolver.resolve(service).key_by_kid(f"{service}#status-1").public_key_jwk
        return verify_status_list_token(text, public_key_jwk=key, expected_uri=uri)

    return openvc.verify_credential(
        token,
        resolver=resolver,
        jwt_vc_issuer_fetch=lambda url, *_: files[url],
        resolve_status_list_token=status_token,
    ).claims


def outcomes(kind, token, world):
    programs = {"sd-jwt": [sd_jwt, openvc_core], "vc-jwt": [openbadgeslib]}[kind]
    return [outcome(lambda: program(token, world)) for program in programs]


json.dump([outcomes(*item) for item in json.load(sys.stdin)], sys.stdout)
