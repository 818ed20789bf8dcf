//! Reads a request's body and collects all of its errors, each with its code and path.
//!
//! Null, empty text and a value of the wrong type count as missing. A wrong value of the right type gets the field's
//! "not valid" code if the catalogue has one. Otherwise it gets the "missing" code.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::str::FromStr;

use serde_json::Value;

use crate::claim::ClaimText;
use crate::error::{Code, FieldError};
use crate::types::{Expiration, Expiry, MAX_SAFE_INTEGER, NotValid};

/// The maximum number of characters of a wrong value that an error message repeats.
const SHOWN: usize = 60;

/// Returns true for the types whose text is always short.
fn is_plain(value: &Value) -> bool {
    matches!(value, Value::Null | Value::Bool(_) | Value::Number(_))
}

/// A field of the body: its path and its value, if it has one.
#[derive(Clone, Debug)]
pub struct Field<'v> {
    value: Option<&'v Value>,
    /// The path, such as `order.actions[1].assetId`.
    pub path: String,
}

impl<'v> Field<'v> {
    /// The body itself.
    #[must_use]
    pub fn body(value: &'v Value) -> Field<'v> {
        Field {
            value: Some(value),
            path: String::new(),
        }
    }

    /// Returns the member with this key. The member is absent if this field is not an object.
    #[must_use]
    pub fn get(&self, key: &str) -> Field<'v> {
        let path = if self.path.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        };
        Field {
            value: self.value.and_then(|value| value.get(key)),
            path,
        }
    }

    /// Returns the elements of a list, each with its path.
    pub fn elements(&self, list: &'v [Value]) -> impl Iterator<Item = Field<'v>> {
        list.iter().enumerate().map(|(index, value)| Field {
            value: Some(value),
            path: format!("{}[{index}]", self.path),
        })
    }

    /// Returns true if the field is absent, null or empty text.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self.value {
            None | Some(Value::Null) => true,
            Some(Value::String(text)) => text.is_empty(),
            Some(_) => false,
        }
    }

    /// Returns the text. `None` if the value is not a string, or is empty.
    #[must_use]
    pub fn text(&self) -> Option<&'v str> {
        self.value?.as_str().filter(|text| !text.is_empty())
    }

    /// Returns the elements if this is a list.
    #[must_use]
    pub fn list(&self) -> Option<&'v [Value]> {
        self.value?.as_array().map(Vec::as_slice)
    }

    /// Returns the value if it is a boolean.
    #[must_use]
    pub fn boolean(&self) -> Option<bool> {
        self.value?.as_bool()
    }

    fn is_object(&self) -> bool {
        self.value.is_some_and(Value::is_object)
    }

    /// Returns the number if it is a whole number from 0 to 2^53 − 1; `1.7e9` is `1700000000`.
    #[must_use]
    pub fn whole_number(&self) -> Option<u64> {
        whole_number(self.value?)
    }

    /// Returns the value as an error message shows it.
    fn shown(&self) -> String {
        let text = match self.value {
            Some(Value::String(text)) => text.to_owned(),
            Some(Value::Array(list)) if list.len() <= SHOWN && list.iter().all(is_plain) => {
                Value::from(list.as_slice()).to_string()
            }
            Some(Value::Array(list)) => return format!("a list of {}", list.len()),
            Some(Value::Object(_)) => return "an object".to_owned(),
            Some(other) => other.to_string(),
            None => return "nothing".to_owned(),
        };
        let start: String = text.chars().take(SHOWN).collect();
        if start.len() < text.len() {
            format!("`{start}…`")
        } else {
            format!("`{start}`")
        }
    }

    /// Returns an error whose message says what the field must be.
    #[must_use]
    pub fn wrong(&self, code: Code, expected: &str) -> FieldError {
        let message = if self.is_empty() {
            format!("`{}` is missing: it must be {expected}", self.path)
        } else {
            format!("`{}` must be {expected}, not {}", self.path, self.shown())
        };
        FieldError::with_message(code, &*self.path, message)
    }
}

/// JSON readers may be wrong by one or two units in the last place for a number with a fraction or an exponent. Below this limit, such an
/// error turns a whole number into a fraction, but never into another whole number.
const EXACT: f64 = 1e15;

/// Returns a whole number that JavaScript represents exactly. `None` for any other value. The number may have a fraction of zero or an
/// exponent.
fn whole_number(value: &Value) -> Option<u64> {
    if let Some(number) = value.as_u64() {
        return (number <= MAX_SAFE_INTEGER).then_some(number);
    }
    let number = value.as_f64().filter(|number| *number < EXACT)?;
    // The conversion saturates and drops a fraction, so only whole numbers survive the round trip.
    let whole = number as u64;
    (whole as f64 == number).then_some(whole)
}

/// Collects the errors of a body while its fields are read.
///
/// A method that reads a field returns `None` if and only if it has added an error.
#[derive(Debug, Default)]
pub struct Reader {
    errors: Vec<FieldError>,
}

