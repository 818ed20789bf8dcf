//! `/account/domain`, `/ledgers/:ledgerRef/domain` and `/issuers` (`docs/spec/issuer.md`).

use order_core::{Address, Code, Field};

use crate::api::{IssuerCheck, IssuerDomain, bodies};
use crate::db::Decision;
use crate::failure::{Failure, invalid};
use crate::issuers::{self, Domain};
use crate::ledger::identify_client;
use crate::ledger::projection::{self, LedgerRow};
use crate::web::{Handled, Input, Required, Route, Success, ok, private, public, query};

query! {
    /// The parameters of a check of a domain.
    pub(super) struct CheckQuery {
        /// The account's address.
        account ("account"): Required<Address>,
    }
}

pub(super) const ROUTES: &[Route] = &[
    Route::put("/account/domain", private!(Account, set))
        .json::<bodies::DomainRequest>()
        .answers::<IssuerDomain>("setDomain", "Set the domain of the caller's ledgers")
        .tag("issuers")
        .details(
            "The domain is for all of the caller's ledgers that have no domain of their \
             own. The service checks the domain immediately and then daily. Setting the \
             domain again requests another check. GET /issuers/{domain}/check returns the \
             content that the domain has to publish.",
        )
        .errors(&[Code::DomainNotValid]),
    Route::get("/account/domain", private!(Read, get))
        .answers::<IssuerDomain>("getDomain", "Get the domain of the caller's ledgers")
        .tag("issuers"),
    Route::delete("/account/domain", private!(Account, remove))
        .answers::<IssuerDomain>("deleteDomain", "Remove the domain of the caller's ledgers")
        .tag("issuers")
        .details("Certificates still show which domain confirmed the issuer, and until when."),
    Route::put(
        "/ledgers/:ledgerRef/domain",
        private!(Account, set_of_ledger, LedgerRef),
    )
    .json::<bodies::DomainRequest>()
    .answers::<IssuerDomain>("setLedgerDomain", "Set the domain of a ledger")
    .tag("issuers")
    .details("Only the ledger's owner may set the domain.")
    .errors(&[
        Code::DomainNotValid,
        Code::LedgerNotFound,
        Code::NotTheLedgersOwner,
    ]),
    Route::get(
        "/ledgers/:ledgerRef/domain",
        private!(Read, get_of_ledger, LedgerRef),
    )
    .answers::<IssuerDomain>("getLedgerDomain", "Get the domain of a ledger")
    .tag("issuers")
    .details(
        "If the ledger has no domain of its own, the answer has the domain that the \
             owner set for all ledgers, and `ledgerId` is null.",
    )
    .errors(&[Code::LedgerNotFound]),
    Route::delete(
        "/ledgers/:ledgerRef/domain",
        private!(Account, remove_of_ledger, LedgerRef),
    )
    .answers::<IssuerDomain>("deleteLedgerDomain", "Remove the domain of a ledger")
    .tag("issuers")
    .details(
        "From then on, the ledger has the domain that its owner set for all ledgers, if \
             there is one.",
    )
    .errors(&[Code::LedgerNotFound, Code::NotTheLedgersOwner]),
    Route::get("/issuers/:domain/check", public!(check, Domain))
        .query::<CheckQuery>()
        .answers::<IssuerCheck>("checkIssuer", "Check whether a domain confirms an account")
        .details(
            "Queries the domain now. The domain's stored state does not change. The answer \
             has the content that the domain has to publish, and is cached for ten seconds. \
             Each client network and each domain is limited to 60 checks an hour.",
        )
        .errors(&[Code::QueryNotValid]),
];

/// PUT /account/domain
pub(super) async fn set(input: &Input<'_>, caller: Address) -> Handled {
    let domain = domain(input)?;
    answered(input, issuers::set(input.ctx, &caller, None, &domain))
}

/// GET /account/domain
pub(super) async fn get(input: &Input<'_>, caller: Address) -> Handled {
    let rows = input.ctx.db().query(issuers::select(&caller, None));
    ok(issuers::view(rows.await?, input.ctx.now())?)
}

/// DELETE /account/domain
pub(super) async fn remove(input: &Input<'_>, caller: Address) -> Handled {
    answered(input, issuers::remove(input.ctx, &caller, None))
}

/// PUT /ledgers/:ledgerRef/domain
pub(super) async fn set_of_ledger(input: &Input<'_>, caller: Address, ledger: &str) -> Handled {
    let domain = domain(input)?;
    let ledger = owned(input, &caller, ledger).await?;
    answered(
        input,
        issuers::set(input.ctx, &caller, Some(&ledger.id), &domain),
    )
}

/// GET /ledgers/:ledgerRef/domain
pub(super) async fn get_of_ledger(input: &Input<'_>, _: Address, ledger: &str) -> Handled {
    let domain = issuers::of_ledger(input.ctx, ledger).await?;
    ok(domain.ok_or_else(|| Failure::code(Code::LedgerNotFound))?)
}

/// DELETE /ledgers/:ledgerRef/domain
pub(super) async fn remove_of_ledger(input: &Input<'_>, caller: Address, ledger: &str) -> Handled {
    let ledger = owned(input, &caller, ledger).await?;
    answered(input, issuers::remove(input.ctx, &caller, Some(&ledger.id)))
}

/// GET /issuers/:domain/check
pub(super) async fn check(input: &Input<'_>, domain: &str) -> Handled {
    let (ctx, origin) = (input.ctx, input.request.origin.as_str());
    let domain = Domain::parse(ctx, Some(origin), domain).map_err(|why| invalid("domain", why));
    let query: CheckQuery = input.query.parsed()?;
    let account = query.account.unwrap_or_default();
    let account = account
        .parse::<Address>()
        .map_err(|why| invalid("account", format!("`account` {why}")));
    let (domain, account) = match (domain, account) {
        (Ok(domain), Ok(account)) => (domain, account),
        (domain, account) => {
            let errors = [domain.err(), account.err()];
            return Err(Failure::new(errors.into_iter().flatten().collect()));
        }
    };
    identify_client(ctx, input.ledger).await?;
    let data = issuers::diagnose(ctx, origin, &domain, &account).await?;
    Decision::read(()).answered(|()| Success::ok_text(data))
}

/// Parses the domain in the body.
fn domain(input: &Input<'_>) -> Result<Domain, Failure> {
    let body = Field::body(&input.body);
    let field = body.get("domain");
    let text = field
        .text()
        .ok_or_else(|| field.wrong(Code::DomainNotValid, "a domain such as `uni.example`"))?;
    Domain::parse(input.ctx, Some(&input.request.origin), text)
        .map_err(|why| Failure::one(Code::DomainNotValid, "domain", why))
}

/// Returns the ledger. Fails if there is no such ledger or the caller does not own it.
pub(super) async fn owned(
    input: &Input<'_>,
    caller: &Address,
    reference: &str,
) -> Result<LedgerRow, Failure> {
    let ledger = projection::find(input.ctx.db(), reference).await?;
    let ledger = ledger.ok_or_else(|| Failure::code(Code::LedgerNotFound))?;
    if ledger.owner == *caller {
        Ok(ledger)
    } else {
        Err(Failure::code(Code::NotTheLedgersOwner))
    }
}

/// Answers with the domain that the decision's last statement reads.
fn answered(input: &Input<'_>, decision: Decision<()>) -> Handled {
    let now = input.ctx.now();
    decision.answered_from_rows(move |mut rows| {
        let rows = rows.pop().unwrap_or_default();
        Success::ok(issuers::view(rows, now)?)
    })
}
