//! Whether the shown values are those that were certified for the asset.

use crate::json::strings::strings;

/// The result of comparing the public values with the values that were certified for this asset.
///
/// - `unchanged`: every value is proven.
/// - `notCovered`: no certified value was changed, but the evidence does not prove every value. Anyone may have added the other values.
/// - `otherAsset`: the values were certified, but for another asset.
/// - `changed`: a value or a hash differs from the certified one, or the evidence belongs to another imprint.
/// - `notChecked`: the documents could not be checked, or the ledger has no asset with this id now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename_all = "camelCase")
)]
#[expect(missing_docs, reason = "the list above describes the variants")]
pub enum Integrity {
    Unchanged,
    NotCovered,
    OtherAsset,
    Changed,
    NotChecked,
}

strings!(Integrity {
    Self::Unchanged => "unchanged",
    Self::NotCovered => "notCovered",
    Self::OtherAsset => "otherAsset",
    Self::Changed => "changed",
    Self::NotChecked => "notChecked",
});

impl Integrity {
    /// Returns the integrity of an asset that has only this finding. `reason` is a code of a report. The integrity is `changed` only if a
    /// value or a hash differs from the certified one. Of several findings, the greatest integrity counts.
    #[must_use]
    pub fn of_reason(reason: &str) -> Self {
        match reason {
            "value-mismatch" | "data-type-mismatch" | "imprint-mismatch" | "hash-mismatch"
            | "link-mismatch" => Self::Changed,
            "asset-mismatch" => Self::OtherAsset,
            _ => Self::NotCovered,
        }
    }
}

/// Returns the integrity of an asset with findings for these reasons: the greatest one, and `unchanged` without findings.
pub(super) fn worst<'r>(reasons: impl Iterator<Item = &'r str>) -> Integrity {
    let found = reasons.map(Integrity::of_reason);
    found.max().unwrap_or(Integrity::Unchanged)
}

/// Judges documents under the right imprint of an asset: the one that the evidence has, if the asset had it before, otherwise the current one.
/// `judge` judges under an imprint, and also returns the evidence's imprint if it has one. Returns the result, and the earlier imprint if it was used.
///
/// # Errors
/// The errors of `judge`.
pub fn under_known<I, T, E, J>(
    current: &I,
    is_earlier: impl FnOnce(&I) -> bool,
    judge: &mut J,
) -> Result<(T, Option<I>), E>
where
    I: PartialEq,
    J: FnMut(&I) -> Result<(T, Option<I>), E> + ?Sized,
{
    let (found, given) = judge(current)?;
    match given.filter(|given| given != current && is_earlier(given)) {
        Some(earlier) => Ok((judge(&earlier)?.0, Some(earlier))),
        None => Ok((found, None)),
    }
}
