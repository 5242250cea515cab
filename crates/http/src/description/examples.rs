//! Examples of requests and answers, with the requirements' own values (`examples.json`). A test
//! of the program sends each of them to a running service.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;
use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::path::Operation;
use utoipa::openapi::{Content, RefOr};

/// The media type of requests and answers.
const JSON: &str = "application/json";

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct OperationExample {
    method: String,
    path: String,
    name: String,
    summary: String,
    #[serde(default)]
    request: Option<Value>,
    #[serde(default)]
    answer: Option<Value>,
}

static EXAMPLES: LazyLock<Vec<OperationExample>> = LazyLock::new(|| {
    // A test reads the file; one that cannot be read would not have been released.
    serde_json::from_str(include_str!("examples.json")).unwrap_or_default()
});

/// Adds an operation's examples to its request and to its first successful answer.
pub(super) fn add(method: &str, path: &str, operation: &mut Operation) {
    for example in EXAMPLES
        .iter()
        .filter(|example| example.method == method && example.path == path)
    {
        if let (Some(value), Some(RefOr::T(body))) = (&example.request, &mut operation.request_body)
        {
            insert(body.content.get_mut(JSON), example, value);
        }
        let answers = &mut operation.responses.responses;
        let succeeded = answers
            .iter_mut()
            .find(|(status, _)| status.starts_with('2'))
            .map(|(_, answer)| answer);
        if let (Some(value), Some(RefOr::T(answer))) = (&example.answer, succeeded) {
            insert(answer.content.get_mut(JSON), example, value);
        }
    }
}

fn insert(content: Option<&mut RefOr<Content>>, example: &OperationExample, value: &Value) {
    if let Some(RefOr::T(content)) = content {
        let shown = ExampleBuilder::new()
            .summary(&example.summary)
            .value(Some(value.clone()))
            .build();
        content
            .examples
            .insert(example.name.clone(), RefOr::T(shown));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_example_is_read_and_has_a_name_of_its_own() {
        let read: Vec<OperationExample> =
            serde_json::from_str(include_str!("examples.json")).unwrap();
        let keys: BTreeSet<_> = read
            .iter()
            .map(|one| (&one.method, &one.path, &one.name))
            .collect();
        assert_eq!(keys.len(), read.len());
    }
}
