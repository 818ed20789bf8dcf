//! The file of a certificate, `<name>.assay.json`, as docs/spec/file.md specifies it.

use alloc::borrow::ToOwned as _;
use alloc::string::String;
use core::fmt;
use core::net::{Ipv4Addr, Ipv6Addr};

use crate::error::CertError;
use crate::json::value::{Object, Value};
use crate::verdict::moment;

/// The largest file, in bytes.
pub const MAX_FILE: usize = 5 << 20;
/// The largest asset id, 2^256 − 1.
const MAX_ASSET: &str =
    "115792089237316195423570985008687907853269984665640564039457584007913129639935";
/// The longest name of an issuer, in UTF-16 code units.
const MAX_NAME: usize = 200;

/// The members of a file.
const MEMBERS: [&str; 9] = [
    "assay",
    "service",
    "ledger",
    "asset",
    "imprint",
    "schema",
    "document",
    "evidence",
    "confirmation",
];

/// A certificate's file. All members have their specified form, but nothing is verified: anyone can write a file.
#[derive(Clone, Debug)]
pub struct CertificateFile {
    /// The origin of the service that has the ledger.
    pub service: String,
    /// The ledger's address: `0x` and 40 hexadecimal digits.
    pub ledger: String,
    /// The asset's id in decimal digits.
    pub asset: String,
    /// The imprint of the whole document: 64 lower-case hexadecimal digits.
    pub imprint: String,
    /// The schema, an object.
    pub schema: Value,
    /// The shown part of the document, an object. `None` if the evidence has the values.
    pub document: Option<Value>,
    /// The evidence of any profile.
    pub evidence: Value,
    /// A copy of the service's answer about the issuer.
    pub confirmation: Option<Confirmation>,
}

/// A copy of the service's answer about the issuer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirmation {
    /// The issuer's account: `0x` and 40 hexadecimal digits.
    pub account: String,
    /// The domain that confirmed the account. On a machine for development, it may have a port.
    pub domain: String,
    /// The issuer's name.
    pub name: Option<String>,
}

/// The reason why a text is no certificate's file.
#[derive(Debug)]
#[non_exhaustive]
pub enum FileError {
    /// The text has more than [`MAX_FILE`] bytes.
    TooLarge,
    /// The text is not JSON, or has an object with a repeated key.
    Json(CertError),
    /// The text is JSON, but no object.
    NotObject,
    /// A newer version of the format made the file.
    Newer,
    /// The file has a member that it may not have.
    Unknown(String),
    /// The file lacks a member.
    Missing(&'static str),
    /// A member has another form than specified.
    Malformed(&'static str),
}

impl FileError {
    /// Returns the stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::TooLarge => "file-too-large",
            _ => "file-invalid",
        }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge => formatter.write_str("it is larger than 5 MiB"),
            Self::Json(error) => write!(formatter, "{error}"),
            Self::NotObject => formatter.write_str("it is no JSON object"),
            Self::Newer => {
                formatter.write_str("`assay` is greater than 1, so a newer version made it")
            }
            Self::Unknown(name) => write!(formatter, "it has the unknown member `{name}`"),
            Self::Missing(name) => write!(formatter, "the member `{name}` is missing"),
            Self::Malformed(name) => write!(formatter, "the member `{name}` is malformed"),
        }
    }
}

impl core::error::Error for FileError {}

impl CertificateFile {
    /// Reads a file.
    ///
    /// # Errors
    /// See [`FileError`].
    pub fn parse(text: &str) -> Result<Self, FileError> {
        if text.len() > MAX_FILE {
            return Err(FileError::TooLarge);
        }
        let value = Value::parse(text).map_err(FileError::Json)?;
        let file = Members(value.as_object().ok_or(FileError::NotObject)?);
        // Members of a newer version may be unknown.
        if file.0.get("assay").is_some_and(is_newer) {
            return Err(FileError::Newer);
        }
        if let Some((other, _)) = file.0.iter().find(|(name, _)| !MEMBERS.contains(name)) {
            return Err(FileError::Unknown(other.to_owned()));
        }
        file.get("assay", |value| value.to_json() == "1")?;
        let document = file.get("document", |value| {
            matches!(value, Value::Null | Value::Object(_))
        })?;
        let evidence = file.get("evidence", is_evidence)?;
        let has_values = evidence
            .as_object()
            .and_then(|evidence| evidence.get("values")?.as_array())
            .is_some();
        if matches!(document, Value::Null) && !has_values {
            return Err(FileError::Malformed("document"));
        }
        Ok(Self {
            service: file.text("service", is_origin)?,
            ledger: file.text("ledger", is_address)?,
            asset: file.text("asset", is_asset)?,
            imprint: file.text("imprint", is_imprint)?,
            schema: file
                .get("schema", |value| matches!(value, Value::Object(_)))?
                .clone(),
            document: document.as_object().map(|_| document.clone()),
            evidence: evidence.clone(),
            confirmation: match file.0.get("confirmation") {
                None => None,
                Some(value) => {
                    Some(confirmation(value).ok_or(FileError::Malformed("confirmation"))?)
                }
            },
        })
    }

