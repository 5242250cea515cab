//! Roles that are given and taken, and reads of what the log led to, as the log tells of them.

use reeve_testkit::http::until;

use super::*;

async fn newest(admin: &Api, query: &str) -> Value {
    let found = admin
        .post("audit-logs/search", json!({ "query": query, "limit": 1 }))
        .await
        .expect(200);
    found.items().first().cloned().unwrap_or_default()
}

#[tokio::test]
async fn roles_given_and_taken_stand_in_the_changes() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let (id, _) = admin
        .person("ann@acme.example", &["regular_user"], &[])
        .await;

    for (before, after, severity) in [
        (
            &["regular_user"][..],
            &["regular_user", "operator"][..],
            "info",
        ),
        (&["regular_user", "operator"], &["administrator"], "high"),
        (&["administrator"], &["regular_user"], "info"),
    ] {
        let _ = admin
            .patch(&format!("users/{id}"), json!({ "roles": after }))
            .await
            .expect(200);
        let entry = newest(
            &admin,
            &format!("event_type:user.modify status:success resource.id:{id}"),
        )
        .await;
        assert_eq!(
            entry["changes"]["before"]["roles"],
            json!(before),
            "{entry}"
        );
        assert_eq!(entry["changes"]["after"]["roles"], json!(after), "{entry}");
        assert_eq!(entry["severity"], severity, "{entry}");
    }

    let (id, _) = admin
        .person("zoe@acme.example", &["administrator"], &[])
        .await;
    let entry = newest(
        &admin,
        &format!("event_type:user.create status:success resource.id:{id}"),
    )
    .await;

    assert_eq!(
        (&entry["severity"], &entry["changes"]["after"]["roles"]),
        (&json!("high"), &json!(["administrator"]))
    );
}

#[tokio::test]
async fn reading_firings_and_reports_is_recorded() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let rule = json!({ "name": "Deeds", "condition": "event_type:test.deed", "threshold": { "count": 1, "window": "5m" },
        "severity": "high", "state": "enabled" });
    let _ = admin.post("audit-logs/alerts", rule).await.expect(201);
    let _ = admin
        .post("audit-logs", json!({ "event_type": "test.deed" }))
        .await
        .expect(201);
    let firing = until("the firing", std::time::Duration::from_secs(60), || async {
        admin
            .get("audit-logs/alerts/firings")
            .await
            .expect(200)
            .items()
            .first()
            .cloned()
    })
    .await;
    let firing = firing["id"].as_str().unwrap();

    let _ = admin
        .get(&format!("audit-logs/alerts/firings/{firing}"))
        .await
        .expect(200);
    let entry = newest(&admin, "event_type:audit.view operation:view_firing").await;
    assert_eq!(entry["metadata"]["request"]["firing_id"], firing, "{entry}");
    assert_ne!(
        newest(&admin, "event_type:audit.view operation:list_firings").await,
        Value::Null
    );

    let report = json!({ "name": "Deeds", "query": "event_type:test.deed", "period": "24h", "group_by": ["user"] });
    let report = admin
        .post("audit-logs/reports", report)
        .await
        .expect(201)
        .text_at("/id");

    let run = admin
        .post(&format!("audit-logs/reports/{report}/run"), json!({}))
        .await
        .expect(202)
        .text_at("/id");

    assert_eq!(
        crate::reports::ended(&admin, &run).await["state"],
        "succeeded"
    );

    let entry = newest(&admin, "event_type:audit.view operation:view_report").await;
    assert_eq!(
        entry["metadata"]["request"]["run_id"],
        run.as_str(),
        "{entry}"
    );
}
