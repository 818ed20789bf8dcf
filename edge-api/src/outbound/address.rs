//! Addresses that this service may send requests to.

use std::fmt;
use std::net::IpAddr;

use crate::config::Config;
use crate::context::Context;
use crate::ports::{Http, Url};

/// Maximum bytes of an address. Common servers refuse longer ones too.
const ADDRESS_MAX: usize = 2048;
/// Maximum characters of an address in a message.
const SHOWN_MAX: usize = 200;
/// Endings of host names that are never public: RFC 6761, RFC 6762, RFC 8375, and `.internal`, reserved by ICANN.
const LOCAL_ENDINGS: &[&str] = &[".localhost", ".local", ".home.arpa", ".internal"];

/// A checked address: an absolute http(s) URL without fragment, in the normal form of the URL standard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target(Url);

impl Target {
    /// Returns the address.
    pub(crate) fn as_str(&self) -> &str {
        &self.0.href
    }

    /// Returns the host: a name in lower case, or an IP address (IPv6 in brackets). Logs contain only the host, because path and
    /// query may contain secrets.
    pub(crate) fn host(&self) -> &str {
        self.0.host.trim_end_matches('.')
    }

    /// Returns scheme, host and port.
    pub(crate) fn origin(&self) -> &str {
        &self.0.origin
    }
}

/// The rules for addresses to which requests are allowed.
#[derive(Clone)]
pub(crate) struct Policy<'a> {
    /// The HTTP client. The same client parses and fetches addresses, so the checked address is always the requested address.
    pub(super) fetcher: &'a dyn Http,
    /// True if plain http is allowed.
    http: bool,
    /// True if requests to this machine are allowed, over http or https and to any port.
    loopback: bool,
    /// This service's own host: the one by which the caller reached it. `None` if it is not known.
    own: Option<Host>,
    /// The only allowed origin. If `None`, every origin is allowed.
    only: Option<String>,
    /// The start of the addresses that `fetcher` reads from storage, in the normal form of the URL standard. `None` if it reads
    /// none.
    stored: Option<&'a str>,
}

impl<'a> Policy<'a> {
    /// Returns the policy of the settings. `own_origin` is the origin by which the caller reached this service. Its host is
    /// refused, unless it is this machine and requests to this machine are allowed.
    pub(crate) fn of(ctx: &Context<'a>, own_origin: Option<&str>) -> Self {
        Self::new(ctx.ports().http.as_ref(), ctx.config(), own_origin)
    }

    pub(super) fn new(fetcher: &'a dyn Http, config: &Config, own_origin: Option<&str>) -> Self {
        let own = own_origin.and_then(|origin| fetcher.parse(origin, None));
        Self {
            fetcher,
            http: config.development,
            loopback: config.weakened.private_fetch,
            own: own.map(|url| Host::of(&url)),
            only: None,
            stored: None,
        }
    }

    /// Sends requests through `fetcher`, which reads addresses that begin with `stored` from storage. These addresses are
    /// allowed, although they are on this service's own host.
    pub(crate) fn read_by(self, fetcher: &'a dyn Http, stored: &'a str) -> Self {
        Self {
            fetcher,
            stored: Some(stored),
            ..self
        }
    }

    /// Allows only the origin of `target`, so a redirect cannot lead to another origin.
    pub(crate) fn only(self, target: &Target) -> Self {
        Self {
            only: Some(target.origin().to_owned()),
            ..self
        }
    }

    /// Parses an absolute address and checks it against the policy.
    ///
    /// # Errors
    /// [`Refused`] with the reason.
    pub(crate) fn check(&self, address: &str) -> Result<Target, Refused> {
        self.parsed(address, None)
    }

    /// Resolves a reference, which may be relative to `base` (RFC 3986, section 5), and checks it against the policy.
    ///
    /// # Errors
    /// [`Refused`] with the reason.
    pub(crate) fn resolve(&self, base: &Target, reference: &str) -> Result<Target, Refused> {
        self.parsed(reference, Some(&base.0))
    }

    fn parsed(&self, text: &str, base: Option<&Url>) -> Result<Target, Refused> {
        let refused = |reason| Refused {
            address: shown(text),
            reason,
        };
        if text.len() > ADDRESS_MAX {
            return Err(refused(Reason::TooLong));
        }
        let url = self.fetcher.parse(text, base);
        let url = url.ok_or_else(|| refused(Reason::NotAnAddress))?;
        match self.reason_against(&url) {
            None => Ok(Target(url)),
            // The message must not contain the password.
            Some(Reason::Credentials) => Err(Refused {
                address: "…@…".to_owned(),
                reason: Reason::Credentials,
            }),
            Some(reason) => Err(refused(reason)),
        }
    }

