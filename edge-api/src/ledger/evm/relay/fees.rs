//! Prices of gas, and the relayer's balance.

use order_core::Amount;
use order_core::chain::Fee;
use order_core::chain::views::{GAS_PRICE_ORACLE, l1_fee};

use crate::context::Context;
use crate::ledger::LedgerError;
use crate::ledger::evm::Evm;
use crate::ledger::evm::pulse::Pulse;
use crate::ledger::evm::rpc::{Ask, At, data, unavailable};

/// The lowest tip, in wei. Nodes refuse transactions without a tip, even if recent blocks accepted them.
const TIP_MIN: u128 = 1_000_000;

/// The price of a request on a chain without EIP-1559, in percent of the advised price. One for each priority, the lowest first.
const LEGACY_PERCENT: [u128; 4] = [100, 110, 125, 150];

/// Gas of a request if none was sent yet: the creation of an asset with its payment, 262,000, and a fifth more.
const USUAL_GAS: u64 = 315_000;

/// A price of gas, in wei per unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Price {
    /// The most that is paid, including the tip.
    pub(super) max_fee: u128,
    /// The most for the block's producer. Equal to `max_fee` on a chain without EIP-1559.
    pub(super) tip: u128,
}

impl Price {
    /// Returns the price as a transaction has it.
    pub(super) fn fee(self, pulse: &Pulse) -> Fee {
        match pulse.head.base_fee {
            Some(_) => Fee::Dynamic {
                max_fee: self.max_fee,
                tip: self.tip,
            },
            None => Fee::Legacy {
                gas_price: self.max_fee,
            },
        }
    }

    /// Returns the price of a transaction that replaces one with this price: an eighth higher, and at least today's price. `None` if the cap
    /// prevents a price for which nodes replace a transaction. Source: geth replaces it from a tenth more in both parts.
    pub(super) fn dearer(self, today: Self, cap: u128) -> Option<Self> {
        let more = |wei: u128| wei.saturating_add(wei >> 3).saturating_add(1);
        let max_fee = more(self.max_fee).max(today.max_fee).min(cap);
        let tip = more(self.tip).max(today.tip).min(max_fee);
        let is_enough = |new: u128, old: u128| new.saturating_mul(10) >= old.saturating_mul(11);
        (is_enough(max_fee, self.max_fee) && is_enough(tip, self.tip))
            .then_some(Self { max_fee, tip })
    }
}

/// Returns today's price for a priority of 1 to 4. `None` if the next block may cost more than the cap.
pub(super) fn today(pulse: &Pulse, cap: u128, priority: u8) -> Option<Price> {
    let place = usize::from(priority.clamp(1, 4)).saturating_sub(1);
    match pulse.head.base_fee {
        Some(base) => {
            // The price of a block is at most an eighth higher than the price of the block before (EIP-1559).
            let next = base.saturating_add(base >> 3);
            let tip = pulse.tips.get(place).copied().unwrap_or_default();
            let tip = tip.max(TIP_MIN);
            let max_fee = base.saturating_mul(2).saturating_add(tip).min(cap);
            (next.saturating_add(TIP_MIN) <= cap).then_some(Price {
                max_fee,
                tip: tip.min(max_fee),
            })
        }
        None => {
            let advised = pulse.legacy_price.unwrap_or_default().max(TIP_MIN);
            let percent = LEGACY_PERCENT.get(place).copied().unwrap_or(100);
            let hundredth = advised.div_ceil(100);
            let price = hundredth.saturating_mul(percent).min(cap);
            (advised <= cap).then_some(Price {
                max_fee: price,
                tip: price,
            })
        }
    }
}

/// Returns the most that gas costs, in wei.
pub(super) fn cost(gas: u64, max_fee: u128) -> u128 {
    u128::from(gas).saturating_mul(max_fee)
}

/// Returns a fifth more gas than a simulation used, but at most the cap. The state may change before the block.
pub(super) fn with_headroom(gas: u64, cap: u64) -> u64 {
    gas.saturating_add(gas.div_ceil(5)).min(cap)
}

/// Returns the number of further requests for which a balance suffices. `waiting` is the cost of what is sent already, and `usual` the
/// average gas of recent requests.
pub(super) fn requests_left(
    evm: &Evm,
    pulse: &Pulse,
    waiting: u128,
    usual: Option<u64>,
    price: Price,
) -> u64 {
    let bound = waiting.saturating_add(evm.chain.reserve);
    let one = cost(usual.unwrap_or(USUAL_GAS), price.max_fee).max(1);
    let count = pulse.balance.saturating_sub(bound).checked_div(one);
    u64::try_from(count.unwrap_or_default()).unwrap_or(u64::MAX)
}

/// Returns the fee in wei that a chain of Optimism's kind takes for a transaction's bytes on layer 1, twice as much as today, because the
/// fee may rise before the block. Zero on other chains.
pub(super) async fn layer1(evm: &Evm, ctx: &Context<'_>, raw: &[u8]) -> Result<u128, LedgerError> {
    if !has_layer1_fee(evm, ctx).await? {
        return Ok(0);
    }
    let view = l1_fee(raw);
    let answer = evm.rpc(ctx).one(Ask::view(&view.call, At::Latest)).await?;
    let answer = answer.bytes()?.unwrap_or_default();
    let fee = view.read(&answer).ok().and_then(wei);
    let fee = fee.ok_or_else(|| unavailable("the fee of layer 1 is not a number"))?;
    Ok(fee.saturating_mul(2))
}

/// Returns an amount of wei, unless it is larger than any balance.
fn wei(amount: Amount) -> Option<u128> {
    let word = amount.to_be_bytes();
    let (high, low) = word.split_first_chunk::<16>()?;
    let low: [u8; 16] = low.try_into().ok()?;
    (*high == [0; 16]).then(|| u128::from_be_bytes(low))
}

/// Asks once in an isolate whether the chain has the contract that knows the fee of layer 1.
async fn has_layer1_fee(evm: &Evm, ctx: &Context<'_>) -> Result<bool, LedgerError> {
    if let Some(known) = evm.has_layer1_fee.get() {
        return Ok(*known);
    }
    let code = evm.rpc(ctx).one(Ask::code(GAS_PRICE_ORACLE)).await?;
    let has = !data(&code.value()?)?.is_empty();
    Ok(*evm.has_layer1_fee.get_or_init(|| has))
}
