//! Backups changed by somebody who can write the file and has no key of the log: every SHA-256 is
//! right afterwards.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use reeve_backup::{ArchiveWriter, BackupManifest, BackupSink, PartName, UNATTESTED};
use reeve_testkit::service::{Service, reeve_command};
use serde_json::json;

use super::{ended, made, text};

/// Parts of a backup, in memory.
#[derive(Default)]
struct Parts {
    order: Vec<PartName>,
    content: BTreeMap<PartName, Vec<u8>>,
}

impl BackupSink for Parts {
    fn open(&mut self, name: &PartName, _: u64) -> io::Result<Option<Box<dyn Write + '_>>> {
        self.order.push(name.clone());
        Ok(Some(Box::new(
            self.content.entry(name.clone()).or_default(),
        )))
    }
}

/// Writes a copy of a backup with another administrator in its state.
fn with_an_administrator(
    file: &Path,
    into: &Path,
    manifest: impl FnOnce(BackupManifest) -> BackupManifest,
) {
    let mut parts = Parts::default();
    let contents = reeve_backup::read(File::open(file).unwrap(), &mut parts).unwrap();
    let state = PartName::parse("state/state.jsonl").unwrap();
    let lines = String::from_utf8(parts.content[&state].clone()).unwrap();
    let mut changed = false;
    let lines: Vec<String> = lines
        .lines()
        .map(|line| {
            // The first user is the administrator of the tests: the e-mail address becomes the
            // intruder's.
            let renamed = line.replace("admin@localhost", "intruder@example.com");
            changed |= renamed != line;
            renamed + "\n"
        })
        .collect();

    assert!(changed, "the state has no administrator");
    parts.content.insert(state, lines.concat().into_bytes());
    let mut writer = ArchiveWriter::new(File::create(into).unwrap()).unwrap();

    for name in &parts.order {
        let bytes = &parts.content[name];
        writer
            .add(name, bytes.len() as u64, bytes.as_slice())
            .unwrap();
    }

    writer.finish(manifest(contents.manifest.unwrap())).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_changed_state_is_found_and_not_restored() {
    let home = tempfile::tempdir().unwrap();
    let (_, file) = made(home.path(), 20).await;
    let (forged, old, new) = (
        home.path().join("forged"),
        home.path().join("old"),
        home.path().join("new"),
    );
    with_an_administrator(&file, &forged, |manifest| manifest);

    for arguments in [
        vec!["verify", text(&forged)],
        vec!["restore", text(&forged), "--data-dir", text(&new)],
    ] {
        let said = ended(&super::backup(&arguments), 1);
        assert!(said.contains("was changed after it was made"), "{said}");
    }

    assert!(!new.exists());

    // Nothing is gained by calling it an older version.
    with_an_administrator(&file, &old, |manifest| BackupManifest {
        version: UNATTESTED,
        attestation: None,
        ..manifest
    });

    for arguments in [
        vec!["verify", text(&old)],
        vec!["restore", text(&old), "--data-dir", text(&new)],
    ] {
        let said = ended(&super::backup(&arguments), 1);
        assert!(
            said.contains("did not sign the backup's manifest")
                && said.contains("--accept-unsigned"),
            "{said}"
        );
    }

    assert!(!new.exists());
    ended(
        &super::backup(&["verify", text(&old), "--accept-unsigned"]),
        0,
    );

    // A person who accepts it leaves an entry.
    let mut command = reeve_command().unwrap();
    command.args([
        "backup",
        "restore",
        text(&old),
        "--data-dir",
        text(&new),
        "--accept-unsigned",
    ]);

    ended(&command.output().unwrap(), 0);
    let service = Service::serve(&new, &[]).unwrap();
    let restores = json!({ "query": "event_type:system.restore" });
    let recorded = service
        .admin()
        .post("audit-logs/search", restores)
        .await
        .expect(200);

    let [recorded] = recorded.items() else {
        panic!("{recorded:?}")
    };

    assert_eq!(
        (&recorded["metadata"]["attested"], &recorded["severity"]),
        (&json!(false), &json!("critical"))
    );
}

/// Writes a copy of a backup as a version before signed manifests made it: neither its log's
/// manifest nor its own has a signature.
fn of_an_earlier_version(file: &Path, into: &Path) {
    let mut parts = Parts::default();
    let contents = reeve_backup::read(File::open(file).unwrap(), &mut parts).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in &parts.content {
        let path = folder.path().join(name.as_str());
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    crate::earlier::unsign(folder.path());

    let mut writer = ArchiveWriter::new(File::create(into).unwrap()).unwrap();
    for name in &parts.order {
        let path = folder.path().join(name.as_str());
        if let Ok(bytes) = std::fs::read(path) {
            writer
                .add(name, bytes.len() as u64, bytes.as_slice())
                .unwrap();
        }
    }

    let manifest = BackupManifest {
        version: UNATTESTED,
        attestation: None,
        ..contents.manifest.unwrap()
    };
    writer.finish(manifest).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_of_a_version_without_signatures_is_restored_on_request_and_on_record() {
    let home = tempfile::tempdir().unwrap();
    let (_, file) = made(home.path(), 20).await;
    let (old, new) = (home.path().join("old"), home.path().join("new"));
    of_an_earlier_version(&file, &old);

    let refused = ended(
        &super::backup(&["restore", text(&old), "--data-dir", text(&new)]),
        1,
    );
    assert!(refused.contains("--accept-unsigned"), "{refused}");
    assert!(!new.exists());

    ended(
        &super::backup(&["verify", text(&old), "--accept-unsigned"]),
        0,
    );
    let accepted = super::backup(&[
        "restore",
        text(&old),
        "--data-dir",
        text(&new),
        "--accept-unsigned",
    ]);
    ended(&accepted, 0);

    // What was accepted once is signed: later starts and checks ask for nothing.
    let service = Service::serve(&new, &[]).unwrap();
    let query = json!({ "query": "event_type:system.restore" });
    let recorded = service
        .admin()
        .post("audit-logs/search", query)
        .await
        .expect(200);
    assert_eq!(recorded.items()[0]["metadata"]["attested"], false);
    let entries = json!({ "query": "event_type:test.deed" });
    let entries = service
        .admin()
        .post("audit-logs/search", entries)
        .await
        .expect(200);
    assert_eq!(entries.body["total"], 20);
    assert!(service.stop().unwrap().0.success());
    let checked = reeve_testkit::service::verify(&[text(&new)]).unwrap();
    assert_eq!(checked.0, Some(0), "{}", checked.1);
}
