//! The kinds of query parameters.

use std::marker::PhantomData;
use std::str::FromStr;

use http::StatusCode;
use order_core::Status;

use super::{Kind, Query};
use crate::failure::{Problem, invalid};

/// A list of references or ids. A value that is not an id matches no item.
pub(crate) struct Ids<T>(PhantomData<T>);

impl<T: FromStr> Kind for Ids<T> {
    type Value = Option<Vec<T>>;

    fn read(query: &Query, name: &str, errors: &mut Vec<Problem>) -> Self::Value {
        let ids = query.list(name, errors)?;
        Some(ids.iter().filter_map(|id| id.parse().ok()).collect())
    }

    #[cfg(feature = "native")]
    fn schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "array", "items": { "type": "string" } })
    }
}

/// The value that items must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Filter<T> {
    /// Any value.
    All,
    Only(T),
    /// No item has the value, because it is not valid.
    Nothing,
}

/// A value that items must have, such as an owner. A value that is not valid matches no item.
pub(crate) struct Matching<T>(PhantomData<T>);

impl<T: FromStr> Kind for Matching<T> {
    type Value = Filter<T>;

    fn read(query: &Query, name: &str, _: &mut Vec<Problem>) -> Self::Value {
        match query.get(name).map(str::parse) {
            None => Filter::All,
            Some(Ok(value)) => Filter::Only(value),
            Some(Err(_)) => Filter::Nothing,
        }
    }

    #[cfg(feature = "native")]
    fn schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string" })
    }
}

/// A list of statuses of records.
pub(crate) enum Statuses {}

impl Kind for Statuses {
    type Value = Option<Vec<Status>>;

    fn read(query: &Query, name: &str, errors: &mut Vec<Problem>) -> Self::Value {
        let status = |value: &String| Status::try_from(value.parse::<u64>().ok()?).ok();
        let values = query.list(name, errors)?;
        let parsed: Option<Vec<Status>> = values.iter().map(status).collect();
        if parsed.is_none() {
            let message = format!("`{name}` must list request statuses, 0 to 7");
            errors.push(invalid(name, message));
        }
        parsed
    }

    #[cfg(feature = "native")]
    fn schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let status = generator.subschema_for::<Status>();
        schemars::json_schema!({ "type": "array", "items": status })
    }
}

/// A value that has one of a few names in query strings.
pub(crate) trait Named: Clone + 'static {
    const ALL: &'static [Self];

    fn name(&self) -> &str;
}

/// A list of names.
pub(crate) struct Names<T>(PhantomData<T>);

impl<T: Named> Kind for Names<T> {
    type Value = Option<Vec<T>>;

    fn read(query: &Query, name: &str, errors: &mut Vec<Problem>) -> Self::Value {
        let named = |text: &String| T::ALL.iter().find(|value| value.name() == text).cloned();
        let parsed: Option<Vec<T>> = query.list(name, errors)?.iter().map(named).collect();
        if parsed.is_none() {
            let names: Vec<&str> = T::ALL.iter().map(T::name).collect();
            let names = names.join("`, `");
            let message = format!("`{name}` must list one or more of `{names}`");
            errors.push(invalid(name, message));
        }
        parsed
    }

    #[cfg(feature = "native")]
    fn schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let names: Vec<&str> = T::ALL.iter().map(T::name).collect();
        schemars::json_schema!({ "type": "array", "items": { "type": "string", "enum": names } })
    }
}

/// An HTTP status.
pub(crate) enum HttpStatus {}

impl Kind for HttpStatus {
    type Value = Option<StatusCode>;

    fn read(query: &Query, name: &str, errors: &mut Vec<Problem>) -> Self::Value {
        let status = StatusCode::from_bytes(query.get(name)?.as_bytes()).ok();
        if status.is_none() {
            let message = format!("`{name}` must be an HTTP status such as 200");
            errors.push(invalid(name, message));
        }
        status
    }

    #[cfg(feature = "native")]
    fn schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "integer", "minimum": 100, "maximum": 999 })
    }
}

/// A text, which the handler parses.
pub(crate) enum Text {}

impl Kind for Text {
    type Value = Option<String>;

    fn read(query: &Query, name: &str, _: &mut Vec<Problem>) -> Self::Value {
        query.get(name).map(str::to_owned)
    }

    #[cfg(feature = "native")]
    fn schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string" })
    }
}

/// A URL, which the handler parses.
pub(crate) enum Link {}

impl Kind for Link {
    type Value = Option<String>;

    fn read(query: &Query, name: &str, errors: &mut Vec<Problem>) -> Self::Value {
        Text::read(query, name, errors)
    }

    #[cfg(feature = "native")]
    fn schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "format": "uri" })
    }
}

/// A type with a JSON Schema. The Worker describes no types.
#[cfg(feature = "native")]
pub(crate) use schemars::JsonSchema as Described;
#[cfg(not(feature = "native"))]
pub(crate) trait Described {}
#[cfg(not(feature = "native"))]
impl<T> Described for T {}

/// A value of a type that must be given. The handler parses it, and reports a missing one.
pub(crate) struct Required<T>(PhantomData<T>);

impl<T: Described> Kind for Required<T> {
    type Value = Option<String>;

    #[cfg(feature = "native")]
    const IS_REQUIRED: bool = true;

    fn read(query: &Query, name: &str, errors: &mut Vec<Problem>) -> Self::Value {
        Text::read(query, name, errors)
    }

    #[cfg(feature = "native")]
    fn schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        generator.subschema_for::<T>()
    }
}

#[cfg(test)]
mod tests {
    use order_core::Address;

    use super::*;

    fn read<K: Kind>(text: &str) -> (K::Value, usize) {
        let mut errors = Vec::new();
        let value = K::read(&Query::parse("/orders", text), "a", &mut errors);
        (value, errors.len())
    }

    #[test]
    fn values_that_are_no_ids_match_nothing() {
        assert_eq!(read::<Ids<u8>>("a=1,x,3"), (Some(vec![1, 3]), 0));
        assert_eq!(read::<Ids<u8>>("a=x"), (Some(vec![]), 0));
        assert_eq!(read::<Ids<u8>>("a="), (None, 0));
        assert_eq!(read::<Matching<Address>>("a=x"), (Filter::Nothing, 0));
        assert_eq!(read::<Matching<Address>>("a="), (Filter::All, 0));
        assert_eq!(read::<Matching<u8>>("a=7"), (Filter::Only(7), 0));
    }

    #[test]
    fn wrong_statuses_are_one_error() {
        let last = [Status::Initialized, Status::Finalized];
        assert_eq!(read::<Statuses>("a=0,7"), (Some(last.to_vec()), 0));
        assert_eq!(read::<Statuses>("a=0,8,x"), (None, 1));
        assert_eq!(read::<HttpStatus>("a=99").1, 1);
    }
}
