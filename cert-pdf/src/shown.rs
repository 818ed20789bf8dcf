//! Writes values for people, by the rules of `pkg/view/src/display.ts` for proven values.

use cert_core::text::visible;
use cert_core::{Number, Value};

use crate::texts::Texts;

/// The most decimals, and digits before them, of a number with the language's signs. Other numbers are shown as in JSON.
const MAX_DIGITS: usize = 20;

/// Returns a text with its line breaks. Hidden characters are escaped.
pub(crate) fn lines_of(text: &str) -> String {
    let lines = text.split('\n');
    let shown: Vec<_> = lines
        .map(|line| visible(line.strip_suffix('\r').unwrap_or(line)))
        .collect();
    shown.join("\n")
}

/// Returns a single value as people read it. `is_grouped` asks for separators in a number.
pub(crate) fn value_text(value: &Value, is_grouped: bool, texts: &Texts) -> String {
    match value {
        Value::Null => "—".to_owned(),
        Value::Bool(is_true) => (if *is_true { texts.yes } else { texts.no }).to_owned(),
        Value::Number(number) => number_text(number, is_grouped, texts),
        Value::String(text) => {
            let text = text.as_str();
            match moment(text, texts) {
                Some(shown) => shown,
                None if text.is_empty() || text.trim() != text => {
                    lines_of(&Value::from(text).to_json())
                }
                None => lines_of(text),
            }
        }
        Value::Array(_) | Value::Object(_) => lines_of(&value.to_json()),
    }
}

fn number_text(number: &Number, is_grouped: bool, texts: &Texts) -> String {
    // Rust writes the shortest digits that mean the same number, without an exponent.
    let plain = number.to_f64().to_string();
    let (sign, digits) = match plain.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", plain.as_str()),
    };
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.len() > MAX_DIGITS || decimals.len() > MAX_DIGITS {
        return Value::Number(*number).to_json();
    }
    let mut text = sign.to_owned();
    // Spanish writes four digits without a separator.
    let is_long = whole.len() > if texts.at == " a las " { 4 } else { 3 };
    for (index, digit) in whole.chars().enumerate() {
        let left = whole.len().saturating_sub(index);
        if is_grouped && is_long && index > 0 && left.checked_rem(3) == Some(0) {
            text.push_str(texts.group);
        }
        text.push(digit);
    }
    if !decimals.is_empty() {
        text.push_str(texts.decimal);
        text.push_str(decimals);
    }
    text
}

/// Returns a day, or a day and a time, of ISO 8601 in the language. `None` for other text, and for fractions of a second, which would not be shown.
pub(crate) fn moment(text: &str, texts: &Texts) -> Option<String> {
    let day = day_text(text.get(..10)?, texts)?;
    let Some(rest) = text.get(10..).filter(|rest| !rest.is_empty()) else {
        return Some(day);
    };
    let rest = rest.strip_prefix('T')?;
    let clock = clock(rest.get(..5)?)?;
    let rest = rest.get(5..)?;
    let (seconds, rest) = match rest.strip_prefix(':') {
        Some(after) => {
            let seconds = digits(after.get(..2)?).filter(|seconds| *seconds < 60)?;
            let after = after.get(2..)?;
            let rest = match after.strip_prefix('.') {
                Some(fraction) => {
                    let rest = fraction.trim_start_matches('0');
                    if rest.len() == fraction.len() {
                        return None;
                    }
                    rest
                }
                None => after,
            };
            (format!(":{seconds:02}"), rest)
        }
        None => (String::new(), rest),
    };
    let zone = match rest {
        "" => String::new(),
        "Z" => " UTC".to_owned(),
        offset => {
            let sign = if offset.starts_with('-') {
                "−"
            } else if offset.starts_with('+') {
                "+"
            } else {
                return None;
            };
            let (hour, minute) = self::clock(offset.get(1..)?)?;
            format!(" UTC{sign}{hour:02}:{minute:02}")
        }
    };
    let (hour, minute) = clock;
    // Spanish writes hours without a zero.
    let hour = if texts.at == " a las " {
        hour.to_string()
    } else {
        format!("{hour:02}")
    };
    Some(format!(
        "{day}{}{hour}:{minute:02}{seconds}{zone}",
        texts.at
    ))
}

/// Returns the hour and the minute of `04:30`.
fn clock(text: &str) -> Option<(u16, u16)> {
    let (hour, minute) = text.split_once(':')?;
    let two = |text: &str| digits(text).filter(|_| text.len() == 2);
    let (hour, minute) = (two(hour)?, two(minute)?);
    (hour < 24 && minute < 60).then_some((hour, minute))
}

