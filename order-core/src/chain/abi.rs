//! The ABI of contracts: values as words of 32 bytes. Source: the Solidity documentation, "Contract ABI Specification".

use alloc::string::String;
use alloc::vec::Vec;

use crate::types::Address;

pub(super) type Word = [u8; 32];

/// A tuple that is being encoded. Its words come first. A value of variable length is a tail after the words, and the word at its index is
/// the tail's offset.
#[derive(Default)]
pub(super) struct Tuple(Vec<Part>);

enum Part {
    Word(Word),
    Tail(Vec<u8>),
}

impl Tuple {
    pub(super) fn word(mut self, word: Word) -> Self {
        self.0.push(Part::Word(word));
        self
    }

    pub(super) fn integer(self, number: u64) -> Self {
        self.word(integer(number))
    }

    /// Adds an address, or the zero address for `None`.
    pub(super) fn address(self, address: Option<Address>) -> Self {
        self.word(address_word(address))
    }

    /// Adds a value of variable length that is already encoded.
    pub(super) fn tail(mut self, encoded: Vec<u8>) -> Self {
        self.0.push(Part::Tail(encoded));
        self
    }

    pub(super) fn encoded(self) -> Vec<u8> {
        let mut words = Vec::new();
        let mut tails = Vec::new();
        let head = self.0.len().saturating_mul(32);
        for part in self.0 {
            match part {
                Part::Word(word) => words.extend(word),
                Part::Tail(tail) => {
                    words.extend(length(head.saturating_add(tails.len())));
                    tails.extend(tail);
                }
            }
        }
        words.append(&mut tails);
        words
    }
}

/// Encodes `bytes` or a `string`.
pub(super) fn bytes(bytes: &[u8]) -> Vec<u8> {
    let mut encoded = Vec::from(length(bytes.len()));
    encoded.extend(bytes);
    encoded.resize(encoded.len().next_multiple_of(32), 0);
    encoded
}

/// Encodes an array whose items have a fixed length of one or more words.
pub(super) fn array<I: AsRef<[Word]>>(items: impl ExactSizeIterator<Item = I>) -> Vec<u8> {
    let mut encoded = Vec::from(length(items.len()));
    for item in items {
        encoded.extend(item.as_ref().as_flattened());
    }
    encoded
}

/// Encodes an array of encoded items of variable length.
pub(super) fn array_of_tails(items: impl ExactSizeIterator<Item = Vec<u8>>) -> Vec<u8> {
    let mut encoded = Vec::from(length(items.len()));
    encoded.extend(items.fold(Tuple::default(), Tuple::tail).encoded());
    encoded
}

pub(super) fn integer(number: u64) -> Word {
    let mut word = [0; 32];
    let [.., a, b, c, d, e, f, g, h] = &mut word;
    for (byte, value) in [a, b, c, d, e, f, g, h]
        .into_iter()
        .zip(number.to_be_bytes())
    {
        *byte = value;
    }
    word
}

pub(super) fn address_word(address: Option<Address>) -> Word {
    address.map_or([0; 32], |address| {
        alloy_primitives::Address::from(*address.as_bytes())
            .into_word()
            .0
    })
}

fn length(bytes: usize) -> Word {
    integer(u64::try_from(bytes).unwrap_or(u64::MAX))
}

/// Reads exactly `N` words. `None` if the data has another length.
pub(super) fn words<const N: usize>(data: &[u8]) -> Option<[Word; N]> {
    let (words, rest) = data.as_chunks::<32>();
    words.try_into().ok().filter(|_| rest.is_empty())
}

/// Reads an address. The outer `None` means that the word is not an address. The inner `None` is the zero address.
#[expect(
    clippy::option_option,
    reason = "the outer and the inner `None` have different meanings"
)]
pub(super) fn read_address(word: &Word) -> Option<Option<Address>> {
    let (zeros, address) = word.split_first_chunk::<12>()?;
    let address: [u8; 20] = address.try_into().ok()?;
    (*zeros == [0; 12]).then(|| Address::from_bytes(address))
}

/// Reads a number. `None` if it has more than 64 bits.
pub(super) fn read_integer(word: &Word) -> Option<u64> {
    let (zeros, number) = word.split_first_chunk::<24>()?;
    let number: [u8; 8] = number.try_into().ok()?;
    (*zeros == [0; 24]).then(|| u64::from_be_bytes(number))
}

pub(super) fn read_bool(word: &Word) -> Option<bool> {
    match read_integer(word)? {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}

/// Returns the first `N` words of a tuple. `None` if the tuple is shorter.
pub(super) fn head<const N: usize>(tuple: &[u8]) -> Option<&[Word; N]> {
    tuple.as_chunks().0.first_chunk()
}

/// Returns the rest of a tuple from the offset in its word at `index`. `None` if there is no such word, or if the offset is after the end.
///
/// Contracts accept arguments whose tails overlap or have gaps, so this function does, too. The result is never longer than the tuple.
pub(super) fn tail(tuple: &[u8], index: usize) -> Option<&[u8]> {
    let (words, _) = tuple.as_chunks();
    let offset = usize::try_from(read_integer(words.get(index)?)?).ok()?;
    tuple.get(offset..)
}

/// Returns the length at the start of a tail, and the data after it.
fn with_length(tail: &[u8]) -> Option<(usize, &[u8])> {
    let (length, rest) = tail.split_first_chunk()?;
    Some((usize::try_from(read_integer(length)?).ok()?, rest))
}

/// Reads the tail of `bytes` or of a `string`. Like contracts, ignores the bytes after its end.
pub(super) fn content(tail: &[u8]) -> Option<&[u8]> {
    let (length, rest) = with_length(tail)?;
    rest.get(..length)
}

/// Reads the tail of an array of words.
pub(super) fn items(tail: &[u8]) -> Option<&[Word]> {
    let (length, rest) = with_length(tail)?;
    rest.as_chunks().0.get(..length)
}

/// Reads the bytes whose offset is the first word of `data`.
pub(super) fn read_bytes(data: &[u8]) -> Option<&[u8]> {
    content(tail(data, 0)?)
}

/// Returns the bytes as text. `None` if they are not UTF-8, or have more than `most` characters.
pub(super) fn text(bytes: &[u8], most: usize) -> Option<String> {
    let text = core::str::from_utf8(bytes).ok()?;
    (text.chars().count() <= most).then(|| text.into())
}

/// Reads an encoding from its first byte to its last.
///
/// Contracts write each answer in one form only: tails in the order of their offsets without gaps, and zeros after the bytes of a tail. Any
/// other form is refused, so a tail is never read twice.
pub(super) struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    pub(super) fn new(data: &'a [u8]) -> Self {
        Cursor(data)
    }

    pub(super) fn word(&mut self) -> Option<&'a Word> {
        let (word, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(word)
    }

    /// Reads a word that has to be `number`: an offset or a length.
    pub(super) fn exactly(&mut self, number: usize) -> Option<()> {
        (*self.word()? == length(number)).then_some(())
    }

    /// Reads `bytes` or a `string`: its length, and its bytes with the zeros after them.
    pub(super) fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(read_integer(self.word()?)?).ok()?;
        let padded = length.checked_next_multiple_of(32)?;
        let (padded, rest) = self.0.split_at_checked(padded)?;
        let (bytes, zeros) = padded.split_at_checked(length)?;
        self.0 = rest;
        zeros.iter().all(|byte| *byte == 0).then_some(bytes)
    }

    /// Returns the number of bytes that are not read yet.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }
}
