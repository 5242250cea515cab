//! The log itself: reading, verifying, alerts, exports, reports.

use reeve_audit::{Severity, events};
use reeve_testkit::http::{Api, until};
use reeve_testkit::service::Service;
use serde_json::json;

use super::{Emitted, PATIENCE, by_reeve, by_user, verify};
use crate::alerts::bounds::flood;
use crate::exports::ended as export_ended;
use crate::reports::ended as report_ended;

pub(super) const EMITTED: &[Emitted] = &[
    by_user(&events::AUDIT_SEARCH, "audit_log"),
    by_user(&events::AUDIT_VIEW, "audit_log"),
    by_user(&events::AUDIT_LIVE, "audit_log"),
    by_user(&events::LAKE_READ, "audit_log"),
    by_user(&events::AUDIT_VERIFY, "audit_log").when("operation:end_verification"),
    by_user(&events::ALERT_CREATE, "alert_rule"),
    by_user(&events::LIST_MODIFY, "value_list"),
    by_user(&events::LIST_DELETE, "value_list"),
    by_user(&events::ALERT_MODIFY, "alert_rule"),
    by_user(&events::ALERT_TEST, "alert_rule"),
    by_user(&events::ALERT_DELETE, "alert_rule"),
    by_reeve(&events::ALERT_FIRE, "system", "alert_rule")
        .when("metadata.rule_name:Deeds")
        .severity(Severity::High),
    by_reeve(&events::ALERT_DEGRADE, "system", "alert_rule"),
    by_user(&events::ALERT_HANDLE, "alert_firing"),
    Emitted {
        method: "system",
        ..by_user(&events::AUDIT_EXPORT, "audit_export")
    },
    by_user(&events::EXPORT_REQUEST, "audit_export"),
    by_user(&events::EXPORT_CANCEL, "audit_export").status("failed"),
    by_user(&events::EXPORT_DOWNLOAD, "audit_export"),
    Emitted {
        method: "system",
        ..by_user(&events::EXPORT_DELIVER, "audit_export")
    },
    by_user(&events::EXPORT_DESTINATION_CREATE, "export_destination"),
    by_user(&events::EXPORT_DESTINATION_MODIFY, "export_destination"),
    by_user(&events::EXPORT_DESTINATION_TEST, "export_destination"),
    by_user(&events::EXPORT_DESTINATION_DELETE, "export_destination"),
    by_user(&events::EXPORT_SCHEDULE_CREATE, "export_schedule"),
    by_user(&events::EXPORT_SCHEDULE_MODIFY, "export_schedule"),
    by_user(&events::EXPORT_SCHEDULE_DELETE, "export_schedule"),
    Emitted {
        actor: "user",
        ..by_reeve(&events::REPORT, "system", "report_run")
    },
    by_user(&events::RETENTION_MODIFY, "retention"),
    by_user(&events::RETENTION_RUN, "retention"),
    by_user(&events::HOLD_CREATE, "legal_hold"),
    by_user(&events::HOLD_RELEASE, "legal_hold"),
    by_user(&events::ERASURE_CREATE, "erasure_request"),
    by_user(&events::ERASURE_APPROVE, "erasure_request"),
    by_user(&events::ERASURE_REJECT, "erasure_request"),
    by_user(&events::REPORT_CREATE, "report"),
    by_user(&events::REPORT_MODIFY, "report"),
    by_user(&events::REPORT_DELETE, "report"),
];

const QUERY: &str = "event_type:test.deed";

async fn reading(admin: &Api) {
    let deed = json!({ "event_id": "deed-1", "event_type": "test.deed", "severity": "high" });
    let _ = admin.post("audit-logs", deed).await.expect(201);
    let _ = admin
        .post("audit-logs/search", json!({ "query": QUERY }))
        .await
        .expect(200);
    let _ = admin.get("audit-logs/deed-1").await.expect(200);
    let live = admin
        .ask("audit-logs/live", &[("accept", "text/event-stream")])
        .await
        .unwrap();
    assert_eq!(live.status().as_u16(), 200);

    let begun = admin.post("audit-logs/verify", json!({})).await.expect(202);
    let path = format!("audit-logs/verify/{}", begun.text_at("/id"));
    until("the verification", PATIENCE, || async {
        (admin.get(&path).await.expect(200).body["status"] != "running").then_some(())
    })
    .await;
}

async fn alerts(admin: &Api) {
    let list = "audit-logs/lists/known";
    let _ = admin
        .put(list, json!({ "values": ["10.0.0.0/8"] }))
        .await
        .expect(200);
    let _ = admin.delete(list).await.expect(204);
    let path = "audit-logs/alerts";
    let rule = json!({ "name": "Deeds", "condition": QUERY, "threshold": { "count": 1, "window": "5m" }, "severity": "high", "state": "enabled" });
    let rule = format!(
        "{path}/{}",
        admin.post(path, rule).await.expect(201).text_at("/id")
    );
    let _ = admin
        .patch(
            &rule,
            json!({ "description": "What happened", "version": 1 }),
        )
        .await
        .expect(200);

    let _ = admin
        .post(&format!("{rule}/test"), json!({}))
        .await
        .expect(200);
    let _ = admin
        .post("audit-logs", json!({ "event_type": "test.deed" }))
        .await
        .expect(201);
    let firing = until("the firing", PATIENCE, || async {
        admin
            .get(&format!("{path}/firings"))
            .await
            .expect(200)
            .items()
            .first()
            .cloned()
    })
    .await;
    let firing = format!("{path}/firings/{}", firing["id"].as_str().unwrap());

    let _ = admin
        .post(&format!("{firing}/acknowledge"), json!({ "version": 1 }))
        .await
        .expect(200);
    let _ = admin.delete(&rule).await.expect(204);
    let _ = flood(admin).await;
}

