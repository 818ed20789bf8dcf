//! One verification: the asset on its ledger, its documents, the verdict.

use cert_core::{Object, Value, convention, identify, identify_sorted};
use futures_util::future::join;
use order_core::{Code, SchemaId};
use serde_json::json;

use super::documents::{Kind, Lack, fetch};
use super::judge::judge;
use super::verdict::{Finding, Verdict};
use super::verify::Subject;
use crate::app::Call;
use crate::http::Failure;
use crate::ledger::{self, AssetRow, LedgerRow};
use crate::outbound::{Errand, Policy, Target};

/// What was found, and from what.
pub(super) struct Checked {
    pub(super) verdict: Verdict,
    ledger: LedgerRow,
    asset: AssetRow,
    documents: Documents,
}

/// The documents as far as they could be read.
#[derive(Default)]
struct Documents {
    metadata: Option<Value>,
    evidence: Option<Value>,
    schema: Option<Value>,
}

/// Looks an asset up and verifies it.
///
/// # Errors
/// 400016, and faults of the database. That a document cannot be had is a verdict.
pub(super) async fn check(
    call: &Call<'_>,
    origin: &str,
    subject: &Subject,
) -> Result<Checked, Failure> {
    let found = ledger::asset(call.db(), &subject.ledger.to_string(), Some(&subject.asset)).await?;
    let (Some(ledger), Some(asset)) = found else {
        let message = format!(
            "the ledger `{}` has no asset `{}`",
            subject.ledger, subject.asset
        );
        return Err(Failure::one(Code::BadgeAssetNotFound, "assetId", message));
    };
    if ledger.uri_prefix.trim().is_empty() {
        let message = format!("the ledger `{}` gives its assets no URI", subject.ledger);
        return Err(Failure::one(Code::BadgeAssetNotFound, "ledgerId", message));
    }
    let ports = call.ports();
    let policy = Policy::new(call.config(), Some(origin));
    let errand = Errand::start(ports.http.as_ref(), ports.clock.as_ref(), policy);
    let mut documents = Documents::default();
    let gathered = gather(
        call,
        &errand,
        &ledger.uri(&asset.id),
        ledger.schema_id,
        &mut documents,
    )
    .await;
    let verdict = match (gathered, &documents) {
        (Err(why), _) => Verdict::unknown(why),
        (
            Ok(()),
            Documents {
                metadata: Some(metadata),
                evidence: Some(evidence),
                schema: Some(schema),
            },
        ) => judge(schema, metadata, evidence, &asset.imprint.to_string()),
        (Ok(()), _) => {
            return Err(Failure::internal(
                "a badge's documents are gathered but not there".to_owned(),
            ));
        }
    };
    Ok(Checked {
        verdict,
        ledger,
        asset,
        documents,
    })
}

/// Fetches the metadata, then evidence and schema together. What was read stays even where the rest cannot be.
async fn gather(
    call: &Call<'_>,
    errand: &Errand<'_>,
    uri: &str,
    schema_id: SchemaId,
    documents: &mut Documents,
) -> Result<(), Finding> {
    let policy = errand.policy();
    let target = policy
        .check(uri)
        .map_err(|refused| Kind::Metadata.lacking(refused))?;
    let metadata = fetch(call, errand, Kind::Metadata, target).await?;
    let object = documents.metadata.insert(metadata.value).as_object();
    let object = object.ok_or_else(|| {
        Kind::Metadata.lacking(Lack::new("not-object", "it is not a JSON object"))
    })?;
    let pointed = |kind: Kind, key: &str| -> Result<Target, Finding> {
        let reference = pointer(object, key).ok_or_else(|| {
            let why = format!("the metadata has no `{key}` that says where it is");
            kind.lacking(Lack::new("address-missing", why))
        })?;
        let resolved = policy.resolve(&metadata.from, reference);
        resolved.map_err(|refused| kind.lacking(refused))
    };
    let evidence = async {
        fetch(
            call,
            errand,
            Kind::Evidence,
            pointed(Kind::Evidence, "$evidence")?,
        )
        .await
    };
    let schema = async {
        let id = schema_id.to_string();
        if let Some(text) = convention(&id) {
            return Value::parse(text)
                .map_err(|error| Kind::Schema.lacking(Lack::new("not-json", error.to_string())));
        }
        let schema = fetch(
            call,
            errand,
            Kind::Schema,
            pointed(Kind::Schema, "$schema")?,
        )
        .await?
        .value;
        if identify(&schema) == id || identify_sorted(&schema) == id {
            return Ok(schema);
        }
        Err(Kind::Schema.lacking(Lack::new(
            "schema-differs",
            format!("its id is not the ledger's, `{id}`"),
        )))
    };
    let (evidence, schema) = join(evidence, schema).await;
    let evidence = evidence
        .map(|evidence| documents.evidence.insert(evidence.value))
        .map(|_| ());
    let schema = schema
        .map(|schema| documents.schema.insert(schema))
        .map(|_| ());
    evidence.and(schema)
}

/// The text of a pointer in the metadata.
fn pointer<'a>(metadata: &'a Object, key: &str) -> Option<&'a str> {
    metadata
        .get(key)
        .and_then(Value::as_str)
        .map(str::trim)
        .filter(|text| !text.is_empty())
}

impl Checked {
    /// The verdict, and `data` of a report as JSON text: documents keep the order of their keys, which a schema's id
    /// depends on.
    pub(super) fn into_report(self) -> (Verdict, String) {
        let Self {
            verdict,
            ledger,
            asset,
            documents,
        } = self;
        // Each document ends as its text begins: the largest take tens of megabytes.
        let document = |document: Option<Value>| {
            document.map_or_else(|| "null".to_owned(), |value| value.to_json())
        };
        let fields = [
            ("valid", verdict.validity.to_json().to_string()),
            ("errors", json!(verdict.findings).to_string()),
            (
                "ledger",
                json!({ "id": ledger.id, "schemaId": ledger.schema_id }).to_string(),
            ),
            (
                "asset",
                json!({ "id": asset.id, "imprint": asset.imprint, "uri": ledger.uri(&asset.id) })
                    .to_string(),
            ),
            ("metadata", document(documents.metadata)),
            ("evidence", document(documents.evidence)),
            ("schema", document(documents.schema)),
        ];
        let mut report = String::new();
        for (name, value) in fields {
            report.push(if report.is_empty() { '{' } else { ',' });
            report.push_str(&format!("\"{name}\":"));
            report.push_str(&value);
        }
        report.push('}');
        (verdict, report)
    }
}
