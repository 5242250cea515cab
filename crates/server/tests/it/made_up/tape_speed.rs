//! The metric of the made-up agent type, pushed as Prometheus pushes series (remote write).

use jiff::Timestamp;
use reeve_testkit::http::Api;
use serde_json::json;

/// Bytes of a field of a protobuf message: its number and wire type, its length, its content.
fn field(number: u8, content: &[u8]) -> Vec<u8> {
    let mut bytes = vec![number << 3 | 2, u8::try_from(content.len()).unwrap()];
    bytes.extend(content);
    bytes
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

fn label(name: &str, value: &str) -> Vec<u8> {
    let content = [field(1, name.as_bytes()), field(2, value.as_bytes())].concat();
    field(1, &content)
}

/// A `WriteRequest` with one series of one sample, in snappy's block format without compression.
fn write_request(host: &str, value: f64, at: Timestamp) -> Vec<u8> {
    let time = varint(u64::try_from(at.as_millisecond()).unwrap());
    let sample = [&[1 << 3 | 1][..], &value.to_le_bytes(), &[2 << 3], &time].concat();
    let series = [
        label("__name__", "tape_speed"),
        label("host", host),
        field(2, &sample),
    ]
    .concat();
    let request = field(1, &series);
    let length = u8::try_from(request.len()).unwrap();

    // The length of the whole, then one literal with its length in a byte of its own.
    [&[length, 60 << 2, length - 1][..], &request].concat()
}

/// Adds a metric source that maps the series to the metric, and pushes a sample of a machine.
pub(super) async fn push(admin: &Api, machine: &str, value: f64) {
    let rule = json!({ "metric": "tape_speed", "series": "tape_speed", "kind": "virtual_machine",
        "label": "host", "locate_by": "id" });
    let source = json!({ "name": "tapes", "kind": "remote_write", "rules": [rule] });
    let made = admin.post("metrics/sources", source).await.expect(201);
    let pushed = admin
        .with_token(&made.text_at("/token"))
        .send_with(
            "POST",
            "metrics/write",
            &[("content-encoding", "snappy")],
            Some("application/x-protobuf"),
            write_request(machine, value, Timestamp::now()),
        )
        .await;
    assert_eq!(pushed.status, 204, "{}", pushed.text);
}