    fn reason_against(&self, url: &Url) -> Option<Reason> {
        let secure = match url.scheme.as_str() {
            "https" => true,
            "http" => false,
            _ => return Some(Reason::Scheme),
        };
        if url.has_credentials {
            return Some(Reason::Credentials);
        }
        if self.only.as_ref().is_some_and(|only| *only != url.origin) {
            return Some(Reason::OtherOrigin);
        }
        if self.stored.is_some_and(|start| url.href.starts_with(start)) {
            return None;
        }
        let host = Host::of(url);
        if self.loopback && host.is_loopback() {
            return None;
        }
        if !secure && !self.http {
            return Some(Reason::Insecure);
        }
        if self.own.as_ref() == Some(&host) {
            return Some(Reason::OwnHost);
        }
        match host {
            Host::Number(_) => Some(Reason::IpLiteral),
            Host::Name(name) if !name.contains('.') => Some(Reason::SingleLabel),
            Host::Name(name) if LOCAL_ENDINGS.iter().any(|ending| name.ends_with(ending)) => {
                Some(Reason::Local)
            }
            Host::Name(_) => None,
        }
    }
}

/// A host name or IP address, without the trailing dots of an absolute DNS name.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Host {
    Name(String),
    Number(IpAddr),
}

impl Host {
    /// Returns the host of an address. The URL parser has already converted IP addresses of every notation to the usual
    /// one, letters to lower case, and other scripts to punycode.
    fn of(url: &Url) -> Self {
        let name = url.host.trim_end_matches('.');
        let in_brackets = name
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'));
        match in_brackets.unwrap_or(name).parse() {
            Ok(number) => Self::Number(number),
            Err(_) => Self::Name(name.to_owned()),
        }
    }

    fn is_loopback(&self) -> bool {
        match self {
            Self::Number(address) => address.is_loopback(),
            Self::Name(name) => name == "localhost" || name.ends_with(".localhost"),
        }
    }
}

/// Returns true if the origin's host is this machine (loopback). Returns false for a text that is not a URL.
pub(crate) fn is_loopback(http: &dyn Http, origin: &str) -> bool {
    let url = http.parse(origin, None);
    url.is_some_and(|url| Host::of(&url).is_loopback())
}

/// The identifier for the refusal of an address on this service's own host. The own host is the host name by which the caller
/// reached this service. Callers may use different names, so a result with this reason must not be cached.
pub(crate) const OWN_HOST: &str = "own-host";

/// Returns an address, truncated to [`SHOWN_MAX`] characters for a message.
fn shown(address: &str) -> String {
    let mut text: String = address.chars().take(SHOWN_MAX).collect();
    if text.len() < address.len() {
        text.push('…');
    }
    text
}

/// An address that this service refuses to send requests to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    address: String,
    reason: Reason,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    TooLong,
    NotAnAddress,
    Scheme,
    Insecure,
    Credentials,
    IpLiteral,
    SingleLabel,
    Local,
    OwnHost,
    OtherOrigin,
}

impl Refused {
    /// Returns a stable identifier of the reason: [`OWN_HOST`] if the address is on this service's own host, otherwise
    /// `otherwise`.
    pub(crate) fn reason(&self, otherwise: &'static str) -> &'static str {
        if self.reason == Reason::OwnHost {
            OWN_HOST
        } else {
            otherwise
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match self.reason {
            Reason::TooLong => "is longer than 2048 bytes; use a shorter one",
            Reason::NotAnAddress => {
                "is not an absolute URL; write a URL such as `https://host/path`"
            }
            Reason::Scheme => "is neither https nor http; use the address of a web server",
            Reason::Insecure => "is not https; use an https address",
            Reason::Credentials => "contains a user name or password; use an address without them",
            Reason::IpLiteral => "has an IP address as its host; use a public host name",
            Reason::SingleLabel | Reason::Local => {
                "has a host that is not public; use a public host name"
            }
            Reason::OwnHost => "is on this service's own host; use another host",
            Reason::OtherOrigin => "is on another host; publish it on this host itself",
        };
        write!(f, "the address `{}` {why}", self.address)
    }
}

#[cfg(test)]
mod tests;
