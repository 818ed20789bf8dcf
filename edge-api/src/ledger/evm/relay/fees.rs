//! Prices of gas, and the relayer's balance.

use order_core::Amount;
use order_core::chain::Fee;
use order_core::chain::views::{GAS_PRICE_ORACLE, l1_fee};

use crate::context::Context;
use crate::ledger::LedgerError;
use crate::ledger::evm::block::HeadState;
use crate::ledger::evm::memory::Evm;
use crate::ledger::evm::rpc::{Ask, At, data, unavailable};

/// The lowest tip, in wei. Nodes refuse transactions without a tip, even if recent blocks contain such transactions.
const TIP_MIN: u128 = 1_000_000;

/// The price of a request on a chain without EIP-1559, in percent of the advised price, for each priority from the lowest.
const LEGACY_PERCENT: [u128; 4] = [100, 110, 125, 150];

/// The assumed gas of a request until the first one is sent: 262,000 for the creation of an asset with its payment, plus a fifth.
const USUAL_GAS: u64 = 315_000;

/// A price of gas, in wei per unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Price {
    /// The maximum price, including the tip.
    pub(super) max_fee: u128,
    /// The maximum tip for the block's producer. Equal to `max_fee` on a chain without EIP-1559.
    pub(super) tip: u128,
}

impl Price {
    /// Returns the price in the form of a transaction's fee fields.
    pub(super) fn fee(self, head_state: &HeadState) -> Fee {
        match head_state.head.base_fee {
            Some(_) => Fee::Dynamic {
                max_fee: self.max_fee,
                tip: self.tip,
            },
            None => Fee::Legacy {
                gas_price: self.max_fee,
            },
        }
    }

    /// Returns the price of a transaction that replaces one with this price: an eighth higher, at least today's price, and at most the cap.
    /// `None` if the cap is too low for a replacement. Source: geth requires that maximum fee and tip both rise by at least a tenth.
    pub(super) fn dearer(self, today: Self, cap: u128) -> Option<Self> {
        let more = |wei: u128| wei.saturating_add(wei >> 3).saturating_add(1);
        let max_fee = more(self.max_fee).max(today.max_fee).min(cap);
        let tip = more(self.tip).max(today.tip).min(max_fee);
        let is_enough = |new: u128, old: u128| new.saturating_mul(10) >= old.saturating_mul(11);
        (is_enough(max_fee, self.max_fee) && is_enough(tip, self.tip))
            .then_some(Self { max_fee, tip })
    }
}

