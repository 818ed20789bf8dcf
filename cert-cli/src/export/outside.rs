//! The answers of the service and of the issuer's domain.

use cert_core::verdict::moment;
use serde::Deserialize;
use serde_json::Value;

use super::certificate::Certificate;
use crate::failure::Failure;
use crate::http;

/// The maximum size of a `did.json`, in bytes (docs/spec/issuer.md).
const LARGEST_DID: u64 = 65_536;
/// The maximum size of the service's answer, in bytes.
const LARGEST_ANSWER: u64 = 16 << 20;

/// The parts of `GET /badge.json` that an export needs.
#[derive(Deserialize)]
pub(super) struct Record {
    integrity: String,
    status: Status,
    asset: Asset,
    pub(super) issuer: Issuer,
    pub(super) metadata: Option<Value>,
}

#[derive(Deserialize)]
struct Status {
    kind: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Asset {
    /// `None` if the ledger does not have the asset.
    imprint: Option<String>,
    created_at: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Issuer {
    kind: String,
    domain: Option<String>,
    pub(super) name: Option<String>,
}

impl Record {
    /// Returns the issuer's domain. Fails if the certificate is not in force on the ledger, or no domain confirms the issuer.
    pub(super) fn check(&self, certificate: &Certificate) -> Result<&str, Failure> {
        if self.status.kind != "inForce" {
            return Err(Failure::new(
                "not-in-force",
                format!(
                    "the service says that the certificate is {}",
                    self.status.kind
                ),
            ));
        }
        if self.asset.imprint.as_deref() != Some(&certificate.imprint()) {
            return Err(Failure::new(
                "imprint-mismatch",
                "the ledger has another imprint: the certificate was replaced after the file was made",
            ));
        }
        if self.integrity != "unchanged" {
            return Err(Failure::new(
                "not-in-force",
                format!(
                    "the service says that the public part of the certificate is {}",
                    self.integrity
                ),
            ));
        }
        match (self.issuer.kind.as_str(), &self.issuer.domain) {
            ("confirmed", Some(domain)) => Ok(domain),
            _ => Err(Failure::new(
                "issuer-not-confirmed",
                "no domain confirms the issuer: name the domain, and publish its did.json first",
            )),
        }
    }

    /// Returns the time at which the asset was created, in milliseconds since 1970.
    pub(super) fn created(&self) -> Result<u64, Failure> {
        let created = self.asset.created_at.as_deref().and_then(moment);
        let start = created.and_then(|moment| u64::try_from(moment.start).ok());
        start.ok_or_else(|| refused("/badge.json", "`createdAt` is malformed"))
    }
}

/// Asks the service for the certificate.
pub(super) fn record(agent: &ureq::Agent, certificate: &Certificate) -> Result<Record, Failure> {
    #[derive(Deserialize)]
    struct Answer {
        data: Record,
    }
    let Certificate {
        service,
        ledger,
        asset,
        ..
    } = certificate;
    let address = format!("{service}/badge.json?ledgerId={ledger}&assetId={asset}");
    let answer: Answer = get(agent, &address, LARGEST_ANSWER)?;
    Ok(answer.data)
}

/// Reads the issuer's `did.json`.
pub(super) fn did(agent: &ureq::Agent, domain: &str) -> Result<Value, Failure> {
    let host = domain.rsplit_once(':').map_or(domain, |(host, _)| host);
    let scheme = if http::is_here(host) { "http" } else { "https" };
    get(
        agent,
        &format!("{scheme}://{domain}/.well-known/did.json"),
        LARGEST_DID,
    )
}

fn get<T: for<'de> Deserialize<'de>>(
    agent: &ureq::Agent,
    address: &str,
    most: u64,
) -> Result<T, Failure> {
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
    let text = text.map_err(|error| unreachable(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| refused(address, &error.to_string()))
}

fn refused(address: &str, why: &str) -> Failure {
    Failure::new("service-refused", format!("{address}: {why}"))
}
