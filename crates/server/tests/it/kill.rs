//! `kill -9` under load, again and again: what was acknowledged is there with the same receipt,
//! what is sent again gives it again, half a submission is nowhere, and the auditor finds nothing
//! wrong. Seals happen meanwhile.
//!
//! `REEVE_KILLS=500` kills that often (4 without it), `REEVE_KILL_SEED=7` begins with that seed; a
//! failure tells it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use reeve_testkit::http::{Answer, Api, until};
use reeve_testkit::service::{Service, verify};
use serde_json::{Value, json};

/// Writers at a time.
const WRITERS: usize = 6;

/// Every so many kills the whole log is read back and audited.
const LOOK_EVERY: u64 = 4;

/// Submissions and their answers.
#[derive(Default)]
struct Answers {
    /// By `event_id`: the receipt.
    receipts: Mutex<HashMap<String, Value>>,
    /// By `event_id`: what was sent.
    entries: Mutex<HashMap<String, Value>>,
    /// Submissions without an answer.
    doubtful: Mutex<Vec<Vec<Value>>>,
    answers: AtomicUsize,
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(default)
}

fn entry(id: &str, random: &mut StdRng) -> Value {
    let kinds = [
        "test.deed",
        "user.login",
        "resource.view",
        "resource.delete",
    ];
    let kind = kinds[random.random_range(0..kinds.len())];

    json!({ "event_id": id, "event_type": kind, "timestamp": "2026-11-20T10:00:00Z", "metadata": { "note": "n".repeat(random.random_range(0..300)) } })
}

/// Appends singles and batches until there is no answer.
async fn write(api: Api, name: String, mut random: StdRng, answers: Arc<Answers>) {
    for round in 0.. {
        let count = if random.random_bool(0.5) {
            1
        } else {
            random.random_range(2..60)
        };
        let entries: Vec<Value> = (0..count)
            .map(|n| entry(&format!("{name}-{round}-{n}"), &mut random))
            .collect();
        answers
            .entries
            .lock()
            .unwrap()
            .extend(entries.iter().map(|entry| (id_of(entry), entry.clone())));
        let body = if count == 1 {
            entries[0].to_string()
        } else {
            json!(entries).to_string()
        };
        let answer = api
            .attempt(
                "POST",
                "audit-logs",
                &[],
                Some("application/json"),
                body.into_bytes(),
            )
            .await;
        match answer {
            Ok(answer) if answer.status == 201 => {
                let mut receipts = answers.receipts.lock().unwrap();
                let items = receipts_of(&answer);
                assert_eq!(items.len(), count);
                receipts.extend(items.into_iter().map(|item| (id_of(&item), item)));
                answers.answers.fetch_add(1, Ordering::SeqCst);
            }
            Ok(answer) if answer.status == 429 => {}
            _ => {
                answers.doubtful.lock().unwrap().push(entries);
                return;
            }
        }
    }
}

/// The receipts of an answer: one alone, or a list.
fn receipts_of(answer: &Answer) -> Vec<Value> {
    if answer.body["items"].is_array() {
        answer.items().to_vec()
    } else {
        vec![answer.body.clone()]
    }
}

/// The `event_id` of an entry or a receipt.
fn id_of(value: &Value) -> String {
    value["event_id"].as_str().unwrap().to_owned()
}

/// Number of these entries that the log has. The size of the log does not tell it: the service
/// appends its own entries at any time.
async fn count_found(admin: &Api, entries: &[&Value]) -> usize {
    let mut found = 0;
    for entry in entries {
        let answer = admin.get(&format!("audit-logs/{}", id_of(entry))).await;
        match answer.status {
            200 => found += 1,
            404 => {}
            status => panic!("{status} to a search for an entry: {}", answer.body),
        }
    }

    found
}

