//! Enumerations whose values are names in requests, rows and documents.

/// Defines an enumeration with the names of its values.
macro_rules! names {
    ($(#[$doc:meta])* $name:ident { $($(#[$value_doc:meta])* $value:ident => $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[derive(serde::Serialize, serde::Deserialize)]
        pub enum $name { $($(#[$value_doc])* #[serde(rename = $text)] $value),+ }

        impl $name {
            /// Every value, in the order of declaration.
            pub const ALL: &'static [$name] = &[$($name::$value),+];

            /// Returns the name in requests, rows and documents.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $($name::$value => $text),+ }
            }

            /// Returns the value with this name.
            #[must_use]
            pub fn parse(text: &str) -> Option<$name> {
                Self::ALL.iter().copied().find(|value| value.as_str() == text)
            }
        }
    };
}

pub(crate) use names;
