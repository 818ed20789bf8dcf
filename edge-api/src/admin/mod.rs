//! Administration: the audit log, pauses and blocks, dead letters, and the export and erasure of personal data. See
//! `docs/decisions/0048-administration.md`.

mod audit;
mod dead_letters;
mod personal;
mod restrictions;

pub(crate) use audit::{AuditLookup, audit_log, record};
pub(crate) use dead_letters::{NotSent, dead_letters, keep, resend};
pub(crate) use personal::{erase, export};
pub(crate) use restrictions::{
    BLOCKS_MAX, RestrictionsMemory, block, blocks, pause, pause_state, resume, unblock,
};
