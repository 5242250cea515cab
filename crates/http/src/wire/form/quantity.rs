//! Quantities on the wire: the requirements' spelling (`5m`, `85%`, `500GB`, `30d_average`) and,
//! beside it, a companion that is a number.
//!
//! A field of such a type is answered as text and read from that text. A percentage is also read
//! from a number. What cannot be read is refused under the field's own path.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use reeve_audit::FieldCode;
use reeve_estate::{DataSize, Percent, QuantityBaseline, QuantityError, TimeSpan};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, schema::Type};
use utoipa::{PartialSchema, ToSchema};

use crate::error::Problem;

/// A quantity that stands in a setting.
pub trait Quantity: FromStr<Err = QuantityError> + fmt::Display {
    /// Name of the schema in the description of the interface.
    const SCHEMA: &'static str;
    /// Sentence that describes the schema.
    const DESCRIPTION: &'static str;
    /// Regular expression of the texts that are read.
    const PATTERN: &'static str;
    /// Spelling that a requirement shows.
    const EXAMPLE: &'static str;

    /// Returns the quantity that a plain number stands for; `None` where a number says nothing
    /// without a unit.
    fn from_number(_number: f64) -> Option<Self> {
        None
    }
}

impl Quantity for TimeSpan {
    const SCHEMA: &'static str = "TimeSpan";
    const DESCRIPTION: &'static str = "Time span: a whole number and one of `s`, `m`, `h`, `d`.";
    const PATTERN: &'static str = "^[0-9]{1,9}[smhd]$";
    const EXAMPLE: &'static str = "5m";
}

impl Quantity for Percent {
    const SCHEMA: &'static str = "Percent";
    const DESCRIPTION: &'static str = "Percentage with its sign; a number without it is read too.";
    const PATTERN: &'static str = r"^[0-9]{1,9}(\.[0-9]{1,9})?%$";
    const EXAMPLE: &'static str = "85%";

    fn from_number(number: f64) -> Option<Self> {
        Percent::new(number)
    }
}

impl Quantity for DataSize {
    const SCHEMA: &'static str = "DataSize";
    const DESCRIPTION: &'static str =
        "Data size: a number and one of `B`, `KB`, `MB`, `GB`, `TB`, `PB` (powers of 1000).";
    const PATTERN: &'static str = r"^[0-9]{1,9}(\.[0-9]{1,9})?(B|KB|MB|GB|TB|PB)$";
    const EXAMPLE: &'static str = "500GB";
}

impl Quantity for QuantityBaseline {
    const SCHEMA: &'static str = "Baseline";
    const DESCRIPTION: &'static str = "Average of the last days that spending is compared with.";
    const PATTERN: &'static str = "^[0-9]{1,9}d_average$";
    const EXAMPLE: &'static str = "30d_average";
}

/// A quantity in its spelling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spelled<T>(pub T);

/// A time span on the wire.
pub type TimeSpanText = Spelled<TimeSpan>;
/// A percentage on the wire.
pub type PercentText = Spelled<Percent>;
/// A data size on the wire.
pub type DataSizeText = Spelled<DataSize>;
/// A baseline on the wire.
pub type BaselineText = Spelled<QuantityBaseline>;

impl Spelled<Percent> {
    /// Returns the wire form of a percentage that a domain type holds as a number.
    #[must_use]
    pub fn new(value: f64) -> Self {
        Spelled(Percent::new(value).unwrap_or_default())
    }
}

impl<T: Quantity> Serialize for Spelled<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&self.0)
    }
}

impl<'de, T: Quantity> Deserialize<'de> for Spelled<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(SpelledVisitor(PhantomData))
    }
}

/// Reads a text, or a number where the quantity has a meaning for one.
struct SpelledVisitor<T>(PhantomData<T>);

impl<T: Quantity> SpelledVisitor<T> {
    fn number<E: Error>(number: f64, shown: impl fmt::Display) -> Result<Spelled<T>, E> {
        T::from_number(number)
            .map(Spelled)
            .ok_or_else(|| E::custom(format!("{shown} must be written as {:?}", T::EXAMPLE)))
    }
}

