//! A domain's file `/.well-known/did.json`, read as plain JSON. The rules are in `docs/spec/issuer.md`. They follow W3C DID
//! Core 1.0 (sections 3.2.2 and 5.3), the did:web method, and CAIP-10.

use std::collections::BTreeMap;

use order_core::{Address, json};
use serde_json::{Map, Value};

use super::domain::Domain;
use super::problem::{Problem, Reason};
use crate::text::{NAME_MAX, shown_name};

/// Maximum bytes of a file.
pub(super) const FILE_MAX: usize = 64 << 10;
/// Maximum number of ledgers in a file. All of them are stored.
const LEDGERS_MAX: usize = 100;
/// Maximum characters of a logo's address.
const LOGO_MAX: usize = 500;
/// Type of the service entry that describes the issuer.
const ISSUER: &str = "AssayIssuer";

/// The statements of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct File {
    /// The accounts under `assertionMethod`.
    accounts: Vec<Address>,
    /// The accounts that the domain disowns.
    revoked: Vec<Address>,
    listing: Listing,
}

/// The part of a file that applies to every listed account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Listing {
    /// The name that the domain gives itself.
    pub(crate) name: Option<String>,
    /// The address of a logo on the domain's own host.
    pub(crate) logo: Option<String>,
    /// The ledgers for which the domain confirms the listed accounts. `None` means all ledgers that a listed account owns.
    pub(crate) ledgers: Option<Vec<Address>>,
}

/// A file's statement about one account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Says {
    Listed(Listing),
    Revoked,
    Nothing,
}

impl File {
    /// Parses the file of a domain. Fails with the problem that the domain's owner must fix.
    pub(super) fn parse(bytes: &[u8], domain: &Domain) -> Result<Self, Problem> {
        let parsed = json::parse(bytes).map_err(|_| not_json(bytes))?;
        let file = parsed
            .as_object()
            .ok_or_else(|| malformed("the file must be a JSON object"))?;
        let did = domain.did();
        let id = file.get("id").and_then(Value::as_str).unwrap_or_default();
        if !id.eq_ignore_ascii_case(&did) {
            let message =
                format!("the file's `id` must be `{did}`, the domain that it is read from");
            return Err(Problem::new(Reason::WrongId, message));
        }
        let issuer = Issuer::find(file)?;
        Ok(Self {
            accounts: accounts(file, id)?,
            revoked: issuer.addresses("revoked")?.unwrap_or_default(),
            listing: Listing {
                name: issuer.text("name").and_then(name),
                logo: issuer.text("logo").and_then(|logo| logo_of(logo, domain)),
                ledgers: issuer.ledgers()?,
            },
        })
    }

    /// Returns the file's statement about an account.
    pub(super) fn about(self, account: &Address) -> Says {
        if self.revoked.contains(account) {
            Says::Revoked
        } else if self.accounts.contains(account) {
            Says::Listed(self.listing)
        } else {
            Says::Nothing
        }
    }
}

/// Explains a file that is not JSON.
fn not_json(bytes: &[u8]) -> Problem {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if text.trim_ascii_start().starts_with(b"<") {
        let message = "the server answers with a web page instead of the file: publish the JSON file at exactly this address";
        return Problem::new(Reason::Html, message);
    }
    let message = "the file is not JSON: repair it, and keep its other entries";
    Problem::new(Reason::NotJson, message)
}

fn malformed(message: impl Into<String>) -> Problem {
    Problem::new(Reason::Malformed, message)
}

/// Returns the list under a key. An absent list is empty.
fn list<'a>(object: &'a Map<String, Value>, key: &str) -> Result<&'a [Value], Problem> {
    match object.get(key) {
        None => Ok(&[]),
        Some(Value::Array(list)) => Ok(list),
        Some(_) => Err(malformed(format!("`{key}` must be a list"))),
    }
}

