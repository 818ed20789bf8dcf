//! Verification: fetches the documents of an asset that is on its ledger, and checks them.

use std::rc::Rc;

use cert_core::{Object, Value, convention, identify, identify_sorted};
use futures_util::future::join;
use order_core::{Imprint, SchemaId};

use super::bounds::VALUES_MAX;
use super::documents::{FetchFailure, Kind, fetch};
use super::judge::{Imprints, Profile, aih2, judge};
use super::subject::Subject;
use super::texts::{Read, Text, Texts, parse};
use super::verdict::{Finding, Outcome};
use crate::api::BadgeDetails;
use crate::context::Context;
use crate::files::Hosted;
use crate::ledger::projection::{AssetRow, Certified, LedgerRow, PastImprint};
use crate::outbound::{FetchSession, Target};
use crate::ports::ByteBudget;
use crate::text::timestamp;

/// The inputs of a check.
pub(super) struct Gathered {
    texts: Texts,
    /// The ledger's facts about the asset, or the outcome if a document could not be fetched.
    claimed: Result<Claimed, Outcome>,
}

/// The ledger's facts, against which the documents are checked.
struct Claimed {
    subject: Subject,
    schema_id: SchemaId,
    imprint: Imprint,
    past: Vec<PastImprint>,
}

/// The outcome of a check, with the details and documents that a report shows.
pub(super) struct Checked {
    pub(super) outcome: Outcome,
    pub(super) details: BadgeDetails,
    pub(super) texts: Texts,
}

/// The database rows about an asset that exists on its ledger.
#[derive(Clone, Copy)]
pub(super) struct OnLedger<'a> {
    pub(super) ledger: &'a LedgerRow,
    pub(super) asset: &'a AssetRow,
    pub(super) past: &'a [PastImprint],
}

/// Fetches an asset's documents, and counts their bytes in `budget`. If a document is unavailable, the result already
/// contains the outcome.
pub(super) async fn gather(
    ctx: &Context<'_>,
    origin: &str,
    subject: &Subject,
    OnLedger {
        ledger,
        asset,
        past,
    }: OnLedger<'_>,
    budget: Rc<dyn ByteBudget>,
) -> Gathered {
    let hosted = Hosted::new(ctx, origin);
    let session = FetchSession::start(ctx.ports().clock.as_ref(), hosted.policy()).within(budget);
    let mut texts = Texts::default();
    let fetched = documents(ctx, &session, ledger, asset, &mut texts).await;
    let claimed = fetched.map_err(Outcome::not_checked).map(|()| Claimed {
        subject: *subject,
        schema_id: ledger.schema_id,
        imprint: asset.imprint,
        past: past.to_vec(),
    });
    Gathered { texts, claimed }
}

/// Returns the outcome for an asset that is not on its ledger.
pub(super) fn not_there(subject: &Subject, certified: &Certified) -> Outcome {
    let Subject { ledger, asset } = subject;
    let (reason, path, message) = match certified {
        Certified::NoLedger => (
            "unknown-ledger",
            "ledgerId",
            format!("this service has no ledger `{ledger}`"),
        ),
        Certified::Withdrawn { withdrawal, .. } => (
            "withdrawn",
            "assetId",
            format!(
                "the asset `{asset}` of the ledger `{ledger}` was withdrawn at {}",
                timestamp(withdrawal.withdrawn_at)
            ),
        ),
        Certified::Never(_) | Certified::InForce { .. } => (
            "never-issued",
            "assetId",
            format!("the ledger `{ledger}` never had an asset `{asset}`"),
        ),
    };
    Outcome::not_checked(Finding::absent(reason, path, message))
}

