//! The rules by which other software finds a key in the issuer's `did.json`: the badge key, or the key of JWTs. Assay itself reads the file less strictly (docs/spec/issuer.md).

use core::fmt;
use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::key::{JwtKey, PublicKey};

/// The context of DID documents.
const CONTEXT: &str = "https://www.w3.org/ns/did/v1";

/// The context of keys that are written as `Multikey`.
const MULTIKEY_CONTEXT: &str = "https://w3id.org/security/multikey/v1";

/// The context of accounts that are written as `EcdsaSecp256k1RecoveryMethod2020`.
const ACCOUNT_CONTEXT: &str = "https://w3id.org/security/suites/secp256k1recovery-2020/v2";

/// The type of the service entry that describes the issuer.
const ISSUER: &str = "AssayIssuer";

/// A rule that a `did.json` breaks. Each rule comes from a verifier that fails otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The file is no JSON object, or its `id` is not `did:web:` and the domain.
    Identity,
    /// `@context` is missing, or does not start with the context of DID documents.
    Context,
    /// An id or a reference of a method is relative.
    Relative,
    /// A method with an account comes before a method with a key.
    Order,
    /// A key of Ed25519 is not written as `Multikey`, or a key of P-256 not as `JsonWebKey2020`.
    Form,
    /// The key is not listed as a method with this id.
    NotListed,
    /// The key is listed, but not under `assertionMethod`.
    Purpose,
    /// The `controller` of the key is not the issuer.
    Controller,
}

impl Rule {
    /// Returns the stable code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Identity => "did-id",
            Self::Context => "did-context",
            Self::Relative => "did-relative",
            Self::Order => "did-order",
            Self::Form => "did-key-form",
            Self::NotListed => "badge-key-not-listed",
            Self::Purpose => "badge-key-purpose",
            Self::Controller => "badge-key-controller",
        }
    }

    /// Returns true if other software cannot check badges at all while the rule is broken. Otherwise only some programs fail.
    #[must_use]
    pub const fn is_fatal(self) -> bool {
        !matches!(self, Self::Order | Self::Form)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Identity => "the `id` of the file must be `did:web:` and the domain",
            Self::Context => "the first entry of `@context` must be `https://www.w3.org/ns/did/v1`",
            Self::Relative => "ids and references of methods must be absolute, such as `did:web:uni.example#vc-2026` instead of `#vc-2026`",
            Self::Order => "methods with keys must come before methods with accounts in `verificationMethod`, because some programs read the first method only",
            Self::Form => "a key of Ed25519 must have the type `Multikey` and `publicKeyMultibase`, and a key of P-256 the type `JsonWebKey2020` and `publicKeyJwk`",
            Self::NotListed => "the key is not listed under `verificationMethod`",
            Self::Purpose => "the key must be listed under `assertionMethod`",
            Self::Controller => "the `controller` of the key must be the `id` of the file",
        })
    }
}

/// A public key in the form in which a `did.json` lists it.
pub trait Listed: Copy + PartialEq {
    /// The type of the method that every program knows.
    const TYPE: &'static str;
    /// The member of the method that has the key.
    const MEMBER: &'static str;

    /// Reads the member with the key. `None` for a key of another kind.
    fn read(member: &Value) -> Option<Self>;

    /// Writes the member with the key.
    fn written(&self) -> Value;
}

impl Listed for PublicKey {
    const TYPE: &'static str = "Multikey";
    const MEMBER: &'static str = "publicKeyMultibase";

    fn read(member: &Value) -> Option<Self> {
        Self::parse(member.as_str()?).ok()
    }

    fn written(&self) -> Value {
        self.to_string().into()
    }
}

impl Listed for JwtKey {
    // The newer `JsonWebKey` is unknown to one library.
    const TYPE: &'static str = "JsonWebKey2020";
    const MEMBER: &'static str = "publicKeyJwk";

    fn read(member: &Value) -> Option<Self> {
        Self::from_jwk(member)
    }

    fn written(&self) -> Value {
        self.jwk()
    }
}

/// Returns the entry of a key for `verificationMethod`. `name` is the part of its id after the `#`, such as `vc-2026`.
#[must_use]
pub fn entry<K: Listed>(domain: &str, name: &str, key: &K) -> Value {
    let did = did(domain);
    json!({
        "id": format!("{did}#{name}"),
        "type": K::TYPE,
        "controller": did,
        K::MEMBER: key.written(),
    })
}

