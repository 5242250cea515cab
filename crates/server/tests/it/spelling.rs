//! The spelling of the requirements' tables, as they stand (`spelling/`): they are read, sent word
//! for word, and found in the answers.

mod limits;

use std::collections::BTreeMap;

use reeve_testkit::service::Service;
use serde_json::{Value, json};

const INTELLIGENCE: &str = include_str!("spelling/intelligence.md");
const AUDIT: &str = include_str!("spelling/audit.md");

/// Returns the rows of the table below a heading, without its head.
fn rows<'a>(document: &'a str, heading: &str) -> Vec<Vec<&'a str>> {
    let (_, below) = document.split_once(&format!("{heading}\n")).unwrap();
    let lines = below
        .lines()
        .skip_while(|line| !line.starts_with('|'))
        .take_while(|line| line.starts_with('|'));
    let cells = |line: &'a str| line.trim_matches('|').split('|').map(str::trim).collect();
    let rows: Vec<Vec<&str>> = lines.skip(2).map(cells).collect();
    assert!(!rows.is_empty(), "{heading}");
    rows
}

/// Returns the value at a dotted path.
fn at<'a>(body: &'a Value, path: &str) -> &'a Value {
    path.split('.').fold(body, |value, name| &value[name])
}

/// Returns an object in which a dotted path has a value.
fn nested(path: &str, value: Value) -> Value {
    path.rsplit('.')
        .fold(value, |inner, name| json!({ name: inner }))
}

/// Reads `name: value; name: value`, `true` as a boolean. `(all true)` at the end gives names
/// without a value theirs.
fn pairs(cell: &str) -> BTreeMap<String, Value> {
    let (cell, all) = cell
        .strip_suffix("(all true)")
        .map_or((cell, false), |cell| (cell, true));
    let value = |text: &str| {
        if text == "true" {
            json!(true)
        } else {
            json!(text)
        }
    };

    let pair = |part: &str| match part.trim().split_once(": ") {
        Some((name, text)) => Some((name.to_owned(), value(text))),
        None if all => Some((part.trim().to_owned(), json!(true))),
        None => None,
    };

    cell.split(';').filter_map(pair).collect()
}

#[tokio::test]
async fn agent_types_have_the_values_of_the_table() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let listed = admin.get("intelligence/agent-types").await.expect(200);
    let rows = rows(INTELLIGENCE, "### Agent types");
    assert_eq!(rows.len(), listed.items().len());

    for (row, body) in rows.iter().zip(listed.items()) {
        assert_eq!(body["name"], row[0]);
        let actions = row[2].split(". ").next().unwrap();
        for (place, cell) in [("capabilities", row[1]), ("actions", actions)] {
            for (name, value) in pairs(cell) {
                assert_eq!(body[place][&name], value, "{} {place}.{name}", row[0]);
            }
        }
    }

    // Each value is decided by settings that exist, or is named as a description.
    for body in listed.items() {
        let decided = body["decided_by"].as_object().unwrap();
        let described: Vec<&str> = body["described"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let known: Vec<&str> = body["configurable"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|one| one["path"].as_str())
            .collect();
        for (place, name) in ["capabilities", "actions"].into_iter().flat_map(|place| {
            body[place]
                .as_object()
                .unwrap()
                .keys()
                .map(move |name| (place, name))
        }) {
            let path = format!("{place}.{name}");
            assert_eq!(
                decided.contains_key(&path),
                !described.contains(&path.as_str()),
                "{} {path}",
                body["name"]
            );
        }
        for setting in decided
            .values()
            .flat_map(|settings| settings.as_array().unwrap())
        {
            let setting = setting.as_str().unwrap();
            if let Some(path) = setting.strip_prefix("settings.") {
                assert!(
                    known.contains(&path),
                    "{} {path} is no setting",
                    body["name"]
                );
            } else if let Some(resource) = setting.strip_prefix("intelligence/") {
                let (resource, field) = resource.split_once('#').unwrap_or((resource, "version"));
                let read = admin
                    .get(&format!("intelligence/{resource}"))
                    .await
                    .expect(200)
                    .body;
                assert!(!at(&read, field).is_null(), "{setting}");
            }
        }
    }

    let of = |name: &str| {
        listed
            .items()
            .iter()
            .find(|body| body["name"] == name)
            .unwrap()["settings"]
            .clone()
    };

    assert_eq!(
        of("cost_optimizer"),
        json!({ "confidence_threshold": "85%" })
    );
    assert_eq!(
        of("spot_optimizer"),
        json!({ "learning": { "interruption_history": "90d", "workload_patterns": true } })
    );
    assert_eq!(
        of("performance_optimizer"),
        json!({ "metrics": ["response_time", "error_rate", "queue_depth", "user_experience_score"] })
    );

    let integration = json!({ "siem": "bidirectional", "incident_response": "automated" });
    assert_eq!(
        of("security_intelligence"),
        json!({ "integration": integration })
    );
    assert_eq!(
        of("compliance_intelligence"),
        json!({ "frameworks": ["SOC 2", "ISO 27001", "HIPAA", "PCI DSS"] })
    );

    let classes = json!({
        "production": "high_availability", "development": "cost_optimized", "batch": "interruptible", "analytics": "burst_capable",
    });
    assert_eq!(
        of("workload_classifier"),
        json!({ "classifications": classes })
    );
}

