//! Deserializers for columns whose values are stored as text or numbers, for `#[serde(deserialize_with = …)]`.

use order_core::{Amount, AssetId, B256, NotValid, json};
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::ports::{DatabaseError, Rows};

/// A value that is stored as 64 hex digits.
pub(crate) trait Hex64: Sized {
    /// Parses the digits.
    ///
    /// # Errors
    /// If the string does not consist of 64 hex digits, or its value is not valid.
    fn read(digits: &str) -> Result<Self, NotValid>;
}

impl Hex64 for Amount {
    fn read(digits: &str) -> Result<Self, NotValid> {
        Self::from_hex64(digits)
    }
}

impl Hex64 for AssetId {
    fn read(digits: &str) -> Result<Self, NotValid> {
        Self::from_hex64(digits)
    }
}

/// Reads 64 hex digits.
pub(crate) fn hex64<'de, D: Deserializer<'de>, T: Hex64>(column: D) -> Result<T, D::Error> {
    T::read(&String::deserialize(column)?).map_err(D::Error::custom)
}

/// Reads a hash: `0x` and 64 hex digits.
pub(crate) fn hash<'de, D: Deserializer<'de>>(column: D) -> Result<B256, D::Error> {
    let text = String::deserialize(column)?;
    text.parse().map_err(D::Error::custom)
}

/// Reads SQLite's 0 or 1.
pub(crate) fn flag<'de, D: Deserializer<'de>>(column: D) -> Result<bool, D::Error> {
    u8::deserialize(column).map(|flag| flag != 0)
}

/// Reads JSON text.
pub(crate) fn json<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    column: D,
) -> Result<T, D::Error> {
    json::from_text(&String::deserialize(column)?).map_err(D::Error::custom)
}

/// Reads optional JSON text.
pub(crate) fn optional_json<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    column: D,
) -> Result<Option<T>, D::Error> {
    let text = Option::<String>::deserialize(column)?;
    text.map(|text| json::from_text(&text).map_err(D::Error::custom))
        .transpose()
}

/// SQL for a JSON object of the columns of a row `$alias`. With such objects, a statement selects rows of different tables, which
/// [`parts`] reads.
macro_rules! object {
    ($alias:literal: $first:tt $($column:tt)*) => {
        const_format::concatcp!(
            "json_object('", stringify!($first), "', ", $alias, ".", stringify!($first),
            $(", '", stringify!($column), "', ", $alias, ".", stringify!($column),)*
            ")"
        )
    };
}
pub(crate) use object;

/// Returns the rows of a statement that selects rows of different tables, with the columns `part`, which is the name of a table, and
/// `item`, a JSON object.
///
/// # Errors
/// If an object is not JSON.
pub(crate) fn parts<const N: usize>(
    rows: Rows,
    tables: [&str; N],
) -> Result<[Rows; N], DatabaseError> {
    #[derive(Deserialize)]
    struct Part {
        part: String,
        #[serde(deserialize_with = "json")]
        item: Value,
    }
    let mut left: Vec<Part> = rows.all()?;
    Ok(tables.map(|table| {
        let (own, others) = left.drain(..).partition(|row| row.part == table);
        left = others;
        let own: Vec<Part> = own;
        let items = own.into_iter().map(|row| row.item);
        Rows::carried(items.collect(), &format!("FROM {table}"))
    }))
}
