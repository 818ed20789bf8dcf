//! Addresses that this service may ask.

use std::fmt;
use std::net::Ipv6Addr;

use url::{Host, Url};

use crate::config::Config;

/// Bytes of an address at most; longer ones are refused by common servers too.
const ADDRESS_MAX: usize = 2048;
/// Characters of an address that a message shows at most.
const SHOWN_MAX: usize = 200;
/// Endings of names that no public server has: RFC 6761, RFC 6762, RFC 8375, and `.internal`, reserved by ICANN.
const LOCAL_ENDINGS: &[&str] = &[".localhost", ".local", ".home.arpa", ".internal"];

/// An address that was checked: an absolute http(s) URL without fragment, in the normal form of the URL standard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target(Url);

impl Target {
    /// The address.
    pub(crate) fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The host: a name in lower case, or a number (an IPv6 one in brackets). What logs say of an address, whose path
    /// and query may be somebody's secret.
    pub(crate) fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default().trim_end_matches('.')
    }

    /// Scheme, host and port.
    pub(crate) fn origin(&self) -> String {
        self.0.origin().ascii_serialization()
    }
}

/// Which addresses are allowed.
#[derive(Clone, Debug)]
pub(crate) struct Policy {
    /// Whether plain http is allowed.
    http: bool,
    /// Whether this machine itself may be asked, in any way.
    loopback: bool,
    /// The host under which this service was called, where the call has one.
    own: Option<Host>,
}

impl Policy {
    /// The policy of a deployment. `own_origin` is the origin under which it was called.
    pub(crate) fn new(config: &Config, own_origin: Option<&str>) -> Self {
        let own = own_origin.and_then(|origin| Url::parse(origin).ok());
        Self {
            http: config.development,
            loopback: config.weakened.private_fetch,
            own: own.and_then(|url| url.host().map(without_root)),
        }
    }

    /// Checks an absolute address.
    ///
    /// # Errors
    /// [`Refused`].
    pub(crate) fn check(&self, address: &str) -> Result<Target, Refused> {
        self.parsed(address, || Url::parse(address))
    }

    /// Checks a reference that may be relative to `base` (RFC 3986, section 5).
    ///
    /// # Errors
    /// [`Refused`].
    pub(crate) fn resolve(&self, base: &Target, reference: &str) -> Result<Target, Refused> {
        self.parsed(reference, || base.0.join(reference))
    }

    fn parsed(
        &self,
        text: &str,
        parse: impl FnOnce() -> Result<Url, url::ParseError>,
    ) -> Result<Target, Refused> {
        let refused = |reason| Refused {
            address: shown(text),
            reason,
        };
        if text.len() > ADDRESS_MAX {
            return Err(refused(Reason::TooLong));
        }
        let mut url = parse().map_err(|_| refused(Reason::NotAnAddress))?;
        url.set_fragment(None);
        match self.reason_against(&url) {
            None => Ok(Target(url)),
            // What looks like a password is not repeated.
            Some(Reason::Credentials) => Err(Refused {
                address: "…@…".to_owned(),
                reason: Reason::Credentials,
            }),
            Some(reason) => Err(refused(reason)),
        }
    }

    fn reason_against(&self, url: &Url) -> Option<Reason> {
        let secure = match url.scheme() {
            "https" => true,
            "http" => false,
            _ => return Some(Reason::Scheme),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Some(Reason::Credentials);
        }
        let Some(host) = url.host().map(without_root) else {
            return Some(Reason::NotAnAddress);
        };
        if self.loopback && is_loopback(&host) {
            return None;
        }
        if !secure && !self.http {
            return Some(Reason::Insecure);
        }
        if self.own.as_ref() == Some(&host) {
            return Some(Reason::OwnHost);
        }
        match host {
            Host::Ipv4(_) | Host::Ipv6(_) => Some(Reason::IpLiteral),
            Host::Domain(name) if !name.contains('.') => Some(Reason::SingleLabel),
            Host::Domain(name) if LOCAL_ENDINGS.iter().any(|ending| name.ends_with(ending)) => {
                Some(Reason::Local)
            }
            Host::Domain(_) => None,
        }
    }
}

/// A host without the dots that may stand for the root of all names. The URL standard has already made numbers of every
/// notation addresses, letters lower-case and other scripts punycode.
fn without_root(host: Host<&str>) -> Host {
    match host {
        Host::Domain(name) => Host::Domain(name.trim_end_matches('.').to_owned()),
        Host::Ipv4(address) => Host::Ipv4(address),
        Host::Ipv6(address) => Host::Ipv6(address),
    }
}

fn is_loopback(host: &Host) -> bool {
    match host {
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => *address == Ipv6Addr::LOCALHOST,
        Host::Domain(name) => name == "localhost" || name.ends_with(".localhost"),
    }
}

/// Why an address was refused because of the name under which a caller reached the service: a reason that holds for
/// that caller alone, so that nothing which others see may come of it.
pub(crate) const OWN_HOST: &str = "own-host";

/// What a message shows of an address.
fn shown(address: &str) -> String {
    let mut text: String = address.chars().take(SHOWN_MAX).collect();
    if text.len() < address.len() {
        text.push('…');
    }
    text
}

/// An address that this service does not ask.
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
}

impl Refused {
    /// Why, as a stable text: `otherwise`, but for [`OWN_HOST`].
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
            Reason::NotAnAddress => "is not an absolute URL; write it as `https://host/path`",
            Reason::Scheme => "is neither https nor http; use the address of a web server",
            Reason::Insecure => "is not https; use an https address",
            Reason::Credentials => "carries a user name or password; use an address without one",
            Reason::IpLiteral => "names its host by number; use a public host name",
            Reason::SingleLabel | Reason::Local => {
                "names a host that is not public; use a public host name"
            }
            Reason::OwnHost => "names this service itself; use another host",
        };
        write!(f, "the address `{}` {why}", self.address)
    }
}

#[cfg(test)]
mod tests;
