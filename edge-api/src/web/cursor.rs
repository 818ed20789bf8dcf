//! Cursors: strings that name a position in a list. `meta.next` returns them, and `after` accepts them.

use alloy_primitives::{hex, keccak256};

/// Returns the cursor for a sort key in the list at a path. The cursor ends with check digits over path and key, so a
/// truncated cursor or a cursor of another list is an error. Without the digits, such a cursor could give an empty page,
/// which looks like the end of the list. The digits do not protect against forgery. A forged cursor is harmless, because it
/// gives only pages that the caller may list anyway.
pub(super) fn write(path: &str, key: &str) -> String {
    format!("{key}.{}", check(path, key))
}

/// Returns the sort key in a cursor. Returns `None` if the cursor is damaged or does not belong to the list at this path.
pub(super) fn read<'a>(path: &str, cursor: &'a str) -> Option<&'a str> {
    let (key, digits) = cursor.rsplit_once('.')?;
    (digits == check(path, key)).then_some(key)
}

fn check(path: &str, key: &str) -> String {
    let path = path.strip_suffix('/').unwrap_or(path);
    let [first, second, third, fourth, ..] = keccak256(format!("{path}?after={key}")).0;
    hex::encode([first, second, third, fourth])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_cursor_of_the_list_is_read() {
        let key = "0001700000000000-a.b";
        let cursor = write("/orders", key);
        for path in ["/orders", "/orders/"] {
            assert_eq!(read(path, &cursor), Some(key));
        }
        for path in ["/order", "/deployments", "/", ""] {
            assert_eq!(read(path, &cursor), None, "{path}");
        }
        for (index, one) in cursor.char_indices() {
            let (start, end) = (cursor.chars().take(index), cursor.chars().skip(index + 1));
            let other = if one == '0' { "1" } else { "0" };
            let [start, end] = [start.collect::<String>(), end.collect()];
            for part in [&start, &end, &[&start, other, &end].concat()] {
                assert_eq!(read("/orders", part), None, "{part}");
            }
        }
        assert_eq!(read("/orders", key), None);
    }

    #[test]
    fn cursors_keep_their_format() {
        // A client may send a cursor to a newer version of the service, so the format must not change. An independent
        // Keccak-256 computed these digits.
        assert_eq!(
            write("/orders", "018bcfe5-6800-7000-8000-000000000000"),
            "018bcfe5-6800-7000-8000-000000000000.69ffcfc3"
        );
    }
}
