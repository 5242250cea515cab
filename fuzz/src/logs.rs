//! Invariants of the files that the ledger reads at start: write-ahead log, manifest, anchor,
//! stored entries.

use reeve_audit::Entry;
use reeve_ledger::manifest::{Manifest, journal};
use reeve_ledger::wal::{
    FrameReader, HEADER_LEN, WalFrame, WalHeader, encode_frame, whole_frame_after,
};
use reeve_ledger::{anchor, wal as log};

/// A frame that announces more than this is not decompressed here: memory is the fuzzer's, not the
/// law's.
const MOST: u32 = 1 << 20;

/// Any file is read without panicking, with faults inside it; a frame that is taken comes out the
/// same when written again. The first byte says what the rest is: a file as it is, or bodies to
/// which prefixes that hold are given.
pub fn wal(data: &[u8]) {
    let Some((kind, rest)) = data.split_first() else {
        return;
    };
    if kind % 2 == 0 {
        read(rest);
    } else {
        let mut file = vec![0; HEADER_LEN];
        for body in rest.split(|byte| *byte == 0xfe) {
            file.extend_from_slice(&(body.len() as u32).to_le_bytes());
            file.extend_from_slice(&crc32c::crc32c(body).to_le_bytes());
            file.extend_from_slice(body);
        }
        read(&file);
    }
}

fn read(file: &[u8]) {
    if let Ok(header) = WalHeader::decode(file) {
        assert_eq!(
            header.encode()[..],
            file[..HEADER_LEN],
            "a header has one spelling"
        );
        assert_eq!(
            log::parse_file_name(&log::file_name(header.first_sequence)),
            Some(header.first_sequence)
        );
    }

    if announced(file) > MOST {
        return;
    }

    let mut at = HEADER_LEN;
    for frame in FrameReader::new(file, HEADER_LEN) {
        match frame {
            Ok(frame) => {
                assert!(
                    frame.offset == at
                        && frame.end > at
                        && frame.end <= file.len()
                        && !frame.entries.is_empty()
                );
                at = frame.end;
                again(&frame);
            }
            Err((offset, fault)) => {
                assert!(offset == at, "the fault lies at {offset}, not {at}");
                let _ = fault.to_string();
            }
        }
    }

    if let Some(whole) = whole_frame_after(file, HEADER_LEN + 1, 0) {
        assert!(whole > HEADER_LEN && whole < file.len());
    }
}

/// A frame written again reads the same.
fn again(frame: &WalFrame) {
    let entries = frame
        .entries
        .iter()
        .map(|(salt, canonical)| (salt, canonical.as_slice()));
    let bytes = encode_frame(&frame.head, entries).expect("what was read can be written");
    let read = FrameReader::new(&bytes, 0)
        .next()
        .expect("a frame")
        .expect("a whole frame");
    assert_eq!(
        (&read.head, &read.entries, read.end),
        (&frame.head, &frame.entries, bytes.len())
    );
}

/// The largest announcement at any offset where a frame might begin.
fn announced(file: &[u8]) -> u32 {
    let at = |offset: usize| {
        file.get(offset..)
            .and_then(|rest| rest.first_chunk())
            .map_or(0, |b| u32::from_le_bytes(*b))
    };

    let compressed =
        (0..file.len()).filter(|offset| file.get(offset + 8..offset + 10) == Some(&[1, 1]));
    compressed.map(|offset| at(offset + 30)).max().unwrap_or(0)
}

/// Manifest, anchor and canonical bytes: what is read is written back the same, or refused.
pub fn stored(data: &[u8]) {
    if let Ok(manifest) = Manifest::decode(data) {
        let written = manifest.encode().expect("what was read can be written");
        assert_eq!(
            Manifest::decode(&written).expect("what was written is read"),
            manifest
        );
    }

    if let Ok(content) = journal::decode(data, |_, _, _| Ok(())) {
        assert!(content.length <= data.len() as u64 && content.records > 0);
    }
    if let Some((head, turn)) = anchor::decode(data) {
        let _ = (head.size, turn);
    }

    if let Ok((entry, recorded_at)) = Entry::from_canonical(data) {
        let canonical = entry.to_canonical(recorded_at);
        let again = Entry::from_canonical(&canonical).expect("canonical bytes are read");
        assert_eq!(again, (entry, recorded_at));
        assert_eq!(again.0.to_canonical(again.1), canonical);
    }
}
