//! The operator of an instance: the name, contact and addresses that each page shows.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::reader::{ConfigError, Mistakes, Reader};
use crate::text::{NAME_MAX, is_email, shown_name};

/// Maximum characters of an address.
const ADDRESS_MAX: usize = 500;
/// The bytes of an e-mail address that a link needs in escaped form (RFC 6068, section 2).
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'@')
    .remove(b'.')
    .remove(b'-')
    .remove(b'_')
    .remove(b'+');

/// A way to reach the operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contact {
    /// An e-mail address.
    Email(String),
    /// The https address of a page, such as a contact form.
    Page(String),
}

impl Contact {
    /// Parses an e-mail address or an https address.
    fn parse(text: &str) -> Option<Self> {
        if is_email(text) {
            return Some(Self::Email(text.to_owned()));
        }
        is_address(text).then(|| Self::Page(text.to_owned()))
    }

    /// Returns the e-mail address or the https address, as the operator wrote it.
    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Email(text) | Self::Page(text) => text,
        }
    }

    /// Returns the address for a link.
    pub(crate) fn link(&self) -> String {
        match self {
            Self::Email(address) => {
                format!("mailto:{}", utf8_percent_encode(address, ESCAPED))
            }
            Self::Page(address) => address.clone(),
        }
    }
}

/// The operator of an instance. A member is `None` if its setting is not set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Operator {
    /// The name of the person or organisation; `OPERATOR_NAME`.
    pub name: Option<String>,
    /// The way to reach the operator; `OPERATOR_CONTACT`.
    pub contact: Option<Contact>,
    /// The address of the imprint, which names who is responsible; `OPERATOR_IMPRINT_URL`.
    pub imprint_url: Option<String>,
    /// The address of the privacy notice; `OPERATOR_PRIVACY_URL`.
    pub privacy_url: Option<String>,
}

/// Returns true if a text is an https address that needs no escapes in a link.
fn is_address(text: &str) -> bool {
    let rest = text.strip_prefix("https://").unwrap_or_default();
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_host = host.contains('.') && !host.starts_with('.') && !host.contains('@');
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"\"'<>\\^`{|}".contains(&byte);
    is_host && text.len() <= ADDRESS_MAX && text.bytes().all(is_plain)
}

impl<F: Fn(&str) -> Option<String>> Reader<'_, F> {
    /// Reads the settings about the operator. All of them are optional.
    pub(super) fn operator(&self) -> Result<Operator, ConfigError> {
        let mut wrong = Mistakes::default();
        let name = wrong.note(self.given(
            "OPERATOR_NAME",
            |text| shown_name(text, NAME_MAX).map(str::to_owned),
            "a name of at most 100 visible characters",
        ));
        let contact = wrong.note(self.given(
            "OPERATOR_CONTACT",
            Contact::parse,
            "an e-mail address, or an https address such as `https://uni.example/contact`",
        ));
        let mut address = |variable| {
            let parse = |text: &str| is_address(text).then(|| text.to_owned());
            let what =
                "an https address such as `https://uni.example/legal`, of at most 500 characters";
            wrong.note(self.given(variable, parse, what))
        };
        let imprint_url = address("OPERATOR_IMPRINT_URL");
        let privacy_url = address("OPERATOR_PRIVACY_URL");
        let read = || {
            Some(Operator {
                name: name?,
                contact: contact?,
                imprint_url: imprint_url?,
                privacy_url: privacy_url?,
            })
        };
        wrong.finish(read())
    }

    /// Parses a variable. Returns `None` if it is not set.
    fn given<T>(
        &self,
        name: &str,
        parse: impl Fn(&str) -> Option<T>,
        what: &str,
    ) -> Result<Option<T>, ConfigError> {
        let Some(text) = self.text(name) else {
            return Ok(None);
        };
        let read = parse(&text);
        read.map(Some)
            .ok_or_else(|| ConfigError(format!("`{name}` is `{text}`; it must be {what}")))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Config, ConfigError};
    use super::{Contact, Operator};

    fn read(variables: &[(&str, &str)]) -> Result<Operator, ConfigError> {
        let required = [("PAYMENTS", "off"), ("SERVICE_NAME", "ours")];
        let read = |name: &str| {
            let mut settings = variables.iter().chain(&required);
            let found = settings.find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Config::read(read).map(|config| config.operator)
    }

    #[test]
    fn the_operator_is_not_named_by_default() {
        assert_eq!(read(&[]), Ok(Operator::default()));
        assert_eq!(read(&[("OPERATOR_NAME", " ")]), Ok(Operator::default()));
    }

    #[test]
    fn a_contact_is_an_e_mail_address_or_an_https_address() {
        let contact = |text| read(&[("OPERATOR_CONTACT", text)]).map(|read| read.contact);
        let email = Contact::Email("office@uni.example".to_owned());
        assert_eq!(email.link(), "mailto:office@uni.example");
        assert_eq!(contact("office@uni.example"), Ok(Some(email)));
        let odd = Contact::Email("a?bcc=x&y@uni.example".to_owned());
        assert_eq!(odd.link(), "mailto:a%3Fbcc%3Dx%26y@uni.example");
        let page = Contact::Page("https://uni.example/contact?to=office".to_owned());
        assert_eq!(page.link(), page.as_str());
        assert_eq!(
            contact("https://uni.example/contact?to=office"),
            Ok(Some(page))
        );
    }

    #[test]
    fn wrong_values_name_their_settings() {
        let long = format!("https://uni.example/{}", "a".repeat(500));
        for (name, value) in [
            ("OPERATOR_NAME", "Uni\u{202e}versity"),
            ("OPERATOR_NAME", &"n".repeat(101)),
            ("OPERATOR_CONTACT", "office"),
            ("OPERATOR_CONTACT", "mailto:office@uni.example"),
            ("OPERATOR_CONTACT", "http://uni.example/"),
            ("OPERATOR_CONTACT", "+49 30 1234"),
            ("OPERATOR_IMPRINT_URL", "uni.example/legal"),
            ("OPERATOR_IMPRINT_URL", "javascript:alert(1)"),
            ("OPERATOR_IMPRINT_URL", "https://"),
            ("OPERATOR_IMPRINT_URL", "https://uni/legal"),
            ("OPERATOR_IMPRINT_URL", "https://me@uni.example/"),
            ("OPERATOR_PRIVACY_URL", "https://uni.example/\"onclick=x"),
            ("OPERATOR_PRIVACY_URL", "https://uni.example/a b"),
            ("OPERATOR_PRIVACY_URL", &long),
        ] {
            let why = read(&[(name, value)]).unwrap_err().0;
            assert!(why.contains(&format!("`{name}` is ")), "{value}: {why}");
        }
    }
}
