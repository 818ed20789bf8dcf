//! Confirms the accounts that issue assets. An account names a domain as its own, and the domain confirms the
//! account in a file or a DNS record. The operator of the service may confirm accounts too.
//!
//! `docs/spec/issuer.md` has the rules for domains, `docs/decisions/0040-issuers.md` the reasons.

mod check;
mod diagnose;
mod display;
mod domain;
mod file;
mod find;
mod look;
mod problem;
mod record;
mod row;
mod settings;
mod standing;

pub(crate) use check::{check, sweep};
pub(crate) use diagnose::diagnose;
pub(crate) use domain::Domain;
pub(crate) use find::{SELECT_STANDING, Subject, standing};
pub(crate) use settings::{of_ledger, remove, select, set, view};
#[cfg(test)]
pub(crate) use standing::Confirmation;
pub(crate) use standing::IssuerStanding;
