//! Descriptions of the operator's jobs.

use http::Method;

use super::Operation;
use crate::api::bodies::{AddressInput, GrantInput, PauseInput, ReasonInput};
use crate::api::{AuditEntry, Block, Grant, Pause};

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::list::<AuditEntry>("/admin/audit", "getAuditLog", "List calls of administrators")
            .text("Every call is recorded in the transaction of its effect. Entries are never changed or deleted.")
            .query(&["fromDate", "toDate"]),
        Operation::one::<Pause>(
            Method::GET,
            "/admin/pause",
            "getPause",
            "Get the pause of changes",
        ),
        Operation::one::<Pause>(
            Method::POST,
            "/admin/pause",
            "pauseChanges",
            "Pause changes",
        )
        .text(
            "Within five seconds, requests other than GET are refused with 503000 and the message. Reads, administrators and \
             the work that was accepted before continue.",
        )
        .body::<PauseInput>(),
        Operation::one::<Pause>(
            Method::POST,
            "/admin/resume",
            "resumeChanges",
            "End the pause of changes",
        )
        .body::<ReasonInput>(),
        Operation::list::<Block>("/admin/blocks", "getBlocks", "List blocked accounts and ledgers"),
        Operation::one::<Block>(
            Method::POST,
            "/admin/blocks",
            "blockAddress",
            "Block an account or a ledger",
        )
        .text(
            "An account keeps its property, but within five seconds all of its requests are refused with 403011. Orders, \
             deployments and approvals that a blocked account has signed or that name a blocked ledger are refused at once, \
             and fail if they are already waiting. Badges stay as they are.",
        )
        .body::<AddressInput>(),
        Operation::one::<Block>(
            Method::POST,
            "/admin/unblock",
            "unblockAddress",
            "Unblock an account or a ledger",
        )
        .body::<AddressInput>(),
        Operation::one::<Grant>(
            Method::POST,
            "/admin/grants",
            "grantTokens",
            "Give tokens to an account",
        )
        .body::<GrantInput>(),
    ]
}
