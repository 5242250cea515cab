//! OpenAPI, rules and routes tell of the same interface.

use std::collections::{BTreeMap, BTreeSet};

use reeve_http::guard::Access;
use serde_json::Value;

const METHODS: &[&str] = &["get", "post", "put", "patch", "delete"];

fn document() -> Value {
    serde_json::to_value(reeve_http::router::openapi()).unwrap()
}

/// Every operation: method and path, and its description.
fn operations(document: &Value) -> BTreeMap<(String, String), Value> {
    let mut found = BTreeMap::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in METHODS {
            if let Some(operation) = item.get(method) {
                found.insert((method.to_uppercase(), path.clone()), operation.clone());
            }
        }
    }
    found
}

#[test]
fn every_route_has_one_rule_and_one_description() {
    let described: BTreeSet<_> = operations(&document()).into_keys().collect();
    let rules = reeve_http::router::rules();
    let ruled: BTreeSet<_> = rules
        .iter()
        .map(|rule| (rule.method.clone(), rule.path.replace("{*", "{")))
        .collect();
    assert_eq!(ruled.len(), rules.len(), "a route has two rules");
    assert_eq!(described, ruled);
    assert!(rules.iter().all(|rule| rule.path.starts_with("/api/v1/")));
}

#[test]
fn what_changes_something_needs_a_permission() {
    // One's own password, session and tokens are the exceptions; their handlers look at the caller
    // alone.
    let own = [
        "/api/v1/account/password",
        "/api/v1/sessions/current",
        "/api/v1/tokens",
        "/api/v1/tokens/{id}",
        "/api/v1/sessions/{id}",
    ];
    for rule in reeve_http::router::rules() {
        let reads = rule.method == "GET";
        let exempt = own.contains(&rule.path.as_str()) || rule.access == Access::Public;
        let asks = matches!(
            rule.access,
            Access::Needs(_)
                | Access::NeedsAny(_)
                | Access::NeedsAll(_)
                | Access::MetricSource
                | Access::AlertSource
                | Access::LogSource
        );
        assert!(
            reads || exempt || asks,
            "{} {} takes anybody who is signed in",
            rule.method,
            rule.path
        );
    }
}

#[test]
fn identifiers_are_unique_and_answers_are_described() {
    let document = document();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));

    let mut identifiers = BTreeSet::new();
    for ((method, path), operation) in operations(&document) {
        let id = operation["operationId"].as_str().unwrap().to_owned();
        assert!(
            identifiers.insert(id.clone()),
            "{id} stands for two operations"
        );
        let answers = operation["responses"].as_object().unwrap();
        assert!(
            answers.keys().any(|status| status.starts_with('2')),
            "{method} {path} never succeeds"
        );
        assert!(
            operation["summary"].is_string() || operation["description"].is_string(),
            "{method} {path} says nothing"
        );
        for part in path
            .split('/')
            .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
        {
            let known = operation["parameters"]
                .as_array()
                .is_some_and(|all| all.iter().any(|one| one["name"] == part));
            assert!(known, "{method} {path} does not describe {part}");
        }
    }
}

#[test]
fn every_reference_leads_somewhere() {
    fn walk<'a>(value: &'a Value, found: &mut BTreeSet<&'a str>) {
        match value {
            Value::Object(members) => members.iter().for_each(|(name, value)| match value {
                Value::String(text) if name == "$ref" => {
                    found.insert(text);
                }
                other => walk(other, found),
            }),
            Value::Array(items) => items.iter().for_each(|item| walk(item, found)),
            _ => {}
        }
    }

    let document = document();
    let mut references = BTreeSet::new();
    walk(&document, &mut references);
    assert!(references.len() > 20, "{references:?}");

    for reference in references {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(
            document.pointer(pointer).is_some(),
            "{reference} leads nowhere"
        );
    }
}

#[test]
fn secrets_only_go_in() {
    let document = document();
    let schemas = document["components"]["schemas"].as_object().unwrap();

    for (name, schema) in schemas {
        for (field, described) in schema["properties"].as_object().into_iter().flatten() {
            let secret = ["password", "secret", "session_token"]
                .iter()
                .any(|word| field.contains(word));
            // A new token's secret is shown once: the only one that comes out.
            if secret && field != "has_secret" && !name.contains("TokenCreated") {
                assert_eq!(described["writeOnly"], true, "{name}.{field}");
            }
        }
    }
}

#[test]
fn problems_are_described_as_they_are_answered() {
    let document = document();
    let rules = reeve_http::router::rules();

    for ((method, path), operation) in operations(&document) {
        let answers = operation["responses"].as_object().unwrap();
        let resolved = |answer: &Value| match answer["$ref"].as_str() {
            Some(reference) => document
                .pointer(reference.strip_prefix('#').unwrap())
                .unwrap()
                .clone(),
            None => answer.clone(),
        };
        for (status, answer) in answers
            .iter()
            .filter(|(status, _)| status.as_str() >= "400")
        {
            let kinds: Vec<String> = resolved(answer)["content"]
                .as_object()
                .unwrap()
                .keys()
                .cloned()
                .collect();
            assert_eq!(
                kinds,
                ["application/problem+json"],
                "{method} {path} {status}"
            );
        }
        let rule = rules
            .iter()
            .find(|rule| rule.method == method && rule.path.replace("{*", "{") == path)
            .unwrap();
        let has = |status: &str| answers.contains_key(status);
        assert_eq!(
            has("401"),
            rule.access != Access::Public || path.ends_with("/sessions"),
            "{method} {path}"
        );
        assert!(
            has("403") || !matches!(rule.access, Access::Needs(_) | Access::NeedsAny(_)),
            "{method} {path}"
        );
        assert!(has("404") || !path.contains('{'), "{method} {path}");
        let takes = operation["requestBody"].is_object();
        assert!(
            !takes || ["400", "408", "413", "415", "422"].into_iter().all(has),
            "{method} {path}"
        );
        assert!(
            method == "GET" || ["429", "503", "507"].into_iter().all(has),
            "{method} {path}"
        );
    }
}

/// Two types of one name would describe each other's answers.
#[test]
fn every_schema_has_a_name_of_its_own() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = vec![folder];
    let mut names = BTreeMap::new();

    while let Some(path) = files.pop() {
        if path.is_dir() {
            files.extend(
                std::fs::read_dir(path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        for (at, _) in text.match_indices("ToSchema") {
            let rest = &text[at..];
            let Some((attributes, rest)) = rest
                .split_once("pub struct ")
                .filter(|(between, _)| !between.contains(['}', ';']))
            else {
                continue;
            };
            let own = attributes
                .split("schema(as = ")
                .nth(1)
                .map(|name| name.split(')').next().unwrap());
            let name = own
                .unwrap_or_else(|| rest.split(|c: char| !c.is_alphanumeric()).next().unwrap())
                .to_owned();
            if let Some(other) = names.insert(name.clone(), path.clone()) {
                panic!(
                    "{name} stands in {} and in {}",
                    other.display(),
                    path.display()
                );
            }
        }
    }

    assert!(names.len() > 100, "{names:?}");
}
