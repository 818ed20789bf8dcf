//! Tests of the types: published vectors, values that must be refused, and properties.

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt::{Debug, Display};
use core::str::FromStr;

use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::*;

/// The test cases of EIP-55.
const CHECKSUMMED: [&str; 8] = [
    "0x52908400098527886E0F7030069857D2E4169EE7",
    "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
    "0xde709f2102306220921060314715629080e2fb77",
    "0x27b1fdb04752bbc536007a920d24acb045561c26",
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
    "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
    "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
];

const MAX_DECIMAL: &str =
    "115792089237316195423570985008687907853269984665640564039457584007913129639935";
const ABOVE_MAX_DECIMAL: &str =
    "115792089237316195423570985008687907853269984665640564039457584007913129639936";

fn reads<T: FromStr<Err = NotValid>>(text: &str) -> bool {
    text.parse::<T>().is_ok()
}

/// Asserts that the value read from `text` is written as `written`, both as text and as JSON.
fn reads_as<T>(text: &str, written: &str)
where
    T: FromStr<Err = NotValid> + Display + Debug + PartialEq + Serialize + DeserializeOwned,
{
    let value: T = text.parse().unwrap();
    assert_eq!(value.to_string(), written);
    assert_eq!(serde_json::to_value(&value).unwrap(), json!(written));
    assert_eq!(serde_json::from_value::<T>(json!(text)).unwrap(), value);
}

#[test]
fn addresses_of_eip_55_read_in_every_permitted_case() {
    for text in CHECKSUMMED {
        reads_as::<Address>(text, text);
        reads_as::<Address>(&text.to_lowercase(), text);
        let upper = format!("0x{}", text[2..].to_uppercase());
        reads_as::<Address>(&upper, text);
    }
}

#[test]
fn a_wrong_checksum_is_refused() {
    // Changing the case of one letter of a mixed-case address breaks its checksum.
    for text in &CHECKSUMMED[4..] {
        for (at, letter) in text.char_indices().skip(2) {
            if !letter.is_ascii_alphabetic() {
                continue;
            }
            let mut changed = String::from(*text);
            let flipped = if letter.is_ascii_lowercase() {
                letter.to_ascii_uppercase()
            } else {
                letter.to_ascii_lowercase()
            };
            changed.replace_range(at..=at, &flipped.to_string());
            assert!(!reads::<Address>(&changed), "{changed}");
        }
    }
}

#[test]
fn malformed_addresses_are_refused() {
    let good = CHECKSUMMED[0];
    for bad in [
        "",
        "0x",
        &good[2..],
        &good[..41],
        &format!("{good}0"),
        &format!(" {good}"),
        &format!("{good}\n"),
        &good.replace("0x", "0X"),
        &good.replace('E', "G"),
        &good.replace("0x", "0x0x")[..42],
        "0x0000000000000000000000000000000000000000",
        "0x5290840009852788\u{ff16}E0F7030069857D2E4169EE7",
    ] {
        assert!(!reads::<Address>(bad), "{bad:?}");
    }
}

#[test]
fn imprints_are_64_digits_with_or_without_a_prefix() {
    let digits = "d747e6ffd1aa3f83efef2931e3cc22c653ea97a32c1ee7289e4966b6964ecdfb";
    let prefixed = format!("0x{digits}");
    for text in [digits, &prefixed, &digits.to_uppercase()] {
        reads_as::<Imprint>(text, digits);
        reads_as::<SchemaId>(text, &prefixed);
    }
    for bad in [
        "",
        "0x",
        &digits[2..],
        &digits[..63],
        &format!("{digits}ff"),
        &format!("0x0x{}", &digits[4..]),
        &format!("0x{}", &digits[2..]),
        &prefixed.replace("0x", "0X"),
        &digits.replace('d', "g"),
    ] {
        assert!(!reads::<Imprint>(bad), "{bad:?}");
        assert!(!reads::<SchemaId>(bad), "{bad:?}");
    }
}

#[test]
fn asset_ids_read_decimal_and_hexadecimal() {
    let max_hex = format!("0x{}", "f".repeat(64));
    let padded = format!("0x{}64", "0".repeat(70));
    for (text, written) in [
        ("0", "0"),
        ("100", "100"),
        ("0x64", "100"),
        ("0xFf", "255"),
        ("00100", "100"),
        (padded.as_str(), "100"),
        (MAX_DECIMAL, MAX_DECIMAL),
        (max_hex.as_str(), MAX_DECIMAL),
    ] {
        reads_as::<AssetId>(text, written);
    }
}

