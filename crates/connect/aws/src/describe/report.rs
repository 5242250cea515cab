//! IAM's credential report: CSV in base64, one line a user.

use aws_smithy_types::base64;
use serde_json::{Map, Value, json};

/// Columns that change by use alone.
const OF_USE: &str = "_last_used";

/// Returns the report as one document, with a member for each user. What cannot be read is said in
/// its place.
pub(super) fn read(answer: &Value) -> Value {
    let content = answer
        .get("Content")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let text = base64::decode(content.trim())
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok());
    let users = text.as_deref().map(users);
    json!({ "ReportFormat": answer.get("ReportFormat"), "Users": users })
}

/// The report quotes nothing: names of users have neither commas nor quotes.
fn users(text: &str) -> Value {
    let mut lines = text.lines();
    let columns: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let user = |line: &str| {
        let values = columns.iter().zip(line.split(','));
        let kept = values.filter(|(column, _)| !column.contains(OF_USE));
        let members: Map<String, Value> = kept
            .map(|(column, value)| ((*column).to_owned(), cell(value)))
            .collect();
        let name = members
            .get("user")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned();
        (name, Value::Object(members))
    };

    Value::Object(lines.filter(|line| !line.is_empty()).map(user).collect())
}

fn cell(text: &str) -> Value {
    match text {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        other => json!(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_read_without_what_use_changes() {
        let csv = "user,mfa_active,password_last_used,access_key_1_last_used_date\nann,true,2026-01-01,N/A\n";
        let answer = json!({ "Content": base64::encode(csv), "ReportFormat": "text/csv" });
        let expect = json!({ "ReportFormat": "text/csv", "Users": { "ann": { "user": "ann", "mfa_active": true } } });
        assert_eq!(read(&answer), expect);
        assert_eq!(read(&json!({}))["Users"], json!({}));
    }
}
