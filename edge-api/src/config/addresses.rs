//! Addresses that an operator sets instead of those derived from the instance.

use order_core::{Address, Proxies};

/// Addresses that replace derived ones.
#[derive(Clone, Debug, Default)]
pub struct AddressOverrides {
    /// `GATEWAY_ACTIONS`
    pub actions: Option<Address>,
    /// `GATEWAY_DEPLOY`
    pub deploy: Option<Address>,
    /// `TOKEN_ADDRESS`
    pub token: Option<Address>,
    /// `PROXY_CREATE_ASSET`, `PROXY_TRANSFER_VALUE`, …
    pub proxies: Vec<(ProxyRole, Address)>,
}

/// The purpose of a proxy, such as creating assets.
#[derive(Clone, Copy)]
pub struct ProxyRole {
    /// Its name in answers, such as `createAsset`.
    pub name: &'static str,
    slot: fn(&mut Proxies) -> &mut Address,
}

impl std::fmt::Debug for ProxyRole {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl ProxyRole {
    /// All roles.
    pub const ALL: [Self; 7] = [
        Self {
            name: "createAsset",
            slot: |proxies| &mut proxies.create_asset,
        },
        Self {
            name: "transferValue",
            slot: |proxies| &mut proxies.transfer_value,
        },
        Self {
            name: "transferAsset",
            slot: |proxies| &mut proxies.transfer_asset,
        },
        Self {
            name: "safeTransferAsset",
            slot: |proxies| &mut proxies.safe_transfer_asset,
        },
        Self {
            name: "updateAsset",
            slot: |proxies| &mut proxies.update_asset,
        },
        Self {
            name: "manageAbilities",
            slot: |proxies| &mut proxies.manage_abilities,
        },
        Self {
            name: "destroyAsset",
            slot: |proxies| &mut proxies.destroy_asset,
        },
    ];

    /// Returns the proxy of this role.
    pub fn of(self, proxies: &mut Proxies) -> &mut Address {
        (self.slot)(proxies)
    }
}
