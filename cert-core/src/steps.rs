//! Counts the comparisons of keys. Tests show with it that the work of a reader grows with the length of its input, not with the square.

use std::cell::Cell;
use std::thread_local;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

/// Counts a comparison of two keys or paths.
pub(crate) fn count() {
    COUNT.set(COUNT.get().saturating_add(1));
}

/// Returns the number of comparisons that `act` makes on this thread.
pub(crate) fn of(act: impl FnOnce()) -> usize {
    let before = COUNT.get();
    act();
    COUNT.get().saturating_sub(before)
}

/// Panics unless twice the input takes less than three times the comparisons. A sort takes a little more than twice as many, and a quadratic
/// reader four times as many.
#[track_caller]
pub(crate) fn assert_linear(steps: impl Fn(usize) -> usize) {
    let (one, two) = (steps(1_000), steps(2_000));
    assert!(one >= 1_000, "{one} comparisons: the reader is not counted");
    assert!(two < one.saturating_mul(3), "{one}, then {two}");
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::{String, ToString as _};
    use alloc::vec::Vec;

    use super::{assert_linear, of};
    use crate::aih2::{self, DocumentKey, Keys, Values};
    use crate::json::path::Path;
    use crate::json::value::Value;
    use crate::{Cert, proofs_to_value};

    /// Returns an object with `count` keys that are not sorted.
    fn object(count: usize, value: &str) -> String {
        let keys = (0..count).step_by(2).chain((1..count).step_by(2));
        let members: Vec<_> = keys.map(|key| format!(r#""k{key}":{value}"#)).collect();
        format!("{{{}}}", members.join(","))
    }

    fn schema(count: usize) -> String {
        format!(
            r#"{{"type":"object","properties":{}}}"#,
            object(count, "{}")
        )
    }

    fn document(count: usize) -> Value {
        Value::parse(&object(count, "1")).unwrap()
    }

    /// Returns the paths of every second key.
    fn paths(count: usize) -> Vec<Path> {
        let keys = (0..count).step_by(2);
        keys.map(|key| Path::from([format!("k{key}")])).collect()
    }

    #[test]
    fn the_work_for_a_schema_grows_linearly() {
        assert_linear(|count| {
            let text = schema(count);
            of(|| drop(Cert::new(&Value::parse(&text).unwrap()).unwrap()))
        });
        assert_linear(|count| {
            let text = schema(count);
            of(|| drop(aih2::Cert::new(&aih2::parse(&text).unwrap()).unwrap()))
        });
    }

    #[test]
    fn the_work_for_evidence_of_the_first_profile_grows_linearly() {
        assert_linear(|count| {
            let cert = Cert::new(&Value::parse(&schema(count)).unwrap()).unwrap();
            let data = document(count);
            let proofs = cert.disclose(&data, &paths(count)).unwrap();
            let (imprint, text) = (
                cert.imprint(&data).unwrap(),
                proofs_to_value(&proofs).to_json(),
            );
            of(|| {
                let evidence = Value::parse(&text).unwrap();
                drop(cert.verify(&data, &evidence, &imprint).unwrap());
            })
        });
    }

    #[test]
    fn the_work_for_evidence_of_the_second_profile_grows_linearly() {
        for values in [Values::Attach, Values::Detach] {
            assert_linear(|count| {
                let cert = aih2::Cert::new(&aih2::parse(&schema(count)).unwrap()).unwrap();
                let (data, keys) = (document(count), Keys::Key(DocumentKey::from([7; 32])));
                let evidence = cert.disclose(&data, &keys, &paths(count), values).unwrap();
                let imprint = cert.imprint(&data, &keys).unwrap().to_string();
                let text = evidence.to_value().to_json();
                let shown = cert.expose(&data, &paths(count));
                of(|| {
                    let evidence = Value::parse(&text).unwrap();
                    let report = cert.verify(Some(&shown), &evidence, &imprint).unwrap();
                    assert!(report.valid, "{:?}", report.errors);
                })
            });
        }
    }
}
