//! Times as entries write them.

use jiff::Timestamp;
use reeve_audit::format_instant;

/// Returns a time in ms since the epoch as entries write it.
pub(crate) fn instant(ms: i64) -> String {
    Timestamp::from_millisecond(ms).map_or_else(|_| ms.to_string(), format_instant)
}
