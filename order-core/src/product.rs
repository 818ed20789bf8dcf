//! Items of products: a GTIN and a serial number of GS1 as the id of an asset (`docs/spec/product.md`).
//!
//! The id needs no table, because it is computed from the product's code. A ledger creates an id once, so no item is certified twice.

use alloc::format;
use alloc::string::String;
use core::fmt;

use crate::types::AssetId;

/// The number of digits of a GTIN in an id and in an address.
const GTIN_DIGITS: usize = 14;
/// The numbers of digits that a GTIN may have elsewhere. Zeros fill it up to [`GTIN_DIGITS`].
const SHORT_GTINS: [usize; 3] = [8, 12, 13];
/// The maximum length of a serial number, in characters.
const SERIAL_MAX: usize = 20;
/// The bytes of a GTIN in an id.
const GTIN_BYTES: usize = 6;
/// The first byte of an id. Random ids of 128 bits are smaller than any id with this byte.
const VERSION: u8 = 1;
/// The characters of serial numbers besides letters and digits (GS1 General Specifications, figure 7.11-1).
const OTHERS: &[u8] = b"!\"%&'()*+,-./:;<=>?_";

/// The item with a serial number of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProductItem {
    /// Below 10^14.
    gtin: u64,
    /// Characters, then zeros.
    serial: [u8; SERIAL_MAX],
}

/// The reason why a text is no GTIN or no serial number. Displays as a sentence without its subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProductError {
    /// The GTIN does not have 14 digits.
    Gtin,
    /// The GTIN's last digit does not fit the others.
    CheckDigit,
    /// The serial number is empty or too long.
    SerialLength,
    /// The serial number has a character that GS1 does not allow.
    SerialCharacter,
}

impl ProductError {
    /// Returns true if the GTIN is wrong, and false if the serial number is.
    #[must_use]
    pub const fn is_gtin(self) -> bool {
        matches!(self, Self::Gtin | Self::CheckDigit)
    }
}

impl fmt::Display for ProductError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gtin => "the GTIN must have 14 digits",
            Self::CheckDigit => "the last digit of the GTIN does not fit the others",
            Self::SerialLength => "the serial number must have 1 to 20 characters",
            Self::SerialCharacter => {
                "the serial number may have only letters and digits of ASCII and the characters !\"%&'()*+,-./:;<=>?_"
            }
        })
    }
}

impl core::error::Error for ProductError {}

impl ProductItem {
    /// Parses a GTIN of 14 digits and a serial number.
    ///
    /// # Errors
    ///
    /// See [`ProductError`].
    pub fn new(gtin: &str, serial: &str) -> Result<Self, ProductError> {
        if gtin.len() != GTIN_DIGITS || !gtin.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(ProductError::Gtin);
        }
        // The digits weigh 3 and 1 in turn, and the sum is a multiple of 10.
        let weighed = gtin.bytes().zip([3_u32, 1].into_iter().cycle());
        let sum = weighed.fold(0_u32, |sum, (byte, weight)| {
            let digit = u32::from(byte.wrapping_sub(b'0'));
            sum.saturating_add(digit.saturating_mul(weight))
        });
        if !sum.is_multiple_of(10) {
            return Err(ProductError::CheckDigit);
        }
        let gtin = gtin.parse().map_err(|_| ProductError::Gtin)?;
        Ok(Self {
            gtin,
            serial: serial_of(serial)?,
        })
    }

    /// Like [`new`](Self::new), but also takes a GTIN of 8, 12 or 13 digits, as tables have it.
    ///
    /// # Errors
    ///
    /// See [`ProductError`].
    pub fn with_short_gtin(gtin: &str, serial: &str) -> Result<Self, ProductError> {
        match SHORT_GTINS.contains(&gtin.len()) {
            true => Self::new(&format!("{gtin:0>GTIN_DIGITS$}"), serial),
            false => Self::new(gtin, serial),
        }
    }

    /// Returns the item whose asset has this id. `None` for all other assets.
    #[must_use]
    pub fn of_asset(asset: &AssetId) -> Option<Self> {
        let bytes = asset.to_be_bytes();
        let (zeros, rest) = bytes.split_first_chunk::<5>()?;
        let (version, rest) = rest.split_first()?;
        let (gtin, serial) = rest.split_first_chunk::<GTIN_BYTES>()?;
        if *zeros != [0; 5] || *version != VERSION {
            return None;
        }
        let [a, b, c, d, e, f] = *gtin;
        let gtin = u64::from_be_bytes([0, 0, a, b, c, d, e, f]);
        let serial = core::str::from_utf8(serial).ok()?;
        let serial = serial.trim_end_matches('\0');
        Self::new(&format!("{gtin:0>GTIN_DIGITS$}"), serial).ok()
    }

    /// Returns the id of the item's asset.
    #[must_use]
    pub fn asset(&self) -> AssetId {
        let mut bytes = [0; 32];
        let [_, _, gtin @ ..] = self.gtin.to_be_bytes();
        let content = [VERSION].into_iter().chain(gtin).chain(self.serial);
        for (byte, own) in bytes.iter_mut().skip(5).zip(content) {
            *byte = own;
        }
        AssetId::from_be_bytes(bytes)
    }

    /// Returns the 14 digits of the GTIN.
    #[must_use]
    pub fn gtin(&self) -> String {
        format!("{:0>GTIN_DIGITS$}", self.gtin)
    }

    /// Returns the serial number.
    #[must_use]
    pub fn serial(&self) -> &str {
        // All characters are of ASCII.
        let text = core::str::from_utf8(&self.serial).unwrap_or_default();
        text.trim_end_matches('\0')
    }
}

