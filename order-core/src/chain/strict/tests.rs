//! Encodings that the library's plain decoders accept, although no contract writes them.

#![expect(
    clippy::disallowed_methods,
    reason = "the plain decoders accept each case, so the strict reader is needed"
)]

use alloc::vec::Vec;

use alloy_primitives::{B256, U256, hex};
use alloy_sol_types::{SolCall, SolEvent, sol};
use proptest::prelude::*;
use proptest::sample::Index;

use super::super::tests::{bytes, integer};
use super::{Log, answer, log};

sol! {
    function number() returns (uint8);
    function account() returns (address);
    function flag() returns (bool);
    function id() returns (bytes4);
    function text() returns (string);
    function list() returns (uint256[]);
    function pair() returns (bytes first, bytes second);

    struct Item {
        bool flag;
        bytes content;
    }
    function items() returns (Item[]);

    event Number(address indexed account, uint8 number);
    event Flag(bool flag);
    event Text(string text);
}

/// Checks that the strict reader accepts the first encoding and refuses the others, all of which the plain decoder accepts.
fn only_the_first_is_read<C: SolCall>(good: &[&[u8]], others: &[&[&[u8]]]) {
    let read = |words: &[&[u8]]| answer::<C>(&words.concat()).is_some();
    assert!(read(good), "{}", C::SIGNATURE);
    for other in others {
        let data = other.concat();
        assert!(
            C::abi_decode_returns(&data).is_ok(),
            "{}",
            hex::encode(data)
        );
        assert!(!read(other), "{} {other:?}", C::SIGNATURE);
    }
}

#[test]
fn answers_in_another_encoding_are_refused() {
    let [zero, one, two] = [0, 1, 2].map(integer);
    let [head, second, third] = [32, 64, 96].map(integer);
    let fourth = integer(128);
    let full = [0xff; 32];
    let mut address = [7; 32];
    address[..12].fill(0);
    only_the_first_is_read::<numberCall>(
        &[&integer(255)],
        // A number out of range, an added word, an added byte.
        &[&[&integer(256)], &[&one, &zero], &[&one, &[0]]],
    );
    only_the_first_is_read::<accountCall>(&[&address], &[&[&[7; 32]], &[&address, &address]]);
    only_the_first_is_read::<flagCall>(&[&one], &[&[&two], &[&full], &[&zero, &[1]]]);
    let mut id = [0; 32];
    id[..4].fill(9);
    only_the_first_is_read::<idCall>(&[&id], &[&[&[9; 32]]]);
    let text = bytes("ž".as_bytes());
    let mut dirty = text.clone();
    dirty[63] = 1;
    only_the_first_is_read::<textCall>(
        &[&head, &text],
        &[
            // Bytes that are not UTF-8, and dirty padding.
            &[&head, &bytes(&[0xc5])],
            &[&head, &dirty],
            // No padding, a gap before the text, and added words.
            &[&head, &text[..34]],
            &[&second, &zero, &text],
            &[&head, &text, &zero],
        ],
    );
    only_the_first_is_read::<listCall>(
        &[&head, &two, &one, &one],
        &[
            &[&second, &zero, &two, &one, &one],
            &[&head, &two, &one, &one, &one],
            // The offset is the length, too.
            &[&zero],
        ],
    );
    let value = bytes(b"value");
    only_the_first_is_read::<pairCall>(
        &[&second, &fourth, &value, &value],
        &[
            // The values share their bytes, are in the other order, overlap, or have a gap between them.
            &[&second, &second, &value],
            &[&fourth, &second, &value, &value],
            &[&second, &third, &head, &zero],
            &[&second, &integer(160), &value, &zero, &value],
        ],
    );
}

/// Checks that the strict reader refuses the log. The plain decoder accepts it.
fn is_refused<E: SolEvent>(topics: &[B256], data: &[u8]) {
    assert!(E::decode_raw_log(topics.iter().copied(), data).is_ok());
    assert!(log::<E>(&Log { topics, data }).is_none(), "{data:?}");
}

