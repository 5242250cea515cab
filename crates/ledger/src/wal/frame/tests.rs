//! Frames, byte by byte.

#![allow(clippy::unwrap_used)]

use super::*;

type Entries = Vec<FrameEntry>;
type Change = fn(&mut Vec<u8>);

fn head() -> FrameHead {
    FrameHead {
        first_sequence: 0x0102,
        committed_at_ms: -2,
        note: "note\n".into(),
    }
}

fn encode(entries: &Entries) -> Vec<u8> {
    encode_frame(
        &head(),
        entries
            .iter()
            .map(|(salt, canonical)| (salt, canonical.as_slice())),
    )
    .unwrap()
}

fn read(bytes: &[u8]) -> Result<WalFrame, (usize, FrameFault)> {
    FrameReader::new(bytes, 0).next().unwrap()
}

fn two() -> Entries {
    vec![([1; 16], b"{}".to_vec()), ([2; 16], Vec::new())]
}

/// The example that anyone may write a reader against: `docs/formats/wal.md`.
#[test]
fn bytes_are_those_of_the_documentation() {
    let mut body = vec![1, 0];
    body.extend([2, 1, 0, 0, 0, 0, 0, 0]);
    body.extend([2, 0, 0, 0]);
    body.extend([0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
    body.extend([42, 0, 0, 0]);
    body.extend([5, 0, 0, 0]);
    body.extend(b"note\n");
    body.extend([1; 16]);
    body.extend([2, 0, 0, 0]);
    body.extend(b"{}");
    body.extend([2; 16]);
    body.extend([0, 0, 0, 0]);
    let mut frame = (body.len() as u32).to_le_bytes().to_vec();
    frame.extend(crc32c::crc32c(&body).to_le_bytes());
    frame.extend(&body);
    assert_eq!(encode(&two()), frame);

    let read = read(&frame).unwrap();
    assert_eq!(
        (read.offset, read.end, read.head, read.entries),
        (0, frame.len(), head(), two())
    );
}

#[test]
fn large_frames_are_compressed_and_round_trip() {
    let entries: Entries = (0..200)
        .map(|i| {
            (
                [i; 16],
                format!(r#"{{"n":{i},"text":"again and again"}}"#).into_bytes(),
            )
        })
        .collect();
    let bytes = encode(&entries);
    assert_eq!(bytes[PREFIX + 1], CODEC_ZSTD);

    assert!(bytes.len() < 3000, "{}", bytes.len());
    assert_eq!(read(&bytes).unwrap().entries, entries);

    // What does not shrink stays as it is.
    let noise: Entries = vec![([0; 16], (0..2000).map(|_| rand::random::<u8>()).collect())];
    let bytes = encode(&noise);
    assert_eq!(bytes[PREFIX + 1], CODEC_RAW);
    assert_eq!(read(&bytes).unwrap().entries, noise);
}

#[test]
fn any_flipped_bit_and_any_cut_is_refused() {
    for entries in [two(), (0..40).map(|i| ([i; 16], vec![b'a'; 30])).collect()] {
        let bytes = encode(&entries);
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let (offset, _) = read(&flipped).unwrap_err();
            assert_eq!(offset, 0, "bit {bit}");
        }
        for cut in 1..bytes.len() {
            let (_, fault) = read(&bytes[..cut]).unwrap_err();
            assert!(
                matches!(fault, FrameFault::Short { have, .. } if have == cut),
                "{cut}: {fault}"
            );
        }
    }
}

/// A body with a checksum that holds, but parts that do not.
#[test]
fn wrong_structure_is_refused() {
    let cases: [(&str, Change, FrameFault); 8] = [
        ("kind", |b| b[0] = 2, FrameFault::Kind(2)),
        ("codec", |b| b[1] = 9, FrameFault::Codec(9)),
        ("no zstd", |b| b[1] = 1, FrameFault::Compression),
        ("no entries", |b| b[10] = 0, FrameFault::Empty),
        (
            "fewer entries",
            |b| b[10] = 1,
            FrameFault::Length("number of entries"),
        ),
        (
            "more entries",
            |b| b[13] = 0xff,
            FrameFault::Length("number of entries"),
        ),
        (
            "entries part",
            |b| b[22] = 41,
            FrameFault::Length("entries part"),
        ),
        ("note", |b| b[29] = 1, FrameFault::Length("checkpoint")),
    ];

    for (name, change, expect) in cases {
        let mut body = encode(&two())[PREFIX..].to_vec();
        change(&mut body);
        assert_eq!(read(&framed(&body)).unwrap_err(), (0, expect), "{name}");
    }

    let mut bomb = encode(&two())[PREFIX..].to_vec();
    bomb[1] = CODEC_ZSTD;
    bomb[22..26].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(
        read(&framed(&bomb)).unwrap_err(),
        (0, FrameFault::Length("entries part"))
    );
    assert_eq!(
        read(&framed(&[1; 29])).unwrap_err(),
        (0, FrameFault::Length("head"))
    );
    assert_eq!(
        encode_frame(&head(), std::iter::empty()).map(|bytes| read(&bytes)),
        Ok(Err((0, FrameFault::Empty)))
    );
}

fn framed(body: &[u8]) -> Vec<u8> {
    let mut frame = (body.len() as u32).to_le_bytes().to_vec();
    frame.extend(crc32c::crc32c(body).to_le_bytes());
    frame.extend(body);
    frame
}

#[test]
fn frames_follow_each_other_and_whole_ones_are_found() {
    let frame = encode(&two());
    let file = [&[0; 64], &frame[..], &frame, &frame[..20]].concat();
    let read: Vec<_> = FrameReader::new(&file, 64)
        .map(|frame| frame.map(|frame| frame.offset))
        .collect();
    let second = 64 + frame.len();
    let torn = second + frame.len();
    let short = FrameFault::Short {
        have: 20,
        need: frame.len(),
    };
    assert_eq!(read, [Ok(64), Ok(second), Err((torn, short))]);
    assert_eq!(whole_frame_after(&file, 65, 0x0102), Some(second));
    assert_eq!(whole_frame_after(&file, 65, 0x0103), None);
    assert_eq!(whole_frame_after(&file, second + 1, 0), None);
    assert_eq!(whole_frame_after(&[], 0, 0), None);
}
