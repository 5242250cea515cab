//! A JSON document as it was sent, members given twice included, and its reading into a type with
//! [`Mismatch`] as the error.

use std::fmt;

use serde::de::value::{MapAccessDeserializer, MapDeserializer, SeqDeserializer};
use serde::de::{Deserialize, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use crate::extract::mismatch::Mismatch;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Document {
    Null,
    Flag(bool),
    Natural(u64),
    Integer(i64),
    Float(f64),
    Text(String),
    List(Vec<Document>),
    Object(Vec<(String, Document)>),
}

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_any(DocumentVisitor)
    }
}

struct DocumentVisitor;

impl<'de> Visitor<'de> for DocumentVisitor {
    type Value = Document;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Document, E> {
        Ok(Document::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Document, E> {
        Ok(Document::Flag(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Document, E> {
        Ok(Document::Natural(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Document, E> {
        Ok(Document::Integer(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Document, E> {
        Ok(Document::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Document, E> {
        Ok(Document::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Document, E> {
        Ok(Document::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Document, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Document::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Document, A::Error> {
        let mut object = Vec::new();
        while let Some(member) = members.next_entry()? {
            object.push(member);
        }
        Ok(Document::Object(object))
    }
}

impl IntoDeserializer<'_, Mismatch> for Document {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Document {
    type Error = Mismatch;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        match self {
            Document::Null => visitor.visit_unit(),
            Document::Flag(value) => visitor.visit_bool(value),
            Document::Natural(value) => visitor.visit_u64(value),
            Document::Integer(value) => visitor.visit_i64(value),
            Document::Float(value) => visitor.visit_f64(value),
            Document::Text(value) => visitor.visit_string(value),
            Document::List(list) => {
                let mut items = SeqDeserializer::new(list.into_iter());
                let value = visitor.visit_seq(&mut items)?;
                items.end()?;
                Ok(value)
            }
            Document::Object(object) => {
                let mut members = MapDeserializer::new(object.into_iter());
                let value = visitor.visit_map(&mut members)?;
                members.end()?;
                Ok(value)
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        match self {
            Document::Null => visitor.visit_none(),
            value => visitor.visit_some(value),
        }
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
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        match self {
            Document::Text(variant) => {
                visitor.visit_enum(IntoDeserializer::<Mismatch>::into_deserializer(variant))
            }
            Document::Object(object) => {
                let members = MapDeserializer::new(object.into_iter());
                MapAccessDeserializer::new(members).deserialize_enum(name, variants, visitor)
            }
            other => other.deserialize_any(visitor),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}
