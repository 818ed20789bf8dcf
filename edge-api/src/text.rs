//! Formats keys and timestamps, truncates and checks untrusted strings, and scans JSON.

use std::borrow::Cow;

use alloy_primitives::hex;
use cert_core::text::is_visible;
use order_core::{Address, B256};
use time::format_description::well_known::Iso8601;
use time::{Date, OffsetDateTime, PrimitiveDateTime};

/// Formats an account or contract address as a database key: `0x` and 40 lower-case hex digits.
pub(crate) fn account_key(address: &Address) -> String {
    hex::encode_prefixed(address.as_bytes())
}

/// Formats a hash as the database stores it: `0x` and 64 lower-case hex digits.
pub(crate) fn hash_key(hash: &B256) -> String {
    hex::encode_prefixed(hash)
}

/// Truncates a string to at most `max` bytes. A truncated string ends with `…`, and has at least the three bytes of this character.
pub(crate) fn shortened(text: &str, max: usize) -> Cow<'_, str> {
    const CUT: &str = "…";
    if text.len() <= max {
        return Cow::Borrowed(text);
    }
    let end = text.floor_char_boundary(max.saturating_sub(CUT.len()));
    Cow::Owned(format!("{}{CUT}", text.get(..end).unwrap_or_default()))
}

/// Maximum bytes of a name for which the nearest known name is looked up. Known names are shorter.
const NAME_BYTES: usize = 40;

/// Returns the known name with the smallest distance, if it is at most `most` insertions, deletions, replacements and exchanges of
/// neighbours. Letter case, `_` and `-` do not count.
pub(crate) fn nearest<'k>(
    name: &str,
    known: impl IntoIterator<Item = &'k str>,
    most: usize,
) -> Option<&'k str> {
    if name.len() > NAME_BYTES {
        return None;
    }
    let plain = |name: &str| name.replace(['_', '-'], "").to_lowercase();
    let name = plain(name);
    let distances = known
        .into_iter()
        .map(|known| (strsim::osa_distance(&name, &plain(known)), known));
    let near =
        distances.filter(|(distance, known)| *distance <= most.min(known.len().saturating_sub(1)));
    Some(near.min_by_key(|(distance, _)| *distance)?.1)
}

/// Returns the bytes of JSON that are not inside a string: its brackets, commas and other tokens, and the opening quote of each string.
pub(crate) fn outside_strings(json: &[u8]) -> impl Iterator<Item = u8> {
    let (mut in_string, mut escaped) = (false, false);
    json.iter().copied().filter(move |byte| {
        let is_outside = !in_string;
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ => {}
        }
        is_outside
    })
}

/// Maximum number of characters of an issuer's name.
pub(crate) const NAME_MAX: usize = 100;

/// Returns an untrusted name without surrounding white space. Returns `None` if the name is empty, has more than `max`
/// characters, or has a hidden character that no script uses (`docs/spec/text.md`) or a soft hyphen.
pub(crate) fn shown_name(text: &str, max: usize) -> Option<&str> {
    let name = text.trim();
    let is_short = (1..=max).contains(&name.chars().count());
    let is_name = is_short && is_visible(text) && !text.contains('\u{ad}');
    is_name.then_some(name)
}

/// Returns an untrusted text of several lines without surrounding white space. Returns `None` if the text is empty, has more than `max`
/// characters, or has control characters or hidden characters that no script uses.
pub(crate) fn shown_text(text: &str, max: usize) -> Option<&str> {
    let text = text.trim();
    let is_short = (1..=max).contains(&text.chars().count());
    let is_text = is_short && text.lines().all(is_visible);
    is_text.then_some(text)
}

/// Maximum number of characters of an e-mail address (RFC 5321, 4.5.3.1.3, without the angle brackets).
const EMAIL_MAX: usize = 254;

/// Returns true if a string has the form of an e-mail address: a mailbox of RFC 5321, in letters of any script (RFC 6531). The part before
/// the `@` must be a dot-string. The domain needs at least two labels, and the last label must not be a number.
pub(crate) fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    let is_atom = |atom: &str| {
        !atom.is_empty()
            && atom
                .chars()
                .all(|c| c.is_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(c))
    };
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c.is_alphanumeric() || c == '-')
    };
    let is_top = |label: &str| !label.chars().all(|c| c.is_ascii_digit());
    text.chars().count() <= EMAIL_MAX
        && local.len() <= 64
        && local.split('.').all(is_atom)
        && domain.contains('.')
        && domain.split('.').all(is_label)
        && domain.rsplit('.').next().is_some_and(is_top)
}

/// Returns a string that sorts after all references (UUIDv7) that were created before this millisecond, and before all other
/// references.
pub(crate) fn reference_at(milliseconds: u64) -> String {
    let time = milliseconds.min(REFERENCE_TIME_MAX);
    format!("{:08x}-{:04x}", time >> 16, time & 0xffff)
}

/// The last millisecond that a UUIDv7 can represent (RFC 9562, section 5.7).
const REFERENCE_TIME_MAX: u64 = (1 << 48) - 1;

