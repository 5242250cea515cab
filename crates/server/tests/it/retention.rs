//! Retention of a real service: policies, their preview, invisible entries, deletion with proof,
//! holds, and what the verifier says about all of it.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use reeve_audit::Draft;
use reeve_lake::EntrySegments;
use reeve_ledger::{Config, Ledger, keys};
use reeve_testkit::http::{Api, encoded, until};
use reeve_testkit::service::{Service, verify};
use serde_json::{Value, json};

/// Writes sealed entries of some days ago into a data directory: views by alice and by bob, each in a
/// segment of its own, and other entries.
pub(crate) async fn seed(data_dir: &Path, days_ago: i64) {
    let day = Timestamp::now() - SignedDuration::from_hours(24 * days_ago);
    let signer = keys::load_or_create(data_dir, None).unwrap();
    let segments = Arc::new(EntrySegments::open(data_dir).await.unwrap());
    let config = Config::new(data_dir, signer.name());
    let ledger = Ledger::open(config, signer, segments).await.unwrap();
    for user in ["alice", "bob"] {
        for event_type in ["resource.view", "test.deed"] {
            let entry = |number: u32| {
                let at = day + SignedDuration::from_secs(i64::from(number));
                let text = format!(
                    r#"{{"event_id":"{user}-{event_type}-{number}","event_type":"{event_type}","timestamp":"{at}","actor":{{"type":"user","id":"{user}"}}}}"#
                );
                Draft::from_bytes(text.as_bytes(), at).unwrap()
            };
            ledger.append((0..20).map(entry).collect()).await.unwrap();
        }
        ledger.seal().await.unwrap();
    }
    ledger.close().await;
}

async fn found(api: &Api, query: &str) -> u64 {
    let path = format!("audit-logs?limit=1&query={}", encoded(query));
    api.get(&path).await.expect(200).body["total"]
        .as_u64()
        .unwrap()
}

async fn verified(api: &Api) -> Value {
    let begun = api.post("audit-logs/verify", json!({})).await.expect(202);
    let path = format!("audit-logs/verify/{}", begun.text_at("/id"));
    until("the verification", Duration::from_secs(60), || async {
        let job = api.get(&path).await.expect(200).body;
        (job["status"] == "done").then(|| job["result"].clone())
    })
    .await
}

fn policies(hot_days: u32) -> Value {
    json!([
        { "name": "views", "event_types": ["resource.view"], "hot_days": hot_days, "warm_days": 0, "cold_years": 0 },
        { "name": "rest", "event_types": ["*"], "hot_days": 90, "warm_days": 365, "cold_years": 7 }
    ])
}

/// Bytes of the sealed segments.
fn on_disk(data_dir: &Path) -> u64 {
    let mut folders = vec![data_dir.join("lake/entries"), data_dir.join("lake/index")];
    let mut bytes = 0;
    while let Some(folder) = folders.pop() {
        for item in std::fs::read_dir(folder).into_iter().flatten() {
            let item = item.unwrap();
            match item.path().is_dir() {
                true => folders.push(item.path()),
                false => bytes += item.metadata().unwrap().len(),
            }
        }
    }
    bytes
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn entries_expire_by_policy_with_proof() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    std::fs::create_dir_all(&data).unwrap();
    seed(&data, 10).await;
    let service = Service::serve(&data, &[]).unwrap();
    let admin = service.admin();

    // The policies of a new installation keep everything so young.
    let stored = admin.get("audit-logs/retention").await.expect(200).body;
    assert_eq!(
        (
            &stored["version"],
            stored["policies"].as_array().unwrap().len()
        ),
        (&json!(0), 4)
    );
    let views = "event_type:resource.view";
    assert_eq!(found(&admin, views).await, 40);
    let _ = admin
        .put(
            "audit-logs/retention",
            json!({ "policies": policies(0), "version": 0 }),
        )
        .await
        .problem(422, "invalid_fields");

    // A hold on alice's entries comes first.
    let hold = json!({ "case": "Case 7", "query": "actor.id:alice", "custodian": "Legal", "reason": "Litigation" });
    let hold = admin
        .post("audit-logs/holds", hold)
        .await
        .expect(201)
        .text_at("/id");
    let preview = admin
        .post(
            "audit-logs/retention/preview",
            json!({ "policies": policies(1) }),
        )
        .await
        .expect(200)
        .body;
    assert_eq!(preview["after"][0]["policy"], "views");
    let _ = admin
        .put(
            "audit-logs/retention",
            json!({ "policies": policies(1), "version": 0 }),
        )
        .await
        .expect(200);
    let _ = admin
        .put(
            "audit-logs/retention",
            json!({ "policies": policies(2), "version": 0 }),
        )
        .await
        .problem(409, "conflict");
    let before = on_disk(&data);
    let run = admin
        .post("audit-logs/retention/run", json!({}))
        .await
        .expect(200)
        .body;
    assert_eq!(run["failures"], json!([]), "{run}");
    assert_eq!(found(&admin, "event_type:test.deed").await, 40);
    assert_eq!((&run["held"], found(&admin, views).await), (&json!(1), 20));

    // Released, alice's go too: invisible at once, gone after the run, smaller on the disk.
    let release = format!("audit-logs/holds/{hold}/release");
    let _ = admin
        .post(&release, json!({ "reason": "settled" }))
        .await
        .expect(200);
    assert_eq!(found(&admin, views).await, 0);
    let _ = admin
        .post(&release, json!({ "reason": "again" }))
        .await
        .problem(409, "conflict");
    let run = admin
        .post("audit-logs/retention/run", json!({}))
        .await
        .expect(200)
        .body;
    assert_eq!(run["failures"], json!([]), "{run}");
    assert!(on_disk(&data) < before);

    // The commitments stay, and the verifier knows why the entries are gone.
    let tile = admin.get("audit-logs/tile/entries/000.p/80").await;
    assert_eq!(tile.status, 200);
    let result = verified(&admin).await;
    assert_eq!(result["holds"], true, "{result}");
    assert_eq!(
        (&result["expired"], &result["missing"]),
        (&json!(40), &json!(0))
    );
    assert!(service.stop().unwrap().0.success());
    let (code, said) = verify(&[data.to_str().unwrap()]).unwrap();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("of the policies"), "{said}");

    // A file that someone deletes is no expiry.
    let folder = data.join("lake/entries/default");
    let gone = std::fs::read_dir(folder).unwrap().next().unwrap().unwrap();
    std::fs::remove_file(gone.path()).unwrap();
    let (code, said) = verify(&[data.to_str().unwrap()]).unwrap();
    assert_eq!(code, Some(1));
    assert!(said.contains("the segment is missing"), "{said}");
}
