//! `/admin` and `/metrics`: the routes of administrators. The pipeline admits only administrators ([`crate::web::Route::admin`]).

use std::str::FromStr;

use http::{Method, StatusCode, header};
use order_core::{Address, Amount, Code, Field, FieldError};

use super::common::PeriodQuery;
use crate::accounts;
use crate::admin::{self, AuditLookup, BLOCKS_MAX, NotSent};
use crate::admissions;
use crate::api::{self, AdmissionStatus};
use crate::assets::Reason;
use crate::db::{Decision, Page, quota, storage};
use crate::failure::{Failure, invalid};
use crate::monitor;
use crate::records;
use crate::text::account_key;
use crate::web::{
    Computing, Filter, Handled, Input, Matching, Response, Route, Success, Text, ok, private,
    query, raw,
};

query! {
    /// The parameters of the export of an account's data.
    pub(super) struct DataQuery {
        /// `next` of the previous page, unchanged.
        from ("from"): Text,
    }
}

query! {
    /// The parameters of the list of requests for admission.
    pub(super) struct AdmissionQuery {
        ..page: Page,
        /// Only requests with this status: `waiting`, `approved` or `declined`.
        status ("status"): Matching<Decided>,
    }
}

/// A status of a stored request for admission.
#[derive(Clone, Copy)]
pub(super) struct Decided(AdmissionStatus);

impl FromStr for Decided {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "waiting" => Ok(Self(AdmissionStatus::Waiting)),
            "approved" => Ok(Self(AdmissionStatus::Approved)),
            "declined" => Ok(Self(AdmissionStatus::Declined)),
            _ => Err(()),
        }
    }
}

/// The factors by which a quota can be raised.
const FACTORS: std::ops::RangeInclusive<u64> = 1..=100;

/// Wraps a handler for administrators: `async fn(&Input) -> Handled`, with a `&str` for the path parameter. API keys are
/// refused, even those of an administrator. Each call that succeeds is recorded in the audit log.
macro_rules! admin {
    ($handler:path) => {
        (
            crate::web::Access::Private(crate::web::Needs::Account, |input, _, caller| {
                Box::pin(audited(input, caller, None, Box::pin($handler(input))))
            }),
            &[],
        )
    };
    ($handler:path, $param:ident) => {
        (
            crate::web::Access::Private(crate::web::Needs::Account, |input, path, caller| {
                let subject = path.get(crate::web::Param::$param);
                Box::pin(audited(
                    input,
                    caller,
                    Some(subject),
                    Box::pin($handler(input, subject)),
                ))
            }),
            &[crate::web::Param::$param],
        )
    };
}

/// Like [`admin!`], for a handler that also takes the administrator: `async fn(&Input, Address, &str) -> Handled`.
macro_rules! admin_as {
    ($handler:path, $param:ident) => {
        (
            crate::web::Access::Private(crate::web::Needs::Account, |input, path, caller| {
                let subject = path.get(crate::web::Param::$param);
                Box::pin(audited(
                    input,
                    caller,
                    Some(subject),
                    Box::pin($handler(input, caller, subject)),
                ))
            }),
            &[crate::web::Param::$param],
        )
    };
}

