//! Messages that sign in with an Ethereum account (EIP-4361).
//!
//! This is a strict parser of the standard's grammar. A text has at most one reading, and every byte of the text belongs to a field. The
//! caller compares the fields with the values that the service expects.

use alloc::format;
use alloc::string::String;

use crate::claim::{Claim, ClaimError, eip191_digest};
use crate::types::Address;

/// The end of the first line, after the domain.
const HEADING: &str = " wants you to sign in with your Ethereum account:";

/// The minimum number of characters of a nonce.
const NONCE_MIN: usize = 8;

/// The fields of a message. Times are texts in the form of RFC 3339.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignInMessage<'a> {
    /// The scheme before the domain, such as `https`.
    pub scheme: Option<&'a str>,
    /// The host that asks for the signature, with its port if it has one.
    pub domain: &'a str,
    /// The account that signs.
    pub address: Address,
    /// The sentence for the person who signs.
    pub statement: Option<&'a str>,
    /// The address of the service.
    pub uri: &'a str,
    /// The version of the format.
    pub version: &'a str,
    /// The chain of the account, in decimal.
    pub chain_id: &'a str,
    /// The random text that the service has chosen.
    pub nonce: &'a str,
    /// The time of signing.
    pub issued_at: &'a str,
    /// The end of the message's validity.
    pub expiration_time: Option<&'a str>,
    /// The start of the message's validity.
    pub not_before: Option<&'a str>,
    /// The service's own identifier of the sign-in.
    pub request_id: Option<&'a str>,
    /// The lines of the resources, each as `- ` and an address. Empty if there are none.
    pub resources: &'a str,
}

/// The reason why a text is not a message: the number of a line, counted from 1, and the content that was expected there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAMessage {
    /// The line.
    pub line: usize,
    /// The expected content of the line.
    pub expected: &'static str,
}

impl core::fmt::Display for NotAMessage {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "line {} must be {}", self.line, self.expected)
    }
}

impl core::error::Error for NotAMessage {}

/// The lines of a text that are not read yet.
struct Lines<'a> {
    rest: Option<&'a str>,
    line: usize,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let rest = self.rest?;
        self.line = self.line.saturating_add(1);
        match rest.split_once('\n') {
            Some((line, rest)) => {
                self.rest = Some(rest);
                Some(line)
            }
            None => self.rest.take(),
        }
    }

    /// Reads the next line if it starts with `label`, and returns the text after the label. Fails if this text is not valid. Returns `None`
    /// for any other line, and leaves the line unread.
    fn optional(
        &mut self,
        label: &str,
        expected: &'static str,
        is_valid: impl Fn(&str) -> bool,
    ) -> Result<Option<&'a str>, NotAMessage> {
        match self.rest.and_then(|rest| rest.strip_prefix(label)) {
            Some(_) => self.labelled(label, expected, is_valid).map(Some),
            None => Ok(None),
        }
    }

    /// Reads the next line, which must start with `label`, followed by valid text. Returns the text after the label.
    fn labelled(
        &mut self,
        label: &str,
        expected: &'static str,
        is_valid: impl Fn(&str) -> bool,
    ) -> Result<&'a str, NotAMessage> {
        let line = self.next();
        line.and_then(|line| line.strip_prefix(label))
            .filter(|text| is_valid(text))
            .ok_or(self.wrong(expected))
    }

    fn empty(&mut self) -> Result<(), NotAMessage> {
        let expected = "an empty line";
        self.labelled("", expected, str::is_empty).map(|_| ())
    }

    fn wrong(&self, expected: &'static str) -> NotAMessage {
        NotAMessage {
            line: self.line.max(1),
            expected,
        }
    }
}

impl<'a> SignInMessage<'a> {
    /// Reads a message.
    ///
    /// # Errors
    ///
    /// An error for the first line that does not follow the grammar of EIP-4361.
    pub fn parse(text: &'a str) -> Result<Self, NotAMessage> {
        let mut lines = Lines {
            rest: Some(text),
            line: 0,
        };
        let expected = "the domain and ` wants you to sign in with your Ethereum account:`";
        let first = lines.next().and_then(|line| line.strip_suffix(HEADING));
        let origin = first.ok_or(lines.wrong(expected))?;
        let (scheme, domain) = match origin.split_once("://") {
            Some((scheme, domain)) => (Some(scheme), domain),
            None => (None, origin),
        };
        if !scheme.is_none_or(is_scheme) || !is_domain(domain) {
            return Err(lines.wrong(expected));
        }
        let expected = "the account's address with its checksum (EIP-55)";
        let text = lines.next().ok_or(lines.wrong(expected))?;
        let address: Address = text.parse().map_err(|_| lines.wrong(expected))?;
        if format!("{address}") != text {
            return Err(lines.wrong(expected));
        }
        lines.empty()?;
        let expected = "a sentence of printable ASCII characters, or empty";
        let statement = lines.labelled("", expected, |text| text.chars().all(is_statement))?;
        // Without a statement, this empty line is the last line before the URI.
        if !statement.is_empty() {
            lines.empty()?;
        }
        let message = Self {
            scheme,
            domain,
            address,
            statement: Some(statement).filter(|text| !text.is_empty()),
            uri: lines.labelled("URI: ", "`URI: ` and an address", is_uri)?,
            version: lines.labelled("Version: ", "`Version: 1`", |text| text == "1")?,
            chain_id: lines.labelled("Chain ID: ", "`Chain ID: ` and a number", is_number)?,
            nonce: lines.labelled("Nonce: ", "`Nonce: ` and letters and digits", is_nonce)?,
            issued_at: lines.labelled("Issued At: ", "`Issued At: ` and a time", is_time)?,
            expiration_time: lines.optional(
                "Expiration Time: ",
                "`Expiration Time: ` and a time",
                is_time,
            )?,
            not_before: lines.optional("Not Before: ", "`Not Before: ` and a time", is_time)?,
            request_id: lines.optional("Request ID: ", "`Request ID: ` and a text", |text| {
                is_escaped(text, is_pchar)
            })?,
            resources: "",
        };
        let resources = lines.optional("Resources:", "`Resources:`", str::is_empty)?;
        let listed = match resources {
            Some(_) => lines.rest.unwrap_or_default(),
            None => "",
        };
        while resources.is_some() && lines.rest.is_some() {
            lines.labelled("- ", "`- ` and an address", is_uri)?;
        }
        match lines.rest {
            Some(_) => {
                lines.next();
                Err(lines.wrong("the end of the message"))
            }
            None => Ok(Self {
                resources: listed,
                ..message
            }),
        }
    }
}

