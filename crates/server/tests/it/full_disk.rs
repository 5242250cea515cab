//! A disk that fills up: refused with 507, nothing half done, what is there can still be read, and
//! it continues by itself once there is room.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use reeve_testkit::http::{Api, until};
use reeve_testkit::service::{Service, verify};
use serde_json::json;

/// A small file system of its own, gone with the test.
struct Small(PathBuf);

impl Small {
    fn mount(at: &Path) -> Option<Small> {
        let options = ["-t", "tmpfs", "-o", "size=24m", "tmpfs"];
        let mounted = Command::new("mount").args(options).arg(at).output();
        mounted
            .is_ok_and(|output| output.status.success())
            .then(|| Small(at.to_owned()))
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        // Lazily: a service that is still being killed may hold it for a moment.
        Command::new("umount").arg("-l").arg(&self.0).status().ok();
    }
}

/// Entries of about 64 KiB that nothing compresses.
fn batch(round: u64) -> serde_json::Value {
    let mut state = round.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut noise = || {
        let text = |_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            char::from(b'!' + ((state >> 40) % 90) as u8)
        };
        (0..64 * 1024)
            .map(text)
            .filter(|c| !matches!(c, '"' | '\\'))
            .collect::<String>()
    };

    (0..8).map(|n| json!({ "event_id": format!("{round}-{n}"), "event_type": "test.noise", "metadata": { "noise": noise() } })).collect()
}

async fn fill(admin: &Api) -> (u64, serde_json::Value) {
    for round in 0..400 {
        let batch = batch(round);
        let before = admin.size().await;
        let answer = admin.post("audit-logs", batch.clone()).await;
        if answer.status != 201 {
            let answer = answer.problem(507, "disk_full");
            assert!(
                answer.text_at("/detail").contains("nothing was written"),
                "{}",
                answer.text
            );
            // The service's own entries may come in between; those of a batch come together or not
            // at all.
            assert!(admin.size().await < before + 8, "nothing half done");
            return (round, batch);
        }
    }
    panic!("24 MB took more than 100 MB");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_is_said_and_survived() {
    fills_up(&[]).await;
}

/// Seals, which write segments and their indexes beside the log before they let go of it, meet the
/// full disk as well.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_disk_that_fills_up_while_sealing_is_survived() {
    fills_up(&[("REEVE_SEAL_AFTER_ENTRIES", "60")]).await;
}

/// Segments in a data directory.
fn segments(data: &Path) -> usize {
    let classes = std::fs::read_dir(data.join("lake/entries"))
        .into_iter()
        .flatten();
    classes
        .map(|class| std::fs::read_dir(class.unwrap().path()).unwrap().count())
        .sum()
}

async fn fills_up(settings: &[(&str, &str)]) {
    let home = tempfile::tempdir().unwrap();
    let Some(small) = Small::mount(home.path()) else {
        eprintln!("skipped: a small file system cannot be mounted here (root is needed)");
        return;
    };

    let data = small.0.join("data");
    let ballast = small.0.join("ballast");
    std::fs::write(&ballast, vec![0; 8 << 20]).unwrap();
    let service = Service::serve(&data, settings).unwrap();
    let admin = service.admin();
    let (round, refused) = fill(&admin).await;
    let size = admin.size().await;

    // What changes something is refused as well, whether log or database is the first to meet the
    // full disk. Reading goes on.
    let team = admin.post("teams", json!({ "name": "T".repeat(99) })).await;
    assert!(matches!(team.status, 201 | 507), "{}", team.text);

    let teams = admin.get("teams").await.expect(200).body["total"]
        .as_u64()
        .unwrap();
    assert_eq!(
        teams == 1,
        team.status == 201,
        "refused and yet made, or the other way"
    );

    for n in [0, 7] {
        let id = format!("{}-{n}", round - 1);
        assert_eq!(
            admin
                .get(&format!("audit-logs/{id}"))
                .await
                .expect(200)
                .body["event_id"],
            id
        );
        let _ = admin
            .get(&format!("audit-logs/{round}-{n}"))
            .await
            .problem(404, "not_found");
    }

    // With room again it goes on, without a restart, from where it was.
    std::fs::remove_file(&ballast).unwrap();
    let written = until("it goes on", Duration::from_secs(30), || async {
        let answer = admin.post("audit-logs", refused.clone()).await;
        assert!(matches!(answer.status, 201 | 503 | 507), "{}", answer.text);
        (answer.status == 201).then_some(answer)
    })
    .await;
    assert!(written.body["items"][0]["sequence"].as_u64().unwrap() >= size);

    if !settings.is_empty() {
        until("a seal", Duration::from_secs(60), || async {
            (segments(&data) > 0).then_some(())
        })
        .await;
    }

    let size = admin.size().await;
    assert!(service.stop().unwrap().0.success());

    let (code, said) = verify(&[data.to_str().unwrap()]).unwrap();
    assert_eq!(code, Some(0), "{said}");

    let again = Service::serve(&data, &[]).unwrap();
    // Its end and the next start are recorded, and what the service had put off while the disk was
    // full may follow.
    let admin = again.admin();
    assert!(admin.size().await >= size + 2, "nothing was lost");

    for id in (0..=round).flat_map(|round| (0..8).map(move |n| format!("{round}-{n}"))) {
        let _ = admin.get(&format!("audit-logs/{id}")).await.expect(200);
    }
}
