//! `/deployments` (interface specification, "Deployments").

use order_core::{Address, Code, DeploymentRequest, Request, RequestKind};
use serde_json::{Value, json};

use super::records::{create_record, page};
use crate::failure::Failure;
use crate::records::{self, Record};
use crate::text::timestamp;
use crate::web::{Handled, Input, ok};

/// POST /deployments
pub(super) async fn create(input: &Input<'_>, caller: Address) -> Handled {
    let request = DeploymentRequest::parse(&input.body, input.ctx.now())?;
    if !input
        .ctx
        .config()
        .deployers
        .include(&request.deploy.maker_id)
    {
        let why = "this service lets only the accounts that its operator has named deploy ledgers";
        let code = Code::DeployCreationFailed;
        return Err(Failure::one(code, "deploy.makerId", why));
    }
    let request = Request::Deployment(Box::new(request));
    create_record(input, caller, request, view).await
}

/// GET /deployments
pub(super) async fn list(input: &Input<'_>, caller: Address) -> Handled {
    page(input, caller, RequestKind::Deployment, view).await
}

/// GET /deployments/:deploymentRef
pub(super) async fn get(input: &Input<'_>, caller: Address) -> Handled {
    let (db, reference) = (input.ctx.db(), input.params.get("deploymentRef"));
    let found = records::by_reference(db, RequestKind::Deployment, reference).await?;
    match found.filter(|record| record.creator == caller) {
        Some(record) => ok(view(&record)),
        None => Err(Failure::code(Code::DeploymentNotFound)),
    }
}

/// `{ref, status, priority, deploy, claim, hash, ledgerRef, ledgerId, error, txHash, createdAt, updatedAt}`
fn view(record: &Record) -> Value {
    let Request::Deployment(request) = &record.request else {
        return Value::Null;
    };
    json!({
        "ref": record.reference,
        "status": record.status.number(),
        "priority": record.priority,
        "deploy": request.deploy,
        "claim": request.claim,
        "hash": record.hash,
        "ledgerRef": record.deployed.as_ref().map(|deployed| &deployed.ledger_ref),
        "ledgerId": record.deployed.as_ref().map(|deployed| &deployed.ledger_id),
        "error": record.error,
        "txHash": record.tx_hash,
        "createdAt": timestamp(record.created_at),
        "updatedAt": timestamp(record.updated_at),
    })
}
