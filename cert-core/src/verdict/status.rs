//! Whether the asset is in force, withdrawn, expired, replaced or was never issued.

use crate::json::strings::strings;

/// The asset's status on its ledger.
///
/// - `inForce`: the asset is on its ledger, and is neither expired nor replaced.
/// - `withdrawn`: the asset was destroyed.
/// - `expired`: the proven expiry date has passed.
/// - `replaced`: the asset's imprint was updated, and the documents belong to an earlier imprint.
/// - `neverIssued`: the ledger never had the asset.
/// - `unknownLedger`: this service does not have the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename_all = "camelCase")
)]
#[expect(missing_docs, reason = "the list above describes the variants")]
pub enum StatusKind {
    InForce,
    Withdrawn,
    Expired,
    Replaced,
    NeverIssued,
    UnknownLedger,
}

strings!(StatusKind {
    Self::InForce => "inForce",
    Self::Withdrawn => "withdrawn",
    Self::Expired => "expired",
    Self::Replaced => "replaced",
    Self::NeverIssued => "neverIssued",
    Self::UnknownLedger => "unknownLedger",
});

/// The ledger's record of an asset. Times are milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record {
    /// The ledger is not known.
    UnknownLedger,
    /// The ledger never had the asset.
    NeverIssued,
    /// The asset was destroyed.
    Withdrawn {
        /// The time of the withdrawal.
        since: Option<u64>,
    },
    /// The ledger has the asset.
    OnLedger {
        /// The time of issue, if it is known.
        since: Option<u64>,
    },
}

/// The end of the earlier imprint to which the documents belong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ended {
    /// The time at which it ended, in milliseconds since 1970. `None` if the ledger's history no longer has it.
    pub at: Option<u64>,
    /// True if the asset was destroyed at that time, false if its imprint was updated.
    pub withdrawn: bool,
}

/// A status, and the time since when it applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// The status.
    pub kind: StatusKind,
    /// The time of issue, withdrawal, expiry or replacement, in milliseconds since 1970. `None` if it is not known, or for an asset that was never
    /// issued.
    pub since: Option<u64>,
}

/// Returns the status of an asset at the time `now`. `earlier` is the end of the earlier imprint to which the documents belong. It is `None` if they
/// belong to the current imprint. `expires_at` is the proven expiry date. Times are milliseconds since 1970.
#[must_use]
pub fn status(record: Record, earlier: Option<Ended>, expires_at: Option<u64>, now: u64) -> Status {
    let (kind, since) = match (record, earlier, expires_at) {
        (Record::UnknownLedger, _, _) => (StatusKind::UnknownLedger, None),
        (Record::NeverIssued, _, _) => (StatusKind::NeverIssued, None),
        (Record::Withdrawn { since }, _, _) => (StatusKind::Withdrawn, since),
        // The documents belong to a destroyed asset. Its id was used again for a new asset.
        (_, Some(ended), _) if ended.withdrawn => (StatusKind::Withdrawn, ended.at),
        (_, _, Some(expired)) if expired <= now => (StatusKind::Expired, Some(expired)),
        (_, Some(ended), _) => (StatusKind::Replaced, ended.at),
        (Record::OnLedger { since }, None, _) => (StatusKind::InForce, since),
    };
    Status { kind, since }
}
