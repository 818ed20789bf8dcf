//! Chooses whether the primary database or a copy (a read replica) answers a request. A caller that sends a bookmark reads its
//! own writes even from a copy. See `docs/decisions/0050-read-replicas.md`.

use http::{HeaderName, HeaderValue};

use super::{Request, Route};
use crate::context::Context;
use crate::ports::Copies;

/// The header with a bookmark, in requests and answers.
pub(super) const BOOKMARK: HeaderName = HeaderName::from_static("x-bookmark");

/// Starts the database session of a request, if the route needs one. The credential of a private route has been checked before, and
/// this check always reads the primary.
pub(super) fn start(ctx: &Context<'_>, route: &Route, request: &Request) {
    let known = request
        .header(&BOOKMARK)
        .filter(|bookmark| is_bookmark(bookmark));
    let copies = match (route.copies, known) {
        (true, Some(bookmark)) => Copies::Since(bookmark.to_owned()),
        // Even on the primary, a database session gives the bookmark that the caller sends with the next read.
        _ if route.is_private() => Copies::Primary,
        (true, None) => Copies::Any,
        (false, _) => return,
    };
    ctx.db().start_session(copies);
}

/// Returns the bookmark for an answer to an account. `None` if the database has no bookmark.
pub(super) fn bookmark(ctx: &Context<'_>) -> Option<HeaderValue> {
    let bookmark = ctx.db().bookmark()?;
    HeaderValue::from_str(&bookmark).ok()
}

/// Returns true for a string in the platform's format: groups of 8, 8, 8 and 32 lower-case hex digits. Other values are ignored.
fn is_bookmark(text: &str) -> bool {
    let groups = text.split('-').map(|group| {
        let is_hex = group
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        is_hex.then_some(group.len())
    });
    groups.eq([8, 8, 8, 32].map(Some))
}

#[cfg(test)]
mod tests {
    use super::is_bookmark;

    #[test]
    fn only_the_platforms_format_is_a_bookmark() {
        let bookmark = "00000085-0000024c-00004c6d-8e61117bf38d7adb71b934ebbf891683";
        assert!(is_bookmark(bookmark));
        for other in [
            "",
            "first-unconstrained",
            "first-primary",
            bookmark.trim_start_matches("00000085-"),
            &bookmark.to_uppercase(),
            &format!("{bookmark}-00000001"),
            &bookmark.replacen('0', "'", 1),
        ] {
            assert!(!is_bookmark(other), "{other}");
        }
    }
}
