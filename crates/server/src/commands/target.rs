//! Place at which a command finds the log: a data directory that nobody has open, or a running
//! service.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use bytes::{Bytes, BytesMut};
use jiff::Timestamp;
use reqwest::header::RETRY_AFTER;
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use serde_json::Value;

use reeve_audit::events::EventKind;
use reeve_audit::{ActionMethod, ActionStatus, Draft, Entry, Json, ResourceRef};
use reeve_ledger::OpenError;

use crate::account::Account;
use crate::cli::{ServiceTarget, Target};
use crate::config::Config;
use crate::service::{OpenedLog, open_log};

/// Number of times that a request is sent before its failure counts.
const ATTEMPTS: u32 = 7;
/// The longest wait between two attempts, unless the service requires more.
const LONGEST: Duration = Duration::from_secs(30);

/// The log, wherever it is.
pub(crate) enum LogAt {
    /// In a data directory.
    Here(Box<OpenedLog>),
    /// Behind a running service.
    There(Remote),
}

pub(crate) struct Remote {
    client: Client,
    base: String,
    token: String,
    /// `true` if it has answered before: a service that never did is not waited for.
    answered: AtomicBool,
}

/// Opens what the flags name, to write to it.
pub(crate) async fn open(target: &Target) -> Result<LogAt> {
    match &target.data_dir {
        Some(dir) => {
            let log = open_dir(dir, &target.service.url, target.accept_unsigned).await?;
            Ok(LogAt::Here(Box::new(log)))
        }
        None => Ok(LogAt::There(Remote::new(&target.service)?)),
    }
}

/// Reading of the log that a command is about to do.
pub(crate) struct TargetReading {
    /// The type of the entry about it.
    pub(crate) kind: &'static EventKind,
    /// The command, `reeve audit search`.
    pub(crate) command: &'static str,
    /// Request: query, period, and whatever else decides which entries are shown.
    pub(crate) request: Value,
}

/// Opens what the flags name, to read it: a data directory must have a log already. A service
/// records what it is asked; of a data directory that is read directly, the account of the
/// operating system is recorded before anything is read, and a log that cannot be written cannot be
/// read this way.
pub(crate) async fn open_to_read(target: &Target, reading: TargetReading) -> Result<LogAt> {
    if let Some(dir) = &target.data_dir
        && !dir.join("ledger").is_dir()
    {
        bail!("{} holds no log", dir.display());
    }

    let opened = open(target).await?;
    if let LogAt::Here(log) = &opened {
        record(log, reading)
            .await
            .context("the log was not read, because the reading of it could not be recorded")?;
    }

    Ok(opened)
}

async fn record(log: &OpenedLog, reading: TargetReading) -> Result<()> {
    let entry = Entry::for_event(reading.kind)
        .by(Account::current().actor())
        .on(ResourceRef::new("audit_log", "audit-logs"))
        .with_action(reading.command, ActionStatus::Success, ActionMethod::Cli)
        .with_metadata("request", Json::from(reading.request))
        .with_metadata("place", "data directory");

    let draft =
        Draft::by_reeve(entry, Timestamp::now()).map_err(|errors| anyhow::anyhow!("{errors:?}"))?;
    log.ledger.append(vec![draft]).await?;
    Ok(())
}

async fn open_dir(dir: &Path, url: &str, accept_unsigned: bool) -> Result<OpenedLog> {
    let config = Config {
        data_dir: dir.to_owned(),
        accept_unsigned,
        ..Config::default()
    };
    open_log(&config).await.map_err(|error| {
        let locked = error.chain().any(|cause| matches!(cause.downcast_ref(), Some(OpenError::Locked { .. })));
        if locked {
            let dir = dir.display();
            error.context(format!(
                "a running service uses {dir}; query that service with --url {url} and --token (REEVE_URL, REEVE_TOKEN) in place of --data-dir"
            ))
        } else {
            error.context(format!("the log in {} could not be opened", dir.display()))
        }
    })
}

impl Remote {
    /// The service that the flags name.
    pub(crate) fn new(service: &ServiceTarget) -> Result<Self> {
        let Some(token) = service.token.clone() else {
            bail!(
                "name a data directory with --data-dir, or give a token for {} with --token or REEVE_TOKEN",
                service.url
            );
        };

        let client = Client::builder()
            .connect_timeout(Duration::from_secs(10))
            .user_agent(concat!("reeve/", env!("CARGO_PKG_VERSION")))
            .build()?;
        Ok(Self {
            client,
            base: service.url.trim_end_matches('/').to_owned(),
            token,
            answered: AtomicBool::new(false),
        })
    }

    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    /// A POST to a path of the interface.
    pub(crate) fn post(&self, path: &str) -> RequestBuilder {
        self.client
            .post(format!("{}/api/v1/{path}", self.base))
            .bearer_auth(&self.token)
    }

