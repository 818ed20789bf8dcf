//! Parses and formats paths in the forms that a person types.

use cert_core::{Array, Path, PathStep, Value};

use crate::failure::Failure;

/// Parses paths.
pub(crate) fn all(texts: &[String]) -> Result<Vec<Path>, Failure> {
    let path = |text: &String| {
        parse(text).ok_or_else(|| {
            Failure::new(
                "paths-invalid",
                format_args!("`{text}` is not a path: write a path such as `books[0].title`, or a JSON array such as `[\"a.b\",0]`"),
            )
        })
    };
    texts.iter().map(path).collect()
}

/// Parses paths of AIH-1. A path that the schema does not describe is an error, because it would silently disclose nothing.
pub(crate) fn described(texts: &[String], schema: &Value) -> Result<Vec<Path>, Failure> {
    let paths = all(texts)?;
    for (path, text) in paths.iter().zip(texts) {
        if !is_described(schema, path.steps()) {
            return Err(Failure::new(
                "path-unknown",
                format_args!("the schema describes nothing at `{text}`"),
            ));
        }
    }
    Ok(paths)
}

/// Parses a JSON array of keys and indexes, or the short form: keys joined with dots, indexes in brackets. The short form cannot express a
/// key that is empty or contains `.`, `[`, `]` or `"`, so no text has two meanings. Returns `None` for text of neither form.
fn parse(text: &str) -> Option<Path> {
    if text.starts_with('[') {
        let list = Array::try_from(vec![Value::parse(text).ok()?]).ok()?;
        return Path::list_from(&list.into()).ok()?.pop();
    }
    let mut path = Path::root();
    for part in text.split('.') {
        let (key, mut rest) = match part.find('[') {
            Some(bracket) => part.split_at_checked(bracket)?,
            None => (part, ""),
        };
        if key.is_empty() || key.contains([']', '"']) {
            return None;
        }
        path.push(key);
        while !rest.is_empty() {
            let (index, after) = rest.strip_prefix('[')?.split_once(']')?;
            if !index.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            path.push(index.parse::<usize>().ok()?);
            rest = after;
        }
    }
    Some(path)
}

/// Formats a path for [`parse`], in the short form if possible.
pub(crate) fn shown(path: &Path) -> String {
    let short = path.to_string();
    match parse(&short) {
        Some(same) if same == *path => short,
        _ => path.to_value().to_json(),
    }
}

fn is_described(schema: &Value, steps: &[PathStep]) -> bool {
    let Some((step, rest)) = steps.split_first() else {
        return true;
    };
    let part = |key: &str| schema.as_object()?.get(key);
    let found = match (part("type").and_then(Value::as_str), step) {
        (Some("object"), PathStep::Key(key)) => {
            part("properties").and_then(|properties| properties.as_object()?.get(key))
        }
        (Some("array"), PathStep::Index(_)) => part("items"),
        _ => None,
    };
    found.is_some_and(|schema| is_described(schema, rest))
}

#[cfg(test)]
mod tests {
    use super::{parse, shown};

    fn read(text: &str) -> Option<String> {
        parse(text).map(|path| path.to_value().to_json())
    }

    #[test]
    fn both_forms_of_a_path_are_unambiguous() {
        for (text, path) in [
            ("name", r#"["name"]"#),
            ("books[0].title", r#"["books",0,"title"]"#),
            ("a[1][20].b", r#"["a",1,20,"b"]"#),
            ("0", r#"["0"]"#),
            ("$schema", r#"["$schema"]"#),
            ("größe.l x", r#"["größe","l x"]"#),
            (r#"["a.b",0]"#, r#"["a.b",0]"#),
            ("[]", "[]"),
            (r#" ["a"]"#.trim(), r#"["a"]"#),
        ] {
            assert_eq!(read(text).as_deref(), Some(path), "{text}");
            let read = parse(text).unwrap_or_default();
            assert_eq!(parse(&shown(&read)), Some(read), "{text}");
        }
        let dotted = parse(r#"["a.b",0]"#).unwrap_or_default();
        assert_eq!(shown(&dotted), r#"["a.b",0]"#);
        for text in [
            "",
            ".",
            "a.",
            ".a",
            "a..b",
            "a[",
            "a[]",
            "a[x]",
            "a[-1]",
            "a[1]b",
            "a]",
            "a[+1]",
            "\"a\"",
            "a[99999999999999999999]",
            "[",
            "[0.5]",
            "[null]",
            r#"["a"] x"#,
            "[1][2]",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
