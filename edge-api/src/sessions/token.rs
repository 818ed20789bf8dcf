//! Tokens: the secrets of sessions and API keys. Only their hashes are stored.

use alloy_primitives::hex;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use crate::ports::Random;

/// Random bytes of a token.
const BYTES: usize = 32;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Session,
    Key,
}

impl Kind {
    /// Returns the prefix of all tokens of this kind. It lets secret scanners recognize leaked tokens.
    fn prefix(self) -> &'static str {
        match self {
            Self::Session => "assay_session_",
            Self::Key => "assay_key_",
        }
    }
}

/// A new token and its hash.
pub(super) struct Token {
    pub(super) text: String,
    pub(super) hash: String,
}

impl Token {
    /// Creates a random token.
    pub(super) fn random(kind: Kind, random: &dyn Random) -> Self {
        let mut bytes = [0; BYTES];
        random.fill(&mut bytes);
        let text = format!("{}{}", kind.prefix(), URL_SAFE_NO_PAD.encode(bytes));
        Self {
            hash: hash(&text),
            text,
        }
    }
}

/// Returns the kind and the hash of a token. Returns `None` if the string does not have the form of a token. The caller then needs no
/// query.
pub(super) fn read(text: &str) -> Option<(Kind, String)> {
    let kind = [Kind::Session, Kind::Key]
        .into_iter()
        .find(|kind| text.starts_with(kind.prefix()))?;
    let bytes = URL_SAFE_NO_PAD.decode(text.strip_prefix(kind.prefix())?);
    let is_token = bytes.is_ok_and(|bytes| bytes.len() == BYTES);
    is_token.then(|| (kind, hash(text)))
}

/// Returns the hash that identifies the row of a session or key. SHA-256 without a salt is enough, because nobody can
/// guess 256 random bits.
fn hash(text: &str) -> String {
    hex::encode(Sha256::digest(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::native::SeededRandom;

    #[test]
    fn only_whole_tokens_are_read() {
        let random = SeededRandom::new(1);
        for kind in [Kind::Session, Kind::Key] {
            let token = Token::random(kind, &random);
            assert_eq!(read(&token.text), Some((kind, token.hash)));
            let text = token.text.as_str();
            let short = text.strip_suffix(|_: char| true).unwrap();
            let unknown = text.replacen("assay_", "other_", 1);
            for other in [
                short,
                &format!("{text}A"),
                &format!(" {text}"),
                &unknown,
                "",
                "assay_key_",
            ] {
                assert_eq!(read(other), None, "{other}");
            }
        }
    }
}
