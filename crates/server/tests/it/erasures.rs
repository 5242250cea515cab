//! Erasure in a real service: preview, refusal under a hold, two approvals, entries that are gone
//! from every answer, proofs that hold, the report, and what the verifier says.

use std::time::Duration;

use reeve_testkit::http::{Api, encoded, until};
use reeve_testkit::service::{ADMIN_TOKEN, Service, reeve_command, verify};
use serde_json::{Value, json};

use crate::retention::seed;

const PATH: &str = "audit-logs/erasures";

async fn found(api: &Api, query: &str) -> Value {
    let path = format!("audit-logs?limit=1&query={}", encoded(query));
    api.get(&path).await.expect(200).body["total"].clone()
}

fn request(scope: Value) -> Value {
    json!({ "scope": scope, "reason": "The person asked for it", "legal_basis": "GDPR Art. 17(1)(b)" })
}

/// Two people beside the administrator who may approve an erasure.
pub(crate) async fn approvers(admin: &Api) -> [Api; 2] {
    let (_, berta) = admin
        .person("berta@acme.example", &["administrator"], &[])
        .await;
    let (_, carl) = admin
        .person("carl@acme.example", &["administrator"], &[])
        .await;
    [berta, carl]
}

/// Asks for an erasure and has two people approve it; the request's path.
pub(crate) async fn approved(admin: &Api, scope: Value, people: [&Api; 2]) -> String {
    let made = admin.post(PATH, request(scope)).await.expect(201);
    let path = format!("{PATH}/{}", made.text_at("/id"));
    for person in people {
        let _ = person
            .post(&format!("{path}/approve"), json!({}))
            .await
            .expect(200);
    }
    path
}

/// The request once it has a status.
pub(crate) async fn ended(api: &Api, path: &str, status: &str) -> Value {
    until("the erasure", Duration::from_secs(60), || async {
        let request = api.get(path).await.expect(200).body;
        (request["status"] == status).then_some(request)
    })
    .await
}

/// Files below a folder that have these bytes.
fn files_with(folder: &std::path::Path, bytes: &[u8]) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.is_dir() {
            found.extend(files_with(&path, bytes));
        } else {
            let content = std::fs::read(&path).unwrap();
            if content.windows(bytes.len()).any(|window| window == bytes) {
                found.push(path);
            }
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_is_erased_by_two_others() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    std::fs::create_dir_all(&data).unwrap();
    seed(&data, 10).await;
    let service = Service::serve(&data, &[]).unwrap();
    let admin = service.admin();
    let [berta, carl] = approvers(&admin).await;
    let alice = json!({ "actor_id": "alice" });
    let kept_proof = admin.get("audit-logs/bob-test.deed-3/proof").await.text;

    // The preview counts, and bad requests name their field.
    let preview = admin
        .post(&format!("{PATH}/preview"), alice.clone())
        .await
        .expect(200)
        .body;
    assert_eq!(
        (&preview["entries"], &preview["unsealed"]),
        (&json!(40), &json!(0))
    );
    assert_eq!(
        preview["segments"].as_array().unwrap().len(),
        2,
        "{preview}"
    );
    for scope in [
        json!({}),
        json!({ "query": "timestamp:>now-1d" }),
        json!({ "actor_id": "alice", "start_time": "yesterday" }),
    ] {
        let _ = admin
            .post(PATH, request(scope))
            .await
            .problem(422, "invalid_fields");
    }

    // A hold refuses it by its name, unless the held entries are to stay.
    let hold = json!({ "case": "Case 7", "query": "event_id:alice-test.deed-7", "custodian": "Legal", "reason": "Litigation" });
    let hold = admin.post("audit-logs/holds", hold).await.expect(201);
    let refused = admin
        .post(PATH, request(alice.clone()))
        .await
        .problem(409, "conflict");
    assert!(refused.text.contains("Case 7"), "{}", refused.text);

    // The requester does not approve, a person approves once, and two others let it run.
    let scope = json!({ "actor_id": "alice", "keep_held": true });
    let made = admin.post(PATH, request(scope)).await.expect(201);
    let path = format!("{PATH}/{}", made.text_at("/id"));
    let approve = format!("{path}/approve");
    let _ = admin
        .post(&approve, json!({}))
        .await
        .problem(403, "forbidden");
    let _ = berta.post(&approve, json!({})).await.expect(200);
    let _ = berta
        .post(&approve, json!({}))
        .await
        .problem(409, "conflict");
    assert_eq!(found(&admin, "actor.id:alice").await, json!(40));
    let _ = carl.post(&approve, json!({})).await.expect(200);
    let done = ended(&admin, &path, "completed").await;
    assert_eq!(done["erased"], json!(39), "{done}");
    assert_eq!(done["held"][hold.text_at("/id")], json!(1), "{done}");
    assert!(done["freed_bytes"].as_u64().unwrap() > 0, "{done}");

    // Gone from every answer and from the files; the held one and bob's stay.
    assert_eq!(found(&admin, "actor.id:alice").await, json!(1));
    assert_eq!(found(&admin, "actor.id:bob").await, json!(40));
    let gone = admin
        .get("audit-logs/alice-test.deed-3")
        .await
        .problem(410, "erased");
    assert!(
        gone.text.contains(done["id"].as_str().unwrap()),
        "{}",
        gone.text
    );
    let _ = admin
        .get("audit-logs/alice-test.deed-3/proof")
        .await
        .problem(410, "erased");
    let _ = admin.get("audit-logs/alice-test.deed-7").await.expect(200);
    let lake = data.join("lake");
    assert_eq!(
        files_with(&lake, b"alice-test.deed-3"),
        [] as [std::path::PathBuf; 0]
    );

    // The log does not name the person in the entries about the request.
    let about = admin
        .get(&format!(
            "audit-logs?limit=50&query={}",
            encoded("event_type:audit.erasure.*")
        ))
        .await
        .expect(200);
    assert!(about.items().len() >= 7, "{}", about.text);
    assert!(!about.text.contains("alice"), "{}", about.text);

    // The report says all of it.
    let report = admin.get(&format!("{path}/report")).await.expect(200).body;
    assert_eq!(report["held"][0]["case"], json!("Case 7"));
    assert_eq!(report["request"]["approvals"].as_array().unwrap().len(), 2);
    assert!(!report["remains"].as_array().unwrap().is_empty());
    let pdf = admin
        .ask(&format!("{path}/report?format=pdf"), &[])
        .await
        .unwrap();
    assert!(pdf.bytes().await.unwrap().starts_with(b"%PDF"));

    // A later request for entries that are not sealed waits, and a rejected one does nothing.
    let _ = admin
        .post(
            "audit-logs",
            json!({ "event_type": "test.deed", "actor": { "type": "user", "id": "dora" } }),
        )
        .await
        .expect(201);
    let waiting = approved(&admin, json!({ "actor_id": "dora" }), [&berta, &carl]).await;
    let waiting = ended(&admin, &waiting, "waiting").await;
    assert_eq!(
        (&waiting["unsealed"], &waiting["erased"]),
        (&json!(1), &json!(0))
    );
    let other = carl
        .post(PATH, request(json!({ "actor_id": "bob" })))
        .await
        .expect(201);
    let other = format!("{PATH}/{}", other.text_at("/id"));
    let reject = json!({ "reason": "No legal basis" });
    let _ = berta
        .post(&format!("{other}/reject"), reject.clone())
        .await
        .expect(200);
    let _ = berta
        .post(&format!("{other}/reject"), reject)
        .await
        .problem(409, "conflict");

    // Proofs of other entries hold, and the verifier knows why alice's are gone.
    assert_eq!(
        admin.get("audit-logs/bob-test.deed-3/proof").await.status,
        200
    );
    assert!(!kept_proof.is_empty());
    assert!(service.stop().unwrap().0.success());
    let (code, said) = verify(&[data.to_str().unwrap()]).unwrap();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("by request"), "{said}");

    // After a start it is the same.
    let service = Service::serve(&data, &[]).unwrap();
    let admin = service.admin();
    assert_eq!(found(&admin, "actor.id:alice").await, json!(1));
    let _ = admin
        .get("audit-logs/alice-test.deed-3")
        .await
        .problem(410, "erased");
}

