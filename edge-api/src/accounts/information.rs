//! The information that an account provides about itself (`docs/interface.md`, "Account information").
//!
//! It is in one column, which `DELETE /account/information` empties. The account's row stays, because an account is a key pair with a balance and a
//! history, and idempotency keys refer to it. A test searches every table and log line for erased values.

use order_core::{Code, Field, FieldError, Reader};
use serde_json::{Map, Value};

use crate::api::{
    AccountInformation as Information, CompanyInformation as Company, PhoneNumber as Phone,
};
use crate::text::is_email;

/// Maximum number of characters of a string field.
const TEXT_MAX: usize = 255;

impl Information {
    /// Parses a request body, or returns the errors of all fields.
    pub(crate) fn parse(body: &Value) -> Result<Self, Vec<FieldError>> {
        if body.as_object().is_none_or(Map::is_empty) {
            let message = "the body must be an object with the account's information";
            let code = Code::AccountInformationMissing;
            return Err(vec![FieldError::with_message(code, "", message)]);
        }
        let (body, mut reader) = (Field::body(body), Reader::default());
        let mut line = |name, missing| text(&mut reader, &body.get(name), missing);
        let first_name = line("firstName", Code::FirstNameMissing);
        let last_name = line("lastName", Code::LastNameMissing);
        let email = line("email", Code::EmailMissing);
        let street_address = line("streetAddress", Code::StreetAddressMissing);
        let postal_code = line("postalCode", Code::PostalCodeMissing);
        let city = line("city", Code::CityMissing);
        let country = line("country", Code::CountryMissing);
        if email.as_deref().is_some_and(|email| !is_email(email)) {
            let expected = "an e-mail address such as `name@example.com`";
            let error = body.get("email").wrong(Code::EmailNotValid, expected);
            reader.push(error);
        }
        let is_company = reader
            .flag(&body.get("isCompany"))
            .map(|is_company| is_company.unwrap_or(false));
        let company_information = match is_company {
            Some(true) => company(&mut reader, &body.get("companyInformation")).map(Some),
            _ => Some(None),
        };
        let read = || {
            Some(Self {
                first_name: first_name?,
                last_name: last_name?,
                email: email?,
                street_address: street_address?,
                postal_code: postal_code?,
                city: city?,
                country: country?,
                is_company: is_company?,
                company_information: company_information?,
            })
        };
        reader.finish(read())
    }
}

/// Reads a string that is not blank and has at most 255 characters. Otherwise adds an error and returns `None`.
fn text(reader: &mut Reader, field: &Field<'_>, missing: Code) -> Option<String> {
    let text = field.text().filter(|text| !text.trim().is_empty());
    let (code, expected) = match text {
        Some(text) if text.chars().count() <= TEXT_MAX => return Some(text.to_owned()),
        Some(_) => (
            Code::FieldNotValid,
            format!("at most {TEXT_MAX} characters"),
        ),
        None => (missing, "a string that is not blank".to_owned()),
    };
    reader.push(field.wrong(code, &expected));
    None
}

fn company(reader: &mut Reader, at: &Field<'_>) -> Option<Company> {
    reader.object(at, Code::CompanyInformationMissing)?;
    let mut line = |name, missing| text(reader, &at.get(name), missing);
    let name = line("name", Code::CompanyNameMissing);
    let street_address = line("streetAddress", Code::CompanyStreetAddressMissing);
    let postal_code = line("postalCode", Code::CompanyPostalCodeMissing);
    let city = line("city", Code::CompanyCityMissing);
    let country = line("country", Code::CompanyCountryMissing);
    let tax_number = line("taxNumber", Code::CompanyTaxNumberMissing);
    let phone = at.get("phoneNumber");
    let phone_number = match phone.whole_number() {
        Some(number) => Some(Phone::Number(number)),
        None => text(reader, &phone, Code::CompanyPhoneNumberMissing).map(Phone::Text),
    };
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
