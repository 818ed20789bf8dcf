//! Proofs built by hand from blocks of the model. Each imprint is computed from the same tree as its proof, so only the tested rule can
//! refuse the proof.

use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

use crate::model::{Block, Hash, jcs};

/// A block and its hash.
pub(crate) struct Node {
    pub(crate) block: Block,
    pub(crate) hash: Hash,
}

pub(crate) fn sha256(parts: &[&[u8]]) -> Hash {
    let mut hash = Sha256::new();
    parts.iter().for_each(|part| hash.update(part));
    hash.finalize().into()
}

/// Returns an open leaf. Each byte of its key is `number`.
pub(crate) fn leaf(number: u8, value: &Json) -> Node {
    let key = [number; 32];
    Node {
        block: Block::Open(key),
        hash: sha256(&[&[0], &key, jcs(value).as_bytes()]),
    }
}

/// Returns an open void. Each byte of its key is `number`.
pub(crate) fn void(number: u8) -> Node {
    let key = [number; 32];
    Node {
        block: Block::Open(key),
        hash: sha256(&[&[2], &key]),
    }
}

pub(crate) fn hidden(number: u8) -> Node {
    let hash = [number; 32];
    Node {
        block: Block::Hidden(hash),
        hash,
    }
}

pub(crate) fn halves(left: Node, right: Node) -> Node {
    Node {
        hash: sha256(&[&[1], &left.hash, &right.hash]),
        block: Block::Halves(Box::new(left.block), Box::new(right.block)),
    }
}

/// Returns an object that is open in part. `depth` is the depth that its schema should give.
pub(crate) fn object(depth: u8, block: Node) -> Node {
    Node {
        hash: sha256(&[&[3, depth], &block.hash]),
        block: Block::Object(Box::new(block.block)),
    }
}

pub(crate) fn list(depth: u8, block: Node) -> Node {
    Node {
        hash: sha256(&[&[4, depth], &block.hash]),
        block: Block::List(depth.into(), Box::new(block.block)),
    }
}

/// Returns the imprint of a root and its evidence.
pub(crate) fn evidence(schema: &Json, root: &Node) -> (String, Json) {
    let id = sha256(&[jcs(schema).as_bytes()]);
    let imprint = sha256(&[&[5], b"AIH-2", &id, &root.hash]);
    let json = json!({ "profile": "AIH-2", "schemaId": format!("0x{}", digits(&id)), "proof": base64url(&root.block.bytes()) });
    (format!("aih2:{}", digits(&imprint)), json)
}

fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn base64url(bytes: &[u8]) -> String {
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut bits: Vec<u8> = bytes
        .iter()
        .flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1))
        .collect();
    bits.resize(bits.len().next_multiple_of(6), 0);
    let digit = |bits: &[u8]| bits.iter().fold(0, |digit, bit| digit << 1 | bit);
    bits.chunks_exact(6)
        .map(|bits| char::from(digits[usize::from(digit(bits))]))
        .collect()
}

/// Returns the tokens of evidence, without their hashes and keys.
pub(crate) fn text(evidence: &cert_core::aih2::Evidence) -> String {
    let bytes = crate::properties::decoded(evidence);
    let (mut text, mut at) = (vec![], 0);
    while let Some(byte) = bytes.get(at) {
        let (token, length) = match byte {
            b'A' => (format!("A{}", bytes[at + 1]), 2),
            b'H' | b'K' => (char::from(*byte).to_string(), 33),
            other => (char::from(*other).to_string(), 1),
        };
        text.push(token);
        at += length;
    }
    text.join(" ")
}
