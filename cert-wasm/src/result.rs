//! Results as JavaScript takes them (`pkg/cert/src/results.js`): bytes, and one after them that says whether they are an error.

use alloc::vec::Vec;

use cert_core::{CertError, pack_error};

/// A result.
pub(crate) fn given(result: Result<Vec<u8>, CertError>) -> Vec<u8> {
    match result {
        Ok(mut bytes) => {
            bytes.push(0);
            bytes
        }
        Err(error) => thrown(&error),
    }
}

/// An error, packed.
pub(crate) fn thrown(error: &CertError) -> Vec<u8> {
    let mut bytes = pack_error(error);
    bytes.push(1);
    bytes
}
