//! Exports over the built program: requested as B-140 asks, followed, downloaded, verified
//! offline; refused, limited, cancelled, gone on with after `kill -9`, delivered, and always on
//! record.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use reeve_testkit::http::{Api, until};
use reeve_testkit::service::{Service, verify};
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(120);
pub(crate) const PATH: &str = "audit-logs/export";

/// Appends entries of the type `test.export`, numbered in `metadata.number`.
pub(crate) async fn fill(api: &Api, from: usize, count: usize, padding: usize) {
    let mut number = from;
    while number < from + count {
        let batch: Vec<Value> = (number..(number + 1000).min(from + count))
            .map(|number| {
                json!({
                    "event_id": format!("export-test-{number}"),
                    "event_type": "test.export",
                    "timestamp": "2026-11-20T10:00:00.123Z",
                    "actor": { "type": "user", "id": "u-1", "email": "ann@example.com" },
                    "action": { "operation": "=cmd|' /C calc'!A0", "status": "success", "method": "api" },
                    "metadata": { "number": number, "note": "n|=\\\n".repeat(1 + padding), "tags": ["é", "a,b"] },
                })
            })
            .collect();
        number += batch.len();
        let _ = api
            .post("audit-logs", Value::Array(batch))
            .await
            .expect(201);
    }
}

/// Waits for the end of an export.
pub(crate) async fn ended(api: &Api, id: &str) -> Value {
    until("the end of the export", PATIENCE, || async {
        let export = api.get(&format!("{PATH}/{id}")).await.expect(200).body;
        let status = export["status"].as_str().unwrap();
        (!["queued", "running"].contains(&status)).then_some(export)
    })
    .await
}

pub(crate) fn request(format: &str) -> Value {
    json!({
        "format": format,
        "start_time": "2026-11-01T00:00:00.000Z",
        "end_time": "2026-12-01T00:00:00.000Z",
        "query": "event_type:test.export",
    })
}

async fn export(api: &Api, request: Value) -> Value {
    let asked = api.post(PATH, request).await.expect(202);
    let done = ended(api, &asked.text_at("/id")).await;
    assert_eq!(done["status"], "succeeded", "{done}");
    done
}

/// Downloads all files of an export into a folder; their names by role.
async fn download(api: &Api, export: &Value, folder: &Path) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    for file in export["files"].as_array().unwrap() {
        let (name, id) = (
            file["name"].as_str().unwrap(),
            export["id"].as_str().unwrap(),
        );
        let answer = api
            .ask(&format!("{PATH}/{id}/download?file={name}"), &[])
            .await
            .unwrap();
        assert_eq!(answer.status().as_u16(), 200, "{name}");
        let bytes = answer.bytes().await.unwrap();
        assert_eq!(
            bytes.len() as u64,
            file["bytes"].as_u64().unwrap(),
            "{name}"
        );
        std::fs::write(folder.join(name), &bytes).unwrap();
        names.insert(file["role"].as_str().unwrap().to_owned(), name.to_owned());
    }

    names
}

