//! Where a command finds the log: a data directory that nobody has open, or a running service.

use anyhow::{Context as _, Result, bail};
use reqwest::{Client, RequestBuilder, StatusCode};
use serde_json::Value;

use crate::cli::Target;
use crate::config::Config;
use crate::service::{Log, open_log};

/// The log, wherever it is.
pub(crate) enum LogAt {
    /// In a data directory.
    Here(Box<Log>),
    /// Behind a running service.
    There(Remote),
}

/// A running service.
pub(crate) struct Remote {
    client: Client,
    base: String,
    token: String,
}

/// Opens what the flags name.
pub(crate) async fn open(target: &Target) -> Result<LogAt> {
    if let Some(dir) = &target.data_dir {
        let config = Config { data_dir: dir.clone(), ..Config::default() };
        let log =
            open_log(&config).await.with_context(|| format!("the log in {} could not be opened", dir.display()))?;
        return Ok(LogAt::Here(Box::new(log)));
    }
    let Some(token) = target.token.clone() else {
        bail!("name a data directory with --data-dir, or give a token for {} with --token or REEVE_TOKEN", target.url);
    };
    let client = Client::builder().connect_timeout(std::time::Duration::from_secs(10)).build()?;
    Ok(LogAt::There(Remote { client, base: target.url.trim_end_matches('/').to_owned(), token }))
}

impl Remote {
    /// A POST to a path of the interface.
    pub(crate) fn post(&self, path: &str) -> RequestBuilder {
        self.client.post(format!("{}/api/v1/{path}", self.base)).bearer_auth(&self.token)
    }

    /// Sends a request.
    pub(crate) async fn send(&self, request: RequestBuilder) -> Result<Reply> {
        let response = request.send().await.with_context(|| format!("{} did not answer", self.base))?;
        let status = response.status();
        if status == StatusCode::TOO_MANY_REQUESTS {
            let after = response.headers().get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
            return Ok(Reply::Busy(after.unwrap_or(1)));
        }
        let text = response.text().await?;
        let body: Value = serde_json::from_str(&text).unwrap_or(Value::String(text));
        Ok(if status.is_success() { Reply::Done(body) } else { Reply::Refused(body) })
    }

    /// What the service said of a refusal.
    pub(crate) fn words(&self, problem: &Value) -> String {
        let detail = problem.get("detail").and_then(Value::as_str).unwrap_or("it gave no reason");
        format!("{} refused: {detail}", self.base)
    }
}

/// What a service answered.
pub(crate) enum Reply {
    /// Done, with its body.
    Done(Value),
    /// Refused, with its problem.
    Refused(Value),
    /// Again after so many seconds.
    Busy(u64),
}
