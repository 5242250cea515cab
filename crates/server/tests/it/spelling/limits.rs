//! Limits and the approval matrix as write them, traffic intelligence as A-208 to
//! A-213 do.

use reeve_testkit::service::Service;
use serde_json::{Value, json};

use super::{INTELLIGENCE, at, nested, rows};

#[tokio::test]
async fn limits_are_set_and_answered_as_the_table_writes_them() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let path = "intelligence/guardrails";
    let mut sent = 0;
    for row in rows(INTELLIGENCE, "## Limits")
        .iter()
        .filter(|row| row[0].starts_with("guardrails."))
    {
        let settings: Vec<(String, Value)> = match row[0] {
            // The one row with two settings: `automatic true, timeout 5m`.
            "guardrails.rollback" => row[1]
                .split(", ")
                .map(|part| part.split_once(' ').unwrap())
                .map(|(name, text)| {
                    (
                        format!("{}.{name}", row[0]),
                        if text == "true" {
                            json!(true)
                        } else {
                            json!(text)
                        },
                    )
                })
                .collect(),
            name => vec![(name.to_owned(), json!(row[1]))],
        };
        for (name, value) in settings {
            let within = name.strip_prefix("guardrails.").unwrap();
            let before = admin.get(path).await.expect(200).body;
            // With and without the section's own name before it.
            for body in [nested(&name, value.clone()), nested(within, value.clone())] {
                let stored = admin.put(path, body).await.expect(200);
                assert_eq!(at(&stored.body, within), &value, "{name}");
                assert_eq!(
                    stored.body["blast_radius"], before["blast_radius"],
                    "what is left out stays"
                );
                sent += 1;
            }
            assert_eq!(
                at(&admin.get(path).await.expect(200).body, within),
                &value,
                "{name}"
            );
        }
    }

    assert_eq!(sent, 12);

    // The numbers that were read before are still read, and a client may send back what it read
    // with one of the two changed.
    let mut whole = admin.get(path).await.expect(200).body;
    whole["rollback"]["timeout_s"] = json!(600);
    whole["cost_impact"]["max_increase"] = json!(7.5);
    let stored = admin.put(path, whole).await.expect(200).body;
    assert_eq!(
        (
            &stored["rollback"]["timeout"],
            &stored["cost_impact"]["max_increase"]
        ),
        (&json!("10m"), &json!("7.5%"))
    );

    let both = json!({ "rollback": { "timeout": "1m", "timeout_s": 90 } });
    assert_eq!(
        admin
            .put(path, both)
            .await
            .problem(422, "invalid_fields")
            .text_at("/errors/0/field"),
        "rollback.timeout"
    );

    for (wrong, field) in [
        (
            json!({ "rollback": { "timeout": "soon" } }),
            "rollback.timeout",
        ),
        (
            json!({ "rollback": { "timeout": "1s" } }),
            "rollback.timeout",
        ),
        (
            json!({ "cost_impact": { "max_increase": "5" } , "cost_impacts": 1 }),
            "cost_impacts",
        ),
        (
            json!({ "guardrails": { "availability": { "min_uptime": "all" } } }),
            "guardrails.availability.min_uptime",
        ),
        (json!({ "guardrails": {}, "cool_down": "1h" }), "guardrails"),
    ] {
        let refused = admin
            .put(path, wrong.clone())
            .await
            .problem(422, "invalid_fields");
        assert_eq!(refused.text_at("/errors/0/field"), field, "{wrong}");
    }
}

#[tokio::test]
async fn the_approval_matrix_is_set_and_answered_as_the_table_writes_it() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let path = "intelligence/guardrails";
    let limits = rows(INTELLIGENCE, "## Limits");
    let levels: Vec<&Vec<&str>> = limits
        .iter()
        .filter(|row| row[0].starts_with("approval "))
        .collect();
    assert_eq!(levels.len(), 3);

    // `cost below 100 per month, low risk, approval auto`.
    let cells = |row: &[&str]| -> (String, Value) {
        let parts: Vec<&str> = row[1].split(", ").collect();
        let cost = parts[0].strip_prefix("cost ").unwrap();
        let approval = parts[2].strip_prefix("approval ").unwrap();
        let risk = parts[1].strip_suffix(" risk").unwrap();
        let name = row[0].strip_prefix("approval ").unwrap().replace(' ', "_");
        (
            name,
            json!({ "cost": cost, "risk": risk, "approval": approval.strip_prefix("by ").unwrap_or(approval) }),
        )
    };

    let matrix = |body: &Value| body["approval_matrix"].clone();
    let default = matrix(&admin.get(path).await.expect(200).body);

    for row in &levels {
        let (name, shown) = cells(row);
        for (member, value) in shown.as_object().unwrap() {
            assert_eq!(
                &default[&name][member], value,
                "the default of {name}.{member}"
            );
        }
    }

    let other = json!({ "approval_matrix": {
        "low_impact": { "cost": "below 50 per month" }, "high_impact": { "cost": "above 500 per month", "approval": "director" },
    } });
    let stored = matrix(&admin.put(path, other).await.expect(200).body);
    assert_eq!(stored["medium_impact"]["cost"], "50 to 500 per month");
    assert_eq!(stored["high_impact"]["signatures"], json!(["director"]));

    let all: serde_json::Map<String, Value> = levels.iter().map(|row| cells(row)).collect();
    let back = matrix(
        &admin
            .put(path, json!({ "approval_matrix": all }))
            .await
            .expect(200)
            .body,
    );
    assert_eq!(back, default);

    // A client sends back what it read with one of the amounts changed.
    let mut sent = admin.get(path).await.expect(200).body;
    sent["approval_matrix"]["high_above"] = json!(2000);
    let stored = matrix(&admin.put(path, sent).await.expect(200).body);
    assert_eq!(stored["high_impact"]["cost"], "above 2000 per month");

    for (wrong, field) in [
        (
            json!({ "low_impact": { "cost": "cheap" } }),
            "approval_matrix.low_impact.cost",
        ),
        (
            json!({ "low_impact": { "risk": "high" } }),
            "approval_matrix.low_impact.risk",
        ),
        (
            json!({ "medium_impact": { "approval": "the boss" } }),
            "approval_matrix.medium_impact.approval",
        ),
        (
            json!({ "high_impact": { "approval": "auto" } }),
            "approval_matrix.high_impact.approval",
        ),
        (json!({ "medium_from": 5000 }), "approval_matrix.high_above"),
        (
            json!({ "low_impact": { "cost": "below 10 per month" }, "medium_impact": { "cost": "20 to 30 per month" } }),
            "approval_matrix.medium_impact.cost",
        ),
    ] {
        let refused = admin
            .put(path, json!({ "approval_matrix": wrong }))
            .await
            .problem(422, "invalid_fields");
        assert_eq!(refused.text_at("/errors/0/field"), field, "{wrong}");
    }

    // Who may change the limits takes no signatures away.
    let (_, operator) = admin
        .person("operator@example.com", &["operator"], &[])
        .await;
    let auto = json!({ "approval_matrix": { "medium_impact": { "approval": "auto" } } });
    let _ = operator.put(path, auto).await.problem(403, "forbidden");
    let read = operator.get(path).await.expect(200).body;
    let _ = operator.put(path, read).await.expect(200);
    let found = admin
        .get("audit-logs?query=action.operation:guardrails.put")
        .await
        .expect(200);
    assert!(
        found
            .items()
            .iter()
            .any(|entry| entry["changes"]["after"]["approval_matrix"]["high_above"] == 2000.0)
    );
}

