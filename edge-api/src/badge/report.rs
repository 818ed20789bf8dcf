//! The member `data` of `/badge.json`: the three parts of the verdict (integrity, status, issuer), and the data with which a
//! client can verify the asset again.
//!
//! The first part of a report contains the verdict and the ledger's current facts. The second part, the tail, contains
//! the result for each value and the documents. Of these two parts, only the tail is cached.

use serde::Serialize;

use super::subject::Subject;
use super::texts::Texts;
use super::verdict::Verdict;
use crate::api;
use crate::failure::Failure;
use crate::ledger::projection::{AssetRow, Certified, LedgerRow, PastImprint, Withdrawal};

/// Returns the report as JSON text.
pub(super) fn report_of(
    subject: &Subject,
    certified: &Certified,
    verdict: &Verdict,
    tail: &str,
) -> Result<String, Failure> {
    let (ledger, asset, withdrawal, past) = match certified {
        Certified::NoLedger => (None, None, None, &[][..]),
        Certified::Never(ledger) => (Some(ledger), None, None, &[][..]),
        Certified::Withdrawn {
            ledger,
            withdrawal,
            past,
        } => (Some(ledger), None, Some(withdrawal), past.as_slice()),
        Certified::InForce {
            ledger,
            asset,
            before,
            past,
        } => (Some(ledger), Some(asset), before.as_ref(), past.as_slice()),
    };
    let validity = api::Validity {
        valid: verdict.validity().is_valid(),
        headline: verdict.headline.clone(),
        integrity: verdict.integrity,
        status: verdict.status.clone(),
        issuer: ledger.map(|ledger| verdict.issuer.view(ledger.owner)),
        errors: verdict.findings.clone(),
        ledger: ledger.map(ledger_view),
        asset: ledger.map(|ledger| asset_view(subject, ledger, asset, withdrawal, past)),
    };
    let mut report = text_of(&validity)?;
    report.truncate(report.len().saturating_sub(1));
    report.push_str(tail);
    Ok(report)
}

/// Returns the tail of a report, from the comma after the first part to the closing brace. The documents are inserted as they
/// were published, so a schema keeps the key order on which its id depends.
pub(super) fn tail_of(details: &api::BadgeDetails, texts: Texts) -> Result<String, Failure> {
    // The members of the object behind a comma, without the braces.
    let mut tail = text_of(details)?.replacen('{', ",", 1);
    tail.truncate(tail.len().saturating_sub(1));
    let documents = [texts.metadata, texts.evidence, texts.schema];
    for (name, text) in api::DOCUMENTS.into_iter().zip(documents) {
        tail.push_str(",\"");
        tail.push_str(name);
        tail.push_str("\":");
        tail.push_str(&text.unwrap_or("null".into()));
    }
    tail.push('}');
    Ok(tail)
}

fn text_of(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(value)
        .map_err(|error| Failure::internal(format!("a report is not JSON: {error}")))
}

/// Returns the ledger as a report shows it. Name and symbol are not verified: the ledger's owner chose them freely.
fn ledger_view(ledger: &LedgerRow) -> api::BadgeLedger {
    api::BadgeLedger {
        id: ledger.id,
        name: ledger.name.clone(),
        symbol: ledger.symbol.clone(),
        schema_id: ledger.schema_id,
        capabilities: ledger.capabilities.clone(),
        owner_id: ledger.owner,
        created_at: ledger.created_at,
    }
}

fn asset_view(
    subject: &Subject,
    ledger: &LedgerRow,
    asset: Option<&AssetRow>,
    withdrawal: Option<&Withdrawal>,
    past: &[PastImprint],
) -> api::BadgeAsset {
    let issued_at = match (asset, withdrawal) {
        (Some(asset), _) => Some(asset.created_at),
        (None, withdrawal) => withdrawal.and_then(|withdrawal| withdrawal.issued_at),
    };
    let withdrawn_at = withdrawal.map(|withdrawal| api::Timestamp(withdrawal.withdrawn_at));
    api::BadgeAsset {
        id: subject.asset,
        imprint: asset.map(|asset| asset.imprint),
        uri: asset.map_or_else(|| ledger.uri(&subject.asset), |asset| ledger.uri_of(asset)),
        owner_id: asset.map(|asset| asset.owner),
        created_at: issued_at.map(api::Timestamp),
        updated_at: asset.map(|asset| api::Timestamp(asset.updated_at)),
        withdrawn_at: withdrawn_at.filter(|_| asset.is_none()),
        withdrawn_before: withdrawn_at.filter(|_| asset.is_some()),
        past_imprints: past.iter().map(past_imprint).collect(),
    }
}

fn past_imprint(past: &PastImprint) -> api::PastImprint {
    api::PastImprint {
        imprint: past.imprint,
        ended_at: api::Timestamp(past.ended_at),
        withdrawn: past.withdrawn,
    }
}
