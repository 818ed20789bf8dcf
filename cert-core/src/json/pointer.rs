//! Steps of JSON Pointers (RFC 6901).

use alloc::string::String;

/// Replaces `~1` and `~0` of a step of a JSON Pointer (RFC 6901). `str::replace` would take more code in the npm package's entry of AIH-2.
pub(crate) fn unescaped(step: &str) -> String {
    let mut parts = step.split('~');
    let mut text = String::from(parts.next().unwrap_or_default());
    for part in parts {
        let (char, rest) = match (part.strip_prefix('1'), part.strip_prefix('0')) {
            (Some(rest), _) => ('/', rest),
            (None, Some(rest)) => ('~', rest),
            (None, None) => ('~', part),
        };
        text.push(char);
        text.push_str(rest);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::unescaped;

    #[test]
    fn steps_of_a_pointer_are_unescaped() {
        for (step, expected) in [
            ("a", "a"),
            ("a~1b~0c", "a/b~c"),
            ("~01", "~1"),
            ("~", "~"),
            ("~2", "~2"),
        ] {
            assert_eq!(unescaped(step), expected);
        }
    }
}
