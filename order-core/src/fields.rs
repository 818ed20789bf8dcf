//! Reading a request's body: all of its errors at once, each with its code and place.
//!
//! Null, empty text and a value of the wrong type count as missing. A value of the right type that is wrong gets the
//! "not valid" code where the catalogue has one, else the "missing" one.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::str::FromStr;

use serde_json::Value;

use crate::claim::ClaimText;
use crate::error::{Code, FieldError};
use crate::types::{Expiration, Expiry, MAX_SAFE_INTEGER, NotValid};

/// How much of a wrong value an error's sentence repeats, in characters.
const SHOWN: usize = 60;

/// Whether a value is short when it is written.
fn is_plain(value: &Value) -> bool {
    matches!(value, Value::Null | Value::Bool(_) | Value::Number(_))
}

/// A place in the body, and what stands there.
#[derive(Clone, Debug)]
pub struct Field<'v> {
    value: Option<&'v Value>,
    /// Such as `order.actions[1].assetId`.
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

    /// The field of an object; absent if this is none.
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

    /// The elements of a list, each at its place.
    pub fn elements(&self, list: &'v [Value]) -> impl Iterator<Item = Field<'v>> {
        list.iter().enumerate().map(|(index, value)| Field {
            value: Some(value),
            path: format!("{}[{index}]", self.path),
        })
    }

    /// Whether nothing was given here: absent, null or empty text.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self.value {
            None | Some(Value::Null) => true,
            Some(Value::String(text)) => text.is_empty(),
            Some(_) => false,
        }
    }

    /// Text that is not empty.
    #[must_use]
    pub fn text(&self) -> Option<&'v str> {
        self.value?.as_str().filter(|text| !text.is_empty())
    }

    /// A list.
    #[must_use]
    pub fn list(&self) -> Option<&'v [Value]> {
        self.value?.as_array().map(Vec::as_slice)
    }

    /// A boolean.
    pub(crate) fn boolean(&self) -> Option<bool> {
        self.value?.as_bool()
    }

    fn is_object(&self) -> bool {
        self.value.is_some_and(Value::is_object)
    }

    /// A whole number from 0 to 2^53 − 1; `1.7e9` is `1700000000`.
    #[must_use]
    pub fn whole_number(&self) -> Option<u64> {
        whole_number(self.value?)
    }

    /// The value as an error's sentence shows it.
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

    /// The error that this must be something else.
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

/// Below this, reading a number with a fraction or an exponent one or two units in the last place off makes it no whole
/// number, and not another one. JSON readers are that much off unless told otherwise.
const EXACT: f64 = 1e15;

/// A whole number that JavaScript holds exactly, also where it is written with a fraction of zero or an exponent.
fn whole_number(value: &Value) -> Option<u64> {
    if let Some(number) = value.as_u64() {
        return (number <= MAX_SAFE_INTEGER).then_some(number);
    }
    let number = value.as_f64().filter(|number| *number < EXACT)?;
    // The conversion saturates, and drops a fraction: only a whole number comes back from it unchanged.
    let whole = number as u64;
    (whole as f64 == number).then_some(whole)
}

/// Collects the errors of a body while its fields are read.
///
/// A method answers `None` exactly when it has added an error.
#[derive(Debug, Default)]
pub struct Reader {
    errors: Vec<FieldError>,
}

impl Reader {
    /// Adds an error.
    pub fn push(&mut self, error: FieldError) {
        self.errors.push(error);
    }

    /// How many errors there are so far.
    pub(crate) fn count(&self) -> usize {
        self.errors.len()
    }

    /// The value that was read, if there was no error.
    ///
    /// # Errors
    ///
    /// All that were found.
    pub fn finish<T>(self, read: Option<T>) -> Result<T, Vec<FieldError>> {
        match read {
            Some(read) if self.errors.is_empty() => Ok(read),
            _ => Err(self.errors),
        }
    }

    /// An object.
    pub fn object(&mut self, field: &Field<'_>, missing: Code) -> Option<()> {
        if field.is_object() {
            return Some(());
        }
        self.push(field.wrong(missing, "an object"));
        None
    }

    /// Text that is not empty.
    pub(crate) fn text<'v>(&mut self, field: &Field<'v>, missing: Code) -> Option<&'v str> {
        let text = field.text();
        if text.is_none() {
            self.push(field.wrong(missing, "text"));
        }
        text
    }

    /// A value that is written as text. More than one code may say that it is missing.
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
                // A type that cannot be read from empty text says what it must be.
                let expected = match "".parse::<T>() {
                    Err(NotValid(expected)) if field.is_empty() => expected,
                    _ => "text",
                };
                for code in missing {
                    // Codes that say the same of one field are told apart by their own sentences.
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

    /// A value that is written as text and may be missing: `Some(None)`.
    pub(crate) fn optional<T>(&mut self, field: &Field<'_>, not_valid: Code) -> Option<Option<T>>
    where
        T: FromStr<Err = NotValid>,
    {
        match field.text() {
            None => Some(None),
            Some(_) => self.value(field, &[], not_valid).map(Some),
        }
    }

    /// A value that is a whole number.
    pub(crate) fn number<T>(&mut self, field: &Field<'_>, code: Code) -> Option<T>
    where
        T: TryFrom<u64, Error = NotValid>,
    {
        // No enumeration and no number of this contract goes beyond that.
        let number = field.whole_number().unwrap_or(u64::MAX);
        match T::try_from(number) {
            Ok(value) => Some(value),
            Err(NotValid(expected)) => {
                self.push(field.wrong(code, expected));
                None
            }
        }
    }

    /// The expiration of a deployment or an approval, which must not be past.
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
                "the expiration is past",
            ));
            return None;
        }
        Some(expiration)
    }

    /// The text of a claim that has to be there.
    pub(crate) fn claim(&mut self, field: &Field<'_>, missing: Code) -> Option<ClaimText> {
        self.text(field, missing).and_then(ClaimText::new)
    }

    /// A boolean that may be missing.
    pub fn flag(&mut self, field: &Field<'_>, default: bool) -> Option<bool> {
        match field.value {
            None | Some(Value::Null) => Some(default),
            Some(_) => {
                let flag = field.boolean();
                if flag.is_none() {
                    self.push(field.wrong(Code::FieldNotValid, "true or false"));
                }
                flag
            }
        }
    }

    /// A set of numbers of an enumeration.
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
        // A number that is not whole is none of an enumeration, and neither is the largest.
        match from_list(&numbers.unwrap_or_else(|| [u64::MAX].into())) {
            Ok(set) => Some(set),
            Err(NotValid(expected)) => {
                self.push(field.wrong(not_valid, expected));
                None
            }
        }
    }
}