/// Returns the file `/.well-known/jwt-vc-issuer` of a domain with one key, by which other software finds the key of an SD-JWT
/// (draft-ietf-oauth-sd-jwt-vc, "JWT VC Issuer Metadata"). `name` is as for [`entry`].
#[must_use]
pub fn issuer_metadata(domain: &str, name: &str, key: &JwtKey) -> Value {
    let mut jwk = key.jwk();
    if let Some(members) = jwk.as_object_mut() {
        let id = format!("{}#{name}", did(domain));
        members.extend(
            [("kid", id.as_str()), ("alg", "ES256"), ("use", "sig")]
                .map(|(name, text)| (name.to_owned(), text.into())),
        );
    }
    json!({ "issuer": format!("https://{domain}"), "jwks": { "keys": [jwk] } })
}

/// Returns true if a file `/.well-known/jwt-vc-issuer` of a domain lists a key under an id.
#[must_use]
pub fn lists_for_jwts(metadata: &Value, domain: &str, id: &str, key: &JwtKey) -> bool {
    let keys = metadata.pointer("/jwks/keys").and_then(Value::as_array);
    is_text(metadata.get("issuer"), &format!("https://{domain}"))
        && keys
            .into_iter()
            .flatten()
            .any(|jwk| is_text(jwk.get("kid"), id) && JwtKey::from_jwk(jwk) == Some(*key))
}

/// Returns a `did.json` with a badge key, which obeys all rules. Keeps all other content, and the name of a key that is already
/// listed. A new key has the first free name among `vc-1`, `vc-2` and so on.
///
/// # Errors
///
/// [`Rule::Identity`] if the document is not the one of the domain. [`Rule::Relative`] if `verificationMethod` or `assertionMethod` is no list.
pub fn with_key(document: Value, domain: &str, key: &PublicKey) -> Result<Value, Rule> {
    let did = did(domain);
    let mut document = prepared(document, &did)?;
    let written = key.to_string();
    let is_own = |method: &Value| is_text(method.get("publicKeyMultibase"), &written);
    if let Some(method) = list_mut(&mut document, "verificationMethod")?
        .iter_mut()
        .find(|method| is_own(method))
    {
        method["type"] = json!("Multikey");
        method["controller"] = json!(did);
    }
    add_method(&mut document, is_own, |taken| {
        let name = free_name(taken, &did, |number| format!("vc-{number}"));
        entry(domain, &name, key)
    })?;
    // Methods with keys come first. The sort is stable.
    list_mut(&mut document, "verificationMethod")?
        .sort_by_key(|method| method.get("blockchainAccountId").is_some());
    Ok(document)
}

/// Returns a `did.json` that lists an account as an issuer, and has an entry for the issuer's name. Keeps all other content. A new account has the
/// first free name among `assay`, `assay-2` and so on. `account` is an address: `0x` and 40 hexadecimal digits.
///
/// # Errors
///
/// The errors of [`with_key`].
pub fn with_account(document: Value, domain: &str, account: &str) -> Result<Value, Rule> {
    let did = did(domain);
    let mut document = prepared(document, &did)?;
    let is_own = |method: &Value| {
        let id = method.get("blockchainAccountId").and_then(Value::as_str);
        id.and_then(|id| id.rsplit(':').next())
            .is_some_and(|listed| listed.eq_ignore_ascii_case(account))
    };
    add_method(&mut document, is_own, |taken| {
        let name = free_name(taken, &did, |number| match number {
            1 => "assay".to_owned(),
            _ => format!("assay-{number}"),
        });
        account_entry(domain, &name, account)
    })?;
    if let Some(contexts) = document.get_mut("@context").and_then(Value::as_array_mut)
        && !contexts.contains(&Value::from(ACCOUNT_CONTEXT))
    {
        contexts.push(ACCOUNT_CONTEXT.into());
    }
    if let Some(members) = document.as_object_mut() {
        let services = members.entry("service").or_insert_with(|| json!([]));
        let services = services.as_array_mut().ok_or(Rule::Relative)?;
        if !services.iter().any(is_issuer) {
            services.push(json!({
                "id": format!("{did}#assay-issuer"),
                "type": ISSUER,
                "serviceEndpoint": {},
            }));
        }
    }
    Ok(document)
}

/// Returns the entry of an account for `verificationMethod`. `name` is as for [`entry`].
#[must_use]
pub fn account_entry(domain: &str, name: &str, account: &str) -> Value {
    let did = did(domain);
    json!({
        "id": format!("{did}#{name}"),
        "type": "EcdsaSecp256k1RecoveryMethod2020",
        "controller": did,
        "blockchainAccountId": format!("eip155:1:{account}"),
    })
}

/// Returns true if an entry of `service` describes the issuer. It has the type alone or in a list.
fn is_issuer(service: &Value) -> bool {
    let kind = service.get("type");
    let kinds = kind.and_then(Value::as_array);
    is_text(kind, ISSUER) || kinds.is_some_and(|kinds| kinds.contains(&ISSUER.into()))
}

