//! Transactions and their signatures. Sources: EIP-155, EIP-1559, EIP-2718.

use alloc::vec::Vec;

use alloy_primitives::{B256, U256, keccak256};
use alloy_rlp::{Encodable, encode_list};
use k256::ecdsa::{RecoveryId, Signature, VerifyingKey};

use super::calldata::Call;
use crate::claim::{ClaimError, account_of};
use crate::types::Address;

/// The first byte of a transaction with a fee according to EIP-1559.
const DYNAMIC_FEE: u8 = 2;

/// The price of gas, in wei per unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fee {
    /// EIP-1559: at most `max_fee`, of which at most `tip` goes to the block's producer.
    Dynamic {
        /// The maximum, including the tip.
        max_fee: u128,
        /// The maximum for the block's producer.
        tip: u128,
    },
    /// A fixed price, for chains without EIP-1559.
    Legacy {
        /// The price.
        gas_price: u128,
    },
}

/// A transaction that calls a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// The chain. The signature is not valid on any other chain.
    pub chain_id: u64,
    /// The number of transactions that the account has already sent.
    pub nonce: u64,
    /// The maximum units of gas.
    pub gas: u64,
    /// The price of gas.
    pub fee: Fee,
    /// The value to send, in wei.
    pub value: u128,
    /// The contract and the call's data.
    pub call: Call,
}

/// A signature of a transaction, with `s` in the lower half of its range. Nodes refuse signatures with a higher `s` (EIP-2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransactionSignature {
    signature: Signature,
    parity: Parity,
}

/// The parity of the y coordinate of a signature's point. It selects one of the two public keys that fit the signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parity {
    /// The coordinate is even.
    Even,
    /// The coordinate is odd.
    Odd,
}

impl Parity {
    fn is_odd(self) -> bool {
        self == Self::Odd
    }
}

impl TransactionSignature {
    /// Creates the signature with these numbers, the most significant byte first.
    ///
    /// # Errors
    ///
    /// If `r` or `s` is out of range, or `s` is in the upper half.
    pub fn new(
        r: [u8; 32],
        s: [u8; 32],
        parity: Parity,
    ) -> Result<TransactionSignature, ClaimError> {
        let signature = Signature::from_scalars(r, s).map_err(|_| ClaimError::Range)?;
        if signature.normalize_s() != signature {
            return Err(ClaimError::HighS);
        }
        Ok(TransactionSignature { signature, parity })
    }

    /// Returns the account that signed the hash.
    ///
    /// # Errors
    ///
    /// If no public key can be recovered from the signature.
    pub fn recover(&self, signing_hash: &B256) -> Result<Address, ClaimError> {
        let id = RecoveryId::new(self.parity.is_odd(), false);
        VerifyingKey::recover_from_prehash(signing_hash.as_slice(), &self.signature, id)
            .ok()
            .and_then(|key| account_of(&key))
            .ok_or(ClaimError::NotRecoverable)
    }
}

/// A transaction as it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedTransaction {
    /// The transaction's hash, which identifies it on the chain.
    pub hash: B256,
    /// The bytes to send.
    pub raw: Vec<u8>,
}

impl Transaction {
    /// Returns the hash to sign.
    #[must_use]
    pub fn signing_hash(&self) -> B256 {
        keccak256(match self.fee {
            Fee::Dynamic { .. } => self.encoded(&[]),
            Fee::Legacy { .. } => self.encoded(&[&self.chain_id, &0_u8, &0_u8]),
        })
    }

    /// Returns the transaction with its signature.
    #[must_use]
    pub fn signed(&self, by: &TransactionSignature) -> SignedTransaction {
        let is_odd = u128::from(by.parity.is_odd());
        let v = match self.fee {
            Fee::Dynamic { .. } => is_odd,
            Fee::Legacy { .. } => {
                let v = u128::from(self.chain_id).saturating_mul(2);
                v.saturating_add(35).saturating_add(is_odd)
            }
        };
        let (r, s) = by.signature.split_bytes();
        let [r, s] = [r, s].map(|number| U256::from_be_bytes::<32>(number.into()));
        let raw = self.encoded(&[&v, &r, &s]);
        SignedTransaction {
            hash: keccak256(&raw),
            raw,
        }
    }

    /// Signs the transaction. The signature is deterministic (RFC 6979), so signing a transaction twice gives the
    /// same signed transaction.
    #[cfg(any(test, feature = "sign"))]
    #[must_use]
    pub fn sign(&self, key: &crate::claim::PrivateKey) -> SignedTransaction {
        let (signature, is_odd) = key.sign_prehash(&self.signing_hash());
        let parity = if is_odd { Parity::Odd } else { Parity::Even };
        self.signed(&TransactionSignature { signature, parity })
    }

    /// Encodes the fields, and the numbers of the signature after them. The byte of the type is first, except in legacy transactions.
    fn encoded(&self, signature: &[&dyn Encodable]) -> Vec<u8> {
        let to = self.call.to.as_bytes();
        let data = self.call.data.as_slice();
        let access_list: Vec<B256> = Vec::new();
        let call: [&dyn Encodable; 4] = [&self.gas, to, &self.value, &data];
        let mut encoded = Vec::new();
        let mut fields: Vec<&dyn Encodable> = Vec::new();
        match &self.fee {
            Fee::Dynamic { max_fee, tip } => {
                encoded.push(DYNAMIC_FEE);
                fields.extend([&self.chain_id as &dyn Encodable, &self.nonce, tip, max_fee]);
                fields.extend(call);
                fields.push(&access_list);
            }
            Fee::Legacy { gas_price } => {
                fields.extend([&self.nonce as &dyn Encodable, gas_price]);
                fields.extend(call);
            }
        }
        fields.extend(signature);
        encode_list::<_, dyn Encodable>(&fields, &mut encoded);
        encoded
    }
}
