//! The reason of a withdrawal: plain text for people.

use cert_core::text::is_visible;
use order_core::{Code, Field};
use serde_json::Value;

use crate::failure::Failure;

/// Maximum characters (Unicode scalar values) of a reason.
const CHARACTERS_MAX: usize = 280;

/// A reason that is safe to show: one line of text, without markup and without hidden characters that
/// no script uses (`docs/spec/text.md`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reason(String);

impl Reason {
    /// Parses the member `reason` of a body. Removes white space around the text.
    pub(crate) fn parse(body: &Value) -> Result<Self, Failure> {
        Self::parse_field(&Field::body(body).get("reason"))
    }

    /// Parses a field under the rules of reasons.
    pub(crate) fn parse_field(field: &Field<'_>) -> Result<Self, Failure> {
        let expected = "plain text of 1 to 280 characters on one line, without `<`, `>`, control characters or invisible characters";
        let wrong = || Failure::new(vec![field.wrong(Code::FieldNotValid, expected)]);
        let text = field.text().ok_or_else(wrong)?.trim();
        let is_short = (1..=CHARACTERS_MAX).contains(&text.chars().count());
        if !is_short || text.contains(['<', '>']) || !is_visible(text) {
            return Err(wrong());
        }
        Ok(Self(text.to_owned()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parse(reason: &str) -> Option<String> {
        let reason = Reason::parse(&json!({ "reason": reason })).ok()?;
        Some(reason.0)
    }

    #[test]
    fn plain_text_of_any_script_is_kept() {
        for text in [
            "Issued by mistake & replaced by No. 12/b – see \"notice\" of 3 May.",
            "Fälschlich ausgestellt, 誤って発行, صدرت بالخطأ",
            "می\u{200c}خواهم 👩\u{200d}🎓",
            "שלום\u{200e} (C++), Prüfungs\u{ad}amt",
        ] {
            assert_eq!(parse(text).as_deref(), Some(text));
        }
        assert_eq!(parse(" \n why \t").as_deref(), Some("why"));
        assert!(parse(&"é".repeat(CHARACTERS_MAX)).is_some());
    }

    #[test]
    fn empty_and_long_reasons_markup_and_controls_are_refused() {
        for text in [
            "",
            "   ",
            "<b>Valid</b>",
            "a > b",
            "two\nlines",
            "nul\0",
            "\u{1b}[31m",
            "abc\u{202e}fdp",
            "a\u{2066}b\u{2069}",
            "a\u{200f}b",
            "a\u{61c}b",
            "a\u{2028}b",
            "a\u{feff}b",
            "a\u{e0041}b",
            "\u{3164}",
            "Ev\u{200d}e",
            "a\u{fe0f}b",
            "a\u{e000}b",
        ] {
            assert_eq!(parse(text), None, "{text:?}");
        }
        assert_eq!(parse(&"a".repeat(CHARACTERS_MAX + 1)), None);
        for body in [
            json!({}),
            json!({ "reason": 7 }),
            json!({ "reason": null }),
            json!([]),
        ] {
            assert!(Reason::parse(&body).is_err(), "{body}");
        }
    }
}
