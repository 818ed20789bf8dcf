//! Path patterns and their parameters.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

/// A path pattern such as `/orders/:orderRef/sign`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pattern(pub(crate) &'static str);

/// A parameter of a path. A pattern spells it `:name`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Param {
    ApprovalRef,
    AssetId,
    DeliveryRef,
    DeploymentRef,
    DepositRef,
    LedgerRef,
    OrderRef,
    RequestRef,
}

impl Param {
    /// Returns the parameter that patterns spell with this name.
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "approvalRef" => Self::ApprovalRef,
            "assetId" => Self::AssetId,
            "ref" => Self::DeliveryRef,
            "deploymentRef" => Self::DeploymentRef,
            "depositRef" => Self::DepositRef,
            "ledgerRef" => Self::LedgerRef,
            "orderRef" => Self::OrderRef,
            "requestRef" => Self::RequestRef,
            _ => return None,
        })
    }
}

/// The parameters of a matched path, decoded, in the order of the pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Match(Vec<(Param, String)>);

impl Match {
    /// Returns a parameter's value. Returns an empty text, which is never an existing id, if the pattern does not have
    /// the parameter.
    pub(crate) fn get(&self, param: Param) -> &str {
        self.0
            .iter()
            .find(|(key, _)| *key == param)
            .map_or("", |(_, value)| value)
    }
}

impl Pattern {
    /// Matches a percent-encoded path, ignoring a single trailing slash. An empty parameter does not match. A pattern
    /// with a name unknown to [`Param`] never matches.
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
                    found.0.push((Param::named(name)?, value.into_owned()));
                }
                None if expected == segment => {}
                None => return None,
            }
        }
        segments.next().is_none().then_some(found)
    }
}

/// Percent-decodes a segment. Invalid UTF-8 becomes replacement characters, which no reference contains.
fn decode(segment: &str) -> Cow<'_, str> {
    percent_decode_str(segment).decode_utf8_lossy()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matched(pattern: &'static str, path: &str) -> Option<Vec<(Param, String)>> {
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
                (Param::LedgerRef, "a/b".to_owned()),
                (Param::AssetId, "1".to_owned())
            ])
        );
        assert_eq!(matched("/orders/:orderRef", "/orders/"), None);
        assert_eq!(matched("/orders/:orderRef/sign", "/orders//sign"), None);
        assert_eq!(
            matched("/orders/:orderRef", "/orders/%ff"),
            Some(vec![(Param::OrderRef, "\u{fffd}".to_owned())])
        );
    }

    #[test]
    fn a_pattern_with_an_unknown_parameter_matches_nothing() {
        assert_eq!(matched("/orders/:oderRef", "/orders/1"), None);
    }
}
