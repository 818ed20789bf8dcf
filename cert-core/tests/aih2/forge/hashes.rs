//! Kinds of tampering with hashes, keys and bytes.

use crate::forge::Tamper;
use crate::forge::exhibit::{Exhibit, Forgery};
use crate::forge::spot::{block, is_halves, is_hidden, is_open};
use crate::model::{Block, halves, sha256};
use crate::random::Random;

pub(crate) const KINDS: &[(&str, Tamper)] = &[
    ("present the hash of a hidden block as its key", hash_as_key),
    ("present the key of an open block as its hash", key_as_hash),
    ("hide a block whose value is shown", open_as_hash),
    ("change the hash of a hidden block", another_hash),
    ("change the key of an open block", another_key),
    ("present a hidden block as void", void_for_hidden),
    (
        "open a block with the key of one of its halves",
        half_for_whole,
    ),
    ("replace a block with its open half", whole_for_half),
    ("swap the halves of a block", swapped_keys),
    ("present the left half as both halves", one_key_twice),
    ("cut the proof short", cut_short),
    ("append tokens to the proof", goes_on),
    ("change a byte of the proof", another_byte),
    ("insert a byte into the proof", one_more_byte),
    ("change the kind of a token", another_token),
    ("use a proof made under another key", stale_proof),
    ("use a block made under another key", stale_block),
    ("continue with the tokens of another proof", spliced),
];

/// Presents the hash of a hidden block as the key that opens it.
fn hash_as_key(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let spot = block(random, &mut forgery.block, is_hidden)?;
    let Block::Hidden(hash) = *spot else {
        return None;
    };
    *spot = Block::Open(hash);
    Some(())
}

/// Presents the key of a block as its hash, so the values of the block need not be shown.
fn key_as_hash(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let spot = block(random, &mut forgery.block, is_open)?;
    let Block::Open(key) = *spot else { return None };
    *spot = Block::Hidden(key);
    Some(())
}

/// Replaces an open block with the hash of a void, which a forger can compute, and still shows the block's values.
fn open_as_hash(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let spot = block(random, &mut forgery.block, is_open)?;
    let Block::Open(key) = *spot else { return None };
    *spot = Block::Hidden(sha256(&[&[2], &key]));
    Some(())
}

/// Gives a hidden block another hash.
fn another_hash(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let spot = block(random, &mut forgery.block, is_hidden)?;
    let Block::Hidden(hash) = spot else {
        return None;
    };
    hash[random.below(32)] ^= 1 << random.below(8);
    Some(())
}

/// Gives an open block another key.
fn another_key(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let spot = block(random, &mut forgery.block, is_open)?;
    let Block::Open(key) = spot else { return None };
    key[random.below(32)] ^= 1 << random.below(8);
    Some(())
}

/// Presents a hidden block as void, opened by a key that the forger made up.
fn void_for_hidden(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    *block(random, &mut forgery.block, is_hidden)? = Block::Open(random.bytes());
    Some(())
}

/// Gives an open block the key of one of its halves.
fn half_for_whole(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let spot = block(random, &mut forgery.block, is_open)?;
    let Block::Open(key) = *spot else { return None };
    *spot = Block::Open(*random.pick(&halves(&key)));
    Some(())
}

/// Gives a block the key of its open half.
fn whole_for_half(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let spot = block(random, &mut forgery.block, |block| match block {
        Block::Halves(left, right) => is_open(left) || is_open(right),
        _ => false,
    })?;
    let Block::Halves(left, right) = &*spot else {
        return None;
    };
    let half = if is_open(left) { left } else { right };
    *spot = Block::clone(half);
    Some(())
}

/// Swaps the halves of a block. In an open block, these are the halves under the derived keys.
fn swapped_keys(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let spot = block(random, &mut forgery.block, |block| {
        is_halves(block) || is_open(block)
    })?;
    match spot {
        Block::Halves(left, right) => std::mem::swap(left, right),
        Block::Open(key) => {
            let [left, right] = halves(key).map(|key| Box::new(Block::Open(key)));
            *spot = Block::Halves(right, left);
        }
        _ => return None,
    }
    Some(())
}

/// Presents the left half of a block as the right half, too.
fn one_key_twice(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let spot = block(random, &mut forgery.block, is_halves)?;
    let Block::Halves(left, right) = spot else {
        return None;
    };
    *right = left.clone();
    Some(())
}

fn cut_short(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let mut bytes = forgery.block.bytes();
    bytes.truncate(random.below(bytes.len()));
    forgery.bytes = Some(bytes);
    Some(())
}

fn goes_on(random: &mut Random, exhibit: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let mut bytes = forgery.block.bytes();
    let more = exhibit.other.block.bytes();
    bytes.extend(&more[..1 + random.below(more.len())]);
    forgery.bytes = Some(bytes);
    Some(())
}

fn another_byte(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let mut bytes = forgery.block.bytes();
    let at = random.below(bytes.len());
    bytes[at] ^= 1 << random.below(8);
    forgery.bytes = Some(bytes);
    Some(())
}

fn one_more_byte(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let mut bytes = forgery.block.bytes();
    bytes.insert(
        random.below(bytes.len()),
        *random.pick(b"HKNOA\x00\x01\x20\x21\xff"),
    );
    forgery.bytes = Some(bytes);
    Some(())
}

fn another_token(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let mut bytes = forgery.block.bytes();
    let mut starts = vec![];
    let mut at = 0;
    while at < bytes.len() {
        starts.push(at);
        at += match bytes[at] {
            b'H' | b'K' => 33,
            b'A' => 2,
            _ => 1,
        };
    }
    let at = *random.pick(&starts);
    bytes[at] = *random.pick(b"HKNOA");
    forgery.bytes = Some(bytes);
    Some(())
}

/// Presents a proof made under another key as the proof of this document.
fn stale_proof(_: &mut Random, exhibit: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    forgery.block = exhibit.stale.block.clone();
    Some(())
}

/// Presents a block made under another key as the block in the same place.
fn stale_block(random: &mut Random, exhibit: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let mut number = random.below(64);
    replace_nth(&mut forgery.block, &exhibit.stale.block, &mut number)
}

/// Replaces the block with this number. Both proofs have the same shape. Returns `None` if there is no such block.
fn replace_nth(block: &mut Block, other: &Block, number: &mut usize) -> Option<()> {
    if *number == 0 {
        *block = other.clone();
        return Some(());
    }
    *number -= 1;
    match (block, other) {
        (Block::Halves(left, right), Block::Halves(other_left, other_right)) => {
            replace_nth(left, other_left, number)
                .or_else(|| replace_nth(right, other_right, number))
        }
        (Block::Object(block), Block::Object(other))
        | (Block::List(_, block), Block::List(_, other)) => replace_nth(block, other, number),
        _ => None,
    }
}

/// Continues a proof with the tokens of another proof of the same document.
fn spliced(random: &mut Random, exhibit: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let (mut bytes, other) = (forgery.block.bytes(), exhibit.other.block.bytes());
    let at = random.below(bytes.len());
    bytes.truncate(at);
    bytes.extend(&other[random.below(other.len())..]);
    forgery.bytes = Some(bytes);
    Some(())
}