pub(super) const ROUTES: &[Route] = &[
    // These calls are not recorded in the audit log, because monitors read metrics every few seconds. Metrics name no account.
    Route::get("/metrics", private!(Metrics, metrics))
        .admin()
        .answers_text(
            "getMetrics",
            "Get metrics of the service in the Prometheus text format",
        )
        .tag("admin")
        .details(
            "The counters of requests cover only the isolate that answers. The other \
             metrics cover the whole service. The call is not recorded in the audit log. Besides \
             administrators, the operator's token in `METRICS_TOKEN` may read the metrics.",
        ),
    Route::get("/admin/audit", admin!(audit))
        .query::<PeriodQuery>()
        .admin()
        .lists::<api::AuditEntry>("getAuditLog", "List calls of administrators")
        .details(
            "Each call is recorded in the same transaction as its effect. Entries are never \
             changed or deleted.",
        ),
    Route::get("/admin/pause", admin!(pause_state))
        .admin()
        .answers::<api::Pause>("getPause", "Get the pause of changes"),
    Route::post("/admin/pause", admin!(pause))
        .json::<api::bodies::PauseInput>()
        .admin()
        .answers::<api::Pause>("pauseChanges", "Pause changes")
        .details(
            "Within five seconds, requests other than GET are refused with 503000 and the \
             message. Signing out, revoking API keys and administrators' calls still work, \
             and administrators can sign in. The service still processes requests that it \
             accepted before.",
        ),
    Route::post("/admin/resume", admin!(resume))
        .json::<api::bodies::ReasonInput>()
        .admin()
        .answers::<api::Pause>("resumeChanges", "End the pause of changes"),
    Route::get("/admin/blocks", admin!(blocks))
        .query::<Page>()
        .admin()
        .lists::<api::Block>("getBlocks", "List blocked accounts and ledgers"),
    Route::post("/admin/blocks", admin!(block))
        .json::<api::bodies::AddressInput>()
        .admin()
        .answers::<api::Block>("blockAddress", "Block an account or a ledger")
        .details(
            "An account keeps its property, but within five seconds all of its requests are \
             refused with 403011. Orders, deployments and approvals that a blocked account \
             has signed or that name a blocked ledger are refused immediately, and fail if \
             they are already waiting. Badges stay as they are.",
        ),
    Route::post("/admin/unblock", admin!(unblock))
        .json::<api::bodies::AddressInput>()
        .admin()
        .answers::<api::Block>("unblockAddress", "Unblock an account or a ledger"),
    Route::post("/admin/grants", admin!(grant))
        .json::<api::bodies::GrantInput>()
        .admin()
        .answers::<api::Grant>("grantTokens", "Give tokens to an account")
        .errors(&[Code::DepositsNotConfigured]),
    Route::post("/admin/quotas", admin!(raise_quota))
        .json::<api::bodies::QuotaInput>()
        .admin()
        .answers::<api::RaisedQuota>(
            "raiseQuota",
            "Raise the daily quota of an account's stored bytes",
        )
        .details(
            "The quota applies while the account has tokens or an ability. Other accounts \
             share quotas.",
        ),
    Route::get("/admin/accounts/:accountId/data", admin!(export, AccountId))
        .query::<DataQuery>()
        .admin()
        .answers::<api::PersonalData>("exportPersonalData", "Export an account's personal data")
        .errors(&[Code::InvalidPath, Code::QueryNotValid]),
    Route::post("/admin/accounts/:accountId/erase", admin!(erase, AccountId))
        .json::<api::bodies::ReasonInput>()
        .admin()
        .answers::<api::ErasedData>("erasePersonalData", "Erase an account's personal data")
        .details(
            "Erases the account's information, the text of its request for admission, its webhook \
             with the events, its sessions \
             and API keys, and the log of its requests. Orders, assets, balances, deposits, \
             domains and daily sums stay, because other accounts rely on them.",
        )
        .errors(&[Code::InvalidPath]),
    Route::get("/admin/admissions", admin!(admissions))
        .query::<AdmissionQuery>()
        .admin()
        .lists::<api::AdmissionRequest>("getAdmissions", "List requests for admission")
        .details(
            "Accounts that asked for permission to deploy ledgers. The account has signed its \
             request, but its name and contact are not proven: ask the organisation in a way \
             that the request did not give. `domain` is proven.",
        ),
    Route::post(
        "/admin/admissions/:admissionRef/approve",
        admin_as!(approve, AdmissionRef),
    )
    .json::<api::bodies::ReasonInput>()
    .admin()
    .answers::<api::AdmissionRequest>("approveAdmission", "Let an account deploy ledgers")
    .details("The account may then deploy as if the setting `DEPLOYERS` listed it.")
    .errors(&[Code::InvalidPath]),
    Route::post(
        "/admin/admissions/:admissionRef/decline",
        admin_as!(decline, AdmissionRef),
    )
    .json::<api::bodies::ReasonInput>()
    .admin()
    .answers::<api::AdmissionRequest>("declineAdmission", "Decline a request for admission")
    .details(
        "Also takes back an approval. The account keeps its ledgers, and may not deploy \
             further ones.",
    )
    .errors(&[Code::InvalidPath]),
    Route::get("/admin/records", admin!(stuck))
        .query::<Page>()
        .admin()
        .lists::<api::StuckRecord>("getStuckRecords", "List stuck records"),
    Route::post("/admin/records/:recordRef/retry", admin!(retry, RecordRef))
        .json::<api::bodies::ReasonInput>()
        .admin()
        .answers::<api::StuckRecord>("retryRecord", "Retry a stuck record within a minute")
        .errors(&[Code::InvalidPath]),
    Route::get("/admin/dead-letters", admin!(dead_letters))
        .query::<Page>()
        .admin()
        .lists::<api::DeadLetter>("getDeadLetters", "List dead letters")
        .details("Messages are kept for 90 days."),
    Route::post(
        "/admin/dead-letters/:letterRef/retry",
        admin!(resend, LetterRef),
    )
    .json::<api::bodies::ReasonInput>()
    .admin()
    .answers::<api::DeadLetter>("retryDeadLetter", "Send a dead letter again")
    .errors(&[Code::InvalidPath, Code::FieldNotValid]),
];

