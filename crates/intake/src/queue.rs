//! Notices about new files in S3, as a queue of SQS delivers them: from S3 itself, through SNS, or
//! through EventBridge.

use serde_json::Value;

/// Longest name of a bucket or of a file that is taken, in bytes. S3 allows 63 and 1,024.
const MAX_NAME: usize = 1_024;

/// A file of a bucket that a message names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileNotice {
    pub bucket: String,
    /// Name of the file, decoded.
    pub key: String,
    /// Region of the bucket, where the message names it.
    pub region: Option<String>,
}

/// Meaning of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueueNotice {
    /// Files that were written.
    Files(Vec<FileNotice>),
    /// Something else that is expected in such a queue: the test of a new subscription, a deletion.
    Other(String),
}

/// Reads the body of a message.
///
/// # Errors
/// It is none of the known envelopes.
pub fn read_notice(body: &str) -> Result<QueueNotice, &'static str> {
    let message: Value = serde_json::from_str(body).map_err(|_| "the message is not JSON")?;
    // SNS puts the message as text into its own, unless raw delivery is on.
    if let Some(inner) = message["Message"]
        .as_str()
        .filter(|_| message["Records"].is_null())
    {
        let inner: Value = serde_json::from_str(inner)
            .map_err(|_| "the message of SNS holds no notice about a file")?;
        return of_event(&inner);
    }
    of_event(&message)
}

fn of_event(message: &Value) -> Result<QueueNotice, &'static str> {
    if let Some(event) = message["Event"].as_str() {
        return Ok(QueueNotice::Other(event.chars().take(100).collect()));
    }
    if message["detail-type"].is_string() {
        return of_bridge(message);
    }
    // CloudTrail's own topic names files without an event of S3.
    if let (Some(bucket), Some(keys)) = (
        message["s3Bucket"].as_str(),
        message["s3ObjectKey"].as_array(),
    ) {
        let files = keys.iter().filter_map(Value::as_str);
        let files = files.map(|key| file(bucket, key.to_owned(), None));
        return files
            .collect::<Option<_>>()
            .map(QueueNotice::Files)
            .ok_or("a file has no name");
    }
    let Some(records) = message["Records"].as_array() else {
        return Err("the message has neither records of S3 nor an event of EventBridge");
    };
    let mut files = Vec::new();
    for record in records {
        let name = record["eventName"].as_str().unwrap_or_default();
        if !name.trim_start_matches("s3:").starts_with("ObjectCreated") {
            continue;
        }
        let (bucket, object) = (
            &record["s3"]["bucket"]["name"],
            &record["s3"]["object"]["key"],
        );
        let key = object.as_str().and_then(decoded);
        let (Some(bucket), Some(key)) = (bucket.as_str(), key) else {
            return Err("a record names no bucket or no file");
        };
        let region = record["awsRegion"].as_str().map(str::to_owned);
        files.push(file(bucket, key, region).ok_or("a file has no name")?);
    }
    if files.is_empty() {
        return Ok(QueueNotice::Other("no file was written".to_owned()));
    }
    Ok(QueueNotice::Files(files))
}

/// Keys of EventBridge are not encoded.
fn of_bridge(message: &Value) -> Result<QueueNotice, &'static str> {
    let detail = &message["detail"];
    let kind = message["detail-type"].as_str().unwrap_or_default();
    if message["source"].as_str() != Some("aws.s3") || kind != "Object Created" {
        return Ok(QueueNotice::Other(kind.chars().take(100).collect()));
    }
    let bucket = detail["bucket"]["name"].as_str();
    let (Some(bucket), Some(key)) = (bucket, detail["object"]["key"].as_str()) else {
        return Err("the event names no bucket or no file");
    };
    let region = message["region"].as_str().map(str::to_owned);
    let file = file(bucket, key.to_owned(), region).ok_or("a file has no name")?;
    Ok(QueueNotice::Files(vec![file]))
}

fn file(bucket: &str, key: String, region: Option<String>) -> Option<FileNotice> {
    let fits = |text: &str| !text.is_empty() && text.len() <= MAX_NAME;
    (fits(bucket) && fits(&key)).then(|| FileNotice {
        bucket: bucket.to_owned(),
        key,
        region,
    })
}

/// Decodes a key of an event of S3: `+` is a space, `%XX` a byte.
fn decoded(key: &str) -> Option<String> {
    let (mut bytes, mut rest) = (Vec::new(), key.as_bytes());
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match first {
            b'+' => bytes.push(b' '),
            b'%' => {
                let digits = std::str::from_utf8(after.get(..2)?).ok()?;
                bytes.push(u8::from_str_radix(digits, 16).ok()?);
                rest = &after[2..];
            }
            other => bytes.push(*other),
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;

    fn one(key: &str, region: Option<&str>) -> QueueNotice {
        QueueNotice::Files(vec![FileNotice {
            bucket: "trail".to_owned(),
            key: key.to_owned(),
            region: region.map(str::to_owned),
        }])
    }

    #[test]
    fn every_envelope_names_its_file() {
        let records = json!({ "Records": [{ "eventName": "ObjectCreated:Put", "awsRegion": "eu-west-1",
            "s3": { "bucket": { "name": "trail" }, "object": { "key": "a+b/c%C3%A9%2B.json.gz" } } }] });
        let expected = one("a b/cé+.json.gz", Some("eu-west-1"));
        assert_eq!(read_notice(&records.to_string()).unwrap(), expected);
        let topic = json!({ "Type": "Notification", "Message": records.to_string() });
        assert_eq!(read_notice(&topic.to_string()).unwrap(), expected);

        let bridge = json!({ "source": "aws.s3", "detail-type": "Object Created", "region": "eu-west-1",
            "detail": { "bucket": { "name": "trail" }, "object": { "key": "a+b%20" } } });
        assert_eq!(
            read_notice(&bridge.to_string()).unwrap(),
            one("a+b%20", Some("eu-west-1"))
        );
        let own =
            json!({ "Message": json!({ "s3Bucket": "trail", "s3ObjectKey": ["k"] }).to_string() });
        assert_eq!(read_notice(&own.to_string()).unwrap(), one("k", None));
    }

    #[test]
    fn tests_and_deletions_are_no_files_and_other_texts_are_refused() {
        let test = json!({ "Service": "Amazon S3", "Event": "s3:TestEvent", "Bucket": "trail" });
        assert_eq!(
            read_notice(&test.to_string()).unwrap(),
            QueueNotice::Other("s3:TestEvent".to_owned())
        );
        let removed = json!({ "Records": [{ "eventName": "ObjectRemoved:Delete" }] });
        assert!(matches!(
            read_notice(&removed.to_string()).unwrap(),
            QueueNotice::Other(_)
        ));
        for text in [
            "hello",
            "{}",
            "[]",
            r#"{"Message":"x"}"#,
            r#"{"Records":[{"eventName":"ObjectCreated:Put"}]}"#,
        ] {
            assert!(read_notice(text).is_err(), "{text}");
        }
    }
}
