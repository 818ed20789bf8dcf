//! Compares a document's own `ledgerId` and `assetId` with the asset that its evidence is presented for. A thief can copy an imprint to
//! another asset, but the ids in the document reveal the copy. Also checks that the evidence proves at least one value outside the
//! `POINTERS`.

use crate::aih2::shape::Shape;
use crate::error::{CertError, ErrorCode};
use crate::json::path::{Path, Step};
use crate::json::value::Value;

/// The members of published metadata that contain the addresses of the document's schema and evidence. Their values say nothing about the
/// asset.
pub const POINTERS: [&str; 2] = ["$schema", "$evidence"];

/// The names of the two properties of a document's root that together identify its asset.
const NAMES: [&str; 2] = ["ledgerId", "assetId"];

/// The asset that evidence is presented for: the address of a ledger and the asset's id there.
///
/// ```
/// use cert_core::aih2::Asset;
///
/// let asset = Asset::new("0x00000000000000000000000000000000000000aa", "0x10")?;
/// assert_eq!(asset, Asset::new("0x00000000000000000000000000000000000000AA", "16")?);
/// # Ok::<(), cert_core::CertError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asset {
    ledger: [u8; 20],
    id: [u8; 32],
}

impl Asset {
    /// Returns an asset from the bytes of its ledger's address and of its id, both big-endian.
    #[must_use]
    pub const fn from_bytes(ledger: [u8; 20], id: [u8; 32]) -> Self {
        Self { ledger, id }
    }

    /// Reads a ledger's address and an asset id. The address is `0x` and 40 hexadecimal digits. The id is an unsigned 256-bit integer, in
    /// decimal digits or in hexadecimal digits after `0x`. Digits may be in any case.
    ///
    /// # Errors
    /// [`ErrorCode::OptionInvalid`] for anything else.
    pub fn new(ledger_id: &str, asset_id: &str) -> Result<Self, CertError> {
        let invalid =
            |message: &str| CertError::new(ErrorCode::OptionInvalid, Path::root(), message);
        let ledger = address(ledger_id);
        let id = integer(asset_id);
        Ok(Self {
            ledger: ledger.ok_or_else(|| {
                invalid("a ledger id must be `0x` and 40 hexadecimal digits")
            })?,
            id: id.ok_or_else(|| {
                invalid("an asset id must be an unsigned 256-bit integer, in decimal digits or in hexadecimal digits after `0x`")
            })?,
        })
    }

    /// Compares the asset with a document's proven root members `ledgerId` and `assetId`. A member that is absent or hidden is `None`. Both
    /// profiles use this comparison: a document that was certified for another asset is a copy.
    ///
    /// The ids are compared only if `ledgerId` is a string with an address, in any case of its letters. Otherwise the names may have another
    /// meaning. `assetId` is compared if it is a string or a number.
    #[must_use]
    pub fn differences(&self, ledger_id: Option<&Value>, asset_id: Option<&Value>) -> Differences {
        let Some(ledger) = ledger_id.and_then(Value::as_str).and_then(address) else {
            return Differences::default();
        };
        let differs = |text: &str| integer(text) != Some(self.id);
        Differences {
            ledger: ledger != self.ledger,
            id: match asset_id {
                Some(Value::String(text)) => differs(text),
                Some(Value::Number(number)) => differs(number.as_str()),
                _ => false,
            },
        }
    }
}

/// The ids of a document that name another asset than the one that the document is presented for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Differences {
    /// True if `ledgerId` is another ledger.
    pub ledger: bool,
    /// True if `assetId` is another id.
    pub id: bool,
}

/// Compares an asset with what evidence proves about the root's `ledgerId` and `assetId`.
pub(super) struct Check<'c> {
    asset: &'c Asset,
    /// For each of the `NAMES`: true if the schema's root has this property.
    described: [bool; 2],
    /// For each of the `NAMES`: true if the evidence shows the property, at least in part, or proves its absence.
    known: [bool; 2],
    /// The shown values of the `NAMES`, if the evidence shows them.
    values: [Option<Value>; 2],
    /// True if the evidence proves a value outside the `POINTERS`.
    has_value: bool,
}

impl<'c> Check<'c> {
    pub(super) fn new(asset: &'c Asset, shape: &Shape) -> Self {
        let slots = shape.object.as_ref();
        let is_described = |name: &str| slots.is_some_and(|slots| slots.slot(name).is_some());
        Self {
            asset,
            described: NAMES.map(is_described),
            known: [false; 2],
            values: [None, None],
            has_value: false,
        }
    }

