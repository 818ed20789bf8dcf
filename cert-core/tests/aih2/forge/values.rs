//! Kinds of tampering with values: in the document, in the pairs of attached evidence, or in both.

use serde_json::{Value as Json, json};

use crate::forge::Tamper;
use crate::forge::exhibit::{Exhibit, Forgery};
use crate::forge::spot::{at, change, path};
use crate::random::Random;

pub(crate) const KINDS: &[(&str, Tamper)] = &[
    ("replace a value", another_value),
    ("change the type of a string or number", another_type),
    (
        "replace a value with null, false, zero or an empty value",
        another_nothing,
    ),
    ("remove a property", absent),
    ("add a property that is absent", invented),
    ("rename a property", other_key),
    ("swap two items", swapped),
    ("duplicate an item", doubled),
    ("append an item", longer),
    ("remove the last item", shorter),
    ("remove the first items", starts_later),
    ("empty a list", empty),
    ("replace a placeholder with an item", filled),
    ("replace an item with a placeholder", hollowed),
    ("show the whole document", whole_document),
    ("add a key that the schema does not have", unknown_key),
    ("move a pair to another path", moved_pair),
    ("duplicate a pair", pair_twice),
    ("remove a pair", pair_left_out),
    ("add a pair", pair_more),
    ("join the pairs of a list or object into one", pairs_joined),
    ("split the pair of a list or object into parts", pair_split),
    ("swap the values of two pairs", pairs_swapped),
    ("change the document but not the pairs", other_page),
];

/// Changes one of the matching values, in the document and in the pairs.
fn lie(
    random: &mut Random,
    forgery: &mut Forgery,
    is_meant: fn(&Json) -> bool,
    lie: &dyn Fn(&mut Json),
) -> Option<()> {
    let place = path(random, &forgery.document, is_meant)?;
    change(forgery, &place, lie);
    Some(())
}

fn is_scalar(value: &Json) -> bool {
    !value.is_object() && !value.is_array()
}

fn has_items(value: &Json) -> bool {
    value.as_array().is_some_and(|items| !items.is_empty())
}

fn has_two(value: &Json) -> bool {
    value.as_array().is_some_and(|items| items.len() > 1)
}

fn has_members(value: &Json) -> bool {
    value.as_object().is_some_and(|object| !object.is_empty())
}

/// Changes the items of one of the matching lists.
fn lie_of_items(
    random: &mut Random,
    forgery: &mut Forgery,
    is_meant: fn(&Json) -> bool,
    change: &dyn Fn(&mut Vec<Json>, usize),
) -> Option<()> {
    let number = random.below(1 << 20);
    lie(random, forgery, is_meant, &|list| {
        let items = list.as_array_mut().unwrap();
        let at = number % items.len().max(1);
        change(items, at);
    })
}

fn another_value(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let scalar = random.scalar();
    lie(random, forgery, is_scalar, &|value| *value = scalar.clone())
}

fn another_type(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    lie(
        random,
        forgery,
        |value| value.is_string() || value.is_number(),
        &|value| {
            *value = match &*value {
                Json::String(text) => text.parse::<u32>().map_or(json!([text]), Json::from),
                number => json!(number.to_string()),
            };
        },
    )
}

fn another_nothing(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let nothings = [
        json!(null),
        json!(""),
        json!([]),
        json!({}),
        json!(0),
        json!(false),
    ];
    let nothing = random.pick(&nothings).clone();
    lie(random, forgery, is_scalar, &|value| {
        *value = nothing.clone()
    })
}

fn absent(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let number = random.below(1 << 20);
    lie(random, forgery, has_members, &|object| {
        let object = object.as_object_mut().unwrap();
        let key = object.keys().nth(number % object.len()).unwrap().clone();
        object.remove(&key);
    })?;
    // Also removes the pairs of the property.
    let document = forgery.document.clone();
    forgery
        .pairs
        .retain(|(path, _)| at(&document, path).is_some());
    Some(())
}

fn invented(random: &mut Random, exhibit: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let absent = &exhibit.truth.absent;
    if absent.is_empty() {
        return None;
    }
    let path: Json = (&random.pick(absent).to_value()).into();
    let path = path.as_array()?.clone();
    let (last, above) = path.split_last()?;
    let (key, value) = (last.as_str()?, random.scalar());
    at(&forgery.document, above)?.as_object()?;
    change(forgery, above, &|object| {
        if let Some(object) = object.as_object_mut() {
            object.insert(key.to_owned(), value.clone());
        }
    });
    if !forgery
        .pairs
        .iter()
        .any(|(start, _)| path.starts_with(start))
    {
        forgery.pairs.push((path, value));
    }
    Some(())
}