#[test]
fn logs_in_another_encoding_are_refused() {
    let account = B256::with_last_byte(7);
    let number = [Number::SIGNATURE_HASH, account];
    let (flag, text) = ([Flag::SIGNATURE_HASH], [Text::SIGNATURE_HASH]);
    let good = [head(), bytes("ž".as_bytes())].concat();
    for (is_read, expected) in [
        (reads::<Number>(&number, &integer(255)), true),
        (reads::<Flag>(&flag, &integer(1)), true),
        (reads::<Text>(&text, &good), true),
        // Topics that are missing, added, or of another event.
        (reads::<Number>(&number[..1], &integer(255)), false),
        (
            reads::<Number>(&[number, number].concat(), &integer(255)),
            false,
        ),
        (reads::<Number>(&[account, account], &integer(255)), false),
        (reads::<Number>(&[], &integer(255)), false),
        // Data that is missing.
        (reads::<Number>(&number, &[]), false),
        (reads::<Number>(&number, &[0; 31]), false),
    ] {
        assert_eq!(is_read, expected);
    }
    is_refused::<Number>(&[number[0], B256::repeat_byte(7)], &integer(1));
    is_refused::<Number>(&number, &integer(256));
    is_refused::<Number>(&number, &[0; 33]);
    is_refused::<Number>(&number, &[0; 64]);
    is_refused::<Flag>(&flag, &integer(2));
    is_refused::<Flag>(&flag, &[0xff; 32]);
    is_refused::<Text>(&text, &[head(), bytes(&[0xc5])].concat());
    is_refused::<Text>(&text, &good[..66]);
    is_refused::<Text>(&text, &[good.as_slice(), &[0; 32]].concat());
    is_refused::<Text>(&text, &[&integer(64), &[0; 32], &good[32..]].concat());
}

fn head() -> Vec<u8> {
    integer(32).to_vec()
}

fn reads<E: SolEvent>(topics: &[B256], data: &[u8]) -> bool {
    log::<E>(&Log { topics, data }).is_some()
}

/// A change of an encoding.
#[derive(Clone, Debug)]
enum Edit {
    Byte(Index, u8),
    /// Replaces a word by a small number, such as an offset or a length.
    Number(Index, u64),
    Remove(Index),
    Repeat(Index),
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let edit = prop_oneof![
        (any::<Index>(), any::<u8>()).prop_map(|(place, byte)| Edit::Byte(place, byte)),
        (any::<Index>(), 0_u64..10).prop_map(|(place, words)| Edit::Number(place, words * 32)),
        (any::<Index>(), 0_u64..40).prop_map(|(place, number)| Edit::Number(place, number)),
        any::<Index>().prop_map(Edit::Remove),
        any::<Index>().prop_map(Edit::Repeat),
    ];
    proptest::collection::vec(edit, 0..4)
}

fn edited(mut data: Vec<u8>, edits: &[Edit]) -> Vec<u8> {
    for edit in edits {
        if data.is_empty() {
            break;
        }
        let word = |place: &Index| place.index(data.len() / 32) * 32;
        match edit {
            Edit::Byte(place, byte) => {
                let place = place.index(data.len());
                data[place] = *byte;
            }
            Edit::Number(place, number) => {
                let start = word(place);
                data[start..start + 32].copy_from_slice(&integer(*number));
            }
            Edit::Remove(place) => {
                let start = word(place);
                data.drain(start..start + 32);
            }
            Edit::Repeat(place) => {
                let start = word(place);
                data.extend_from_within(start..start + 32);
            }
        }
    }
    data
}

/// Checks that data that is read is the only encoding of its value.
fn is_the_only_encoding<C: SolCall>(data: &[u8]) {
    if let Some(value) = answer::<C>(data) {
        assert_eq!(C::abi_encode_returns(&value), data);
    }
}

proptest! {
    #[test]
    fn an_answer_that_is_read_is_the_encoding_of_its_value(
        first in proptest::collection::vec(any::<u8>(), 0..70),
        second in proptest::collection::vec(any::<u8>(), 0..70),
        text in ".{0,40}",
        numbers in proptest::collection::vec(0_u64..300, 0..4),
        edits in edits(),
    ) {
        let pair = pairReturn { first: first.clone().into(), second: second.clone().into() };
        is_the_only_encoding::<pairCall>(&edited(pairCall::abi_encode_returns(&pair), &edits));
        let items = [first, second].map(|content| Item { flag: true, content: content.into() });
        let items = itemsCall::abi_encode_returns(&items.into());
        is_the_only_encoding::<itemsCall>(&edited(items, &edits));
        is_the_only_encoding::<textCall>(&edited(textCall::abi_encode_returns(&text), &edits));
        let list = numbers.iter().map(|number| U256::from(*number)).collect();
        is_the_only_encoding::<listCall>(&edited(listCall::abi_encode_returns(&list), &edits));
    }

    #[test]
    fn a_log_that_is_read_is_the_encoding_of_its_event(text in ".{0,40}", edits in edits()) {
        let topics = [Text::SIGNATURE_HASH];
        let data = edited(Text { text }.encode_data(), &edits);
        if let Some(event) = log::<Text>(&Log { topics: &topics, data: &data }) {
            prop_assert_eq!(event.encode_data(), data);
        }
    }
}
