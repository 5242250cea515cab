//! A data directory as versions before the signed manifest wrote it: `manifest.json` with the right
//! edge, an anchor of version 1.

use std::fs;
use std::path::Path;

use reeve_ledger::manifest::journal;
use reeve_tlog::Commitment;

const SLOT_STEP: usize = 512;
const HEAD_LEN: usize = 92;

/// Takes the signatures out of a closed log's manifest and anchor.
pub(crate) fn unsign(dir: &Path) {
    let path = dir.join("ledger/manifest.journal");
    let mut manifest = journal::decode(&fs::read(&path).unwrap(), |_, _, _| Ok(()))
        .unwrap()
        .manifest;

    if manifest.sealed_size > 0 {
        let commitments = fs::read(dir.join("ledger/commitments")).unwrap();
        let (all, _) = commitments.as_chunks::<32>();
        let full = manifest.sealed_size - manifest.sealed_size % 256;
        manifest.edge = all[full as usize..manifest.sealed_size as usize]
            .iter()
            .copied()
            .map(Commitment)
            .collect();
        fs::write(dir.join("ledger/manifest.json"), manifest.encode().unwrap()).unwrap();
    }

    fs::remove_file(path).unwrap();
    unsign_anchor(dir);
}

/// Takes the signatures out of an anchor.
pub(crate) fn unsign_anchor(dir: &Path) {
    let path = dir.join("anchor/head");
    let mut bytes = fs::read(&path).unwrap();

    for slot in bytes.chunks_mut(SLOT_STEP) {
        slot[8..12].copy_from_slice(&1_u32.to_le_bytes());
        let sum = crc32c(&slot[..HEAD_LEN]).to_le_bytes();
        slot[HEAD_LEN..].fill(0);
        slot[HEAD_LEN..HEAD_LEN + 4].copy_from_slice(&sum);
    }
    fs::write(path, bytes).unwrap();
}

/// CRC-32C, bit by bit: not every crate that includes this file has a library for it.
fn crc32c(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
            (sum >> 1) ^ if sum & 1 == 1 { 0x82f6_3b78 } else { 0 }
        })
    })
}
