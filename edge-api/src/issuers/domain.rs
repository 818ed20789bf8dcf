//! A domain that may confirm accounts.

use super::display::displayed;
use crate::context::Context;
use crate::outbound::{Policy, is_loopback};

/// Maximum bytes of a domain name (RFC 1035, section 2.3.4).
const NAME_MAX: usize = 253;
/// Maximum bytes of a label (RFC 1035, section 2.3.4).
const LABEL_MAX: usize = 63;

/// A public host name in lower case and Punycode, without a final dot. If private fetches are allowed, it may also be a name
/// or address of this machine, possibly with a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Domain(String);

impl Domain {
    /// Parses a domain as a person writes it. `own_origin` is the origin under which the service was called. The host of this
    /// origin is refused.
    ///
    /// # Errors
    /// A sentence that explains what is wrong with `text`.
    pub(crate) fn parse(
        ctx: &Context<'_>,
        own_origin: Option<&str>,
        text: &str,
    ) -> Result<Self, String> {
        const EXPECTED: &str = "write the domain alone, such as `uni.example`";
        let text = text.trim().trim_end_matches('.');
        let is_alone = |character: char| {
            !character.is_whitespace()
                && !character.is_control()
                && !r"/?#@\%[]".contains(character)
        };
        if text.is_empty() || !text.chars().all(is_alone) {
            return Err(EXPECTED.to_owned());
        }
        let http = ctx.ports().http.as_ref();
        let private = ctx.config().weakened.private_fetch;
        let is_local = private && is_loopback(http, &format!("http://{text}/"));
        let scheme = if is_local { "http" } else { "https" };
        let target = Policy::of(ctx, own_origin)
            .check(&format!("{scheme}://{text}/"))
            .map_err(|refused| refused.to_string())?;
        let host = target.origin().trim_start_matches(scheme);
        let host = host.trim_start_matches("://").to_owned();
        // A TLS certificate proves a host name for all ports, so a domain with a port would not be a separate identity.
        if !is_local && host.contains(':') {
            return Err(format!("a domain has no port: {EXPECTED}"));
        }
        if !is_local && !is_name(&host) {
            return Err(format!("`{host}` is not a domain name: {EXPECTED}"));
        }
        Ok(Self(host))
    }

    /// Wraps a domain that is stored, and therefore valid.
    pub(super) fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// Returns the domain in Punycode.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the domain for people: in its own script if [`displayed`] allows this, otherwise in Punycode.
    pub(crate) fn displayed(&self) -> String {
        displayed(&self.0)
    }

    /// Returns the domain as a DID of the method did:web, without a path.
    pub(super) fn did(&self) -> String {
        format!("did:web:{}", self.0.replace(':', "%3A"))
    }

    /// Returns scheme, host and port. The scheme is http for the names of this machine. These are names with a port, names of one
    /// label, names below `localhost`, and IP addresses.
    pub(super) fn origin(&self) -> String {
        let is_name = is_name(&self.0) && !self.0.ends_with(".localhost");
        let scheme = if is_name { "https" } else { "http" };
        format!("{scheme}://{}", self.0)
    }

    /// Returns the address of the domain's file.
    pub(crate) fn file_url(&self) -> String {
        format!("{}/.well-known/did.json", self.origin())
    }

    /// Returns the name of the domain's TXT records.
    pub(crate) fn record_name(&self) -> String {
        format!("_assay.{}", self.0)
    }
}

/// Returns true for a host name of at least two labels, whose last one is not a number (RFC 1123, section 2.1).
fn is_name(host: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let is_label = |label: &str| {
        (1..=LABEL_MAX).contains(&label.len())
            && label.bytes().all(is_inner)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let last = host.rsplit('.').next().unwrap_or_default();
    host.len() <= NAME_MAX
        && host.contains('.')
        && host.split('.').all(is_label)
        && !last.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_addresses_of_file_and_record_follow_from_the_domain() {
        let domain = Domain::from_stored("uni.example".to_owned());
        assert_eq!(domain.did(), "did:web:uni.example");
        assert_eq!(
            domain.file_url(),
            "https://uni.example/.well-known/did.json"
        );
        assert_eq!(domain.record_name(), "_assay.uni.example");
        for local in ["localhost:8080", "127.0.0.1:8080", "uni.localhost:8080"] {
            let domain = Domain::from_stored(local.to_owned());
            let port = domain.did();
            assert!(port.ends_with("%3A8080"), "{port}");
            assert_eq!(domain.origin(), format!("http://{local}"));
        }
        for local in ["localhost", "uni.localhost", "127.0.0.1"] {
            let domain = Domain::from_stored(local.to_owned());
            assert_eq!(domain.origin(), format!("http://{local}"));
        }
    }

    #[test]
    fn names_have_labels_of_letters_digits_and_hyphens() {
        let long = format!("{}.example", "a".repeat(64));
        let longer = format!("{}.example", ["ab"; 90].join("."));
        for name in [
            "a.b",
            "uni.example",
            "xn--mnchen-3ya.example",
            "1.example",
            "a--b.c2",
        ] {
            assert!(is_name(name), "{name}");
        }
        for text in [
            "",
            "uni",
            "uni.",
            ".uni",
            "uni..example",
            "-uni.example",
            "uni-.example",
            "a_b.example",
            "*.example",
            "UNI.example",
            "127.0.0.1",
            "uni.example:443",
            "ünï.example",
            &long,
            &longer,
        ] {
            assert!(!is_name(text), "{text}");
        }
    }
}