#[test]
fn only_unsigned_256_bit_integers_are_accepted() {
    let wide_hex = format!("0x1{}", "0".repeat(64));
    let long = "1".repeat(100_000);
    for bad in [
        "",
        " ",
        "-1",
        "+1",
        "1.0",
        "1.5",
        "1e3",
        "1_000",
        " 1",
        "1 ",
        "0x",
        "0X64",
        "0xg",
        "ff",
        "0x-1",
        "0x1_0",
        "１",
        ABOVE_MAX_DECIMAL,
        &wide_hex,
        &long,
    ] {
        assert!(!reads::<AssetId>(bad), "{bad:?}");
        assert!(!reads::<Amount>(bad), "{bad:?}");
    }
    assert!(!reads::<Amount>("0x64"));
}

#[test]
fn amounts_do_not_wrap() {
    let one = Amount::from(1);
    assert_eq!(Amount::MAX.to_string(), MAX_DECIMAL);
    assert_eq!(Amount::MAX.checked_add(one), None);
    assert_eq!(Amount::ZERO.checked_sub(one), None);
    assert_eq!(Amount::ZERO.saturating_sub(one), Amount::ZERO);
    assert_eq!(one.checked_add(one), Some(Amount::from(2)));
    assert_eq!(Amount::from(2).checked_sub(one), Some(one));
}

#[test]
fn the_fixed_width_form_is_exactly_64_digits() {
    assert_eq!(
        AssetId::from(255).to_hex64(),
        format!("{}ff", "0".repeat(62))
    );
    assert_eq!(Amount::MAX.to_hex64(), "f".repeat(64));
    let prefixed = format!("0x{}", "0".repeat(62));
    for bad in [
        "",
        "ff",
        &"0".repeat(63),
        &"0".repeat(65),
        &"g".repeat(64),
        &prefixed,
    ] {
        assert!(Amount::from_hex64(bad).is_err(), "{bad:?}");
    }
}

#[test]
fn an_expiration_below_100_000_000_000_is_in_seconds() {
    for (number, milliseconds, seconds) in [
        (0, 0, 0),
        (1_700_000_000, 1_700_000_000_000, 1_700_000_000),
        (99_999_999_999, 99_999_999_999_000, 99_999_999_999),
        (100_000_000_000, 100_000_000_000, 100_000_000),
        (1_700_000_000_999, 1_700_000_000_999, 1_700_000_000),
        (LAST_EXPIRATION, LAST_EXPIRATION, 253_402_300_799),
    ] {
        let expiration = Expiration::try_from(number).unwrap();
        assert_eq!(expiration.milliseconds(), milliseconds, "{number}");
        assert_eq!(expiration.seconds(), seconds, "{number}");
        // The written number reads as the same moment, in milliseconds where possible.
        let written = serde_json::to_value(expiration).unwrap();
        let read: Expiration = serde_json::from_value(written.clone()).unwrap();
        assert_eq!(read, expiration, "{number}");
        if milliseconds >= 100_000_000_000 {
            assert_eq!(written, json!(milliseconds));
        }
    }
    assert!(Seed::try_from(MAX_SAFE_INTEGER + 1).is_err());
    assert!(Seed::try_from(MAX_SAFE_INTEGER).is_ok());
}

#[test]
fn seconds_are_never_taken_for_milliseconds() {
    for seconds in [
        0,
        99_999_999,
        100_000_000,
        99_999_999_999,
        100_000_000_000,
        253_402_300_799,
    ] {
        let expiration = Expiration::from_seconds(seconds).unwrap();
        assert_eq!(expiration.seconds(), seconds);
        assert_eq!(Expiration::try_from(expiration.number()), Ok(expiration));
    }
    for later in [253_402_300_800, u64::MAX / 1000 + 1, u64::MAX] {
        assert_eq!(Expiration::from_seconds(later), None, "{later}");
    }
}

#[test]
fn expirations_end_with_the_year_9999() {
    for later in [
        LAST_EXPIRATION + 1,
        253_402_300_800_000,
        MAX_SAFE_INTEGER,
        MAX_SAFE_INTEGER + 1,
        u64::MAX,
    ] {
        assert!(Expiration::try_from(later).is_err(), "{later}");
    }
    // A stored expiration beyond the limit is read unchanged, and the request still ends at the limit.
    let stored: Expiration = serde_json::from_value(json!(MAX_SAFE_INTEGER)).unwrap();
    assert_eq!(stored.number(), MAX_SAFE_INTEGER);
    assert_eq!(stored.seconds(), MAX_SAFE_INTEGER / 1000);
    for expiry in [Expiry::Exclusive, Expiry::Inclusive] {
        assert_eq!(stored.ends_at(expiry), LAST_EXPIRATION + 1);
    }
    assert!(serde_json::from_value::<Expiration>(json!(MAX_SAFE_INTEGER + 1)).is_err());
}

#[test]
fn expirations_are_compared_in_whole_seconds() {
    let second = 1_700_000_000_000;
    for number in [1_700_000_000, second, second + 500, second + 999] {
        let expiration = Expiration::try_from(number).unwrap();
        for (now, exclusive, inclusive) in [
            (second - 1, false, false),
            (second, true, false),
            (second + 500, true, false),
            (second + 999, true, false),
            (second + 1000, true, true),
        ] {
            let past = |expiry| expiration.is_past(expiry, now);
            assert_eq!(past(Expiry::Exclusive), exclusive, "{number} {now}");
            assert_eq!(past(Expiry::Inclusive), inclusive, "{number} {now}");
        }
    }
}

