//! Predictive rules and calendars over HTTP: the built-in rules are there, changes are
//! checked by field and version, kept over a restart and recorded; a calendar's events come out in
//! their zones.

use std::time::Duration;

use axum::Router;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::get;
use reeve_testkit::http::until;
use reeve_testkit::service::Service;
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(60);

fn rule() -> Value {
    json!({
        "name": "Busy web servers",
        "agent_type": "performance_optimizer",
        "condition": { "metric": "cpu_utilization", "prediction": "above", "value": 80, "horizon": "2h", "probability": 70 },
        "action": { "kind": "scale_up" },
        "approval": { "kind": "required" },
        "scope": { "services": ["ec2"] },
        "every": "10m",
    })
}

#[tokio::test]
async fn rules_are_kept_changed_by_version_and_recorded() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();

    // The three of and the traffic's three are stored by the service's own task.
    let path = "intelligence/predictive-rules";
    let listed = until("the rules that come with Reeve", PATIENCE, || async {
        let listed = admin.get(path).await.expect(200).body;
        (listed["total"] == 6).then_some(listed)
    })
    .await;

    let disk = listed["items"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["id"] == "disk-space-full")
        .unwrap();
    assert_eq!(disk["condition"]["horizon"], "7d");

    assert_eq!(
        disk["approval"],
        json!({ "kind": "auto_below", "auto_below": "500GB", "below_gb": 500.0 })
    );

    let refused = admin
        .post(
            path,
            json!({ "name": "x", "condition": { "metric": "mood" } }),
        )
        .await;
    let refused = refused.problem(422, "invalid_fields");

    let fields: Vec<&str> = refused.body["errors"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|error| error["field"].as_str())
        .collect();
    assert_eq!(fields, ["condition.prediction", "action.kind"]);

    let unknown = json!({ "name": "x", "condition": { "mood": 1 } });
    let _ = admin
        .post(path, unknown)
        .await
        .problem(422, "invalid_fields");
    let wrong = json!({ "name": "x", "agent_type": "chef" });
    let wrong = admin
        .post(&format!("{path}/preview"), wrong)
        .await
        .problem(422, "invalid_fields");
    let errors = wrong.body["errors"].as_array().unwrap();
    assert!(
        errors.iter().any(|error| error["field"] == "agent_type"),
        "{}",
        wrong.text
    );

    let tried = admin
        .post(&format!("{path}/preview"), rule())
        .await
        .expect(200);
    assert_eq!(tried.body["total"], 0, "there is no estate");
    assert_eq!(
        admin.get(path).await.expect(200).body["total"],
        6,
        "a preview keeps nothing"
    );

    // The tables of metrics name what a rule may watch, with the unit of its value.
    let tables = admin.get("metrics").await.expect(200).body;
    let rows = tables["predictive"].as_array().unwrap();
    let row = rows.iter().find(|row| row["metric"] == "response_time");
    assert_eq!(
        row,
        Some(
            &json!({ "metric": "response_time", "label": "Response time", "unit": "seconds",
            "samples": "response_time", "exceptions": [], "worse": "rising" })
        )
    );
    let slow = json!({ "name": "Slow answers", "action": { "kind": "pre_scale" },
        "condition": { "metric": "response_time", "prediction": "above", "value": 0.5, "horizon": "2h" } });
    let tried = admin.post(&format!("{path}/preview"), slow).await;
    assert_eq!(tried.expect(200).body["total"], 0, "there is no estate");

    let made = admin.post(path, rule()).await.expect(201);
    let id = made.text_at("/id");
    assert_eq!(made.body["version"], 1);

    let one = format!("{path}/{id}");
    let change = json!({ "version": 1, "enabled": false, "condition": { "value": 85.5 } });
    let changed = admin.patch(&one, change.clone()).await.expect(200);
    assert_eq!(
        (
            &changed.body["version"],
            &changed.body["condition"]["value"]
        ),
        (&json!(2), &json!(85.5))
    );

    assert_eq!(
        changed.body["condition"]["horizon"], "2h",
        "what is left out stays"
    );

    let _ = admin.patch(&one, change).await.problem(409, "conflict");
    let evaluated = admin
        .post(&format!("{one}/evaluate"), json!({}))
        .await
        .expect(200);
    assert_eq!(evaluated.body["total"], 0, "there is no estate");
    assert!(
        admin
            .get(&one)
            .await
            .expect(200)
            .text_at("/last_result")
            .starts_with("0 resources")
    );

    let predictions = admin
        .get(&format!(
            "intelligence/predictions?rule={id}&outcome=foreseen"
        ))
        .await
        .expect(200);
    assert_eq!(predictions.body["total"], 0);

    let _ = admin
        .get("intelligence/predictions?outcome=maybe")
        .await
        .problem(422, "invalid_fields");
    let found = json!({ "query": format!("resource.id:{id} action.status:success"), "limit": 10 });
    let found = admin.post("audit-logs/search", found).await.expect(200);
    let mut operations: Vec<&str> = found.body["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|e| e.pointer("/action/operation")?.as_str())
        .collect();
    operations.sort_unstable();

    assert_eq!(
        operations,
        [
            "predictive_rule.create",
            "predictive_rule.evaluate",
            "predictive_rule.modify"
        ]
    );

    let _ = admin
        .delete(&format!("{path}/disk-space-full"))
        .await
        .expect(204);
    let _ = admin.delete(&one).await.expect(204);
    let _ = admin.get(&one).await.problem(404, "not_found");
    drop(service);
    let again = Service::serve(home.path(), &[]).unwrap();
    let kept = again.admin().get(path).await.expect(200);
    assert_eq!(kept.body["total"], 5, "what was removed stays removed");
}

