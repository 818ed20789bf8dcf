//! Recognizes the types of files by their content.

use serde::de::IgnoredAny;

/// A type that browsers never run as a script or show as a page. SVG and HTML are not among them, because both can
/// contain scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MediaType {
    Json,
    Jpeg,
    Png,
    WebP,
}

impl MediaType {
    /// Returns the type of a file's content, or a sentence that says which types are allowed.
    pub(crate) fn of(content: &[u8]) -> Result<Self, String> {
        if content.starts_with(b"\x89PNG\r\n\x1a\n") {
            return Ok(Self::Png);
        }
        if content.starts_with(b"\xff\xd8\xff") {
            return Ok(Self::Jpeg);
        }
        if content.starts_with(b"RIFF") && content.get(8..12) == Some(b"WEBP") {
            return Ok(Self::WebP);
        }
        let kinds = "it must be a JSON object or a PNG, JPEG or WebP picture";
        if content.trim_ascii_start().first() != Some(&b'{') {
            return Err(kinds.to_owned());
        }
        // `IgnoredAny` does not check that strings are UTF-8.
        let text = std::str::from_utf8(content).map_err(|_| format!("{kinds}: it is not UTF-8"))?;
        serde_json::from_str::<IgnoredAny>(text)
            .map(|_| Self::Json)
            .map_err(|error| format!("{kinds}: {error}"))
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Jpeg => "image/jpeg",
            Self::Png => "image/png",
            Self::WebP => "image/webp",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_recognized_by_content() {
        for (content, expected) in [
            (&b"{}"[..], MediaType::Json),
            (b" \n{\"a\":[1,\"<script>\"]}\n", MediaType::Json),
            (b"\x89PNG\r\n\x1a\n\0", MediaType::Png),
            (b"\xff\xd8\xff\xe0", MediaType::Jpeg),
            (b"RIFF\x24\0\0\0WEBPVP8 ", MediaType::WebP),
        ] {
            assert_eq!(MediaType::of(content), Ok(expected), "{content:?}");
        }
    }

    #[test]
    fn pages_scripts_and_broken_json_are_refused() {
        for content in [
            &b""[..],
            b"<!doctype html><script>alert(1)</script>",
            b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>",
            b"<?xml version=\"1.0\"?><svg/>",
            b"alert(1)",
            b"[1]",
            b"\"text\"",
            b"{} <script>",
            b"{\"a\":1",
            b"{a:1}",
            b"\xef\xbb\xbf{}",
            b"{\"a\":\"\xff\"}",
            b"GIF89a",
            b"%PDF-1.7",
            b"RIFF\x24\0\0\0WAVE",
            b"\x89PNG",
        ] {
            assert!(MediaType::of(content).is_err(), "{content:?}");
        }
    }

    /// The check does not recurse, so deep nesting cannot exhaust the stack.
    #[test]
    fn deeply_nested_json_is_checked() {
        let deep = [
            "{\"a\":".repeat(150_000),
            "1".to_owned(),
            "}".repeat(150_000),
        ]
        .concat();
        assert_eq!(MediaType::of(deep.as_bytes()), Ok(MediaType::Json));
        assert!(MediaType::of(&deep.as_bytes()[..deep.len() - 1]).is_err());
    }
}
