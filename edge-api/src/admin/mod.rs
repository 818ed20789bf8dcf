//! Administration: the audit log of every call, the restrictions that administrators set, and their other jobs. See
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
