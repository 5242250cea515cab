//! A real Kafka: order within partitions, keys, headers, compressions, every way to sign in, and
//! what a broker refuses.

use std::collections::BTreeMap;

use jiff::Timestamp;
use reeve_connect_outbound::OutboundPolicy;
use reeve_connect_streams::{KafkaSink, KafkaTopic, client};
use reeve_streams::{
    KafkaCompression, KafkaKey, KafkaSasl, SendError, StreamRecord, StreamSink as _,
};
use reeve_testkit::kafka::{Kafka, LARGEST_BATCH, PLAIN_USER, SCRAM_USER};

use crate::local;
use crate::syslog::certificate;

/// Records of the past: a broker refuses times that are hours ahead of its own.
fn records(from: u64, count: u64, size: usize) -> Vec<StreamRecord> {
    let mut records = crate::records(from, count, size);
    for record in &mut records {
        record.recorded_at = Timestamp::from_second(1_700_000_000).unwrap();
    }
    records
}

fn topic(port: u16, topic: &str) -> KafkaTopic {
    KafkaTopic {
        // The first one does not answer.
        brokers: vec![
            "127.0.0.1:1".parse().unwrap(),
            format!("127.0.0.1:{port}").parse().unwrap(),
        ],
        topic: topic.to_owned(),
        tls: false,
        sasl: KafkaSasl::None,
        username: String::new(),
        key: KafkaKey::ResourceId,
        compression: KafkaCompression::None,
    }
}

fn user(port: u16, sasl: KafkaSasl, username: &str) -> KafkaTopic {
    KafkaTopic {
        sasl,
        username: username.to_owned(),
        ..topic(port, "one")
    }
}

async fn sent(
    settings: KafkaTopic,
    secret: &str,
    batch: &[StreamRecord],
) -> Result<u64, SendError> {
    let sink = KafkaSink::new(client(local()), settings, secret);
    sink.send(batch).await.map(|acked| acked.through)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_real_broker_confirms_records_in_order() {
    let home = tempfile::tempdir().unwrap();
    let (pem, key) = certificate(home.path());
    let (chain, private) = (str::from_utf8(&pem).unwrap(), str::from_utf8(&key).unwrap());
    let kafka = Kafka::start(Some((chain, private))).unwrap();
    kafka.create_topic("three", 3).unwrap();
    kafka.create_topic("one", 1).unwrap();
    let ports = kafka.ports();

    by_resource(&kafka).await;
    refusals(ports.open).await;

    // Every way to sign in, over one topic.
    let plain = user(ports.sasl, KafkaSasl::Plain, PLAIN_USER.0);
    let next = records(0, 10, 50);
    assert_eq!(sent(plain.clone(), PLAIN_USER.1, &next).await, Ok(9));
    for (from, sasl, compression) in [
        (10, KafkaSasl::ScramSha256, KafkaCompression::Gzip),
        (20, KafkaSasl::ScramSha512, KafkaCompression::Zstd),
    ] {
        let settings = KafkaTopic {
            compression,
            key: KafkaKey::EventId,
            ..user(ports.sasl, sasl, SCRAM_USER.0)
        };
        let batch = records(from, 10, 50);
        assert_eq!(
            sent(settings.clone(), SCRAM_USER.1, &batch).await,
            Ok(from + 9)
        );
        assert_is_configuration(sent(settings, "wrong", &batch).await, "password");
    }
    assert_is_configuration(sent(plain, "wrong", &next).await, "refused the user");

    // TLS, by an authority that the configuration names, and by none.
    let over_tls = KafkaTopic {
        tls: true,
        ..topic(ports.tls, "one")
    };
    let policy = OutboundPolicy {
        authorities: pem,
        ..local()
    };
    let sink = KafkaSink::new(client(policy), over_tls.clone(), "");
    assert_eq!(sink.send(&records(30, 10, 50)).await.unwrap().through, 39);
    let unknown = sent(over_tls, "", &next).await.unwrap_err();
    assert!(matches!(unknown, SendError::Passing { .. }), "{unknown}");

    let read = kafka.records("one", 40).unwrap();
    let sequences: Vec<String> = read.iter().map(|record| record.headers.clone()).collect();
    let expected: Vec<String> = (0..40)
        .map(|n| format!("event_id:entry-{n},sequence:{n}"))
        .collect();
    assert_eq!(sequences, expected);
    assert_eq!(read[15].key, "entry-15");
}

/// Batches over three partitions: a resource stays in one, and in order.
async fn by_resource(kafka: &Kafka) {
    let sink = KafkaSink::new(client(local()), topic(kafka.ports().open, "three"), "");
    for from in [0, 100, 200] {
        let confirmed = sink.send(&records(from, 100, 200)).await.unwrap();
        assert_eq!(confirmed.through, from + 99);
    }
    let read = kafka.records("three", 300).unwrap();
    let mut resources: BTreeMap<&str, (u32, Vec<u64>)> = BTreeMap::new();
    for record in &read {
        let sequence = record.headers.rsplit(':').next().unwrap().parse().unwrap();
        let entry = resources.entry(record.key.as_str());
        let known = entry.or_insert((record.partition, Vec::new()));
        assert_eq!(known.0, record.partition, "{}", record.key);
        known.1.push(sequence);
        let body = format!("{{\"event_id\":\"entry-{sequence}\"");
        assert!(record.value.starts_with(&body), "{}", record.value);
    }
    assert_eq!(resources.len(), 7);
    for (_, sequences) in resources.values() {
        assert!(sequences.is_sorted() && sequences.len() > 40);
    }
    let partitions: std::collections::BTreeSet<u32> = resources
        .values()
        .map(|(partition, _)| *partition)
        .collect();
    assert!(partitions.len() > 1, "{partitions:?}");
}

async fn refusals(port: u16) {
    let batch = records(0, 3, LARGEST_BATCH / 2);
    let error = sent(topic(port, "one"), "", &batch).await.unwrap_err();
    assert!(matches!(error, SendError::Refused { .. }), "{error}");

    // The broker names the record.
    let mut ahead = records(0, 3, 1);
    ahead[2].recorded_at = Timestamp::from_second(4_000_000_000).unwrap();
    let error = sent(topic(port, "one"), "", &ahead).await.unwrap_err();
    assert!(
        matches!(error, SendError::Refused { index: Some(2), .. }),
        "{error}"
    );

    let missing = sent(topic(port, "missing"), "", &records(0, 1, 1)).await;
    assert_is_configuration(missing, "does not exist");

    // Addresses are judged before anything is sent.
    let sink = KafkaSink::new(client(OutboundPolicy::default()), topic(port, "one"), "");
    let error = sink
        .send(&records(0, 1, 1))
        .await
        .map(|acked| acked.through);
    assert_is_configuration(error, "not a public address");
}

fn assert_is_configuration(outcome: Result<u64, SendError>, message: &str) {
    let error = outcome.unwrap_err();
    assert!(matches!(error, SendError::Configuration { .. }), "{error}");
    assert!(error.to_string().contains(message), "{error}");
}