/// Returns a domain's `did.json` with the context of DID documents, both lists of methods, and absolute ids. Keeps all other content.
fn prepared(document: Value, did: &str) -> Result<Value, Rule> {
    let Value::Object(given) = document else {
        return Err(Rule::Identity);
    };
    if !is_text(given.get("id"), did) {
        return Err(Rule::Identity);
    }
    // The context is the first member, as people expect it.
    let mut members = Map::new();
    members.insert("@context".to_owned(), contexts(given.get("@context")));
    members.extend(given.into_iter().filter(|(name, _)| name != "@context"));
    for name in ["verificationMethod", "assertionMethod"] {
        let list = members.entry(name).or_insert_with(|| json!([]));
        for entry in list.as_array_mut().ok_or(Rule::Relative)? {
            let id = if name == "verificationMethod" {
                entry.get_mut("id")
            } else {
                Some(entry)
            };
            if let Some(Value::String(id)) = id
                && id.starts_with('#')
            {
                *id = format!("{did}{id}");
            }
        }
    }
    Ok(Value::Object(members))
}

/// Lists a method under `verificationMethod` and `assertionMethod` unless it is there. `make` returns a new method. Its argument is the set of ids that are
/// taken.
fn add_method(
    document: &mut Value,
    is_own: impl Fn(&Value) -> bool,
    make: impl FnOnce(&BTreeSet<String>) -> Value,
) -> Result<(), Rule> {
    let taken: BTreeSet<String> = methods_of(document)
        .filter_map(|method| Some(method.get("id")?.as_str()?.to_owned()))
        .collect();
    // A method may be embedded under its purpose.
    if list_mut(document, "assertionMethod")?.iter().any(&is_own) {
        return Ok(());
    }
    let methods = list_mut(document, "verificationMethod")?;
    let listed = methods.iter().find(|method| is_own(method));
    let id = if let Some(method) = listed {
        method.get("id").cloned().unwrap_or_default()
    } else {
        let method = make(&taken);
        let id = method.get("id").cloned().unwrap_or_default();
        methods.push(method);
        id
    };
    let references = list_mut(document, "assertionMethod")?;
    if !references.contains(&id) {
        references.push(id);
    }
    Ok(())
}

/// Returns the contexts of a `did.json` with the one of DID documents first.
fn contexts(given: Option<&Value>) -> Value {
    let given = match given {
        Some(Value::Array(contexts)) => contexts.as_slice(),
        Some(context) => core::slice::from_ref(context),
        None => &[],
    };
    let own = Value::from(CONTEXT);
    let others = given.iter().filter(|context| **context != own);
    core::iter::once(&own).chain(others).cloned().collect()
}

/// Returns the first of the numbered names that no id has. Each number needs another name.
fn free_name(taken: &BTreeSet<String>, did: &str, name: impl Fn(usize) -> String) -> String {
    let free = (1..=taken.len().saturating_add(1))
        .map(name)
        .find(|name| !taken.contains(&format!("{did}#{name}")));
    free.unwrap_or_else(|| unreachable!("one name more than there are methods is free"))
}

fn list_mut<'a>(document: &'a mut Value, name: &str) -> Result<&'a mut Vec<Value>, Rule> {
    let list = document.get_mut(name).and_then(Value::as_array_mut);
    list.ok_or(Rule::Relative)
}

/// Returns a `did.json` that lists one key, and obeys all rules. `name` is as for [`entry`].
#[must_use]
pub fn document(domain: &str, name: &str, key: &PublicKey) -> Value {
    let method = entry(domain, name, key);
    json!({
        "@context": [CONTEXT, MULTIKEY_CONTEXT],
        "id": did(domain),
        "assertionMethod": [method.get("id")],
        "verificationMethod": [method],
    })
}

/// Returns the identifier of a domain. The port of a development host is written `%3A8080`.
pub(crate) fn did(domain: &str) -> String {
    format!("did:web:{}", domain.replace(':', "%3A"))
}

/// The maximum number of keys of a `did.json` that [`findings`] checks, because each one costs a pass over the file.
const KEYS_MAX: usize = 8;

/// Returns the rules that a `did.json` breaks for its first 8 keys of Ed25519, and whether a key of P-256 has an unknown form. Without such keys, no rule is
/// broken. `foreign` is a key that is not the issuer's, so it counts as none.
#[must_use]
pub fn findings(document: &Value, domain: &str, foreign: Option<&PublicKey>) -> Vec<Rule> {
    let mut broken: Vec<Rule> = Vec::new();
    let mut keys: Vec<PublicKey> = Vec::new();
    for method in methods_of(document) {
        match key_of(method) {
            Some(key) if keys.contains(&key) || Some(&key) == foreign => {}
            Some(key) => keys.push(key),
            None if is_ed25519(method) || is_unknown_p256(method) => broken.push(Rule::Form),
            None => {}
        }
        if keys.len() >= KEYS_MAX {
            break;
        }
    }
    broken.extend(
        keys.iter()
            .flat_map(|key| problems(document, domain, key).0),
    );
    let mut each = Vec::new();
    for rule in broken {
        if !each.contains(&rule) {
            each.push(rule);
        }
    }
    each
}

