//! Slots of the anchor: what is written is read, and whatever was flipped is noticed.

#![allow(clippy::unwrap_used)]
use reeve_tlog::KeyId;

use super::*;
use crate::disk::LocalDisk;

fn head(size: u64) -> AnchorHead {
    let signature = Some(HeadSignature {
        key: KeyId([3; 4]),
        bytes: [4; 64],
    });
    AnchorHead {
        size,
        root: Hash([1; 32]),
        chain_hash: Hash([2; 32]),
        signature,
    }
}

#[test]
fn the_newest_slot_that_holds_counts() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("anchor/head");
    assert_eq!(read(&LocalDisk, &path).unwrap(), AnchorFound::Nothing);

    let mut anchor = Anchor::create(&LocalDisk, &path, &head(0)).unwrap();
    for size in 1..=5 {
        anchor.write(&head(size)).unwrap();
        assert_eq!(
            read(&LocalDisk, &path).unwrap(),
            AnchorFound::Head(head(size), size + 1)
        );
    }

    anchor.sync().unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    assert_eq!(bytes.len(), FILE_LEN);

    // Turn 6 stands in slot 0; without it the one before counts.
    bytes[30] ^= 1;
    assert_eq!(decode(&bytes), Some((head(4), 5)));
    bytes[SLOT_STEP + SLOT_LEN - 1] ^= 1;
    assert_eq!(decode(&bytes), None);
    std::fs::write(&path, &bytes[..100]).unwrap();
    assert_eq!(read(&LocalDisk, &path).unwrap(), AnchorFound::Damaged);
}

#[test]
fn every_flipped_byte_is_noticed_and_gone_after_a_rewrite() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("anchor/head");
    drop(Anchor::create(&LocalDisk, &path, &head(3)).unwrap());
    let sound = std::fs::read(&path).unwrap();
    assert!(is_sound(&LocalDisk, &path).unwrap());

    for at in 0..=FILE_LEN {
        let mut flipped = sound.clone();
        flipped.resize(FILE_LEN + usize::from(at == FILE_LEN), 0);
        flipped[at] ^= 0x10;
        std::fs::write(&path, &flipped).unwrap();
        assert!(!is_sound(&LocalDisk, &path).unwrap(), "byte {at}");
        let (found, turn) = decode(&flipped).unwrap();
        let mut anchor = Anchor::open(&LocalDisk, &path, turn).unwrap();
        anchor.rewrite(&found).unwrap();
        assert!(is_sound(&LocalDisk, &path).unwrap(), "byte {at}");
        assert_eq!(
            read(&LocalDisk, &path).unwrap(),
            AnchorFound::Head(head(3), turn + 2),
            "byte {at}"
        );
    }
}

#[test]
fn any_flipped_bit_of_a_slot_is_refused() {
    let slot: [u8; SLOT_LEN] = *encode_slot(&head(7), 9).first_chunk().unwrap();
    assert_eq!(decode_slot(&slot), Some((head(7), 9)));
    for bit in 0..SLOT_LEN * 8 {
        let mut flipped = slot;
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(decode_slot(&flipped), None, "bit {bit}");
    }
}

/// The file that a version before signed anchors wrote: both slots say that 7 entries were
/// acknowledged.
#[test]
fn a_file_of_version_1_is_read_and_not_sound() {
    let bytes = include_bytes!("../../tests/fixtures/anchor-v1");
    let unsigned = AnchorHead {
        signature: None,
        ..head(7)
    };
    assert_eq!(decode(bytes), Some((unsigned, 1)));
    assert_eq!(encode(&unsigned), bytes);

    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("head");
    std::fs::write(&path, bytes).unwrap();
    assert!(!is_sound(&LocalDisk, &path).unwrap());

    let mut anchor = Anchor::open(&LocalDisk, &path, 1).unwrap();
    anchor.rewrite(&head(7)).unwrap();
    assert!(is_sound(&LocalDisk, &path).unwrap());
}

/// The file as this version writes it.
#[test]
fn a_file_of_version_2_is_read_and_written_again() {
    let bytes = include_bytes!("../../tests/fixtures/anchor-v2");
    assert_eq!(decode(bytes), Some((head(7), 1)));
    assert_eq!(encode(&head(7)), bytes);
}
