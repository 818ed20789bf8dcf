//! Descriptions of the deployment routes.

use http::Method;
use order_core::Code;

use super::super::description::Operation;
use crate::api::Deployment;
use crate::api::bodies::DeploymentRequest;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::one::<Deployment>(
            Method::POST,
            "/deployments",
            "createDeployment",
            "Deploy a ledger",
        )
        .text("Without a claim, the answer has the status 422 and the hash to sign.")
        .body::<DeploymentRequest>()
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
        .errors_between(Code::DeployTakerNotValid, Code::DeploySymbolMissing)
        .errors_between(Code::DeployUriPrefixMissing, Code::DeployPaymentNotValid),
        Operation::list::<Deployment>("/deployments", "getDeployments", "List deployments"),
        Operation::one::<Deployment>(
            Method::GET,
            "/deployments/:deploymentRef",
            "getDeployment",
            "Get a deployment",
        )
        .errors(&[Code::DeploymentNotFound]),
    ]
}
