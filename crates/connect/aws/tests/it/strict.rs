//! An endpoint that answers as AWS does when it throttles or breaks, which moto never does. It
//! counts the calls.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};

/// Scripted answers to one action.
#[derive(Debug, Clone)]
pub(crate) struct Script {
    /// Number of calls that fail before one succeeds.
    pub(crate) failures: usize,
    /// HTTP status of a failure.
    pub(crate) status: u16,
    /// AWS error code of a failure.
    pub(crate) code: &'static str,
    /// The body of a success.
    pub(crate) success: String,
}

#[derive(Debug, Default)]
struct Shared {
    scripts: BTreeMap<&'static str, Script>,
    calls: BTreeMap<String, usize>,
}

/// A running endpoint; it ends with the test's runtime.
#[derive(Debug)]
pub(crate) struct Strict {
    pub(crate) endpoint: String,
    shared: Arc<Mutex<Shared>>,
}

pub(crate) const IDENTITY: &str = r#"<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>
    <Arn>arn:aws:iam::123456789012:user/x</Arn><UserId>X</UserId><Account>123456789012</Account></GetCallerIdentityResult>
    <ResponseMetadata><RequestId>r</RequestId></ResponseMetadata></GetCallerIdentityResponse>"#;

impl Strict {
    pub(crate) async fn start(scripts: &[(&'static str, Script)]) -> Strict {
        let shared = Arc::new(Mutex::new(Shared {
            scripts: scripts.iter().cloned().collect(),
            ..Shared::default()
        }));
        let router = Router::new().fallback(answer).with_state(shared.clone());
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0))
            .await
            .unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await });

        Strict { endpoint, shared }
    }

    /// Returns the number of calls of an action.
    pub(crate) fn calls(&self, action: &str) -> usize {
        self.shared
            .lock()
            .unwrap()
            .calls
            .get(action)
            .copied()
            .unwrap_or_default()
    }
}

/// Answers of an action: the form that was sent and the number of calls of the action so far, this
/// one among them. `None` is a denial.
pub(crate) type Answers =
    Box<dyn Fn(&str, &str, usize) -> Option<Result<String, (u16, &'static str)>> + Send + Sync>;

/// Starts an endpoint that answers as a function says; returns its address.
pub(crate) async fn answering(answers: Answers) -> String {
    let (answers, calls) = (
        Arc::new(answers),
        Arc::new(Mutex::new(BTreeMap::<String, usize>::new())),
    );
    let answer = move |headers: HeaderMap, body: String| {
        let action = action(&headers, &body);
        let mut calls = calls.lock().unwrap();
        let count = calls.entry(action.clone()).or_default();
        *count += 1;
        let answer = match answers(&action, &body, *count) {
            Some(Ok(success)) => success.into_response(),
            Some(Err((status, code))) => failure(&action, status, code),
            None if action == "GetCallerIdentity" => IDENTITY.into_response(),
            None => failure(&action, 403, "AccessDenied"),
        };
        async move { answer }
    };

    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0))
        .await
        .unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(answer)).await });

    endpoint
}

/// The action that a request names in its target or its form.
fn action(headers: &HeaderMap, body: &str) -> String {
    let target = headers
        .get("x-amz-target")
        .and_then(|t| t.to_str().ok())
        .and_then(|t| t.rsplit('.').next());
    let in_form = || {
        body.split('&')
            .find_map(|pair| pair.strip_prefix("Action="))
    };

    target.or_else(in_form).unwrap_or("none").to_owned()
}

async fn answer(
    State(shared): State<Arc<Mutex<Shared>>>,
    headers: HeaderMap,
    body: String,
) -> Response {
    let action = action(&headers, &body);
    let mut shared = shared.lock().unwrap();
    let calls = shared.calls.entry(action.clone()).or_default();
    *calls += 1;
    let calls = *calls;

    match shared.scripts.get(action.as_str()) {
        Some(script) if calls <= script.failures => failure(&action, script.status, script.code),
        Some(script) => script.success.clone().into_response(),
        None if action == "GetCallerIdentity" => IDENTITY.into_response(),
        None => failure(&action, 403, "AccessDenied"),
    }
}

/// EC2 words its errors unlike the other services, and CloudWatch words them in JSON.
fn failure(action: &str, status: u16, code: &str) -> Response {
    let body = if action.contains("Metric") {
        format!(r#"{{"__type":"com.amazonaws.cloudwatch#{code}","message":"no"}}"#)
    } else if action.contains("Instances") && !action.contains("DB") {
        format!(
            "<Response><Errors><Error><Code>{code}</Code><Message>no</Message></Error></Errors></Response>"
        )
    } else {
        format!(
            "<ErrorResponse><Error><Type>Sender</Type><Code>{code}</Code><Message>no</Message></Error></ErrorResponse>"
        )
    };
    (StatusCode::from_u16(status).unwrap(), body).into_response()
}
