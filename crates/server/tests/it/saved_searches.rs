//! Tests of saved searches: stored, shared, changed by their owner alone, and run with the rights
//! of the reader.

use reeve_testkit::http::Api;
use reeve_testkit::service::Service;
use serde_json::json;

const PATH: &str = "audit-logs/saved-searches";

async fn names(api: &Api) -> Vec<String> {
    let listed = api.get(PATH).await.expect(200);
    assert_eq!(listed.body["total"], listed.items().len());
    listed
        .items()
        .iter()
        .map(|one| one["name"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_is_kept_changed_and_removed() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let (ada_id, ada) = admin
        .person("ada@acme.example", &["regular_user"], &[])
        .await;
    let whole = json!({
        "name": "Failures", "description": "What failed", "query": "status:failed timestamp:>now-24h",
        "filters": { "user": "ada*", "ip": "10.0.0.0/8" }, "start_time": "now-7d",
        "columns": ["timestamp", "user", "resource.tags.env"], "shared_with": "private",
    });
    let made = ada.post(PATH, whole.clone()).await.expect(201);
    let one = format!("{PATH}/{}", made.text_at("/id"));
    assert_eq!(
        made.body["filters"],
        json!({ "user": "ada*", "ip_address": "10.0.0.0/8" })
    );

    for (field, value) in [
        ("query", "status:failed timestamp:>now-24h"),
        ("start_time", "now-7d"),
        ("owner_id", &ada_id),
    ] {
        assert_eq!(made.body[field], value, "{field}");
    }

    assert_eq!(
        (
            &made.body["version"],
            &made.body["own"],
            &made.body["end_time"]
        ),
        (&json!(1), &json!(true), &json!(null))
    );

    assert_eq!(ada.get(&one).await.expect(200).body, made.body);

    let _ = ada.post(PATH, whole.clone()).await.problem(409, "conflict");

    // What it says can be asked as it stands.
    let asked = json!({ "query": made.body["query"], "filters": made.body["filters"], "start_time": made.body["start_time"] });
    let _ = ada.post("audit-logs/search", asked).await.expect(200);

    let changed = ada
        .patch(
            &one,
            json!({ "version": 1, "name": "Mine", "start_time": null }),
        )
        .await
        .expect(200);

    assert_eq!(
        (&changed.body["version"], &changed.body["start_time"]),
        (&json!(2), &json!(null))
    );
    assert_eq!(
        changed.body["columns"], made.body["columns"],
        "what is left out stays"
    );

    let _ = ada
        .patch(&one, json!({ "version": 1, "name": "Late" }))
        .await
        .problem(409, "conflict");
    let _ = ada
        .put(&one, json!({ "version": 1, "name": "Late" }))
        .await
        .problem(409, "conflict");
    let _ = ada
        .patch(&one, json!({ "name": "x" }))
        .await
        .problem(422, "invalid_fields");
    let replaced = ada
        .put(
            &one,
            json!({ "version": 2, "name": "Short", "query": "alice" }),
        )
        .await
        .expect(200);

    assert_eq!(
        (&replaced.body["columns"], &replaced.body["filters"]),
        (&json!([]), &json!({}))
    );
    for (body, field) in [
        (json!({ "version": 3, "query": "usr:x" }), None),
        (
            json!({ "version": 3, "columns": ["nothing.such"] }),
            Some("columns[0]"),
        ),
        (
            json!({ "version": 3, "filters": { "usr": "x" } }),
            Some("filters.usr"),
        ),
        (
            json!({ "version": 3, "end_time": "tomorrow" }),
            Some("end_time"),
        ),
    ] {
        let refused = ada.patch(&one, body).await;
        match field {
            None => assert_eq!(
                refused.problem(422, "invalid_query").text_at("/part"),
                "usr"
            ),
            Some(field) => assert_eq!(
                refused
                    .problem(422, "invalid_fields")
                    .text_at("/errors/0/field"),
                field
            ),
        }
    }

    assert_eq!(ada.delete(&one).await.status, 204);

    let _ = ada.delete(&one).await.problem(404, "not_found");

    // Each change stands in the log, with what it was before and after; wrong ones do not.
    let recorded = admin
        .get("audit-logs?query=category:saved_search+action.status:success")
        .await
        .expect(200);
    let events: Vec<_> = recorded
        .items()
        .iter()
        .map(|one| one["event_type"].as_str().unwrap())
        .collect();
    assert_eq!(events[0], "saved_search.delete");
    assert_eq!(
        events
            .iter()
            .filter(|kind| **kind == "saved_search.modify")
            .count(),
        2
    );

    let created = recorded.items().last().unwrap();
    assert_eq!(
        created["changes"]["after"]["query"],
        "status:failed timestamp:>now-24h"
    );
    assert_eq!(created["actor"]["id"], ada_id.as_str());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shared_search_shows_its_reader_what_the_reader_may_see() {
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

    let (_, mira) = admin
        .person("mira@acme.example", &["manager"], &[&teams[0]])
        .await;
    let (ada_id, ada) = admin
        .person("ada@acme.example", &["regular_user"], &[&teams[0]])
        .await;
    let (_, cleo) = admin
        .person("cleo@acme.example", &["regular_user"], &[&teams[1]])
        .await;
    let mut ids = Vec::new();
    for way in ["private", "team", "everyone"] {
        let body = json!({ "name": way, "query": "event_type:test.deed", "shared_with": way });
        ids.push(mira.post(PATH, body).await.expect(201).text_at("/id"));
    }

    assert_eq!(names(&mira).await, ["everyone", "private", "team"]);
    assert_eq!(names(&ada).await, ["everyone", "team"]);
    assert_eq!(names(&cleo).await, ["everyone"]);

    for (at, ada_status, cleo_status) in [(0, 404, 404), (1, 200, 404), (2, 200, 200)] {
        let path = format!("{PATH}/{}", ids[at]);
        assert_eq!(
            (ada.get(&path).await.status, cleo.get(&path).await.status),
            (ada_status, cleo_status)
        );
    }

    // What is not shared with one is what does not exist, whatever one tries.
    let (hidden, missing) = (
        format!("{PATH}/{}", ids[0]),
        format!("{PATH}/no-such-search"),
    );
    let change = json!({ "version": 1, "name": "x" });

    for method in ["GET", "PUT", "PATCH", "DELETE"] {
        let kind = (method != "GET" && method != "DELETE").then_some("application/json");
        let of = |path: String| {
            cleo.send(
                method,
                Box::leak(path.into_boxed_str()),
                kind,
                change.to_string().into_bytes(),
            )
        };
        let (hidden, missing) = (of(hidden.clone()).await, of(missing.clone()).await);
        let hidden = hidden.problem(404, "not_found");
        assert_eq!(
            hidden.text.replace(&ids[0], "no-such-search"),
            missing.problem(404, "not_found").text
        );
    }

    // Shared is not given away: only the owner changes it, an administrator may remove it.
    let shared = format!("{PATH}/{}", ids[2]);
    let _ = ada
        .patch(&shared, change.clone())
        .await
        .problem(403, "forbidden");
    let _ = ada.delete(&shared).await.problem(403, "forbidden");
    let _ = admin.patch(&shared, change).await.problem(403, "forbidden");

    // The manager's search finds for Ada what Ada may see.
    let entries = json!([
        { "event_type": "test.deed", "actor": { "id": ada_id } },
        { "event_type": "test.deed", "actor": { "email": "mira@acme.example" } },
        { "event_type": "test.deed", "actor": { "email": "cleo@acme.example" } },
    ]);
    let _ = admin.post("audit-logs", entries).await.expect(201);

    for (reader, seen) in [(&mira, 2), (&ada, 1), (&cleo, 1)] {
        let search = reader.get(&shared).await.expect(200).text_at("/query");
        assert_eq!(search, "event_type:test.deed");
        let found = reader
            .post("audit-logs/search", json!({ "query": search }))
            .await
            .expect(200);
        assert_eq!(found.body["total"], seen);
    }

    assert_eq!(admin.delete(&shared).await.status, 204);
    assert_eq!(names(&cleo).await, Vec::<String>::new());
}
