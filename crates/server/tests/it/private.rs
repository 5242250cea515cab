//! The data directory is its owner's alone, from the first file on, and an open one is closed at
//! start.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use reeve_testkit::service::Service;
use serde_json::json;

/// Every file and folder, with its mode.
fn modes(dir: &Path) -> Vec<(PathBuf, u32)> {
    let (mut found, mut folders) = (Vec::new(), vec![dir.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(&folder)
            .unwrap()
            .map(|item| item.unwrap().path())
        {
            found.push((
                path.clone(),
                fs::symlink_metadata(&path).unwrap().permissions().mode() & 0o777,
            ));
            if path.is_dir() {
                folders.push(path);
            }
        }
    }

    found
}

fn assert_private(dir: &Path) {
    let open: Vec<_> = modes(dir)
        .into_iter()
        .filter(|(_, mode)| mode & 0o077 != 0)
        .collect();
    assert!(open.is_empty(), "others may read or change {open:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_else_can_read_what_the_service_keeps() {
    let home = tempfile::tempdir().unwrap();
    let sealing = [("REEVE_SEAL_AFTER_ENTRIES", "20")];
    let service = Service::serve(home.path(), &sealing).unwrap();
    let admin = service.admin();

    for _ in 0..3 {
        let entries: Vec<_> = (0..20)
            .map(|_| json!({ "event_type": "test.deed" }))
            .collect();
        let _ = admin.post("audit-logs", json!(entries)).await.expect(201);
    }

    assert!(service.stop().unwrap().0.success());

    let names: Vec<String> = modes(home.path())
        .iter()
        .map(|(path, _)| path.to_string_lossy().into_owned())
        .collect();
    for part in [
        "/lake/entries/",
        "/lake/index/",
        "/ledger/wal/",
        "/ledger/ids/",
        "/state/",
        "/keys/",
        "/anchor/",
    ] {
        assert!(
            names.iter().any(|name| name.contains(part)),
            "{part} is not in {names:#?}"
        );
    }

    assert_private(home.path());
    for (path, mode) in modes(home.path()) {
        // Keys that others can read are refused rather than put right: somebody may have read them.
        if !path.to_string_lossy().contains("/keys") {
            fs::set_permissions(&path, Permissions::from_mode(mode | 0o044)).unwrap();
        }
    }

    let service = Service::serve(home.path(), &sealing).unwrap();
    let found = service
        .admin()
        .get("audit-logs?query=event_type:test.deed")
        .await
        .expect(200);
    assert_eq!(found.body["total"], 60);
    assert!(service.stop().unwrap().0.success());
    assert_private(home.path());
}
