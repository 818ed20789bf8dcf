//! `/deployments` (`docs/interface.md`, "Deployments").

use order_core::{Address, Code, DeploymentRequest, Draft, Request, RequestKind};

use super::records::{create_record, page};
use crate::admissions;
use crate::api;
use crate::db::Page;
use crate::failure::Failure;
use crate::records::{self, Lookup, Record};
use crate::web::{Handled, Ids, Input, Route, Statuses, ok, private, query};

query! {
    /// The parameters of the list of deployments.
    pub(super) struct DeploymentQuery {
        ..page: Page,
        /// Only items with one of these references or ids.
        references ("filterIds"): Ids<String>,
        /// Only items with one of these statuses.
        statuses ("statuses"): Statuses,
    }
}

pub(super) const ROUTES: &[Route] = &[
    Route::post("/deployments", private!(Orders, create))
        .json::<api::bodies::DeploymentRequest>()
        .answers::<api::Deployment>("createDeployment", "Deploy a ledger")
        .details("Without a claim, the answer has the status 422 and the hash to sign.")
        .statuses(&[201, 200])
        .errors(&[
            Code::SignatureNotValid,
            Code::DeployCreationFailed,
            Code::DeployClaimMissing,
            Code::DeployReceiverMissing,
            Code::DeployExpirationMissing,
            Code::DeployBalanceInsufficient,
            Code::DeployNotApproved,
            Code::FieldNotValid,
            Code::TokenReceiverNotAllowed,
            Code::TooMuchGas,
        ])
        .errors_between(&[
            (Code::DeployTakerNotValid, Code::DeploySymbolMissing),
            (Code::DeployUriPrefixMissing, Code::DeployPaymentNotValid),
        ]),
    Route::get("/deployments", private!(Read, list))
        .query::<DeploymentQuery>()
        .lists::<api::Deployment>("getDeployments", "List deployments"),
    Route::get(
        "/deployments/:deploymentRef",
        private!(Read, get, DeploymentRef),
    )
    .answers::<api::Deployment>("getDeployment", "Get a deployment")
    .errors(&[Code::DeploymentNotFound]),
];

/// POST /deployments
pub(super) async fn create(input: &Input<'_>, caller: Address) -> Handled {
    let draft = DeploymentRequest::read(&input.body, input.ctx.now())?;
    let maker = match &draft {
        Draft::Signed(request) => request.deploy.maker_id,
        Draft::Unsigned(content) => content.signer(),
    };
    // This check comes before the claim's check, so no account signs a deployment that would be refused anyway.
    if !admissions::may_deploy(input.ctx, &maker).await? {
        let why =
            "on this service, only accounts that its operator has admitted may deploy ledgers";
        let code = Code::DeployCreationFailed;
        return Err(Failure::one(code, "deploy.makerId", why));
    }
    match draft {
        Draft::Signed(request) => {
            let request = Request::Deployment(Box::new(request));
            create_record(input, caller, request, view).await
        }
        Draft::Unsigned(content) => records::unsigned(input.ctx, input.ledger, &content).await,
    }
}

/// GET /deployments
pub(super) async fn list(input: &Input<'_>, caller: Address) -> Handled {
    let query: DeploymentQuery = input.query.parsed()?;
    let lookup = Lookup {
        references: query.references,
        statuses: query.statuses,
        ..Lookup::new(RequestKind::Deployment, caller, query.page)
    };
    page(input, lookup, view).await
}

/// GET /deployments/:deploymentRef
pub(super) async fn get(input: &Input<'_>, caller: Address, reference: &str) -> Handled {
    let found = records::by_reference(input.ctx.db(), RequestKind::Deployment, reference).await?;
    match found.filter(|record| record.creator == caller) {
        Some(record) => ok(view(&record)),
        None => Err(Failure::code(Code::DeploymentNotFound)),
    }
}

/// Returns the deployment as its creator sees it.
fn view(record: &Record) -> Option<api::Deployment> {
    let Request::Deployment(request) = &record.request else {
        return None;
    };
    let deployed = record.deployed.as_ref();
    Some(api::Deployment {
        reference: api::Ref(record.reference.clone()),
        status: record.status,
        priority: record.priority,
        deploy: request.deploy.clone(),
        claim: request.claim.clone(),
        hash: api::Hash(record.hash.clone()),
        ledger_ref: deployed.map(|deployed| api::Ref(deployed.ledger_ref.clone())),
        ledger_id: deployed.map(|deployed| deployed.ledger_id),
        error: record.error.clone(),
        tx_hash: api::TransactionHash(record.tx_hash.clone()),
        created_at: api::Timestamp(record.created_at),
        updated_at: api::Timestamp(record.updated_at),
    })
}
