//! The five roles of requirements B-167 to B-171: what each sees, that searching
//! shows nothing beyond that, and which of exporting, configuring alerts and generating reports
//! each may.

use std::collections::BTreeSet;

use reeve_access::{Permission, Role};
use reeve_http::guard::Access;
use reeve_testkit::http::Api;
use reeve_testkit::service::Service;
use serde_json::json;

/// Role, entries seen of one's own, a colleague's and a stranger's, permissions beyond viewing.
const TABLE: [(Role, u64, &[Permission]); 5] = [
    (
        Role::AuditAdministrator,
        3,
        &[
            Permission::AuditExport,
            Permission::AuditAlerts,
            Permission::AuditReports,
        ],
    ),
    (Role::SecurityAnalyst, 3, &[Permission::AuditExport]),
    (Role::ComplianceOfficer, 3, &[Permission::AuditReports]),
    (Role::Manager, 2, &[]),
    (Role::RegularUser, 1, &[]),
];

/// Parts of paths below `/api/v1/audit-logs/`, and the permission without which nothing there is
/// changed or begun.
const GUARDED: [(&str, Permission); 5] = [
    ("export", Permission::AuditExport),
    ("exports", Permission::AuditExport),
    ("alerts", Permission::AuditAlerts),
    ("alerts/firings", Permission::AuditTriage),
    ("reports", Permission::AuditReports),
];

#[test]
fn permissions_are_those_of_the_specification() {
    let decided = [
        Permission::AuditExport,
        Permission::AuditAlerts,
        Permission::AuditReports,
    ];
    for (role, _, granted) in TABLE {
        let may: Vec<_> = decided
            .into_iter()
            .filter(|one| role.permissions().contains(one))
            .collect();
        assert_eq!(may, granted, "{}", role.as_str());
    }
}

#[test]
fn no_route_of_exports_alerts_or_reports_asks_for_less() {
    for rule in reeve_http::router::rules() {
        let Some(rest) = rule.path.strip_prefix("/api/v1/audit-logs/") else {
            continue;
        };
        let reads = rule.method == "GET";
        let part = match rest.strip_prefix("alerts/firings") {
            Some(_) => "alerts/firings",
            None => rest.split('/').next().unwrap_or_default(),
        };
        let export = part.starts_with("export");
        for (_, needed) in GUARDED
            .iter()
            .filter(|(guarded, _)| *guarded == part && (export || !reads))
        {
            let asks = match rule.access {
                Access::Needs(permission) => permission == *needed,
                Access::NeedsAll(permissions) => permissions.contains(needed),
                _ => false,
            };
            assert!(
                asks,
                "{} {} asks for {:?}",
                rule.method, rule.path, rule.access
            );
        }
    }
}

/// Returns the numbers of planted entries that each way of viewing shows.
async fn seen(api: &Api, role: &str) -> BTreeSet<u64> {
    let list = api
        .get("audit-logs?query=event_type:test.role")
        .await
        .expect(200);
    let counts = api
        .get("audit-logs/stats?query=event_type:test.role")
        .await
        .expect(200);
    let mut seen = BTreeSet::from([
        list.items().len() as u64,
        list.body["total"].as_u64().unwrap(),
        counts.body["total"].as_u64().unwrap(),
    ]);

    // Searching is filtering what one views: no query, filter, order or count reaches further.
    for search in [
        json!({ "query": "event_type:test.role" }),
        json!({ "query": "event_type:test.role AND (actor.id:* OR NOT actor.id:*)", "order": "oldest_first" }),
        json!({ "filters": { "event_type": "test.*" } }),
    ] {
        let found = api.post("audit-logs/search", search).await.expect(200);
        seen.extend([
            found.items().len() as u64,
            found.body["total"].as_u64().unwrap(),
        ]);
    }

    let other = json!({ "filters": { "user": "zq-stranger" } });
    let found = api.post("audit-logs/search", other).await.expect(200).body["total"]
        .as_u64()
        .unwrap();

    if role != "administrator" {
        assert_eq!(
            found > 0,
            !["manager", "regular_user"].contains(&role),
            "{role} and a stranger's entry"
        );
    }

    seen
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_role_views_searches_and_configures_what_the_specification_says() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();

    for (role, entries, granted) in TABLE {
        let name = role.as_str();
        let team = admin
            .post("teams", json!({ "name": name }))
            .await
            .expect(201)
            .text_at("/id");
        let (id, api) = admin
            .person(&format!("{name}@acme.example"), &[name], &[&team])
            .await;
        let (colleague, _) = admin
            .person(
                &format!("of-{name}@acme.example"),
                &["regular_user"],
                &[&team],
            )
            .await;
        // Of this round alone: the entries of the rounds before happened to nobody who is seen
        // twice.
        let planted = [id, colleague, "zq-stranger".to_owned()]
            .map(|actor| json!({ "event_type": "test.role", "actor": { "id": actor }, "resource": { "id": name } }));
        let before = seen(&admin, "administrator")
            .await
            .into_iter()
            .next()
            .unwrap();
        let _ = admin.post("audit-logs", json!(planted)).await.expect(201);
        let expected = if entries == 3 { before + 3 } else { entries };
        assert_eq!(seen(&api, name).await, BTreeSet::from([expected]), "{name}");

        let rule = json!({ "name": name, "condition": "event_type:*", "threshold": { "count": 1, "window": "1s" } });
        let made = api.post("audit-logs/alerts", rule).await;
        if granted.contains(&Permission::AuditAlerts) {
            let _ = made.expect(201);
        } else {
            let _ = made.problem(403, "forbidden");
            let query =
                format!("event_type:authorization.denied AND actor.email:{name}@acme.example");
            let denials = admin
                .post("audit-logs/search", json!({ "query": query }))
                .await
                .expect(200);
            assert_eq!(denials.body["total"], 1, "{name}: a refusal is recorded");
        }
    }

    assert!(service.stop().unwrap().0.success());
}