#[tokio::test]
async fn traffic_intelligence_is_set_as_the_sentence_writes_it_and_moves_the_rules() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let path = "intelligence/traffic-intelligence";
    let (_, sentence) = INTELLIGENCE
        .split_once("Traffic intelligence settings: ")
        .unwrap();
    let settings = sentence
        .lines()
        .next()
        .unwrap()
        .trim_end_matches('.')
        .split("; ");

    let settings: Vec<(&str, &str)> = settings
        .map(|setting| setting.split_once(' ').unwrap())
        .collect();
    assert_eq!(settings.len(), 6);

    let answered = json!({
        "learn_patterns": true, "seasonal_adjustments": true, "event_awareness": "calendar_integration",
        "pre_scale": "15m", "warm_cache": "30m", "prepare_failover": "maintenance_windows",
    });
    let off = json!({
        "learn_patterns": false, "seasonal_adjustments": false, "event_awareness": "disabled",
        "pre_scale": "disabled", "warm_cache": false, "prepare_failover": "disabled",
    });
    let changed = admin.put(path, off).await.expect(200).body;
    assert_eq!(
        (&changed["warm_cache"], &changed["event_awareness"]),
        (&json!("disabled"), &json!("disabled"))
    );

    let rule = |id: &str| {
        let admin = service.admin();
        let path = format!("intelligence/predictive-rules/{id}");
        async move { admin.get(&path).await.expect(200).body }
    };
    assert_eq!(rule("traffic-pre-scale").await["enabled"], false);

    for (name, text) in settings {
        let value = if text == "true" {
            json!(true)
        } else {
            json!(text)
        };
        let stored = admin
            .put(path, json!({ name: value }))
            .await
            .expect(200)
            .body;
        assert_eq!(stored[name], answered[name], "{name}");
    }

    let read = admin.get(path).await.expect(200).body;
    for (name, value) in answered.as_object().unwrap() {
        assert_eq!(&read[name], value, "{name}");
    }

    // What was answered is taken back, and the lead time is the rule's own.
    let mut sent = read.clone();
    sent["pre_scale"] = json!("20m");
    assert_eq!(
        admin.put(path, sent).await.expect(200).body["pre_scale"],
        "20m"
    );

    let moved = rule("traffic-pre-scale").await;
    assert_eq!(
        (&moved["condition"]["horizon"], &moved["enabled"]),
        (&json!("20m"), &json!(true))
    );

    // A rule that was removed comes back with its setting.
    let _ = admin
        .delete("intelligence/predictive-rules/traffic-warm-cache")
        .await
        .expect(204);
    assert_eq!(
        admin.get(path).await.expect(200).body["warm_cache"],
        "disabled"
    );

    let _ = admin
        .put(path, json!({ "warm_cache": "45m" }))
        .await
        .expect(200);
    assert_eq!(
        rule("traffic-warm-cache").await["condition"]["horizon"],
        "45m"
    );

    for (wrong, field) in [
        (json!({ "pre_scale": "soon" }), "pre_scale"),
        (json!({ "warm_cache": "30d" }), "warm_cache"),
        (json!({ "event_awareness": "astrology" }), "event_awareness"),
        (json!({ "weather": true }), "weather"),
    ] {
        let refused = admin
            .put(path, wrong.clone())
            .await
            .problem(422, "invalid_fields");
        assert_eq!(refused.text_at("/errors/0/field"), field, "{wrong}");
    }

    let found = admin
        .get("audit-logs?query=action.operation:traffic_intelligence.put")
        .await
        .expect(200);
    assert!(
        found
            .items()
            .iter()
            .any(|entry| entry["changes"]["after"]["learn_patterns"] == false)
    );
}