#[tokio::test]
async fn a_calendar_is_imported_whole_or_refused_by_line() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let path = "intelligence/calendars";
    let text = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Autumn sale\r\n\
        DTSTART;TZID=Europe/Berlin:20261024T090000\r\nDTEND;TZID=Europe/Berlin:20261024T180000\r\n\
        RRULE:FREQ=DAILY;COUNT=2\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
    let wrong = json!({ "name": "Sales", "kind": "traffic", "icalendar": text.replace("Europe/Berlin", "Europe/Atlantis") });
    let wrong = admin.post(path, wrong).await.problem(422, "invalid_fields");
    assert_eq!(wrong.text_at("/errors/0/field"), "icalendar");
    assert!(
        wrong
            .text_at("/errors/0/message")
            .contains("line 6: DTSTART"),
        "{}",
        wrong.text
    );

    let several = admin
        .post(path, json!({ "kind": "party" }))
        .await
        .problem(422, "invalid_fields");
    assert_eq!(
        several.body["errors"].as_array().unwrap().len(),
        3,
        "{}",
        several.text
    );

    let made = admin
        .post(
            path,
            json!({ "name": "Sales", "kind": "traffic", "icalendar": text }),
        )
        .await
        .expect(201);
    assert_eq!(made.body["events"], 1);

    let id = made.text_at("/id");
    let events = format!("{path}/{id}/events?from=2026-10-01T00:00:00Z&until=2026-11-01T00:00:00Z");
    let events = admin.get(&events).await.expect(200);

    // The clocks go back in between; the sale begins at nine on the wall both days.
    let starts: Vec<&str> = events.body["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|e| e["start"].as_str())
        .collect();

    assert_eq!(
        starts,
        ["2026-10-24T07:00:00.000Z", "2026-10-25T08:00:00.000Z"]
    );
    assert_eq!(events.body["items"][0]["time_zone"], "Europe/Berlin");
    assert_eq!(events.body["items"][0]["whole_day"], false);

    let wide = format!("{path}/{id}/events?from=2026-01-01T00:00:00Z&until=2030-01-01T00:00:00Z");
    let _ = admin.get(&wide).await.problem(422, "invalid_fields");
    let named = json!({
        "name": "Failover", "agent_type": "ops_intelligence",
        "condition": { "prediction": "event", "horizon": "1h", "calendars": [id] },
        "action": { "kind": "prepare_failover" },
    });

    let rule = admin
        .post("intelligence/predictive-rules", named)
        .await
        .expect(201)
        .text_at("/id");

    let _ = admin
        .delete(&format!("{path}/{id}"))
        .await
        .problem(409, "conflict");
    let _ = admin
        .delete(&format!("intelligence/predictive-rules/{rule}"))
        .await
        .expect(204);
    let _ = admin
        .patch(
            &format!("{path}/{id}"),
            json!({ "version": 9, "name": "x" }),
        )
        .await
        .problem(409, "conflict");

    let _ = admin
        .patch(
            &format!("{path}/{id}"),
            json!({ "version": 1, "kind": "maintenance" }),
        )
        .await
        .expect(200);
    let _ = admin.delete(&format!("{path}/{id}")).await.expect(204);

    let _ = admin
        .get(&format!("{path}/{id}"))
        .await
        .problem(404, "not_found");
}

