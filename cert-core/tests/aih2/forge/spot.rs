//! Chooses spots to tamper with: blocks of a proof and shown values.

use serde_json::{Value as Json, json};

use crate::forge::exhibit::Forgery;
use crate::model::Block;
use crate::random::Random;

/// Returns one of the matching blocks, or `None` if no block matches.
pub(crate) fn block<'b>(
    random: &mut Random,
    root: &'b mut Block,
    is_meant: fn(&Block) -> bool,
) -> Option<&'b mut Block> {
    let count = count(root, is_meant);
    let mut number = random.below(count.max(1));
    nth(root, is_meant, &mut number)
}

fn count(block: &Block, is_meant: fn(&Block) -> bool) -> usize {
    let below = match block {
        Block::Hidden(_) | Block::Open(_) => 0,
        Block::Halves(left, right) => count(left, is_meant) + count(right, is_meant),
        Block::Object(block) | Block::List(_, block) => count(block, is_meant),
    };
    below + usize::from(is_meant(block))
}

fn nth<'b>(
    block: &'b mut Block,
    is_meant: fn(&Block) -> bool,
    number: &mut usize,
) -> Option<&'b mut Block> {
    if is_meant(block) {
        if *number == 0 {
            return Some(block);
        }
        *number -= 1;
    }
    match block {
        Block::Hidden(_) | Block::Open(_) => None,
        Block::Halves(left, right) => {
            nth(left, is_meant, number).or_else(|| nth(right, is_meant, number))
        }
        Block::Object(block) | Block::List(_, block) => nth(block, is_meant, number),
    }
}

pub(crate) fn is_hidden(block: &Block) -> bool {
    matches!(block, Block::Hidden(_))
}

pub(crate) fn is_open(block: &Block) -> bool {
    matches!(block, Block::Open(_))
}

pub(crate) fn is_halves(block: &Block) -> bool {
    matches!(block, Block::Halves(..))
}

pub(crate) fn is_object(block: &Block) -> bool {
    matches!(block, Block::Object(_))
}

pub(crate) fn is_list(block: &Block) -> bool {
    matches!(block, Block::List(..))
}

/// Changes the value at a path in both the pairs and the document.
pub(crate) fn change(forgery: &mut Forgery, path: &[Json], change: &dyn Fn(&mut Json)) {
    if let Some(value) = at_mut(&mut forgery.document, path) {
        change(value);
    }
    for (start, value) in &mut forgery.pairs {
        if let Some(below) = path.strip_prefix(start.as_slice())
            && let Some(value) = at_mut(value, below)
        {
            change(value);
        }
    }
}

fn at_mut<'v>(value: &'v mut Json, path: &[Json]) -> Option<&'v mut Json> {
    path.iter().try_fold(value, |value, step| match step {
        Json::String(key) => value.get_mut(key),
        index => value.get_mut(usize::try_from(index.as_u64()?).ok()?),
    })
}

pub(crate) fn at<'v>(value: &'v Json, path: &[Json]) -> Option<&'v Json> {
    path.iter().try_fold(value, |value, step| match step {
        Json::String(key) => value.get(key),
        index => value.get(usize::try_from(index.as_u64()?).ok()?),
    })
}

/// Returns the paths of all matching values in a document.
pub(crate) fn paths(document: &Json, is_meant: fn(&Json) -> bool) -> Vec<Vec<Json>> {
    let mut all = vec![];
    collect(document, is_meant, &mut vec![], &mut all);
    all
}

fn collect(
    value: &Json,
    is_meant: fn(&Json) -> bool,
    path: &mut Vec<Json>,
    all: &mut Vec<Vec<Json>>,
) {
    if is_meant(value) {
        all.push(path.clone());
    }
    let below: Vec<(Json, &Json)> = match value {
        Json::Array(items) => items
            .iter()
            .enumerate()
            .map(|(at, item)| (json!(at), item))
            .collect(),
        Json::Object(object) => object
            .iter()
            .map(|(key, value)| (json!(key), value))
            .collect(),
        _ => vec![],
    };
    for (step, value) in below {
        path.push(step);
        collect(value, is_meant, path, all);
        path.pop();
    }
}

/// Returns the path of one of the matching values, or `None` if no value matches.
pub(crate) fn path(
    random: &mut Random,
    document: &Json,
    is_meant: fn(&Json) -> bool,
) -> Option<Vec<Json>> {
    let all = paths(document, is_meant);
    (!all.is_empty()).then(|| random.pick(&all).clone())
}
