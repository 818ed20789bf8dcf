//! The verdict on an asset of a ledger, by `docs/spec/evidence.md` ("Verdict"). Service, pages, elements and client show the same
//! verdict, because all of them use this module.
//!
//! A verdict has three separate parts: [`Integrity`], [`StatusKind`] and [`IssuerKind`]. The caller looks up the facts of the ledger and the issuer's
//! standing. This module only combines them: it has no clock and reads nothing.
//!
//! | function | rule | section of the specification |
//! |---|---|---|
//! | [`Integrity::of_reason`] | a finding → the integrity that it causes. The worst finding counts | Verdict |
//! | [`Findings`], [`aih2`] | the findings of a report → integrity and expiry date | Verdict, Asset, Expiry |
//! | [`under_known`] | the imprint under which the documents are verified | Status |
//! | [`Expiry`], [`moment`] | expiry fields and their dates | Status, Expiry |
//! | [`status()`] | the ledger's facts, the date and the time → status | Status |
//! | [`headline()`] | integrity, status and issuer → headline | Headline |
//!
//! ```
//! use cert_core::verdict::{self, HeadlineCode, Integrity, IssuerKind, Look, Record, StatusKind};
//!
//! let record = Record::OnLedger { since: Some(1_000) };
//! let status = verdict::status(record, None, Some(2_000), 3_000);
//! assert_eq!((status.kind, status.since), (StatusKind::Expired, Some(2_000)));
//!
//! let code = verdict::headline(Integrity::Unchanged, status.kind, IssuerKind::Confirmed);
//! assert_eq!(code, HeadlineCode::Expired);
//! assert_eq!(code.row().look, Look::Amber);
//! ```

pub mod aih2;
mod expiry;
mod findings;
mod headline;
mod integrity;
mod status;

pub use expiry::{Expiry, Moment, moment};
pub use findings::{Fault, Findings, Judged};
pub use headline::{Cause, HeadlineCode, IssuerKind, Look, Row, Validity, headline};
pub use integrity::{Integrity, under_known};
pub use status::{Ended, Record, Status, StatusKind, status};
