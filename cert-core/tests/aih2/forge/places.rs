//! Kinds of tampering with objects and lists, with their depths and ends, and with the schema.

use serde_json::{Value as Json, json};

use cert_core::Value;
use cert_core::aih2::Cert;

use crate::forge::Tamper;
use crate::forge::exhibit::{Exhibit, Forgery};
use crate::forge::spot::{
    block, change, is_halves, is_hidden, is_list, is_object, is_open, path, paths,
};
use crate::model::Block;
use crate::random::Random;

pub(crate) const KINDS: &[(&str, Tamper)] = &[
    ("present an object as a list", object_as_list),
    ("present a list as an object", list_as_object),
    ("change the depth of a list", another_depth),
    ("double the slots of a list", deeper),
    ("present the first half of a list as the whole", shallower),
    ("present an object or list as one open leaf", place_as_leaf),
    (
        "replace an object or list with the block inside it",
        place_left_out,
    ),
    ("wrap a block in an object or list", place_nested),
    ("present two halves as one leaf", node_as_leaf),
    ("split a slot into halves", halves_of_slot),
    ("split a hidden block into halves", hidden_as_halves),
    ("replace a block with one from elsewhere", moved_block),
    ("end a list before its hidden block", ends_before_hidden),
    ("hide both halves of a block", hidden_twice),
    ("hide the root", hidden_root),
    ("present a list as empty", emptied),
    (
        "swap two properties of the schema and add one",
        renamed_schema,
    ),
    ("change maxItems in the schema", other_max_items),
    ("use a schema that does not split a value", unsplit_schema),
    ("change the schema id in the evidence", other_id),
];

fn object_as_list(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let spot = block(random, &mut forgery.block, is_object)?;
    let Block::Object(inner) = &*spot else {
        return None;
    };
    *spot = Block::List(random.below(4) as u32, inner.clone());
    Some(())
}

fn list_as_object(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let spot = block(random, &mut forgery.block, is_list)?;
    let Block::List(_, inner) = &*spot else {
        return None;
    };
    *spot = Block::Object(inner.clone());
    Some(())
}

fn another_depth(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let spot = block(random, &mut forgery.block, is_list)?;
    let Block::List(depth, _) = spot else {
        return None;
    };
    let others = [*depth + 1, depth.saturating_sub(1), 0, 32, 33, 255];
    *depth = *random.pick(&others);
    Some(())
}

/// Presents the block of all slots as the left half of a larger block.
fn deeper(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let spot = block(random, &mut forgery.block, is_list)?;
    let Block::List(depth, inner) = &*spot else {
        return None;
    };
    let more = match random.below(2) {
        0 => Block::Hidden(random.bytes()),
        _ => Block::Open(random.bytes()),
    };
    *spot = Block::List(
        depth + 1,
        Box::new(Block::Halves(inner.clone(), Box::new(more))),
    );
    Some(())
}

fn shallower(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let spot = block(
        random,
        &mut forgery.block,
        |block| matches!(block, Block::List(_, inner) if is_halves(inner)),
    )?;
    let Block::List(depth, inner) = &*spot else {
        return None;
    };
    let Block::Halves(left, _) = &**inner else {
        return None;
    };
    *spot = Block::List(depth.saturating_sub(1), left.clone());
    Some(())
}

/// Presents an object or list as one leaf, opened by a random key.
fn place_as_leaf(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let spot = block(random, &mut forgery.block, |block| {
        is_object(block) || is_list(block)
    })?;
    *spot = Block::Open(random.bytes());
    Some(())
}

fn place_left_out(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let spot = block(random, &mut forgery.block, |block| {
        is_object(block) || is_list(block)
    })?;
    let (Block::Object(inner) | Block::List(_, inner)) = &*spot else {
        return None;
    };
    *spot = Block::clone(inner);
    Some(())
}

fn place_nested(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let spot = block(random, &mut forgery.block, |_| true)?;
    let inner = Box::new(spot.clone());
    *spot = match random.below(2) {
        0 => Block::Object(inner),
        _ => Block::List(0, inner),
    };
    Some(())
}

/// Presents a node as a leaf. The hash of the node's hidden half is used as the leaf's key.
fn node_as_leaf(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let spot = block(random, &mut forgery.block, |block| match block {
        Block::Halves(left, right) => is_hidden(left) || is_hidden(right),
        _ => false,
    })?;
    let Block::Halves(left, right) = &*spot else {
        return None;
    };
    let ((Block::Hidden(hash), _) | (_, Block::Hidden(hash))) = (&**left, &**right) else {
        return None;
    };
    *spot = Block::Open(*hash);
    Some(())
}

