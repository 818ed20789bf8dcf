//! The ledger on an EVM chain that has the original contracts. A relayer sends the calls that perform requests.
//!
//! The contracts decide whether a request was performed, no matter who sent its transaction. All state is in the service's database, so any
//! process can continue at any time. See `docs/decisions/0055-ledger-on-a-chain.md`.
//!
//! ```text
//! identity                             identity.rs  the check of the settings against the chain
//! snapshot, asset, balance             read.rs      reads of contracts
//! health                               health.rs    the state of providers, index and relayer
//! standing                             standing.rs  the rows of the index, confirmed by the chain
//! check                                facts.rs     the rules, with few calls; then simulate.rs: a simulation of the call
//! advance, cancel                      relay/       signs, stores and sends transactions
//! every call                           rpc.rs       batches, fallback and quorums; answer.rs reads the answers, shared.rs shares them
//! follow                               index/       writes blocks into the projection; then relay/ replaces and resends transactions
//! next_block                           index/       the time of the next call of follow
//! ```

mod answer;
mod block;
mod facts;
mod head_state;
mod health;
mod identity;
mod index;
mod memory;
mod read;
mod relay;
mod rpc;
mod shared;
mod simulate;
mod standing;
mod views;

use std::rc::Rc;

use async_trait::async_trait;
use order_core::{Address, AssetId, FieldError, ReadSet, Request, Snapshot};

use super::{
    AssetState, Balance, Cancellation, Execution, Identity, Ledger, LedgerError, Observed,
    Standing, Step,
};
use crate::api::ChainHealth;
use crate::context::Context;
pub(crate) use memory::Evm;

#[async_trait(?Send)]
impl Ledger for Evm {
    async fn identity(&self, ctx: &Context<'_>) -> Result<Rc<Identity>, LedgerError> {
        identity::identity(self, ctx).await
    }

    async fn snapshot(&self, ctx: &Context<'_>, keys: &ReadSet) -> Result<Snapshot, LedgerError> {
        read::snapshot(self, ctx, keys).await
    }

    async fn check(
        &self,
        ctx: &Context<'_>,
        request: &Request,
        keys: &ReadSet,
    ) -> Result<Result<(), Vec<FieldError>>, LedgerError> {
        simulate::check(self, ctx, request, keys).await
    }

    async fn asset(
        &self,
        ctx: &Context<'_>,
        ledger: &str,
        id: Option<&AssetId>,
    ) -> Result<AssetState, LedgerError> {
        read::asset(self, ctx, ledger, id).await
    }

    async fn standing(
        &self,
        ctx: &Context<'_>,
        ledger: &str,
        id: &AssetId,
        about_ledger: &str,
    ) -> Result<Standing, LedgerError> {
        standing::standing(self, ctx, ledger, id, about_ledger).await
    }

    async fn balance(&self, ctx: &Context<'_>, account: &Address) -> Result<Balance, LedgerError> {
        read::balance(self, ctx, account).await
    }

    async fn cancel(
        &self,
        ctx: &Context<'_>,
        execution: &Execution<'_>,
    ) -> Result<Cancellation, LedgerError> {
        relay::cancel(self, ctx, execution).await
    }

    fn advances_at_once(&self) -> usize {
        relay::STARTED_AT_ONCE
    }

    async fn advance(
        &self,
        ctx: &Context<'_>,
        executions: &[Execution<'_>],
    ) -> Result<Vec<Step>, LedgerError> {
        relay::advance(self, ctx, executions).await
    }

    async fn follow(&self, ctx: &Context<'_>) -> Result<Option<Observed>, LedgerError> {
        // The relayer replaces and resends transactions even while blocks cannot be read.
        match index::next_step(self, ctx).await {
            Ok(Some(observed)) => Ok(Some(observed)),
            Ok(None) => relay::tick(self, ctx).await,
            Err(error) => match relay::tick(self, ctx).await? {
                Some(observed) => Ok(Some(observed)),
                None => Err(error),
            },
        }
    }

    async fn health(&self, ctx: &Context<'_>) -> Result<Option<ChainHealth>, LedgerError> {
        health::health(self, ctx).await.map(Some)
    }

    fn has_blocks(&self) -> bool {
        true
    }

    async fn next_block(&self, ctx: &Context<'_>) -> Result<Option<u32>, LedgerError> {
        index::next_block(self, ctx).await
    }
}