/// A calendar at `/sales.ics`, with a validator.
async fn calendar_server(text: &'static str) -> String {
    let answer = move |headers: HeaderMap| async move {
        match headers
            .get("if-none-match")
            .is_some_and(|etag| etag == "\"1\"")
        {
            true => (StatusCode::NOT_MODIFIED, [("etag", "\"1\"")], ""),
            false => (StatusCode::OK, [("etag", "\"1\"")], text),
        }
    };
    let router = Router::new().route("/private-5ecre7/sales.ics", get(answer));

    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let host = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });

    format!("http://{host}")
}

#[tokio::test]
async fn a_calendar_follows_an_address_that_the_configuration_allows() {
    let home = tempfile::tempdir().unwrap();
    let text = "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Sale\r\nDTSTART:20261024T090000Z\r\nDTEND:20261024T180000Z\r\n\
        END:VEVENT\r\nEND:VCALENDAR\r\n";
    let host = calendar_server(text).await;
    let address = format!("{host}/private-5ecre7/sales.ics");
    let given = json!({ "name": "Sales", "kind": "traffic", "url": address });
    let path = "intelligence/calendars";
    let guarded = Service::serve(&home.path().join("guarded"), &[]).unwrap();
    let refused = guarded
        .admin()
        .post(path, given.clone())
        .await
        .problem(422, "invalid_fields");
    assert_eq!(refused.text_at("/errors/0/field"), "url");
    drop(guarded);
    let variables = [(
        "REEVE_OUTBOUND",
        "{ allow = [\"127.0.0.0/8\"], plain_http = true }",
    )];
    let service = Service::serve(&home.path().join("data"), &variables).unwrap();
    let admin = service.admin();
    let lost = json!({ "name": "Sales", "kind": "traffic", "url": format!("{host}/gone.ics") });
    let lost = admin.post(path, lost).await.problem(422, "invalid_fields");
    assert!(
        lost.text_at("/errors/0/message").contains("404"),
        "{}",
        lost.text
    );

    let made = admin.post(path, given).await.expect(201);
    assert_eq!(
        (&made.body["events"], made.text_at("/address")),
        (&json!(1), format!("{host}/..."))
    );

    let id = made.text_at("/id");
    let kept = admin.get(&format!("{path}/{id}")).await.expect(200);
    assert!(
        kept.body["checked_at"].is_string() && kept.body["problem"].is_null(),
        "{}",
        kept.text
    );

    let log = json!({ "query": format!("resource.id:{id}"), "limit": 10 });
    let log = admin.post("audit-logs/search", log).await.expect(200);
    assert!(
        log.text.contains("calendar.create") && log.text.contains(&format!("{host}/...")),
        "{}",
        log.text
    );

    assert!(
        !log.text.contains("5ecre7") && !kept.text.contains("5ecre7"),
        "the secret part of an address stays here"
    );
}