/// Formats milliseconds since 1970 as ISO 8601 in UTC with milliseconds.
pub(crate) fn timestamp(milliseconds: u64) -> String {
    let nanoseconds = i128::from(milliseconds).saturating_mul(1_000_000);
    let time = OffsetDateTime::from_unix_timestamp_nanos(nanoseconds)
        .unwrap_or_else(|_| PrimitiveDateTime::MAX.assume_utc());
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
        time.year(),
        u8::from(time.month()),
        time.day(),
        time.hour(),
        time.minute(),
        time.second(),
        time.millisecond()
    )
}

/// Returns the month of a time in UTC, as in `2026-11`. SQLite's `strftime('%Y-%m', …)` returns the same text.
pub(crate) fn month_of(milliseconds: u64) -> String {
    let mut text = timestamp(milliseconds);
    text.truncate("2026-11".len());
    text
}

/// Parses ISO 8601. The offset defaults to UTC, and a date without a time means the start of that day. `None` if the string has
/// another form.
pub(crate) fn instant(text: &str) -> Option<OffsetDateTime> {
    let day = || Date::parse(text, &Iso8601::DEFAULT).map(|date| date.midnight().assume_utc());
    moment(text).or_else(|| day().ok())
}

/// Parses a date with a time as ISO 8601. The offset defaults to UTC. `None` if the string has another form.
pub(crate) fn moment(text: &str) -> Option<OffsetDateTime> {
    let form = &Iso8601::DEFAULT;
    let utc = || PrimitiveDateTime::parse(text, form).map(PrimitiveDateTime::assume_utc);
    OffsetDateTime::parse(text, form).or_else(|_| utc()).ok()
}

/// Milliseconds of a day.
pub(crate) const DAY_MS: u64 = 86_400_000;

/// Returns the day of a time, counted from 1970-01-01 in UTC.
pub(crate) fn day_of(milliseconds: u64) -> u64 {
    milliseconds / DAY_MS
}

/// Formats a day, counted from 1970-01-01, as ISO 8601.
pub(crate) fn date(day: u64) -> String {
    let mut text = timestamp(day.saturating_mul(DAY_MS));
    text.truncate("2023-11-14".len());
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn an_email_address_is_a_mailbox_at_a_domain() {
        for good in [
            "a@example.com",
            "first.last+tag@sub.example.co",
            "o'hara@example.com",
            "jürgen@münchen.example",
            "x@1.example",
        ] {
            assert!(super::is_email(good), "{good}");
        }
        let long = format!("{}@example.com", "a".repeat(65));
        let longer = format!("a@{}.com", ["b"; 130].join("."));
        for bad in [
            "",
            "a",
            "@",
            "a@",
            "@example.com",
            "a@localhost",
            "a@b@example.com",
            "a b@example.com",
            "a@exa mple.com",
            ".a@example.com",
            "a.@example.com",
            "a..b@example.com",
            "a@example..com",
            "a@.example.com",
            "a@example.com.",
            "a@-example.com",
            "a@example-.com",
            "a@127.0.0.1",
            "a@[127.0.0.1]",
            "a@example.com\n",
            "a\r\nbcc:b@example.com",
            "<a@example.com>",
            "a@example.com,b@example.com",
            "\"a\"@example.com",
            long.as_str(),
            longer.as_str(),
        ] {
            assert!(!super::is_email(bad), "{bad}");
        }
    }

    #[test]
    fn a_text_is_cut_between_characters() {
        for (text, max, cut) in [
            ("", 0, ""),
            ("abcdef", 6, "abcdef"),
            ("abcdefg", 6, "abc…"),
            ("aäöüß", 8, "aäö…"),
            ("aäöüß", 7, "aä…"),
            ("äöü", 2, "…"),
        ] {
            assert_eq!(super::shortened(text, max), cut, "{text} {max}");
        }
    }

    #[test]
    fn brackets_and_commas_in_strings_are_left_out() {
        for (json, outside) in [
            (r#"{"a":[1,2]}"#, r#"{":[1,2]}"#),
            (r#"["[,","\\",3]"#, r#"[",",3]"#),
            (r#"["\"],",4"#, r#"[",4"#),
            (r#""\"#, r#"""#),
        ] {
            let found: Vec<u8> = super::outside_strings(json.as_bytes()).collect();
            assert_eq!(String::from_utf8(found).unwrap(), outside, "{json}");
        }
    }

    #[test]
    fn a_time_sorts_before_the_references_of_its_millisecond() {
        for time in [0, 1, 65_535, 65_536, 1_700_000_000_000] {
            let made = |random| {
                uuid::Builder::from_unix_timestamp_millis(time, &[random; 10])
                    .into_uuid()
                    .to_string()
            };
            let (first, last) = (made(0), made(255));
            assert!(super::reference_at(time) < first, "{time}");
            assert!(last < super::reference_at(time + 1), "{time}");
        }
    }

    #[test]
    fn days_begin_at_midnight_utc() {
        assert_eq!(super::date(super::day_of(1_700_000_000_000)), "2023-11-14");
        assert_eq!(super::day_of(86_399_999), 0);
        assert_eq!(super::date(super::day_of(86_400_000)), "1970-01-02");
    }

    #[test]
    fn timestamps_have_milliseconds_and_z() {
        assert_eq!(
            super::timestamp(1_700_000_000_000),
            "2023-11-14T22:13:20.000Z"
        );
        assert_eq!(super::timestamp(1), "1970-01-01T00:00:00.001Z");
        assert_eq!(
            super::timestamp(u64::MAX).len(),
            "9999-12-31T23:59:59.999Z".len()
        );
    }
}
