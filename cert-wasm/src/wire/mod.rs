//! The packed format of values and proofs that are passed between JavaScript and WebAssembly (`pkg/cert/src/pack.js`, `unpack.js`).
//!
//! A packed value is one byte array. It contains the text of all strings, then a list of numbers that describes the structure, then the
//! count of these numbers. Each number has four bytes, little-endian. JSON text would have to be written and parsed on both sides,
//! character by character. JSON would also need code and tables for decimal fractions. In this format, JavaScript has already written
//! fractions as text.
//!
//! A number is `8 × size + kind`. Sizes of text are in UTF-16 code units.
//!
//! | kind | size | meaning |
//! |---|---|---|
//! | 0 | length | a string |
//! | 1 | length | a number's text, including `Infinity` and `NaN` |
//! | 2 | the number | a whole number |
//! | 3 | 0, 1, 2 | null, true, false |
//! | 3 | 3 | in proofs: an absent value |
//! | 3 | above 3 | in proofs: a value that proofs cannot contain |
//! | 4 | count | an array; its elements follow |
//! | 5 | count | an object; keys and values follow in turn |
//! | 6 | length | a key |
//! | 7 | number | a repeated key, by its number; the keys of kind 6 are numbered from 0 |
//!
//! There are two shapes: any JSON value, and a list of proofs. A proof is three arrays: its path of keys and indexes, its nodes, and its
//! values. A node is written as its index and its hash, a value as its index, the value itself and its nonce.
//! See `docs/decisions/0009-border-to-javascript.md`.

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
#[cfg(any(feature = "cert", feature = "aih2-verify"))]
mod verdict;
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

// The sizes of the kind `WORD`.
const NULL: usize = 0;
const TRUE: usize = 1;
const FALSE: usize = 2;
const ABSENT: usize = 3;

const NUMBER_BYTES: usize = 4;

/// Sizes are below this bound, so eight times a size plus a kind fits in 32 bits.
const MAX_SIZE: usize = 1 << 29;

/// Returns the number as an index. `None` unless it is a whole number from 0 to below 2^32 − 1.
fn index_of(number: &cert_core::Number) -> Option<usize> {
    let index: u32 = number.as_str().parse().ok()?;
    usize::try_from(index).ok().filter(|_| index < u32::MAX)
}