#[test]
fn only_numbers_of_the_enumerations_are_accepted() {
    for number in 0..=9 {
        assert_eq!(
            Priority::try_from(number).is_ok(),
            (1..=4).contains(&number),
            "{number}"
        );
        assert_eq!(Status::try_from(number).is_ok(), number <= 7, "{number}");
        assert_eq!(
            Capability::try_from(number).is_ok(),
            (1..=4).contains(&number),
            "{number}"
        );
    }
    assert_eq!(json!(Status::ALL), json!([0, 1, 2, 3, 4, 5, 6, 7]));
    assert_eq!(json!(Priority::ALL), json!([1, 2, 3, 4]));
    assert_eq!(
        serde_json::from_value::<Status>(json!(6)).unwrap(),
        Status::Canceled
    );
    assert!(serde_json::from_value::<Priority>(json!(5)).is_err());
    assert!(serde_json::from_value::<Seed>(json!(MAX_SAFE_INTEGER + 1)).is_err());
    assert!(serde_json::from_value::<Seed>(json!(1.5)).is_err());
}

#[test]
fn abilities_are_distinct_and_of_the_enumeration() {
    let all = [1, 2, 16, 32, 64, 128, 256, 512, 1024];
    let set = Abilities::from_list(&all).unwrap();
    assert_eq!(set.bits(), 2035);
    assert_eq!(json!(set), json!(all));
    assert_eq!(json!(Abilities::ALL), json!(all));
    assert_eq!(Abilities::ALL.bits(), 2047);
    assert!(Abilities::ALL.contains(set));
    assert!(!set.contains(Abilities::ALL));
    assert_eq!(Abilities::from_list(&[]).unwrap(), Abilities::NONE);
    assert_eq!(
        Abilities::from_list(&[512, 16]).unwrap(),
        Abilities::from_bits(528).unwrap()
    );
    for bad in [
        &[0][..],
        &[3],
        &[4],
        &[8],
        &[16, 16],
        &[2048],
        &[1 << 16],
        &[65536 + 16],
    ] {
        assert!(Abilities::from_list(bad).is_err(), "{bad:?}");
    }
    assert_eq!(Abilities::from_bits(2047), Ok(Abilities::ALL));
    assert!(Abilities::from_bits(2048).is_err());
}

#[test]
fn capabilities_keep_the_order_given() {
    let given = json!([3, 1, 4, 2]);
    let capabilities: Capabilities = serde_json::from_value(given.clone()).unwrap();
    assert_eq!(json!(capabilities), given);
    assert_ne!(
        capabilities,
        Capabilities::from_list(&[1, 2, 3, 4]).unwrap()
    );
    assert!(capabilities.contains(Capability::Revoke));
    assert!(!Capabilities::default().contains(Capability::Revoke));
    for bad in [
        json!([0]),
        json!([5]),
        json!([1, 1]),
        json!([1, "2"]),
        json!("1"),
        Value::Null,
    ] {
        assert!(
            serde_json::from_value::<Capabilities>(bad.clone()).is_err(),
            "{bad}"
        );
    }
}

proptest! {
    #[test]
    fn every_address_reads_back(bytes: [u8; 20]) {
        prop_assume!(bytes != [0; 20]);
        let address = Address::from_bytes(bytes).unwrap();
        prop_assert_eq!(address.as_bytes(), &bytes);
        prop_assert_eq!(address.to_string().parse::<Address>(), Ok(address));
        prop_assert_eq!(address.to_string().to_lowercase().parse::<Address>(), Ok(address));
    }

    #[test]
    fn every_integer_reads_back_and_sorts_as_text(a: [u8; 32], b: [u8; 32]) {
        let [a, b] = [a, b].map(|bytes| AssetId::from_hex64(&alloy_primitives::hex::encode(bytes)).unwrap());
        prop_assert_eq!(a.to_string().parse::<AssetId>(), Ok(a));
        prop_assert_eq!(format!("0x{}", a.to_hex64()).parse::<AssetId>(), Ok(a));
        prop_assert_eq!(AssetId::from_hex64(&a.to_hex64()), Ok(a));
        prop_assert_eq!(a.to_hex64().cmp(&b.to_hex64()), a.cmp(&b));
    }

    #[test]
    fn any_text_is_read_without_panic(text in ".{0,90}") {
        let _ = text.parse::<Address>();
        let _ = text.parse::<Imprint>();
        let _ = text.parse::<AssetId>();
        if let Ok(amount) = text.parse::<Amount>() {
            prop_assert_eq!(amount.to_string(), if text.trim_start_matches('0').is_empty() { "0" } else { text.trim_start_matches('0') });
        }
    }
}