    /// A PUT to a path of the interface.
    pub(crate) fn put(&self, path: &str) -> RequestBuilder {
        self.client
            .put(format!("{}/api/v1/{path}", self.base))
            .bearer_auth(&self.token)
    }

    /// A DELETE of a path of the interface.
    pub(crate) fn delete(&self, path: &str) -> RequestBuilder {
        self.client
            .delete(format!("{}/api/v1/{path}", self.base))
            .bearer_auth(&self.token)
    }

    /// A GET of a path of the interface.
    pub(crate) fn get(&self, path: &str) -> RequestBuilder {
        self.client
            .get(format!("{}/api/v1/{path}", self.base))
            .bearer_auth(&self.token)
    }

    /// Sends a request once.
    pub(crate) async fn send(&self, request: RequestBuilder) -> Result<Reply> {
        self.reply(self.response(request).await?, usize::MAX).await
    }

    /// Sends a request whose repetition does no harm: again, after a while, when the service is
    /// busy, fails or is away. An answer that is longer than `most` bytes is given up.
    pub(crate) async fn ask(&self, request: RequestBuilder, most: usize) -> Result<Reply> {
        let mut wait = Duration::from_millis(250);
        for attempt in 1.. {
            let again = request
                .try_clone()
                .context("the request cannot be repeated")?;
            let reply = match self.response(again).await {
                Ok(response) => self.reply(response, most).await,
                Err(error) => Err(error),
            };
            let last = attempt >= ATTEMPTS;
            let asked = match reply {
                Ok(Reply::Busy(seconds)) if !last => Some(Duration::from_secs(seconds)),
                Ok(Reply::Failed(..)) if !last => None,
                Err(error) if !last && self.answered.load(Ordering::Relaxed) => {
                    tracing::debug!("{error:#}");
                    None
                }
                reply => return reply,
            };
            if attempt == 2 {
                tracing::warn!("{} is busy or unreachable; trying again", self.base);
            }
            tokio::time::sleep(asked.unwrap_or(wait)).await;
            wait = (wait * 2).min(LONGEST);
        }

        bail!("{} did not answer", self.base)
    }

    /// Sends a request; the response as it begins.
    pub(crate) async fn response(&self, request: RequestBuilder) -> Result<Response> {
        let response = request
            .send()
            .await
            .with_context(|| format!("{} did not answer", self.base))?;
        self.answered.store(true, Ordering::Relaxed);
        Ok(response)
    }

    /// Reads a response to its end.
    pub(crate) async fn reply(&self, mut response: Response, most: usize) -> Result<Reply> {
        let status = response.status();
        if status == StatusCode::TOO_MANY_REQUESTS {
            let after = response
                .headers()
                .get(RETRY_AFTER)
                .and_then(|value| value.to_str().ok()?.parse().ok());
            return Ok(Reply::Busy(after.unwrap_or(1)));
        }

        let mut body = BytesMut::new();
        while let Some(part) = response
            .chunk()
            .await
            .with_context(|| format!("{} closed the connection too early", self.base))?
        {
            if body.len() + part.len() > most {
                return Ok(Reply::TooMuch);
            }
            body.extend_from_slice(&part);
        }

        if status.is_success() {
            return Ok(Reply::Done(body.freeze()));
        }

        let problem =
            serde_json::from_slice(&body).unwrap_or_else(|_| Value::String(status.to_string()));
        Ok(if status.is_server_error() {
            Reply::Failed(problem)
        } else {
            Reply::Refused(problem)
        })
    }

    /// Reason of a refusal, in the service's words.
    pub(crate) fn words(&self, problem: &Value) -> String {
        let detail = problem
            .get("detail")
            .or(Some(problem))
            .and_then(Value::as_str)
            .unwrap_or("it gave no reason");

        let hint = problem
            .get("hint")
            .and_then(Value::as_str)
            .map(|hint| format!(" ({hint})"))
            .unwrap_or_default();
        format!("{} refused: {detail}{hint}", self.base)
    }
}

/// Answer of a service.
pub(crate) enum Reply {
    /// Done, with its body.
    Done(Bytes),
    /// Refused, with its problem.
    Refused(Value),
    /// It failed inside, or something before it did.
    Failed(Value),
    /// Again after so many seconds.
    Busy(u64),
    /// More than was requested.
    TooMuch,
}