fn halves_of_slot(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let spot = block(random, &mut forgery.block, |block| {
        is_open(block) || is_object(block) || is_list(block)
    })?;
    *spot = Block::Halves(
        Box::new(spot.clone()),
        Box::new(Block::Hidden(random.bytes())),
    );
    Some(())
}

/// Presents a hidden block as a node of two halves: the block itself and an open block.
fn hidden_as_halves(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let spot = block(random, &mut forgery.block, is_hidden)?;
    let key = random.bytes();
    *spot = Block::Halves(Box::new(spot.clone()), Box::new(Block::Open(key)));
    Some(())
}

/// Replaces a block with one from elsewhere in the proof, or from another proof of the document.
fn moved_block(random: &mut Random, exhibit: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let mut from = match random.below(2) {
        0 => forgery.block.clone(),
        _ => exhibit.other.block.clone(),
    };
    let moved = block(random, &mut from, |_| true)?.clone();
    *block(random, &mut forgery.block, |_| true)? = moved;
    Some(())
}

/// Presents a hidden block of a list as void.
fn ends_before_hidden(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let list = block(random, &mut forgery.block, is_list)?;
    *block(random, list, is_hidden)? = Block::Open(random.bytes());
    Some(())
}

/// Hides both halves of a block that has an open part.
fn hidden_twice(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let spot = block(random, &mut forgery.block, is_halves)?;
    let hidden = |random: &mut Random| Box::new(Block::Hidden(random.bytes()));
    *spot = Block::Halves(hidden(random), hidden(random));
    Some(())
}

fn hidden_root(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    forgery.block = Block::Hidden(random.bytes());
    Some(())
}

/// Presents a list as empty: its items are not shown, and its proof is a void.
fn emptied(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let spot = block(random, &mut forgery.block, is_list)?;
    let Block::List(depth, inner) = spot else {
        return None;
    };
    if random.below(2) == 0 {
        *depth = 0;
    }
    **inner = Block::Open(random.bytes());
    let lists = paths(&forgery.document, Json::is_array);
    if let Some(path) = lists.first() {
        change(forgery, path, &|list| *list = json!([]));
    }
    Some(())
}

/// Changes one of the matching schemas inside the exhibit's schema.
fn with_schema(
    random: &mut Random,
    exhibit: &Exhibit,
    forgery: &mut Forgery,
    is_meant: fn(&Json) -> bool,
    change: &dyn Fn(&mut Json),
) -> Option<()> {
    let mut schema = exhibit.schema.clone();
    let place = path(random, &schema, is_meant)?;
    let node = place.iter().fold(&mut schema, |node, step| match step {
        Json::String(key) => &mut node[key],
        index => &mut node[index.as_u64().unwrap() as usize],
    });
    change(node);
    Cert::new(&Value::try_from(&schema).unwrap()).ok()?;
    forgery.schema = Some(schema);
    Some(())
}

fn renamed_schema(random: &mut Random, exhibit: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let has_two = |node: &Json| {
        node["properties"]
            .as_object()
            .is_some_and(|all| all.len() > 1)
    };
    with_schema(random, exhibit, forgery, has_two, &|node| {
        let all = node["properties"].as_object_mut().unwrap();
        let names: Vec<_> = all.keys().cloned().collect();
        let (one, other) = (all[&names[0]].clone(), all[&names[1]].clone());
        all.insert(names[0].clone(), other);
        all.insert(names[1].clone(), one);
        all.insert("another name".to_owned(), json!({}));
    })
}

fn other_max_items(random: &mut Random, exhibit: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let max = *random.pick(&[1, 5, 8, 9]);
    let splits = |node: &Json| node["items"].is_object();
    with_schema(random, exhibit, forgery, splits, &|node| {
        node["maxItems"] = json!(max)
    })
}

fn unsplit_schema(random: &mut Random, exhibit: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let splits = |node: &Json| node["items"].is_object() || node["properties"].is_object();
    with_schema(random, exhibit, forgery, splits, &|node| *node = json!({}))
}

fn other_id(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    forgery.id = Some(random.bytes());
    Some(())
}
