//! The names and kinds of the fields that a request body has. The pipeline refuses every other name.

use order_core::{
    Abilities, ActionKind, Address, Amount, AssetId, Capabilities, ClaimText, Expiration, Imprint,
    Priority, SchemaId, Seed,
};

use super::bodies::FileName;
use super::scalars::Shape;
use super::{AddressOrNone, ClaimOrNone, EventKinds, KeyScope, PhoneNumber};

/// A field of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BodyField {
    pub(crate) name: &'static str,
    pub(crate) kind: FieldKind,
}

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldKind {
    /// A string. In a form, the postal code `1000` does not become a number.
    Text,
    /// A number, a boolean, or a list of such values or of strings.
    Value,
    /// An object with these fields.
    Object(&'static [BodyField]),
    /// A list of objects with these fields.
    List(&'static [BodyField]),
}

/// An object of a request body. [`body`] declares it.
pub(crate) trait BodyShape: Shape {
    const FIELDS: &'static [BodyField];
}

/// The type of a field.
pub(crate) trait FieldType {
    const KIND: FieldKind;
    /// The kind of a list of such values.
    const LISTED: FieldKind = FieldKind::Value;
}

impl<T: FieldType> FieldType for Option<T> {
    const KIND: FieldKind = T::KIND;
}

impl<T: FieldType> FieldType for Vec<T> {
    const KIND: FieldKind = T::LISTED;
}

/// Declares the kind of scalar types.
macro_rules! kinds {
    ($($kind:ident: $($scalar:ty),+;)+) => {
        $($(impl FieldType for $scalar {
            const KIND: FieldKind = FieldKind::$kind;
        })+)+
    };
}

kinds! {
    Text: String, Address, AddressOrNone, Amount, AssetId, ClaimOrNone, ClaimText, FileName, Imprint, SchemaId;
    Value: bool, u64, Abilities, ActionKind, Capabilities, EventKinds, Expiration, KeyScope, PhoneNumber, Priority, Seed;
}

/// Declares an object of a request body. Each field has the API's name, a sentence and a type. The description of the API is derived from the
/// native struct. The Worker only has the names and kinds of the fields.
///
/// ```text
/// body! {
///     /// A deposit.
///     pub(crate) struct DepositRequest {
///         /// The amount in EUR cents, 1000 to 99999999.
///         amount: u64,
///     }
/// }
/// ```
///
/// Without `struct`, the macro declares the fields of a type that exists elsewhere.
macro_rules! body {
    (
        $(#[$meta:meta])*
        $visibility:vis struct $name:ident {
            $($(#[$field_meta:meta])* $field:ident: $type:ty),+ $(,)?
        }
    ) => {
        $(#[$meta])*
        #[cfg(feature = "native")]
        #[derive(schemars::JsonSchema)]
        $visibility struct $name {
            $($(#[$field_meta])* $field: $type),+
        }

        $(#[$meta])*
        #[cfg(not(feature = "native"))]
        $visibility enum $name {}

        body! { $name { $($field: $type),+ } }
    };
    ($name:ty { $($field:ident: $type:ty),+ $(,)? }) => {
        impl $crate::api::BodyShape for $name {
            const FIELDS: &'static [$crate::api::BodyField] = &[
                $($crate::api::BodyField {
                    name: stringify!($field),
                    kind: <$type as $crate::api::field::FieldType>::KIND,
                }),+
            ];
        }

        impl $crate::api::field::FieldType for $name {
            const KIND: $crate::api::FieldKind =
                $crate::api::FieldKind::Object(<Self as $crate::api::BodyShape>::FIELDS);
            const LISTED: $crate::api::FieldKind =
                $crate::api::FieldKind::List(<Self as $crate::api::BodyShape>::FIELDS);
        }
    };
}
pub(super) use body;