/// Returns today's price for a priority of 1 to 4. `None` if the next block's base fee plus the lowest tip may exceed the cap. On a chain
/// without EIP-1559, `None` if the advised price exceeds the cap.
pub(super) fn today(head_state: &HeadState, cap: u128, priority: u8) -> Option<Price> {
    let place = usize::from(priority.clamp(1, 4)).saturating_sub(1);
    match head_state.head.base_fee {
        Some(base) => {
            // A block's base fee is at most an eighth higher than the base fee of the block before (EIP-1559).
            let next = base.saturating_add(base >> 3);
            let tip = head_state.tips.get(place).copied().unwrap_or_default();
            let tip = tip.max(TIP_MIN);
            let max_fee = base.saturating_mul(2).saturating_add(tip).min(cap);
            (next.saturating_add(TIP_MIN) <= cap).then_some(Price {
                max_fee,
                tip: tip.min(max_fee),
            })
        }
        None => {
            let advised = head_state.legacy_price.unwrap_or_default().max(TIP_MIN);
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

/// Returns the maximum cost of gas, in wei.
pub(super) fn cost(gas: u64, max_fee: u128) -> u128 {
    u128::from(gas).saturating_mul(max_fee)
}

/// Returns a fifth more gas than a simulation used, but at most the cap. The state may change before the transaction is in a block.
pub(super) fn with_headroom(gas: u64, cap: u64) -> u64 {
    gas.saturating_add(gas.div_ceil(5)).min(cap)
}

/// Returns the number of further requests for which the balance suffices, without the reserve of the settings. `waiting` is the maximum
/// cost of transactions that are in no block. `usual` is the average gas of recent requests.
pub(super) fn requests_left(
    evm: &Evm,
    head_state: &HeadState,
    waiting: u128,
    usual: Option<u64>,
    price: Price,
) -> u64 {
    let bound = waiting.saturating_add(evm.chain.reserve);
    let one = cost(usual.unwrap_or(USUAL_GAS), price.max_fee).max(1);
    let count = head_state.balance.saturating_sub(bound).checked_div(one);
    u64::try_from(count.unwrap_or_default()).unwrap_or(u64::MAX)
}

/// Returns twice the fee in wei that a chain of Optimism's kind charges for a transaction's bytes on layer 1. The fee may rise before the
/// transaction is in a block. Returns zero on other chains.
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

/// Converts an amount of wei. `None` if it has more than 128 bits, which is larger than any balance.
fn wei(amount: Amount) -> Option<u128> {
    let word = amount.to_be_bytes();
    let (high, low) = word.split_first_chunk::<16>()?;
    let low: [u8; 16] = low.try_into().ok()?;
    (*high == [0; 16]).then(|| u128::from_be_bytes(low))
}

/// Returns true if the chain has the contract that computes the fee of layer 1. An isolate asks the chain once.
async fn has_layer1_fee(evm: &Evm, ctx: &Context<'_>) -> Result<bool, LedgerError> {
    if let Some(known) = evm.has_layer1_fee.get() {
        return Ok(*known);
    }
    let code = evm.rpc(ctx).one(Ask::code(GAS_PRICE_ORACLE)).await?;
    let has = !data(&code.value()?)?.is_empty();
    Ok(*evm.has_layer1_fee.get_or_init(|| has))
}

#[cfg(test)]
mod tests {
    use alloy_primitives::B256;

    use super::*;
    use crate::ledger::evm::block::Block;

    const GWEI: u128 = 1_000_000_000;

    fn head_state(base_fee: Option<u128>) -> HeadState {
        let block = Block {
            number: 7,
            hash: B256::ZERO,
            parent: B256::ZERO,
            time: 0,
            base_fee,
            bloom: Vec::new(),
        };
        HeadState {
            head: block.clone(),
            settled: block,
            nonce: 0,
            settled_nonce: 0,
            balance: 0,
            tips: [GWEI, 2 * GWEI, 3 * GWEI, 4 * GWEI],
            legacy_price: base_fee.is_none().then_some(10 * GWEI),
        }
    }

    fn price(max_fee: u128, tip: u128) -> Price {
        Price { max_fee, tip }
    }

    #[test]
    fn a_price_covers_twice_the_base_fee_and_a_tip_by_priority() {
        let head_state = head_state(Some(10 * GWEI));
        let today = |priority| today(&head_state, 200 * GWEI, priority);
        assert_eq!(
            [1, 2, 3, 4].map(today),
            [21, 22, 23, 24].map(|max_fee| Some(price(max_fee * GWEI, (max_fee - 20) * GWEI)))
        );
        assert_eq!([0, 9].map(today), [today(1), today(4)]);
    }

    #[test]
    fn a_price_is_at_most_the_cap() {
        let today = |base: u128, cap: u128| today(&head_state(Some(base)), cap, 4);
        assert_eq!(
            today(10 * GWEI, 15 * GWEI),
            Some(price(15 * GWEI, 4 * GWEI))
        );
        assert_eq!(today(2 * GWEI, 3 * GWEI), Some(price(3 * GWEI, 3 * GWEI)));
        // The cap must cover a base fee that is an eighth higher, and the lowest tip.
        let next = 9 * GWEI;
        assert_eq!(today(8 * GWEI, next + TIP_MIN - 1), None);
        assert!(today(8 * GWEI, next + TIP_MIN).is_some());
    }

    #[test]
    fn the_lowest_tip_applies_if_recent_blocks_have_no_tips() {
        let quiet = HeadState {
            tips: [0; 4],
            ..head_state(Some(GWEI))
        };
        let today = today(&quiet, 200 * GWEI, 1);
        assert_eq!(today, Some(price(2 * GWEI + TIP_MIN, TIP_MIN)));
    }

    #[test]
    fn a_legacy_price_grows_with_the_priority() {
        let today = |priority| today(&head_state(None), 14 * GWEI, priority);
        assert_eq!(
            [1, 2, 3, 4].map(today),
            [100, 110, 125, 140]
                .map(|percent| Some(price(percent * GWEI / 10, percent * GWEI / 10)))
        );
        assert_eq!(super::today(&head_state(None), 9 * GWEI, 1), None);
    }

    #[test]
    fn a_replacement_costs_an_eighth_more_or_todays_price() {
        let old = price(16 * GWEI, 8 * GWEI);
        assert_eq!(
            old.dearer(price(1, 1), 200 * GWEI),
            Some(price(18 * GWEI + 1, 9 * GWEI + 1))
        );
        let today = price(40 * GWEI, GWEI);
        assert_eq!(
            old.dearer(today, 200 * GWEI),
            Some(price(40 * GWEI, 9 * GWEI + 1))
        );
    }

    #[test]
    fn a_replacement_that_nodes_would_refuse_has_no_price() {
        let old = price(100, 50);
        assert_eq!(old.dearer(price(1, 1), 109), None);
        assert_eq!(old.dearer(price(1, 1), 110), Some(price(110, 57)));
        // The tip cannot exceed the maximum price, which the cap limits.
        assert_eq!(price(100, 100).dearer(price(1, 1), 109), None);
    }

    #[test]
    fn gas_has_headroom_up_to_the_cap() {
        assert_eq!(
            [(100, 1_000), (101, 1_000), (900, 1_000), (1_000, 1_000)]
                .map(|(gas, cap)| with_headroom(gas, cap)),
            [120, 122, 1_000, 1_000]
        );
    }

    #[test]
    fn a_fee_larger_than_any_balance_is_refused() {
        assert_eq!(wei(Amount::from(7_u128)), Some(7));
        assert_eq!(wei(Amount::from(u128::MAX)), Some(u128::MAX));
        let mut word = [0; 32];
        word[15] = 1;
        assert_eq!(wei(Amount::from_be_bytes(word)), None);
    }
}
