//! Hashers and noncers: the defaults, and the traits for custom ones.

pub(crate) mod deferred;
mod hmac;
pub(crate) mod keyed;
pub(crate) mod lanes;
pub(crate) mod text;

use alloc::boxed::Box;
use alloc::string::String;

use sha256_lanes::{hash, is_hex};

use crate::aih1::tree::Batch;
use crate::error::{CertError, Failure};
use crate::hash::text::Hash;
use crate::json::number::Digits;
use crate::json::path::{Path, Step};
use crate::json::utf16;
use crate::json::value::Scalar;

/// What a hash is for, as the number that a JavaScript hasher receives (the interface specification,
/// Certification tool operations, option `hasher`: "Merkle tree position").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// A value.
    Value = 0,
    /// A value's hash and its nonce.
    Leaf = 1,
    /// A leaf and the node after it; at the end of a group its last nonce alone.
    Node = 2,
}

/// What to hash.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Input<'a> {
    /// A value of the data, or `None` where it is absent.
    Value(Option<Scalar<'a>>),
    /// What stands for an object or array as a value.
    Imprint(&'a Hash),
    /// The hash of a value, and its nonce.
    Leaf(&'a Hash, &'a Hash),
    /// A leaf, and the node after it.
    Node(&'a Hash, &'a Hash),
    /// The nonce after a group's last value, which makes the group's last node.
    Closing(&'a Hash),
}

impl Input<'_> {
    /// What the hash is for.
    #[must_use]
    pub const fn role(&self) -> Role {
        match self {
            Self::Value(_) | Self::Imprint(_) => Role::Value,
            Self::Leaf(..) => Role::Leaf,
            Self::Node(..) | Self::Closing(_) => Role::Node,
        }
    }

    /// Gives the parts of the text to hash: nothing for absent and null, the string itself, `true`
    /// or `false`, and a number as ECMAScript writes it; of two texts one after the other.
    pub fn feed<'s>(&'s self, mut part: impl FnMut(&'s str)) {
        match self {
            Self::Value(value) => part(value_text(value)),
            Self::Imprint(text) | Self::Closing(text) => part(text),
            Self::Leaf(left, right) | Self::Node(left, right) => {
                part(left);
                part(right);
            }
        }
    }

    /// The text to hash.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        self.feed(|part| text.push_str(part));
        text
    }
}

/// The text that is hashed for a value.
pub(crate) fn value_text<'v>(value: &'v Option<Scalar<'_>>) -> &'v str {
    match value {
        None | Some(Scalar::Null) => "",
        Some(Scalar::Bool(true)) => "true",
        Some(Scalar::Bool(false)) => "false",
        // Numbers that are not finite are refused before anything is hashed.
        Some(Scalar::Number(number)) => number.as_str(),
        Some(Scalar::String(text)) => text,
    }
}

/// Where in the tree a hash or a nonce belongs: a group and a position in it.
#[derive(Clone, Copy, Debug)]
pub struct Location<'a> {
    pub(crate) group: &'a [Step<'a>],
    pub(crate) prefix: &'a str,
    pub(crate) position: usize,
}

impl<'a> Location<'a> {
    pub(crate) fn new(group: &'a [Step<'a>], prefix: &'a str, position: usize) -> Self {
        Self {
            group,
            prefix,
            position,
        }
    }

    /// The path of the object or array that the group stands for.
    #[must_use]
    pub fn group(&self) -> &'a [Step<'a>] {
        self.group
    }

    /// The position in the group: of a value, or one after the last for the group's end.
    #[must_use]
    pub fn position(&self) -> usize {
        self.position
    }

    /// What [`Noncer::extend_prefix`] has gathered on the way to the group; for a hasher nothing.
    #[must_use]
    pub fn prefix(&self) -> &'a str {
        self.prefix
    }

    /// The group's path with the position appended: what JavaScript callbacks receive.
    #[must_use]
    pub fn path(&self) -> Path {
        let mut path = Path::from(self.group);
        path.push(self.position);
        path
    }
}

/// Makes hashes.
///
/// All hashes have to be texts of one length: their texts are joined before they are hashed again, and what evidence says is a hash is
/// refused where it is of another length. Where the hashes that are computed have several lengths, evidence cannot be held to one.
pub trait Hasher {
    /// Hashes the text of `input`, which belongs at `place`.
    ///
    /// # Errors
    /// Whatever the hasher fails with; it becomes the source of an [`ErrorCode::HasherFailed`].
    fn hash(&self, input: Input<'_>, place: Location<'_>) -> Result<Hash, Failure>;

    /// How long every hash is, in UTF-16 code units, as JavaScript counts. `None` where that is not known: then it is the length of
    /// the hashes that are computed.
    fn hash_length(&self) -> Option<usize> {
        None
    }

    /// Whether a text that evidence brings along, given as its bytes, can be one of this hasher's hashes. By default every text of
    /// their length can.
    fn can_be(&self, text: &[u8]) -> bool {
        self.hash_length()
            .is_none_or(|length| utf16::length(text) == length)
    }

    /// Computes the hashes of a batch with these nonces.
    #[doc(hidden)]
    fn all(&self, batch: &mut Batch<'_>, nonces: &[Hash]) -> Result<(), CertError> {
        batch.hash_each(nonces, &|input, place| self.hash(input, place))
    }
}

