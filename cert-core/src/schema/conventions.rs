//! The published asset conventions, found by schema id.
//!
//! The texts are data (`conventions/README.md` names their sources). A changed text would have a different id. Therefore, if a ledger names
//! one of these ids, the schema does not have to be fetched.

/// A published text of a convention.
///
/// Ids are `0x` and 64 lower-case hexadecimal digits (`docs/interface.md`, "Asset certificate").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Convention {
    /// The convention's number: 86 for the base asset, 87 for the asset evidence, 88 for the digital collectible.
    pub number: u8,
    /// The id of the text as published.
    pub literal: &'static str,
    /// The id of the text with sorted keys. This id often equals `literal`.
    pub sorted: &'static str,
    /// The schema, as JSON text.
    pub text: &'static str,
}

macro_rules! convention {
    ($number:literal $version:literal $literal:literal $sorted:literal) => {
        Convention {
            number: $number,
            literal: concat!("0x", $literal),
            sorted: concat!("0x", $sorted),
            text: include_str!(concat!(
                "../../conventions/",
                $number,
                "-",
                $version,
                ".json"
            ))
            .trim_ascii_end(),
        }
    };
}

/// Every published text of the three conventions. The newest text of each convention comes last.
pub const CONVENTIONS: &[Convention] = &[
    convention!(
        86 "1.0.0-rc7"
        "50fa12f723c0e93d7c291bbf0c9092ec3eb7aef24761206158bef3dfe79a34e8"
        "50fa12f723c0e93d7c291bbf0c9092ec3eb7aef24761206158bef3dfe79a34e8"
    ),
    convention!(
        86 "1.0.0-rc12"
        "3c065f842bf043fb2380b968b3c22e105daaa24042c25fedc73445fd34f30e71"
        "3c065f842bf043fb2380b968b3c22e105daaa24042c25fedc73445fd34f30e71"
    ),
    convention!(
        86 "2.0.1"
        "84ac8ad143540c0db7c76b3bd5243ea1e454dc217203459d3bd8d419d5ee001b"
        "84ac8ad143540c0db7c76b3bd5243ea1e454dc217203459d3bd8d419d5ee001b"
    ),
    convention!(
        87 "1.0.0-rc7"
        "bb39306753f40d05254f443f716e85b78018b546d12cc6ed9c2769c3bee59ccc"
        "9e02e0cc055e5e3d368feec4f8a4e1cce45603b3fa126deed3cc9781fca920ac"
    ),
    convention!(
        87 "1.0.0-rc12"
        "8fb2992291698b165e7f6b7e43627243767984e3e6ff1b8e7903f59723c94b24"
        "ba47537e90fbfd7e33779556471e9122f3abc33016f96c2234ec29fb57315487"
    ),
    convention!(
        87 "2.0.0-alpha9"
        "89f9bc6a5eb3153867b980dbb7fbf35916a4d321edfe1a73188c2c540282569d"
        "04927a8f59aac2b30ac3700624e8a18aa03c859a87c19ed0243da6baf412d0b1"
    ),
    convention!(
        87 "2.0.1"
        "65c587c0cec34659b6acaba1ea92c0ac104a510fed942b36c3cfdabaa343964a"
        "e3839c6424a083e271d7ee17c6d4c4bf3ce1201a478f3846919497f69b89d69d"
    ),
    convention!(
        88 "1.0.0-rc7"
        "e38873339dc9cbc05cc5f8cc03da910ed57cdaf340b603407d2f8e68a0841905"
        "e38873339dc9cbc05cc5f8cc03da910ed57cdaf340b603407d2f8e68a0841905"
    ),
    convention!(
        88 "1.0.0-rc12"
        "b17216d996781173f5c97e36610d173a85335dfcccf785dcaaf4a3d1f71f5169"
        "b17216d996781173f5c97e36610d173a85335dfcccf785dcaaf4a3d1f71f5169"
    ),
    convention!(
        88 "2.0.1"
        "a8b28cb4542f28ab17dca323aa53eb55aeac2635000848f4d6b36c28427da463"
        "a8b28cb4542f28ab17dca323aa53eb55aeac2635000848f4d6b36c28427da463"
    ),
];

/// Returns the text of the convention with this schema id, literal or sorted. Returns `None` for any other id. Ids are `0x` and 64
/// lower-case hexadecimal digits.
#[must_use]
pub fn convention(id: &str) -> Option<&'static str> {
    CONVENTIONS
        .iter()
        .find(|known| known.literal == id || known.sorted == id)
        .map(|known| known.text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cert, Value, identify, identify_sorted};
    use alloc::format;
    use alloc::string::String;
    use sha2::{Digest, Sha256};

    #[test]
    fn every_text_has_its_ids() {
        assert_eq!(CONVENTIONS.len(), 10);
        for known in CONVENTIONS {
            let hash: String = Sha256::digest(known.text)
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            assert_eq!(known.literal, format!("0x{hash}"), "{}", known.number);
            let schema = Value::parse(known.text).unwrap();
            assert_eq!(known.literal, identify(&schema));
            assert_eq!(known.sorted, identify_sorted(&schema));
            assert!(Cert::new(&schema).is_ok());
        }
    }

    #[test]
    fn each_id_belongs_to_one_text() {
        for (index, known) in CONVENTIONS.iter().enumerate() {
            assert_eq!(convention(known.literal), Some(known.text));
            assert_eq!(convention(known.sorted), Some(known.text));
            for other in &CONVENTIONS[..index] {
                assert!(![other.literal, other.sorted].contains(&known.literal));
                assert!(![other.literal, other.sorted].contains(&known.sorted));
            }
        }
        // npm `@0xcert/conventions` 2.1.1, `schema88`.
        let collectible =
            convention("0xa8b28cb4542f28ab17dca323aa53eb55aeac2635000848f4d6b36c28427da463")
                .unwrap();
        assert!(collectible.contains(r#""title":"Crypto Collectible""#));
    }

    #[test]
    fn malformed_ids_are_unknown() {
        let id = CONVENTIONS[0].literal;
        let digits = id.strip_prefix("0x").unwrap();
        let short = id.split_at(65).0;
        for text in [
            "",
            "0x",
            digits,
            &id.to_uppercase(),
            short,
            &format!("{id}0"),
        ] {
            assert_eq!(convention(text), None, "{text}");
        }
    }
}
