//! RLP, the encoding of transactions. Source: the Ethereum yellow paper, appendix B.

use alloc::vec::Vec;

/// The length of an item is written in separate bytes from this length on.
const LONG: usize = 56;

/// The items of a list.
#[derive(Clone, Default)]
pub(super) struct List(Vec<u8>);

impl List {
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        match bytes {
            [byte @ 0..0x80] => self.0.push(*byte),
            _ => {
                header(&mut self.0, 0x80, bytes.len());
                self.0.extend_from_slice(bytes);
            }
        }
    }

    /// Adds a number: its bytes without leading zeros, the most significant byte first.
    pub(super) fn number(&mut self, big_endian: &[u8]) {
        let zeros = big_endian.iter().take_while(|byte| **byte == 0).count();
        self.bytes(big_endian.get(zeros..).unwrap_or_default());
    }

    pub(super) fn integer(&mut self, number: impl Into<u128>) {
        self.number(&number.into().to_be_bytes());
    }

    pub(super) fn list(&mut self, list: &List) {
        self.0.extend(list.encoded());
    }

    pub(super) fn encoded(&self) -> Vec<u8> {
        let mut encoded = Vec::new();
        header(&mut encoded, 0xc0, self.0.len());
        encoded.extend_from_slice(&self.0);
        encoded
    }
}

/// Adds the kind and the length of an item. `kind` is 0x80 for bytes and 0xc0 for lists.
fn header(encoded: &mut Vec<u8>, kind: u8, length: usize) {
    let byte = |count: usize| kind.saturating_add(u8::try_from(count).unwrap_or(u8::MAX));
    if length < LONG {
        encoded.push(byte(length));
        return;
    }
    let bytes = length.to_be_bytes();
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    let digits = bytes.get(zeros..).unwrap_or_default();
    encoded.push(byte(digits.len().saturating_add(LONG).saturating_sub(1)));
    encoded.extend_from_slice(digits);
}