/// Makes the nonces that keep values from being guessed.
pub trait Noncer {
    /// The nonce of a place. It must be the same whenever it is asked for.
    ///
    /// # Errors
    /// Whatever the noncer fails with; it becomes the source of an [`ErrorCode::NoncerFailed`].
    fn nonce(&self, place: Location<'_>) -> Result<Hash, Failure>;

    /// Appends to [`Location::prefix`] what the noncer wants to know of a step into a group, so that it
    /// need not go through the whole path for every nonce. By default nothing.
    fn extend_prefix(&self, text: &mut String, step: Step<'_>) {
        let _ = (text, step);
    }

    /// How long every nonce is, in UTF-16 code units. `None` where that is not known.
    fn nonce_length(&self) -> Option<usize> {
        None
    }

    /// Whether a nonce is a matter of [`Location::prefix`] and the position alone: those of places that all data has are
    /// made once for all.
    #[doc(hidden)]
    fn path_only(&self) -> bool {
        false
    }

    /// Makes the nonces of a batch.
    #[doc(hidden)]
    fn all(&self, batch: &mut Batch<'_>, nonces: &mut [Hash]) -> Result<(), CertError> {
        let enter = |text: &mut String, step: Step<'_>| self.extend_prefix(text, step);
        batch.nonce_each(nonces, &enter, &|place| self.nonce(place))
    }
}

impl<F> Hasher for F
where
    F: Fn(Input<'_>, Location<'_>) -> Result<String, Failure>,
{
    fn hash(&self, input: Input<'_>, place: Location<'_>) -> Result<Hash, Failure> {
        self(input, place).map(Hash::from)
    }
}

impl<F> Noncer for F
where
    F: Fn(Location<'_>) -> Result<String, Failure>,
{
    fn nonce(&self, place: Location<'_>) -> Result<Hash, Failure> {
        self(place).map(Hash::from)
    }
}

/// One that was chosen while the program runs.
impl Noncer for Box<dyn Noncer> {
    fn nonce(&self, place: Location<'_>) -> Result<Hash, Failure> {
        self.as_ref().nonce(place)
    }

    fn extend_prefix(&self, text: &mut String, step: Step<'_>) {
        self.as_ref().extend_prefix(text, step);
    }

    fn nonce_length(&self) -> Option<usize> {
        self.as_ref().nonce_length()
    }

    fn path_only(&self) -> bool {
        self.as_ref().path_only()
    }

    fn all(&self, batch: &mut Batch<'_>, nonces: &mut [Hash]) -> Result<(), CertError> {
        self.as_ref().all(batch, nonces)
    }
}

/// How long a hash of SHA-256 is as hexadecimal text.
pub(crate) const HEX_LENGTH: usize = 64;

/// The default hasher: SHA-256 of the text, as hexadecimal text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sha256Hasher;

impl Hasher for Sha256Hasher {
    fn hash(&self, input: Input<'_>, _: Location<'_>) -> Result<Hash, Failure> {
        let mut parts = [""; 2];
        let mut places = parts.iter_mut();
        input.feed(|part| {
            if let Some(place) = places.next() {
                *place = part;
            }
        });
        Ok(hash(parts[0].as_bytes(), parts[1].as_bytes()).into())
    }

    fn hash_length(&self) -> Option<usize> {
        Some(HEX_LENGTH)
    }

    fn can_be(&self, text: &[u8]) -> bool {
        is_hex(text)
    }

    fn all(&self, batch: &mut Batch<'_>, nonces: &[Hash]) -> Result<(), CertError> {
        lanes::hash(batch, nonces);
        Ok(())
    }
}

/// SHA-256 of a whole text, as hexadecimal text.
pub(crate) fn sha256(text: &str) -> Hash {
    hash(text.as_bytes(), &[]).into()
}

/// The default noncer: SHA-256 of the path joined with dots.
///
/// These nonces are public. They keep equal values at different places from looking alike, but a
/// value of few possibilities can be guessed from its leaf: see [`KeyedNoncer`](crate::KeyedNoncer).
#[derive(Clone, Copy, Debug, Default)]
pub struct PathNoncer;

impl Noncer for PathNoncer {
    fn nonce(&self, place: Location<'_>) -> Result<Hash, Failure> {
        let index = Digits::new(place.position);
        Ok(hash(place.prefix.as_bytes(), index.as_bytes()).into())
    }

    fn extend_prefix(&self, text: &mut String, step: Step<'_>) {
        match step {
            Step::Key(key) => text.push_str(key),
            Step::Index(index) => text.push_str(Digits::new(index).as_str()),
        }
        text.push('.');
    }

    fn nonce_length(&self) -> Option<usize> {
        Some(HEX_LENGTH)
    }

    fn path_only(&self) -> bool {
        true
    }

    fn all(&self, batch: &mut Batch<'_>, nonces: &mut [Hash]) -> Result<(), CertError> {
        lanes::nonces(batch, nonces, &|text, step| self.extend_prefix(text, step))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sha256_of_abc() {
        // FIPS 180-4, appendix B.1.
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256("abc").as_str(), abc);
    }
}
