//! `data` of `/badge.json`: the verdict in its three parts (integrity, status, issuer), and everything that it takes to verify again.

use serde_json::{Value, json};

use super::check::Checked;
use super::subject::Subject;
use crate::ledger::projection::{AssetRow, Certified, LedgerRow, Withdrawal};
use crate::text::timestamp;

/// The report as JSON text. Documents are in it as they were published: a schema's id depends on the order of its keys.
pub(super) fn report_of(subject: &Subject, checked: Checked) -> String {
    let Checked {
        verdict,
        certified,
        texts,
    } = checked;
    let (ledger, asset, withdrawal) = match &certified {
        Certified::NoLedger => (None, None, None),
        Certified::Never(ledger) => (Some(ledger), None, None),
        Certified::Withdrawn(ledger, withdrawal) => (Some(ledger), None, Some(withdrawal)),
        Certified::InForce(ledger, asset) => (Some(ledger), Some(asset), None),
    };
    let fields = [
        ("valid", verdict.validity.to_json()),
        ("integrity", json!(verdict.validity.integrity())),
        ("status", json!(verdict.standing)),
        // No issuer is identified yet.
        (
            "issuer",
            ledger.map_or(
                Value::Null,
                |ledger| json!({ "account": ledger.owner, "identified": false }),
            ),
        ),
        ("errors", json!(verdict.findings)),
        ("ledger", ledger.map_or(Value::Null, ledger_view)),
        (
            "asset",
            ledger.map_or(Value::Null, |ledger| {
                asset_view(subject, ledger, asset, withdrawal)
            }),
        ),
    ];
    let fields = fields.map(|(name, value)| (name, value.to_string().into()));
    let documents = [
        ("metadata", texts.metadata),
        ("evidence", texts.evidence),
        ("schema", texts.schema),
    ];
    let documents = documents.map(|(name, text)| (name, text.unwrap_or("null".into())));
    let mut report = String::new();
    for (name, text) in fields.into_iter().chain(documents) {
        report.push(if report.is_empty() { '{' } else { ',' });
        report.push('"');
        report.push_str(name);
        report.push_str("\":");
        report.push_str(&text);
    }
    report.push('}');
    report
}

/// Name and symbol are the ledger owner's own choice.
fn ledger_view(ledger: &LedgerRow) -> Value {
    json!({
        "id": ledger.id,
        "name": ledger.name,
        "symbol": ledger.symbol,
        "schemaId": ledger.schema_id,
        "capabilities": ledger.capabilities,
        "ownerId": ledger.owner,
        "createdAt": timestamp(ledger.created_at),
    })
}

fn asset_view(
    subject: &Subject,
    ledger: &LedgerRow,
    asset: Option<&AssetRow>,
    withdrawal: Option<&Withdrawal>,
) -> Value {
    let issued_at = match (asset, withdrawal) {
        (Some(asset), _) => Some(asset.created_at),
        (None, withdrawal) => withdrawal.and_then(|withdrawal| withdrawal.issued_at),
    };
    json!({
        "id": subject.asset,
        "imprint": asset.map(|asset| asset.imprint),
        "uri": ledger.uri(&subject.asset),
        "ownerId": asset.map(|asset| asset.owner),
        "createdAt": issued_at.map(timestamp),
        "updatedAt": asset.map(|asset| timestamp(asset.updated_at)),
        "withdrawnAt": withdrawal.map(|withdrawal| timestamp(withdrawal.withdrawn_at)),
    })
}