    /// Returns the address of the certificate's page.
    #[must_use]
    pub fn page(&self) -> String {
        let Self {
            service,
            ledger,
            asset,
            ..
        } = self;
        alloc::format!("{service}/c/{ledger}/{asset}")
    }
}

/// The members of the file's object.
struct Members<'a>(&'a Object);

impl<'a> Members<'a> {
    fn get(
        &self,
        name: &'static str,
        is_right: fn(&Value) -> bool,
    ) -> Result<&'a Value, FileError> {
        let value = self.0.get(name).ok_or(FileError::Missing(name))?;
        if is_right(value) {
            Ok(value)
        } else {
            Err(FileError::Malformed(name))
        }
    }

    fn text(&self, name: &'static str, is_right: fn(&str) -> bool) -> Result<String, FileError> {
        let value = self.0.get(name).ok_or(FileError::Missing(name))?;
        let text = value.as_str().filter(|text| is_right(text));
        text.map(str::to_owned).ok_or(FileError::Malformed(name))
    }
}

fn is_newer(version: &Value) -> bool {
    let Value::Number(version) = version else {
        return false;
    };
    version.to_f64() > 1.0 && version.to_f64() % 1.0 == 0.0
}

/// AIH-1 has a list of proofs, or an object without a profile. The others are objects with the name of their profile.
fn is_evidence(value: &Value) -> bool {
    match value {
        Value::Array(_) => true,
        Value::Object(evidence) => evidence
            .get("profile")
            .is_none_or(|profile| profile.as_str().is_some()),
        _ => false,
    }
}

/// Returns true for the canonical origin of a web service. Only a service on this machine may lack TLS.
fn is_origin(text: &str) -> bool {
    let is_secure = text.starts_with("https://");
    let Some((_, authority)) = text.split_once("://") else {
        return false;
    };
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    };
    let default = if is_secure { "443" } else { "80" };
    let is_port = port.is_none_or(|port| port != default && is_port(port));
    let v4 = host.parse::<Ipv4Addr>().ok();
    let is_here =
        host == "localhost" || host == "[::1]" || v4.is_some_and(|host| host.is_loopback());
    is_port && is_host(host) && (is_secure || (text.starts_with("http://") && is_here))
}

fn is_host(host: &str) -> bool {
    if let Some(inside) = host.strip_prefix('[') {
        let address = inside
            .strip_suffix(']')
            .and_then(|inside| inside.parse().ok());
        return address.is_some_and(|address: Ipv6Addr| alloc::format!("[{address}]") == host);
    }
    is_domain(host)
}

fn is_domain(host: &str) -> bool {
    let is_known =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-".contains(&byte);
    (1..=253).contains(&host.len()) && host.bytes().all(is_known)
}

fn is_port(port: &str) -> bool {
    !port.starts_with('0') && is_digits(port) && port.parse::<u16>().is_ok()
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_address(text: &str) -> bool {
    text.strip_prefix("0x").is_some_and(|digits| {
        digits.len() == 40 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

/// Returns true for an unsigned 256-bit integer without leading zeros.
fn is_asset(text: &str) -> bool {
    // Of two numbers with equally many digits, the greater one is also the greater text.
    let is_small =
        text.len() < MAX_ASSET.len() || (text.len() == MAX_ASSET.len() && text <= MAX_ASSET);
    is_digits(text) && is_small && (text == "0" || !text.starts_with('0'))
}

fn is_imprint(text: &str) -> bool {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    text.len() == 64 && text.bytes().all(is_digit)
}

fn is_time(text: &str) -> bool {
    text.ends_with('Z') && text.contains('T') && moment(text).is_some()
}

fn confirmation(value: &Value) -> Option<Confirmation> {
    let members = value.as_object()?;
    let text = |name: &str, is_right: fn(&str) -> bool| {
        members
            .get(name)?
            .as_str()
            .filter(|text| is_right(text))
            .map(str::to_owned)
    };
    let is_named = |text: &str| match text.rsplit_once(':') {
        None => is_domain(text),
        Some((domain, port)) => is_domain(domain) && is_port(port),
    };
    text("firstSeen", is_time)?;
    text("lastSeen", is_time)?;
    let name = match members.get("name")? {
        Value::Null => None,
        name => Some(
            name.as_str()
                .filter(|name| name.encode_utf16().count() <= MAX_NAME)?
                .to_owned(),
        ),
    };
    (members.iter().count() == 5).then_some(Confirmation {
        account: text("account", is_address)?,
        domain: text("domain", is_named)?,
        name,
    })
}
