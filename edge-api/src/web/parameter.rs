//! Declarations of query parameters. A declaration names each parameter once: reading, the check for unknown names and the description of
//! the API use it. See `docs/decisions/0056-declarations.md`.

use super::Query;
use crate::failure::{Failure, Problem};

/// A query parameter of a route.
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    #[cfg(feature = "native")]
    pub(crate) description: &'static str,
    #[cfg(feature = "native")]
    pub(crate) is_required: bool,
    #[cfg(feature = "native")]
    pub(crate) schema: fn(&mut schemars::SchemaGenerator) -> schemars::Schema,
}

/// A kind of parameter: how its text is read, and the JSON Schema of its values.
pub(crate) trait Kind {
    type Value;

    /// True if the description says that the parameter must be given. The handler checks it.
    #[cfg(feature = "native")]
    const IS_REQUIRED: bool = false;

    /// Reads the parameter. Adds an error if it is not valid.
    fn read(query: &Query, name: &str, errors: &mut Vec<Problem>) -> Self::Value;

    /// Returns the schema of the values. The values of a list are separated by commas.
    #[cfg(feature = "native")]
    fn schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema;
}

/// The query parameters of a route, or a group of parameters that several routes have.
pub(crate) trait Parameters: Sized {
    /// The parameters that belong to no group.
    const OWN: &'static [Parameter];

    /// The parameters of each group.
    const GROUPS: &'static [&'static [Parameter]] = &[];

    /// True if the route answers with pages of a list.
    const IS_LIST: bool = false;

    /// Reads all parameters. Adds an error for each that is not valid.
    fn read(query: &Query, errors: &mut Vec<Problem>) -> Self;
}

impl Query {
    /// Reads a route's parameters. Fails with all errors in them.
    pub(crate) fn parsed<Q: Parameters>(&self) -> Result<Q, Failure> {
        self.read(Q::read)
    }
}

/// Describes a parameter of a kind: `parameter!("name", "A sentence.", Kind)`. For a parameter of a group that is read with others:
/// `parameter!("name", "A sentence.", schema { … })`.
macro_rules! parameter {
    ($name:expr, $description:expr, schema $schema:tt) => {
        $crate::web::Parameter {
            name: $name,
            #[cfg(feature = "native")]
            description: $description,
            #[cfg(feature = "native")]
            is_required: false,
            #[cfg(feature = "native")]
            schema: |_| schemars::json_schema!($schema),
        }
    };
    ($name:expr, $description:expr, $kind:ty) => {
        $crate::web::Parameter {
            name: $name,
            #[cfg(feature = "native")]
            description: $description,
            #[cfg(feature = "native")]
            is_required: <$kind as $crate::web::Kind>::IS_REQUIRED,
            #[cfg(feature = "native")]
            schema: <$kind as $crate::web::Kind>::schema,
        }
    };
}
pub(crate) use parameter;

/// Declares the query parameters of a route. Each parameter has a sentence, a field, a name and a [`Kind`]:
///
/// ```text
/// query! {
///     pub(super) struct AssetQuery {
///         ..page: Page,                            // the parameters of every list
///         /// Only items with one of these ids.
///         ids ("filterIds"): Ids<AssetId>,
///         ..period: Period,                        // optional: `fromDate` and `toDate`
///     }
/// }
/// ```
macro_rules! query {
    (
        $(#[doc = $about:literal])*
        $visibility:vis struct $query:ident {
            ..$group:ident: $Group:ty,
            $($(#[doc = $text:literal])+ $field:ident ($name:literal): $kind:ty,)*
            $(..$last:ident: $Last:ty,)?
        }
    ) => {
        $(#[doc = $about])*
        $visibility struct $query {
            $visibility $group: $Group,
            $($visibility $field: <$kind as $crate::web::Kind>::Value,)*
            $($visibility $last: $Last,)?
        }

        impl $crate::web::Parameters for $query {
            const OWN: &'static [$crate::web::Parameter] = &[
                $($crate::web::parameter!($name, const_format::concatcp!($($text),+).trim_ascii(), $kind),)*
            ];
            const GROUPS: &'static [&'static [$crate::web::Parameter]] = &[
                <$Group as $crate::web::Parameters>::OWN,
                $(<$Last as $crate::web::Parameters>::OWN,)?
            ];
            const IS_LIST: bool = <$Group as $crate::web::Parameters>::IS_LIST;

            // Errors are reported in the order of the declaration.
            fn read(query: &$crate::web::Query, errors: &mut Vec<$crate::failure::Problem>) -> Self {
                Self {
                    $group: <$Group as $crate::web::Parameters>::read(query, errors),
                    $($field: <$kind as $crate::web::Kind>::read(query, $name, errors),)*
                    $($last: <$Last as $crate::web::Parameters>::read(query, errors),)?
                }
            }
        }
    };
    (
        $(#[doc = $about:literal])*
        $visibility:vis struct $query:ident {
            $($(#[doc = $text:literal])+ $field:ident ($name:literal): $kind:ty,)+
        }
    ) => {
        $(#[doc = $about])*
        $visibility struct $query {
            $($visibility $field: <$kind as $crate::web::Kind>::Value,)+
        }

        impl $crate::web::Parameters for $query {
            const OWN: &'static [$crate::web::Parameter] = &[
                $($crate::web::parameter!($name, const_format::concatcp!($($text),+).trim_ascii(), $kind),)+
            ];

            fn read(query: &$crate::web::Query, errors: &mut Vec<$crate::failure::Problem>) -> Self {
                Self {
                    $($field: <$kind as $crate::web::Kind>::read(query, $name, errors),)+
                }
            }
        }
    };
}
pub(crate) use query;
