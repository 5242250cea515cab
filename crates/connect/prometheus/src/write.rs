//! Decoding of a pushed body: snappy (block format), then protobuf, one series at a time.
//!
//! Refused: bodies beyond [`MAX_BODY_BYTES`] or [`MAX_DECODED_BYTES`] once decompressed, more
//! series, labels or samples than a server sends at once, series without a name, labels given
//! twice, and text that is not UTF-8. A few bytes of protobuf can stand for a larger structure in
//! memory, so the numbers are counted while series are decoded.

use bytes::{Buf, Bytes};
use prost::Message as _;
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};
use reeve_audit::Obstacle;
use reeve_sources::{Labels, PushedSeries};

use crate::message::TimeSeries;

/// Largest body as it is sent, bytes.
pub const MAX_BODY_BYTES: usize = 8 << 20;
/// Largest body once it is decompressed, bytes.
const MAX_DECODED_BYTES: usize = 32 << 20;
const MAX_SERIES_BYTES: usize = 1 << 20;
/// Series of a body at most.
const MAX_SERIES: usize = 50_000;
/// Labels of a series at most.
const MAX_LABELS: usize = 128;
/// Longest value of a label, bytes.
const MAX_VALUE_BYTES: usize = 4096;
/// Samples of a body at most.
const MAX_SAMPLES: usize = 500_000;

/// Reason why a body is refused. None of them is mended by sending the body again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WriteFault {
    /// The body is not compressed as it says.
    #[error("the body is not snappy (block format): {0}")]
    Snappy(String),
    /// The body is too large.
    #[error("the body has {found} {unit}; at most {most} are taken at once")]
    TooLarge {
        /// Number in the body.
        found: u64,
        /// Largest number that is taken at once.
        most: usize,
        /// Noun of what is counted.
        unit: &'static str,
    },
    /// The body is no message.
    #[error("series {series}: the body is not a prometheus.WriteRequest: {reason}")]
    Protobuf {
        /// Position of the series, from 0.
        series: usize,
        /// Fault in the message, in words.
        reason: String,
    },
    /// A series breaks a rule.
    #[error("series {series}: {reason}")]
    Series {
        /// Position of the series, from 0.
        series: usize,
        /// Broken rule, in words.
        reason: String,
    },
}

/// Decodes a body.
///
/// # Errors
/// The body is refused as a whole; the error names the series.
pub fn decode_write(body: &[u8]) -> Result<Vec<PushedSeries>, WriteFault> {
    bounded(body.len(), MAX_BODY_BYTES, "compressed bytes")?;
    let length =
        snap::raw::decompress_len(body).map_err(|error| WriteFault::Snappy(error.to_string()))?;
    bounded(length, MAX_DECODED_BYTES, "bytes")?;
    let decoded = snap::raw::Decoder::new().decompress_vec(body);
    let mut rest = Bytes::from(decoded.map_err(|error| WriteFault::Snappy(error.to_string()))?);
    let (mut found, mut samples) = (Vec::new(), 0);

    while rest.has_remaining() {
        let place = found.len();
        let wrong = |reason: String| WriteFault::Protobuf {
            series: place,
            reason,
        };
        let Some(bytes) = next(&mut rest).map_err(|fault| wrong(fault.into()))? else {
            continue;
        };
        bounded(place + 1, MAX_SERIES, "series")?;
        bounded(bytes.len(), MAX_SERIES_BYTES, "bytes in one series")?;
        let series = TimeSeries::decode(bytes).map_err(|error| wrong(error.to_string()))?;
        samples += series.samples.len();
        bounded(samples, MAX_SAMPLES, "samples")?;
        found.push(checked(series).map_err(|reason| WriteFault::Series {
            series: place,
            reason: reason.into(),
        })?);
    }

    Ok(found)
}