#[tokio::test]
async fn anomaly_settings_are_set_and_answered_as_the_table_writes_them() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let path = "intelligence/anomaly-settings";
    let read = admin.get(path).await.expect(200).body;
    let limits = rows(INTELLIGENCE, "## Limits");
    let shown = limits
        .iter()
        .find(|row| row[0] == "cost anomaly default shown")
        .unwrap()[1];
    assert_eq!(
        shown,
        "threshold 20% over a 24h window against a 30-day average"
    );

    let cost = json!({ "threshold": "20%", "window": "24h", "baseline": "30d_average", "action": "alert_and_analyze" });
    let classes = rows(INTELLIGENCE, "### Anomaly");
    let used = |class: &str, value: &str| {
        let row = classes.iter().find(|row| row[0] == class).unwrap();
        assert!(row[1].contains(value), "{class}: {value}");
        json!(value)
    };
    let metrics = ["latency", "error_rate", "throughput"].map(|metric| used("performance", metric));

    let performance = json!({
        "metrics": metrics,
        "sensitivity": used("performance", "medium"), "action": used("performance", "auto_investigate"),
    });
    let security = json!({
        "behavioral_analysis": true, "threat_intelligence": used("security", "integrated"),
        "action": used("security", "alert_and_quarantine"),
    });
    for (name, value) in cost.as_object().unwrap() {
        assert_eq!(&read["cost"][name], value, "the default of {name}");
    }

    let sent = json!({ "cost": cost, "performance": performance, "security": security });
    let stored = admin.put(path, sent.clone()).await.expect(200).body;

    for (class, settings) in sent.as_object().unwrap() {
        for (name, value) in settings.as_object().unwrap() {
            assert_eq!(&stored[class][name], value, "{class}.{name}");
        }
    }

    let changed = json!({ "cost": { "threshold": "35%", "window": "48h", "baseline": "14d_average" }, "security": { "threat_intelligence": false } });
    let changed = admin.put(path, changed).await.expect(200).body;
    assert_eq!(changed["cost"]["threshold_percent"], 35.0);
    assert_eq!(
        (
            &changed["cost"]["window_hours"],
            &changed["cost"]["baseline_days"]
        ),
        (&json!(48), &json!(14))
    );

    assert_eq!(changed["security"]["threat_intelligence"], "disabled");
    assert_eq!(
        changed["performance"], stored["performance"],
        "what is left out stays"
    );

    for (wrong, field) in [
        (json!({ "cost": { "threshold": "0%" } }), "cost.threshold"),
        (json!({ "cost": { "window": "90m" } }), "cost.window"),
        (
            json!({ "cost": { "baseline": "30d_median" } }),
            "cost.baseline",
        ),
        (
            json!({ "performance": { "metrics": ["latency", "mood"] } }),
            "performance.metrics[1]",
        ),
        (
            json!({ "security": { "threat_intelligence": "sometimes" } }),
            "security.threat_intelligence",
        ),
    ] {
        let refused = admin
            .put(path, wrong.clone())
            .await
            .problem(422, "invalid_fields");
        assert_eq!(refused.text_at("/errors/0/field"), field, "{wrong}");
    }
}