fn other_key(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let new = *random.pick(&["a", "b", "0", "length", "__proto__"]);
    lie(random, forgery, has_members, &|object| {
        let object = object.as_object_mut().unwrap();
        let key = object.keys().next().unwrap().clone();
        let value = object.remove(&key).unwrap();
        object.insert(new.to_owned(), value);
    })
}

fn swapped(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    lie_of_items(random, forgery, has_two, &|items, at| {
        let other = (at + 1) % items.len();
        items.swap(at, other);
    })
}

fn doubled(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    lie_of_items(random, forgery, has_items, &|items, at| {
        items.insert(at, items[at].clone())
    })
}

fn longer(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let more = random.scalar();
    lie_of_items(random, forgery, Json::is_array, &|items, _| {
        items.push(more.clone())
    })
}

fn shorter(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    lie_of_items(random, forgery, has_items, &|items, _| drop(items.pop()))
}

fn starts_later(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    lie_of_items(random, forgery, has_items, &|items, at| {
        drop(items.drain(..=at))
    })
}

fn empty(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    lie_of_items(random, forgery, has_items, &|items, _| items.clear())
}

/// Replaces a `null` of the document with a value.
fn filled(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let value = random.scalar();
    lie(random, forgery, Json::is_null, &|null| {
        *null = value.clone()
    })
}

/// Presents an open item as hidden.
fn hollowed(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    lie_of_items(random, forgery, has_items, &|items, at| {
        items[at] = Json::Null
    })
}

/// Shows the whole document, although the evidence opens only a part.
fn whole_document(_: &mut Random, exhibit: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    forgery.document = exhibit.data.clone();
    Some(())
}

fn unknown_key(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    lie(random, forgery, Json::is_object, &|object| {
        let object = object.as_object_mut().unwrap();
        object.insert("a key of the forger's".to_owned(), json!(1));
    })
}

/// Returns the index of one of the pairs, or `None` if there are no pairs.
fn pair(random: &mut Random, forgery: &Forgery) -> Option<usize> {
    let count = forgery.pairs.len();
    (count > 0).then(|| random.below(count))
}

fn moved_pair(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let at = pair(random, forgery)?;
    let last = forgery.pairs[at].0.last_mut()?;
    *last = match last.as_u64() {
        Some(index) => json!((index + 1) ^ 1),
        None => json!(*random.pick(&["a", "b", "-", "0"])),
    };
    Some(())
}

fn pair_twice(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let at = pair(random, forgery)?;
    let mut pair = forgery.pairs[at].clone();
    if random.below(2) == 0 {
        pair.1 = random.scalar();
    }
    forgery.pairs.push(pair);
    Some(())
}

fn pair_left_out(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let at = pair(random, forgery)?;
    forgery.pairs.remove(at);
    Some(())
}

/// Adds a pair for any value of the document.
fn pair_more(random: &mut Random, exhibit: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let place = path(random, &exhibit.data, |_| true)?;
    let value = at(&exhibit.data, &place)?.clone();
    forgery.pairs.push((place, value));
    Some(())
}

fn pairs_joined(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let at_pair = pair(random, forgery)?;
    let (_, above) = forgery.pairs[at_pair].0.split_last()?;
    let above = above.to_vec();
    let whole = at(&forgery.document, &above)?.clone();
    forgery.pairs.retain(|(path, _)| !path.starts_with(&above));
    forgery.pairs.push((above, whole));
    Some(())
}

fn pair_split(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let at = pair(random, forgery)?;
    let (path, value) = forgery.pairs[at].clone();
    let parts: Vec<(Json, Json)> = match value {
        Json::Array(items) => items
            .into_iter()
            .enumerate()
            .map(|(at, item)| (json!(at), item))
            .collect(),
        Json::Object(object) => object
            .into_iter()
            .map(|(key, value)| (json!(key), value))
            .collect(),
        _ => return None,
    };
    forgery.pairs.remove(at);
    for (step, value) in parts {
        forgery
            .pairs
            .push(([path.as_slice(), &[step]].concat(), value));
    }
    Some(())
}

fn pairs_swapped(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let (one, other) = (pair(random, forgery)?, pair(random, forgery)?);
    let value = forgery.pairs[one].1.clone();
    forgery.pairs[one].1 = std::mem::replace(&mut forgery.pairs[other].1, value);
    Some(())
}

/// Shows a document that differs from the pairs.
fn other_page(random: &mut Random, _: &Exhibit, forgery: &mut Forgery) -> Option<()> {
    let pairs = forgery.pairs.clone();
    let scalar = random.scalar();
    lie(random, forgery, |_| true, &|value| *value = scalar.clone())?;
    forgery.pairs = pairs;
    Some(())
}
