//! A client of Reeve's own interface for tests: sends exactly the bytes it is given, and shows the
//! whole answer when an expectation fails.

use std::future::Future;
use std::time::{Duration, Instant};

use reqwest::header::HeaderMap;
use reqwest::{Client, Method};
use serde_json::{Value, json};

/// A client; its paths are below `/api/v1/` unless they begin with `/`.
#[derive(Debug, Clone)]
pub struct Api {
    http: Client,
    base: String,
    token: Option<String>,
}

/// An answer, whatever it is.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Request line, for messages.
    pub asked: String,
    /// Status code of the answer.
    pub status: u16,
    pub headers: HeaderMap,
    /// The body as text.
    pub text: String,
    /// The body as JSON; null when it is none.
    pub body: Value,
}

impl Api {
    /// A client that is nobody.
    ///
    /// # Panics
    /// The client cannot be created.
    #[must_use]
    pub fn new(base: &str) -> Api {
        let http = Client::builder()
            .no_proxy()
            .user_agent("reeve-testkit")
            .timeout(Duration::from_secs(120))
            .build();
        Api {
            http: http.unwrap_or_else(|error| panic!("no client: {error}")),
            base: base.to_owned(),
            token: None,
        }
    }

    /// Returns a client with a token.
    #[must_use]
    pub fn with_token(&self, token: &str) -> Api {
        Api {
            token: Some(token.to_owned()),
            ..self.clone()
        }
    }

    /// Sends bytes of a content type.
    ///
    /// # Panics
    /// The service did not answer.
    pub async fn send(
        &self,
        method: &str,
        path: &str,
        kind: Option<&str>,
        body: Vec<u8>,
    ) -> Answer {
        self.send_with(method, path, &[], kind, body).await
    }

    /// Sends bytes of a content type, with further headers.
    ///
    /// # Panics
    /// The service did not answer.
    pub async fn send_with(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        kind: Option<&str>,
        body: Vec<u8>,
    ) -> Answer {
        let answer = self.attempt(method, path, headers, kind, body).await;
        answer.unwrap_or_else(|error| panic!("{method} {path}: {error:?}"))
    }

    /// Sends bytes to a service that may be gone.
    ///
    /// # Errors
    /// The answer is missing or incomplete.
    pub async fn attempt(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        kind: Option<&str>,
        body: Vec<u8>,
    ) -> anyhow::Result<Answer> {
        let below = if path.starts_with('/') {
            path.to_owned()
        } else {
            format!("/api/v1/{path}")
        };

        let mut request = self.http.request(
            Method::from_bytes(method.as_bytes())?,
            format!("{}{below}", self.base),
        );
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }

        for (name, value) in headers {
            request = request.header(*name, *value);
        }

        if let Some(kind) = kind {
            request = request.header("content-type", kind).body(body);
        }

        let response = request.send().await?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let text = response.text().await?;
        let body = serde_json::from_str(&text).unwrap_or(Value::Null);

