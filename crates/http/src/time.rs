//! Times on the wire: RFC 3339 UTC with milliseconds.

use jiff::Timestamp;
use reeve_audit::FieldCode;

use crate::error::Problem;

#[must_use]
pub(crate) fn text(at: Timestamp) -> String {
    reeve_audit::format_instant(at)
}

/// From milliseconds since the epoch, as text.
#[must_use]
pub(crate) fn text_ms(ms: i64) -> String {
    Timestamp::from_millisecond(ms)
        .map(text)
        .unwrap_or_default()
}

/// From seconds since the epoch, as text.
#[must_use]
pub(crate) fn text_s(second: i64) -> String {
    text_ms(second.saturating_mul(1000))
}

/// From days since the epoch, as a date.
#[must_use]
pub(crate) fn date_of_day(day: i32) -> String {
    let mut date = text_s(reeve_flows::first_second(day));
    date.truncate("2026-11-28".len());
    date
}

/// From a request's field.
///
/// # Errors
/// 422 naming the field.
pub(crate) fn parse(field: &str, value: &str) -> Result<Timestamp, Problem> {
    reeve_audit::parse_instant(value).map_err(|_| {
        Problem::field(
            field,
            FieldCode::InvalidTime,
            format!("{value:?} is not an RFC 3339 time such as 2026-11-20T10:00:00Z"),
        )
    })
}

/// From a request's field that may be absent.
///
/// # Errors
/// 422 naming the field.
pub(crate) fn parse_option(field: &str, value: Option<&str>) -> Result<Option<Timestamp>, Problem> {
    value
        .filter(|value| !value.is_empty())
        .map(|value| parse(field, value))
        .transpose()
}
