//! A query string, read into a type with [`Mismatch`] as the error. Numbers and flags are read from
//! their texts.

use serde::de::value::MapDeserializer;
use serde::de::{DeserializeOwned, Deserializer, Error as _, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use serde_path_to_error::Error;

use crate::extract::mismatch::Mismatch;

/// Text of one parameter.
struct Parameter(String);

/// Reads the parameters of a query.
pub(super) fn read<T: DeserializeOwned>(query: &str) -> Result<T, Error<Mismatch>> {
    let pairs = form_urlencoded::parse(query.as_bytes());
    let parameters = pairs.map(|(name, value)| (name.into_owned(), Parameter(value.into_owned())));
    serde_path_to_error::deserialize(MapDeserializer::new(parameters))
}

impl IntoDeserializer<'_, Mismatch> for Parameter {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// Reads a number or a flag from its text.
macro_rules! parsed {
    ($($method:ident => $visit:ident),+ $(,)?) => {
        $(
            fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
                visitor.$visit(self.0.parse().map_err(Mismatch::custom)?)
            }
        )+
    };
}

impl<'de> Deserializer<'de> for Parameter {
    type Error = Mismatch;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_string(self.0)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        visitor.visit_enum(IntoDeserializer::<Mismatch>::into_deserializer(self.0))
    }

    parsed! {
        deserialize_bool => visit_bool,
        deserialize_i8 => visit_i8,
        deserialize_i16 => visit_i16,
        deserialize_i32 => visit_i32,
        deserialize_i64 => visit_i64,
        deserialize_u8 => visit_u8,
        deserialize_u16 => visit_u16,
        deserialize_u32 => visit_u32,
        deserialize_u64 => visit_u64,
        deserialize_f32 => visit_f32,
        deserialize_f64 => visit_f64,
    }

    forward_to_deserialize_any! {
        i128 u128 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}
