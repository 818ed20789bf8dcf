//! Packs bytes as contracts do: without padding or lengths.

use alloc::vec::Vec;

use crate::types::Address;

/// The preimage of a hash, or a part of it.
#[derive(Default)]
pub(crate) struct Packed(Vec<u8>);

impl Packed {
    /// Adds bytes unchanged.
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// Adds the 20 bytes of an address, or of the zero address for `None`.
    pub(super) fn address(&mut self, address: Option<Address>) {
        match address {
            Some(address) => self.raw(address.as_bytes()),
            None => self.raw(&[0; 20]),
        }
    }

    /// Adds an address as 32 bytes.
    pub(super) fn address_word(&mut self, address: Option<Address>) {
        self.raw(&[0; 12]);
        self.address(address);
    }

    /// Adds a number as 32 bytes.
    pub(super) fn integer(&mut self, number: u64) {
        self.raw(&[0; 24]);
        self.raw(&number.to_be_bytes());
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}