/// Runs `reeve backup` with the administrator's token.
fn backup(arguments: &[&str]) -> String {
    backup_with(arguments, &[])
}

/// The same, with further variables.
pub(crate) fn backup_with(arguments: &[&str], variables: &[(&str, &str)]) -> String {
    let output = reeve_command()
        .unwrap()
        .arg("backup")
        .args(arguments)
        .env("REEVE_TOKEN", ADMIN_TOKEN)
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    said
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restored_backup_forgets_what_was_erased_since() {
    let home = tempfile::tempdir().unwrap();
    let path = |name: &str| home.path().join(name).to_str().unwrap().to_owned();
    let (data, file, proofs, new) = (
        path("data"),
        path("one.backup"),
        path("tombstones"),
        path("new"),
    );
    std::fs::create_dir_all(&data).unwrap();
    seed(data.as_ref(), 10).await;
    let service = Service::serve(data.as_ref(), &[]).unwrap();
    let admin = service.admin();
    let [berta, carl] = approvers(&admin).await;
    // The backup has entries of the person in segments and in its unsealed end.
    let unsealed = json!({ "event_id": "late", "event_type": "test.deed", "actor": { "type": "user", "id": "bob" } });
    let _ = admin.post("audit-logs", unsealed).await.expect(201);
    backup(&[
        "create",
        file.as_str(),
        "--data-dir",
        data.as_str(),
        "--url",
        service.url(),
    ]);

    let scope = json!({ "actor_id": "alice" });
    let done = approved(&admin, scope, [&berta, &carl]).await;
    let done = ended(&admin, &done, "completed").await;
    assert_eq!(done["erased"], json!(40), "{done}");
    backup(&["tombstones", proofs.as_str(), "--url", service.url()]);
    assert!(service.stop().unwrap().0.success());

    let said = backup(&[
        "restore",
        &file,
        "--data-dir",
        &new,
        "--tombstones",
        &proofs,
    ]);
    assert!(said.contains("40 entries"), "{said}");
    let service = Service::serve(new.as_ref(), &[]).unwrap();
    let admin = service.admin();
    assert_eq!(found(&admin, "actor.id:alice").await, json!(0));
    assert_eq!(found(&admin, "actor.id:bob").await, json!(41));
    assert!(service.stop().unwrap().0.success());
    let (code, said) = verify(&[new.as_str()]).unwrap();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains(done["id"].as_str().unwrap()), "{said}");

    // A file whose proof was changed deletes nothing.
    let changed = std::fs::read_to_string(&proofs)
        .unwrap()
        .replacen("extra ", "extra A", 1);
    std::fs::write(&proofs, changed).unwrap();
    let output = reeve_command()
        .unwrap()
        .args([
            "backup",
            "restore",
            file.as_str(),
            "--data-dir",
            path("other").as_str(),
        ])
        .args(["--tombstones", proofs.as_str()])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(!std::path::Path::new(&path("other")).exists());
}