/// Returns the accounts of the verification methods under `assertionMethod`. The methods are embedded there, or referenced
/// by their ids. Skips methods without an Ethereum-style account, and references to methods that the file does not have.
fn accounts(file: &Map<String, Value>, did: &str) -> Result<Vec<Address>, Problem> {
    let methods = list(file, "verificationMethod")?;
    // The first method with an id counts. The map makes the time linear in the size of the file.
    let mut by_id = BTreeMap::new();
    for method in methods {
        if let Some(id) = method.get("id").and_then(Value::as_str) {
            by_id.entry(absolute(did, id)).or_insert(method);
        }
    }
    let purposes = list(file, "assertionMethod")?.iter();
    let named = purposes.filter_map(|entry| match entry {
        Value::String(reference) => by_id.get(&absolute(did, reference)).copied(),
        embedded => Some(embedded),
    });
    let account = |method: &Value| caip10(method.get("blockchainAccountId")?.as_str()?);
    Ok(named.filter_map(account).collect())
}

/// Returns an id of a method, or a reference to it, with the DID that a relative one leaves out (DID Core, section 3.2.2).
fn absolute(did: &str, reference: &str) -> String {
    #[cfg(test)]
    tests::RESOLVED.set(tests::RESOLVED.get().saturating_add(1));
    match reference.strip_prefix('#') {
        Some(_) => format!("{did}{reference}"),
        None => reference.to_owned(),
    }
}

/// Parses an account of CAIP-10 on any Ethereum-style chain. Returns `None` for other texts. The chain is ignored, because the
/// same key controls the account on every chain.
pub(super) fn caip10(text: &str) -> Option<Address> {
    let (chain, account) = text.strip_prefix("eip155:")?.split_once(':')?;
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    let is_chain = (1..=32).contains(&chain.len()) && chain.bytes().all(is_part);
    is_chain.then(|| address(account)).flatten()
}

/// Parses an address without checking its checksum. The pages do not check it either, because browsers have no Keccak-256.
fn address(text: &str) -> Option<Address> {
    text.starts_with("0x")
        .then(|| text.to_ascii_lowercase().parse().ok())?
}

/// The service entry that describes the issuer.
#[derive(Default)]
struct Issuer<'a>(Option<&'a Map<String, Value>>);

impl<'a> Issuer<'a> {
    fn find(file: &'a Map<String, Value>) -> Result<Self, Problem> {
        let is_issuer = |entry: &&Value| match entry.get("type") {
            Some(Value::String(kind)) => kind == ISSUER,
            Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == ISSUER),
            _ => false,
        };
        let mut entries = list(file, "service")?.iter().filter(is_issuer);
        let Some(entry) = entries.next() else {
            return Ok(Self::default());
        };
        if entries.next().is_some() {
            return Err(malformed(format!(
                "`service` has two entries of the type `{ISSUER}`: keep one"
            )));
        }
        match entry.get("serviceEndpoint") {
            Some(Value::Object(endpoint)) => Ok(Self(Some(endpoint))),
            _ => Err(malformed(format!(
                "the `serviceEndpoint` of `{ISSUER}` must be an object"
            ))),
        }
    }

    fn get(&self, key: &str) -> Option<&'a Value> {
        self.0?.get(key)
    }

    fn text(&self, key: &str) -> Option<&'a str> {
        self.get(key)?.as_str()
    }

    fn addresses(&self, key: &str) -> Result<Option<Vec<Address>>, Problem> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        let read = |value: &Value| {
            let list = value.as_array()?.iter();
            list.map(|entry| address(entry.as_str()?)).collect()
        };
        let addresses: Option<Vec<Address>> = read(value);
        let message = || format!("`{key}` must be a list of addresses, `0x` and 40 hex digits");
        addresses.map(Some).ok_or_else(|| malformed(message()))
    }

    fn ledgers(&self) -> Result<Option<Vec<Address>>, Problem> {
        let ledgers = self.addresses("ledgers")?;
        match &ledgers {
            Some(list) if list.len() > LEDGERS_MAX => Err(malformed(format!(
                "`ledgers` has {} addresses; {LEDGERS_MAX} are allowed",
                list.len()
            ))),
            _ => Ok(ledgers),
        }
    }
}

fn name(text: &str) -> Option<String> {
    shown_name(text, NAME_MAX).map(str::to_owned)
}

