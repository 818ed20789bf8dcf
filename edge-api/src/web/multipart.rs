//! Parses `multipart/form-data` (RFC 7578). The whole body is in memory, and at most one part may be a file. Ambiguous
//! input is an error.

use crate::text::shortened;

/// Maximum bytes of a part's name that an error repeats.
const SHOWN: usize = 60;
/// Maximum number of parts in a body. No route has this many fields.
const PARTS_MAX: usize = 64;
/// Maximum bytes of a boundary (RFC 2046, 5.1.1).
const BOUNDARY_MAX: usize = 70;

/// A field of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part<'a> {
    pub(super) name: &'a str,
    pub(super) value: &'a [u8],
}

/// Returns the boundary in the value of a Content-Type header. `None` if the boundary is missing or not valid.
pub(super) fn boundary(content_type: &str) -> Option<&str> {
    let (_, parameters) = content_type.split_once(';')?;
    let boundary = parameter(parameters, "boundary").ok()??;
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"'()+_,-./:=? ".contains(&byte);
    let valid = (1..=BOUNDARY_MAX).contains(&boundary.len())
        && boundary.bytes().all(allowed)
        && !boundary.ends_with(' ');
    valid.then_some(boundary)
}

/// Returns the parts of a body in their order, or a sentence that explains why the body is malformed. `file` is the name
/// of the only part that may be a file.
pub(super) fn parts<'a>(
    boundary: &str,
    body: &'a [u8],
    file: Option<&str>,
) -> Result<Vec<Part<'a>>, String> {
    let delimiter = format!("\r\n--{boundary}");
    // The first delimiter has no line break before it.
    let mut rest = delimiter
        .as_bytes()
        .get(2..)
        .and_then(|first| body.strip_prefix(first))
        .ok_or_else(|| "it does not begin with the boundary".to_owned())?;
    let mut parts: Vec<Part<'a>> = Vec::new();
    loop {
        if let Some(end) = rest.strip_prefix(b"--") {
            return match end {
                b"" | b"\r\n" => Ok(parts),
                _ => Err("something follows its last boundary".to_owned()),
            };
        }
        rest = rest
            .strip_prefix(b"\r\n")
            .ok_or_else(|| "a boundary does not end its line".to_owned())?;
        let (head, behind) = split(rest, b"\r\n\r\n")
            .ok_or_else(|| "a part has no empty line after its headers".to_owned())?;
        let (value, next) = split(behind, delimiter.as_bytes())
            .ok_or_else(|| "its last boundary is missing".to_owned())?;
        let (name, is_file) = name(head)?;
        if is_file && file.is_none() {
            return Err("a part is a file, and this route takes no files".to_owned());
        }
        if is_file && file != Some(name) {
            let name = shortened(name, SHOWN);
            return Err(format!("the part `{name}` is a file: send text there"));
        }
        if parts.iter().any(|part| part.name == name) {
            let name = shortened(name, SHOWN);
            return Err(format!("it has the part `{name}` twice"));
        }
        parts.push(Part { name, value });
        if parts.len() > PARTS_MAX {
            return Err(format!("it has more than {PARTS_MAX} parts"));
        }
        rest = next;
    }
}

/// Returns the bytes before and after the first `mark`. `None` if there is no `mark`.
fn split<'a>(bytes: &'a [u8], mark: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = bytes
        .windows(mark.len())
        .position(|window| window == mark)?;
    let (before, behind) = bytes.split_at_checked(at)?;
    Some((before, behind.strip_prefix(mark)?))
}

/// Returns the field name in the headers of a part, and true if the part is a file. The file's own name and type are
/// ignored.
fn name(head: &[u8]) -> Result<(&str, bool), String> {
    let head = std::str::from_utf8(head).map_err(|_| "a part's header is not UTF-8".to_owned())?;
    let (mut name, mut is_file) = (None, false);
    for line in head.split("\r\n") {
        let (header, value) = line
            .split_once(':')
            .ok_or_else(|| "a part's header has no colon".to_owned())?;
        if header.eq_ignore_ascii_case("content-transfer-encoding") {
            return Err("a part has a transfer encoding, which forms do not have".to_owned());
        }
        if !header.eq_ignore_ascii_case("content-disposition") {
            continue;
        }
        let (kind, parameters) = value.split_once(';').unwrap_or((value, ""));
        if !kind.trim().eq_ignore_ascii_case("form-data") || name.is_some() {
            return Err(
                "a part is not `form-data`, or has two Content-Disposition headers".to_owned(),
            );
        }
        for file in ["filename", "filename*"] {
            is_file |= parameter(parameters, file)?.is_some();
        }
        name = parameter(parameters, "name")?.filter(|name| !name.is_empty());
    }
    let name = name.ok_or_else(|| "a part has no name".to_owned())?;
    Ok((name, is_file))
}