/// Sends again what had no answer, and some of what had.
async fn send_again(admin: &Api, answers: &Answers, random: &mut StdRng) {
    let doubtful = std::mem::take(&mut *answers.doubtful.lock().unwrap());
    for entries in doubtful {
        let looked_at: Vec<&Value> = entries.iter().step_by(9).chain(entries.last()).collect();
        let found = count_found(admin, &looked_at).await;
        assert!(
            found == 0 || found == looked_at.len(),
            "{found} of {} entries were there: half a submission",
            looked_at.len()
        );
        let answer = admin.post("audit-logs", json!(entries)).await.expect(201);
        let receipts = receipts_of(&answer);
        answers
            .receipts
            .lock()
            .unwrap()
            .extend(receipts.into_iter().map(|item| (id_of(&item), item)));
    }

    let receipts: Vec<Value> = answers.receipts.lock().unwrap().values().cloned().collect();
    for _ in 0..10 {
        let receipt = &receipts[random.random_range(0..receipts.len())];
        let id = receipt["event_id"].as_str().unwrap();
        let kept = admin.get(&format!("audit-logs/{id}")).await.expect(200);
        same(&kept.body["integrity"], receipt);
        let again = answers.entries.lock().unwrap()[id].clone();
        assert_eq!(
            admin.post("audit-logs", again).await.expect(201).body,
            *receipt,
            "another receipt than the first"
        );
        // Sent again with other content, it is refused: it is the first that counts.
        let other = json!({ "event_id": id, "event_type": "another.deed" });
        let _ = admin
            .post("audit-logs", other)
            .await
            .problem(409, "event_id_conflict");
    }
}

fn same(kept: &Value, receipt: &Value) {
    for field in ["sequence", "leaf_hash", "hash", "previous_hash"] {
        assert_eq!(kept[field], receipt[field], "{receipt}");
    }
}

/// Every receipt, held against the whole log read page by page.
async fn compare(admin: &Api, answers: &Answers) {
    let mut found = HashMap::new();
    let mut cursor = String::new();

    loop {
        let page = admin
            .get(&format!("audit-logs?limit=1000{cursor}"))
            .await
            .expect(200);
        for entry in page.items() {
            let twice = found.insert(
                entry["event_id"].as_str().unwrap().to_owned(),
                entry["integrity"].clone(),
            );
            assert!(twice.is_none(), "{} is there twice", entry["event_id"]);
        }
        match page.body["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }

    for (id, receipt) in answers.receipts.lock().unwrap().iter() {
        same(
            found
                .get(id)
                .unwrap_or_else(|| panic!("acknowledged and lost: {receipt}")),
            receipt,
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn acknowledged_entries_survive_every_kill() {
    let home = tempfile::tempdir().unwrap();
    let (kills, seed) = (number("REEVE_KILLS", 4), number("REEVE_KILL_SEED", 1));
    let mut random = StdRng::seed_from_u64(seed);
    let answers = Arc::new(Answers::default());

    for life in 0..kills {
        let after = random.random_range(100..900).to_string();
        let service =
            Service::serve(home.path(), &[("REEVE_SEAL_AFTER_ENTRIES", after.as_str())]).unwrap();
        let admin = service.admin();
        if life > 0 {
            send_again(&admin, &answers, &mut random).await;
        }
        let before = answers.answers.load(Ordering::SeqCst);
        let wanted = random.random_range(1..120);
        let writers: Vec<_> = (0..WRITERS)
            .map(|n| {
                let random = StdRng::seed_from_u64(random.random());
                tokio::spawn(write(
                    service.admin(),
                    format!("{seed}-{life}-{n}"),
                    random,
                    Arc::clone(&answers),
                ))
            })
            .collect();
        until("answers", Duration::from_secs(60), || async {
            (answers.answers.load(Ordering::SeqCst) >= before + wanted).then_some(())
        })
        .await;
        service.kill().unwrap();
        for writer in writers {
            writer.await.unwrap();
        }
        if life % LOOK_EVERY == LOOK_EVERY - 1 || life + 1 == kills {
            let service = Service::serve(home.path(), &[]).unwrap();
            let admin = service.admin();
            send_again(&admin, &answers, &mut random).await;
            compare(&admin, &answers).await;
            assert!(service.stop().unwrap().0.success());
            let (code, said) = verify(&[home.path().to_str().unwrap()]).unwrap();
            assert_eq!(
                code,
                Some(0),
                "after {} kills from seed {seed}: {said}",
                life + 1
            );
        }
    }

    let count = answers.receipts.lock().unwrap().len();
    eprintln!("{kills} kills, {count} entries acknowledged and kept");
    assert!(count > 100);
}
