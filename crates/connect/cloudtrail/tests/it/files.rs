//! Tests of files of every shape, compressed or not, and of the errors about broken ones.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use reeve_connect_cloudtrail::{CloudtrailReadError, RecordReader, log_files, open};

fn record(index: usize) -> String {
    format!(
        r#"{{"eventID":"e-{index}","eventName":"DescribeInstances","eventTime":"2026-11-20T10:00:00Z","eventSource":"ec2.amazonaws.com"}}"#
    )
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn ids(bytes: Vec<u8>) -> Vec<String> {
    let reader = RecordReader::new(std::io::Cursor::new(bytes)).unwrap();
    reader
        .entries()
        .map(|entry| entry.map_or_else(|e| format!("! {e}"), |e| e.event_id.to_string()))
        .collect()
}

#[test]
fn shapes_and_compression() {
    let records = [record(0), record(1), record(2)];
    let wrapped = format!("{{\"Records\":[{}]}}", records.join(","));
    let (lines, array) = (records.join("\n"), format!("[{}]", records.join(",\n  ")));
    for text in [&wrapped, &lines, &array] {
        assert_eq!(ids(text.clone().into_bytes()), ["e-0", "e-1", "e-2"]);
        assert_eq!(ids(gzip(text.as_bytes())), ["e-0", "e-1", "e-2"]);
    }

    let members = [
        gzip(format!("{}\n", records[0]).as_bytes()),
        gzip(records[1].as_bytes()),
    ]
    .concat();
    assert_eq!(ids(members), ["e-0", "e-1"]);

    let looked_up = format!(
        r#"{{"Events":[{{"Username":"a","CloudTrailEvent":{}}}]}}"#,
        reeve_audit::Json::from(records[0].as_str())
    );
    assert_eq!(ids(looked_up.into_bytes()), ["e-0"]);
    assert_eq!(ids(Vec::new()), Vec::<String>::new());
}

#[test]
fn one_bad_record_does_not_hide_the_next() {
    let text = format!(
        "[{},{{\"eventName\":\"a\",\"eventName\":\"b\"}},7,{}]",
        record(0),
        record(1)
    );
    let got = ids(text.into_bytes());
    assert_eq!(
        (got.len(), got[0].as_str(), got[3].as_str()),
        (4, "e-0", "e-1")
    );
    assert!(
        got[1].starts_with("! record 1 at byte ")
            && got[1].contains("eventName: this key occurs twice"),
        "{}",
        got[1]
    );

    assert!(got[2].contains("not a CloudTrail record"), "{}", got[2]);
}

#[test]
fn a_cut_file_gives_what_it_has_and_says_so() {
    let whole = gzip(
        format!(
            "{{\"Records\":[{}]}}",
            (0..2000).map(record).collect::<Vec<_>>().join(",")
        )
        .as_bytes(),
    );
    let got = ids(whole[..whole.len() / 2].to_vec());
    let (last, rest) = got.split_last().unwrap();

    assert!(!rest.is_empty() && rest.iter().all(|id| id.starts_with("e-")));
    assert!(last.starts_with("! "), "{last}");

    let reader = RecordReader::new(&b"{\"Records\":[{\"eventName\":"[..]).unwrap();
    assert!(reader.last().unwrap().is_err_and(|e| e.ends_reading()));
}

/// Makes a log of any size without holding it.
struct Endless {
    left: usize,
    pending: Vec<u8>,
}

impl Read for Endless {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        if self.pending.is_empty() && self.left > 0 {
            self.left -= 1;
            self.pending = format!("{},", record(self.left)).into_bytes();
            if self.left == 0 {
                self.pending.pop();
                self.pending.extend(b"]}");
            }
        }

        let count = out.len().min(self.pending.len());
        out[..count].copy_from_slice(&self.pending[..count]);
        self.pending.drain(..count);

        Ok(count)
    }
}

#[test]
fn a_long_file_is_read_record_by_record() {
    let input = std::io::Cursor::new(b"{\"Records\":[").chain(Endless {
        left: 50_000,
        pending: Vec::new(),
    });
    assert_eq!(
        RecordReader::new(input)
            .unwrap()
            .map(Result::unwrap)
            .count(),
        50_000
    );
}

#[test]
fn folders_hold_logs_among_other_things() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    std::fs::create_dir_all(root.join("2026/11/20")).unwrap();
    std::fs::create_dir_all(root.join("CloudTrail-Digest")).unwrap();
    std::fs::write(
        root.join("2026/11/20/b.json.gz"),
        gzip(record(1).as_bytes()),
    )
    .unwrap();
    std::fs::write(root.join("2026/a.json"), record(0)).unwrap();
    std::fs::write(root.join("CloudTrail-Digest/d.json"), "{}").unwrap();
    std::fs::write(root.join(".hidden.json"), "{}").unwrap();
    std::fs::write(root.join("LICENSE"), "text").unwrap();
    let files = log_files(root).unwrap();
    let names: Vec<_> = files
        .iter()
        .map(|f| f.strip_prefix(root).unwrap().to_string_lossy().into_owned())
        .collect();
    assert_eq!(names, ["2026/11/20/b.json.gz", "2026/a.json"]);

    let count: usize = files
        .iter()
        .map(|file| open(file).unwrap().map(Result::unwrap).count())
        .sum();
    assert_eq!(count, 2);
    assert_eq!(log_files(&root.join("LICENSE")).unwrap().len(), 1);
    assert!(log_files(&root.join("missing")).is_err());
    std::fs::write(
        root.join("d.json"),
        r#"{"awsAccountId":"1","digestS3Object":"x"}"#,
    )
    .unwrap();
    let digest = open(&root.join("d.json")).unwrap().next().unwrap();
    assert!(matches!(digest, Err(e @ CloudtrailReadError::Record { .. }) if e.is_digest()));
}
