//! Tests of counts: totals are exact, and further values are summed, over segments and tail alike.

use std::collections::BTreeMap;

use reeve_testkit::service::Service;
use serde_json::{Value, json};

/// Entries of the test, every seventh without an actor and every fifth without a tag.
fn entry(n: usize) -> Value {
    let actor = match n % 7 {
        0 => json!({}),
        1 | 2 => json!({ "id": format!("id-{}", n % 3) }),
        _ => json!({ "id": format!("id-{}", n % 3), "email": format!("u{}@acme.example", n % 11) }),
    };

    let tags = if n.is_multiple_of(5) {
        json!({})
    } else {
        json!({ "env": (["prod", "dev", "test"][n % 3]) })
    };

    json!({
        "event_type": format!("test.deed{}", n % 4),
        "timestamp": format!("2026-11-{:02}T{:02}:30:00Z", 1 + n % 3, n % 24),
        "severity": (["info", "low", "high", "critical"][n % 4]),
        "actor": actor,
        "resource": { "id": format!("r-{}", n % 40), "tags": tags },
        "action": { "status": if n.is_multiple_of(3) { "failed" } else { "success" } },
        "metadata": { "team": n % 6, "tags": [format!("t{}", n % 2), "all"] },
    })
}

/// Counts the entries by a name, independently of the service.
fn counted(
    entries: &[Value],
    of: impl Fn(&Value) -> Option<String>,
) -> (BTreeMap<String, u64>, u64) {
    let (mut counts, mut missing) = (BTreeMap::new(), 0);
    for entry in entries {
        match of(entry) {
            Some(value) => *counts.entry(value).or_default() += 1,
            None => missing += 1,
        }
    }
    (counts, missing)
}

