//! Queries of a Prometheus server: `query` and `query_range` of its HTTP interface (stable since
//! 2.0).

use std::collections::BTreeMap;

use base64::Engine as _;
use jiff::Timestamp;
use reeve_audit::Obstacle;
use reeve_connect_outbound::{
    Method, Outbound, OutboundAnswer, OutboundError, OutboundRequest, StatusCode, Url,
};
use reeve_sources::{Labels, QueryCredentials};
use serde::Deserialize;

/// Largest answer that is read, in bytes.
pub const MAX_ANSWER_BYTES: usize = 64 << 20;
/// Longest text of a server that is passed on, characters.
const MAX_TEXT: usize = 300;

/// Kind of a failed query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueryErrorKind {
    /// The server denied the credentials.
    Denied,
    /// The server asked to wait.
    Throttled,
    /// The answer is too large; a shorter time gives a smaller one.
    TooLarge,
    /// Any other failure, such as an answer of another form.
    Other,
}

/// A failed query, in words for people.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct QueryError {
    /// Kind of the failure.
    pub kind: QueryErrorKind,
    /// The failure and its remedy.
    pub message: String,
    /// Wait that the server asks for, seconds.
    pub retry_after_s: Option<u64>,
}

/// A series of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct QueriedSeries {
    pub labels: Labels,
    /// (milliseconds since the epoch, value); values may be infinite or not numbers.
    pub points: Vec<(i64, f64)>,
}

/// Answer to a query.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QueryAnswer {
    pub series: Vec<QueriedSeries>,
    /// Warnings of the server, such as parts of a federation that did not answer.
    pub warnings: Vec<String>,
}

#[derive(Deserialize)]
struct Body {
    status: String,
    #[serde(default)]
    data: Option<Data>,
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    warnings: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Data {
    result_type: String,
    #[serde(default)]
    result: Vec<Found>,
}

#[derive(Deserialize)]
struct Found {
    #[serde(default)]
    metric: BTreeMap<String, String>,
    #[serde(default)]
    value: Option<(f64, String)>,
    #[serde(default)]
    values: Vec<(f64, String)>,
}

/// Client of the HTTP interface of one Prometheus server.
#[derive(Debug, Clone)]
pub struct Prometheus {
    outbound: Outbound,
    url: Url,
    credentials: QueryCredentials,
}

impl Prometheus {
    /// Returns a server at an address, which may end in a path prefix.
    ///
    /// # Errors
    /// The address is no URL.
    pub fn new(
        outbound: Outbound,
        url: &str,
        credentials: QueryCredentials,
    ) -> Result<Prometheus, QueryError> {
        let text = format!("{}/", url.trim_end_matches('/'));
        let url = text
            .parse()
            .map_err(|_| failed(QueryErrorKind::Other, "the address is not a URL"))?;
        Ok(Prometheus {
            outbound,
            url,
            credentials,
        })
    }

    /// Evaluates an expression at one time.
    ///
    /// # Errors
    /// The server did not answer, or answered with an error.
    pub async fn query(&self, expression: &str, at: Timestamp) -> Result<QueryAnswer, QueryError> {
        self.ask(
            "api/v1/query",
            &[("query", expression), ("time", &seconds(at))],
        )
        .await
    }

    /// Evaluates an expression at every step of a time, both ends included.
    ///
    /// # Errors
    /// The server did not answer, or answered with an error.
    pub async fn query_range(
        &self,
        expression: &str,
        start: Timestamp,
        end: Timestamp,
        step_s: u32,
    ) -> Result<QueryAnswer, QueryError> {
        let (start, end, step) = (seconds(start), seconds(end), step_s.to_string());
        self.ask(
            "api/v1/query_range",
            &[
                ("query", expression),
                ("start", &start),
                ("end", &end),
                ("step", &step),
            ],
        )
        .await
    }

