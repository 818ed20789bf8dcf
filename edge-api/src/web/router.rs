//! Paths: which route one belongs to and what its parameters are.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

/// A path pattern such as `/orders/:orderRef/sign`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pattern(pub(crate) &'static str);

/// The parameters of a path that matched, decoded, in the order of the pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Match(Vec<(&'static str, String)>);

impl Match {
    /// A parameter's value; empty if the pattern has no such name.
    pub(crate) fn get(&self, name: &str) -> &str {
        self.0
            .iter()
            .find(|(key, _)| *key == name)
            .map_or("", |(_, value)| value)
    }
}

impl Pattern {
    /// Matches a percent-encoded path. A single trailing slash is ignored; an empty parameter is no match.
    pub(crate) fn matches(self, path: &str) -> Option<Match> {
        let path = path.strip_suffix('/').unwrap_or(path);
        let mut found = Match::default();
        let mut segments = path.split('/');
        for expected in self.0.split('/') {
            let segment = segments.next()?;
            match expected.strip_prefix(':') {
                Some(name) => {
                    let value = decode(segment);
                    if value.is_empty() {
                        return None;
                    }
                    found.0.push((name, value.into_owned()));
                }
                None if expected == segment => {}
                None => return None,
            }
        }
        segments.next().is_none().then_some(found)
    }
}

/// Percent-decodes a segment; bytes that are no UTF-8 become replacement characters, which no reference contains.
fn decode(segment: &str) -> Cow<'_, str> {
    percent_decode_str(segment).decode_utf8_lossy()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matched(pattern: &'static str, path: &str) -> Option<Vec<(&'static str, String)>> {
        Pattern(pattern).matches(path).map(|found| found.0)
    }

    #[test]
    fn literal_paths_match_whole_segments() {
        assert_eq!(matched("/orders", "/orders"), Some(vec![]));
        assert_eq!(matched("/orders", "/orders/"), Some(vec![]));
        assert_eq!(matched("/orders", "/ordersx"), None);
        assert_eq!(matched("/orders", "/orders//"), None);
        assert_eq!(matched("/orders", "/"), None);
    }

    #[test]
    fn parameters_are_decoded_and_never_empty() {
        assert_eq!(
            matched(
                "/ledgers/:ledgerRef/assets/:assetId",
                "/ledgers/a%2Fb/assets/%31"
            ),
            Some(vec![
                ("ledgerRef", "a/b".to_owned()),
                ("assetId", "1".to_owned())
            ])
        );
        assert_eq!(matched("/orders/:orderRef", "/orders/"), None);
        assert_eq!(matched("/orders/:orderRef/sign", "/orders//sign"), None);
        assert_eq!(
            matched("/orders/:orderRef", "/orders/%ff"),
            Some(vec![("orderRef", "\u{fffd}".to_owned())])
        );
    }
}
