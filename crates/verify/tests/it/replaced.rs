//! A log that one server wrote after another, the earlier one still writing into its own file when
//! it was replaced.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use reeve_lake::EntrySegments;
use reeve_ledger::{Config, Fence, Fenced, Ledger, keys};
use reeve_verify::{CannotVerify, DirectoryOptions, Progress, Report, verify_directory};

use crate::log::{ORIGIN, draft};

/// The fence of a server that nobody replaces.
#[derive(Debug)]
struct Numbered(u64);

impl Fence for Numbered {
    fn epoch(&self) -> u64 {
        self.0
    }

    fn check(&self) -> Result<(), Fenced> {
        Ok(())
    }
}

/// Appends entries as a server with a number.
async fn append_as(folder: &Path, epoch: u64, numbers: std::ops::Range<usize>) {
    let segments = Arc::new(EntrySegments::open(folder).await.unwrap());
    let signer = keys::load_or_create(folder, Some(ORIGIN)).unwrap();
    let config = Config {
        fence: Arc::new(Numbered(epoch)),
        ..Config::new(folder, ORIGIN)
    };
    let ledger = Ledger::open(config, signer, segments).await.unwrap();
    ledger.append(numbers.map(draft).collect()).await.unwrap();
    ledger.close().await;
}

fn verify_at(folder: &Path) -> Result<Report, CannotVerify> {
    verify_directory(folder, &DirectoryOptions::default(), &Progress::hidden())
}

#[tokio::test]
async fn frames_of_a_replaced_server_count_for_nothing_and_are_noted() {
    let home = tempfile::tempdir().unwrap();
    let (folder, late) = (home.path().join("log"), home.path().join("late"));
    append_as(&folder, 1, 0..3).await;
    let copied = std::process::Command::new("cp")
        .arg("-a")
        .arg(&folder)
        .arg(&late)
        .status()
        .unwrap();
    assert!(copied.success());

    append_as(&folder, 2, 3..5).await;
    let before = verify_at(&folder).unwrap();
    assert!(before.is_intact(), "{:?}", before.findings);

    // Without a number it goes on in the file that it finds, as the replaced server does in the one
    // that it has open.
    append_as(&late, 0, 10..14).await;
    let file = "ledger/wal/00000000000000000000.wal";
    fs::copy(late.join(file), folder.join(file)).unwrap();
    let report = verify_at(&folder).unwrap();
    assert!(report.is_intact(), "{:?}", report.findings);
    assert_eq!((report.size, report.root), (5, before.root));
    assert!(
        report
            .notes
            .iter()
            .any(|note| note.contains("after another one had taken over")),
        "{:?}",
        report.notes
    );

    // A file that the next server did not begin hides nothing.
    fs::remove_file(folder.join("ledger/wal/00000000000000000003.wal")).unwrap();
    assert!(!verify_at(&folder).unwrap().is_intact());
}
