//! Simulates the call that performs a request, before it is accepted and before it is sent.

use order_core::chain::{Call, CallError, Meaning, Revert, perform};
use order_core::{Code, FieldError, Request, Snapshot};

use super::Evm;
use super::rpc::{Ask, Reply, number64, unavailable};
use crate::context::Context;
use crate::ledger::{Ledger, LedgerError};

/// The result of a simulation.
pub(super) enum Simulated {
    /// The contracts accept the call, which needs this much gas.
    Accepted { call: Call, gas: u64 },
    /// The contracts refuse the call.
    Refused(Meaning),
    /// The request has no call yet, because not all of its claims are there.
    Incomplete,
}

/// Simulates the call on the last block.
///
/// # Errors
/// If no provider answers. An error without the data of a revert is a provider's fault, not a refusal.
pub(super) async fn simulate(
    evm: &Evm,
    ctx: &Context<'_>,
    request: &Request,
) -> Result<Simulated, LedgerError> {
    let identity = evm.identity(ctx).await?;
    let call = match perform(request, &identity.instance.gateways) {
        Ok(call) => call,
        Err(CallError::NotSigned(_)) => return Ok(Simulated::Incomplete),
        Err(CallError::Order(error)) => {
            return Ok(Simulated::Refused(Meaning::Refused(vec![error])));
        }
        Err(error @ CallError::Claim(..)) => {
            let code = FieldError::with_message(Code::SignatureNotValid, "", error.to_string());
            return Ok(Simulated::Refused(Meaning::Refused(vec![code])));
        }
    };
    match evm
        .rpc(ctx)
        .one(Ask::estimate(&call, evm.relayer()))
        .await?
    {
        Reply::Value(gas) => {
            let gas = number64(&gas)?;
            if gas > evm.chain.gas_cap {
                let message = format!(
                    "the request needs {gas} units of gas, but a transaction has at most {}: use fewer actions or shorter texts",
                    evm.chain.gas_cap
                );
                let error = FieldError::with_message(Code::TooMuchGas, path(request), message);
                return Ok(Simulated::Refused(Meaning::Refused(vec![error])));
            }
            Ok(Simulated::Accepted { call, gas })
        }
        Reply::Reverted(data) => Ok(Simulated::Refused(Revert::read(&data).meaning(request))),
        Reply::Refused(why) => Err(unavailable(&why)),
    }
}

/// Applies the rules, which find all errors, and then simulates the call.
pub(super) async fn check(
    evm: &Evm,
    ctx: &Context<'_>,
    request: &Request,
    snapshot: &Snapshot,
) -> Result<Result<(), Vec<FieldError>>, LedgerError> {
    let identity = evm.identity(ctx).await?;
    if let Err(errors) = request.apply(&identity.instance.gateways, snapshot, None) {
        return Ok(Err(errors));
    }
    Ok(match simulate(evm, ctx, request).await? {
        Simulated::Accepted { .. } | Simulated::Incomplete => Ok(()),
        Simulated::Refused(Meaning::Refused(errors)) => Err(errors),
        Simulated::Refused(Meaning::Expired(error)) => Err(vec![error]),
        // The record follows the chain, which performed or canceled the request.
        Simulated::Refused(Meaning::Performed | Meaning::Canceled) => Ok(()),
    })
}

/// Returns the field that contains the whole request.
fn path(request: &Request) -> &'static str {
    match request {
        Request::Order(_) => "order",
        Request::Deployment(_) => "deploy",
        Request::Approval(_) => "approval",
    }
}