async fn retention(admin: &Api) {
    let table = "audit-logs/iceberg/v1/namespaces/audit/tables/entries";
    let _ = admin.get(table).await.expect(200);
    let path = "audit-logs/retention";
    let policies = json!([{ "name": "all", "event_types": ["*"], "hot_days": 90, "warm_days": 0, "cold_years": 1 }]);
    let _ = admin
        .put(path, json!({ "policies": policies }))
        .await
        .expect(200);
    let _ = admin
        .post(&format!("{path}/run"), json!({}))
        .await
        .expect(200);
    let hold =
        json!({ "case": "Case 7", "query": QUERY, "custodian": "Legal", "reason": "Litigation" });
    let hold = admin.post("audit-logs/holds", hold).await.expect(201);
    let release = format!("audit-logs/holds/{}/release", hold.text_at("/id"));
    let _ = admin
        .post(&release, json!({ "reason": "settled" }))
        .await
        .expect(200);

    let erasure = json!({ "scope": { "actor_id": "alice" }, "reason": "asked for it", "legal_basis": "GDPR Art. 17" });
    let erasure = admin.post("audit-logs/erasures", erasure).await.expect(201);
    let erasure = format!("audit-logs/erasures/{}", erasure.text_at("/id"));
    let (_, other) = admin
        .person("olga@acme.example", &["administrator"], &[])
        .await;
    let _ = other
        .post(&format!("{erasure}/approve"), json!({}))
        .await
        .expect(200);
    let _ = admin
        .post(&format!("{erasure}/reject"), json!({ "reason": "settled" }))
        .await
        .expect(200);
}

async fn exports(admin: &Api) {
    let destinations = "audit-logs/export-destinations";
    let archive = json!({ "name": "Archive", "type": "folder", "prefix": "audit" });
    let archive = format!(
        "{destinations}/{}",
        admin
            .post(destinations, archive)
            .await
            .expect(201)
            .text_at("/id")
    );

    let _ = admin
        .post(&format!("{archive}/test"), json!({}))
        .await
        .expect(200);
    let _ = admin
        .patch(&archive, json!({ "prefix": "audit/all", "version": 1 }))
        .await
        .expect(200);
    let schedules = "audit-logs/export-schedules";
    let daily = json!({ "name": "Daily", "format": "json", "query": QUERY, "schedule": "0 6 * * *", "destination": "Archive" });
    let daily = format!(
        "{schedules}/{}",
        admin
            .post(schedules, daily)
            .await
            .expect(201)
            .text_at("/id")
    );

    let _ = admin
        .patch(&daily, json!({ "name": "Every day", "version": 1 }))
        .await
        .expect(200);
    let _ = admin.delete(&daily).await.expect(204);

    let wanted = json!({ "format": "json", "query": QUERY, "destination": "Archive" });
    let id = admin
        .post("audit-logs/export", wanted)
        .await
        .expect(202)
        .text_at("/id");
    assert_eq!(export_ended(admin, &id).await["status"], "succeeded");

    let _ = admin
        .get(&format!("audit-logs/export/{id}/download"))
        .await
        .expect(200);
    // It has ended already, and yet somebody tried.
    let _ = admin
        .post(&format!("audit-logs/export/{id}/cancel"), json!({}))
        .await
        .problem(409, "conflict");
    let _ = admin.delete(&archive).await.expect(204);
}

async fn reports(admin: &Api) {
    let path = "audit-logs/reports";
    let report = json!({ "name": "Deeds", "query": QUERY, "period": "24h", "group_by": ["user"] });
    let report = format!(
        "{path}/{}",
        admin.post(path, report).await.expect(201).text_at("/id")
    );
    let _ = admin
        .patch(&report, json!({ "name": "All deeds", "version": 1 }))
        .await
        .expect(200);
    let run = admin
        .post(&format!("{report}/run"), json!({}))
        .await
        .expect(202)
        .text_at("/id");
    assert_eq!(report_ended(admin, &run).await["state"], "succeeded");

    let _ = admin.delete(&report).await.expect(204);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_done_with_the_log_is_recorded() {
    let (home, archive) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let place = format!("\"{}\"", archive.path().display());
    let service = Service::serve(home.path(), &[("REEVE_EXPORT_FOLDER", &place)]).unwrap();
    let admin = service.admin();
    reading(&admin).await;
    alerts(&admin).await;
    retention(&admin).await;
    exports(&admin).await;
    reports(&admin).await;
    verify(&admin, "log", EMITTED).await;
}
