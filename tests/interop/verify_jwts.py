"""Verifies SD-JWTs and badges as JWT with the Python libraries sd-jwt and openvc-core.

Standard input has a JSON list of [kind, token, world]. A world has `did` and `issuerMetadata`, the files of the issuer, `dids`, the DID documents of the service, and
`lists` and `statusLists`, its status list tokens and credentials by their addresses. Standard output gets a list of outcomes: [sd-jwt, openvc-core] for an SD-JWT, and
[openvc-core] for a badge. An outcome is the claims, or the library's refusal as text. No outcome needs the network.
"""

import json
import sys
from urllib.parse import unquote

import openvc
from jwcrypto.jwk import JWK
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


def openvc_core(token, world):
    address = lambda did: f"https://{unquote(did['id'].removeprefix('did:web:'))}/.well-known/did.json"
    files = {address(one): one for one in [world["did"], *world.get("dids", [])]}
    metadata = world.get("issuerMetadata")
    if metadata:
        files[f"{metadata['issuer']}/.well-known/jwt-vc-issuer"] = metadata
    resolver = DidWebResolver(lambda url, *_: files[url])

    def status_token(uri):
        text = world["lists"][uri]
        service = world["dids"][0]["id"]
        key = resolver.resolve(service).key_by_kid(f"{service}#status-1").public_key_jwk
        return verify_status_list_token(text, public_key_jwk=key, expected_uri=uri)

    def status_list(url, *_):
        credential = world["statusLists"][url]
        openvc.verify_credential(credential, resolver=resolver)
        return credential

    return openvc.verify_credential(
        token,
        resolver=resolver,
        jwt_vc_issuer_fetch=lambda url, *_: files[url],
        resolve_status_list_token=status_token,
        resolve_status_list=status_list,
    ).claims


def outcomes(kind, token, world):
    by_openvc = outcome(lambda: openvc_core(token, world))
    return [outcome(lambda: sd_jwt(token, world)), by_openvc] if kind == "sd-jwt" else [by_openvc]


json.dump([outcomes(*item) for item in json.load(sys.stdin)], sys.stdout)