impl Reader {
    /// Adds an error.
    pub fn push(&mut self, error: FieldError) {
        self.errors.push(error);
    }

    /// Returns the number of errors so far.
    pub(crate) fn count(&self) -> usize {
        self.errors.len()
    }

    /// Returns the value if no error was added.
    ///
    /// # Errors
    ///
    /// All errors that were added.
    pub fn finish<T>(self, read: Option<T>) -> Result<T, Vec<FieldError>> {
        match read {
            Some(read) if self.errors.is_empty() => Ok(read),
            _ => Err(self.errors),
        }
    }

    /// Requires an object.
    pub fn object(&mut self, field: &Field<'_>, missing: Code) -> Option<()> {
        if field.is_object() {
            return Some(());
        }
        self.push(field.wrong(missing, "an object"));
        None
    }

    /// Reads a text that is not empty.
    pub(crate) fn text<'v>(&mut self, field: &Field<'v>, missing: Code) -> Option<&'v str> {
        let text = field.text();
        if text.is_none() {
            self.push(field.wrong(missing, "text"));
        }
        text
    }

    /// Reads a value that is written as text. A missing value adds an error for each code of `missing`.
    pub(crate) fn value<T>(
        &mut self,
        field: &Field<'_>,
        missing: &[Code],
        not_valid: Code,
    ) -> Option<T>
    where
        T: FromStr<Err = NotValid>,
    {
        match field.text().map(str::parse) {
            Some(Ok(value)) => return Some(value),
            Some(Err(NotValid(expected))) => self.push(field.wrong(not_valid, expected)),
            None => {
                // The type's error for empty text describes the expected value.
                let expected = match "".parse::<T>() {
                    Err(NotValid(expected)) if field.is_empty() => expected,
                    _ => "text",
                };
                for code in missing {
                    // If a missing field has several codes, each code has its own message, so they can be distinguished.
                    self.push(if field.is_empty() && missing.len() > 1 {
                        FieldError::new(*code, &*field.path)
                    } else {
                        field.wrong(*code, expected)
                    });
                }
            }
        }
        None
    }

    /// Reads an optional value that is written as text. Returns `Some(None)` if it is missing.
    pub(crate) fn optional<T>(&mut self, field: &Field<'_>, not_valid: Code) -> Option<Option<T>>
    where
        T: FromStr<Err = NotValid>,
    {
        match field.text() {
            None => Some(None),
            Some(_) => self.value(field, &[], not_valid).map(Some),
        }
    }

    /// Reads a value that is a whole number.
    pub(crate) fn number<T>(&mut self, field: &Field<'_>, code: Code) -> Option<T>
    where
        T: TryFrom<u64, Error = NotValid>,
    {
        // `u64::MAX` is outside every enumeration and every number range of the interface, so it is refused.
        let number = field.whole_number().unwrap_or(u64::MAX);
        match T::try_from(number) {
            Ok(value) => Some(value),
            Err(NotValid(expected)) => {
                self.push(field.wrong(code, expected));
                None
            }
        }
    }

    /// Reads the expiration of a deployment or an approval, which must not be in the past.
    pub(crate) fn lasting(
        &mut self,
        field: &Field<'_>,
        missing: Code,
        past: Code,
        expiry: Expiry,
        now_ms: u64,
    ) -> Option<Expiration> {
        let expiration: Expiration = self.number(field, missing)?;
        if expiration.is_past(expiry, now_ms) {
            self.push(FieldError::with_message(
                past,
                &*field.path,
                "the expiration is in the past",
            ));
            return None;
        }
        Some(expiration)
    }

    /// Reads the text of a required claim.
    pub(crate) fn claim(&mut self, field: &Field<'_>, missing: Code) -> Option<ClaimText> {
        self.text(field, missing).and_then(ClaimText::new)
    }

    /// Reads an optional boolean. The inner `None` means that the field is missing or null.
    pub fn flag(&mut self, field: &Field<'_>) -> Option<Option<bool>> {
        match field.value {
            None | Some(Value::Null) => Some(None),
            Some(_) => {
                let flag = field.boolean();
                if flag.is_none() {
                    self.push(field.wrong(Code::FieldNotValid, "true or false"));
                }
                flag.map(Some)
            }
        }
    }

    /// Reads a set of numbers of an enumeration.
    pub(crate) fn numbers<T>(
        &mut self,
        field: &Field<'_>,
        from_list: fn(&[u64]) -> Result<T, NotValid>,
        missing: Code,
        not_valid: Code,
    ) -> Option<T> {
        let Some(list) = field.list() else {
            self.push(field.wrong(missing, "a list of numbers"));
            return None;
        };
        let numbers: Option<Vec<u64>> = list.iter().map(whole_number).collect();
        // A number that is not whole is replaced by the largest number, which no enumeration contains.
        match from_list(&numbers.unwrap_or_else(|| [u64::MAX].into())) {
            Ok(set) => Some(set),
            Err(NotValid(expected)) => {
                self.push(field.wrong(not_valid, expected));
                None
            }
        }
    }
}