    /// Records a proven leaf, or a list that is proven to be empty.
    pub(super) fn proves(&mut self, path: &[Step<'_>]) {
        self.has_value |= !matches!(path.first(), Some(Step::Key(key)) if POINTERS.contains(key));
    }

    /// Returns true if the evidence proves a value outside the `POINTERS`.
    pub(super) const fn has_value(&self) -> bool {
        self.has_value
    }

    /// Records an open place, and its value if the value is one leaf.
    pub(super) fn shows(&mut self, path: &[Step<'_>], value: Option<&Value>) {
        let [Step::Key(key)] = path else {
            return;
        };
        let places = self.known.iter_mut().zip(&mut self.values);
        for (name, (known, shown)) in NAMES.iter().zip(places) {
            if name == key {
                *known = true;
                *shown = value.cloned();
            }
        }
    }

    /// Returns both names, each with an error code if the evidence hides an id that the schema has, or if the id differs.
    pub(super) fn faults(&self) -> [(&'static str, Option<ErrorCode>); 2] {
        let [ledger, id] = &self.values;
        let differences = self.asset.differences(ledger.as_ref(), id.as_ref());
        let differs = [differences.ledger, differences.id];
        let mut faults = NAMES.map(|name| (name, None));
        let names = self.described.iter().zip(self.known).zip(differs);
        for ((_, fault), ((is_described, is_known), differs)) in faults.iter_mut().zip(names) {
            *fault = match (*is_described && !is_known, differs) {
                (true, _) => Some(ErrorCode::AssetHidden),
                (false, true) => Some(ErrorCode::AssetMismatch),
                (false, false) => None,
            };
        }
        faults
    }
}

/// Parses `0x` and 40 hexadecimal digits. Returns `None` for any other string.
fn address(text: &str) -> Option<[u8; 20]> {
    let digits = text.strip_prefix("0x")?;
    let number = number(digits, 16).filter(|_| digits.len() == 40)?;
    number.last_chunk().copied()
}

/// Parses an unsigned 256-bit integer into big-endian bytes. Returns `None` for any other string.
fn integer(text: &str) -> Option<[u8; 32]> {
    match text.strip_prefix("0x") {
        Some(digits) => number(digits, 16),
        None => number(text, 10),
    }
}

fn number(digits: &str, radix: u32) -> Option<[u8; 32]> {
    if digits.is_empty() {
        return None;
    }
    let mut bytes = [0_u8; 32];
    // The number of iterations is bounded: leading zeros are skipped, and parsing fails at the 79th digit at the latest.
    for digit in digits.trim_start_matches('0').chars() {
        let mut carry = digit.to_digit(radix)?;
        for byte in bytes.iter_mut().rev() {
            let [low, high, ..] = u32::from(*byte)
                .saturating_mul(radix)
                .saturating_add(carry)
                .to_le_bytes();
            *byte = low;
            carry = high.into();
        }
        if carry > 0 {
            return None;
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::borrow::ToOwned;
    use alloc::format;

    const LEDGER: &str = "0x00000000000000000000000000000000000000aB";

    #[test]
    fn ids_are_unsigned_integers_of_256_bits() {
        let id = |text: &str| Asset::new(LEDGER, text).map(|asset| asset.id).ok();
        let small = |low: u8| {
            let mut bytes = [0; 32];
            bytes[31] = low;
            Some(bytes)
        };
        for (text, expected) in [
            ("0", small(0)),
            ("0x0", small(0)),
            ("255", small(255)),
            ("0xfF", small(255)),
            (&format!("{}7", "0".repeat(200)), small(7)),
            (&format!("0x{}", "f".repeat(64)), Some([255; 32])),
            (
                "115792089237316195423570985008687907853269984665640564039457584007913129639935",
                Some([255; 32]),
            ),
            (
                "115792089237316195423570985008687907853269984665640564039457584007913129639936",
                None,
            ),
            (&format!("0x1{}", "0".repeat(64)), None),
            ("", None),
            ("0x", None),
            ("-1", None),
            ("+1", None),
            ("1_0", None),
            ("1.0", None),
            (" 1", None),
            ("f", None),
            ("0X1", None),
        ] {
            assert_eq!(id(text), expected, "{text}");
        }
    }

    #[test]
    fn ledgers_are_addresses_of_20_bytes() {
        let ledger = |text: &str| Asset::new(text, "1").map(|asset| asset.ledger).ok();
        let mut expected = [0; 20];
        expected[19] = 0xab;
        for text in [LEDGER, &LEDGER.to_lowercase(), &LEDGER.replace('a', "A")] {
            assert_eq!(ledger(text), Some(expected));
        }
        assert_eq!(
            Asset::from_bytes(expected, [0; 32]),
            Asset::new(LEDGER, "0").unwrap()
        );
        for text in [
            "",
            "0x",
            "0",
            LEDGER.trim_start_matches("0x"),
            LEDGER.trim_end_matches('B'),
            &format!("{LEDGER}0"),
            &LEDGER.replace('a', "g"),
        ] {
            let error = Asset::new(text, "1").unwrap_err();
            assert_eq!(error.code(), ErrorCode::OptionInvalid, "{text}");
        }
    }

    /// The vectors are also the tests of the service and of the pages.
    #[test]
    fn the_ids_of_the_vectors_differ_as_expected() {
        let vectors = include_str!("../../../tests/vectors/verdict/assets.json");
        let vectors = Value::parse(vectors).unwrap();
        let member = |value: &Value, key: &str| value.as_object().unwrap().get(key).cloned();
        let text = |key: &str| member(&vectors, key).unwrap().as_str().unwrap().to_owned();
        let asset = Asset::new(&text("ledgerId"), &text("assetId")).unwrap();
        let cases = member(&vectors, "cases").unwrap();
        let cases = cases.as_array().unwrap();
        assert!(cases.len() >= 20);
        for case in cases {
            let (ledger, id) = (member(case, "ledgerId"), member(case, "assetId"));
            let found = asset.differences(ledger.as_ref(), id.as_ref());
            let expected = member(case, "differs").unwrap();
            let expects = |name: &str| {
                expected
                    .as_array()
                    .unwrap()
                    .iter()
                    .any(|key| key.as_str() == Some(name))
            };
            assert_eq!(
                (found.ledger, found.id),
                (expects("ledgerId"), expects("assetId")),
                "{case:?}"
            );
        }
    }
}
