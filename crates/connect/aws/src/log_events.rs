//! Events of a log group of CloudWatch Logs, page by page.

use serde_json::json;

use crate::operation::json::{JsonService, call};
use crate::session::AwsConnection;
use crate::source_bucket::SourceBucketError;

const LOGS: JsonService = JsonService {
    name: "logs",
    target: "Logs_20140328",
    version: "1.1",
};

/// Events of a log group, as one answer has them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogPage {
    /// Messages of the events.
    pub messages: Vec<String>,
    /// Token of the next page; `None` after the last one.
    pub next: Option<String>,
}

impl AwsConnection {
    /// Returns a page of the events of a log group in a time, of a megabyte at most.
    ///
    /// # Errors
    /// The service refused or did not answer.
    pub async fn log_events(
        &self,
        region: &str,
        group: &str,
        (start_ms, end_ms): (i64, i64),
        token: Option<&str>,
    ) -> Result<LogPage, SourceBucketError> {
        let place = self.place("", region);
        let mut body = json!({
            "logGroupName": group,
            "startTime": start_ms,
            // The end is exclusive here and inclusive there.
            "endTime": end_ms.saturating_sub(1),
            "limit": 10_000,
        });
        if let Some(token) = token {
            body["nextToken"] = json!(token);
        }

        let permission = "logs:FilterLogEvents";
        let answer = call(&self.config(region), &place, LOGS, permission, body).await?;
        let events = answer["events"].as_array();
        let messages = events
            .into_iter()
            .flatten()
            .filter_map(|event| event["message"].as_str());

        Ok(LogPage {
            messages: messages.map(str::to_owned).collect(),
            next: answer["nextToken"].as_str().map(str::to_owned),
        })
    }
}
