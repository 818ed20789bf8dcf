//! What an account says about itself (interface specification, "Account information"): read with all errors at once.

use order_core::{Code, FieldError};
use serde_json::{Map, Value};

use crate::api::{
    AccountInformation as Information, CompanyInformation as Company, PhoneNumber as Phone,
};

/// Characters of a text field at most.
const TEXT_MAX: usize = 255;
/// Characters of an e-mail address at most (RFC 5321, 4.5.3.1.3, less its angle brackets).
const EMAIL_MAX: usize = 254;

impl Information {
    /// Reads a body, or finds every error of every field.
    pub(crate) fn parse(body: &Value) -> Result<Self, Vec<FieldError>> {
        let Some(body) = body.as_object().filter(|fields| !fields.is_empty()) else {
            let message = "the body must be an object with the account's information";
            return Err(vec![FieldError::with_message(
                Code::AccountInformationMissing,
                "",
                message,
            )]);
        };
        let mut errors = Vec::new();
        let mut reader = Reader {
            fields: body,
            prefix: "",
            errors: &mut errors,
        };
        let first_name = reader.text("firstName", Code::FirstNameMissing);
        let last_name = reader.text("lastName", Code::LastNameMissing);
        let email = reader.email();
        let street_address = reader.text("streetAddress", Code::StreetAddressMissing);
        let postal_code = reader.text("postalCode", Code::PostalCodeMissing);
        let city = reader.text("city", Code::CityMissing);
        let country = reader.text("country", Code::CountryMissing);
        let is_company = reader.flag("isCompany");
        let company = match is_company {
            Some(true) => reader.company().map(Some),
            _ => Some(None),
        };
        let information = (|| {
            Some(Self {
                first_name: first_name?,
                last_name: last_name?,
                email: email?,
                street_address: street_address?,
                postal_code: postal_code?,
                city: city?,
                country: country?,
                is_company: is_company?,
                company_information: company?,
            })
        })();
        information.filter(|_| errors.is_empty()).ok_or(errors)
    }
}

/// Reads the fields of one object; a method answers `None` exactly when it has added an error.
struct Reader<'a> {
    fields: &'a Map<String, Value>,
    prefix: &'a str,
    errors: &'a mut Vec<FieldError>,
}

impl Reader<'_> {
    fn wrong<T>(&mut self, key: &str, code: Code, expected: &str) -> Option<T> {
        let path = format!("{}{key}", self.prefix);
        let message = format!("`{path}` must be {expected}");
        self.errors
            .push(FieldError::with_message(code, path, message));
        None
    }

    /// Text that says something; blank text says nothing.
    fn text(&mut self, key: &str, missing: Code) -> Option<String> {
        let text = self.fields.get(key).and_then(Value::as_str);
        match text.filter(|text| !text.trim().is_empty()) {
            None => self.wrong(key, missing, "text that is not empty"),
            Some(text) if text.chars().count() > TEXT_MAX => {
                let expected = format!("at most {TEXT_MAX} characters");
                self.wrong(key, Code::FieldNotValid, &expected)
            }
            Some(text) => Some(text.to_owned()),
        }
    }

    fn email(&mut self) -> Option<String> {
        let text = self.text("email", Code::EmailMissing)?;
        if is_email(&text) {
            Some(text)
        } else {
            let expected = "an e-mail address such as `name@example.com`";
            self.wrong("email", Code::EmailNotValid, expected)
        }
    }

    fn flag(&mut self, key: &str) -> Option<bool> {
        match self.fields.get(key) {
            None | Some(Value::Null) => Some(false),
            Some(Value::Bool(flag)) => Some(*flag),
            Some(_) => self.wrong(key, Code::FieldNotValid, "true or false"),
        }
    }

    fn company(&mut self) -> Option<Company> {
        const KEY: &str = "companyInformation";
        let Some(fields) = self.fields.get(KEY).and_then(Value::as_object) else {
            let expected = "an object where `isCompany` is true";
            return self.wrong(KEY, Code::CompanyInformationMissing, expected);
        };
        let mut reader = Reader {
            fields,
            prefix: "companyInformation.",
            errors: self.errors,
        };
        let name = reader.text("name", Code::CompanyNameMissing);
        let street_address = reader.text("streetAddress", Code::CompanyStreetAddressMissing);
        let postal_code = reader.text("postalCode", Code::CompanyPostalCodeMissing);
        let city = reader.text("city", Code::CompanyCityMissing);
        let country = reader.text("country", Code::CompanyCountryMissing);
        let tax_number = reader.text("taxNumber", Code::CompanyTaxNumberMissing);
        let phone_number = reader.phone("phoneNumber");
        Some(Company {
            name: name?,
            street_address: street_address?,
            postal_code: postal_code?,
            city: city?,
            country: country?,
            tax_number: tax_number?,
            phone_number: phone_number?,
        })
    }

    fn phone(&mut self, key: &str) -> Option<Phone> {
        const MISSING: Code = Code::CompanyPhoneNumberMissing;
        match self.fields.get(key) {
            Some(Value::Number(number)) => match number.as_u64() {
                Some(number) => Some(Phone::Number(number)),
                None => self.wrong(key, MISSING, "a whole number, or text"),
            },
            _ => self.text(key, MISSING).map(Phone::Text),
        }
    }
}

/// Whether a text has the shape of an e-mail address: what RFC 5321 calls a mailbox with a dot-string and a domain of
/// at least two labels, letters of any script included (RFC 6531). Whether mail arrives is another question.
fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    let is_atom = |atom: &str| {
        !atom.is_empty()
            && atom
                .chars()
                .all(|c| c.is_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(c))
    };
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c.is_alphanumeric() || c == '-')
    };
    let is_top = |label: &str| !label.chars().all(|c| c.is_ascii_digit());
    text.chars().count() <= EMAIL_MAX
        && local.len() <= 64
        && local.split('.').all(is_atom)
        && domain.contains('.')
        && domain.split('.').all(is_label)
        && domain.rsplit('.').next().is_some_and(is_top)
}

#[cfg(test)]
mod tests {
    use super::is_email;

    #[test]
    fn an_address_is_a_mailbox_at_a_domain() {
        for good in [
            "a@example.com",
            "first.last+tag@sub.example.co",
            "o'hara@example.com",
            "jürgen@münchen.example",
            "x@1.example",
        ] {
            assert!(is_email(good), "{good}");
        }
        let long = format!("{}@example.com", "a".repeat(65));
        let longer = format!("a@{}.com", ["b"; 130].join("."));
        for bad in [
            "",
            "a",
            "@",
            "a@",
            "@example.com",
            "a@localhost",
            "a@b@example.com",
            "a b@example.com",
            "a@exa mple.com",
            ".a@example.com",
            "a.@example.com",
            "a..b@example.com",
            "a@example..com",
            "a@.example.com",
            "a@example.com.",
            "a@-example.com",
            "a@example-.com",
            "a@127.0.0.1",
            "a@[127.0.0.1]",
            "a@example.com\n",
            "a\r\nbcc:b@example.com",
            "<a@example.com>",
            "a@example.com,b@example.com",
            "\"a\"@example.com",
            long.as_str(),
            longer.as_str(),
        ] {
            assert!(!is_email(bad), "{bad}");
        }
    }
}