        Ok(Answer {
            asked: format!("{method} {path}"),
            status,
            headers,
            text,
            body,
        })
    }

    /// GET whose answer is read by the caller, as it comes.
    ///
    /// # Errors
    /// The service did not answer.
    pub async fn ask(
        &self,
        path: &str,
        headers: &[(&str, &str)],
    ) -> reqwest::Result<reqwest::Response> {
        let below = if path.starts_with('/') {
            path.to_owned()
        } else {
            format!("/api/v1/{path}")
        };
        let mut request = self.http.get(format!("{}{below}", self.base));

        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }

        headers
            .iter()
            .fold(request, |request, (name, value)| {
                request.header(*name, *value)
            })
            .send()
            .await
    }

    /// Sends a GET request.
    pub async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, None, Vec::new()).await
    }

    /// Sends a POST request with a JSON body.
    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(
            "POST",
            path,
            Some("application/json"),
            body.to_string().into_bytes(),
        )
        .await
    }

    /// Sends a PUT request with a JSON body.
    pub async fn put(&self, path: &str, body: Value) -> Answer {
        self.send(
            "PUT",
            path,
            Some("application/json"),
            body.to_string().into_bytes(),
        )
        .await
    }

    /// Sends a PATCH request with a JSON body.
    pub async fn patch(&self, path: &str, body: Value) -> Answer {
        self.send(
            "PATCH",
            path,
            Some("application/json"),
            body.to_string().into_bytes(),
        )
        .await
    }

    /// Sends a DELETE request.
    pub async fn delete(&self, path: &str) -> Answer {
        self.send("DELETE", path, None, Vec::new()).await
    }

    /// Size of the log, by its checkpoint: asking for it writes nothing.
    ///
    /// # Panics
    /// There is no checkpoint.
    pub async fn size(&self) -> u64 {
        let note = self.get("audit-logs/checkpoint").await;
        assert_eq!(note.status, 200, "{note:?}");
        let size = note.text.lines().nth(1).and_then(|line| line.parse().ok());
        size.unwrap_or_else(|| panic!("no size in {}", note.text))
    }

    /// Makes a user, as administrator; the user's identifier, and a client with a token of theirs.
    ///
    /// # Panics
    /// The service refused.
    pub async fn person(&self, email: &str, roles: &[&str], teams: &[&str]) -> (String, Api) {
        let user = json!({ "email": email, "name": email, "roles": roles, "teams": teams });
        let id = self.post("users", user).await.expect(201).text_at("/id");
        let token = self
            .post("tokens", json!({ "name": "test", "user_id": id }))
            .await
            .expect(201);
        let api = self.with_token(&token.text_at("/secret"));
        (id, api)
    }
}

impl Answer {
    /// Returns the answer after checking its status.
    ///
    /// # Panics
    /// The answer has another status.
    #[must_use]
    #[track_caller]
    pub fn expect(self, status: u16) -> Answer {
        assert_eq!(self.status, status, "{}: {}", self.asked, self.text);
        self
    }

    /// Returns the answer after checking that it is a problem of this status and code.
    ///
    /// # Panics
    /// The answer is not of that form.
    #[must_use]
    #[track_caller]
    pub fn problem(self, status: u16, code: &str) -> Answer {
        let kind = self
            .headers
            .get("content-type")
            .and_then(|kind| kind.to_str().ok())
            .unwrap_or_default()
            .to_owned();

        assert_eq!(
            (self.status, self.body["code"].as_str(), kind.as_str()),
            (status, Some(code), "application/problem+json"),
            "{}: {}",
            self.asked,
            self.text
        );

        self
    }

    /// Text at a JSON pointer.
    ///
    /// # Panics
    /// The answer has none.
    #[must_use]
    #[track_caller]
    pub fn text_at(&self, pointer: &str) -> String {
        let found = self.body.pointer(pointer).and_then(Value::as_str);
        found
            .unwrap_or_else(|| panic!("{}: no text at {pointer} in {}", self.asked, self.text))
            .to_owned()
    }

    /// The `items` of a list.
    ///
    /// # Panics
    /// The value is of another type.
    #[must_use]
    #[track_caller]
    pub fn items(&self) -> &[Value] {
        self.body["items"]
            .as_array()
            .unwrap_or_else(|| panic!("{}: no items in {}", self.asked, self.text))
    }
}

/// Percent-encodes text for a path's part or a parameter.
#[must_use]
pub fn encoded(text: &str) -> String {
    let plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~');
    text.bytes()
        .map(|byte| {
            if plain(byte) {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}

/// Shortest time that [`until`] waits before it gives up: machines that run tests are busy, and a
/// longer wait costs only the test that fails.
const LEAST_PATIENCE: Duration = Duration::from_secs(300);

/// Asks again and again until there is an answer.
///
/// # Panics
/// The condition was not met within `within`, or five minutes if that is longer.
#[track_caller]
pub fn until<T, F>(
    what: &str,
    within: Duration,
    mut ask: impl FnMut() -> F,
) -> impl Future<Output = T>
where
    F: Future<Output = Option<T>>,
{
    let caller = std::panic::Location::caller();
    let within = within.max(LEAST_PATIENCE);
    async move {
        let begun = Instant::now();
        let mut beat = tokio::time::interval(Duration::from_millis(100));
        loop {
            beat.tick().await;
            if let Some(found) = ask().await {
                return found;
            }
            assert!(
                begun.elapsed() < within,
                "{caller}: not within {within:?}: {what}"
            );
        }
    }
}
