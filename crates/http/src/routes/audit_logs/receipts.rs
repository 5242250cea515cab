//! Receipts as they go over the wire, written straight to bytes: three hashes an entry, thousands
//! of entries an answer. The shape is that of `wire::log::entry::{ReceiptBody, ReceiptsBody}`; a test
//! holds it to them.

use axum::body::Bytes;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use reeve_audit::instant::write_instant;
use reeve_audit::json::write_string;
use reeve_ledger::Receipt;

use crate::error::FieldProblem;
use crate::router::Uncompressed;

/// Approximate size of a receipt, bytes.
const RECEIPT_BYTES: usize = 384;

/// The answer to a submission: its receipt alone, or all of them and how many they are.
pub(super) fn answer(receipts: &[Receipt], alone: bool) -> Response {
    let body = match receipts {
        [receipt] if alone => {
            let mut out = Vec::with_capacity(RECEIPT_BYTES);
            write_receipt(receipt, &mut out);
            out
        }
        all => write_receipts(all),
    };
    response(StatusCode::CREATED, body)
}

/// Returns the answer to a submission whose entries were taken one by one: the receipts, and the
/// entries that were refused.
pub(super) fn answer_each(receipts: &[Receipt], refused: &[FieldProblem]) -> Response {
    let status = if receipts.is_empty() {
        StatusCode::OK
    } else {
        StatusCode::CREATED
    };
    response(status, write_each(receipts, refused))
}

fn write_each(receipts: &[Receipt], refused: &[FieldProblem]) -> Vec<u8> {
    let mut out = write_receipts(receipts);
    out.pop();
    out.extend_from_slice(br#","refused":"#);
    // Plain records of texts and numbers: writing them cannot fail.
    out.extend(serde_json::to_vec(refused).unwrap_or_else(|_| b"[]".to_vec()));
    out.push(b'}');
    out
}

fn response(status: StatusCode, body: Vec<u8>) -> Response {
    let mut response = (status, Bytes::from(body)).into_response();
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );

    // Hashes do not become smaller, and whoever writes should not wait for the attempt.
    response.extensions_mut().insert(Uncompressed);
    response
}

fn write_receipts(receipts: &[Receipt]) -> Vec<u8> {
    let mut out = Vec::with_capacity(32 + receipts.len() * RECEIPT_BYTES);
    out.extend_from_slice(br#"{"items":["#);

    for (at, receipt) in receipts.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        write_receipt(receipt, &mut out);
    }

    out.extend_from_slice(br#"],"total":"#);
    write_number(receipts.len() as u64, &mut out);
    out.push(b'}');

    out
}

fn write_receipt(receipt: &Receipt, out: &mut Vec<u8>) {
    out.extend_from_slice(br#"{"event_id":"#);
    write_string(&receipt.event_id, out);
    out.extend_from_slice(br#","sequence":"#);
    write_number(receipt.sequence, out);
    out.extend_from_slice(br#","recorded_at":""#);
    write_instant(receipt.recorded_at, out);
    out.extend_from_slice(br#"","leaf_hash":""#);
    write_hex(receipt.leaf_hash.as_bytes(), out);
    out.extend_from_slice(br#"","hash":""#);
    write_hex(receipt.hash.as_bytes(), out);
    out.extend_from_slice(br#"","previous_hash":""#);
    write_hex(receipt.previous_hash.as_bytes(), out);
    out.extend_from_slice(br#""}"#);
}

fn write_hex(bytes: &[u8; 32], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = [0; 64];
    for (pair, byte) in text.chunks_exact_mut(2).zip(bytes) {
        pair[0] = DIGITS[usize::from(byte >> 4)];
        pair[1] = DIGITS[usize::from(byte & 15)];
    }
    out.extend_from_slice(&text);
}

fn write_number(mut number: u64, out: &mut Vec<u8>) {
    let (mut digits, mut at) = ([0; 20], 20);
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }

    out.extend_from_slice(&digits[at..]);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::{from_slice, to_value};

    use reeve_audit::FieldCode;

    use super::*;
    use crate::time;
    use crate::wire::form::enumeration::Name;
    use crate::wire::log::entry::{ReceiptBody, ReceiptsBody};

    fn receipt(sequence: u64, event_id: &str) -> Receipt {
        let hash = |seed: u8| format!("{seed:02x}9a").repeat(16).parse().unwrap();
        Receipt {
            event_id: event_id.to_owned(),
            sequence,
            recorded_at: "2026-11-20T10:00:00.005Z".parse().unwrap(),
            leaf_hash: hash(1),
            previous_hash: hash(0),
            hash: hash(0xfe),
            duplicate: false,
        }
    }

    fn body(receipt: &Receipt) -> ReceiptBody {
        ReceiptBody {
            event_id: receipt.event_id.clone(),
            sequence: receipt.sequence,
            recorded_at: time::text(receipt.recorded_at),
            leaf_hash: receipt.leaf_hash.to_string(),
            hash: receipt.hash.to_string(),
            previous_hash: receipt.previous_hash.to_string(),
        }
    }

    #[test]
    fn written_as_described() {
        let receipts = [
            receipt(0, "a"),
            receipt(u64::MAX, "quote \" backslash \\ é"),
            receipt(1_234_567_890, "b"),
        ];

        for receipt in &receipts {
            let mut out = Vec::new();
            write_receipt(receipt, &mut out);
            assert_eq!(
                from_slice::<serde_json::Value>(&out).unwrap(),
                to_value(body(receipt)).unwrap()
            );
        }

        for some in [&receipts[..], &receipts[..1], &[]] {
            let mut described = ReceiptsBody {
                items: some.iter().map(body).collect(),
                total: some.len() as u64,
                refused: None,
            };
            assert_eq!(
                from_slice::<serde_json::Value>(&write_receipts(some)).unwrap(),
                to_value(&described).unwrap()
            );
            let refused = vec![FieldProblem {
                field: "event_id".to_owned(),
                code: Name(FieldCode::EventIdConflict),
                message: "\"taken\"".to_owned(),
                index: Some(3),
            }];
            let each = from_slice::<serde_json::Value>(&write_each(some, &refused)).unwrap();
            described.refused = Some(refused);
            assert_eq!(each, to_value(described).unwrap());
        }
    }
}
