//! Requests of a file: principal, action, resource, and the condition keys of the request.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::caller::IamCaller;
use crate::document::{IamPolicy, elements, scalar_text};
use crate::evaluation::AccessRequest;
use crate::json_lines::json_lines;
use crate::policy_set::{NamedPolicy, PolicyKind};

/// Request as a file has it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RequestLine {
    principal: String,
    action: String,
    #[serde(default)]
    resource: Option<String>,
    /// Account of the resource, where its ARN does not name it.
    #[serde(default)]
    resource_account: Option<String>,
    /// Values by condition key; null is a key that the request does not have.
    #[serde(default)]
    context: Map<String, Value>,
    /// Keys that `context` does not list are absent rather than unknown.
    #[serde(default)]
    context_complete: bool,
    /// Session policies that limit the caller's session.
    #[serde(default)]
    session_policies: Vec<Value>,
}

/// Request of a file.
#[derive(Debug, Clone)]
pub struct FileRequest {
    /// The element of the file.
    pub value: Value,
    pub request: AccessRequest,
    /// Session policies that limit the caller's session.
    pub session: Vec<NamedPolicy>,
}

/// Reason for which a file has no requests.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// The text is neither a JSON value nor one a line.
    #[error("this is no JSON: {0}")]
    NotJson(String),
    /// A member of a request is missing, unknown, or has another form than documented.
    #[error("request {number}: {problem}")]
    Request { number: usize, problem: String },
}

/// Reads requests: a list, or one a line.
///
/// # Errors
/// The text is no JSON, or an element is no request.
pub fn read_requests(text: &str) -> Result<Vec<FileRequest>, RequestError> {
    let values = match serde_json::from_str::<Value>(text) {
        Ok(Value::Array(values)) => values,
        Ok(value) => match value.get("requests").and_then(Value::as_array) {
            Some(values) => values.clone(),
            None => vec![value],
        },
        Err(error) => json_lines(text).ok_or_else(|| RequestError::NotJson(error.to_string()))?,
    };
    let numbered = values.into_iter().enumerate();
    numbered.map(|(at, value)| request(at + 1, value)).collect()
}

fn request(number: usize, value: Value) -> Result<FileRequest, RequestError> {
    let fault = |problem: String| RequestError::Request { number, problem };
    let line: RequestLine =
        serde_json::from_value(value.clone()).map_err(|error| fault(error.to_string()))?;
    let caller = IamCaller::read(&line.principal).ok_or_else(|| {
        fault(format!(
            "principal: {} is neither an ARN of a user, role or session nor an account, a service or *",
            line.principal
        ))
    })?;
    if line.action.split(':').count() != 2 || line.action.contains('*') {
        return Err(fault(format!(
            "action: {} is no action, such as s3:GetObject",
            line.action
        )));
    }

    let resource = line.resource.unwrap_or_else(|| "*".to_owned());
    let mut request = AccessRequest::new(caller, line.action, resource);
    request.resource_account = line.resource_account;
    for (key, value) in &line.context {
        if value.is_null() {
            request.context.set_absent(key);
            continue;
        }
        let values: Option<Vec<String>> = elements(value).iter().map(scalar_text).collect();
        let values = values.ok_or_else(|| {
            let problem = "is no text, number, boolean or a list of them";
            fault(format!("context.{key}: {problem}"))
        })?;
        request.context.set(key, values);
    }
    if line.context_complete {
        request.context.complete_keys();
    }

    let numbered = line.session_policies.iter().enumerate();
    let session: Result<Vec<NamedPolicy>, RequestError> = numbered
        .map(|(at, document)| {
            let name = format!("session_policies[{}]", at + 1);
            let policy =
                IamPolicy::read(document).map_err(|error| fault(format!("{name}: {error}")))?;
            Ok(NamedPolicy::new(PolicyKind::Session, name, policy))
        })
        .collect();
    Ok(FileRequest {
        session: session?,
        value,
        request,
    })
}
