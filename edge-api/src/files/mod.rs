//! Files that the service hosts: metadata, evidence, schemas and pictures (`docs/decisions/0046-hosted-files.md`).
//!
//! The content of a file is an object in a bucket. The database lists the files, and the ledgers and assets that use them.
//! Triggers in `0021_files.sql` count the files and bytes of each ledger and account. They also queue a file's object for
//! deletion when the file's last use ends.
//!
//! An upload can stop at any step. Unless its content is already stored, the upload first queues its own object for deletion in an
//! hour, and then stores the object. Its last transaction stores the file's use and removes the object from the queue. The sweep
//! deletes queued objects when they are due.

mod content;
mod hosted;
mod place;
mod read;
mod remove;
mod store;
mod sweep;

pub(crate) use content::MediaType;
pub(crate) use hosted::Hosted;
pub(crate) use place::{Name, Place};
pub(crate) use read::{Found, badge_path, bytes, find, find_named};
pub(crate) use remove::{REMOVED_MAX, remove};
pub(crate) use store::{StoredFile, Upload, claimed, put, store, within_limits};
pub(crate) use sweep::sweep;

use std::rc::Rc;

use crate::api;
use crate::context::Context;
use crate::failure::Failure;
use crate::ports::Objects;

/// Maximum bytes of a file, so that a form with a file fits into a request body of 1 MiB.
pub(crate) const FILE_MAX: usize = 1_000_000;

/// The limits on a file, on all files of a ledger, and on all files of an account. A file counts once for each asset that
/// uses it.
pub(crate) const LIMITS: api::FileLimits = api::FileLimits {
    file_bytes: FILE_MAX,
    ledger_files: 100_000,
    ledger_bytes: 1_000_000_000,
    account_files: 200_000,
    account_bytes: 2_000_000_000,
};

/// Returns the bucket. `None` if `FILES` is off. Fails if `FILES` is on, but the host has no bucket.
pub(crate) fn bucket(ctx: &Context<'_>) -> Result<Option<Rc<dyn Objects>>, Failure> {
    if !ctx.config().files {
        return Ok(None);
    }
    let bucket = ctx.ports().objects.clone();
    let missing = "`FILES` is `on`, but there is no R2 bucket with the binding `FILES_BUCKET`";
    bucket.map(Some).ok_or_else(|| Failure::internal(missing))
}
