//! Compares calls and answers with calls and answers recorded from the original contracts: `tests/vectors/chain/README.md`.

use alloc::string::ToString;
use alloc::vec;

use alloy_primitives::{U256, keccak256};
use core::fmt::Debug;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::chain::Revert;
use crate::chain::contracts::MulticallResult;
use crate::chain::tests::{bytes, integer};
use crate::testing::{address, chain_views, list, prefixed, text};

fn decoded(entry: &Value, key: &str) -> Vec<u8> {
    hex::decode(text(entry, key)).unwrap()
}

/// A recorded call, and its arguments.
struct Recorded<'v>(&'v Value);

impl Recorded<'_> {
    fn argument(&self, index: usize) -> &str {
        self.0["arguments"][index].as_str().unwrap()
    }

    fn account(&self, index: usize) -> Address {
        address(self.argument(index))
    }

    fn id(&self) -> AssetId {
        self.argument(0).parse().unwrap()
    }

    fn hash(&self) -> B256 {
        self.argument(0).parse().unwrap()
    }

    /// Compares a view with the record. `written` converts a value to the form in which ethers wrote it. Returns true if the call reverted.
    fn check<T: Debug + PartialEq>(&self, view: &View<T>, written: impl Fn(&T) -> Value) -> bool {
        let entry = self.0;
        assert_eq!(view.call.to, address(text(entry, "to")), "{entry}");
        assert_eq!(prefixed(&view.call.data), text(entry, "data"));
        if entry["answer"].is_null() {
            return true;
        }
        let answer = decoded(entry, "answer");
        let value = view.read(&answer).unwrap();
        assert_eq!(written(&value), entry["value"], "{entry}");
        refuses_other_lengths(view, &answer);
        // Some answers have many bits that the reader ignores: abilities have bits without a meaning, and text that the service does not
        // accept is not read.
        let is_ignored = text(entry, "method") == "addressToAbility" || entry["value"].is_null();
        if !is_ignored && answer.len() < 500 {
            for bit in 0..answer.len() * 8 {
                let mut other = answer.clone();
                other[bit / 8] ^= 1 << (bit % 8);
                assert_ne!(view.read(&other).as_ref(), Ok(&value), "{entry} {bit}");
            }
        }
        false
    }
}

/// Checks that a shorter or longer answer is refused.
fn refuses_other_lengths<T: Debug + PartialEq>(view: &View<T>, answer: &[u8]) {
    for length in 0..answer.len() {
        assert_eq!(view.read(&answer[..length]), Err(MALFORMED), "{length}");
    }
    for more in [1, 32, 64] {
        let longer = [answer, &vec![0; more]].concat();
        assert_eq!(view.read(&longer), Err(MALFORMED), "{more}");
    }
}

fn account(value: Option<Address>) -> Value {
    let zero = || "0x0000000000000000000000000000000000000000".into();
    json!(value.map_or_else(zero, |account| account.to_string()))
}

fn digest(bytes: &[u8; 32]) -> Value {
    json!([prefixed(bytes), "sha256"])
}

