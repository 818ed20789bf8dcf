//! Enums that are written as strings.

/// Implements `as_str`, `Serialize` and `Deserialize` for an enum. Each variant has one string.
macro_rules! strings {
    ($type:ident { $(Self::$variant:ident => $text:literal,)* }) => {
        impl $type {
            /// Returns the string that JavaScript receives.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }
        }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        /// Reads the string of [`as_str`](Self::as_str). Refuses every other string.
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = alloc::string::String::deserialize(deserializer)?;
                match text.as_str() {
                    $($text => Ok(Self::$variant),)*
                    _ => Err(serde::de::Error::unknown_variant(&text, &[$($text),*])),
                }
            }
        }
    };
}

pub(crate) use strings;
