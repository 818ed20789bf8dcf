//! Descriptions of the routes of issuers' domains.

use http::Method;
use order_core::Code;

use super::super::description::Operation;
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
            "The domain is for all of the caller's ledgers that have no domain of their own. The service checks the \
             domain immediately and then daily. Setting the domain again requests another check. GET \
             /issuers/{domain}/check returns the content that the domain has to publish.",
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
        .text("Certificates still show which domain confirmed the issuer, and until when."),
        Operation::one::<IssuerDomain>(
            Method::PUT,
            "/ledgers/:ledgerRef/domain",
            "setLedgerDomain",
            "Set the domain of a ledger",
        )
        .tag("issuers")
        .text("Only the ledger's owner may set the domain.")
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
        .text("If the ledger has no domain of its own, the answer has the domain that the owner set for all ledgers, and `ledgerId` is null.")
        .errors(&[Code::LedgerNotFound]),
        Operation::one::<IssuerDomain>(
            Method::DELETE,
            "/ledgers/:ledgerRef/domain",
            "deleteLedgerDomain",
            "Remove the domain of a ledger",
        )
        .tag("issuers")
        .text("From then on, the ledger has the domain that its owner set for all ledgers, if there is one.")
        .errors(&[Code::LedgerNotFound, Code::NotTheLedgersOwner]),
        Operation::one::<IssuerCheck>(
            Method::GET,
            "/issuers/:domain/check",
            "checkIssuer",
            "Check whether a domain confirms an account",
        )
        .text(
            "Queries the domain now. The domain's stored state does not change. The answer has the content that the domain has \
             to publish, and is cached for ten seconds. Each client network and each domain is limited to 60 checks \
             an hour.",
        )
        .errors(&[Code::QueryNotValid]),
    ]
}
