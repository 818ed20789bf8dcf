//! Values and proofs as they cross the border, both ways (`pkg/cert/src/pack.js`, `unpack.js`).
//!
//! A call packs what it takes into one piece of bytes: the text of all strings, one after the other; a list of numbers that says what is
//! where, each of four bytes, the lowest first; and how many numbers these are. JSON text would be written and read again character by
//! character on both sides, and would take the tables for reading and writing decimal fractions: JavaScript has written the numbers.
//!
//! A number is `8 × size + kind`. Sizes of text are in UTF-16 code units.
//!
//! | kind | size | is |
//! |---|---|---|
//! | 0 | length | a string |
//! | 1 | length | a number's text, `Infinity` and `NaN` too |
//! | 2 | the number | a whole number |
//! | 3 | 0, 1, 2 | null, true, false |
//! | 3 | 3 | in proofs: nothing |
//! | 3 | another | in proofs: a value that no proof can have |
//! | 4 | count | an array; its elements follow |
//! | 5 | count | an object; keys and values follow in turn |
//! | 6 | length | a key |
//! | 7 | which | a key again; the first one was 0 |
//!
//! One shape is any JSON value, packed so. The other one is a list of proofs, each an array of keys and indexes, an array of nodes, of which
//! index and hash follow in turn, and an array of values, of which index, value and nonce do.

#[cfg(feature = "aih2-verify")]
mod aih2;
#[cfg(feature = "cert")]
mod proofs;
mod read;
#[cfg(feature = "cert")]
mod report;
#[cfg(test)]
#[cfg(feature = "cert")]
mod tests;
mod write;

#[cfg(feature = "cert")]
pub(crate) use proofs::{PackedProofs, pack_proofs};
pub(crate) use read::value;
pub(crate) use write::Writer;

// The kinds of numbers.
const STRING: u32 = 0;
const NUMBER: u32 = 1;
const WHOLE: u32 = 2;
const WORD: u32 = 3;
const ARRAY: u32 = 4;
const OBJECT: u32 = 5;
const KEY: u32 = 6;
const KEY_AGAIN: u32 = 7;

// The words.
const NULL: usize = 0;
const TRUE: usize = 1;
const FALSE: usize = 2;
const ABSENT: usize = 3;

const NUMBER_BYTES: usize = 4;

/// Sizes are below this, so that eight times as much and a kind is a number of 32 bits.
const MAX_SIZE: usize = 1 << 29;

/// The number that a text of digits stands for, if it counts something that a list can hold.
fn index_of(number: &cert_core::Number) -> Option<usize> {
    let index: u32 = number.as_str().parse().ok()?;
    usize::try_from(index).ok().filter(|_| index < u32::MAX)
}
