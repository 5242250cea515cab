//! Tests of tampering with access to the disk, each of which is detected: one flipped byte in a
//! segment, one in the write-ahead log, a tail that is cut off.

use std::path::{Path, PathBuf};

use reeve_testkit::service::{Service, verify};

/// The files below a folder whose path ends so, in order.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];

    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.to_string_lossy().ends_with(ending) {
                found.push(path);
            }
        }
    }

    found.sort();
    found
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if source.is_dir() {
            copy(&source, &target);
        } else {
            std::fs::copy(&source, &target).unwrap();
        }
    }
}

/// A copy of the data with one file changed must be refused by name; what the auditor said.
#[track_caller]
fn refused(data: &Path, copy_at: &Path, file: &Path, change: impl FnOnce(&mut Vec<u8>)) -> String {
    copy(data, copy_at);
    let damaged = copy_at.join(file.strip_prefix(data).unwrap());
    let mut bytes = std::fs::read(&damaged).unwrap();
    change(&mut bytes);
    std::fs::write(&damaged, bytes).unwrap();
    let (code, said) = verify(&[copy_at.to_str().unwrap()]).unwrap();
    let name = file.file_name().unwrap().to_str().unwrap();
    assert_eq!(code, Some(1), "{}: {said}", file.display());
    assert!(said.contains(name), "it does not name {name}: {said}");

    said
}

pub(super) fn is_noticed(data: &Path, home: &Path) {
    let segments = files(&data.join("lake/entries"), ".parquet");
    let logs: Vec<PathBuf> = files(&data.join("ledger/wal"), ".wal")
        .into_iter()
        .filter(|path| path.metadata().unwrap().len() > 64)
        .collect();
    let (Some(segment), Some(log)) = (segments.first(), logs.last()) else {
        panic!("both kinds of files are needed: {segments:?}, {logs:?}");
    };

    for (n, part) in [4, 2].into_iter().enumerate() {
        refused(data, &home.join(format!("segment-{n}")), segment, |bytes| {
            let at = bytes.len() / part;
            bytes[at] ^= 1;
        });
        refused(data, &home.join(format!("wal-{n}")), log, |bytes| {
            let at = 64 + (bytes.len() - 64) / part;
            bytes[at] ^= 1;
        });
    }

    // A tail cut in the middle of a frame, and one cut so that what is left looks whole.
    let cut = |name: &str, keep: fn(usize) -> usize| {
        copy(data, &home.join(name));
        let damaged = home.join(name).join(log.strip_prefix(data).unwrap());
        let length = std::fs::metadata(&damaged).unwrap().len() as usize;
        std::fs::OpenOptions::new()
            .write(true)
            .open(&damaged)
            .unwrap()
            .set_len(keep(length) as u64)
            .unwrap();
        let (code, said) = verify(&[home.join(name).to_str().unwrap()]).unwrap();
        assert_eq!(code, Some(1), "{name}: {said}");
    };
    cut("cut-in-a-frame", |length| length - 10);

    cut("cut-to-the-header", |_| 64);
    // The service does not take up such a log either: it would hide what is missing.
    for name in ["wal-1", "cut-to-the-header"] {
        let refusal = Service::serve(&home.join(name), &[])
            .map(drop)
            .unwrap_err()
            .to_string();
        assert!(
            refusal.contains("the log could not be opened"),
            "{name}: {refusal}"
        );
    }
}