impl Claim {
    /// Returns the account that signed a text with a wallet (`personal_sign`).
    ///
    /// # Errors
    ///
    /// [`ClaimError::NotRecoverable`] if no public key can be recovered from the signature.
    pub fn recover_text(&self, text: &str) -> Result<Address, ClaimError> {
        self.recover_digest(&eip191_digest(text.as_bytes()))
    }

    /// Reads a signature over a text: `0x` and 130 hexadecimal digits. Unlike a claim, it does not begin with a kind.
    ///
    /// # Errors
    ///
    /// The reason why `signature` is not a valid signature in this form.
    pub fn of_text(signature: &str) -> Result<Claim, ClaimError> {
        // Wallets sign texts with `personal_sign` only.
        let claim: String = format!("3:{signature}");
        claim.parse()
    }
}

#[cfg(any(test, feature = "sign"))]
impl crate::claim::PrivateKey {
    /// Signs a text with `personal_sign`. Returns the signature as `0x` and 130 hexadecimal digits.
    #[must_use]
    pub fn sign_text(&self, text: &str) -> String {
        let digest = eip191_digest(text.as_bytes());
        let claim = self.sign_digest(crate::claim::ClaimKind::PersonalSign, &digest);
        let text = format!("{claim}");
        text.split_once(':')
            .map_or_else(String::new, |(_, signature)| signature.into())
    }
}

/// Returns true for a scheme as defined in RFC 3986, section 3.1.
fn is_scheme(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
}

/// Returns true for an authority as defined in RFC 3986, section 3.2, without user information. The structure of the authority is not
/// checked.
fn is_domain(text: &str) -> bool {
    !text.is_empty()
        && is_escaped(text, |byte| {
            is_unreserved(byte) || is_sub_delimiter(byte) || matches!(byte, b':' | b'[' | b']')
        })
}

/// Returns true for a scheme, a colon and characters that RFC 3986 allows. The structure of the address is not checked.
fn is_uri(text: &str) -> bool {
    let is_rest = |rest| {
        is_escaped(rest, |byte| {
            is_pchar(byte) || matches!(byte, b'/' | b'?' | b'#' | b'[' | b']')
        })
    };
    text.split_once(':')
        .is_some_and(|(scheme, rest)| is_scheme(scheme) && is_rest(rest))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_nonce(text: &str) -> bool {
    text.len() >= NONCE_MIN && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Returns true for text in the form of a time (RFC 3339). The ranges of the numbers are not checked.
fn is_time(text: &str) -> bool {
    const FORM: &[u8] = b"0000-00-00T00:00:00";
    const OFFSET: &[u8] = b"00:00";
    let fits = |text: &[u8], form: &[u8]| {
        text.len() == form.len()
            && text
                .iter()
                .zip(form)
                .all(|(byte, expected)| match expected {
                    b'0' => byte.is_ascii_digit(),
                    expected => byte == expected,
                })
    };
    let Some((moment, rest)) = text.as_bytes().split_at_checked(FORM.len()) else {
        return false;
    };
    let offset = match rest {
        [b'.', digits @ ..] => {
            let count = digits
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count();
            match digits.split_at_checked(count) {
                Some((_, offset)) if (1..=9).contains(&count) => offset,
                _ => return false,
            }
        }
        offset => offset,
    };
    let is_offset = match offset {
        [b'Z'] => true,
        [b'+' | b'-', offset @ ..] => fits(offset, OFFSET),
        _ => false,
    };
    fits(moment, FORM) && is_offset
}

/// Returns true for a character that a statement may have: `reserved`, `unreserved` or a space.
fn is_statement(character: char) -> bool {
    u8::try_from(character).is_ok_and(|byte| {
        is_unreserved(byte)
            || is_sub_delimiter(byte)
            || matches!(byte, b':' | b'/' | b'?' | b'#' | b'[' | b']' | b'@' | b' ')
    })
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

fn is_sub_delimiter(byte: u8) -> bool {
    matches!(
        byte,
        b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'='
    )
}

fn is_pchar(byte: u8) -> bool {
    is_unreserved(byte) || is_sub_delimiter(byte) || matches!(byte, b':' | b'@')
}

/// Returns true if the text consists of allowed characters and of `%` with two hexadecimal digits.
fn is_escaped(text: &str, is_allowed: impl Fn(u8) -> bool) -> bool {
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let is_digit = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_hexdigit());
        let is_part = match byte {
            b'%' => is_digit(bytes.next()) && is_digit(bytes.next()),
            byte => is_allowed(byte),
        };
        if !is_part {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests;