fn digits(text: &str) -> Option<u16> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    is_plain.then(|| text.parse().ok()).flatten()
}

/// Returns `2026-11-03` in the language. `None` for text that is no day.
fn day_text(text: &str, texts: &Texts) -> Option<String> {
    let mut parts = text.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || year.len() != 4 || month.len() != 2 || day.len() != 2 {
        return None;
    }
    let (year, month, day) = (digits(year)?, digits(month)?, digits(day)?);
    let is_leap = is_multiple(year, 4) && (!is_multiple(year, 100) || is_multiple(year, 400));
    let last = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let name = texts.months.get(usize::from(month.checked_sub(1)?))?;
    // The year 0 is called 1 BC, so it stays as it is.
    if day == 0 || day > last || year == 0 {
        return None;
    }
    let written = texts.day.replace("{day}", &day.to_string());
    let written = written.replace("{month}", name);
    Some(written.replace("{year}", &year.to_string()))
}

fn is_multiple(number: u16, of: u16) -> bool {
    number.checked_rem(of) == Some(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texts::Language;

    fn shown(json: &str, language: Language) -> String {
        value_text(&Value::parse(json).unwrap(), false, language.texts())
    }

    /// As `Intl` writes them in Node.js 20.
    #[test]
    fn dates_are_written_in_each_language() {
        use Language::{English, French, German, Spanish};
        for (text, language, expected) in [
            ("2026-11-01", English, "1 November 2026"),
            ("2026-11-01", German, "1. November 2026"),
            ("2026-02-02", French, "2 février 2026"),
            ("2026-11-01", Spanish, "1 de noviembre de 2026"),
            ("2024-02-29", English, "29 February 2024"),
            ("2026-11-01T04:30", English, "1 November 2026 at 04:30"),
            (
                "2026-11-01T04:30:05Z",
                German,
                "1. November 2026 um 04:30:05 UTC",
            ),
            (
                "2026-11-01T04:30:05.000-03:30",
                French,
                "1 novembre 2026 à 04:30:05 UTC−03:30",
            ),
            (
                "2026-11-01T04:30+01:00",
                Spanish,
                "1 de noviembre de 2026 a las 4:30 UTC+01:00",
            ),
        ] {
            assert_eq!(moment(text, language.texts()).as_deref(), Some(expected));
        }
        for text in [
            "",
            "2026-11-31",
            "2026-02-29",
            "2100-02-29",
            "2026-13-01",
            "2026-00-01",
            "2026-01-00",
            "0000-01-01",
            "2026-1-01",
            "2026-11-01T",
            "2026-11-01T24:00",
            "2026-11-01T04:60",
            "2026-11-01T04:30:60",
            "2026-11-01T04:30:05.5Z",
            "2026-11-01T04:30:05.",
            "2026-11-01T04:30x",
            "2026-11-01T04:30+1:00",
            "2026-11-01 04:30",
            "2026-11-01-1",
            "é026-11-01",
        ] {
            assert_eq!(moment(text, Language::English.texts()), None, "{text}");
        }
    }

    #[test]
    fn numbers_have_the_signs_of_the_language() {
        let number = |text: &str, is_grouped, language: Language| {
            value_text(&Value::parse(text).unwrap(), is_grouped, language.texts())
        };
        assert_eq!(
            number("-1234567.5", true, Language::English),
            "-1,234,567.5"
        );
        assert_eq!(
            number("-1234567.5", true, Language::French),
            "-1\u{202f}234\u{202f}567,5"
        );
        assert_eq!(number("1234.5", true, Language::German), "1.234,5");
        assert_eq!(number("1234.5", true, Language::Spanish), "1234,5");
        assert_eq!(number("1234.5", false, Language::German), "1234,5");
        assert_eq!(number("100", true, Language::English), "100");
        assert_eq!(number("1e-7", false, Language::English), "0.0000001");
        assert_eq!(number("1e300", false, Language::German), "1e+300");
    }

    #[test]
    fn other_values_are_shown_like_on_the_pages() {
        let english = Language::English;
        assert_eq!(shown("true", english), "Yes");
        assert_eq!(shown("null", english), "—");
        assert_eq!(shown("\"\"", english), "\"\"");
        assert_eq!(shown("\" a\"", english), "\" a\"");
        assert_eq!(shown("\"a\\r\\nb\\u202e\"", english), "a\nb\\u{202e}");
        assert_eq!(shown("[1,{\"a\":2}]", english), "[1,{\"a\":2}]");
    }
}