#[tokio::test]
async fn predictive_rules_are_made_of_the_tables_rows() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let path = "intelligence/predictive-rules";
    let mut answered = Vec::new();

    for row in rows(INTELLIGENCE, "### Predictive action rules") {
        let sent =
            json!({ "metric": row[0], "prediction": row[1], "action": row[2], "approval": row[3] });
        let rule = admin.post(path, sent).await.expect(201).body;
        assert_eq!(
            (&rule["condition"]["metric"], &rule["action"]["kind"]),
            (&json!(row[0]), &json!(row[2]))
        );
        let (prediction, ahead) = row[1].split_once(", ").unwrap();
        assert_eq!(rule["condition"]["prediction"], prediction);
        assert_eq!(
            rule["condition"]["horizon"],
            ahead.strip_suffix(" in advance").unwrap()
        );
        answered.push((rule["approval"].clone(), rule["agent_type"].clone()));
    }

    let below = json!({ "kind": "auto_below", "auto_below": "500GB", "below_gb": 500.0 });
    assert_eq!(answered[0], (below, json!("ops_intelligence")));
    assert_eq!(
        answered[1],
        (json!({ "kind": "required" }), json!("db_optimizer"))
    );
    assert_eq!(
        answered[2],
        (json!({ "kind": "auto" }), json!("ops_intelligence"))
    );

    let nested = json!({
        "condition": { "metric": "disk_space", "prediction": "full", "horizon": "7d" }, "action": { "kind": "expand_storage" },
        "approval": { "auto_below": "1.5TB" },
    });
    let rule = admin.post(path, nested).await.expect(201);
    assert_eq!(
        rule.body["approval"],
        json!({ "kind": "auto_below", "auto_below": "1500GB", "below_gb": 1500.0 })
    );

    // A client sends back the approval that it read, with one of its two forms changed.
    let one = format!("{path}/{}", rule.text_at("/id"));
    let change =
        json!({ "approval": { "kind": "auto_below", "auto_below": "1500GB", "below_gb": 400 } });
    assert_eq!(
        admin.patch(&one, change).await.expect(200).body["approval"]["auto_below"],
        "400GB"
    );

    for (wrong, field) in [
        (
            json!({ "metric": "disk_space", "prediction": "full, soon", "action": "expand_storage" }),
            "condition.horizon",
        ),
        (
            json!({ "metric": "disk_space", "prediction": "full, 7d in advance", "horizon": "7d", "action": "expand_storage" }),
            "horizon",
        ),
        (
            json!({ "metric": "disk_space", "prediction": "full, 7d in advance", "action": "expand_storage", "approval": "auto below 5" }),
            "approval",
        ),
        (
            json!({ "condition": { "metric": "disk_space", "prediction": "full", "horizon": "7d" }, "action": { "kind": "expand_storage", "by": 1 } }),
            "action.by",
        ),
    ] {
        let refused = admin
            .post(path, wrong.clone())
            .await
            .problem(422, "invalid_fields");
        assert_eq!(refused.text_at("/errors/0/field"), field, "{wrong}");
    }
}

#[tokio::test]
async fn an_agent_is_configured_with_the_fields_of_the_table() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let mut sent = json!({ "agent_type": "cost_optimizer", "reason": "a test" });
    let shown = |name: &str| -> Value {
        match name {
            "name" => json!("Production Cost Optimizer"),
            "mode" => json!("safe_mode"),
            "scope.accounts" | "scope.services" => json!([]),
            "learning_period" => json!("14d"),
            "confidence_threshold" => json!("85%"),
            "auto_apply.enabled" => json!(true),
            "auto_apply.max_impact" => json!("medium"),
            "auto_apply.approval_required" => json!("high_impact"),
            "notifications.recommendations" => json!("daily_digest"),
            "notifications.actions_taken" | "notifications.anomalies" => json!("immediate"),
            other => panic!("{other} has no example here"),
        }
    };

    let fields: Vec<&str> = rows(INTELLIGENCE, "### Agent configuration")
        .iter()
        .map(|row| row[0])
        .collect();
    for field in &fields {
        let mut place = &mut sent;
        for name in field.split('.') {
            place = &mut place[name];
        }
        *place = shown(field);
    }

    let made = admin.post("intelligence/agents", sent).await.expect(201);
    let one = format!("intelligence/agents/{}", made.text_at("/id"));
    let read = admin.get(&one).await.expect(200).body;
    for field in &fields {
        assert_eq!(at(&read, field), &shown(field), "{field}");
    }

    // A change of one member leaves the others.
    let change = json!({ "auto_apply": { "max_impact": "low" }, "confidence_threshold": 90, "scope": { "services": [] } });
    let changed = admin.patch(&one, change).await.expect(200).body;
    assert_eq!(
        changed["auto_apply"],
        json!({ "enabled": true, "max_impact": "low", "approval_required": "high_impact" })
    );
    assert_eq!(changed["confidence_threshold"], "90%");
}

