//! Reading a data directory without the service: recorded in the log with the account of the
//! operating system, or not done.

use std::path::Path;

use reeve_testkit::service::{Service, reeve, verify};
use serde_json::{Value, json};

fn run(arguments: &[&str], code: i32) -> String {
    let output = reeve(arguments).unwrap();
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(output.status.code(), Some(code), "{said}");
    String::from_utf8(output.stdout).unwrap()
}

async fn recorded(data: &Path, query: &str) -> Vec<Value> {
    let service = Service::serve(data, &[]).unwrap();
    let found = service
        .admin()
        .post("audit-logs/search", json!({ "query": query }))
        .await
        .expect(200);
    service.stop().unwrap();
    found.items().to_vec()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn direct_reads_stand_in_the_log() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    let service = Service::serve(&data, &[]).unwrap();
    let entry = json!([{ "event_id": "d-1", "event_type": "test.deed", "severity": "high" }]);
    let _ = service.admin().post("audit-logs", entry).await.expect(201);
    let dir = data.to_str().unwrap();
    let refused = reeve(&["audit", "search", "severity:high", "--data-dir", dir]).unwrap();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("query that service with --url"), "{said}");
    service.stop().unwrap();

    let found = run(
        &[
            "audit",
            "search",
            "event_id:d-1",
            "--data-dir",
            dir,
            "--json",
        ],
        0,
    );
    assert_eq!(found.lines().count(), 1, "{found}");

    let file = home.path().join("out.json");
    let out = file.to_str().unwrap();
    run(
        &[
            "audit",
            "export",
            "--format",
            "json",
            "--query",
            "severity:high",
            "--data-dir",
            dir,
            "-o",
            out,
        ],
        0,
    );

    let [search] = &recorded(&data, "event_type:audit.search AND action.method:cli").await[..]
    else {
        panic!("not one")
    };

    let uid = std::os::unix::fs::MetadataExt::uid(&std::fs::metadata("/proc/self").unwrap());
    assert!(
        search["actor"]["id"]
            .as_str()
            .unwrap()
            .starts_with(&format!("uid {uid}")),
        "{search}"
    );

    assert_eq!(search["action"]["operation"], "reeve audit search");
    assert_eq!(search["metadata"]["request"]["query"], "event_id:d-1");

    let [export] = &recorded(&data, "event_type:audit.export AND action.method:cli").await[..]
    else {
        panic!("not one")
    };

    assert_eq!(export["metadata"]["request"]["query"], "severity:high");
    assert_eq!(export["metadata"]["request"]["format"], "json");
    assert_eq!(verify(&[dir]).unwrap().0, Some(0));
}
