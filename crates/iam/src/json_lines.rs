//! Files with one JSON value a line.

use serde_json::Value;

/// Returns the value of each line that is not empty; none if one of them is no JSON.
#[must_use]
pub fn json_lines(text: &str) -> Option<Vec<Value>> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| serde_json::from_str(line).ok()).collect()
}