#[tokio::test]
async fn webhooks_take_the_events_and_filters_of_the_table() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let table = rows(INTELLIGENCE, "## Events");
    let events = table.iter().find(|row| row[0] == "event").unwrap()[1]
        .strip_prefix("one of ")
        .unwrap();
    let filters = ["priority=high", "type=security", "impact=medium"];

    for (event, filter) in events.split(", ").zip(filters) {
        let sent =
            json!({ "event": event, "url": "https://hooks.example.com/reeve", "filter": filter });
        let made = admin
            .post("intelligence/webhooks", sent.clone())
            .await
            .expect(201)
            .body;
        for (name, value) in sent.as_object().unwrap() {
            assert_eq!(&made[name], value);
        }
    }

    let printed = json!({ "event": "recommendation_ready", "url": "https://hooks.example.com/reeve", "filter": "priority=Critical,type=right-size" });
    let made = admin
        .post("intelligence/webhooks", printed)
        .await
        .expect(201)
        .body;
    assert_eq!(made["filter"], "priority=critical,type=right_size");

    for (name, printed) in [
        ("priority", "Critical"),
        ("type", "right-size"),
        ("type", "IAM%20optimization"),
    ] {
        let _ = admin
            .get(&format!("intelligence/recommendations?{name}={printed}"))
            .await
            .expect(200);
    }
}

#[tokio::test]
async fn entries_and_alert_rules_have_the_fields_of_the_tables() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let mut entry = json!({});
    let fields: Vec<&str> = rows(AUDIT, "### Audit log entry")
        .iter()
        .map(|row| row[0])
        .collect();
    let shown = |field: &str| -> Value {
        match field {
            "timestamp" => json!("2026-11-20T10:15:30.123Z"),
            "event_type" => json!("resource.modify"),
            "severity" => json!("info"),
            "actor.type" => json!("user"),
            "actor.email" => json!("ann@example.com"),
            "actor.ip_address" => json!("203.0.113.7"),
            "action.status" => json!("success"),
            "action.method" => json!("api"),
            "changes.before" => json!({ "instance_type": "t3.large" }),
            "changes.after" => json!({ "instance_type": "t3.medium" }),
            "metadata.tags" => json!(["production"]),
            other => json!(format!("the-{}", other.replace('.', "-"))),
        }
    };

    for field in &fields {
        let mut place = &mut entry;
        for name in field.split('.') {
            place = &mut place[name];
        }
        *place = shown(field);
    }

    let _ = admin.post("audit-logs", entry).await.expect(201);
    let read = admin.get("audit-logs/the-event_id").await.expect(200).body;
    for field in &fields {
        assert_eq!(at(&read, field), &shown(field), "{field}");
    }

    let page = admin.get("audit-logs?limit=1&offset=0").await.expect(200);
    assert_eq!(page.items().len(), 1);

    let rule = json!({
        "name": "Failed sign-ins", "condition": "event_type:authentication.login AND status:failed",
        "threshold": { "count": 5, "window": "5m" }, "group_by": "actor.email",
        "notification": { "channels": ["email", "slack"], "recipients": ["security@example.com"] }, "severity": "high",
    });

    let made = admin
        .post("audit-logs/alerts", rule.clone())
        .await
        .expect(201)
        .body;

    for row in rows(AUDIT, "### Alert rule") {
        assert_eq!(at(&made, row[0]), at(&rule, row[0]), "{}", row[0]);
        assert!(!at(&rule, row[0]).is_null(), "{}", row[0]);
    }

    for printed in ["JSON", "CSV", "Syslog", "CEF"] {
        let job = json!({ "format": printed, "start_time": "2026-11-01T00:00:00.000Z", "end_time": "2026-12-01T00:00:00.000Z" });
        assert_eq!(
            admin.post("audit-logs/export", job).await.expect(202).body["format"],
            printed.to_lowercase()
        );
    }

    for printed in [
        "Audit Administrator",
        "Security Analyst",
        "Compliance Officer",
        "Manager",
        "Regular User",
    ] {
        let name = printed.to_lowercase().replace(' ', "_");
        let user =
            json!({ "email": format!("{name}@example.com"), "name": printed, "roles": [printed] });
        assert_eq!(
            admin.post("users", user).await.expect(201).body["roles"],
            json!([name])
        );
    }

    let printed = json!({ "name": "Yearly", "framework": "SOC 2 Type II", "period": "365d" });
    assert_eq!(
        admin
            .post("audit-logs/reports", printed)
            .await
            .expect(201)
            .body["framework"],
        "soc2"
    );
}
