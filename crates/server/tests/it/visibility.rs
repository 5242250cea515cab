//! Tests of row visibility: five people in two teams. An invisible entry does not exist in lists,
//! searches, counts and single reads alike. Each read writes one entry, which is not read for it.

use reeve_testkit::http::{Api, until};
use reeve_testkit::service::Service;
use serde_json::{Value, json};

/// Two entries a person.
const EACH: usize = 2;

struct Company {
    service: Service,
    _home: tempfile::TempDir,
    admin: Api,
    /// Name, client, and the event ids of the person's entries.
    people: Vec<(&'static str, Api, Vec<String>)>,
}

/// Name, role, team.
const PEOPLE: &[(&str, &str, usize)] = &[
    ("mira", "manager", 0),
    ("ada", "regular_user", 0),
    ("ben", "regular_user", 0),
    ("noor", "manager", 1),
    ("cleo", "regular_user", 1),
];

impl Company {
    async fn found() -> Company {
        let home = tempfile::tempdir().unwrap();
        let service = Service::serve(home.path(), &[]).unwrap();
        let admin = service.admin();
        let mut teams = Vec::new();

        for name in ["Platform", "Shop"] {
            teams.push(
                admin
                    .post("teams", json!({ "name": name }))
                    .await
                    .expect(201)
                    .text_at("/id"),
            );
        }

        let mut people = Vec::new();
        for (n, (name, role, team)) in PEOPLE.iter().enumerate() {
            let email = format!("{name}@acme.example");
            let (id, api) = admin.person(&email, &[role], &[&teams[*team]]).await;
            // One entry names the person by address in another case, one by identifier.
            let entries = json!([
                { "event_type": "test.deed", "actor": { "email": email.to_uppercase() }, "resource": { "id": format!("r-{n}") } },
                { "event_type": "test.deed", "actor": { "id": id }, "resource": { "id": format!("r-{n}") } },
            ]);
            let receipts = admin.post("audit-logs", entries).await.expect(201);
            let ids: Vec<String> = receipts
                .items()
                .iter()
                .map(|one| one["event_id"].as_str().unwrap().to_owned())
                .collect();
            assert_eq!(ids.len(), EACH);
            people.push((*name, api, ids));
        }

        Company {
            service,
            _home: home,
            admin,
            people,
        }
    }

    fn entries_of(&self, names: &[&str]) -> Vec<String> {
        let mut ids: Vec<String> = self
            .people
            .iter()
            .filter(|(name, ..)| names.contains(name))
            .flat_map(|(.., ids)| ids.clone())
            .collect();
        ids.sort();

        ids
    }
}

fn ids(items: &[Value]) -> Vec<String> {
    let mut ids: Vec<String> = items
        .iter()
        .map(|one| one["event_id"].as_str().unwrap().to_owned())
        .collect();
    ids.sort();
    ids
}

fn sum(counts: &Value) -> u64 {
    counts
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["count"].as_u64().unwrap())
        .sum()
}