fn serial_of(text: &str) -> Result<[u8; SERIAL_MAX], ProductError> {
    if !(1..=SERIAL_MAX).contains(&text.chars().count()) {
        return Err(ProductError::SerialLength);
    }
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || OTHERS.contains(&byte);
    if !text.bytes().all(is_allowed) {
        return Err(ProductError::SerialCharacter);
    }
    let mut serial = [0; SERIAL_MAX];
    for (byte, own) in serial.iter_mut().zip(text.bytes()) {
        *byte = own;
    }
    Ok(serial)
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString as _;
    use alloc::vec::Vec;

    use proptest::prelude::*;
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    struct Vectors {
        items: Vec<Item>,
        refused: Vec<Refused>,
        others: Vec<String>,
    }

    #[derive(Deserialize)]
    struct Item {
        gtin: String,
        serial: String,
        asset: String,
    }

    #[derive(Deserialize)]
    struct Refused {
        gtin: String,
        serial: String,
        error: String,
    }

    fn vectors() -> Vectors {
        serde_json::from_str(include_str!("../../tests/vectors/product/items.json")).unwrap()
    }

    #[test]
    fn ids_are_computed_as_in_the_vectors() {
        for Item {
            gtin,
            serial,
            asset,
        } in vectors().items
        {
            let item = ProductItem::new(&gtin, &serial).unwrap();
            assert_eq!(item.asset().to_string(), asset);
            assert!(asset.len() <= 63);
            let again = ProductItem::of_asset(&item.asset()).unwrap();
            assert_eq!((again.gtin(), again.serial()), (gtin, serial.as_str()));
        }
    }

    #[test]
    fn other_codes_and_other_assets_are_refused() {
        let Vectors {
            refused, others, ..
        } = vectors();
        for Refused {
            gtin,
            serial,
            error,
        } in refused
        {
            let found = ProductItem::new(&gtin, &serial).unwrap_err();
            assert_eq!(alloc::format!("{found:?}"), error, "{gtin} {serial}");
            assert_eq!(found.is_gtin(), !error.starts_with("Serial"));
        }
        for asset in others {
            assert_eq!(
                ProductItem::of_asset(&asset.parse().unwrap()),
                None,
                "{asset}"
            );
        }
    }

    #[test]
    fn short_codes_of_tables_are_filled_up() {
        for (short, full) in [
            ("9506000134352", "09506000134352"),
            ("614141007349", "00614141007349"),
            ("96385074", "00000096385074"),
            ("09506000134352", "09506000134352"),
        ] {
            let item = ProductItem::with_short_gtin(short, "1").unwrap();
            assert_eq!(item.gtin(), full);
        }
        for wrong in [
            "",
            "950600013435",
            "+506000134352",
            "0009506000134352",
            "９506000134352",
        ] {
            assert!(ProductItem::with_short_gtin(wrong, "1").is_err(), "{wrong}");
        }
    }

    /// The check digit, as GS1 describes it: from the right, digits weigh 3 and 1 in turn.
    fn check_digit(digits: u64) -> u64 {
        let text = alloc::format!("{digits:0>13}");
        let sum: u64 = text
            .bytes()
            .rev()
            .enumerate()
            .map(|(index, byte)| u64::from(byte - b'0') * if index % 2 == 0 { 3 } else { 1 })
            .sum();
        (10 - sum % 10) % 10
    }

    proptest! {
        #[test]
        fn an_item_is_read_back_from_its_asset(
            digits in 0_u64..10_000_000_000_000,
            serial in "[!\"%&'()*+,./0-9:;<=>?A-Z_a-z-]{1,20}",
            wrong in 1_u64..10,
        ) {
            let check = check_digit(digits);
            let gtin = |last: u64| alloc::format!("{digits:0>13}{last}");
            let item = ProductItem::new(&gtin(check), &serial).unwrap();
            prop_assert_eq!(ProductItem::of_asset(&item.asset()), Some(item));
            prop_assert_eq!((item.gtin(), item.serial()), (gtin(check), serial.as_str()));
            let other = gtin((check + wrong) % 10);
            prop_assert_eq!(ProductItem::new(&other, &serial), Err(ProductError::CheckDigit));
        }

        #[test]
        fn only_the_asset_of_an_item_gives_an_item(bytes: [u8; 32], start in 0_usize..7) {
            let mut bytes = bytes;
            bytes.iter_mut().take(start).for_each(|byte| *byte = 0);
            if start == 5 {
                bytes[5] = VERSION;
            }
            let asset = AssetId::from_be_bytes(bytes);
            if let Some(item) = ProductItem::of_asset(&asset) {
                prop_assert_eq!(item.asset(), asset);
            }
        }

        #[test]
        fn texts_do_not_panic(gtin: String, serial: String) {
            if let Ok(item) = ProductItem::with_short_gtin(&gtin, &serial) {
                prop_assert_eq!(item.serial(), serial);
            }
        }
    }
}