/// Returns the address of a logo if it is on the domain's own host, otherwise `None`. Another host would learn who looks at a
/// certificate, and could exchange the picture.
fn logo_of(text: &str, domain: &Domain) -> Option<String> {
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte);
    let on_host = text.strip_prefix(domain.origin().as_str())?;
    let is_logo = on_host.starts_with('/') && text.len() <= LOGO_MAX && text.bytes().all(is_plain);
    is_logo.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    thread_local! {
        /// The number of calls of [`absolute`].
        pub(super) static RESOLVED: Cell<usize> = const { Cell::new(0) };
    }

    #[derive(Deserialize)]
    struct Vectors {
        domain: String,
        account: Address,
        documents: Vec<Document>,
    }

    #[derive(Deserialize)]
    struct Document {
        name: String,
        result: String,
        reason: Option<String>,
        text: Option<String>,
        document: Option<Value>,
        ledger: Option<Address>,
        issuer: Option<Shown>,
    }

    #[derive(Debug, Default, Deserialize, PartialEq)]
    struct Shown {
        name: Option<String>,
        logo: Option<String>,
    }

    #[test]
    fn the_files_of_the_vectors_have_the_expected_results() {
        let vectors = include_str!("../../../tests/vectors/issuer/vectors.json");
        let Vectors {
            domain,
            account,
            documents,
        } = json::from_text(vectors).unwrap();
        let domain = Domain::from_stored(domain);
        assert!(documents.len() >= 80);
        for vector in documents {
            let text = vector
                .text
                .unwrap_or_else(|| vector.document.unwrap_or(Value::Null).to_string());
            let says = File::parse(text.as_bytes(), &domain).map(|file| file.about(&account));
            let (result, reason, shown) = match says {
                Err(problem) => ("notConfirmed", Some(problem.reason.as_str()), None),
                Ok(Says::Revoked) => ("disowned", Some("revoked"), None),
                Ok(Says::Nothing) => ("notConfirmed", Some("not-listed"), None),
                Ok(Says::Listed(listing))
                    if vector.ledger.is_some_and(|ledger| {
                        let ledgers = listing.ledgers.as_ref();
                        ledgers.is_some_and(|ledgers| !ledgers.contains(&ledger))
                    }) =>
                {
                    ("notConfirmed", Some("ledger-not-listed"), None)
                }
                Ok(Says::Listed(Listing { name, logo, .. })) => {
                    ("confirmed", None, Some(Shown { name, logo }))
                }
            };
            assert_eq!(
                (result, reason),
                (vector.result.as_str(), vector.reason.as_deref()),
                "{}",
                vector.name
            );
            assert_eq!(
                shown.unwrap_or_default(),
                vector.issuer.unwrap_or_default(),
                "{}",
                vector.name
            );
        }
    }

    #[test]
    fn each_id_and_each_reference_of_a_file_is_resolved_once() {
        let domain = Domain::from_stored("uni.example".to_owned());
        for (methods, references) in [(10, 20), (2_000, 4_000)] {
            let methods: Vec<_> = (0..methods)
                .map(|at| json!({ "id": format!("#{at}") }))
                .collect();
            let file = json!({
                "id": domain.did(),
                "assertionMethod": vec!["#no"; references],
                "verificationMethod": methods,
            });
            RESOLVED.set(0);
            let accounts = File::parse(file.to_string().as_bytes(), &domain)
                .unwrap()
                .accounts;
            assert_eq!(
                (accounts.len(), RESOLVED.get()),
                (0, methods.len() + references)
            );
        }
    }

    #[test]
    fn only_accounts_on_ethereum_style_chains_are_parsed() {
        const ACCOUNT: &str = "0xc72b2c5e7a0a4d83e44c3b9c2bf2d2ef0c9a1b01";
        let account = ACCOUNT.parse().ok();
        for chain in ["1", "137", "a-b_C", &"9".repeat(32)] {
            assert_eq!(caip10(&format!("eip155:{chain}:{ACCOUNT}")), account);
        }
        for text in [
            "",
            ACCOUNT,
            &format!("eip155:{ACCOUNT}"),
            &format!("eip155::{ACCOUNT}"),
            &format!("eip155:1:2:{ACCOUNT}"),
            &format!("eip155:{}:{ACCOUNT}", "9".repeat(33)),
            &format!("EIP155:1:{ACCOUNT}"),
            &format!("eip155:1:{ACCOUNT} "),
            &format!("eip155:1:{}", ACCOUNT.replace("0x", "0X")),
            &format!("eip155:1:{}", ACCOUNT.trim_end_matches('1')),
        ] {
            assert_eq!(caip10(text), None, "{text}");
        }
    }
}
