//! Reads of many views of contracts in one call.

use order_core::chain::{Call, views};
use serde_json::json;

use super::Evm;
use super::rpc::{Ask, At, Reply, data};
use crate::context::Context;
use crate::ledger::LedgerError;

/// Maximum number of views in one call of Multicall3. Each needs about 15,000 gas, and nodes allow 50 million.
const AT_ONCE: usize = 500;

/// Returns the answers of views, in their order. Uses one call for all views if the chain has Multicall3, because providers charge by
/// call. Otherwise the calls are a batch.
///
/// # Errors
/// If no provider answers.
pub(super) async fn view_all(
    evm: &Evm,
    ctx: &Context<'_>,
    calls: &[Call],
    at: At,
) -> Result<Vec<Reply>, LedgerError> {
    let mut replies = Vec::with_capacity(calls.len());
    for calls in calls.chunks(AT_ONCE) {
        let together = match calls.len() > 1 && has_multicall(evm, ctx).await? {
            true => together(evm, ctx, calls, at).await?,
            false => None,
        };
        replies.extend(match together {
            Some(answers) => answers,
            None => {
                let asks: Vec<Ask> = calls.iter().map(|call| Ask::view(call, at)).collect();
                evm.rpc(ctx).ask(&asks).await?
            }
        });
    }
    Ok(replies)
}

/// Reads views by Multicall3. `None` if the block does not have this contract yet.
async fn together(
    evm: &Evm,
    ctx: &Context<'_>,
    calls: &[Call],
    at: At,
) -> Result<Option<Vec<Reply>>, LedgerError> {
    let all = views::multicall(views::MULTICALL, calls);
    let reply = evm.rpc(ctx).one(Ask::view(&all.call, at)).await?;
    let Reply::Value(value) = reply else {
        return Ok(None);
    };
    let reply = |answer: Option<Vec<u8>>| match answer {
        Some(bytes) => Reply::Value(json!(alloy_primitives::hex::encode_prefixed(bytes))),
        None => Reply::Reverted(Vec::new()),
    };
    let answers = all.read(&data(&value)?).ok();
    Ok(answers.map(|answers| answers.into_iter().map(reply).collect()))
}

/// Returns true if the chain has the contract that makes many calls at once.
async fn has_multicall(evm: &Evm, ctx: &Context<'_>) -> Result<bool, LedgerError> {
    if let Some(has_multicall) = evm.has_multicall.get() {
        return Ok(*has_multicall);
    }
    let code = evm.rpc(ctx).one(Ask::code(views::MULTICALL)).await?;
    let code = data(&code.value()?)?;
    Ok(*evm.has_multicall.get_or_init(|| !code.is_empty()))
}
