//! OTLP over HTTP against a strict receiver: both encodings, compression, keys, and every answer.

use jiff::Timestamp;
use reeve_audit::format::{EntryView, Integrity};
use reeve_audit::{ActionMethod, ActionStatus, Actor, Entry, ResourceRef, Severity, events};
use reeve_connect_streams::{OtlpSink, client};
use reeve_streams::{
    OtlpEncoding, SendError, StreamFormat, StreamRecord, StreamSettings, StreamSink as _,
};

use crate::collector::{API_KEY, Collector, uid};
use crate::local;

fn settings(url: &str, encoding: OtlpEncoding) -> StreamSettings {
    StreamSettings::Otlp {
        url: url.to_owned(),
        encoding,
        header: "X-API-Key".to_owned(),
    }
}

/// Entries as the stream writes them.
fn records(settings: &StreamSettings, from: u64, count: u64) -> Vec<StreamRecord> {
    let record = |sequence: u64| {
        let entry = Entry::for_event(&events::INTEGRATION_TEST)
            .with_id(format!("entry-{sequence}").parse().unwrap())
            .at(Timestamp::from_millisecond(1_800_000_000_007).unwrap())
            .with_severity(Severity::High)
            .by(Actor::user("ann"))
            .on(ResourceRef::new("bucket", "logs"))
            .with_action("PutObject", ActionStatus::Denied, ActionMethod::Api);
        let integrity = Integrity {
            sequence,
            commitment: [1; 32],
            leaf_hash: [2; 32],
            previous_hash: [3; 32],
            hash: [4; 32],
            salt: None,
        };
        let view = EntryView {
            recorded_at: Timestamp::from_second(1_800_000_001).unwrap(),
            entry: &entry,
            integrity: &integrity,
        };
        StreamRecord::write(settings, StreamFormat::Otlp, &view).unwrap()
    };
    (from..from + count).map(record).collect()
}

fn sink(collector: &Collector, encoding: OtlpEncoding, key: &str) -> OtlpSink {
    OtlpSink::new(client(local()), &collector.url, encoding, "X-API-Key", key).unwrap()
}

#[tokio::test]
async fn log_records_arrive_in_both_encodings() {
    for encoding in [OtlpEncoding::Protobuf, OtlpEncoding::Json] {
        let collector = Collector::start().await;
        let settings = settings(&collector.url, encoding);
        let sink = sink(&collector, encoding, API_KEY);
        for (from, count) in [(0, 1), (1, 40)] {
            let batch = records(&settings, from, count);
            let acked = sink.send(&batch).await.unwrap();
            assert_eq!(acked.through, from + count - 1);
        }
        let expected: Vec<String> = (0..41).map(|n| format!("entry-{n}")).collect();
        assert_eq!(collector.uids(), expected);
        let (record, forms) =
            collector.with(|exported| (exported.records[40].clone(), exported.forms.clone()));
        assert_eq!(record["severityNumber"], 17);
        assert_eq!(record["eventName"], "integration.test");
        assert_eq!(record["timeUnixNano"], "1800000000007000000");
        let body = record["body"]["stringValue"].as_str().unwrap();
        let entry: serde_json::Value = serde_json::from_str(body).unwrap();
        assert_eq!(entry["event_id"], uid(&record).as_str());
        assert_eq!(entry["integrity"]["sequence"], 40);
        let attributes = record["attributes"].to_string();
        for expected in [
            "\"failure\"",
            "\"ann\"",
            "\"PutObject\"",
            "{\"intValue\":\"40\"}",
        ] {
            assert!(attributes.contains(expected), "{expected} in {attributes}");
        }
        assert!(forms[1].ends_with("gzip"), "{forms:?}");
    }
}

#[tokio::test]
async fn a_part_that_was_rejected_is_found_and_a_warning_is_none() {
    for encoding in [OtlpEncoding::Protobuf, OtlpEncoding::Json] {
        let collector = Collector::start().await;
        let batch = records(&settings(&collector.url, encoding), 0, 4);
        let sink = sink(&collector, encoding, API_KEY);
        collector.with(|exported| exported.poison = Some("entry-2".to_owned()));
        let error = sink.send(&batch).await.unwrap_err();
        assert!(
            matches!(&error, SendError::Refused { index: None, .. }),
            "{error}"
        );
        assert_eq!(
            error.to_string(),
            "1 of 4 log records were not taken: too old"
        );
        assert!(sink.send(&batch[2..3]).await.is_err() && sink.send(&batch[3..]).await.is_ok());

        collector.with(|exported| (exported.poison, exported.warns) = (None, true));
        assert_eq!(sink.send(&batch).await.unwrap().through, 3);
    }
}

#[tokio::test]
async fn answers_say_whether_time_or_a_person_helps() {
    for encoding in [OtlpEncoding::Protobuf, OtlpEncoding::Json] {
        let collector = Collector::start().await;
        let batch = records(&settings(&collector.url, encoding), 0, 1);
        let wrong = sink(&collector, encoding, "other").send(&batch).await;
        let wrong = wrong.unwrap_err();
        assert!(matches!(wrong, SendError::Configuration { .. }), "{wrong}");
        assert!(
            wrong.to_string().ends_with("the key is not valid"),
            "{wrong}"
        );

        let sink = sink(&collector, encoding, API_KEY);
        collector.with(|exported| exported.busy = 1);
        let busy = sink.send(&batch).await.unwrap_err();
        let SendError::Passing { retry_after_s, .. } = busy else {
            panic!("{busy}");
        };
        assert_eq!(retry_after_s, Some(7));

        collector.with(|exported| exported.is_proxy = true);
        let proxy = sink.send(&batch).await.unwrap_err();
        assert!(matches!(proxy, SendError::Configuration { .. }), "{proxy}");
        assert_eq!(collector.uids(), Vec::<String>::new());
    }
}
