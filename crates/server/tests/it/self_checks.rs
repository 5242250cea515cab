//! The service checks itself: changes of the state beside it are named, its own are not, and damage
//! of the log is found, on record.

use std::time::Duration;

use reeve_testkit::http::{Api, encoded, until};
use reeve_testkit::postgres::Postgres;
use reeve_testkit::service::Service;
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(60);

/// The newest entry of a query, once there are more than a number of them.
async fn after(api: &Api, query: &str, seen: u64) -> (Value, u64) {
    until(query, PATIENCE, || async {
        let found = api
            .get(&format!("audit-logs?limit=1&query={}", encoded(query)))
            .await
            .expect(200);
        let total = found.body["total"].as_u64().unwrap();
        (total > seen).then(|| (found.items()[0].clone(), total))
    })
    .await
}

/// The next digest that begins after this call: one may be under way.
async fn next_digest(api: &Api) -> Value {
    let query = "event_type:state.digest AND submitted_by.type:reeve";
    let found = api
        .get(&format!("audit-logs?limit=1&query={}", encoded(query)))
        .await
        .expect(200);
    after(api, query, found.body["total"].as_u64().unwrap() + 1)
        .await
        .0
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_in_the_database_without_an_entry_is_named() {
    let Some(database) = Postgres::shared().unwrap() else {
        return;
    };

    let url = database.database().await.unwrap();
    let home = tempfile::tempdir().unwrap();
    let variables = [
        ("REEVE_STATE_URL", url.as_str()),
        ("REEVE_SELF_CHECK_EVERY_S", "1"),
    ];
    let service = Service::serve(home.path(), &variables).unwrap();
    let admin = service.admin();
    let digests = "event_type:state.digest";
    let (first, _) = after(&admin, digests, 0).await;
    assert_eq!(
        (&first["metadata"]["baseline"], &first["severity"]),
        (&json!("first"), &json!("info"))
    );

    // Everything that Reeve changes is named by its entries.
    let team = admin
        .post("teams", json!({ "name": "Payments" }))
        .await
        .expect(201)
        .text_at("/id");

    let (user, person) = admin
        .person("ann@acme.example", &["operator"], &[&team])
        .await;
    let _ = person.get("audit-logs?limit=1").await.expect(200);
    let rule = json!({ "name": "Deletions", "condition": "event_type:resource.delete", "threshold": { "count": 1, "window": "1s" } });
    let rule = admin
        .post("audit-logs/alerts", rule)
        .await
        .expect(201)
        .text_at("/id");
    let _ = admin.delete(&format!("teams/{team}")).await.expect(204);
    let digest = next_digest(&admin).await;
    assert_eq!(
        (&digest["metadata"]["unexplained"], &digest["severity"]),
        (&json!([]), &json!("info")),
        "{digest}"
    );

    assert!(
        digest["metadata"]["tables"]["users"]["rows"]
            .as_u64()
            .unwrap()
            >= 2,
        "{digest}"
    );

    let critical = format!(
        "audit-logs?limit=1&query={}",
        encoded("event_type:state.digest AND severity:critical")
    );
    assert_eq!(admin.get(&critical).await.expect(200).body["total"], 0);

    // An administrator is inserted, a role is raised, and a rule goes, all beside Reeve.
    let statements = format!(
        "INSERT INTO users (id, email, name, active, created_at_ms, document)
         SELECT 'u-intruder', 'intruder@example.com', 'I', 1, created_at_ms, document FROM users WHERE email = 'admin@localhost';
         UPDATE users SET document = REPLACE(document, 'operator', 'administrator') WHERE id = '{user}';
         DELETE FROM alert_rules WHERE id = '{rule}'"
    );
    let _ = database.execute(&url, &statements).await.unwrap();
    let (alarm, _) = after(&admin, "event_type:state.digest AND severity:critical", 0).await;

    let named = |table: &str, row: &str, change: &str| {
        let expected = json!({ "table": table, "row": row, "change": change });
        assert!(
            alarm["metadata"]["unexplained"]
                .as_array()
                .unwrap()
                .contains(&expected),
            "{table}: {alarm}"
        );
    };
    named("users", "u-intruder", "added");

    named("users", &user, "changed");
    named("alert_rules", &rule, "removed");
    let metrics = service
        .admin()
        .attempt("GET", "/metrics", &[], None, Vec::new())
        .await
        .unwrap()
        .text;

    assert!(
        metrics.contains("reeve_state_unexplained_changes"),
        "{metrics}"
    );
    service.stop().unwrap();

    // The rows of the last digest are no help to the intruder either: their digest is in the log.
    let _ = database
        .execute(
            &url,
            "UPDATE settings SET document = REPLACE(document, 'u-intruder', 'u-other') WHERE name = 'state_digest'",
        )
        .await
        .unwrap();

    let service = Service::serve(home.path(), &variables).unwrap();
    let query =
        "event_type:state.digest AND severity:critical AND metadata.unexplained.table:settings";
    let _ = after(&service.admin(), query, 0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_verifies_itself_and_tells_of_damage() {
    let home = tempfile::tempdir().unwrap();
    let variables = [
        ("REEVE_SELF_CHECK_EVERY_S", "1"),
        ("REEVE_SEAL_AFTER_ENTRIES", "20"),
    ];
    let service = Service::serve(home.path(), &variables).unwrap();
    let admin = service.admin();
    let batch: Vec<Value> = (0..60)
        .map(|n| json!({ "event_type": "test.event", "metadata": { "n": n } }))
        .collect();
    let _ = admin.post("audit-logs", json!(batch)).await.expect(201);
    let verified = "event_type:audit.verify AND operation:end_verification AND method:scheduled";
    let (found, _) = after(&admin, verified, 0).await;
    assert_eq!(
        (&found["metadata"]["result"]["findings"], &found["severity"]),
        (&json!(0), &json!("info")),
        "{found}"
    );

    let folder = home.path().join("lake/entries/default");
    let file = until("there is a segment", PATIENCE, || async {
        let files = std::fs::read_dir(&folder)
            .ok()?
            .flatten()
            .map(|one| one.path());
        files
            .filter(|one| one.extension().is_some_and(|kind| kind == "parquet"))
            .min()
    })
    .await;
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;

    std::fs::write(&file, &bytes).unwrap();
    // No search passes over a damaged segment, so that the finding is read in the metrics before
    // the byte is put back.
    until("the fault is told", PATIENCE, || async {
        let metrics = service
            .admin()
            .attempt("GET", "/metrics", &[], None, Vec::new())
            .await
            .ok()?
            .text;
        metrics
            .lines()
            .any(|line| line.starts_with("reeve_log_verification_faults ") && !line.ends_with(" 0"))
            .then_some(())
    })
    .await;

    bytes[middle] ^= 1;
    std::fs::write(&file, &bytes).unwrap();
    let (found, _) = after(&admin, &format!("{verified} AND severity:critical"), 0).await;
    assert!(
        found["metadata"]["result"]["findings"].as_u64().unwrap() > 0,
        "{found}"
    );
}
