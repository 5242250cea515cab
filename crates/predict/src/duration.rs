//! Time spans of rules in their spelling.

use reeve_estate::TimeSpan;

/// Returns the spelling of a number of seconds, such as `15m` or `7d`.
pub(super) fn as_text(seconds: i64) -> String {
    TimeSpan::from_seconds(u64::try_from(seconds).unwrap_or(0)).to_string()
}