/// Checks the view of a recorded call. Returns true if the call reverted.
fn check(entry: &Value) -> bool {
    let recorded = Recorded(entry);
    let to = address(text(entry, "to"));
    let flag = |view: View<bool>| recorded.check(&view, |value| json!([value]));
    let proxy =
        |view: View<Option<Address>>| recorded.check(&view, |value| json!([account(*value)]));
    let amount = |view: View<Amount>| recorded.check(&view, |value| json!([value.to_string()]));
    // The view returns `None` for a text that the service does not accept. The records of ethers contain the texts that are too long.
    let some = |view: View<Option<String>>| recorded.check(&view, |value| json!([value]));
    let none = |view: View<Option<String>>| {
        recorded.check(&view, |value| {
            assert_eq!(*value, None);
            entry["value"].clone()
        })
    };
    let most = match text(entry, "method") {
        "name" | "symbol" => 255,
        _ => 2048,
    };
    let content = entry["value"][0].as_str();
    let is_taken = content.is_some_and(|content| content.chars().count() <= most);
    let text_of = |view| if is_taken { some(view) } else { none(view) };
    match (text(entry, "contract"), text(entry, "method")) {
        (_, "balanceOf") => amount(balance(to, recorded.account(0))),
        (_, "allowance") => amount(allowance(to, recorded.account(0), recorded.account(1))),
        (_, "whitelistedRecipients") => flag(is_recipient(to, recorded.account(0))),
        (_, "ownerOf") => proxy(owner(to, &recorded.id())),
        (_, "getApproved") => proxy(approved(to, &recorded.id())),
        (_, "tokenURI") if entry["answer"].is_null() => some(uri(to, &recorded.id())),
        (_, "tokenURI") => text_of(uri(to, &recorded.id())),
        (_, "tokenURIIntegrity") => recorded.check(&imprint(to, &recorded.id()), |value| {
            digest(value.as_bytes())
        }),
        (_, "isApprovedForAll") => flag(is_operator(to, recorded.account(0), recorded.account(1))),
        (_, "addressToAbility") => recorded.check(&abilities(to, recorded.account(0)), |value| {
            let bits: U256 = entry["value"][0].as_str().unwrap().parse().unwrap();
            assert_eq!(U256::from(value.bits()), bits & U256::from(2047));
            entry["value"].clone()
        }),
        (_, "name") => text_of(name(to)),
        (_, "symbol") => text_of(symbol(to)),
        (_, "uriPrefix") => text_of(uri_prefix(to)),
        (_, "uriPostfix") => text_of(uri_postfix(to)),
        (_, "totalSupply") => recorded.check(&supply(to), |value| json!([value.to_string()])),
        (_, "supportsInterface") => {
            let id = hex::decode_to_array(recorded.argument(0)).unwrap();
            flag(supports(to, id))
        }
        (_, "claimPerformed") => flag(claim_performed(to, &recorded.hash())),
        (_, "claimCancelled") => flag(claim_canceled(to, &recorded.hash())),
        (_, "orderPerformed") => flag(order_performed(to, &recorded.hash())),
        (_, "orderCancelled") => flag(order_canceled(to, &recorded.hash())),
        (_, "deployPerformed") => flag(deployment_performed(to, &recorded.hash())),
        (_, "deployCancelled") => flag(deployment_canceled(to, &recorded.hash())),
        (_, "proxies") => {
            let index = recorded.argument(0).parse().unwrap();
            recorded.check(&super::proxy(to, index), |(proxy, kind)| {
                json!([account(*proxy), kind.to_string()])
            })
        }
        (_, "xcertDeployProxy") => proxy(deploy_proxy(to)),
        (_, "tokenTransferProxy") => proxy(transfer_value_proxy(to)),
        (_, "xcertCreateProxy") => proxy(create_asset_proxy(to)),
        (_, "xcertUpdateProxy") => proxy(update_asset_proxy(to)),
        (_, "abilitableManageProxy") => proxy(manage_abilities_proxy(to)),
        (_, "nftSafeTransferProxy") => proxy(safe_transfer_asset_proxy(to)),
        (_, "xcertBurnProxy") => proxy(destroy_asset_proxy(to)),
        (contract, method) => panic!("{contract}.{method}"),
    }
}

#[test]
fn calls_and_answers_equal_those_of_ethers_and_the_contracts() {
    let file = chain_views();
    let mut reverts = Vec::new();
    for entry in list(&file, "views") {
        if check(entry) {
            let data = entry["revert"].as_str().unwrap_or("0x");
            reverts.push((
                text(entry, "method"),
                Revert::read(&hex::decode(data).unwrap()),
            ));
        }
    }
    let reason = |reason: &str| Revert::Reason(reason.into());
    let expected = [
        ("ownerOf", reason("006002")),
        ("getApproved", reason("006002")),
        ("tokenURI", reason("006002")),
        ("tokenURIIntegrity", reason("007003")),
        ("proxies", Revert::Silent),
    ];
    assert_eq!(reverts, expected);
}

/// Returns the value of a recorded call on the first ledger, or on the second one, whose texts are unusual.
fn recorded_text(view: fn(Address) -> View<Option<String>>, ledger: usize) -> Option<String> {
    let file = chain_views();
    let selector = view(MULTICALL).call.data;
    let views = list(&file, "views").iter();
    let mut same = views.filter(|entry| decoded(entry, "data") == selector);
    let entry = same.nth(ledger).unwrap();
    view(MULTICALL).read(&decoded(entry, "answer")).unwrap()
}

#[test]
fn a_text_that_the_service_does_not_accept_is_none() {
    assert_eq!(recorded_text(name, 0).as_deref(), Some("Näme 界😀"));
    assert_eq!(recorded_text(name, 1), None);
    assert_eq!(recorded_text(symbol, 0).as_deref(), Some("S"));
    assert_eq!(recorded_text(symbol, 1), None);
    assert_eq!(recorded_text(uri_prefix, 1).as_deref(), Some(""));
    assert_eq!(recorded_text(uri_postfix, 0).as_deref(), Some(".json"));
    assert_eq!(recorded_text(uri_postfix, 1), None);

    let answer = |text: &str| [integer(32).to_vec(), bytes(text.as_bytes())].concat();
    let id = AssetId::from(1);
    for (view, most) in [
        (name(MULTICALL), 255),
        (symbol(MULTICALL), 255),
        (uri_prefix(MULTICALL), 2048),
        (uri_postfix(MULTICALL), 2048),
        (uri(MULTICALL, &id), 4174),
    ] {
        let longest = "界".repeat(most);
        assert_eq!(view.read(&answer(&longest)), Ok(Some(longest.clone())));
        assert_eq!(view.read(&answer(&(longest + "x"))), Ok(None));
    }
}

