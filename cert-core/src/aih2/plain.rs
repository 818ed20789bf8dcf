//! Hashes open blocks one after the other, with the least code. Keys are derived down the tree, and hashes are computed up the tree.

use alloc::string::String;
use alloc::vec::Vec;

use crate::aih2::formula::{Hash, leaf, node, place, void};
use crate::aih2::tree::{Slot, Tree, place_of};
use crate::json::write;

/// Returns the hash of one slot.
pub(super) fn slot(slot: Slot<'_>) -> Hash {
    let Some((shape, value)) = slot.value else {
        return void(&slot.key);
    };
    match shape.split(value) {
        Some(split) => {
            let (kind, block) = place_of(split, slot.key);
            place(kind, block.level, &tree(block))
        }
        None => {
            let mut text = String::new();
            write::canonical(&mut text, value);
            leaf(&slot.key, &text)
        }
    }
}

/// Returns the hash of one block. Blocks whose right half is a void are hashed in a loop. With recursion, a list in a tree of 2^32 slots
/// would take 32 nested calls. 64 such lists inside each other would overflow the stack of WebAssembly.
pub(super) fn tree(mut block: Tree<'_>) -> Hash {
    if block.count() == 0 {
        return void(&block.key);
    }
    let mut voids = Vec::new();
    let mut hash = loop {
        if block.level == 0 {
            break slot(Slot {
                key: block.key,
                value: block.members.get(block.start),
            });
        }
        let [left, right] = block.halves();
        if right.count() > 0 {
            break node(&tree(left), &tree(right));
        }
        voids.push(right.key);
        block = left;
    };
    for key in voids.iter().rev() {
        hash = node(&hash, &void(key));
    }
    hash
}

/// Returns the hashes of blocks.
pub(super) fn trees(trees: &[Tree<'_>]) -> Vec<Hash> {
    trees.iter().copied().map(tree).collect()
}

#[cfg(all(test, feature = "lanes"))]
mod tests {
    use super::*;
    use crate::aih2::shape::compile;
    use crate::aih2::window;
    use crate::json::value::Value;
    use alloc::format;

    #[test]
    fn plain_and_windowed_hashes_agree() {
        let row =
            r#"{"type":"object","properties":{"a":{},"b":{},"c":{"type":"array","items":{}}}}"#;
        let rows = |max: &str| format!(r#"{{"type":"array","items":{row}{max}}}"#);
        let schema = format!(
            r#"{{"type":"object","properties":{{"x":{},"y":{},"z":{{}}}}}}"#,
            rows(""),
            rows(r#","maxItems":4294967295"#)
        );
        let shape = compile(&Value::parse(&schema).unwrap()).unwrap();
        for count in [0, 1, 2, 3, 20, 63, 64, 65, 130, 200] {
            let items = |item: &dyn Fn(usize) -> String, count: usize| {
                let items: Vec<_> = (0..count).map(item).collect();
                format!("[{}]", items.join(","))
            };
            let row = |at: usize| match at % 5 {
                0 => "null".into(),
                1 => r#"{"b":"a text that takes more than one block of SHA-256"}"#.into(),
                long => format!(
                    r#"{{"a":{at},"c":{}}}"#,
                    items(&|at| format!("{at}"), at % long * 40)
                ),
            };
            let text = format!(
                r#"{{"x":{},"y":{},"z":[1]}}"#,
                items(&row, count),
                items(&row, count / 2)
            );
            let value = Value::parse(&text).unwrap();
            let (key, value) = ([9; 32], Some((&shape, &value)));
            let plain = slot(Slot { key, value });
            assert_eq!(window::slot(Slot { key, value }), plain, "{count}");
        }
    }
}