/// Checks that all routes that count or show entries use exactly these.
async fn sees(api: &Api, company: &Company, who: &str, seen: &[&str]) {
    let expected = company.entries_of(seen);
    let listed = api
        .get("audit-logs?query=event_type:test.deed&limit=1000")
        .await
        .expect(200);
    assert_eq!(
        (ids(listed.items()), &listed.body["total"]),
        (expected.clone(), &json!(expected.len())),
        "{who} lists"
    );

    // Neither a wider query nor a filter on somebody else goes around it.
    for query in [
        "event_type:test.deed",
        "event_type:test.deed OR actor.email:*",
        "NOT event_type:nothing.such",
    ] {
        let search =
            json!({ "query": query, "limit": 1000, "aggregations": ["event_type", "resource.id"] });
        let found = api.post("audit-logs/search", search).await.expect(200);
        let deeds: Vec<Value> = found
            .items()
            .iter()
            .filter(|one| one["event_type"] == "test.deed")
            .cloned()
            .collect();
        assert_eq!(ids(&deeds), expected, "{who} searches {query}");
        let counted = found.body["aggregations"]["event_type"]["buckets"]
            .as_array()
            .unwrap();
        let deed = counted
            .iter()
            .find(|one| one["value"] == "test.deed")
            .map_or(0, |one| one["count"].as_u64().unwrap());
        assert_eq!(deed, expected.len() as u64, "{who} counts {query}");
        let resources = found.body["aggregations"]["resource.id"]["buckets"]
            .as_array()
            .unwrap();
        let own = resources
            .iter()
            .filter(|one| one["value"].as_str().unwrap().starts_with("r-"))
            .count();
        assert_eq!(own, seen.len(), "{who} counts the resources of {query}");
    }

    let stats = api
        .get("audit-logs/stats?query=event_type:test.deed")
        .await
        .expect(200);
    assert_eq!(stats.body["total"], expected.len(), "{who}");

    for field in ["by_event_type", "by_resource", "by_severity", "by_time"] {
        assert_eq!(
            sum(&stats.body[field]),
            expected.len() as u64,
            "{who} counts {field}"
        );
    }

    for (name, _, entries) in &company.people {
        for id in entries {
            let one = api.get(&format!("audit-logs/{id}")).await;
            let proof = api.get(&format!("audit-logs/{id}/proof")).await;
            if seen.contains(name) {
                assert_eq!(
                    (one.status, proof.status),
                    (200, 200),
                    "{who} reads {name}'s"
                );
            } else {
                let (one, proof) = (
                    one.problem(404, "not_found"),
                    proof.problem(404, "not_found"),
                );
                // Exactly what is said of an entry that does not exist.
                let missing = api
                    .get("audit-logs/no-such-entry")
                    .await
                    .problem(404, "not_found");
                assert_eq!(one.text.replace(id.as_str(), "no-such-entry"), missing.text);
                assert_eq!(proof.text, one.text);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_manager_sees_the_team_and_a_regular_user_their_own() {
    let company = Company::found().await;
    for (who, api, _) in &company.people {
        let seen: &[&str] = match *who {
            "mira" => &["mira", "ada", "ben"],
            "noor" => &["noor", "cleo"],
            own => &[own],
        };
        sees(api, &company, who, seen).await;
    }

    let all = ["mira", "ada", "ben", "noor", "cleo"];
    sees(&company.admin, &company, "the administrator", &all).await;
    let (_, auditor) = company
        .admin
        .person("auditor@acme.example", &["compliance_officer"], &[])
        .await;
    sees(&auditor, &company, "the compliance officer", &all).await;

    // Who leaves the team is no longer seen by its manager, from the next request on.
    let users = company.admin.get("users").await.expect(200);
    let ben = users
        .items()
        .iter()
        .find(|user| user["email"] == "ben@acme.example")
        .unwrap()["id"]
        .as_str()
        .unwrap();

    let _ = company
        .admin
        .patch(&format!("users/{ben}"), json!({ "teams": [] }))
        .await
        .expect(200);

    sees(
        &company.people[0].1,
        &company,
        "mira without ben",
        &["mira", "ada"],
    )
    .await;

    assert!(company.service.stop().unwrap().0.success());
}

/// Only those who configure alerts may preview one. A firing covers everybody's entries, so only
/// readers of the whole log may read it, and neither the entries that caused it nor those about it
/// circumvent that.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn alerts_show_nothing_that_their_reader_may_not_see() {
    let company = Company::found().await;
    let threshold = json!({ "count": EACH, "window": "1h" });

    // Grouped by resource: each person has one of their own.
    let asked = json!({ "condition": "event_type:test.deed", "threshold": threshold, "group_by": "resource.id" });
    for (_, api, _) in &company.people {
        let _ = api
            .post("audit-logs/alerts/preview", asked.clone())
            .await
            .problem(403, "forbidden");
    }

    let preview = company
        .admin
        .post("audit-logs/alerts/preview", asked.clone())
        .await
        .expect(200)
        .body;

    for counted in ["matched", "fired"] {
        let counts = preview["buckets"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one[counted].as_u64().unwrap());
        assert_eq!(
            json!(counts.sum::<u64>()),
            preview[counted],
            "the buckets of {counted}"
        );
    }

    let mut rule = asked;
    rule["name"] = json!("Deeds");
    let id = company
        .admin
        .post("audit-logs/alerts", rule)
        .await
        .expect(201)
        .text_at("/id");

    let (_, cleo, own) = &company.people[4];
    let deed =
        json!({ "event_type": "test.deed", "actor": { "id": "zq" }, "resource": { "id": "r-zq" } });
    let caused = company
        .admin
        .post("audit-logs", json!([deed, deed]))
        .await
        .expect(201);
    let path = format!("audit-logs/alerts/firings?rule_id={id}");
    let firing = until("the firing", std::time::Duration::from_secs(60), || async {
        company
            .admin
            .get(&path)
            .await
            .expect(200)
            .items()
            .first()
            .cloned()
    })
    .await;
    let firing_id = firing["id"].as_str().unwrap();

    until(
        "the entry of the firing",
        std::time::Duration::from_secs(60),
        || async {
            (company
                .admin
                .get(&format!("audit-logs/reeve:{firing_id}"))
                .await
                .status
                == 200)
                .then_some(())
        },
    )
    .await;

    let entries = firing["entries"].as_array().unwrap();
    assert_eq!(
        ids(entries),
        ids(caused.items()),
        "the entries that caused it"
    );

    let _ = cleo
        .get(&format!("audit-logs/{}", own[0]))
        .await
        .expect(200);
    for (who, api, _) in &company.people {
        let _ = api.get(&path).await.problem(403, "forbidden");
        let _ = api
            .get(&format!("audit-logs/alerts/firings/{firing_id}"))
            .await
            .problem(403, "forbidden");
        let _ = api
            .get(&format!("audit-logs/alerts/{id}/diagnosis"))
            .await
            .problem(403, "forbidden");
        let about = format!("reeve:{firing_id}");
        for hidden in ids(entries)
            .iter()
            .map(String::as_str)
            .chain([about.as_str()])
        {
            let _ = api
                .get(&format!("audit-logs/{hidden}"))
                .await
                .problem(404, "not_found");
            let _ = api
                .get(&format!("audit-logs/{hidden}/proof"))
                .await
                .problem(404, "not_found");
        }
        let recorded = api.get("audit-logs?query=zq").await.expect(200);
        assert_eq!(recorded.body["total"], 0, "{who} finds nothing of it");
    }

    let (_, auditor) = company
        .admin
        .person("auditor@acme.example", &["compliance_officer"], &[])
        .await;
    assert_eq!(
        ids(auditor.get(&path).await.expect(200).items()[0]["entries"]
            .as_array()
            .unwrap()),
        ids(entries)
    );

    assert!(company.service.stop().unwrap().0.success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_reading_writes_one_entry_and_does_not_log_itself() {
    let company = Company::found().await;
    let (_, reader, own) = &company.people[1];
    let (other, mine) = (&company.people[4].2[0], &own[0]);
    let readings: Vec<(&str, String, Value, u16, &str, &str)> = vec![
        (
            "GET",
            "audit-logs".into(),
            Value::Null,
            200,
            "audit.search",
            "list_entries",
        ),
        (
            "GET",
            "audit-logs?query=severity:info&limit=1".into(),
            Value::Null,
            200,
            "audit.search",
            "list_entries",
        ),
        (
            "POST",
            "audit-logs/search".into(),
            json!({ "query": "test" }),
            200,
            "audit.search",
            "search_entries",
        ),
        (
            "GET",
            "audit-logs/stats".into(),
            Value::Null,
            200,
            "audit.search",
            "count_entries",
        ),
        (
            "GET",
            format!("audit-logs/{mine}"),
            Value::Null,
            200,
            "audit.view",
            "view_entry",
        ),
        (
            "GET",
            format!("audit-logs/{mine}/proof"),
            Value::Null,
            200,
            "audit.view",
            "download_proof",
        ),
        (
            "GET",
            format!("audit-logs/entry?event_id={mine}"),
            Value::Null,
            200,
            "audit.view",
            "view_entry",
        ),
        (
            "GET",
            format!("audit-logs/entry/proof?event_id={mine}"),
            Value::Null,
            200,
            "audit.view",
            "download_proof",
        ),
        (
            "GET",
            format!("audit-logs/{other}"),
            Value::Null,
            404,
            "audit.view",
            "view_entry",
        ),
        (
            "GET",
            format!("audit-logs/entry?event_id={other}"),
            Value::Null,
            404,
            "audit.view",
            "view_entry",
        ),
        (
            "GET",
            format!("audit-logs/entry/proof?event_id={other}"),
            Value::Null,
            404,
            "audit.view",
            "download_proof",
        ),
        (
            "GET",
            format!("audit-logs/{other}/proof"),
            Value::Null,
            404,
            "audit.view",
            "download_proof",
        ),
    ];

    for (n, (method, path, body, status, event, operation)) in readings.into_iter().enumerate() {
        let before = company.admin.size().await;
        let answer = if method == "GET" {
            reader.get(&path).await
        } else {
            reader.post(&path, body).await
        };
        assert_eq!(answer.status, status, "{path}: {}", answer.text);
        // Ready rules may fire meanwhile, and the service's own work may be recorded.
        let newest = company.admin.get("audit-logs?limit=20").await.expect(200);
        let is_of_reading = |entry: &&Value| {
            entry["integrity"]["sequence"].as_u64() >= Some(before)
                && matches!(
                    entry["event_type"].as_str(),
                    Some("audit.search" | "audit.view" | "audit.export")
                )
        };
        assert_eq!(
            newest.items().iter().filter(is_of_reading).count(),
            1,
            "{path} writes one entry: {}",
            newest.text
        );
        // The newest entry tells of it, and so far nothing else was read by this person but what
        // this test asked for.
        let recorded = company
            .admin
            .get("audit-logs?limit=1&query=actor.email:ada@acme.example")
            .await
            .expect(200);
        let told_by_ada = recorded.body["total"].as_u64().unwrap();
        let newest = &recorded.items()[0];
        assert!(
            newest["integrity"]["sequence"].as_u64() >= Some(before),
            "{path}"
        );
        assert_eq!(
            (&newest["event_type"], &newest["action"]["operation"]),
            (&json!(event), &json!(operation))
        );
        assert_eq!(
            told_by_ada,
            1 + n as u64 + 1,
            "her deed, and one entry a reading"
        );
    }

    // What is refused before anything was read tells nothing of the log.
    let read_by_ada = || async {
        let found = company
            .admin
            .get("audit-logs?limit=1&query=actor.email:ada@acme.example")
            .await
            .expect(200);
        found.body["total"].as_u64()
    };
    let before = read_by_ada().await;
    let _ = reader
        .get("audit-logs?query=(")
        .await
        .problem(422, "invalid_query");
    assert_eq!(read_by_ada().await, before);
}

/// Identifiers are the senders' to choose, so one may be spelled like a route, a path or an escape.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_identifier_can_be_asked_for() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let ids = [
        "live",
        "search",
        "stats",
        "verify",
        "checkpoint",
        "entry",
        "keys",
        "saved-searches",
        "..",
        "a/b",
        "a?b&c#d",
        "%2e",
        "é x",
    ];

    for id in ids {
        let entry = json!({ "event_id": id, "event_type": "test.named" });
        let receipts = admin.post("audit-logs", entry).await.expect(201);
        let escaped: String = id.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let found = admin
            .get(&format!("audit-logs/entry?event_id={escaped}"))
            .await
            .expect(200);
        assert_eq!(found.body["event_id"], id);
        assert_eq!(
            found.body["integrity"]["leaf_hash"], receipts.body["leaf_hash"],
            "{id}: {}",
            receipts.text
        );
        let proof = admin
            .get(&format!("audit-logs/entry/proof?event_id={escaped}"))
            .await
            .expect(200);
        assert!(
            proof.text.starts_with("c2sp.org/tlog-proof@v1"),
            "{id}: {}",
            proof.text
        );
    }

    let _ = admin
        .get("audit-logs/entry")
        .await
        .problem(422, "invalid_fields");
    let _ = admin
        .get("audit-logs/entry?event_id=no-such-entry")
        .await
        .problem(404, "not_found");
    assert!(service.stop().unwrap().0.success());
}