#[test]
fn answers_with_another_layout_are_refused() {
    let number = |number: u64| integer(number).to_vec();
    let hash = [7; 32].to_vec();
    let name_of_hash = bytes(b"sha256");
    let answer = |parts: &[Vec<u8>]| parts.concat();
    let imprint = imprint(MULTICALL, &AssetId::from(1));
    let good = [
        number(64),
        number(128),
        number(32),
        hash.clone(),
        name_of_hash.clone(),
    ];
    assert_eq!(imprint.read(&answer(&good)), Ok(Imprint::from([7; 32])));
    for parts in [
        // Both values are the same bytes.
        vec![number(64), number(64), number(32), hash.clone()],
        // The values are in the other order.
        vec![
            number(128),
            number(64),
            name_of_hash.clone(),
            number(32),
            hash.clone(),
        ],
        // A gap before the first value.
        vec![
            number(96),
            number(160),
            number(0),
            number(32),
            hash.clone(),
            name_of_hash,
        ],
        // Another hash function and other lengths of the hash.
        vec![
            number(64),
            number(128),
            number(32),
            hash.clone(),
            bytes(b"sha255"),
        ],
        vec![
            number(64),
            number(128),
            number(31),
            [vec![7; 31], vec![0]].concat(),
            bytes(b"sha256"),
        ],
        vec![
            number(64),
            number(160),
            number(33),
            hash.clone(),
            vec![0; 32],
            bytes(b"sha256"),
        ],
        vec![number(64), number(96), number(0), bytes(b"sha256")],
        // Lengths that no answer has.
        vec![
            number(64),
            number(128),
            number(u64::MAX),
            hash.clone(),
            bytes(b"sha256"),
        ],
        vec![
            number(64),
            number(128),
            number(u64::MAX - 31),
            hash.clone(),
            bytes(b"sha256"),
        ],
        vec![
            number(64),
            number(128),
            vec![0xff; 32],
            hash,
            bytes(b"sha256"),
        ],
    ] {
        assert_eq!(imprint.read(&answer(&parts)), Err(MALFORMED), "{parts:?}");
    }
    let proxy = super::proxy(MULTICALL, 1);
    assert_eq!(
        proxy.read(&answer(&[number(9), number(255)])).unwrap().1,
        255
    );
    assert_eq!(
        proxy.read(&answer(&[number(9), number(256)])),
        Err(MALFORMED)
    );
    let supply = supply(MULTICALL);
    assert_eq!(supply.read(&number(u64::MAX)), Ok(u64::MAX));
    assert_eq!(supply.read(&[0xff; 32]), Err(MALFORMED));
}

#[test]
fn many_calls_are_encoded_and_read_like_multicall3_does() {
    let file = chain_views();
    let recorded = list(&file, "multicall");
    assert_eq!(recorded.len(), 2);
    for entry in recorded {
        let calls: Vec<Call> = list(entry, "calls")
            .iter()
            .map(|call| Call {
                to: address(call[0].as_str().unwrap()),
                data: hex::decode(call[1].as_str().unwrap()).unwrap(),
            })
            .collect();
        let view = multicall(address(text(entry, "to")), &calls);
        assert_eq!(view.call.to, address(text(entry, "to")));
        assert_eq!(prefixed(&view.call.data), text(entry, "data"));
        let answer = decoded(entry, "answer");
        let expected: Vec<Option<Vec<u8>>> = list(entry, "value")
            .iter()
            .map(|item| {
                let answer = hex::decode(item[1].as_str().unwrap()).unwrap();
                item[0].as_bool().unwrap().then_some(answer)
            })
            .collect();
        assert_eq!(view.read(&answer), Ok(expected));
        refuses_other_lengths(&view, &answer);
        // The answers have one call more or less.
        let other = multicall(MULTICALL, &[calls.as_slice(), &[view.call]].concat());
        assert_eq!(other.read(&answer), Err(MALFORMED));
        if let Some((_, rest)) = calls.split_first() {
            assert_eq!(multicall(MULTICALL, rest).read(&answer), Err(MALFORMED));
        }
    }
    let answers = list(&recorded[0], "value");
    // The answers of a call that reverts and of an address without a contract.
    assert_eq!(
        (&answers[1][0], &answers[4]),
        (&json!(false), &json!([true, "0x"]))
    );
    assert_eq!(
        keccak256("aggregate3((address,bool,bytes)[])")[..4],
        Multicall3::aggregate3Call::SELECTOR
    );
    assert_eq!(
        MULTICALL.to_string(),
        "0xcA11bde05977b3631167028862bE2a173976CA11"
    );
}

