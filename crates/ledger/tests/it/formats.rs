//! Readers of files meet whatever is in them: any bytes give an answer, none a panic, and only what
//! was written is read.

use proptest::prelude::*;
use reeve_ledger::anchor;
use reeve_ledger::manifest::{Manifest, journal};
use reeve_ledger::wal::{
    FrameHead, FrameReader, HEADER_LEN, WalHeader, encode_frame, whole_frame_after,
};
use reeve_tlog::Hash;

proptest! {
    #[test]
    fn any_bytes_are_answered(bytes in proptest::collection::vec(any::<u8>(), 0..600), offset in 0_usize..700) {
        prop_assert!(WalHeader::decode(&bytes).is_err());
        prop_assert!(FrameReader::new(&bytes, offset).all(|frame| frame.is_err()));
        prop_assert_eq!(whole_frame_after(&bytes, offset, 0), None);
        prop_assert_eq!(anchor::decode(&bytes), None);
        prop_assert!(Manifest::decode(&bytes).is_err());
        prop_assert!(journal::decode(&bytes, |_, _, _| Ok(())).is_err());
    }

    /// Checksums that hold do not make a frame: the parts are read with the same care.
    #[test]
    fn any_body_is_answered(mut body in proptest::collection::vec(any::<u8>(), 0..300), kind in 0_u8..2, codec in 0_u8..3) {
        for (at, value) in [(0, kind), (1, codec), (12, 0), (13, 0), (24, 0), (25, 0), (28, 0), (29, 0)] {
            if let Some(byte) = body.get_mut(at) {
                *byte = value;
            }
        }

        let mut file = (body.len() as u32).to_le_bytes().to_vec();
        file.extend(crc32c::crc32c(&body).to_le_bytes());
        file.extend(&body);

        for frame in FrameReader::new(&file, 0).flatten() {
            let entries = frame.entries.iter().map(|(salt, canonical)| (salt, canonical.as_slice()));
            let again = encode_frame(&frame.head, entries).unwrap();
            prop_assert_eq!(FrameReader::new(&again, 0).next().unwrap().unwrap().entries, frame.entries);
        }
    }

    #[test]
    fn written_frames_are_read_back(
        first_sequence: u64,
        previous: [u8; 32],
        committed_at_ms: i64,
        note in "[ -~\n]{0,200}",
        entries in proptest::collection::vec((any::<[u8; 16]>(), proptest::collection::vec(any::<u8>(), 0..200)), 1..20),
    ) {
        let header = WalHeader { first_sequence, previous_hash: Hash(previous), epoch: 0 };
        let head = FrameHead { first_sequence, committed_at_ms, note };
        let frame = encode_frame(&head, entries.iter().map(|(salt, canonical)| (salt, canonical.as_slice()))).unwrap();
        let file = [&header.encode()[..], &frame].concat();
        prop_assert_eq!(WalHeader::decode(&file), Ok(header));
        let read: Vec<_> = FrameReader::new(&file, HEADER_LEN).map(Result::unwrap).collect();
        prop_assert_eq!(read.len(), 1);
        prop_assert_eq!((&read[0].head, &read[0].entries), (&head, &entries));
    }
}
