//! Members that are objects and nothing else.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// Reads a value from an object alone. Derived readers also take an array of the members' values in
/// their order, which the description of the interface does not allow.
pub(crate) fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<T, D::Error> {
    from.deserialize_map(ObjectVisitor(PhantomData))
}

/// [`object`], or `None` for null.
pub(crate) fn optional_object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    from.deserialize_option(OptionVisitor(PhantomData))
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}

struct OptionVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OptionVisitor<T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or null")
    }

    fn visit_none<E>(self) -> Result<Option<T>, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Option<T>, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<Option<T>, D::Error> {
        object(from).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Default, PartialEq, Deserialize)]
    struct Scope {
        accounts: Option<Vec<String>>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Body {
        #[serde(default, deserialize_with = "object")]
        scope: Scope,
        #[serde(default, deserialize_with = "optional_object")]
        other: Option<Scope>,
    }

    #[test]
    fn an_array_is_no_object() {
        let read =
            |text: &str| serde_json::from_str::<Body>(text).map_err(|error| error.to_string());
        assert!(read("{}").is_ok_and(|body| body.other.is_none()));
        assert!(
            read(r#"{"scope":{"accounts":["a"]},"other":null}"#)
                .is_ok_and(|body| body.scope.accounts.is_some())
        );
        assert!(read(r#"{"other":{"accounts":[]}}"#).is_ok_and(|body| body.other.is_some()));
        assert!(
            read(r#"{"scope":[null]}"#).is_err_and(|error| error.contains("expected an object"))
        );
        assert!(
            read(r#"{"other":[["a"]]}"#).is_err_and(|error| error.contains("expected an object"))
        );
    }
}
