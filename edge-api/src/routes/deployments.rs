//! `/deployments` (interface specification, "Deployments").

use order_core::{Address, Code, DeploymentRequest};

use crate::app::{Call, Input};
use crate::deployments::view;
use crate::http::{Failure, Success};
use crate::records::{self, Kind};
use crate::routes::records::page;

/// POST /deployments
pub(super) async fn create(
    call: &Call<'_>,
    input: &Input<'_>,
    caller: Address,
) -> Result<Success, Failure> {
    let request = DeploymentRequest::parse(&input.body, call.now())?;
    if !call.config().deployers.include(&request.deploy.maker_id) {
        let why = "this service lets only the accounts that its operator has named deploy ledgers";
        return Err(Failure::one(
            Code::DeployCreationFailed,
            "deploy.makerId",
            why,
        ));
    }
    let work = records::Work::Deployment(Box::new(request));
    records::create(call, caller, work, view).await
}

/// GET /deployments
pub(super) async fn list(
    call: &Call<'_>,
    input: &Input<'_>,
    caller: Address,
) -> Result<Success, Failure> {
    page(call, input, caller, Kind::Deployment, view).await
}

/// GET /deployments/:deploymentRef
pub(super) async fn get(
    call: &Call<'_>,
    input: &Input<'_>,
    caller: Address,
) -> Result<Success, Failure> {
    let found = records::by_reference(
        call.db(),
        Kind::Deployment,
        input.params.get("deploymentRef"),
    )
    .await?;
    match found.filter(|record| record.creator == caller) {
        Some(record) => Success::ok(view(&record)),
        None => Err(Failure::code(Code::DeploymentNotFound)),
    }
}
