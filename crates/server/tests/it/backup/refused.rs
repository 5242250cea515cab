//! Tests of damaged archives: findings of a verification and refusals of a restore.

use std::path::Path;
use std::process::Stdio;

use reeve_testkit::service::{Service, reeve_command, verify};

use super::{append, backup, ended, made, text};

/// Folders beside the data directory that a restore left.
fn left(home: &Path) -> Vec<std::path::PathBuf> {
    let items = std::fs::read_dir(home)
        .unwrap()
        .map(|item| item.unwrap().path());
    items
        .filter(|path| {
            path.is_dir()
                && path
                    .file_name()
                    .unwrap()
                    .to_string_lossy()
                    .contains("restore")
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn flipped_bytes_are_found_and_nothing_is_restored_of_them() {
    let home = tempfile::tempdir().unwrap();
    let (_, file) = made(home.path(), 40).await;
    assert!(ended(&backup(&["verify", text(&file)]), 0).starts_with("intact: "));

    let sound = std::fs::read(&file).unwrap();
    let (broken, new) = (home.path().join("broken.backup"), home.path().join("new"));
    for at in (0..sound.len())
        .step_by(sound.len() / 24)
        .chain([sound.len() - 1])
    {
        let mut bytes = sound.clone();
        bytes[at] ^= 0x20;
        std::fs::write(&broken, bytes).unwrap();
        let said = ended(&backup(&["verify", text(&broken)]), 1);
        assert!(said.starts_with("BROKEN: "), "byte {at}: {said}");
    }

    let said = ended(
        &backup(&["restore", text(&broken), "--data-dir", text(&new)]),
        1,
    );
    assert!(said.contains("Nothing was restored"), "{said}");
    assert!(!new.exists() && left(home.path()).is_empty());
    ended(&backup(&["verify", text(&home.path().join("absent"))]), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_directory_in_use_and_a_file_that_is_there_are_left_alone() {
    let home = tempfile::tempdir().unwrap();
    let (data, file) = made(home.path(), 5).await;
    let said = ended(
        &backup(&["restore", text(&file), "--data-dir", text(&data)]),
        2,
    );
    assert!(said.contains("is not empty"), "{said}");

    let said = ended(
        &backup(&["create", text(&file), "--data-dir", text(&data)]),
        2,
    );
    assert!(said.contains("already exists"), "{said}");

    let empty = home.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    ended(
        &backup(&["restore", text(&file), "--data-dir", text(&empty)]),
        0,
    );
    assert_eq!(verify(&[text(&empty)]).unwrap().0, Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_that_is_shorter_than_what_was_published_is_refused_unless_the_loss_is_known() {
    let home = tempfile::tempdir().unwrap();
    let (data, file) = made(home.path(), 30).await;

    // The log goes on after the backup, and publishes where the disk does not reach.
    let published = home.path().join("published");
    let section = format!(
        "{{ file = \"{}\", after_change_s = 1 }}",
        published.display()
    );
    let service = Service::serve(&data, &[("REEVE_PUBLISH", &section)]).unwrap();
    append(&service.admin(), 30, 25).await;
    service.stop().unwrap();
    let note = std::fs::read_to_string(&published).unwrap();
    let later: u64 = note.lines().nth(1).unwrap().parse().unwrap();
    let anchor = data.join("anchor/head");
    let new = home.path().join("new");

    for evidence in [
        ["--checkpoint", text(&published)],
        ["--anchor", text(&anchor)],
    ] {
        let arguments = [
            &["restore", text(&file), "--data-dir", text(&new)][..],
            &evidence,
        ]
        .concat();
        let said = ended(&backup(&arguments), 1);
        assert!(
            said.contains("the log had ") && said.contains("when it was last seen"),
            "{said}"
        );
        assert!(said.contains("--accept-loss"), "{said}");
        assert!(!new.exists() && left(home.path()).is_empty());
    }

    // So is the place that the service itself is configured to publish to.
    let mut command = reeve_command().unwrap();
    command
        .args(["backup", "restore", text(&file), "--data-dir", text(&new)])
        .env("REEVE_PUBLISH", &section);
    assert!(ended(&command.output().unwrap(), 1).contains("when it was last seen"));

    let arguments = [
        "restore",
        text(&file),
        "--data-dir",
        text(&new),
        "--checkpoint",
        text(&published),
        "--accept-loss",
    ];
    let said = ended(&backup(&arguments), 0);
    assert!(said.contains("are lost"), "{said}");

    let service = Service::serve(&new, &[("REEVE_PUBLISH", &section)]).unwrap();
    let admin = service.admin();
    let recorded = admin
        .post(
            "audit-logs/search",
            serde_json::json!({ "query": "event_type:system.restore" }),
        )
        .await
        .expect(200);

    let [recorded] = recorded.items() else {
        panic!("{recorded:?}")
    };

    let size = recorded["metadata"]["size"].as_u64().unwrap();
    assert_eq!(
        recorded["metadata"]["lost_entries"].as_u64(),
        Some(later - size)
    );
    assert_eq!(recorded["severity"], "critical");
    assert!(
        recorded["metadata"]["later_checkpoints"]
            .to_string()
            .contains(note.lines().nth(2).unwrap()),
        "{recorded}"
    );

    service.stop().unwrap();
    assert_eq!(
        std::fs::read_to_string(&published).unwrap(),
        note,
        "evidence is not overwritten"
    );

    // A checkpoint of another log is no evidence about this one.
    let foreign = home.path().join("foreign");
    std::fs::create_dir(&foreign).unwrap();
    let (_, other) = made(&foreign, 3).await;
    let said = ended(
        &backup(&[
            "restore",
            text(&other),
            "--data-dir",
            text(&home.path().join("x")),
            "--checkpoint",
            text(&published),
        ]),
        2,
    );

    assert!(said.contains("is a checkpoint of"), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restore_that_is_killed_leaves_nothing_that_starts() {
    let home = tempfile::tempdir().unwrap();
    let (_, file) = made(home.path(), 2_000).await;
    let new = home.path().join("new");
    let mut caught = 0;

    // Killed as soon as so many files are there, later each time, until one came to its end before
    // it was killed. A restore takes some ten milliseconds, and a busy machine may not look in
    // time: one that ended before any was caught is removed and tried again.
    let mut files = 1;
    for _ in 0..200 {
        let mut command = reeve_command().unwrap();
        command
            .args(["backup", "restore", text(&file), "--data-dir", text(&new)])
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut restore = command.spawn().unwrap();
        while left(home.path())
            .iter()
            .map(|folder| count(folder))
            .sum::<usize>()
            < files
            && restore.try_wait().unwrap().is_none()
        {
            std::thread::yield_now();
        }
        restore.kill().unwrap();
        restore.wait().unwrap();
        for folder in left(home.path()) {
            if !is_whole(&folder) {
                let said = Service::serve(&folder, &[]).unwrap_err().to_string();
                assert!(said.contains("was interrupted"), "{said}");
                caught += 1;
            }
            std::fs::remove_dir_all(folder).unwrap();
        }
        if !new.exists() {
            files += 3;
        } else if caught > 0 {
            break;
        } else {
            std::fs::remove_dir_all(&new).unwrap();
        }
    }

    assert!(
        caught > 0 && new.exists(),
        "{caught} restores were caught on their way"
    );
    Service::serve(&new, &[]).unwrap().stop().unwrap();
    assert_eq!(verify(&[text(&new)]).unwrap().0, Some(0));
}

/// Files below a folder.
fn count(folder: &Path) -> usize {
    let Ok(items) = std::fs::read_dir(folder) else {
        return 0;
    };
    items
        .flatten()
        .map(|item| {
            if item.path().is_dir() {
                count(&item.path())
            } else {
                1
            }
        })
        .sum()
}

/// Returns `true` if only the final rename is missing.
fn is_whole(folder: &Path) -> bool {
    !folder.join("restore-unfinished").exists()
        && verify(&[text(folder)]).is_ok_and(|(code, _)| code == Some(0))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_running_service_is_asked_and_hands_out_no_keys() {
    let home = tempfile::tempdir().unwrap();
    let (data, file) = (home.path().join("data"), home.path().join("x.backup"));
    let service = Service::serve(&data, &[]).unwrap();
    append(&service.admin(), 0, 10).await;
    let mut command = reeve_command().unwrap();
    command.args(["backup", "create", text(&file), "--data-dir", text(&data)]);
    let said = ended(&command.output().unwrap(), 2);
    assert!(said.contains("give its address with --url"), "{said}");

    let (url, into) = (service.url().to_owned(), file.clone());
    let output =
        tokio::task::spawn_blocking(move || backup(&["create", text(&into), "--url", &url]))
            .await
            .unwrap();
    let said = ended(&output, 0);
    assert!(said.contains("The private keys are not in it"), "{said}");

    let plain = super::zstd_plain(&file);
    assert!(
        !plain.windows(11).any(|part| part == b"PRIVATE+KEY"),
        "a private key is in it"
    );
    assert!(
        !data
            .join("backups-under-way")
            .read_dir()
            .unwrap()
            .any(|_| true),
        "links stay"
    );
}
