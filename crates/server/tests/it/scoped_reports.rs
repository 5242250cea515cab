//! Reports of users with a scope: their runs are narrowed, and they see the runs that lie within.

use reeve_testkit::http::Api;
use reeve_testkit::service::Service;
use serde_json::{Value, json};

use crate::audit_scope::{ELSEWHERE, HERE, limited};
use crate::reports::{downloaded, made, run, verified};

const RUNS: &str = "audit-logs/reports/runs";

/// An entry about a machine of an account; without an account for a sign-in.
fn entry(account: Option<&str>, day: &str) -> Value {
    let (kind, id) = match account {
        Some(_) => ("resource.modify", "vm-1"),
        None => ("authentication.login", "console"),
    };
    json!({
        "event_type": kind,
        "timestamp": format!("{day}T12:00:00Z"),
        "actor": { "type": "user", "id": "ann", "email": "ann@acme.example" },
        "action": { "operation": "change", "status": "success", "method": "api" },
        "resource": { "type": "vm", "id": id, "account_id": account },
    })
}

async fn ids_of(api: &Api, path: &str) -> Vec<String> {
    let list = api.get(path).await.expect(200);
    let ids = list.items().iter().map(|one| one["id"].as_str().unwrap());
    ids.map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_user_with_a_scope_runs_and_reads_reports_within_it() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let entries = json!([
        entry(Some(HERE), "2026-03-02"),
        entry(Some(HERE), "2026-05-02"),
        entry(Some(ELSEWHERE), "2026-03-02"),
        entry(None, "2026-03-02"),
    ]);
    let _ = admin.post("audit-logs", entries).await.expect(201);

    let period =
        json!({ "start_time": "2026-01-01T00:00:00Z", "end_time": "2026-07-01T00:00:00Z" });
    let report = |given: Value| {
        let mut report = period.clone();
        for (name, value) in given.as_object().unwrap() {
            report[name] = value.clone();
        }
        report
    };
    let all =
        report(json!({ "name": "SOC 2", "framework": "soc2", "recipients": ["all@acme.example"] }));
    let all = made(&admin, all).await;
    let hipaa = made(
        &admin,
        report(json!({ "name": "HIPAA", "framework": "hipaa" })),
    )
    .await;
    let changes = json!({ "name": "Changes", "query": "event_type:resource.modify" });
    let changes = made(&admin, report(changes)).await;
    let here = json!({ "name": "Here", "query": "event_type:resource.modify", "filters": { "accounts": [HERE] } });
    let here = made(&admin, report(here)).await;
    let elsewhere =
        json!({ "name": "Elsewhere", "query": "", "filters": { "accounts": [ELSEWHERE] } });
    let elsewhere = made(&admin, report(elsewhere)).await;

    let whole = run(&admin, &all).await;
    let of_here = run(&admin, &here).await;
    let of_changes = run(&admin, &changes).await;
    assert_eq!(of_changes["summary"]["entries"], 3);

    let scope = json!({ "accounts": [HERE], "frameworks": ["soc2"],
        "log_from": "2025-12-31T23:59:59.999Z", "log_until": "2026-06-30T23:59:59.999Z" });
    let auditor = limited(&admin, "auditor@acme.example", scope.clone()).await;

    // The runs that lie within, and the reports that have something within, without receivers.
    let id = |run: &Value| run["id"].as_str().unwrap().to_owned();
    assert_eq!(ids_of(&auditor, RUNS).await, [id(&of_here)]);
    for hidden in [&whole, &of_changes] {
        let path = format!("{RUNS}/{}", id(hidden));
        let _ = auditor.get(&path).await.expect(404);
        let file = auditor.get(&format!("{path}/download?format=json")).await;
        let _ = file.expect(404);
        let _ = auditor
            .post(&format!("{path}/cancel"), json!({}))
            .await
            .expect(404);
    }
    let listed = ids_of(&auditor, "audit-logs/reports").await;
    assert_eq!(listed, [changes.as_str(), &here, &all]);
    let seen = auditor
        .get(&format!("audit-logs/reports/{all}"))
        .await
        .expect(200);
    assert_eq!(seen.body["recipients"], json!([]));
    assert_eq!(seen.body["filters"]["accounts"], json!([HERE]));
    for outside in [&hipaa, &elsewhere] {
        let path = format!("audit-logs/reports/{outside}");
        let _ = auditor.get(&path).await.expect(404);
        let _ = auditor
            .post(&format!("{path}/run"), json!({}))
            .await
            .expect(404);
    }

    // Their own runs: of the account alone, without the sign-in that belongs to none.
    let own = run(&auditor, &changes).await;
    assert_eq!(
        (&own["state"], &own["error"]),
        (&json!("succeeded"), &Value::Null)
    );
    assert_eq!(own["summary"]["entries"], 2);
    assert_eq!((&own["scope"], &own["deliveries"]), (&scope, &json!([])));
    let own = run(&auditor, &all).await;
    assert_eq!(own["state"], "succeeded", "{}", own["error"]);
    assert_eq!(own["filters"]["accounts"], json!([HERE]));
    assert_eq!(own["summary"]["coverage"]["connections"], json!([]));
    let path = format!("{RUNS}/{}/download?format=", id(&own));
    let document = auditor.get(&format!("{path}json")).await;
    assert_eq!(document.status, 200);
    for hidden in [ELSEWHERE, "all@acme.example"] {
        assert!(!document.text.contains(hidden), "{hidden}");
    }
    let document: Value = serde_json::from_str(&document.text).unwrap();
    assert_eq!(document["report"]["scope"], scope);
    let cited = document["entries"].as_array().unwrap().iter();
    let accounts: Vec<&Value> = cited
        .map(|one| &one["entry"]["resource"]["account_id"])
        .collect();
    assert!(
        !accounts.is_empty() && accounts.iter().all(|one| **one == json!(HERE)),
        "{accounts:?}"
    );

    // The package of files is checked offline, as that of any run.
    let manifest = downloaded(&auditor, &own, home.path()).await;
    let key = home.path().join("ledger/log.vkey");
    let (code, said) = verified(&manifest, &key);
    assert_eq!(code, Some(0), "{said}");

    // A narrower scope hides the wider runs again, and a review is not the reader's to give.
    let narrow = json!({ "accounts": [HERE], "log_from": "2026-03-31T23:59:59.999Z" });
    let narrow = limited(&admin, "narrow@acme.example", narrow).await;
    assert_eq!(ids_of(&narrow, RUNS).await, Vec::<String>::new());
    let may = run(&narrow, &changes).await;
    assert_eq!(may["summary"]["entries"], 1);
    let review = json!({ "question": "CC6.1.exception.1", "comment": "seen" });
    let refused = auditor
        .post(&format!("{RUNS}/{}/reviews", id(&own)), review)
        .await;
    let _ = refused.expect(403);

    // Whoever sees the whole log reads the narrowed runs too, and is told that they are.
    let listed = admin.get(&format!("{RUNS}/{}", id(&own))).await.expect(200);
    assert_eq!(listed.body["scope"], scope);
    let recorded = admin
        .get("audit-logs?query=event_type:audit.report")
        .await
        .expect(200);
    let is_own = |one: &&Value| {
        one["metadata"]["report"]["run_id"] == own["id"]
            && one["action"]["operation"] != "report.download"
    };
    let recorded = recorded.items().iter().find(is_own).cloned().unwrap();
    assert_eq!(
        recorded["metadata"]["report"]["scope"], scope,
        "{recorded:#}"
    );
}
