//! Repairs the path of a certificate's link that another program changed (`docs/spec/file.md`, "Changed links").

use std::borrow::Cow;

use order_core::{Address, AssetId};
use percent_encoding::percent_decode_str;

/// The start of the paths of certificates.
const START: &str = "/c/";

/// Programs encode a link at most this many times.
const MAX_ENCODED: usize = 3;

/// Maximum characters of a link's fragment.
const MAX_FRAGMENT: usize = 8192;

/// Characters of a ledger's address.
const ADDRESS: usize = 42;

/// Returns the path of a certificate's link in lower case if it is written in capitals, as in printed codes. A QR code stores capitals in
/// fewer bits (`docs/spec/file.md`, form 2). Otherwise returns `None`.
pub(super) fn in_lower_case(path: &str) -> Option<String> {
    let start = path.get(..START.len())?;
    let is_upper = start != START && start.eq_ignore_ascii_case(START);
    is_upper.then(|| path.to_ascii_lowercase())
}

/// Returns true if a path is the path of a certificate's link, or a part of one.
pub(super) fn is_link(path: &str) -> bool {
    path.starts_with(START) || path == "/c"
}

/// Returns the address of the certificate that a changed path names, or `None` if a part of it is missing. The address is a path of
/// this service. It is built from parsed ids and from characters of base64url, so a redirect to it cannot leave the service.
pub(super) fn repaired(path: &str) -> Option<String> {
    let text = plain(path.strip_prefix(START)?);
    let start = text.find("0x")?;
    let ledger = text.get(start..)?.get(..ADDRESS)?;
    let ledger: Address = ledger.parse().ok()?;
    let rest = text.get(start..)?.get(ADDRESS..)?.strip_prefix('/')?;
    let is_id = |letter: char| letter.is_ascii_alphanumeric();
    let asset = rest.trim_start_matches(|letter| letter != '#' && !is_id(letter));
    let end = asset.find(|letter| !is_id(letter)).unwrap_or(asset.len());
    let (asset, after) = asset.split_at_checked(end)?;
    let asset: AssetId = asset.parse().ok()?;
    let fragment: String = after
        .split_once('#')
        .map_or("", |(_, fragment)| fragment)
        .chars()
        .filter(|letter| is_base64url(*letter))
        .take(MAX_FRAGMENT)
        .collect();
    let mark = if fragment.is_empty() { "" } else { "#" };
    Some(format!("{START}{ledger}/{asset}{mark}{fragment}"))
}

/// Returns true for the characters of base64url (RFC 4648, section 5).
fn is_base64url(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_')
}

/// Returns a path without percent-encoding, white space and invisible characters. A link has only visible ASCII characters.
fn plain(path: &str) -> String {
    let mut text = path.to_owned();
    for _ in 0..MAX_ENCODED {
        let decoded = match percent_decode_str(&text).decode_utf8_lossy() {
            Cow::Borrowed(_) => break,
            Cow::Owned(decoded) => decoded,
        };
        text = decoded;
    }
    text.retain(|letter| letter.is_ascii_graphic());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEDGER: &str = "0xF9196F9f176fd2eF9243E8960817d5FbE63D79aa";

    #[test]
    fn additions_of_other_programs_are_dropped() {
        let plain = format!("/c/{LEDGER}/12");
        let shared = format!("{plain}#1bZ-_x");
        for (rest, expected) in [
            ("12.", &plain),
            ("12)", &plain),
            ("12%3E", &plain),
            ("12=", &plain),
            ("12_", &plain),
            ("12,%20", &plain),
            ("%2012/", &plain),
            ("12%E2%80%8B", &plain),
            ("1%0D%0A2", &plain),
            ("12%22%20and%20more", &plain),
            ("12%23", &plain),
            ("12%231bZ-_x", &shared),
            ("12%25231bZ-_x", &shared),
            ("12%231b%0AZ%2D%5Fx).", &shared),
            ("12/%231bZ-_x", &shared),
            ("12)%231bZ-_x%3E", &shared),
        ] {
            let path = format!("/c/{LEDGER}/{rest}");
            assert_eq!(repaired(&path).as_ref(), Some(expected), "{rest}");
        }
        let (one, other) = LEDGER.split_at(20);
        let broken = format!("/c/%20{one}%0A{other}%2F12");
        assert_eq!(repaired(&broken), Some(plain));
    }

    #[test]
    fn only_paths_of_printed_codes_are_converted_to_lower_case() {
        let upper = format!("/C/{}/12", LEDGER.to_ascii_uppercase());
        let lower = format!("/c/{}/12", LEDGER.to_ascii_lowercase());
        assert_eq!(in_lower_case(&upper), Some(lower));
        for path in ["/", "/c/0X", "/C", "/CERTIFY/", "/x/C/0X", "/\u{e9}"] {
            assert_eq!(in_lower_case(path), None, "{path}");
        }
    }

    #[test]
    fn a_link_without_a_part_is_not_repaired() {
        for path in [
            "/c".to_owned(),
            "/c/".to_owned(),
            "/c/0x".to_owned(),
            format!("/c/{}", LEDGER.split_at(20).0),
            format!("/c/{LEDGER}"),
            format!("/c/{LEDGER}/"),
            format!("/c/{LEDGER}/%23"),
            format!("/c/{LEDGER}/%231bZ"),
            format!("/c/{LEDGER}/one"),
            format!("/c/{LEDGER}/1one"),
            format!("/c/{LEDGER}/{}", "9".repeat(79)),
            format!("/c/{}/1", LEDGER.split_at(41).0),
            format!("/c/{LEDGER}0/1"),
        ] {
            assert_eq!(repaired(&path), None, "{path}");
            assert!(is_link(&path));
        }
        assert!(!is_link("/certify/"));
        assert_eq!(repaired(&format!("/x/{LEDGER}/1")), None);
    }

    #[test]
    fn a_repaired_link_stays_on_the_service() {
        for rest in [
            "1%23%0D%0ALocation:%20//evil.example",
            "1%5C%5Cevil.example",
            "1//evil.example",
            "1%23//evil.example/%3Cscript%3E",
            "1@evil.example",
            "1%00%23javascript:alert(1)",
        ] {
            let location = repaired(&format!("/c/{LEDGER}/{rest}")).unwrap();
            let fragment = location.strip_prefix(&format!("/c/{LEDGER}/1")).unwrap();
            let is_safe = |letter| letter == '#' || is_base64url(letter);
            assert!(fragment.chars().all(is_safe), "{location}");
        }
        let long = repaired(&format!("/c/{LEDGER}/1%231{}", "a".repeat(9000))).unwrap();
        assert_eq!(long.split_once('#').unwrap().1.len(), MAX_FRAGMENT);
    }
}
