//! Chooses the copies of the database that answer a request. With a bookmark, a caller reads its own writes from a
//! copy. See docs/decisions/0050-read-replicas.md.

use http::{HeaderName, HeaderValue};

use super::{Request, Route};
use crate::context::Context;
use crate::ports::Copies;

/// The header of requests and answers with a bookmark.
pub(super) const BOOKMARK: HeaderName = HeaderName::from_static("x-bookmark");

/// Starts the database session of a request. A private route's authorization has been checked before, so that check always
/// reads the primary.
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

/// Returns the bookmark for an answer to an account.
pub(super) fn bookmark(ctx: &Context<'_>) -> Option<HeaderValue> {
    let bookmark = ctx.db().bookmark()?;
    HeaderValue::from_str(&bookmark).ok()
}

/// Returns true for a text in the platform's format: groups of 8, 8, 8 and 32 hex digits. Other texts are ignored.
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
    fn only_texts_of_the_platforms_form_are_bookmarks() {
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