/// Encodes answers like Multicall3.
fn aggregated(answers: &[Option<Vec<u8>>]) -> Vec<u8> {
    let answers = answers.iter().map(|answer| MulticallResult {
        success: answer.is_some(),
        returnData: answer.clone().unwrap_or_default().into(),
    });
    Multicall3::aggregate3Call::abi_encode_returns(&answers.collect())
}

#[test]
fn answers_of_many_calls_that_share_bytes_are_refused() {
    let call = supply(MULTICALL).call;
    let two = multicall(MULTICALL, &[call.clone(), call]);
    let same = vec![Some(vec![5; 32]), Some(vec![5; 32])];
    let good = aggregated(&same);
    assert_eq!(two.read(&good), Ok(same));
    // The words: offset, count, two offsets, and for each answer success, offset, length and content.
    let item = good[4 * 32..8 * 32].to_vec();
    let number = |number: u64| integer(number).to_vec();
    for words in [
        vec![number(32), number(2), number(64), number(64), item.clone()],
        vec![
            number(32),
            number(2),
            number(192),
            number(64),
            item.clone(),
            item.clone(),
        ],
        vec![
            number(32),
            number(2),
            number(64),
            number(224),
            item.clone(),
            number(0),
            item.clone(),
        ],
        vec![
            number(64),
            number(2),
            number(2),
            number(64),
            number(192),
            item.clone(),
            item.clone(),
        ],
        vec![
            number(32),
            number(2),
            number(64),
            vec![0xff; 32],
            item.clone(),
            item.clone(),
        ],
    ] {
        assert_eq!(two.read(&words.concat()), Err(MALFORMED), "{words:?}");
    }
    for (word, wrong) in [
        (0, 64),
        (1, 1),
        (1, 3),
        (2, 32),
        (3, 191),
        (4, 2),
        (5, 32),
        (6, 31),
        (6, 64),
    ] {
        let mut answer = good.clone();
        answer[word * 32..][..32].copy_from_slice(&integer(wrong));
        assert_eq!(two.read(&answer), Err(MALFORMED), "{word} {wrong}");
    }
}

proptest! {
    #[test]
    fn answers_of_many_calls_are_read_back(
        answers in proptest::collection::vec(proptest::option::of(proptest::collection::vec(any::<u8>(), 0..100)), 0..8),
    ) {
        let calls = vec![name(MULTICALL).call; answers.len()];
        let view = multicall(MULTICALL, &calls);
        prop_assert_eq!(view.read(&aggregated(&answers)), Ok(answers));
    }

    /// The answers begin with small numbers, which look like offsets and lengths, and end with arbitrary bytes.
    #[test]
    fn no_answer_makes_a_reader_panic(
        numbers in proptest::collection::vec(prop_oneof![0_u64..300, Just(u64::MAX), (0_u64..9).prop_map(|words| words * 32)], 0..14),
        rest in proptest::collection::vec(any::<u8>(), 0..70),
    ) {
        let words = numbers.iter().flat_map(|number| integer(*number));
        let answer: Vec<u8> = words.chain(rest).collect();
        let id = AssetId::from(1);
        let call = name(MULTICALL).call;
        let many = multicall(MULTICALL, &vec![call; 2]).read(&answer);
        if let Ok(many) = many {
            let bytes: usize = many.iter().flatten().map(Vec::len).sum();
            prop_assert!(bytes <= answer.len());
        }
        let is_one_word = answer.len() == 32;
        prop_assert_eq!(balance(MULTICALL, MULTICALL).read(&answer).is_ok(), is_one_word);
        prop_assert!(owner(MULTICALL, &id).read(&answer).is_err() || is_one_word);
        prop_assert!(is_recipient(MULTICALL, MULTICALL).read(&answer).is_err() || is_one_word);
        prop_assert!(super::proxy(MULTICALL, 0).read(&answer).is_err() || answer.len() == 64);
        prop_assert!(imprint(MULTICALL, &id).read(&answer).is_err());
        if let Ok(Some(text)) = name(MULTICALL).read(&answer) {
            prop_assert_eq!([integer(32).to_vec(), bytes(text.as_bytes())].concat(), answer);
        }
    }
}
