//! Enumerations that the database stores as numbers.

/// Defines an enumeration that the database stores as numbers. The numbers are listed here, or come from a macro such
/// as `webhook_state!` if SQL statements need them as literals.
macro_rules! stored_state {
    (
        $(#[$doc:meta])*
        $type:ident, $number:ident: $($(#[$state_doc:meta])* $state:ident,)+
    ) => {
        $crate::ports::stored_state! {
            $(#[$doc])*
            $type: $($(#[$state_doc])* $state = $number!($state),)+
        }
    };
    (
        $(#[$doc:meta])*
        $type:ident: $($(#[$state_doc:meta])* $state:ident = $stored:expr,)+
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $type {
            $($(#[$state_doc])* $state,)+
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(column: D) -> Result<Self, D::Error> {
                let number = u8::deserialize(column)?;
                $(if number == $stored {
                    return Ok(Self::$state);
                })+
                let why = format_args!("{number} is not a state");
                Err(<D::Error as serde::de::Error>::custom(why))
            }
        }

        impl From<$type> for $crate::ports::Param {
            fn from(state: $type) -> Self {
                match state {
                    $($type::$state => Self::Integer(i64::from($stored)),)+
                }
            }
        }
    };
}
pub(crate) use stored_state;
