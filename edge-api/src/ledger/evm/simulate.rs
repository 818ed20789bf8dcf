//! Simulates the call that performs a request, before the service accepts the request and before it sends the transaction.

use order_core::chain::{Call, CallError, Fee, Meaning, Revert, perform};
use order_core::{Code, FieldError, ReadSet, Request};

use super::facts::refusal;
use super::memory::Evm;
use super::relay::{Waste, receivers};
use super::rpc::{Ask, Replies, Reply, number64, unavailable};
use crate::context::Context;
use crate::ledger::{Ledger, LedgerError};

/// The result of a simulation.
pub(super) enum Simulated {
    /// The contracts accept the call, which needs this much gas.
    Accepted { call: Call, gas: u64 },
    /// The contracts refuse the call, the call needs too much gas, or the request or one of its claims is invalid.
    Refused(Meaning),
    /// The request has no call yet, because some of its claims are missing.
    Incomplete,
}

/// Simulates the call on the last block.
///
/// # Errors
/// If no provider answers, or if the provider returns an error that is not a revert. Only a revert is a refusal by the contracts.
async fn simulate(
    evm: &Evm,
    ctx: &Context<'_>,
    request: &Request,
) -> Result<Simulated, LedgerError> {
    let result = simulate_all(evm, ctx, &[(request, None)]).await?.pop();
    let missing = || "a provider left out an answer".to_owned();
    result
        .ok_or_else(missing)
        .flatten()
        .map_err(|why| unavailable(&why))
}

/// Simulates several calls on the last block, each independently and with its price of gas, if it is known. A result is `Err` with the provider's message if the provider returns
/// an error for this call that is not a revert.
///
/// # Errors
/// If no provider answers, or if an answer is malformed.
pub(super) async fn simulate_all(
    evm: &Evm,
    ctx: &Context<'_>,
    requests: &[(&Request, Option<Fee>)],
) -> Result<Vec<Result<Simulated, String>>, LedgerError> {
    let identity = evm.identity(ctx).await?;
    let gateways = &identity.instance.gateways;
    let calls: Vec<_> = requests
        .iter()
        .map(|(request, _)| perform(request, gateways))
        .collect();
    let asks: Vec<Ask> = calls
        .iter()
        .zip(requests)
        .filter_map(|(call, (_, fee))| {
            let call = call.as_ref().ok()?;
            Some(Ask::estimate(call, evm.relayer(), *fee))
        })
        .collect();
    let mut replies = Replies::from(match asks.is_empty() {
        true => Vec::new(),
        false => evm.rpc(ctx).ask(&asks).await?,
    });
    let mut results = Vec::new();
    for ((request, _), call) in requests.iter().zip(calls) {
        results.push(match call {
            Ok(call) => match replies.next()? {
                Reply::Value(gas) => Ok(accepted(evm, request, call, number64(&gas)?)),
                Reply::Reverted(data) => {
                    Ok(Simulated::Refused(Revert::read(&data).meaning(request)))
                }
                Reply::Refused(why) => Err(why),
                Reply::Logs(_) => Err("a provider answered logs".to_owned()),
            },
            Err(CallError::NotSigned(_)) => Ok(Simulated::Incomplete),
            Err(CallError::Order(error)) => Ok(Simulated::Refused(Meaning::Refused(vec![error]))),
            Err(error @ CallError::Claim(..)) => {
                let code = FieldError::with_message(Code::SignatureNotValid, "", error.to_string());
                Ok(Simulated::Refused(Meaning::Refused(vec![code])))
            }
        });
    }
    Ok(results)
}

/// Maximum gas of an order for each of its actions, if the order transfers assets. A transfer needs less than half of it. A contract that receives
/// an asset runs its own code, and can use up the gas in a block although it needs little in the simulation.
const TRANSFER_GAS: u64 = 400_000;

/// Accepts a call that the contracts accept. Refuses it if it needs more gas than a transaction may have.
fn accepted(evm: &Evm, request: &Request, call: Call, gas: u64) -> Simulated {
    let cap = evm.chain.gas_cap;
    let most = match (request, receivers(request).len()) {
        (Request::Order(order), 1..) => {
            let actions = u64::try_from(order.order.actions.len()).unwrap_or(u64::MAX);
            TRANSFER_GAS.saturating_mul(actions).min(cap)
        }
        _ => cap,
    };
    if gas <= most {
        return Simulated::Accepted { call, gas };
    }
    let message = if gas > cap {
        format!(
            "the request needs {gas} units of gas, but a transaction has at most {cap}: use fewer actions or shorter texts"
        )
    } else {
        format!(
            "the request needs {gas} units of gas, but an order that transfers assets may use at most {most}: a receiver is a contract that needs too much"
        )
    };
    Simulated::Refused(Meaning::Refused(vec![too_much(request, message)]))
}

fn too_much(request: &Request, message: String) -> FieldError {
    FieldError::with_message(Code::TooMuchGas, path(request), message)
}

/// Applies the rules, which find several errors. If they find none, simulates the call.
pub(super) async fn check(
    evm: &Evm,
    ctx: &Context<'_>,
    request: &Request,
    keys: &ReadSet,
) -> Result<Result<(), Vec<FieldError>>, LedgerError> {
    // Before the rules, which would name a missing ability or capability although no order on a chain can use it.
    if let Request::Order(order) = request
        && let Err(error) = order.order.check_proxies()
    {
        return Ok(Err(vec![error]));
    }
    if let Some(errors) = refusal(evm, ctx, request, keys).await? {
        return Ok(Err(errors));
    }
    Ok(match simulate(evm, ctx, request).await? {
        Simulated::Accepted { gas, .. } => {
            let limit = evm.chain.failed_gas_max;
            let waste = Waste::read(ctx, [request]).await?;
            match waste.exceeded(request, gas, limit) {
                Some(exceeded) if exceeded.is_failed => {
                    let message = format!(
                        "transactions with the account {} failed on the chain and used {} units of gas within a day, and at most {limit} are allowed: try again in a day",
                        exceeded.account, exceeded.failed
                    );
                    Err(vec![too_much(request, message)])
                }
                _ => Ok(()),
            }
        }
        Simulated::Incomplete => Ok(()),
        Simulated::Refused(Meaning::Refused(errors)) => Err(errors),
        Simulated::Refused(Meaning::Expired(error)) => Err(vec![error]),
        // The request was performed or canceled on the chain. The record takes its state from the chain later.
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
