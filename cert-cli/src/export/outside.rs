//! The answers of the service and of the issuer's domain.

use cert_badge::Issuer;
use cert_core::verdict::moment;
use cert_core::{Object, Value};

use super::certificate::{Certificate, Place};
use crate::failure::Failure;
use crate::http;

/// The maximum size of a `did.json`, in bytes (docs/spec/issuer.md).
const LARGEST_DID: u64 = 65_536;
/// The maximum size of a status list, in bytes. A list that cannot be compressed has half of it.
const LARGEST_LIST: u64 = 65_536;
/// The maximum size of the service's answer, in bytes.
const LARGEST_ANSWER: u64 = 16 << 20;

/// The data of `GET /badge.json`. It is read into the model of certification, because numbers of the documents must stay exact.
pub(crate) struct Record(Value);

impl Record {
    /// Returns the member at a path of keys.
    fn at(&self, keys: &[&str]) -> Option<&Value> {
        keys.iter()
            .try_fold(&self.0, |value, key| value.as_object()?.get(key))
    }

    fn text(&self, keys: &[&str]) -> Option<&str> {
        self.at(keys)?.as_str()
    }

    /// Returns the kind of the certificate's status, such as `inForce`.
    pub(super) fn status(&self) -> &str {
        self.text(&["status", "kind"]).unwrap_or_default()
    }

    /// Returns the imprint on the ledger.
    pub(super) fn imprint(&self) -> Option<&str> {
        self.text(&["asset", "imprint"])
    }

    /// Returns the domain that confirms the issuer.
    pub(super) fn domain(&self) -> Option<&str> {
        let is_confirmed = self.text(&["issuer", "kind"]) == Some("confirmed");
        self.text(&["issuer", "domain"]).filter(|_| is_confirmed)
    }

    /// Returns the confirmed issuer. Fails if no domain confirms the issuer.
    pub(crate) fn issuer(&self) -> Result<Issuer<'_>, Failure> {
        let domain = self.domain().ok_or_else(not_confirmed)?;
        Ok(Issuer {
            domain,
            name: self.text(&["issuer", "name"]),
        })
    }

    /// Returns the public documents of the certificate, with the names that a certificate file uses.
    pub(super) fn documents(&self) -> Option<Object> {
        let names = [
            ("schema", "schema"),
            ("document", "metadata"),
            ("evidence", "evidence"),
        ];
        let parts = names.map(|(name, own)| Some((name.to_owned(), self.at(&[own])?.clone())));
        Object::try_from(parts.into_iter().collect::<Option<Vec<_>>>()?).ok()
    }

    /// Returns the public document. `None` if the service could not read it.
    pub(super) fn public(&self) -> Option<&Object> {
        self.at(&["metadata"])?.as_object()
    }

    /// Returns the issuer's domain. Fails if the certificate is not in force on the ledger, or no domain confirms the issuer.
    pub(super) fn check(&self, certificate: &Certificate) -> Result<&str, Failure> {
        let status = self.status();
        if status != "inForce" {
            return Err(Failure::new(
                "not-in-force",
                format!("the service says that the status of the certificate is {status}"),
            ));
        }
        if self.imprint() != Some(certificate.imprint().as_str()) {
            return Err(Failure::new(
                "imprint-mismatch",
                "the ledger has another imprint: the certificate was replaced after the file was made",
            ));
        }
        let integrity = self.text(&["integrity"]).unwrap_or_default();
        if integrity != "unchanged" {
            return Err(Failure::new(
                "not-in-force",
                format!("the service says that the public part of the certificate is {integrity}"),
            ));
        }
        Ok(self.issuer()?.domain)
    }

    /// Returns the time at which the asset was created, in milliseconds since 1970.
    pub(super) fn created(&self) -> Result<u64, Failure> {
        let created = self.text(&["asset", "createdAt"]).and_then(moment);
        let start = created.and_then(|moment| u64::try_from(moment.start).ok());
        start.ok_or_else(|| refused("/badge.json", "`createdAt` is malformed"))
    }
}

/// Returns the failure for an issuer that no domain confirms.
pub(crate) fn not_confirmed() -> Failure {
    Failure::new(
        "issuer-not-confirmed",
        "no domain confirms the issuer: name the domain, and publish its did.json first",
    )
}

/// Asks the service for a certificate.
pub(crate) fn record(agent: &ureq::Agent, place: &Place) -> Result<Record, Failure> {
    let Place {
        service,
        ledger,
        asset,
    } = place;
    let address = format!("{service}/badge.json?ledgerId={ledger}&assetId={asset}");
    let text = get(agent, &address, LARGEST_ANSWER)?;
    let answer = Value::parse(&text).map_err(|error| refused(&address, &error.to_string()))?;
    let data = answer.as_object().and_then(|answer| answer.get("data"));
    data.cloned()
        .map(Record)
        .ok_or_else(|| refused(&address, "the response lacks `data`"))
}

/// Reads a status list.
pub(super) fn list(agent: &ureq::Agent, address: &str) -> Result<String, Failure> {
    get(agent, address, LARGEST_LIST)
}

/// Reads the `did.json` of an issuer or of a service.
pub(super) fn did(agent: &ureq::Agent, domain: &str) -> Result<serde_json::Value, Failure> {
    well_known(agent, domain, "did.json")
}

/// Reads the file of an issuer that lists the keys of its SD-JWTs.
pub(super) fn issuer_metadata(
    agent: &ureq::Agent,
    domain: &str,
) -> Result<serde_json::Value, Failure> {
    well_known(agent, domain, "jwt-vc-issuer")
}

fn well_known(agent: &ureq::Agent, domain: &str, name: &str) -> Result<serde_json::Value, Failure> {
    let host = domain.rsplit_once(':').map_or(domain, |(host, _)| host);
    let scheme = if http::is_here(host) { "http" } else { "https" };
    let address = format!("{scheme}://{domain}/.well-known/{name}");
    let text = get(agent, &address, LARGEST_DID)?;
    serde_json::from_str(&text).map_err(|error| refused(&address, &error.to_string()))
}

fn get(agent: &ureq::Agent, address: &str, most: u64) -> Result<String, Failure> {
    let unreachable =
        |why: String| Failure::new("service-unreachable", format!("{address}: {why}"));
    let call = agent
        .get(address)
        .header("accept", "application/json")
        .call();
    let mut answer = call.map_err(|error| unreachable(error.to_string()))?;
    let status = answer.status().as_u16();
    if status != 200 {
        return Err(refused(
            address,
            &format!("the response has the status {status}"),
        ));
    }
    let text = answer.body_mut().with_config().limit(most).read_to_string();
    text.map_err(|error| unreachable(error.to_string()))
}

fn refused(address: &str, why: &str) -> Failure {
    Failure::new("service-refused", format!("{address}: {why}"))
}
