//! Conversion to and from serde, so that a tree can be a member of another crate's wire type.

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use super::{Json, MAX_INTEGER, Object};

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(n) if n.fract() == 0.0 && n.abs() <= MAX_INTEGER as f64 => {
                serializer.serialize_i64(*n as i64)
            }
            Self::Number(n) => serializer.serialize_f64(*n),
            Self::String(text) => serializer.serialize_str(text),
            Self::Array(items) => {
                let mut seq = serializer.serialize_seq(Some(items.len()))?;
                items
                    .iter()
                    .try_for_each(|item| seq.serialize_element(item))?;
                seq.end()
            }
            Self::Object(object) => object.serialize(serializer),
        }
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        self.iter()
            .try_for_each(|(name, value)| map.serialize_entry(name, value))?;
        map.end()
    }
}

impl From<&serde_json::Value> for Json {
    /// Integers beyond 2^53 become strings of their digits, which loses nothing.
    fn from(value: &serde_json::Value) -> Self {
        use serde_json::Value;
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(n) => match (n.as_i64(), n.as_u64()) {
                (Some(n), _) => Self::from(n),
                (None, Some(n)) => Self::from(n),
                (None, None) => n.as_f64().map_or(Self::Null, Self::from),
            },
            Value::String(text) => Self::String(text.clone()),
            Value::Array(items) => Self::Array(items.iter().map(Self::from).collect()),
            Value::Object(map) => Self::Object(
                map.iter()
                    .map(|(k, v)| (k.clone(), Self::from(v)))
                    .collect(),
            ),
        }
    }
}

impl From<serde_json::Value> for Json {
    fn from(value: serde_json::Value) -> Self {
        Self::from(&value)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn there_and_back() {
        let value = serde_json::json!({"b": [1, -2.5, null, true, "x"], "a": {}});
        assert_eq!(serde_json::to_value(Json::from(&value)).unwrap(), value);
        assert_eq!(
            Json::from(serde_json::json!(u64::MAX)),
            Json::from("18446744073709551615")
        );
    }
}