/// Returns true if a `did.json` lists a key as `Multikey`.
#[must_use]
pub fn lists(document: &Value, key: &PublicKey) -> bool {
    methods_of(document).any(|method| key_of(method) == Some(*key))
}

/// Returns the methods of a `did.json`, also those that are embedded under `assertionMethod`.
fn methods_of(document: &Value) -> impl Iterator<Item = &Map<String, Value>> {
    let lists = |name| {
        document
            .as_object()
            .into_iter()
            .flat_map(move |document| list(document, name))
    };
    lists("verificationMethod")
        .chain(lists("assertionMethod"))
        .filter_map(Value::as_object)
}

/// Returns the key of a method. `None` for a key of another kind.
fn key_of<K: Listed>(method: &Map<String, Value>) -> Option<K> {
    K::read(method.get(K::MEMBER)?)
}

/// Returns true if a method has a key of P-256, but a type that some programs do not know.
fn is_unknown_p256(method: &Map<String, Value>) -> bool {
    key_of::<JwtKey>(method).is_some() && !is_text(method.get("type"), JwtKey::TYPE)
}

/// Returns true if a method says that it has a key of Ed25519, in any form.
fn is_ed25519(method: &Map<String, Value>) -> bool {
    let kind = method.get("type").and_then(Value::as_str);
    let curve = method.get("publicKeyJwk").and_then(|key| key.get("crv"));
    kind.is_some_and(|kind| kind.starts_with("Ed25519")) || is_text(curve, "Ed25519")
}

/// Returns the rules that a `did.json` breaks for a key, and the key's id if the key is listed.
#[must_use]
pub fn problems<K: Listed>(document: &Value, domain: &str, key: &K) -> (Vec<Rule>, Option<String>) {
    let did = did(domain);
    let Some(document) = document
        .as_object()
        .filter(|document| is_text(document.get("id"), &did))
    else {
        return (vec![Rule::Identity], None);
    };
    let mut broken = Vec::new();
    let mut check = |rule: Rule, holds: bool| {
        if !holds && !broken.contains(&rule) {
            broken.push(rule);
        }
    };
    let first = document
        .get("@context")
        .map(|context| context.get(0).unwrap_or(context));
    check(Rule::Context, is_text(first, CONTEXT));

    let methods: Vec<&Map<String, Value>> = list(document, "verificationMethod")
        .filter_map(Value::as_object)
        .collect();
    let references: Vec<&Value> = list(document, "assertionMethod").collect();
    let ids = methods.iter().filter_map(|method| method.get("id"));
    let is_absolute = |id: &Value| {
        id.as_object().is_some() || id.as_str().is_some_and(|id| id.starts_with("did:"))
    };
    check(
        Rule::Relative,
        ids.chain(references.iter().copied()).all(is_absolute),
    );

    let has_account = |method: &&&Map<String, Value>| method.contains_key("blockchainAccountId");
    let keys_behind = methods
        .iter()
        .skip_while(|method| !has_account(method))
        .any(|method| !has_account(&method));
    check(Rule::Order, !keys_behind);

    let is_own = |method: &Map<String, Value>| key_of(method) == Some(*key);
    // A key may be embedded under its purpose.
    let embedded = references
        .iter()
        .filter_map(|reference| reference.as_object())
        .find(|method| is_own(method));
    let Some(method) = methods
        .iter()
        .copied()
        .find(|method| is_own(method))
        .or(embedded)
    else {
        check(Rule::NotListed, false);
        return (broken, None);
    };
    let id = method.get("id").and_then(Value::as_str).unwrap_or_default();
    check(
        Rule::Purpose,
        embedded.is_some()
            || references
                .iter()
                .any(|reference| is_text(Some(reference), id)),
    );
    check(Rule::Controller, is_text(method.get("controller"), &did));
    check(Rule::Form, is_text(method.get("type"), K::TYPE));
    // An id of another document would name another issuer's key.
    check(
        Rule::Relative,
        id.strip_prefix(&did)
            .is_some_and(|rest| rest.starts_with('#')),
    );
    (broken, Some(id.to_owned()))
}

fn list<'a>(document: &'a Map<String, Value>, name: &str) -> impl Iterator<Item = &'a Value> {
    document
        .get(name)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

fn is_text(value: Option<&Value>, text: &str) -> bool {
    value.and_then(Value::as_str) == Some(text)
}