fn text(entry: &Value, pointer: &str) -> Option<String> {
    match entry.pointer(pointer)? {
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// Name, and what an entry has by it.
type Named = (&'static str, fn(&Value) -> Option<String>);

const COUNTED: &[Named] = &[
    ("event_type", |entry| text(entry, "/event_type")),
    ("category", |_| Some("test".into())),
    ("severity", |entry| text(entry, "/severity")),
    ("status", |entry| text(entry, "/action/status")),
    ("user", |entry| {
        text(entry, "/actor/email").or_else(|| text(entry, "/actor/id"))
    }),
    ("actor.email", |entry| text(entry, "/actor/email")),
    ("resource.id", |entry| text(entry, "/resource/id")),
    ("resource.tags.env", |entry| {
        text(entry, "/resource/tags/env")
    }),
    ("metadata.team", |entry| text(entry, "/metadata/team")),
    ("day", |entry| {
        text(entry, "/timestamp").map(|at| format!("{}T00:00:00.000Z", &at[..10]))
    }),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn counts_are_what_the_entries_have() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[("REEVE_SEAL_AFTER_ENTRIES", "250")]).unwrap();
    let admin = service.admin();
    let entries: Vec<Value> = (0..600).map(entry).collect();
    for part in entries.chunks(100) {
        let _ = admin.post("audit-logs", json!(part)).await.expect(201);
    }

    for limit in [2_usize, 1000] {
        let names: Vec<&str> = COUNTED.iter().map(|(name, _)| *name).collect();
        let search = json!({ "query": "category:test", "limit": 1, "aggregations": names, "aggregation_limit": limit });
        let found = admin.post("audit-logs/search", search).await.expect(200);
        assert_eq!(found.body["total"], 600);
        for (name, of) in COUNTED {
            let (counts, missing) = counted(&entries, of);
            let mut expected: Vec<(String, u64)> = counts.into_iter().collect();
            if *name != "day" {
                expected.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
                expected.truncate(limit);
            }
            let answer = &found.body["aggregations"][name];
            let buckets: Vec<(String, u64)> = answer["buckets"]
                .as_array()
                .unwrap()
                .iter()
                .map(|one| {
                    (
                        one["value"].as_str().unwrap().to_owned(),
                        one["count"].as_u64().unwrap(),
                    )
                })
                .collect();
            let listed: u64 = buckets.iter().map(|(_, count)| count).sum();
            assert_eq!(buckets, expected, "{name}");
            assert_eq!(answer["missing"], missing, "{name}");
            assert_eq!(answer["other"], 600 - missing - listed, "{name}");
        }
    }

    // A list counts once for each of its values, and what is narrowed is counted narrowed.
    let search = json!({ "query": "category:test metadata.tags:t1", "aggregations": ["tags", "metadata.tags"] });
    let found = admin.post("audit-logs/search", search).await.expect(200);
    assert_eq!(found.body["total"], 300);

    let lists = &found.body["aggregations"]["metadata.tags"]["buckets"];
    assert_eq!(
        lists,
        &json!([{ "value": "all", "count": 300 }, { "value": "t1", "count": 300 }])
    );
    stats(&admin).await;
    refused(&admin).await;
}

async fn stats(admin: &reeve_testkit::http::Api) {
    let period =
        "query=category:test&start_time=2026-11-01T00:00:00Z&end_time=2026-11-04T00:00:00Z";
    let usual = admin
        .get(&format!("audit-logs/stats?{period}"))
        .await
        .expect(200);
    assert_eq!(
        (&usual.body["total"], &usual.body["security_events"]),
        (&json!(600), &json!(300))
    );

    let lengths = [
        "by_event_type",
        "by_user",
        "by_resource",
        "by_severity",
        "by_status",
        "by_time",
    ]
    .map(|list| usual.body[list].as_array().unwrap().len());
    assert_eq!(lengths, [4, 10, 10, 4, 2, 24]);

    let by_day = admin
        .get(&format!("audit-logs/stats?{period}&interval=day&limit=1"))
        .await
        .expect(200);
    assert_eq!(
        by_day.body["by_time"][0],
        json!({ "value": "2026-11-01T00:00:00.000Z", "count": 200 })
    );
    assert_eq!(
        (
            by_day.body["by_time"].as_array().unwrap().len(),
            by_day.body["by_user"].as_array().unwrap().len()
        ),
        (3, 1)
    );

    let by = "by=resource.tags.env,timestamp:1d,recorded_at:month&limit=1";
    let named = admin
        .get(&format!("audit-logs/stats?{period}&{by}"))
        .await
        .expect(200);
    assert_eq!(
        (&named.body["total"], &named.body["by_event_type"]),
        (&json!(600), &json!([]))
    );

    let env = &named.body["aggregations"]["resource.tags.env"];
    assert_eq!(
        (&env["buckets"][0]["count"], &env["other"], &env["missing"]),
        (&json!(160), &json!(320), &json!(120))
    );
    assert_eq!(
        named.body["aggregations"]["timestamp:1d"]["buckets"]
            .as_array()
            .unwrap()
            .len(),
        3
    );

    assert_eq!(
        named.body["aggregations"]["recorded_at:month"]["buckets"][0]["count"],
        600
    );

    // Times may be distances from now, here and in a search.
    let recent = admin
        .get("audit-logs/stats?query=category:test&start_time=now-1000w&end_time=now%2B1000w")
        .await
        .expect(200);
    assert_eq!(recent.body["total"], 600);

    let found = admin
        .post(
            "audit-logs/search",
            json!({ "query": "category:test", "end_time": "now-1000w" }),
        )
        .await;

    assert_eq!(found.expect(200).body["total"], 0);
}

async fn refused(admin: &reeve_testkit::http::Api) {
    let search = json!({ "aggregations": ["event_type", "user", "actor.emial"] });
    let wrong = admin
        .post("audit-logs/search", search)
        .await
        .problem(422, "invalid_fields");
    assert_eq!(
        (wrong.text_at("/errors/0/field"), wrong.text_at("/hint")),
        ("aggregations[2]".into(), "did you mean actor.email?".into())
    );

    for (parameters, field) in [
        ("by=event_type,usr", "by[1]"),
        ("by=timestamp", "by[0]"),
        ("by=", "by[0]"),
        ("limit=0", "limit"),
        ("interval=fortnight", "interval"),
        ("start_time=now&end_time=now-1h", "start_time"),
    ] {
        let wrong = admin
            .get(&format!("audit-logs/stats?{parameters}"))
            .await
            .problem(422, "invalid_fields");
        assert_eq!(wrong.text_at("/errors/0/field"), field, "{parameters}");
    }
}

/// A cloud writes `DeleteSnapshot`, a program `delete_snapshot`: a search, its statistics and an
/// export find both, whichever of them is asked for.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operation_is_found_in_both_spellings() {
    let home = tempfile::tempdir().unwrap();
    // Some entries are in a sealed segment, the others in the tail.
    let service = Service::serve(home.path(), &[("REEVE_SEAL_AFTER_ENTRIES", "4")]).unwrap();
    let admin = service.admin();
    let named = |operation: &str| json!({ "event_type": "test.spelling", "action": { "operation": operation } });
    for operations in [
        ["DeleteSnapshot", "delete_snapshot", "DeleteVolume"],
        ["delete_snapshot", "DeleteSnapshot", "delete_volume"],
    ] {
        let entries: Vec<Value> = operations.iter().map(|name| named(name)).collect();
        let _ = admin.post("audit-logs", json!(entries)).await.expect(201);
    }

    for (condition, expected) in [
        ("operation:DeleteSnapshot", 4),
        ("operation:delete_snapshot", 4),
        ("operation:delete_snap*", 4),
        ("operation:=DeleteSnapshot", 2),
    ] {
        let query = format!("event_type:test.spelling {condition}");
        let search = json!({ "query": query, "aggregations": ["operation"] });
        let found = admin.post("audit-logs/search", search).await.expect(200);
        let found = &found.body;
        assert_eq!(found["total"], expected, "{condition}");

        let buckets = found["aggregations"]["operation"]["buckets"].as_array();
        let counts = buckets.into_iter().flatten();
        let counted: u64 = counts.filter_map(|bucket| bucket["count"].as_u64()).sum();
        assert_eq!(counted, expected, "{condition}");
    }
}
