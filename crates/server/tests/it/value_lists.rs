//! Tests of lists of values and of sorted searches over the built program.

use std::time::Duration;

use reeve_testkit::http::{Api, until};
use reeve_testkit::service::{Service, reeve, verify};
use serde_json::{Value, json};

use crate::reports::ended;

const LIST: &str = "audit-logs/lists/known_addresses";

async fn sign_in(api: &Api, address: &str, at: &str) {
    let entry = json!({
        "event_type": "test.sign_in", "timestamp": at,
        "actor": { "type": "user", "id": address, "ip_address": address }, "metadata": { "peer": address },
    });
    let _ = api.post("audit-logs", entry).await.expect(201);
}

async fn search(api: &Api, body: Value) -> Vec<String> {
    let found = api.post("audit-logs/search", body).await.expect(200);
    found
        .items()
        .iter()
        .map(|entry| entry["actor"]["id"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_of_a_list_takes_effect_in_searches_and_alert_rules() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let at = "2026-11-20T10:00:00Z";
    for address in ["10.1.0.7", "203.0.113.9"] {
        sign_in(&admin, address, at).await;
    }

    let unknown = json!({ "query": "event_type:test.sign_in ip:@known_addresses" });
    let refused = admin
        .post("audit-logs/search", unknown.clone())
        .await
        .problem(422, "invalid_query");
    assert!(
        refused
            .text_at("/detail")
            .contains("there is no list `known_addresses`"),
        "{:?}",
        refused.body
    );

    let wrong = json!({ "values": ["10.0.0.0/8", "10.0.0.0/99"] });
    let wrong = admin.put(LIST, wrong).await.problem(422, "invalid_fields");
    assert_eq!(wrong.text_at("/errors/0/field"), "values[1]");

    let made = admin
        .put(
            LIST,
            json!({ "values": ["10.1.0.0/16"], "description": "Office" }),
        )
        .await
        .expect(200);

    assert_eq!(
        (&made.body["size"], &made.body["version"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(search(&admin, unknown.clone()).await, ["10.1.0.7"]);

    for query in [
        "NOT ip:@known_addresses",
        "NOT metadata.peer:@known_addresses",
        "NOT metadata.peer:@10.0.0.0/8",
    ] {
        let query = format!("event_type:test.sign_in {query}");
        assert_eq!(
            search(&admin, json!({ "query": query })).await,
            ["203.0.113.9"],
            "{query}"
        );
    }

    // Who may search may read lists; only who may configure alerts may change them.
    let (_, analyst) = admin
        .person("analyst@acme.example", &["security_analyst"], &[])
        .await;
    assert_eq!(
        analyst.get(LIST).await.expect(200).body["values"],
        json!(["10.1.0.0/16"])
    );

    let _ = analyst
        .put(LIST, json!({ "values": [], "version": 1 }))
        .await
        .problem(403, "forbidden");

    let rule = json!({ "name": "Strangers", "condition": "event_type:test.sign_in NOT ip:@known_addresses",
        "threshold": { "count": 1, "window": "1h" }, "group_by": "actor.id", "severity": "high", "state": "enabled" });
    let nowhere = json!({ "name": "Nowhere", "condition": "ip:@nowhere", "threshold": { "count": 1, "window": "1h" },
        "severity": "high" });
    let nowhere = admin
        .post("audit-logs/alerts", nowhere)
        .await
        .problem(422, "invalid_fields");
    assert_eq!(nowhere.text_at("/errors/0/field"), "condition");

    let rule = admin
        .post("audit-logs/alerts", rule)
        .await
        .expect(201)
        .text_at("/id");

    // Entries of a moment before the rule may count too, so that only those of after it are looked
    // at.
    let fired = |address: &'static str| {
        let (admin, rule) = (&admin, &rule);
        until("the firing", Duration::from_secs(60), move || async move {
            let path = format!("audit-logs/alerts/firings?rule_id={rule}");
            let found = admin.get(&path).await.expect(200);
            let groups: Vec<String> = found
                .items()
                .iter()
                .map(|one| one["group"].to_string())
                .collect();
            groups
                .iter()
                .any(|group| group.contains(address))
                .then_some(groups)
        })
    };

    let now = jiff::Timestamp::now().to_string();
    sign_in(&admin, "10.1.0.8", &now).await;
    sign_in(&admin, "203.0.113.10", &now).await;
    let groups = fired("203.0.113.10").await;
    assert!(
        !groups.iter().any(|group| group.contains("10.1.0.8")),
        "{groups:?}"
    );

    let _ = admin
        .put(LIST, json!({ "values": ["203.0.113.0/24"], "version": 1 }))
        .await
        .expect(200);
    let _ = admin
        .put(LIST, json!({ "values": [], "version": 1 }))
        .await
        .problem(409, "conflict");
    sign_in(&admin, "203.0.113.11", &now).await;
    sign_in(&admin, "10.1.0.9", &now).await;
    let groups = fired("10.1.0.9").await;
    assert!(
        !groups.iter().any(|group| group.contains("203.0.113.11")),
        "{groups:?}"
    );

    let kept = admin.delete(LIST).await.problem(409, "conflict");
    assert!(
        kept.text_at("/detail").contains("Strangers"),
        "{:?}",
        kept.body
    );

    let _ = admin
        .delete(&format!("audit-logs/alerts/{rule}"))
        .await
        .expect(204);
    let _ = admin.delete(LIST).await.expect(204);
    let told = admin
        .get("audit-logs?query=event_type:audit.list.*%20status:success")
        .await
        .expect(200);
    assert_eq!(told.items().len(), 3, "two changes and a removal");
    assert_eq!(
        told.items()[1]["metadata"]["added"],
        json!(["203.0.113.0/24"])
    );
}

/// A report states the values that its lists had, and is checked offline by them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reports_and_the_command_line_compare_with_lists() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    for address in ["10.1.0.7", "203.0.113.9"] {
        sign_in(&admin, address, &jiff::Timestamp::now().to_string()).await;
    }

    let query = "event_type:test.sign_in ip:@known_addresses";
    let report = json!({ "name": "Office", "query": query, "period": "24h" });
    let unknown = admin
        .post("audit-logs/reports", report.clone())
        .await
        .problem(422, "invalid_fields");
    assert_eq!(unknown.text_at("/errors/0/field"), "query");

    let _ = admin
        .put(LIST, json!({ "values": ["10.1.0.0/16"] }))
        .await
        .expect(200);
    let report = admin
        .post("audit-logs/reports", report)
        .await
        .expect(201)
        .text_at("/id");
    let report = format!("audit-logs/reports/{report}");
    let run = admin
        .post(&format!("{report}/run"), json!({}))
        .await
        .expect(202)
        .text_at("/id");
    let done = ended(&admin, &run).await;
    assert_eq!(
        (&done["state"], &done["summary"]["entries"]),
        (&json!("succeeded"), &json!(1)),
        "{done}"
    );
    assert_eq!(
        done["summary"]["lists"],
        json!([{ "name": "known_addresses", "size": 1 }])
    );

    // A change of the list does not change what the report said.
    let changed = json!({ "values": ["203.0.113.0/24"], "version": 1 });
    let _ = admin.put(LIST, changed).await.expect(200);
    let path = format!("audit-logs/reports/runs/{run}/download?format=json");
    let text = admin.get(&path).await.text;
    assert!(text.contains("10.1.0.0/16"), "the report states the values");

    let file = home.path().join("report.json");
    let key = home.path().join("ledger/log.vkey");
    let check = |text: &str| {
        std::fs::write(&file, text).unwrap();
        let arguments = [&file, &key].map(|path| path.to_str().unwrap());
        verify(&[arguments[0], "--public-key", arguments[1]]).unwrap()
    };
    let (code, said) = check(&text);
    assert_eq!(code, Some(0), "{said}");
    for other in ["203.0.113.0/24", "10.2.0.0/16"] {
        let (code, said) = check(&text.replace("10.1.0.0/16", other));
        assert_eq!(code, Some(1), "{said}");
    }

    let kept = admin.delete(LIST).await.problem(409, "conflict");
    assert!(kept.text_at("/detail").contains("Office"), "{}", kept.text);

    // The same query over the data directory, once the service has let go of it.
    service.stop().unwrap();
    let data = home.path().to_str().unwrap();
    let ask = |query: &str| {
        let output = reeve(&["audit", "search", query, "--json", "--data-dir", data]).unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (String::from_utf8_lossy(&output.stdout).into_owned(), said)
    };
    let (found, said) = ask(query);
    assert!(
        found.contains("203.0.113.9") && !found.contains("10.1.0.7"),
        "{found} {said}"
    );
    let (_, said) = ask("ip:@nowhere");
    assert!(said.contains("there is no list `nowhere`"), "{said}");
}

/// A log that commands alone have written has no lists.
#[test]
fn a_data_directory_without_state_has_no_lists() {
    let home = tempfile::tempdir().unwrap();
    let entries = home.path().join("in.jsonl");
    std::fs::write(&entries, "{\"event_type\":\"test.imported\"}\n").unwrap();
    let data = home.path().join("data");
    let [entries, data] = [&entries, &data].map(|path| path.to_str().unwrap());

    let imported = reeve(&[
        "audit",
        "import",
        "--format",
        "jsonl",
        "--data-dir",
        data,
        entries,
    ]);
    assert!(imported.unwrap().status.success());

    let refused = reeve(&["audit", "search", "ip:@known", "--data-dir", data]).unwrap();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        !refused.status.success() && said.contains("there is no list `known`"),
        "{said}"
    );
    assert!(!std::path::Path::new(data).join("state").exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_threat_list_is_compared_with_by_its_name() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    for address in ["10.1.0.7", "198.51.100.9"] {
        sign_in(&admin, address, "2026-11-20T10:00:00Z").await;
    }

    let text = "198.51.100.0/24,scanners,2026-11-01\nuser_agent:sqlmap\n";
    let _ = admin
        .put(
            "intelligence/threat-lists/feed",
            json!({ "indicators": text }),
        )
        .await
        .expect(200);

    let query = json!({ "query": "event_type:test.sign_in ip:@threat:feed" });
    assert_eq!(search(&admin, query).await, ["198.51.100.9"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_is_sorted_by_a_column_over_pages() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let hours = [7, 3, 9, 1, 5, 3, 8];

    for (number, hour) in hours.into_iter().enumerate() {
        sign_in(
            &admin,
            &format!("10.0.0.{}", 100 - number),
            &format!("2026-11-20T{hour:02}:00:00Z"),
        )
        .await;
    }

    for (sort, expect) in [
        ("timestamp", [97, 99, 95, 96, 100, 94, 98]),
        ("-timestamp", [98, 94, 100, 96, 95, 99, 97]),
        ("ip", [94, 95, 96, 97, 98, 99, 100]),
        ("-actor.ip_address", [100, 99, 98, 97, 96, 95, 94]),
    ] {
        let (mut found, mut cursor) = (Vec::new(), None);
        loop {
            let mut body = json!({ "query": "event_type:test.sign_in", "sort": sort, "limit": 3 });
            if let Some(cursor) = &cursor {
                body["cursor"] = json!(cursor);
            }
            let page = admin.post("audit-logs/search", body).await.expect(200);
            assert_eq!(page.body["total"], 7);
            found.extend(
                page.items()
                    .iter()
                    .map(|entry| entry["actor"]["id"].as_str().unwrap().to_owned()),
            );
            cursor = page.body["next_cursor"].as_str().map(str::to_owned);
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(
            found,
            expect.map(|number| format!("10.0.0.{number}")),
            "{sort}"
        );
    }

    let listed = admin
        .get("audit-logs?query=event_type:test.sign_in&sort=-timestamp&limit=1")
        .await
        .expect(200);
    assert_eq!(listed.items()[0]["actor"]["id"], "10.0.0.98");

    for (body, field) in [
        (json!({ "sort": "metadata.peer" }), "sort"),
        (
            json!({ "sort": "timestamp", "order": "oldest_first" }),
            "order",
        ),
        (
            json!({ "sort": "timestamp", "offset": 9_990, "limit": 50 }),
            "offset",
        ),
    ] {
        let refused = admin
            .post("audit-logs/search", body)
            .await
            .problem(422, "invalid_fields");
        assert_eq!(refused.text_at("/errors/0/field"), field);
    }

    // The place of an entry that may not be seen would tell about its values.
    let (_, person) = admin
        .person("ann@acme.example", &["regular_user"], &[])
        .await;
    let hidden = admin
        .post(
            "audit-logs/search",
            json!({ "query": "event_type:test.sign_in", "limit": 1 }),
        )
        .await;
    let cursor = hidden.expect(200).text_at("/next_cursor");

    let _ = person
        .post(
            "audit-logs/search",
            json!({ "sort": "timestamp", "cursor": cursor }),
        )
        .await
        .problem(422, "invalid_fields");

    let counted = json!({ "query": "event_type:test.sign_in", "limit": 1,
        "aggregations": ["event_type>actor.id", "timestamp:15m>severity"] });
    let counted = admin.post("audit-logs/search", counted).await.expect(200);
    let types = &counted.body["aggregations"]["event_type>actor.id"];
    assert_eq!(
        (
            &types["distinct"],
            &types["buckets"][0]["nested"]["distinct"]
        ),
        (&json!(1), &json!(7))
    );

    let spans = &counted.body["aggregations"]["timestamp:15m>severity"];
    assert_eq!(
        (&spans["distinct"], &spans["buckets"][1]["count"]),
        (&json!(6), &json!(2))
    );
}
