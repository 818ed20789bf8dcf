//! Navigates and edits JSON.

use serde_json::Value as Json;

/// The place of a value: keys and indexes from the root.
pub(crate) type Place = Vec<Json>;

/// Returns the value at a place, or `None` if there is no value.
pub(crate) fn at<'j>(value: &'j Json, place: &[Json]) -> Option<&'j Json> {
    place.iter().try_fold(value, |value, step| match step {
        Json::String(key) => value.get(key),
        step => value.get(usize::try_from(step.as_u64()?).ok()?),
    })
}

/// Returns a mutable reference to the value at a place.
pub(crate) fn at_mut<'j>(value: &'j mut Json, place: &[Json]) -> Option<&'j mut Json> {
    place.iter().try_fold(value, |value, step| match step {
        Json::String(key) => value.get_mut(key),
        step => value.get_mut(usize::try_from(step.as_u64()?).ok()?),
    })
}

/// Puts a value at a place in an existing object or list, or removes the value there if `new` is `None`. Returns `None` if this is not
/// possible.
pub(crate) fn put(value: &mut Json, place: &[Json], new: Option<Json>) -> Option<()> {
    let (step, group) = place.split_last()?;
    match (at_mut(value, group)?, step) {
        (Json::Object(object), Json::String(key)) => match new {
            Some(new) => drop(object.insert(key.clone(), new)),
            None => drop(object.remove(key)?),
        },
        (Json::Array(items), step) => {
            let index = usize::try_from(step.as_u64()?).ok()?;
            match new {
                None if index < items.len() => drop(items.remove(index)),
                Some(new) if index < items.len() => items[index] = new,
                Some(new) if index < 16 => {
                    items.resize(index, Json::Null);
                    items.push(new);
                }
                _ => return None,
            }
        }
        _ => return None,
    }
    Some(())
}

/// Returns every place in a value, and the content of the place. The root comes first.
pub(crate) fn places(value: &Json) -> Vec<(Place, &Json)> {
    let mut all = vec![(Place::new(), value)];
    let mut next = 0;
    while let Some((place, value)) = all.get(next).cloned() {
        let below = |step: Json| [place.as_slice(), &[step]].concat();
        match value {
            Json::Object(map) => {
                all.extend(map.iter().map(|(key, v)| (below(key.as_str().into()), v)));
            }
            Json::Array(items) => {
                all.extend(items.iter().enumerate().map(|(i, v)| (below(i.into()), v)));
            }
            _ => {}
        }
        next += 1;
    }
    all
}