/// Fetches the metadata, then evidence and schema concurrently. A schema that is part of the library is not fetched. Keeps
/// the documents that were read in `texts`, even if another document could not be read.
async fn documents(
    ctx: &Context<'_>,
    session: &FetchSession<'_>,
    ledger: &LedgerRow,
    asset: &AssetRow,
    texts: &mut Texts,
) -> Result<(), Finding> {
    let uri = ledger.uri_of(asset);
    // With an empty prefix, a URI of the embedded ledger starts with the asset's id, and a chain's contract answers an empty URI.
    // Neither is an address.
    if ledger.uri_prefix.trim().is_empty() && asset.uri.is_none() || uri.trim().is_empty() {
        let message = format!("the ledger `{}` gives its assets no URI", ledger.id);
        return Err(Finding::absent("no-uri", "ledgerId", message));
    }
    let policy = session.policy();
    let target = policy
        .check(&uri)
        .map_err(|refused| Kind::Metadata.unavailable(refused))?;
    let metadata = fetch(ctx, session, Kind::Metadata, target).await?;
    let parsed = parse(
        Kind::Metadata,
        &metadata.text,
        Value::parse,
        &mut VALUES_MAX.clone(),
    )?;
    texts.metadata = Some(metadata.text.into());
    let object = parsed.as_object().ok_or_else(|| {
        Kind::Metadata.unavailable(FetchFailure::new("not-object", "it is not a JSON object"))
    })?;
    let pointed = |kind: Kind, key: &str| -> Result<Target, Finding> {
        let reference = pointer(object, key).ok_or_else(|| {
            let why = format!("the metadata has no `{key}` with its address");
            kind.unavailable(FetchFailure::new("address-missing", why))
        })?;
        let resolved = policy.resolve(&metadata.from, reference);
        resolved.map_err(|refused| kind.unavailable(refused))
    };
    let evidence = pointed(Kind::Evidence, "$evidence");
    let bundled = convention(&ledger.schema_id.to_string());
    let schema = match bundled {
        Some(_) => None,
        None => Some(pointed(Kind::Schema, "$schema")),
    };
    // Frees the values, because they take more memory than their text.
    drop(parsed);
    let evidence = async { fetch(ctx, session, Kind::Evidence, evidence?).await };
    let schema = async {
        match schema {
            Some(target) => Some(fetch(ctx, session, Kind::Schema, target?).await).transpose(),
            None => Ok(None),
        }
    };
    let (evidence, schema) = join(evidence, schema).await;
    let evidence = evidence.map(|evidence| texts.evidence = Some(evidence.text.into()));
    let schema = schema.map(|fetched| {
        let fetched = fetched.map(|schema| Text::from(schema.text));
        texts.schema = fetched.or(bundled.map(Text::from));
    });
    evidence.and(schema)
}

/// Returns the address that the metadata has under `key`. `None` if it is missing, empty or not a string.
fn pointer<'a>(metadata: &'a Object, key: &str) -> Option<&'a str> {
    metadata
        .get(key)
        .and_then(Value::as_str)
        .map(str::trim)
        .filter(|text| !text.is_empty())
}

impl Gathered {
    /// Returns the bytes of the documents to check, or 0 if the outcome is already known.
    pub(super) fn bytes_to_check(&self) -> usize {
        let Texts {
            metadata,
            evidence,
            schema,
        } = &self.texts;
        let texts = [metadata, evidence, schema].into_iter().flatten();
        let bytes = texts.map(|text| text.len());
        self.claimed
            .as_ref()
            .map_or(0, |_| bytes.fold(0, usize::saturating_add))
    }

    /// Checks the documents.
    pub(super) fn check(self) -> Checked {
        let Self { mut texts, claimed } = self;
        // The texts are parsed even if the outcome is known: this drops invalid JSON, which would break the report.
        let read = texts.read();
        let unchecked = |outcome| (outcome, BadgeDetails::default());
        let (outcome, details) = match (claimed, read) {
            (Err(outcome), _) => unchecked(outcome),
            (Ok(_), Err(why)) => unchecked(Outcome::not_checked(why)),
            (Ok(claimed), Ok(read)) if claimed.is_of(&read.schema) => claimed.judge(read),
            (Ok(claimed), Ok(_)) => {
                texts.schema = None;
                let why = format!("its id is not the ledger's, `{}`", claimed.schema_id);
                let lack = FetchFailure::new("schema-differs", why);
                unchecked(Outcome::not_checked(Kind::Schema.unavailable(lack)))
            }
        };
        Checked {
            outcome,
            details,
            texts,
        }
    }
}

impl Claimed {
    /// Returns true if the ledger's schema id is one of this schema's ids. A schema has three ids: the id of the schema as it is
    /// written, the id of the schema with sorted keys, and the id of AIH-2.
    fn is_of(&self, schema: &Value) -> bool {
        let id = self.schema_id.to_string();
        identify(schema) == id
            || identify_sorted(schema) == id
            || cert_core::aih2::Cert::new(schema)
                .is_ok_and(|cert| cert.schema_id().to_string() == id)
    }

    fn judge(&self, read: Read) -> (Outcome, BadgeDetails) {
        let Read {
            metadata,
            evidence,
            schema,
            profile,
        } = read;
        let imprints = Imprints {
            current: self.imprint,
            past: &self.past,
        };
        match profile {
            Profile::Aih1 => judge(&schema, &metadata, &evidence, &imprints, &self.subject),
            Profile::Aih2 => aih2::judge(&schema, metadata, &evidence, &imprints, &self.subject),
            Profile::Unknown => {
                let message = "the evidence uses a profile that this service does not support";
                let why = Finding::unavailable(
                    "evidence-profile-unknown",
                    "evidence",
                    message.to_owned(),
                );
                (Outcome::not_checked(why), BadgeDetails::default())
            }
        }
    }
}