impl<T: Quantity> Visitor<'_> for SpelledVisitor<T> {
    type Value = Spelled<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a text such as {:?}", T::EXAMPLE)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Spelled<T>, E> {
        text.parse().map(Spelled).map_err(E::custom)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Spelled<T>, E> {
        Self::number(number as f64, number)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Spelled<T>, E> {
        Self::number(number as f64, number)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Spelled<T>, E> {
        Self::number(number, number)
    }
}

impl<T: Quantity> PartialSchema for Spelled<T> {
    fn schema() -> RefOr<Schema> {
        let text = ObjectBuilder::new()
            .schema_type(Type::String)
            .description(Some(T::DESCRIPTION));
        RefOr::T(Schema::Object(
            text.pattern(Some(T::PATTERN))
                .examples([T::EXAMPLE])
                .build(),
        ))
    }
}

impl<T: Quantity> ToSchema for Spelled<T> {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed(T::SCHEMA)
    }
}

/// Reads a percentage that is answered as a number: `85`, or `"85%"` as a setting would be written.
///
/// # Errors
/// The deserializer's, for anything else.
pub(crate) fn percent_number<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    let percent = Option::<PercentText>::deserialize(from)?;
    Ok(percent.map(|Spelled(percent)| percent.value()))
}

/// Decides between a field and its companion of another unit. A client that reads both and sends
/// both back has changed one of them: the value that differs from `before` is meant.
///
/// # Errors
/// 422 when both are given, differ from each other, and neither is what was there before.
pub(crate) fn either<T: PartialEq>(
    (field, given): (&str, Option<T>),
    (companion, beside): (&str, Option<T>),
    before: Option<T>,
) -> Result<Option<T>, Problem> {
    match (given, beside) {
        (None, None) => Ok(before),
        (Some(value), None) | (None, Some(value)) => Ok(Some(value)),
        (Some(given), Some(beside)) if given == beside || before.as_ref() == Some(&beside) => {
            Ok(Some(given))
        }
        (Some(given), Some(beside)) if before.as_ref() == Some(&given) => Ok(Some(beside)),
        (Some(_), Some(_)) => Err(Problem::field(
            field,
            FieldCode::Conflicting,
            format!("differs from {companion}; give one of the two"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<T: Quantity>(json: &str) -> Result<String, String> {
        let value: Spelled<T> = serde_json::from_str(json).map_err(|error| error.to_string())?;
        serde_json::to_string(&value).map_err(|error| error.to_string())
    }

    #[test]
    fn spellings_are_answered_as_they_were_sent() {
        assert_eq!(read::<TimeSpan>("\"5m\"").unwrap(), "\"5m\"");
        assert_eq!(read::<Percent>("\"85%\"").unwrap(), "\"85%\"");
        assert_eq!(read::<DataSize>("\"500GB\"").unwrap(), "\"500GB\"");
        assert_eq!(
            read::<QuantityBaseline>("\"30d_average\"").unwrap(),
            "\"30d_average\""
        );
    }

    #[test]
    fn numbers_are_read_where_they_say_enough() {
        assert_eq!(read::<Percent>("85").unwrap(), "\"85%\"");
        assert_eq!(read::<Percent>("99.9").unwrap(), "\"99.9%\"");
        for wrong in ["-1", "true", "[]", "null"] {
            assert!(read::<Percent>(wrong).is_err(), "{wrong}");
        }

        assert!(
            read::<TimeSpan>("300")
                .unwrap_err()
                .contains("must be written as \"5m\"")
        );

        assert!(
            read::<DataSize>("500")
                .unwrap_err()
                .contains("must be written as \"500GB\"")
        );
    }

    #[test]
    fn the_one_that_was_changed_is_meant() {
        let decide =
            |given, beside, before| either(("timeout", given), ("timeout_s", beside), before).ok();
        assert_eq!(decide(None, None, Some(300)), Some(Some(300)));
        assert_eq!(decide(Some(60), None, Some(300)), Some(Some(60)));
        assert_eq!(decide(Some(300), Some(60), Some(300)), Some(Some(60)));
        assert_eq!(decide(Some(60), Some(300), Some(300)), Some(Some(60)));
        assert_eq!(decide(Some(60), Some(60), None), Some(Some(60)));
        assert_eq!(decide(Some(60), Some(90), Some(300)), None);
        assert_eq!(decide(Some(60), Some(90), None), None);
    }
}
