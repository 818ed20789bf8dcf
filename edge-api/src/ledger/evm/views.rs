//! Reads many views of contracts in one JSON-RPC call, because providers charge for each call.

use order_core::chain::{Call, View, views};
use serde_json::json;

use super::memory::Evm;
use super::rpc::{Ask, At, Reply, data};
use crate::context::Context;
use crate::ledger::LedgerError;

/// Maximum number of views in one call of Multicall3. Each view needs about 15,000 gas, and nodes allow 50 million for a call.
const AT_ONCE: usize = 500;

/// The providers whose answers are used.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// The first provider that answers.
    First,
    /// As many providers as the quorum, if they give the same answers.
    Quorum,
}

/// Returns the answers of views, in their order.
///
/// # Errors
/// If no provider answers, or if no quorum agrees.
pub(super) async fn view_all(
    evm: &Evm,
    ctx: &Context<'_>,
    calls: Vec<Call>,
    at: At,
    source: Source,
) -> Result<Vec<Reply>, LedgerError> {
    let rpc = evm.rpc(ctx);
    let ask = async |asks: Vec<Ask>| match source {
        Source::First => rpc.ask(&asks).await,
        Source::Quorum => rpc.ask_quorum(&asks, |reply| reply).await,
    };
    let many = Many::new(evm, ctx, calls, at).await?;
    match many.read(ask(many.asks()).await?) {
        Some(answers) => Ok(answers),
        // The call of Multicall3 failed, for example because the block is older than its contract.
        None => ask(many.single_asks()).await,
    }
}

/// Views that are read together: by a few calls of Multicall3 if the chain has it, otherwise by one call for each view.
pub(super) struct Many {
    calls: Vec<Call>,
    at: At,
    /// The calls of Multicall3. Empty if each view has its own call.
    all: Vec<View<Vec<Option<Vec<u8>>>>>,
}

impl Many {
    /// Prepares the calls. For several views, first asks a provider once whether the chain has Multicall3.
    ///
    /// # Errors
    /// If no provider answers this question.
    pub(super) async fn new(
        evm: &Evm,
        ctx: &Context<'_>,
        calls: Vec<Call>,
        at: At,
    ) -> Result<Self, LedgerError> {
        let all = match calls.len() > 1 && has_multicall(evm, ctx).await? {
            true => calls
                .chunks(AT_ONCE)
                .map(|calls| views::multicall(views::MULTICALL, calls))
                .collect(),
            false => Vec::new(),
        };
        Ok(Self { calls, at, all })
    }

    /// Returns the calls to send.
    pub(super) fn asks(&self) -> Vec<Ask> {
        if self.all.is_empty() {
            return self.single_asks();
        }
        let views = self.calls.chunks(AT_ONCE).map(<[Call]>::len);
        let ask = |(all, views): (&View<_>, usize)| Ask::view(&all.call, self.at).views(views);
        self.all.iter().zip(views).map(ask).collect()
    }

    fn single_asks(&self) -> Vec<Ask> {
        let ask = |call| Ask::view(call, self.at);
        self.calls.iter().map(ask).collect()
    }

    /// Returns the answers of the views from a provider's replies to [`Many::asks`]. `None` if a call of Multicall3 failed, or if its
    /// answer is malformed.
    pub(super) fn read(&self, replies: Vec<Reply>) -> Option<Vec<Reply>> {
        if self.all.is_empty() {
            return Some(replies);
        }
        let reply = |answer: Option<Vec<u8>>| match answer {
            Some(bytes) => Reply::Value(json!(alloy_primitives::hex::encode_prefixed(bytes))),
            None => Reply::Reverted(Vec::new()),
        };
        let mut replies = replies.into_iter();
        let mut answers = Vec::with_capacity(self.calls.len());
        for all in &self.all {
            let value = replies.next()?.value().ok()?;
            let found = all.read(&data(&value).ok()?).ok()?;
            answers.extend(found.into_iter().map(reply));
        }
        Some(answers)
    }
}

/// Returns true if the chain has the contract Multicall3.
pub(super) async fn has_multicall(evm: &Evm, ctx: &Context<'_>) -> Result<bool, LedgerError> {
    if let Some(has_multicall) = evm.has_multicall.get() {
        return Ok(*has_multicall);
    }
    let code = evm.rpc(ctx).one(Ask::code(views::MULTICALL)).await?;
    let code = data(&code.value()?)?;
    Ok(*evm.has_multicall.get_or_init(|| !code.is_empty()))
}