/// Returns the value of a parameter in a list such as `a=b; c="d"`. `None` if the list lacks the parameter. Fails if the list is
/// malformed or has the parameter twice.
fn parameter<'a>(parameters: &'a str, wanted: &str) -> Result<Option<&'a str>, String> {
    let malformed = || "a header's parameters are malformed".to_owned();
    let mut found = None;
    let mut rest = parameters.trim();
    while !rest.is_empty() {
        let (key, behind) = rest.split_once('=').ok_or_else(malformed)?;
        let (value, next) = match behind.strip_prefix('"') {
            // A quoted value contains no quotes: browsers encode a quote as %22 (HTML standard, "Multipart form data").
            Some(quoted) => quoted.split_once('"').ok_or_else(malformed)?,
            None => behind
                .find(';')
                .and_then(|end| behind.split_at_checked(end))
                .unwrap_or((behind, "")),
        };
        if key.trim().eq_ignore_ascii_case(wanted) {
            if found.is_some() {
                return Err(malformed());
            }
            found = Some(value.trim());
        }
        let next = next.trim_start();
        rest = match next.strip_prefix(';') {
            Some(next) => next.trim_start(),
            None if next.is_empty() => next,
            None => return Err(malformed()),
        };
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(body: &str) -> Result<Vec<(String, String)>, String> {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        Ok(parts("b", body.as_bytes(), None)?
            .into_iter()
            .map(|part| (part.name.to_owned(), text(part.value)))
            .collect())
    }

    #[test]
    fn the_boundary_comes_from_the_header() {
        for (value, expected) in [
            ("multipart/form-data; boundary=abc", Some("abc")),
            ("multipart/form-data;BOUNDARY=\"a b\"", Some("a b")),
            ("multipart/form-data; charset=utf-8; boundary=x", Some("x")),
            ("multipart/form-data; boundary=\"x;y\"", None),
            ("multipart/form-data", None),
            ("multipart/form-data; boundary=", None),
            ("multipart/form-data; boundary=\"a \"", Some("a")),
            ("multipart/form-data; boundary=a; boundary=b", None),
            ("multipart/form-data; boundary=\"a", None),
            ("multipart/form-data; boundary=ä", None),
        ] {
            assert_eq!(boundary(value), expected, "{value}");
        }
        let long = format!("multipart/form-data; boundary={}", "x".repeat(71));
        assert_eq!(boundary(&long), None);
    }

    #[test]
    fn a_part_has_a_name_and_ends_at_the_next_boundary() {
        let body = "--b\r\nContent-Disposition: form-data; name=\"one\"\r\n\r\n1\r\n--b\r\n\
                    content-type: text/plain\r\ncontent-disposition: Form-Data; name=two\r\n\r\n\r\n--c\r\n\r\n--b--\r\n";
        assert_eq!(
            fields(body).unwrap(),
            [
                ("one".to_owned(), "1".to_owned()),
                ("two".to_owned(), "\r\n--c\r\n".to_owned())
            ]
        );
        assert_eq!(fields("--b--").unwrap(), []);
    }

    #[test]
    fn broken_or_ambiguous_forms_are_errors() {
        let part = |head: &str| format!("--b\r\n{head}\r\n\r\nx\r\n--b--");
        let good = "Content-Disposition: form-data; name=\"a\"";
        assert!(fields(&part(good)).is_ok());
        let twice = format!("--b\r\n{good}\r\n\r\nx\r\n--b\r\n{good}\r\n\r\ny\r\n--b--");
        let many: String = (0..65)
            .map(|n| format!("--b\r\nContent-Disposition: form-data; name=a{n}\r\n\r\nx\r\n"))
            .chain(["--b--".to_owned()])
            .collect();
        let broken = [
            String::new(),
            "x".to_owned(),
            "--c--".to_owned(),
            "--b".to_owned(),
            "--bb--".to_owned(),
            "--b--x".to_owned(),
            "--b--\r\n\r\n".to_owned(),
            format!("preamble\r\n{}", part(good)),
            "--b\r\n".to_owned(),
            format!("--b\r\n{good}\r\n\r\nx"),
            format!("--b\r\n{good}\r\n\r\nx\n--b--"),
            format!("--b\n{good}\n\nx\n--b--"),
            format!("--b\r\n{good}\r\n\r\nx\r\n--b"),
            part(""),
            part("Content-Disposition"),
            part("Content-Type: text/plain"),
            part("Content-Disposition: form-data"),
            part("Content-Disposition: form-data; name="),
            part("Content-Disposition: form-data; name=\"\""),
            part("Content-Disposition: form-data; name=\"a"),
            part("Content-Disposition: form-data; name=\"a\"b"),
            part("Content-Disposition: form-data; name=a; name=b"),
            part("Content-Disposition: attachment; name=a"),
            part(&format!("{good}\r\n{good}")),
            part(&format!("{good}; filename=\"a.txt\"")),
            part(&format!("{good}; filename*=utf-8''a.txt")),
            part(&format!("{good}; FileName=\"\"")),
            part(&format!("{good}\r\nContent-Transfer-Encoding: base64")),
            twice,
            many,
        ];
        for body in broken {
            assert!(fields(&body).is_err(), "{body:?}");
        }
        assert!(parts("b", b"--b\r\nX: \xff\r\n\r\nx\r\n--b--", None).is_err());
    }

    #[test]
    fn only_the_named_part_may_be_a_file() {
        let part = |name: &str, more: &str| {
            format!(
                "--b\r\nContent-Disposition: form-data; name=\"{name}\"{more}\r\n\r\n\0\u{fe}\r\n"
            )
        };
        let file = "; filename=\"a;b=c.png\"";
        let body = [part("x", ""), part("file", file), "--b--".to_owned()].concat();
        let found = parts("b", body.as_bytes(), Some("file")).unwrap();
        assert_eq!((found[0].name, found[1].name), ("x", "file"));
        assert!(parts("b", body.as_bytes(), None).is_err());
        for body in [
            [part("x", file), "--b--".to_owned()].concat(),
            [part("file", file), part("file", file), "--b--".to_owned()].concat(),
        ] {
            assert!(
                parts("b", body.as_bytes(), Some("file")).is_err(),
                "{body:?}"
            );
        }
    }
}
