//! `data` of `/badge.json`: the verdict in its three parts (integrity, status, issuer), and everything that it takes to verify again.

use super::check::Checked;
use super::subject::Subject;
use crate::api;
use crate::failure::Failure;
use crate::ledger::projection::{AssetRow, Certified, LedgerRow, Withdrawal};

/// The report as JSON text. Documents are in it as they were published: a schema's id depends on the order of its keys.
pub(super) fn report_of(subject: &Subject, checked: Checked) -> Result<String, Failure> {
    let Checked {
        verdict,
        lists,
        certified,
        texts,
    } = checked;
    let (ledger, asset, withdrawal) = match &certified {
        Certified::NoLedger => (None, None, None),
        Certified::Never(ledger) => (Some(ledger), None, None),
        Certified::Withdrawn(ledger, withdrawal) => (Some(ledger), None, Some(withdrawal)),
        Certified::InForce(ledger, asset) => (Some(ledger), Some(asset), None),
    };
    let validity = api::Validity {
        valid: verdict.validity.is_valid(),
        integrity: verdict.validity.integrity(),
        status: verdict.standing,
        // No issuer is identified yet.
        issuer: ledger.map(|ledger| api::Issuer {
            account: ledger.owner,
            identified: false,
        }),
        errors: verdict.findings,
        lists,
        ledger: ledger.map(ledger_view),
        asset: ledger.map(|ledger| asset_view(subject, ledger, asset, withdrawal)),
    };
    let report = serde_json::to_string(&validity);
    let mut report =
        report.map_err(|error| Failure::internal(format!("a report is not JSON: {error}")))?;
    // The documents are the object's last members.
    report.pop();
    let documents = [texts.metadata, texts.evidence, texts.schema];
    for (name, text) in api::DOCUMENTS.into_iter().zip(documents) {
        report.push_str(",\"");
        report.push_str(name);
        report.push_str("\":");
        report.push_str(&text.unwrap_or("null".into()));
    }
    report.push('}');
    Ok(report)
}

/// Name and symbol are the ledger owner's own choice.
fn ledger_view(ledger: &LedgerRow) -> api::BadgeLedger {
    api::BadgeLedger {
        id: ledger.id,
        name: ledger.name.clone(),
        symbol: ledger.symbol.clone(),
        schema_id: ledger.schema_id,
        capabilities: ledger.capabilities.clone(),
        owner_id: ledger.owner,
        created_at: api::Timestamp(ledger.created_at),
    }
}

fn asset_view(
    subject: &Subject,
    ledger: &LedgerRow,
    asset: Option<&AssetRow>,
    withdrawal: Option<&Withdrawal>,
) -> api::BadgeAsset {
    let issued_at = match (asset, withdrawal) {
        (Some(asset), _) => Some(asset.created_at),
        (None, withdrawal) => withdrawal.and_then(|withdrawal| withdrawal.issued_at),
    };
    api::BadgeAsset {
        id: subject.asset,
        imprint: asset.map(|asset| asset.imprint),
        uri: ledger.uri(&subject.asset),
        owner_id: asset.map(|asset| asset.owner),
        created_at: issued_at.map(api::Timestamp),
        updated_at: asset.map(|asset| api::Timestamp(asset.updated_at)),
        withdrawn_at: withdrawal.map(|withdrawal| api::Timestamp(withdrawal.withdrawn_at)),
    }
}
