//! Every example of the interface's description is sent to a running service, and answered in the
//! form that the description shows.

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
        return format!(
            "{before}{}{after}",
            agents.items()[0]["id"].as_str().unwrap()
        );
    }

    let Some((before, after)) = path.split_once("{id}") else {
        return path.to_owned();
    };

    let list = format!(
        "{}?status=open&applicability=ready&limit=1",
        before.trim_end_matches('/')
    );
    let found = until("an open recommendation", PATIENCE, || async {
        api.get(&list).await.expect(200).items().first().cloned()
    })
    .await;
    format!("{before}{}{after}", found["id"].as_str().unwrap())
}

/// Members whose content is a document of the source, not of the interface.
const FREE: [&str; 3] = ["before", "after", "metadata"];

/// Checks that the answer has every member of the example, each of the same type; what was sent is
/// answered as the example shows. Of a list, one item has the form of the example's first.
fn has_form(
    place: &str,
    example: &Value,
    answer: &Value,
    sent: Option<&Value>,
) -> Result<(), String> {
    if sent.is_some_and(|sent| !sent.is_object()) && example != answer {
        return Err(format!("{place}: {answer} in place of {example}"));
    }
    match (example, answer) {
        (Value::Object(members), Value::Object(answered)) => {
            for (name, member) in members
                .iter()
                .filter(|(name, _)| !FREE.contains(&name.as_str()))
            {
                let within = format!("{place}.{name}");
                let found = answered
                    .get(name)
                    .ok_or_else(|| format!("{within} is missing in {answer}"))?;
                has_form(&within, member, found, sent.and_then(|sent| sent.get(name)))?;
            }
            Ok(())
        }
        (Value::Array(items), Value::Array(answered)) => {
            let (Some(item), Some(first)) = (items.first(), answered.first()) else {
                return Ok(());
            };
            let within = format!("{place}[]");
            let fits = answered
                .iter()
                .any(|found| has_form(&within, item, found, None).is_ok());
            if fits {
                Ok(())
            } else {
                has_form(&within, item, first, None)
            }
        }
        // A member that this service has no value for.
        (_, Value::Null) | (Value::Null, _) => Ok(()),
        _ if std::mem::discriminant(example) == std::mem::discriminant(answer) => Ok(()),
        _ => Err(format!(
            "{place}: {example} and {answer} are not of one type"
        )),
    }
}

#[tokio::test]
async fn every_example_is_taken_and_answered_in_its_form() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::demo(home.path()).unwrap();
    let admin = service.admin();
    let document = service
        .nobody()
        .get("/api/openapi.json")
        .await
        .expect(200)
        .body;

    let (mut sent, mut compared, mut different) = (0, 0, Vec::new());
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in METHODS
            .into_iter()
            .filter(|method| item.get(method).is_some())
        {
            let operation = &item[method];
            let responses = operation["responses"].as_object().unwrap();
            let (status, response) = responses
                .iter()
                .find(|(status, _)| status.starts_with('2'))
                .unwrap();
            let answers = &response["content"]["application/json"]["examples"];
            let requests = &operation["requestBody"]["content"]["application/json"]["examples"];
            let names = [requests, answers]
                .into_iter()
                .filter_map(Value::as_object)
                .flat_map(|named| named.keys());
            let names: std::collections::BTreeSet<&String> = names.collect();
            for name in names {
                let place = format!("{method} {path} {name}");
                let below = filled(&admin, path).await;
                let body = requests[name].get("value");
                let answer = match body {
                    Some(body) => {
                        let bytes = body.to_string().into_bytes();
                        admin
                            .send(
                                &method.to_uppercase(),
                                &below,
                                Some("application/json"),
                                bytes,
                            )
                            .await
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
                    if let Err(difference) = has_form(&place, example, &answer.body, body) {
                        different.push(difference);
                    }
                    compared += 1;
                }
            }
        }
    }

    assert!(different.is_empty(), "{}", different.join("\n"));
    assert!(
        sent >= 20 && compared >= 20,
        "{sent} examples, {compared} with an answer"
    );
}
