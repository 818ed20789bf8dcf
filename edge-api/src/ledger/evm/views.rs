//! Reads of many views of contracts in one call, because providers charge by call.

use order_core::chain::{Call, View, views};
use serde_json::json;

use super::Evm;
use super::rpc::{Ask, At, Reply, data};
use crate::context::Context;
use crate::ledger::LedgerError;

/// Maximum number of views in one call of Multicall3. Each needs about 15,000 gas, and nodes allow 50 million.
const AT_ONCE: usize = 500;

/// Returns the answers of views, in their order, from the first provider that answers.
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
        let many = Many::new(evm, ctx, calls.to_vec(), at).await?;
        let answers = many.read(evm.rpc(ctx).ask(&many.asks()).await?);
        replies.extend(match answers {
            Some(answers) => answers,
            // The block is older than Multicall3.
            None => evm.rpc(ctx).ask(&many.single_asks()).await?,
        });
    }
    Ok(replies)
}

/// Views that are read together: by one call of Multicall3 if the chain has it, otherwise by a call each.
pub(super) struct Many {
    calls: Vec<Call>,
    at: At,
    all: Option<View<Vec<Option<Vec<u8>>>>>,
}

impl Many {
    /// # Errors
    /// If no provider answers whether the chain has Multicall3, which is asked once.
    pub(super) async fn new(
        evm: &Evm,
        ctx: &Context<'_>,
        calls: Vec<Call>,
        at: At,
    ) -> Result<Self, LedgerError> {
        let all = match calls.len() > 1 && has_multicall(evm, ctx).await? {
            true => Some(views::multicall(views::MULTICALL, &calls)),
            false => None,
        };
        Ok(Self { calls, at, all })
    }

    /// Returns the calls to send.
    pub(super) fn asks(&self) -> Vec<Ask> {
        match &self.all {
            Some(all) => vec![Ask::view(&all.call, self.at)],
            None => self.single_asks(),
        }
    }

    fn single_asks(&self) -> Vec<Ask> {
        let ask = |call| Ask::view(call, self.at);
        self.calls.iter().map(ask).collect()
    }

    /// Returns the answers of the views from a provider's replies to [`Many::asks`]. `None` if the call of Multicall3 has another answer.
    pub(super) fn read(&self, replies: Vec<Reply>) -> Option<Vec<Reply>> {
        let Some(all) = &self.all else {
            return Some(replies);
        };
        let Some(Reply::Value(value)) = replies.into_iter().next() else {
            return None;
        };
        let answers = all.read(&data(&value).ok()?).ok()?;
        let reply = |answer: Option<Vec<u8>>| match answer {
            Some(bytes) => Reply::Value(json!(alloy_primitives::hex::encode_prefixed(bytes))),
            None => Reply::Reverted(Vec::new()),
        };
        Some(answers.into_iter().map(reply).collect())
    }
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