/// Verifies an export offline: the exit code, and what was said.
pub(crate) fn checked(
    home: &Path,
    folder: &Path,
    names: &BTreeMap<String, String>,
) -> (Option<i32>, String) {
    let (key, manifest) = (
        home.join("ledger/log.vkey"),
        folder.join(&names["manifest"]),
    );
    verify(&[
        "--public-key",
        key.to_str().unwrap(),
        manifest.to_str().unwrap(),
    ])
    .unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_format_is_exported_and_verified_offline() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[("REEVE_SEAL_AFTER_ENTRIES", "700")]).unwrap();
    let admin = service.admin();
    fill(&admin, 0, 1500, 0).await;

    for format in ["json", "csv", "syslog", "cef", "parquet"] {
        let folder = tempfile::tempdir().unwrap();
        let done = export(&admin, request(format)).await;
        assert_eq!(
            (&done["entries"], &done["percent"]),
            (&json!(1500), &json!(100.0)),
            "{format}"
        );
        let names = download(&admin, &done, folder.path()).await;
        assert_eq!(
            names.keys().collect::<Vec<_>>(),
            ["entries", "manifest", "proof"]
        );
        let (code, said) = checked(home.path(), folder.path(), &names);
        assert_eq!(code, Some(0), "{format}: {said}");
        assert!(said.contains("holds 1500 entries"), "{format}: {said}");
        let lossy = ["csv", "syslog", "cef"].contains(&format);
        assert_eq!(said.contains("not checked"), lossy, "{format}: {said}");

        // A byte that is changed anywhere, in the file or in what speaks for it, is noticed.
        for name in names.values() {
            let path = folder.path().join(name);
            let sound = std::fs::read(&path).unwrap();
            let mut changed = sound.clone();
            let at = if name.ends_with(".json") {
                let text = String::from_utf8(sound.clone()).unwrap();
                text.find("\"entries\": 1500").unwrap() + 14
            } else {
                sound.len() / 2
            };
            changed[at] ^= 1;
            std::fs::write(&path, &changed).unwrap();
            let (code, said) = checked(home.path(), folder.path(), &names);
            assert_eq!(
                code,
                Some(1),
                "{format}: {name} was changed at {at}: {said}"
            );
            std::fs::write(&path, sound).unwrap();
        }
    }

    // What stands in the log about it was written by the service.
    let found = admin
        .get("audit-logs?query=event_type:audit.export")
        .await
        .expect(200);
    assert_eq!(found.items().len(), 5);

    for entry in found.items() {
        assert_eq!(entry["submitted_by"]["type"], "reeve");
        assert_eq!(entry["action"]["status"], "success");
        assert_eq!(entry["metadata"]["export"]["entries"], 1500);
        assert_eq!(
            entry["metadata"]["export"]["query"],
            "event_type:test.export"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn exports_without_permission_are_refused_and_recorded() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();

    for role in ["compliance_officer", "manager", "regular_user"] {
        let email = format!("{}@example.com", role.replace('_', "-"));
        let user = json!({ "email": email, "name": role, "roles": [role] });
        let id = admin.post("users", user).await.expect(201).text_at("/id");
        let token = json!({ "name": format!("of {role}"), "user_id": id });
        let secret = admin
            .post("tokens", token)
            .await
            .expect(201)
            .text_at("/secret");
        let api = service.nobody().with_token(&secret);
        let _ = api
            .post(PATH, request("json"))
            .await
            .problem(403, "forbidden");
        let _ = api.get(PATH).await.problem(403, "forbidden");
        let denied =
            format!("audit-logs?query=event_type:authorization.denied actor.email:{email}");
        let found = admin.get(&denied.replace(' ', "%20")).await.expect(200);
        assert!(found.items().len() >= 2, "{role}: {}", found.body);
        // The command line asks the service to do it, and is refused as well.
        let out = home.path().join(format!("{role}.jsonl"));
        let arguments = [
            "audit",
            "export",
            "--format",
            "json",
            "--url",
            service.url(),
            "--token",
            &secret,
            "-o",
        ];
        let output =
            reeve_testkit::service::reeve(&[&arguments[..], &[out.to_str().unwrap()]].concat())
                .unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(
            String::from_utf8_lossy(&output.stderr).contains("audit.export"),
            "{output:?}"
        );
        assert!(!out.exists(), "{role} has no file");
    }

    let analyst =
        json!({ "email": "analyst@example.com", "name": "Analyst", "roles": ["security_analyst"] });
    let id = admin
        .post("users", analyst)
        .await
        .expect(201)
        .text_at("/id");

    let secret = admin
        .post("tokens", json!({ "name": "a", "user_id": id }))
        .await
        .expect(201)
        .text_at("/secret");
    let api = service.nobody().with_token(&secret);
    let _ = export(&api, request("csv")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_period_that_is_too_wide_is_refused_with_one_that_fits() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[("REEVE_EXPORT_LIMIT_BYTES", "60000")]).unwrap();
    let admin = service.admin();

    for day in 10..20 {
        let entries: Vec<Value> = (0..10)
            .map(|n| json!({ "event_type": "test.export", "timestamp": format!("2026-11-{day}T10:00:{n:02}Z") }))
            .collect();
        let _ = admin.post("audit-logs", json!(entries)).await.expect(201);
    }

    let refused = admin
        .post(PATH, request("json"))
        .await
        .problem(422, "export_too_large")
        .body;
    let detail = refused["detail"].as_str().unwrap();
    assert!(
        detail.contains("The period from 2026-11-1") && detail.contains("would fit"),
        "{detail}"
    );

    let estimate = admin
        .post(&format!("{PATH}/estimate"), request("json"))
        .await
        .expect(200)
        .body;

    assert_eq!(
        (&estimate["fits"], &estimate["entries"]),
        (&json!(false), &json!(100))
    );

    let narrower = estimate["narrower"]["start_time"].as_str().unwrap();
    let mut fitting = request("json");
    fitting["start_time"] = narrower.into();
    let done = export(&admin, fitting).await;
    assert_eq!(done["entries"], estimate["narrower"]["entries"]);
    assert!(done["bytes"].as_u64().unwrap() <= 60_000);

    // Entries that are longer than the sample are counted while the export runs.
    fill(&admin, 0, 60, 0).await;
    fill(&admin, 60, 1, 20_000).await;
    fill(&admin, 61, 59, 0).await;
    let mut one = request("json");
    one["query"] = "event_type:test.export metadata.number:>=0".into();
    let asked = admin.post(PATH, one).await;

    if asked.status == 202 {
        let failed = ended(&admin, &asked.text_at("/id")).await;
        assert_eq!(failed["failure"]["code"], "export_too_large", "{failed}");
        let recorded = admin
            .get("audit-logs?query=event_type:audit.export%20status:failed")
            .await
            .expect(200);
        assert_eq!(
            recorded.items()[0]["metadata"]["reason"],
            "export_too_large"
        );
    } else {
        let _ = asked.problem(422, "export_too_large");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_export_goes_on_and_gives_the_same_bytes() {
    let home = tempfile::tempdir().unwrap();
    let settings = [("REEVE_SEAL_AFTER_ENTRIES", "20000")];
    let service = Service::serve(home.path(), &settings).unwrap();
    fill(&service.admin(), 0, 40_000, 30).await;
    let whole = export(&service.admin(), request("json")).await;
    let sha256 = |export: &Value| export["files"][0]["sha256"].as_str().unwrap().to_owned();
    let asked = service
        .admin()
        .post(PATH, request("json"))
        .await
        .expect(202);
    let id = asked.text_at("/id");

    // Killed while it runs, as soon as there is anything on disk.
    let folder = home.path().join("exports").join(&id);
    until("a beginning on disk", PATIENCE, || async {
        folder.join("leaves").exists().then_some(())
    })
    .await;
    let running = service
        .admin()
        .get(&format!("{PATH}/{id}"))
        .await
        .expect(200)
        .body;

    service.kill().unwrap();
    let service = Service::serve(home.path(), &settings).unwrap();
    let done = ended(&service.admin(), &id).await;
    assert_eq!(
        done["status"], "succeeded",
        "{done}; it was killed at {running}"
    );
    assert_eq!(sha256(&done), sha256(&whole), "killed at {running}");

    let to = tempfile::tempdir().unwrap();
    let names = download(&service.admin(), &done, to.path()).await;
    let (code, said) = checked(home.path(), to.path(), &names);
    assert_eq!(code, Some(0), "{said}");

    let recorded = service
        .admin()
        .get("audit-logs?query=event_type:audit.export")
        .await
        .expect(200);
    assert_eq!(recorded.items().len(), 2, "each export is recorded once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_export_is_cancelled_and_leaves_nothing() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    fill(&admin, 0, 20_000, 40).await;

    // The first keeps the second waiting.
    let first = admin
        .post(PATH, request("csv"))
        .await
        .expect(202)
        .text_at("/id");

    let second = admin
        .post(PATH, request("csv"))
        .await
        .expect(202)
        .text_at("/id");

    let cancelled = admin
        .post(&format!("{PATH}/{second}/cancel"), json!({}))
        .await
        .expect(200);
    assert_eq!(cancelled.body["status"], "cancelled");

    let _ = admin
        .post(&format!("{PATH}/{second}/cancel"), json!({}))
        .await
        .problem(409, "conflict");
    assert_eq!(ended(&admin, &first).await["status"], "succeeded");

    let _ = admin
        .get(&format!("{PATH}/{second}/download"))
        .await
        .problem(409, "conflict");
    assert!(!home.path().join("exports").join(&second).exists());

    let recorded = admin
        .get("audit-logs?query=event_type:audit.export.cancel")
        .await
        .expect(200);
    assert_eq!(
        recorded.items().len(),
        4,
        "intent and outcome, of the attempt that came too late as well"
    );

    let _ = admin
        .get(&format!("{PATH}/nowhere"))
        .await
        .problem(404, "not_found");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_are_delivered_to_a_folder_and_what_is_wrong_is_named() {
    let (home, archive) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let place = format!("\"{}\"", archive.path().display());
    let service = Service::serve(home.path(), &[("REEVE_EXPORT_FOLDER", &place)]).unwrap();
    let admin = service.admin();
    fill(&admin, 0, 10, 0).await;
    let destinations = "audit-logs/export-destinations";
    let up = json!({ "name": "Up", "type": "folder", "prefix": "../up" });
    let refused = admin
        .post(destinations, up)
        .await
        .problem(422, "invalid_fields")
        .body;
    assert_eq!(refused["errors"][0]["field"], "prefix");

    let folder = json!({ "name": "Archive", "type": "folder", "prefix": "audit/2026" });
    let made = admin.post(destinations, folder).await.expect(201);
    let id = made.text_at("/id");
    let tested = admin
        .post(&format!("{destinations}/{id}/test"), json!({}))
        .await
        .expect(200);
    assert_eq!(tested.body["reachable"], true, "{}", tested.body);

    let mut wanted = request("json");
    wanted["destination"] = "Archive".into();
    let done = export(&admin, wanted.clone()).await;
    let there = archive.path().join("audit/2026");
    let names: BTreeMap<_, _> = done["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| {
            (
                file["role"].as_str().unwrap().to_owned(),
                file["name"].as_str().unwrap().to_owned(),
            )
        })
        .collect();
    let (code, said) = checked(home.path(), &there, &names);

    assert_eq!(code, Some(0), "{said}");
    // A place that is gone fails the export by name; the files are still there to download.
    std::fs::remove_dir_all(archive.path()).unwrap();
    let asked = admin.post(PATH, wanted).await.expect(202);
    let failed = ended(&admin, &asked.text_at("/id")).await;
    assert_eq!(
        (&failed["status"], &failed["failure"]["code"]),
        (&json!("failed"), &json!("destination_unreachable"))
    );

    let _ = admin
        .get(&format!("{PATH}/{}/download", asked.text_at("/id")))
        .await
        .expect(200);
    let mut unknown = request("json");
    unknown["destination"] = "nowhere".into();
    let refused = admin
        .post(PATH, unknown)
        .await
        .problem(422, "invalid_fields")
        .body;
    assert_eq!(refused["errors"][0]["field"], "destination");

    let refused = admin
        .post(PATH, json!({ "format": "xml" }))
        .await
        .problem(422, "invalid_fields")
        .body;
    assert_eq!(refused["errors"][0]["field"], "format");

    let _ = admin
        .post(PATH, json!({ "format": "csv", "query": "event_type:(" }))
        .await
        .problem(422, "invalid_query");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_user_who_lost_the_permission_gets_no_export() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    fill(&admin, 0, 30_000, 40).await;
    let analyst =
        json!({ "email": "analyst@example.com", "name": "Analyst", "roles": ["security_analyst"] });
    let user = admin
        .post("users", analyst)
        .await
        .expect(201)
        .text_at("/id");

    let secret = admin
        .post("tokens", json!({ "name": "a", "user_id": user }))
        .await
        .expect(201)
        .text_at("/secret");
    // The administrator's export comes first, so that the analyst's waits.
    let _ = admin.post(PATH, request("json")).await.expect(202);
    let asked = service
        .nobody()
        .with_token(&secret)
        .post(PATH, request("json"))
        .await
        .expect(202);

    let _ = admin
        .patch(
            &format!("users/{user}"),
            json!({ "roles": ["regular_user"] }),
        )
        .await
        .expect(200);

    let failed = ended(&admin, &asked.text_at("/id")).await;
    assert_eq!(failed["failure"]["code"], "permission_missing", "{failed}");
}
