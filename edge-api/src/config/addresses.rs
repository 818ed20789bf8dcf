//! Addresses that an operator sets. They replace the addresses that are derived from the instance.

use order_core::Address;

/// Addresses that replace derived addresses. Proxies have no setting: the embedded ledger derives them, and a ledger on a
/// chain reads them from its gateways.
#[derive(Clone, Debug, Default)]
pub struct AddressOverrides {
    /// `GATEWAY_ACTIONS`
    pub actions: Option<Address>,
    /// `GATEWAY_DEPLOY`
    pub deploy: Option<Address>,
    /// `TOKEN_ADDRESS`
    pub token: Option<Address>,
}
