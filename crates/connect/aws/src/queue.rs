//! Queues of SQS, read by long polling. A message that is not deleted is delivered again.

use serde_json::json;

use crate::operation::json::{JsonService, call, call_as};
use crate::session::AwsConnection;
use crate::source_bucket::SourceBucketError;

const QUEUES: JsonService = JsonService {
    name: "sqs",
    target: "AmazonSQS",
    version: "1.0",
};
/// Messages in an answer, the most there may be.
const MOST: usize = 10;

/// Message of a queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueMessage {
    pub body: String,
    /// Handle by which this delivery is deleted.
    pub receipt: String,
}

/// Returns the region that a queue's address names; `None` for an address of another form.
#[must_use]
pub fn region_of_queue(url: &str) -> Option<&str> {
    let host = url.strip_prefix("https://")?.split('/').next()?;
    let mut labels = host.split('.');
    match (labels.next()?, labels.next()?) {
        ("sqs", region) => Some(region),
        _ => None,
    }
}

impl AwsConnection {
    /// Receives up to ten messages, and waits for the first one for so many seconds (20 at most).
    ///
    /// # Errors
    /// The service refused or did not answer.
    pub async fn queue_receive(
        &self,
        region: &str,
        url: &str,
        wait_s: u64,
    ) -> Result<Vec<QueueMessage>, SourceBucketError> {
        let place = self.place("", region);
        let body = json!({
            "QueueUrl": url,
            "MaxNumberOfMessages": MOST,
            "WaitTimeSeconds": wait_s,
        });
        let permission = "sqs:ReceiveMessage";
        let answer = call(&self.config(region), &place, QUEUES, permission, body).await?;
        let messages = answer["Messages"].as_array();
        let read = messages.into_iter().flatten().filter_map(|message| {
            Some(QueueMessage {
                body: message["Body"].as_str()?.to_owned(),
                receipt: message["ReceiptHandle"].as_str()?.to_owned(),
            })
        });
        Ok(read.collect())
    }

    /// Keeps a message that was received from being delivered again for so many seconds.
    ///
    /// # Errors
    /// The service refused or did not answer.
    pub async fn queue_extend(
        &self,
        region: &str,
        url: &str,
        receipt: &str,
        seconds: u64,
    ) -> Result<(), SourceBucketError> {
        let place = self.place("", region);
        let body =
            json!({ "QueueUrl": url, "ReceiptHandle": receipt, "VisibilityTimeout": seconds });
        let permission = "sqs:ChangeMessageVisibility";
        call(&self.config(region), &place, QUEUES, permission, body).await?;
        Ok(())
    }

    /// Deletes messages that were received, ten at most, by one call. One that could not be deleted
    /// comes again.
    ///
    /// # Errors
    /// The service refused or did not answer.
    pub async fn queue_delete(
        &self,
        region: &str,
        url: &str,
        receipts: &[String],
    ) -> Result<(), SourceBucketError> {
        let place = self.place("", region);
        let entries: Vec<_> = receipts
            .iter()
            .enumerate()
            .map(|(number, receipt)| json!({ "Id": number.to_string(), "ReceiptHandle": receipt }))
            .collect();
        let body = json!({ "QueueUrl": url, "Entries": entries });
        // The permission of the batch is that of one message.
        call_as(
            &self.config(region),
            &place,
            QUEUES,
            ("sqs:DeleteMessage", "DeleteMessageBatch"),
            body,
        )
        .await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_region_of_a_queue_is_in_its_address() {
        let own = "https://sqs.eu-west-1.amazonaws.com/111122223333/reeve";
        assert_eq!(region_of_queue(own), Some("eu-west-1"));
        assert_eq!(region_of_queue("http://127.0.0.1:5000/1/reeve"), None);
        assert_eq!(region_of_queue("https://example.com/1/reeve"), None);
    }
}
