//! Tests of derived addresses. Claims sign these addresses, so the derivation must never change.

use alloc::collections::BTreeSet;
use alloc::string::ToString;

use super::*;

/// Addresses computed by other software: keccak256 of 32 bytes 01 followed by each role, and of 32 bytes 01 followed by 32 bytes 03.
const PINNED: [&str; 11] = [
    "0x661b819c074cdf2943722bad01444e01ef4c6cd2",
    "0x8e172f477f2f2d0e7b8d0e620ecea91e52231a2c",
    "0xeaa46a06a17cb71a2db853040490581410a4149d",
    "0xda20654f7f197b5e75a397e446e27d6db0e17694",
    "0xbbf5b192b2ade034d0aed7822690011c4e7192bf",
    "0x9822f0e2ec9739d83427a6d02624654d82c97b5c",
    "0xb8dc9176f316de8e9cd3b48d24b5c0e31e93680a",
    "0xa9e4d518d1aee6a16b4088bf647cb671bb71da07",
    "0xb54f542ad28f3181c27e28685ac6670a3f8dab44",
    "0xf9999b26f8757838540a2cafc66f51551e317cf1",
    "0x39850186cd1a2c802d1e8a540c5689d0f235c571",
];
const PINNED_LEDGER: &str = "0xdc148e3a9f6fb94c637718952d4c1a316fea4c91";

fn all(gateways: &Gateways) -> [Address; 11] {
    let proxies = &gateways.proxies;
    [
        gateways.actions,
        gateways.deploy,
        gateways.token,
        gateways.payment_receiver,
        proxies.create_asset,
        proxies.transfer_value,
        proxies.transfer_asset,
        proxies.safe_transfer_asset,
        proxies.update_asset,
        proxies.manage_abilities,
        proxies.destroy_asset,
    ]
}

#[test]
fn roles_and_instances_have_distinct_addresses() {
    let one = Gateways::derive(&[1; 32]);
    let two = Gateways::derive(&[2; 32]);
    let distinct: BTreeSet<Address> = all(&one).into_iter().chain(all(&two)).collect();
    assert_eq!(distinct.len(), 22);
    assert_eq!(one, Gateways::derive(&[1; 32]));

    let hash = B256::repeat_byte(3);
    let ledgers = [
        ledger_address(&[1; 32], &hash),
        ledger_address(&[2; 32], &hash),
        ledger_address(&[1; 32], &B256::repeat_byte(4)),
    ];
    assert_eq!(BTreeSet::from(ledgers).len(), 3);
}

#[test]
fn the_derivation_is_pinned() {
    let found = all(&Gateways::derive(&[1; 32])).map(|address| address.to_string().to_lowercase());
    assert_eq!(found, PINNED);
    let ledger = ledger_address(&[1; 32], &B256::repeat_byte(3));
    assert_eq!(ledger.to_string().to_lowercase(), PINNED_LEDGER);
}