/// Records a call in the audit log, in the same transaction as the call's effect. Every call except GET needs a reason.
/// `subject` is the path's parameter. If it is `None`, the body's `address` is recorded.
pub(super) async fn audited(
    input: &Input<'_>,
    caller: Address,
    subject: Option<&str>,
    handled: Computing<'_, Handled>,
) -> Handled {
    let reason = match input.route.method {
        Method::GET => None,
        _ => Some(Reason::parse(&input.body)?),
    };
    let mut decision = handled.await?;
    let body = Field::body(&input.body);
    let address = body.get("address");
    decision.statements.push(admin::record(
        input.ctx,
        &caller,
        &format!("{} {}", input.route.method, input.route.pattern.0),
        subject.or_else(|| address.text()),
        &input.body,
        reason.as_ref(),
    ));
    // The call counts against no quota, so an exhausted quota cannot prevent it.
    Ok(decision.free())
}

/// GET /admin/audit
pub(super) async fn audit(input: &Input<'_>) -> Handled {
    let PeriodQuery { page, period } = input.query.parsed()?;
    let lookup = AuditLookup { page, period };
    let found = admin::audit_log(input.ctx.db(), &lookup).await?;
    lookup
        .page
        .answer_rows(found, |entry| entry.reference.clone())
}

/// GET /admin/pause
pub(super) async fn pause_state(input: &Input<'_>) -> Handled {
    ok(admin::pause_state(input.ctx.db()).await?)
}

/// POST /admin/pause
pub(super) async fn pause(input: &Input<'_>) -> Handled {
    let message = Reason::parse_field(&Field::body(&input.body).get("message"))?;
    admin::pause(input.ctx, &message).answered(|done| Success::ok(done))
}

/// POST /admin/resume
pub(super) async fn resume(_: &Input<'_>) -> Handled {
    admin::resume().answered(|done| Success::ok(done))
}

/// GET /admin/blocks
pub(super) async fn blocks(input: &Input<'_>) -> Handled {
    let page: Page = input.query.parsed()?;
    let found = admin::blocks(input.ctx.db(), &page).await?;
    page.answer_rows(found, |block| account_key(&block.address))
}

/// POST /admin/blocks
pub(super) async fn block(input: &Input<'_>) -> Handled {
    let address = address(input)?;
    let reason = Reason::parse(&input.body)?;
    let Some(decision) = admin::block(input.ctx, address, &reason).await? else {
        let why =
            format!("{BLOCKS_MAX} addresses are blocked, which is the maximum: unblock one first");
        return Err(Failure::one(Code::FieldNotValid, "address", why));
    };
    decision.answered(|done| Success::ok(done))
}

/// POST /admin/unblock
pub(super) async fn unblock(input: &Input<'_>) -> Handled {
    admin::unblock(address(input)?).answered(|done| Success::ok(done))
}

/// Maximum decimal digits of a grant. 10^20 grants of this size fit into a balance of 256 bits, so no balance overflows.
const GRANT_DIGITS: usize = 57;

/// POST /admin/grants
pub(super) async fn grant(input: &Input<'_>) -> Handled {
    let account_id = address(input)?;
    let field = Field::body(&input.body).get("amount");
    let amount = field.text().and_then(|text| text.parse::<Amount>().ok());
    let fits = |amount: &Amount| !amount.is_zero() && amount.to_string().len() <= GRANT_DIGITS;
    let Some(amount) = amount.filter(fits) else {
        let expected = "an amount in base units as a string of at most 57 digits, such as `1000000000000000000`";
        return Err(field.wrong(Code::FieldNotValid, expected).into());
    };
    let treasury = input
        .ledger
        .treasury()
        .ok_or_else(|| Failure::code(Code::DepositsNotConfigured))?;
    let credit = treasury.credit(input.ctx, account_id, amount).await?;
    let mut statements = vec![accounts::ensure(&account_id, input.ctx.now())];
    // The statements of the credit go first, because they start with guards.
    statements.splice(..0, credit);
    Decision::new("admin", statements, api::Grant { account_id, amount })
        .answered(|done| Success::ok(done))
}

/// GET /admin/admissions
pub(super) async fn admissions(input: &Input<'_>) -> Handled {
    let query: AdmissionQuery = input.query.parsed()?;
    let status = match query.status {
        Filter::All => None,
        Filter::Only(Decided(status)) => Some(status),
        // No request has this status.
        Filter::Nothing => Some(AdmissionStatus::None),
    };
    let found = admissions::requests(input.ctx.db(), status, &query.page).await?;
    query
        .page
        .answer_rows(found, |request| request.reference.0.clone())
}

/// POST /admin/admissions/:admissionRef/approve
pub(super) async fn approve(input: &Input<'_>, caller: Address, reference: &str) -> Handled {
    decide_admission(input, caller, reference, true).await
}

