//! Bounds on the work that documents cause, checked before the work starts. See `docs/decisions/0033-badge-bounds.md`.

use cert_core::{Array, Value};

use crate::text::outside_strings;

/// Maximum bytes of the path to a value, with one byte for each separator. Findings repeat paths. If many values lie
/// below a long key, the findings could be larger than the document.
pub(super) const PATH_MAX: usize = 1_024;
/// Maximum number of JSON values in the documents of an asset. Five million bytes of JSON can contain millions of values, and
/// each parsed value takes more memory than its text. Genuine evidence of that size has about 200,000 values.
pub(super) const VALUES_MAX: usize = 300_000;

/// Maximum SHA-256 hashes for the evidence of an asset, as AIH-2 counts them. AIH-2 itself allows four times as many.
pub(super) const HASHES_MAX: u64 = 1 << 20;

/// Returns true if no path to a value is longer than [`PATH_MAX`]. Every index of a list counts as many digits as the list's
/// length has.
pub(super) fn has_short_paths(document: &Value) -> bool {
    within(document, PATH_MAX)
}

fn within(value: &Value, left: usize) -> bool {
    let step = |bytes: usize| left.checked_sub(bytes.saturating_add(1));
    match value {
        Value::Object(object) => object
            .iter()
            .all(|(key, item)| step(key.len()).is_some_and(|left| within(item, left))),
        Value::Array(items) => {
            // No index has more digits than the number of items, so one calculation with that many digits covers all items.
            let digits = items.len().checked_ilog10().unwrap_or(0);
            let digits =
                usize::try_from(digits).map_or(usize::MAX, |digits| digits.saturating_add(1));
            step(digits).is_some_and(|left| items.iter().all(|item| within(item, left)))
        }
        _ => true,
    }
}

/// Returns true if no path in the evidence is longer than [`PATH_MAX`]. Evidence of AIH-1 contains the paths of proofs.
/// Attached evidence of AIH-2 contains pairs of a path and a value, and paths continue inside such a value.
pub(super) fn proves_short_paths(evidence: &Value) -> bool {
    let length = |path: Option<&Value>| -> usize {
        let steps = path
            .and_then(Value::as_array)
            .into_iter()
            .flat_map(|steps| steps.iter());
        let bytes = steps.map(|step| step.as_str().map_or(1, str::len).saturating_add(1));
        bytes.fold(0, usize::saturating_add)
    };
    let of_proof = |proof: &Value| length(proof.as_object().and_then(|proof| proof.get("path")));
    let is_short = |pair: &Value| {
        let pair = pair.as_array().map_or(&[][..], Array::as_slice);
        let left = PATH_MAX.checked_sub(length(pair.first()));
        left.is_some_and(|left| pair.get(1).is_none_or(|value| within(value, left)))
    };
    let values = evidence.as_object().and_then(|object| object.get("values"));
    let values = values.and_then(Value::as_array);
    proofs(evidence).is_none_or(|proofs| proofs.iter().all(|proof| of_proof(proof) <= PATH_MAX))
        && values.is_none_or(|pairs| pairs.iter().all(is_short))
}

/// Returns the list of proofs: the evidence itself, or its member `data`. `None` if neither is a list.
pub(super) fn proofs(evidence: &Value) -> Option<&Array> {
    match evidence {
        Value::Object(object) => object.get("data").and_then(Value::as_array),
        other => other.as_array(),
    }
}

/// Returns an upper bound for the number of values in a JSON text. It is the number of `[`, `{` and commas, plus one for the first value.
pub(super) fn values(text: &str) -> usize {
    let starts = outside_strings(text.as_bytes()).filter(|byte| matches!(byte, b'[' | b'{' | b','));
    starts.count().saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(value: &Value) -> usize {
        match value {
            Value::Array(items) => items.iter().map(count).fold(1, usize::saturating_add),
            Value::Object(object) => {
                let members = object.iter().map(|(_, item)| count(item));
                members.fold(1, usize::saturating_add)
            }
            _ => 1,
        }
    }

    #[test]
    fn the_estimate_is_never_below_the_number_of_values() {
        for text in [
            "1",
            "[]",
            "[1]",
            "[1,2,[3,{}]]",
            r#"{"a":1,"b":{"c":[true,null]}}"#,
            r#"["\"[,[,", "\\", {"[[":","}]"#,
        ] {
            let values = values(text);
            let exact = count(&Value::parse(text).unwrap());
            assert!(
                values >= exact && values <= exact + 3,
                "{text}: {values} {exact}"
            );
        }
    }

    #[test]
    fn a_path_length_counts_every_key_and_index_above_a_value() {
        let key = |length: usize| "k".repeat(length);
        for (text, short) in [
            (format!(r#"{{"{}":1}}"#, key(PATH_MAX - 1)), true),
            (format!(r#"{{"{}":1}}"#, key(PATH_MAX)), false),
            (format!(r#"{{"{}":{{"a":1}}}}"#, key(PATH_MAX - 3)), true),
            (format!(r#"{{"{}":{{"ab":1}}}}"#, key(PATH_MAX - 3)), false),
            (format!(r#"{{"{}":[1]}}"#, key(PATH_MAX - 3)), true),
            (format!(r#"{{"{}":[[1]]}}"#, key(PATH_MAX - 4)), false),
            (format!(r#"["{}"]"#, key(PATH_MAX * 2)), true),
        ] {
            assert_eq!(has_short_paths(&Value::parse(&text).unwrap()), short);
        }
        for (length, short) in [(PATH_MAX - 3, true), (PATH_MAX - 2, false)] {
            let proof = format!(r#"{{"path":["{}",0],"nodes":[],"values":[]}}"#, key(length));
            for text in [format!("[{proof}]"), format!(r#"{{"data":[{proof}]}}"#)] {
                assert_eq!(proves_short_paths(&Value::parse(&text).unwrap()), short);
            }
        }
        assert!(proves_short_paths(&Value::Null));
    }
}
