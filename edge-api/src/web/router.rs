//! The table of routes, and path patterns with their parameters.

use std::borrow::Cow;

use http::{HeaderValue, Method, header};
use order_core::Code;
use percent_encoding::percent_decode_str;

use super::Route;
use crate::failure::Failure;
use crate::text::shortened;

/// Maximum bytes of a wrong method that the answer repeats.
const METHOD_SHOWN: usize = 60;

/// All routes of the service.
pub(crate) struct Table {
    /// The routes of each resource.
    pub(crate) resources: &'static [&'static [Route]],
    /// The prefix of paths that exist only on development instances. Pages of other sites cannot call these paths.
    pub(crate) development: &'static str,
}

impl Table {
    /// Returns all routes.
    pub(crate) fn routes(&self) -> impl Iterator<Item = &'static Route> {
        self.resources.iter().copied().flatten()
    }

    /// Returns true for paths that exist only on development instances.
    pub(crate) fn is_development(&self, path: &str) -> bool {
        path.starts_with(self.development)
    }

    /// Returns the route of a method and path. Otherwise fails with 405 and the methods of the path, or with 404.
    pub(super) fn find(
        &self,
        method: &Method,
        path: &str,
    ) -> Result<(&'static Route, Match), Failure> {
        // HEAD is GET without the body (RFC 9110, 9.3.2).
        let wanted = if method == Method::HEAD {
            &Method::GET
        } else {
            method
        };
        let mut allowed: Vec<&str> = Vec::new();
        for route in self.routes() {
            let Some(params) = route.pattern.matches(path) else {
                continue;
            };
            if route.method == *wanted {
                return Ok((route, params));
            }
            allowed.push(route.method.as_str());
        }
        if allowed.is_empty() {
            return Err(Failure::code(Code::InvalidPath));
        }
        let failure = Failure::one(
            Code::MethodNotAllowed,
            "",
            format!(
                "the path does not have the method `{}`; it has {}",
                shortened(&method.as_str().escape_default().to_string(), METHOD_SHOWN),
                allowed.join(", ")
            ),
        );
        Err(match HeaderValue::from_str(&allowed.join(", ")) {
            Ok(value) => failure.header(header::ALLOW, value),
            Err(_) => failure,
        })
    }
}

/// A path pattern such as `/orders/:orderRef/sign`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pattern(pub(crate) &'static str);

/// A parameter of a path. A pattern spells it `:name`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Param {
    AccountId,
    ApprovalRef,
    AssetId,
    BookVersion,
    CodeHash,
    DeliveryRef,
    DeploymentRef,
    DepositRef,
    Domain,
    FileCollection,
    FileDocument,
    FileHash,
    FileOwner,
    Gtin,
    KeyRef,
    LedgerRef,
    LetterRef,
    AdmissionRef,
    LinkId,
    OrderRef,
    Qualifier,
    RecordRef,
    RequestRef,
    Serial,
    SessionRef,
    StatusList,
}

impl Param {
    /// Returns the parameter's name in patterns.
    const fn name(self) -> &'static str {
        match self {
            Self::AccountId => "accountId",
            Self::ApprovalRef => "approvalRef",
            Self::AssetId => "assetId",
            Self::BookVersion => "version",
            Self::CodeHash => "codeHash",
            Self::DeliveryRef => "ref",
            Self::DeploymentRef => "deploymentRef",
            Self::DepositRef => "depositRef",
            Self::Domain => "domain",
            Self::FileCollection => "collection",
            Self::FileDocument => "document",
            Self::FileHash => "hash",
            Self::FileOwner => "owner",
            Self::Gtin => "gtin",
            Self::KeyRef => "keyRef",
            Self::LedgerRef => "ledgerRef",
            Self::LetterRef => "letterRef",
            Self::AdmissionRef => "admissionRef",
            Self::LinkId => "linkId",
            Self::OrderRef => "orderRef",
            Self::Qualifier => "qualifier",
            Self::RecordRef => "recordRef",
            Self::RequestRef => "requestRef",
            Self::Serial => "serial",
            Self::SessionRef => "sessionRef",
            Self::StatusList => "list",
        }
    }
}

/// The parameters of a matched path, decoded, in the order of the pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Match(Vec<(&'static str, String)>);

impl Match {
    /// Returns a parameter's value, or an empty string if the path does not have the parameter. The parameters that a handler
    /// takes always exist: [`Route::new`] refuses a handler whose parameters differ from the pattern's parameters.
    pub(crate) fn get(&self, param: Param) -> &str {
        self.0
            .iter()
            .find(|(name, _)| *name == param.name())
            .map_or("", |(_, value)| value)
    }
}

impl Pattern {
    /// Returns true if these are the pattern's parameters, in its order.
    pub(super) const fn has_params(self, mut params: &[Param]) -> bool {
        let mut text = self.0.as_bytes();
        while let [first, rest @ ..] = text {
            text = rest;
            if *first == b':' {
                let [param, others @ ..] = params else {
                    return false;
                };
                params = others;
                match after_name(text, param.name().as_bytes()) {
                    Some(rest) => text = rest,
                    None => return false,
                }
            }
        }
        params.is_empty()
    }

    /// Returns true if the pattern has this parameter.
    #[cfg(feature = "native")]
    pub(crate) fn has_param(self, param: Param) -> bool {
        let mut segments = self.0.split('/');
        segments.any(|segment| segment.strip_prefix(':') == Some(param.name()))
    }

    /// Matches a percent-encoded path, ignoring a single trailing slash. Returns `None` if the path does not match, for example
    /// because a parameter is empty.
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

/// Returns the rest of a pattern after its next segment. `None` if that segment is not `name`.
const fn after_name<'a>(mut text: &'a [u8], mut name: &[u8]) -> Option<&'a [u8]> {
    while let [expected, others @ ..] = name {
        match text {
            [first, rest @ ..] if *first == *expected => (text, name) = (rest, others),
            _ => return None,
        }
    }
    match text {
        [] | [b'/', ..] => Some(text),
        _ => None,
    }
}

/// Percent-decodes a segment. Invalid UTF-8 becomes replacement characters, which no reference contains.
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

    #[test]
    fn a_route_has_the_parameters_of_its_pattern() {
        let has = |pattern: &'static str, params: &[Param]| Pattern(pattern).has_params(params);
        let (ledger, asset) = (Param::LedgerRef, Param::AssetId);
        assert!(has("/orders", &[]));
        assert!(has("/orders/:orderRef/sign", &[Param::OrderRef]));
        assert!(has("/ledgers/:ledgerRef/assets/:assetId", &[ledger, asset]));
        assert!(!has(
            "/ledgers/:ledgerRef/assets/:assetId",
            &[asset, ledger]
        ));
        assert!(!has("/ledgers/:ledgerRef/assets/:assetId", &[ledger]));
        assert!(!has("/orders", &[Param::OrderRef]));
        assert!(!has("/orders/:orderRef", &[]));
        assert!(!has("/orders/:oderRef", &[Param::OrderRef]));
        assert!(!has("/orders/:orderReference", &[Param::OrderRef]));
        assert!(!has("/orders/:order", &[Param::OrderRef]));
    }
}