fn bounded(found: usize, most: usize, unit: &'static str) -> Result<(), WriteFault> {
    if found <= most {
        Ok(())
    } else {
        Err(WriteFault::TooLarge {
            found: found as u64,
            most,
            unit,
        })
    }
}

/// The bytes of the next series; `None` after another field.
fn next(rest: &mut Bytes) -> Result<Option<Bytes>, Obstacle> {
    let (tag, wire) = decode_key(rest).map_err(Obstacle::of)?;
    if tag != 1 {
        skip_field(wire, tag, rest, DecodeContext::default()).map_err(Obstacle::of)?;
        return Ok(None);
    }
    if wire != WireType::LengthDelimited {
        return Err("field 1 is not a message".into());
    }

    let length = decode_varint(rest).map_err(Obstacle::of)?;
    match usize::try_from(length)
        .ok()
        .filter(|length| *length <= rest.remaining())
    {
        Some(length) => Ok(Some(rest.split_to(length))),
        None => Err(Obstacle::from(format!(
            "a series of {length} bytes is cut off after {}",
            rest.remaining()
        ))),
    }
}

fn checked(series: TimeSeries) -> Result<PushedSeries, Obstacle> {
    if series.labels.len() > MAX_LABELS {
        return Err(Obstacle::from(format!(
            "has {} labels; at most {MAX_LABELS} are taken",
            series.labels.len()
        )));
    }

    let points = series
        .samples
        .iter()
        .map(|sample| (sample.timestamp, sample.value))
        .collect();

    let labels: Vec<(String, String)> = series
        .labels
        .into_iter()
        .map(|label| (label.name, label.value))
        .collect();

    if let Some((name, _)) = labels
        .iter()
        .find(|(name, value)| name.len().max(value.len()) > MAX_VALUE_BYTES)
    {
        return Err(Obstacle::from(format!(
            "the label {:.40} has more than {MAX_VALUE_BYTES} bytes",
            name
        )));
    }

    if labels.iter().any(|(name, _)| name.is_empty()) {
        return Err("a label has no name".into());
    }

    let labels = Labels::new(labels).map_err(Obstacle::of)?;
    match labels.name() {
        Some(_) => Ok(PushedSeries { labels, points }),
        None => Err("has no label __name__".into()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;
    use crate::message::{Label, PrometheusSample};

    fn series(labels: &[(&str, &str)], samples: &[(i64, f64)]) -> TimeSeries {
        let label = |(name, value): &(&str, &str)| Label {
            name: (*name).into(),
            value: (*value).into(),
        };

        let sample = |(timestamp, value): &(i64, f64)| PrometheusSample {
            timestamp: *timestamp,
            value: *value,
        };

        TimeSeries {
            labels: labels.iter().map(label).collect(),
            samples: samples.iter().map(sample).collect(),
        }
    }

    fn message(all: &[TimeSeries]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for one in all {
            prost::encoding::message::encode(1, one, &mut bytes);
        }
        bytes
    }

    fn body(all: &[TimeSeries]) -> Vec<u8> {
        snap::raw::Encoder::new()
            .compress_vec(&message(all))
            .unwrap()
    }

    fn fault(body: &[u8]) -> String {
        decode_write(body).unwrap_err().to_string()
    }

    #[test]
    fn series_are_decoded_with_sorted_labels() {
        let sent = [series(
            &[("instance", "a"), ("__name__", "up"), ("empty", "")],
            &[(5, 1.0), (6, f64::NAN)],
        )];
        let mut bytes = message(&sent);

        // Metadata (field 3) is skipped.
        prost::encoding::message::encode(
            3,
            &Label {
                name: "x".into(),
                value: "y".into(),
            },
            &mut bytes,
        );

        let found = decode_write(&snap::raw::Encoder::new().compress_vec(&bytes).unwrap()).unwrap();
        assert_eq!(found[0].labels.to_string(), "up{instance=\"a\"}");
        assert_eq!(
            (
                found.len(),
                found[0].points[0],
                found[0].points[1].1.is_nan()
            ),
            (1, (5, 1.0), true)
        );

        assert_eq!(decode_write(&body(&[])).unwrap(), []);
    }

    #[test]
    fn faults_name_the_series() {
        let good = series(&[("__name__", "up")], &[(1, 1.0)]);
        let after = |bad: TimeSeries| fault(&body(&[good.clone(), bad]));
        assert_eq!(
            after(series(&[("a", "b")], &[])),
            "series 1: has no label __name__"
        );
        assert_eq!(
            after(series(&[("__name__", "a"), ("b", "1"), ("b", "2")], &[])),
            "series 1: the label b is given twice"
        );
        assert_eq!(
            after(series(&[("__name__", "a"), ("", "2")], &[])),
            "series 1: a label has no name"
        );

        let many: Vec<String> = (0..=MAX_LABELS).map(|place| format!("l{place}")).collect();
        let many: Vec<(&str, &str)> = many.iter().map(|name| (name.as_str(), "v")).collect();
        assert_eq!(
            after(series(&many, &[])),
            "series 1: has 129 labels; at most 128 are taken"
        );

        let long = "x".repeat(MAX_VALUE_BYTES + 1);
        assert_eq!(
            after(series(&[("__name__", &long)], &[])),
            "series 1: the label __name__ has more than 4096 bytes"
        );

        let mut cut = message(std::slice::from_ref(&good));
        cut.pop();
        let cut = snap::raw::Encoder::new().compress_vec(&cut).unwrap();
        assert!(
            fault(&cut)
                .starts_with("series 0: the body is not a prometheus.WriteRequest: a series of"),
            "{}",
            fault(&cut)
        );

        let invalid = snap::raw::Encoder::new()
            .compress_vec(&[0x0a, 5, 0x0a, 3, 0x0a, 1, 0xff])
            .unwrap();
        assert!(fault(&invalid).contains("UTF-8"), "{}", fault(&invalid));
    }

    #[test]
    fn bodies_are_bounded_before_they_are_unpacked() {
        assert!(fault(b"not snappy").starts_with("the body is not snappy (block format): "));
        assert_eq!(
            fault(&vec![0; MAX_BODY_BYTES + 1]),
            "the body has 8388609 compressed bytes; at most 8388608 are taken at once"
        );

        // 40 MiB of zeros take 2 MB; the length in the header decides.
        let bomb = snap::raw::Encoder::new()
            .compress_vec(&vec![0; 40 << 20])
            .unwrap();
        assert!(bomb.len() < MAX_BODY_BYTES);
        assert_eq!(
            fault(&bomb),
            "the body has 41943040 bytes; at most 33554432 are taken at once"
        );

        let huge = series(
            &[("__name__", "a")],
            &vec![(1_700_000_000_000, 1.0); 80_000],
        );
        assert!(fault(&body(&[huge])).contains("bytes in one series"));

        let full = series(&[("__name__", "a")], &vec![(1, 1.0); 50_000]);
        assert_eq!(
            fault(&body(&vec![full; 11])),
            "the body has 550000 samples; at most 500000 are taken at once"
        );

        let small = series(&[("__name__", "a")], &[]);
        assert_eq!(
            fault(&body(&vec![small; MAX_SERIES + 1])),
            "the body has 50001 series; at most 50000 are taken at once"
        );
    }

    proptest! {
        /// No body makes the decoder fail otherwise than by an error.
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = decode_write(&bytes);
            let _ = decode_write(&snap::raw::Encoder::new().compress_vec(&bytes).unwrap());
        }

        #[test]
        fn what_is_encoded_is_decoded(values in proptest::collection::vec((any::<i64>(), -1e9..1e9f64), 0..20)) {
            let found = decode_write(&body(&[series(&[("__name__", "a"), ("b", "c")], &values)])).unwrap();
            prop_assert_eq!(&found[0].points, &values);
        }
    }
}
