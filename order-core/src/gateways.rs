//! The addresses that a ledger backend uses.

use alloc::vec::Vec;

use alloy_primitives::{B256, Keccak256, keccak256};
use serde::Serialize;

use crate::types::Address;

/// The gateways, proxies and token of one instance. Claims are bound to them.
///
/// [`Gateways::derive`] makes the addresses of an embedded ledger. On a chain, these are the addresses of contracts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gateways {
    /// The gateway that performs orders ("Actions order" in `docs/interface.md`).
    pub actions: Address,
    /// The gateway that performs deployments.
    pub deploy: Address,
    /// The platform token. Orders transfer values of this ledger only.
    pub token: Address,
    /// The account that receives the service's fees.
    pub payment_receiver: Address,
    /// The accounts through which the gateways act.
    pub proxies: Proxies,
    /// Ledgers whose assets move by [`Proxies::transfer_asset`], without a check that the receiver can handle them. No setting of the service fills
    /// this list: the service knows only ledgers that it deployed, and all of them have safe transfer. The test vectors need it.
    pub unsafe_recipients: Vec<Address>,
}

/// The accounts through which the gateways act. There are two for asset transfers, and one for each other kind of action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Proxies {
    /// Creates assets: proxy 0.
    pub create_asset: Address,
    /// Moves tokens, for orders and for deployments: proxy 1.
    pub transfer_value: Address,
    /// Moves assets of ledgers listed as unsafe recipients: proxy 2.
    pub transfer_asset: Address,
    /// Moves assets of all other ledgers: proxy 3.
    pub safe_transfer_asset: Address,
    /// Updates imprints: proxy 4.
    pub update_asset: Address,
    /// Sets abilities: proxy 5.
    pub manage_abilities: Address,
    /// Destroys assets: proxy 6.
    pub destroy_asset: Address,
}

impl Gateways {
    /// Returns the addresses of the embedded ledger of one instance: the last 20 bytes of keccak(instance id ‖ role).
    ///
    /// A claim for one instance is therefore invalid on another. An operator may replace every address. No private key is known for the
    /// derived [`payment_receiver`](Gateways::payment_receiver), so an operator who wants the fees must replace it.
    #[must_use]
    pub fn derive(instance_id: &[u8; 32]) -> Gateways {
        let role = |role: &str| derived(instance_id, role.as_bytes());
        Gateways {
            actions: role("actionsOrder"),
            deploy: role("assetLedgerDeployOrder"),
            token: role("token"),
            payment_receiver: role("paymentReceiver"),
            proxies: Proxies {
                create_asset: role("createAssetProxy"),
                transfer_value: role("transferValueProxy"),
                transfer_asset: role("transferAssetProxy"),
                safe_transfer_asset: role("safeTransferAssetProxy"),
                update_asset: role("updateAssetProxy"),
                manage_abilities: role("manageAbilitiesProxy"),
                destroy_asset: role("destroyAssetProxy"),
            },
            unsafe_recipients: Vec::new(),
        }
    }

    /// Returns the proxy that moves a ledger's assets, and its number as hashes of orders encode it.
    #[must_use]
    pub fn asset_transfer(&self, ledger: Address) -> (u32, Address) {
        if self.unsafe_recipients.contains(&ledger) {
            (2, self.proxies.transfer_asset)
        } else {
            (3, self.proxies.safe_transfer_asset)
        }
    }
}

/// Returns the address of the ledger that a deployment creates on an instance's embedded ledger. It is the last 20 bytes of keccak(instance
/// id ‖ deployment hash).
#[must_use]
pub fn ledger_address(instance_id: &[u8; 32], deployment_hash: &B256) -> Address {
    derived(instance_id, deployment_hash.as_slice())
}

fn derived(instance_id: &[u8; 32], suffix: &[u8]) -> Address {
    let mut hasher = Keccak256::new();
    hasher.update(instance_id);
    hasher.update(suffix);
    let mut hash = hasher.finalize();
    loop {
        match Address::from_hash(&hash) {
            Some(address) => return address,
            // A hash ends in the zero address with probability 2^-160. In this case the hash is hashed again.
            None => hash = keccak256(hash),
        }
    }
}

#[cfg(test)]
mod tests;
