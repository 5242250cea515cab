//! Log groups of CloudWatch Logs for moto.

use serde_json::{Value, json};

use super::{Moto, authorization};

impl Moto {
    /// Makes a log group with a stream, and puts events into it, by their time in Unix milliseconds.
    ///
    /// # Errors
    /// moto refused a call.
    pub async fn log_events(
        &self,
        region: &str,
        group: &str,
        events: &[(i64, String)],
    ) -> anyhow::Result<()> {
        let stream = "eni-all";
        let events: Vec<Value> = events
            .iter()
            .map(|(at, message)| json!({ "timestamp": at, "message": message }))
            .collect();
        for (action, body) in [
            ("CreateLogGroup", json!({ "logGroupName": group })),
            (
                "CreateLogStream",
                json!({ "logGroupName": group, "logStreamName": stream }),
            ),
            (
                "PutLogEvents",
                json!({ "logGroupName": group, "logStreamName": stream, "logEvents": events }),
            ),
        ] {
            let request = self
                .http
                .post(&self.endpoint)
                .header("content-type", "application/x-amz-json-1.1")
                .header("x-amz-target", format!("Logs_20140328.{action}"))
                .header("authorization", authorization("logs", region))
                .body(body.to_string());
            self.answer(request, action).await?;
        }
        Ok(())
    }
}
