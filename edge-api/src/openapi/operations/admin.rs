//! Descriptions of the administrators' routes.

use http::Method;
use order_core::Code;

use super::super::description::Operation;
use crate::api::bodies::{AddressInput, GrantInput, PauseInput, QuotaInput, ReasonInput};
use crate::api::{
    AuditEntry, Block, DeadLetter, ErasedData, Grant, Pause, PersonalData, RaisedQuota, StuckRecord,
};

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::plain_text(
            "/metrics",
            "getMetrics",
            "Get metrics of the service in the Prometheus text format",
        )
        .tag("admin")
        .text(
            "The counters of requests cover only the isolate that answers. The other metrics cover the whole service. \
             The call is not recorded in the audit log.",
        ),
        Operation::list::<AuditEntry>("/admin/audit", "getAuditLog", "List calls of administrators")
            .text("Each call is recorded in the same transaction as its effect. Entries are never changed or deleted."),
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
            "Within five seconds, requests other than GET are refused with 503000 and the message. Signing out, revoking API keys \
             and administrators' calls still work, and administrators can sign in. The service still processes requests that it accepted before.",
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
             deployments and approvals that a blocked account has signed or that name a blocked ledger are refused \
             immediately, and fail if they are already waiting. Badges stay as they are.",
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
        .body::<GrantInput>()
        .errors(&[Code::DepositsNotConfigured]),
        Operation::one::<RaisedQuota>(
            Method::POST,
            "/admin/quotas",
            "raiseQuota",
            "Raise the daily quota of an account's stored bytes",
        )
        .text("The quota applies while the account has tokens or an ability. Other accounts share quotas.")
        .body::<QuotaInput>(),
        Operation::one::<PersonalData>(
            Method::GET,
            "/admin/accounts/:accountId/data",
            "exportPersonalData",
            "Export an account's personal data",
        )
        .errors(&[Code::InvalidPath, Code::QueryNotValid]),
        Operation::one::<ErasedData>(
            Method::POST,
            "/admin/accounts/:accountId/erase",
            "erasePersonalData",
            "Erase an account's personal data",
        )
        .text(
            "Erases the account's information, its webhook with the events, its sessions and API keys, and the log of its requests. Orders, \
             assets, balances, deposits, domains and daily sums stay, because other accounts rely on them.",
        )
        .body::<ReasonInput>()
        .errors(&[Code::InvalidPath]),
        Operation::list::<StuckRecord>("/admin/records", "getStuckRecords", "List stuck records"),
        Operation::one::<StuckRecord>(
            Method::POST,
            "/admin/records/:recordRef/retry",
            "retryRecord",
            "Retry a stuck record within a minute",
        )
        .body::<ReasonInput>()
        .errors(&[Code::InvalidPath]),
        Operation::list::<DeadLetter>("/admin/dead-letters", "getDeadLetters", "List dead letters")
            .text("Messages are kept for 90 days."),
        Operation::one::<DeadLetter>(
            Method::POST,
            "/admin/dead-letters/:letterRef/retry",
            "retryDeadLetter",
            "Send a dead letter again",
        )
        .body::<ReasonInput>()
        .errors(&[Code::InvalidPath, Code::FieldNotValid]),
    ]
}