    async fn ask(
        &self,
        path: &str,
        parameters: &[(&str, &str)],
    ) -> Result<QueryAnswer, QueryError> {
        let url = self
            .url
            .join(path)
            .map_err(|error| failed(QueryErrorKind::Other, &error.to_string()))?;
        // As a form in the body: expressions may be longer than an address.
        let mut form = Url::parse("http://form/")
            .map_err(|error| failed(QueryErrorKind::Other, &error.to_string()))?;
        form.query_pairs_mut().extend_pairs(parameters);
        let mut headers = vec![
            (
                "content-type".to_owned(),
                "application/x-www-form-urlencoded".to_owned(),
            ),
            ("accept".to_owned(), "application/json".to_owned()),
        ];

        headers.extend(
            authorization(&self.credentials).map(|value| ("authorization".to_owned(), value)),
        );
        let body = form.query().unwrap_or_default().as_bytes().to_vec();
        let sent = self
            .outbound
            .send(OutboundRequest {
                method: Method::POST,
                url,
                headers,
                body,
            })
            .await;

        read(&sent.map_err(|error| unanswered(&error))?)
    }
}

fn authorization(credentials: &QueryCredentials) -> Option<String> {
    match credentials {
        QueryCredentials::None => None,
        QueryCredentials::Bearer(token) => Some(format!("Bearer {token}")),
        QueryCredentials::Basic { username, password } => {
            let text =
                base64::engine::general_purpose::STANDARD.encode(format!("{username}:{password}"));
            Some(format!("Basic {text}"))
        }
    }
}

fn seconds(at: Timestamp) -> String {
    format!(
        "{}.{:03}",
        at.as_millisecond().div_euclid(1000),
        at.as_millisecond().rem_euclid(1000)
    )
}

fn failed(kind: QueryErrorKind, message: &str) -> QueryError {
    QueryError {
        kind,
        message: message.chars().take(MAX_TEXT).collect(),
        retry_after_s: None,
    }
}

fn unanswered(error: &OutboundError) -> QueryError {
    let kind = match error {
        OutboundError::TooLong(_) => QueryErrorKind::TooLarge,
        _ => QueryErrorKind::Other,
    };
    failed(kind, &format!("Prometheus did not answer: {error}"))
}

fn read(answer: &OutboundAnswer) -> Result<QueryAnswer, QueryError> {
    let body: Result<Body, _> = serde_json::from_slice(&answer.body);
    let said = body
        .as_ref()
        .ok()
        .and_then(|body| body.error.clone())
        .unwrap_or_default();

    let said = if said.is_empty() {
        String::new()
    } else {
        format!(": {said}")
    };

    match answer.status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            let message = format!(
                "Prometheus denied the credentials ({}){said}",
                answer.status
            );
            return Err(failed(QueryErrorKind::Denied, &message));
        }
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
            let error = failed(
                QueryErrorKind::Throttled,
                &format!("Prometheus is busy ({}){said}", answer.status),
            );
            return Err(QueryError {
                retry_after_s: answer.retry_after_s(Timestamp::now()),
                ..error
            });
        }
        _ => {}
    }

    let other = |message: String| failed(QueryErrorKind::Other, &message);
    if answer.status.is_server_error() {
        // Proxies answer with a page of their own when the server behind them is gone: the address
        // is right all the same.
        let server = if body.is_ok() {
            "Prometheus"
        } else {
            "Prometheus, or a proxy before it,"
        };
        return Err(other(format!("{server} failed ({}){said}", answer.status)));
    }

    let Ok(body) = body else {
        return Err(other(format!(
            "the answer ({}) is not one of Prometheus; check the address",
            answer.status
        )));
    };

    let data = match body.data {
        Some(data) if answer.status.is_success() && body.status == "success" => data,
        _ => {
            return Err(other(format!(
                "Prometheus refused the query ({}){said}",
                answer.status
            )));
        }
    };

    if !matches!(data.result_type.as_str(), "matrix" | "vector") {
        return Err(other(format!(
            "Prometheus answered with a {}, not with series",
            data.result_type
        )));
    }

    let series: Result<Vec<QueriedSeries>, Obstacle> =
        data.result.into_iter().map(series).collect();
    Ok(QueryAnswer {
        series: series.map_err(|fault| other(fault.into()))?,
        warnings: body.warnings,
    })
}

fn series(found: Found) -> Result<QueriedSeries, Obstacle> {
    let labels = Labels::new(found.metric.into_iter().collect()).map_err(Obstacle::of)?;
    let point = |(at, value): (f64, String)| {
        // Prometheus writes "NaN", "+Inf" and "-Inf", which Rust reads.
        let value: f64 = value
            .parse()
            .map_err(|_| format!("{value:?} is not a value"))?;
        Ok(((at * 1000.0).round() as i64, value))
    };

    let points: Result<Vec<_>, Obstacle> = found
        .values
        .into_iter()
        .chain(found.value)
        .map(point)
        .collect();

    Ok(QueriedSeries {
        labels,
        points: points?,
    })
}