/// POST /admin/admissions/:admissionRef/decline
pub(super) async fn decline(input: &Input<'_>, caller: Address, reference: &str) -> Handled {
    decide_admission(input, caller, reference, false).await
}

async fn decide_admission(
    input: &Input<'_>,
    caller: Address,
    reference: &str,
    is_approved: bool,
) -> Handled {
    let found = admissions::decide(input.ctx, reference, is_approved, &caller).await?;
    let unknown =
        "no request for admission has this reference, or its account has sent another one";
    let decision = found.ok_or_else(|| Failure::one(Code::InvalidPath, "", unknown))?;
    decision.answered(|done| Success::ok(done))
}

/// GET /admin/records
pub(super) async fn stuck(input: &Input<'_>) -> Handled {
    let page: Page = input.query.parsed()?;
    let found = records::stuck(input.ctx.db(), &page).await?;
    page.answer_rows(found, |record| record.reference.clone())
}

/// POST /admin/records/:recordRef/retry
pub(super) async fn retry(input: &Input<'_>, reference: &str) -> Handled {
    let found = records::retry_soon(input.ctx, reference).await?;
    let decision = found
        .ok_or_else(|| Failure::one(Code::InvalidPath, "", "no stuck record has this reference"))?;
    decision.answered(|done| Success::ok(done))
}

/// GET /admin/dead-letters
pub(super) async fn dead_letters(input: &Input<'_>) -> Handled {
    let page: Page = input.query.parsed()?;
    let found = admin::dead_letters(input.ctx.db(), &page).await?;
    page.answer_rows(found, |letter| letter.reference.clone())
}

/// POST /admin/dead-letters/:letterRef/retry
pub(super) async fn resend(input: &Input<'_>, reference: &str) -> Handled {
    match admin::resend(input.ctx, reference).await? {
        Ok(decision) => decision.answered(|done| Success::ok(done)),
        Err(NotSent::Unknown) => {
            let message = "no dead letter has this reference";
            Err(Failure::one(Code::InvalidPath, "", message))
        }
        Err(NotSent::Unreadable) => {
            let message =
                "this version of the service cannot read the message, so it cannot be sent again";
            Err(Failure::one(Code::FieldNotValid, "", message))
        }
    }
}

/// POST /admin/quotas
pub(super) async fn raise_quota(input: &Input<'_>) -> Handled {
    let account_id = address(input)?;
    let field = Field::body(&input.body).get("factor");
    let factor = field.whole_number();
    let Some(factor) = factor.filter(|factor| FACTORS.contains(factor)) else {
        let expected = "a whole number from 1 to 100";
        return Err(field.wrong(Code::FieldNotValid, expected).into());
    };
    let key = storage::account_quota(&account_key(&account_id));
    let raised = api::RaisedQuota {
        account_id,
        bytes_per_day: storage::ACCOUNT_BYTES.saturating_mul(factor),
    };
    let decision = Decision::new("admin", vec![quota::raise(&key, factor)], raised);
    decision.answered(|done| Success::ok(done))
}

/// GET /admin/accounts/:accountId/data
pub(super) async fn export(input: &Input<'_>, account: &str) -> Handled {
    let account = in_path(account)?;
    let query: DataQuery = input.query.parsed()?;
    let page = admin::export(input.ctx, &account, query.from.as_deref()).await?;
    let page = page.ok_or_else(|| {
        invalid(
            "from",
            "`from` must be `next` of the previous page".to_owned(),
        )
    })?;
    ok(page)
}

/// POST /admin/accounts/:accountId/erase
pub(super) async fn erase(input: &Input<'_>, account: &str) -> Handled {
    let account = in_path(account)?;
    let erased = admin::erase(input.ctx, &account).await?;
    erased.answered(|done| Success::ok(done))
}

/// Returns the account in a path.
fn in_path(account: &str) -> Result<Address, Failure> {
    let parsed = account.parse();
    parsed.map_err(|_| {
        Failure::one(
            Code::InvalidPath,
            "",
            "the account in the path must be an Ethereum address",
        )
    })
}

/// GET /metrics
pub(super) async fn metrics(input: &Input<'_>, _: Address) -> Handled {
    let text = monitor::metrics(input.ctx, &input.memory.traffic).await?;
    let mut response = Response::empty(StatusCode::OK).with(
        header::CONTENT_TYPE,
        "text/plain; version=0.0.4; charset=utf-8",
    );
    response.body = text.into_bytes();
    raw(response)
}

/// Returns the body's `address`.
fn address(input: &Input<'_>) -> Result<Address, FieldError> {
    let field = Field::body(&input.body).get("address");
    let address = field.text().and_then(|text| text.parse().ok());
    address.ok_or_else(|| field.wrong(Code::FieldNotValid, "an Ethereum address"))
}
