//! Hashers and noncers: the defaults, and the traits for custom ones.

use alloc::boxed::Box;
use alloc::string::String;

use sha256_lanes::{hash, is_hex};

use crate::error::{CertError, Failure};
use crate::lanes;
use crate::number::Digits;
use crate::path::{Path, Step};
use crate::plan::Batch;
use crate::text::Text;
use crate::utf16;
use crate::value::Scalar;

/// What a hash is for, as the number that a JavaScript hasher receives (the interface specification,
/// Certification tool operations, option `hasher`: "Merkle tree position").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Position {
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
    Imprint(&'a Text),
    /// The hash of a value, and its nonce.
    Leaf(&'a Text, &'a Text),
    /// A leaf, and the node after it.
    Node(&'a Text, &'a Text),
    /// The nonce after a group's last value, which makes the group's last node.
    End(&'a Text),
}

impl Input<'_> {
    /// What the hash is for.
    #[must_use]
    pub const fn position(&self) -> Position {
        match self {
            Self::Value(_) | Self::Imprint(_) => Position::Value,
            Self::Leaf(..) => Position::Leaf,
            Self::Node(..) | Self::End(_) => Position::Node,
        }
    }

    /// Gives the parts of the text to hash: nothing for absent and null, the string itself, `true`
    /// or `false`, and a number as ECMAScript writes it; of two texts one after the other.
    pub fn feed<'s>(&'s self, mut part: impl FnMut(&'s str)) {
        match self {
            Self::Value(value) => part(value_text(value)),
            Self::Imprint(text) | Self::End(text) => part(text),
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
pub struct Place<'a> {
    pub(crate) group: &'a [Step<'a>],
    pub(crate) text: &'a str,
    pub(crate) index: usize,
}

impl<'a> Place<'a> {
    pub(crate) fn new(group: &'a [Step<'a>], text: &'a str, index: usize) -> Self {
        Self { group, text, index }
    }

    /// The path of the object or array that the group stands for.
    #[must_use]
    pub fn group(&self) -> &'a [Step<'a>] {
        self.group
    }

    /// The position in the group: of a value, or one after the last for the group's end.
    #[must_use]
    pub fn index(&self) -> usize {
        self.index
    }

    /// What [`Noncer::enter`] has gathered on the way to the group; for a hasher nothing.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// The group's path with the position appended: what JavaScript callbacks receive.
    #[must_use]
    pub fn path(&self) -> Path {
        let mut path = Path::from(self.group);
        path.push(self.index);
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
    fn hash(&self, input: Input<'_>, place: Place<'_>) -> Result<Text, Failure>;

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
    fn all(&self, batch: &mut Batch<'_>, nonces: &[Text]) -> Result<(), CertError> {
        batch.hash_each(nonces, &|input, place| self.hash(input, place))
    }
}

/// Makes the nonces that keep values from being guessed.
pub trait Noncer {
    /// The nonce of a place. It must be the same whenever it is asked for.
    ///
    /// # Errors
    /// Whatever the noncer fails with; it becomes the source of an [`ErrorCode::NoncerFailed`].
    fn nonce(&self, place: Place<'_>) -> Result<Text, Failure>;

    /// Appends to [`Place::text`] what the noncer wants to know of a step into a group, so that it
    /// need not go through the whole path for every nonce. By default nothing.
    fn enter(&self, text: &mut String, step: Step<'_>) {
        let _ = (text, step);
    }

    /// How long every nonce is, in UTF-16 code units. `None` where that is not known.
    fn nonce_length(&self) -> Option<usize> {
        None
    }

    /// Whether a nonce is a matter of [`Place::text`] and the position alone: those of places that all data has are
    /// made once for all.
    #[doc(hidden)]
    fn is_fixed(&self) -> bool {
        false
    }

    /// Makes the nonces of a batch.
    #[doc(hidden)]
    fn all(&self, batch: &mut Batch<'_>, nonces: &mut [Text]) -> Result<(), CertError> {
        let enter = |text: &mut String, step: Step<'_>| self.enter(text, step);
        batch.nonce_each(nonces, &enter, &|place| self.nonce(place))
    }
}

impl<F> Hasher for F
where
    F: Fn(Input<'_>, Place<'_>) -> Result<String, Failure>,
{
    fn hash(&self, input: Input<'_>, place: Place<'_>) -> Result<Text, Failure> {
        self(input, place).map(Text::from)
    }
}

impl<F> Noncer for F
where
    F: Fn(Place<'_>) -> Result<String, Failure>,
{
    fn nonce(&self, place: Place<'_>) -> Result<Text, Failure> {
        self(place).map(Text::from)
    }
}

/// One that was chosen while the program runs.
impl Noncer for Box<dyn Noncer> {
    fn nonce(&self, place: Place<'_>) -> Result<Text, Failure> {
        self.as_ref().nonce(place)
    }

    fn enter(&self, text: &mut String, step: Step<'_>) {
        self.as_ref().enter(text, step);
    }

    fn nonce_length(&self) -> Option<usize> {
        self.as_ref().nonce_length()
    }

    fn is_fixed(&self) -> bool {
        self.as_ref().is_fixed()
    }

    fn all(&self, batch: &mut Batch<'_>, nonces: &mut [Text]) -> Result<(), CertError> {
        self.as_ref().all(batch, nonces)
    }
}

/// How long a hash of SHA-256 is as hexadecimal text.
pub(crate) const HEX_LENGTH: usize = 64;

/// The default hasher: SHA-256 of the text, as hexadecimal text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sha256Hasher;

impl Hasher for Sha256Hasher {
    fn hash(&self, input: Input<'_>, _: Place<'_>) -> Result<Text, Failure> {
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

    fn all(&self, batch: &mut Batch<'_>, nonces: &[Text]) -> Result<(), CertError> {
        lanes::hash(batch, nonces);
        Ok(())
    }
}

/// SHA-256 of a whole text, as hexadecimal text.
pub(crate) fn sha256(text: &str) -> Text {
    hash(text.as_bytes(), &[]).into()
}

/// The default noncer: SHA-256 of the path joined with dots.
///
/// These nonces are public. They keep equal values at different places from looking alike, but a
/// value of few possibilities can be guessed from its leaf: see [`KeyedNoncer`](crate::KeyedNoncer).
#[derive(Clone, Copy, Debug, Default)]
pub struct PathNoncer;

impl Noncer for PathNoncer {
    fn nonce(&self, place: Place<'_>) -> Result<Text, Failure> {
        let index = Digits::new(place.index);
        Ok(hash(place.text.as_bytes(), index.as_bytes()).into())
    }

    fn enter(&self, text: &mut String, step: Step<'_>) {
        match step {
            Step::Key(key) => text.push_str(key),
            Step::Index(index) => text.push_str(Digits::new(index).as_str()),
        }
        text.push('.');
    }

    fn nonce_length(&self) -> Option<usize> {
        Some(HEX_LENGTH)
    }

    fn is_fixed(&self) -> bool {
        true
    }

    fn all(&self, batch: &mut Batch<'_>, nonces: &mut [Text]) -> Result<(), CertError> {
        lanes::nonces(batch, nonces, &|text, step| self.enter(text, step))
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
