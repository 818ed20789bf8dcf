//! Descriptions of the domains of issuers.

use http::Method;
use order_core::Code;

use super::Operation;
use crate::api::bodies::DomainRequest;
use crate::api::{IssuerCheck, IssuerDomain};

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::one::<IssuerDomain>(
            Method::PUT,
            "/account/domain",
            "setDomain",
            "Set the domain of the caller's ledgers",
        )
        .tag("issuers")
        .text(
            "For all its ledgers that have no domain of their own. The domain is checked at once, and daily from then on. \
             Setting it again checks it again. GET /issuers/{domain}/check says what the domain has to publish.",
        )
        .body::<DomainRequest>()
        .errors(&[Code::DomainNotValid]),
        Operation::one::<IssuerDomain>(
            Method::GET,
            "/account/domain",
            "getDomain",
            "Get the domain of the caller's ledgers",
        )
        .tag("issuers"),
        Operation::one::<IssuerDomain>(
            Method::DELETE,
            "/account/domain",
            "deleteDomain",
            "Remove the domain of the caller's ledgers",
        )
        .tag("issuers")
        .text("Certificates still name the domain that confirmed the issuer, and the end of the confirmation."),
        Operation::one::<IssuerDomain>(
            Method::PUT,
            "/ledgers/:ledgerRef/domain",
            "setLedgerDomain",
            "Set the domain of a ledger",
        )
        .tag("issuers")
        .text("Only the ledger's owner may set it.")
        .body::<DomainRequest>()
        .errors(&[
            Code::DomainNotValid,
            Code::LedgerNotFound,
            Code::NotTheLedgersOwner,
        ]),
        Operation::one::<IssuerDomain>(
            Method::GET,
            "/ledgers/:ledgerRef/domain",
            "getLedgerDomain",
            "Get the domain of a ledger",
        )
        .tag("issuers")
        .text("If the ledger has no domain of its own, the answer is the domain of all its owner's ledgers, and `ledgerId` is null.")
        .errors(&[Code::LedgerNotFound]),
        Operation::one::<IssuerDomain>(
            Method::DELETE,
            "/ledgers/:ledgerRef/domain",
            "deleteLedgerDomain",
            "Remove the domain of a ledger",
        )
        .tag("issuers")
        .text("The answer is then the domain of all its owner's ledgers, if the owner has set one.")
        .errors(&[Code::LedgerNotFound, Code::NotTheLedgersOwner]),
        Operation::one::<IssuerCheck>(
            Method::GET,
            "/issuers/:domain/check",
            "checkIssuer",
            "Check if a domain confirms an account",
        )
        .text(
            "Asks the domain now, and stores nothing. The answer has the texts to publish. An answer is cached for ten \
             seconds. A client network may cause 60 checks an hour, and a domain gets 60 an hour.",
        )
        .query(&["account"])
        .errors(&[Code::QueryNotValid]),
    ]
}
