//! Every example of the interface's description is sent to a running service, and answered in the form that the description shows.

use std::time::Duration;

use reeve_testkit::http::{Api, until};
use reeve_testkit::service::Service;
use serde_json::Value;

const PATIENCE: Duration = Duration::from_secs(120);
const METHODS: [&str; 5] = ["post", "put", "patch", "get", "delete"];

/// Returns the path with the identifiers of what the demo has.
async fn filled(api: &Api, path: &str) -> String {
    let path = path.strip_prefix("/api/v1/").unwrap();
    if let Some((before, after)) = path.split_once("{agent_id}") {
        let agents = api.get("intelligence/agents").await.expect(200);
        return format!("{before}{}{after}", agents.items()[0]["id"].as_str().unwrap());
    }
    let Some((before, after)) = path.split_once("{id}") else { return path.to_owned() };
    let list = format!("{}?status=open&applicability=ready&limit=1", before.trim_end_matches('/'));
    let found = until("an open recommendation", PATIENCE, || async {
        api.get(&list).await.expect(200).items().first().cloned()
    })
    .await;
    format!("{before}{}{after}", found["id"].as_str().unwrap())
}

/// Asserts that the answer has every member of the example, each of the same type; what was sent is answered as the example shows.
fn has_form(place: &str, example: &Value, answer: &Value, sent: Option<&Value>) {
    match (example, answer) {
        (Value::Object(members), Value::Object(answered)) => {
            for (name, member) in members {
                let within = format!("{place}.{name}");
                let found = answered.get(name).unwrap_or_else(|| panic!("{within} is missing in {answer}"));
                has_form(&within, member, found, sent.and_then(|sent| sent.get(name)));
            }
        }
        (Value::Array(items), Value::Array(answered)) => {
            if let (Some(item), Some(found)) = (items.first(), answered.first()) {
                has_form(&format!("{place}[0]"), item, found, None);
            }
        }
        // An identifier or a date that this service has none of.
        (_, Value::Null) | (Value::Null, _) => {}
        _ => {
            let kind = |value: &Value| std::mem::discriminant(value);
            assert_eq!(kind(example), kind(answer), "{place}: {example} and {answer}");
        }
    }
    if sent.is_some_and(|sent| !sent.is_object()) {
        assert_eq!(example, answer, "{place}");
    }
}

#[tokio::test]
async fn every_example_is_taken_and_answered_in_its_form() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::demo(home.path()).unwrap();
    let admin = service.admin();
    let document = service.nobody().get("/api/openapi.json").await.expect(200).body;
    let (mut sent, mut compared) = (0, 0);
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in METHODS.into_iter().filter(|method| item.get(method).is_some()) {
            let operation = &item[method];
            let responses = operation["responses"].as_object().unwrap();
            let (status, response) = responses.iter().find(|(status, _)| status.starts_with('2')).unwrap();
            let answers = &response["content"]["application/json"]["examples"];
            let requests = &operation["requestBody"]["content"]["application/json"]["examples"];
            let names = [requests, answers].into_iter().filter_map(Value::as_object).flat_map(|named| named.keys());
            let names: std::collections::BTreeSet<&String> = names.collect();
            for name in names {
                let place = format!("{method} {path} {name}");
                let below = filled(&admin, path).await;
                let body = requests[name].get("value");
                let answer = match body {
                    Some(body) => {
                        let bytes = body.to_string().into_bytes();
                        admin.send(&method.to_uppercase(), &below, Some("application/json"), bytes).await
                    }
                    None => admin.get(&below).await,
                };
                assert!(
                    (200..300).contains(&answer.status),
                    "{place}: {} {}, documented {status}",
                    answer.status,
                    answer.text
                );
                sent += 1;
                if let Some(example) = answers[name].get("value") {
                    has_form(&place, example, &answer.body, body);
                    compared += 1;
                }
            }
        }
    }
    assert!(sent >= 20 && compared >= 20, "{sent} examples, {compared} with an answer");
}
