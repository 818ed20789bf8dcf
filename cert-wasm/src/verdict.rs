//! The verdict on the documents of an asset, for both profiles. [`cert_core::verdict`] has the rules.

use alloc::string::{String, ToString as _};

use cert_core::aih2::Asset;
use cert_core::verdict::{Ended, Integrity, Judged, Status, moment, status, under_known};
use cert_core::{CertError, Object, Value, verdict};
use wasm_bindgen::JsValue;

use crate::js::{take, thrown};
use crate::options::wrong;

/// A service's record of an asset, as `/badge.json` has it, and the time at which the asset is judged. A member that is missing or of another type counts
/// as unknown.
pub(crate) struct Record {
    record: Value,
    asset: Option<Asset>,
    now: u64,
}

/// The verdict on an asset, without its report.
pub(crate) struct Verdict {
    pub(crate) judged: Judged,
    pub(crate) status: Status,
}

/// The result of judging documents under one imprint, and the digits of the evidence's own imprint.
pub(crate) type Found = (Judged, Option<String>);

impl Record {
    /// Copies a record. Throws if its ids are malformed.
    pub(crate) fn take(record: &JsValue, now: f64) -> Result<Self, JsValue> {
        if !now.is_finite() {
            return Err(wrong("the time has to be a number of milliseconds"));
        }
        let record = take(record)?;
        let id = |name| text(object(&record, name), "id");
        let asset = match (id("ledger"), id("asset")) {
            (Some(ledger), Some(asset)) => Some(Asset::new(ledger, asset)),
            _ => None,
        };
        Ok(Self {
            asset: asset.transpose().map_err(|error| thrown(&error))?,
            record,
            now: now as u64,
        })
    }

    /// Returns the asset if the record has its ids.
    pub(crate) const fn asset(&self) -> Option<&Asset> {
        self.asset.as_ref()
    }

    /// Judges documents under the record's imprint to which they belong. Without any imprint, document and evidence are compared with each other, and the
    /// asset counts as not checked: anyone can make such a pair.
    pub(crate) fn judge(
        &self,
        judge: &mut dyn FnMut(&String) -> Result<Found, CertError>,
    ) -> Result<Verdict, CertError> {
        let asset = object(&self.record, "asset");
        let imprint = text(asset, "imprint");
        // The last imprint of a withdrawn asset is the first of its earlier ones.
        let current = imprint.or_else(|| text(self.past(|_| true), "imprint"));
        let current = current.unwrap_or_default().to_string();
        let has_none = current.is_empty();
        let is_earlier = |given: &String| has_none || self.ended(given).is_some();
        let (mut judged, earlier) = under_known(&current, is_earlier, judge)?;
        if has_none && judged.integrity == Integrity::Unchanged {
            judged.integrity = Integrity::NotChecked;
        }
        let record = match (imprint, time(asset, "withdrawnAt")) {
            (Some(_), _) => verdict::Record::OnLedger {
                since: time(asset, "createdAt"),
            },
            (None, Some(at)) => verdict::Record::Withdrawn { since: Some(at) },
            (None, None) if object(&self.record, "ledger").is_none() => {
                verdict::Record::UnknownLedger
            }
            (None, None) => verdict::Record::NeverIssued,
        };
        let mut expires_at = judged.expires_at;
        if earlier.is_none() && expires_at.is_none() {
            // A copy may hide the expiry date, which the public documents prove.
            expires_at = time(object(&self.record, "status"), "expiresAt");
        }
        let ended = earlier.and_then(|earlier| self.ended(&earlier));
        Ok(Verdict {
            status: status(record, ended, expires_at, self.now),
            judged,
        })
    }

    /// Returns the end of an earlier imprint.
    fn ended(&self, imprint: &str) -> Option<Ended> {
        let past = self.past(|past| text(Some(past), "imprint") == Some(imprint))?;
        Some(Ended {
            at: time(Some(past), "endedAt"),
            withdrawn: matches!(past.get("withdrawn"), Some(Value::Bool(true))),
        })
    }

    /// Returns the first earlier imprint for which `is` is true.
    fn past(&self, is: impl Fn(&Object) -> bool) -> Option<&Object> {
        let past = object(&self.record, "asset")?
            .get("pastImprints")?
            .as_array()?;
        let mut past = past.iter().filter_map(Value::as_object);
        past.find(|past| is(past))
    }
}

fn object<'v>(value: &'v Value, name: &str) -> Option<&'v Object> {
    value.as_object()?.get(name)?.as_object()
}

fn text<'v>(object: Option<&'v Object>, name: &str) -> Option<&'v str> {
    object?.get(name)?.as_str()
}

/// Returns a time in milliseconds since 1970.
fn time(object: Option<&Object>, name: &str) -> Option<u64> {
    u64::try_from(moment(text(object, name)?)?.start).ok()
}
