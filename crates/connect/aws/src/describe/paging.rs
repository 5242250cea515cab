//! Every row is read to its last page: a fake answers each listing in three pages, under the limits
//! that AWS documents.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;
use axum::Router;
use axum::http::{HeaderMap, Uri};
use axum::response::IntoResponse;
use jiff::Timestamp;
use parking_lot::Mutex;
use reeve_connect_outbound::{Outbound, OutboundLimits, OutboundPolicy};
use reeve_estate::{
    Connection, ConnectionCredentials, ConnectionId, ConnectionStatus, Described,
    DescriptionReading, DescriptionSink, Provider, ReadOutcome, StoreError,
};
use serde_json::{Map, Value, json};

use super::call;
use super::row::{DescribeDetail, KindRow, Protocol};
use super::rows;
use crate::{AwsConnection, Tuning};

/// Items on each of the three pages.
const ITEMS: usize = 3;
/// Listings that answer without a token if the request names no page size.
const SILENT: [(&str, &str); 1] = [("ListQueues", "\"MaxResults\":1000")];
/// Kinds without pages: S3 returns all buckets of an account, `DescribeAddresses`,
/// `DescribeConfigurationRecorders`, `DescribeTrails` and `ListDomainNames` have no token, and the
/// others are one document.
const WHOLE: [&str; 10] = [
    "account_summary",
    "bucket",
    "configuration_recorder",
    "credential_report",
    "ip_address",
    "password_policy",
    "region",
    "search_domain",
    "trail",
    "volume_defaults",
];

/// Sets the member at a path.
fn set(value: &mut Map<String, Value>, path: &str, to: Value) {
    match path.split_once('.') {
        None => _ = value.insert(path.to_owned(), to),
        Some((first, rest)) => {
            let inner = value.entry(first).or_insert_with(|| json!({}));
            set(inner.as_object_mut().unwrap(), rest, to);
        }
    }
}

/// Members that templates name.
fn members(template: &str) -> impl Iterator<Item = &str> {
    template
        .split('{')
        .skip(1)
        .filter_map(|part| part.split_once('}'))
        .map(|(name, _)| name)
}

/// An item with every member that the row's identifier and further calls need.
fn item(row: &KindRow, mark: &str) -> Map<String, Value> {
    let mut item = Map::new();
    let calls = row.details.iter().flat_map(|detail| {
        members(detail.ask.action).chain(
            detail
                .ask
                .parameters
                .iter()
                .flat_map(|(_, value)| members(value)),
        )
    });

    for name in members(row.id)
        .chain(calls)
        .filter(|name| !["account", "region"].contains(name))
    {
        set(&mut item, name, json!(mark));
    }

    item
}

fn at(path: &str, value: Value) -> Map<String, Value> {
    let mut answer = Map::new();
    match path {
        "" => return value.as_object().cloned().unwrap_or_default(),
        path => set(&mut answer, path, value),
    }
    answer
}

/// A page of a listing. A service that is asked for no page size where it needs one returns the
/// first page as if it were all.
fn page(row: &KindRow, request: &str) -> Value {
    let page = (1..3)
        .find(|page| request.contains(&format!("token-{page}")))
        .unwrap_or(0);
    // Of the snapshots of each page, the first is public.
    let count = if request.contains("RestorableBy.1=all") {
        1
    } else {
        ITEMS
    };
    let items = (0..count).map(|number| {
        let mark = format!("mark-{}-{page}-{number}-end", row.kind.replace('_', "."));
        if row.item_name.is_empty() {
            Value::Object(item(row, &mark))
        } else {
            json!(mark)
        }
    });
    let mut answer = at(row.items, items.collect());

    let is_silent = SILENT
        .iter()
        .any(|(action, size)| *action == row.list.action && !request.contains(size));
    if !row.next.1.is_empty() && page < 2 && !is_silent {
        set(
            &mut answer,
            row.next.1,
            json!(format!("token-{}", page + 1)),
        );
    }

    Value::Object(answer)
}

/// The answer to a further call about the item that the request marks: what the row reads of it
/// stands below the member that takes it.
fn further(row: &KindRow, detail: &DescribeDetail, request: &str) -> Value {
    let marked = request
        .split_once("mark-")
        .and_then(|(_, rest)| rest.split_once("-end"));
    let Some((mark, _)) = marked else {
        return json!({});
    };

    let whole = Value::Object(item(row, &format!("mark-{mark}-end")));
    let part = whole.get(detail.into).cloned().unwrap_or(whole);
    Value::Object(at(detail.from, part))
}

/// Answers any call of the table.
async fn answer(headers: HeaderMap, uri: Uri, body: String) -> impl IntoResponse {
    let target = headers
        .get("x-amz-target")
        .and_then(|target| target.to_str().ok())
        .unwrap_or_default()
        .to_owned();

    if body.contains("GetCallerIdentity") {
        return "<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>arn:aws:iam::123456789012:user/x</Arn>\
                <UserId>X</UserId><Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>"
            .to_owned();
    }

    let signed_for = headers
        .get("authorization")
        .and_then(|text| text.to_str().ok())
        .unwrap_or_default()
        .to_owned();
    let request = format!("{uri} {body}");
    let is_called = |row: &KindRow, action: &str| match row.service.protocol {
        Protocol::Query { version } => {
            format!("{body}&").contains(&format!("Action={action}&Version={version}&"))
        }
        Protocol::Json { target: prefix, .. } => target == format!("{prefix}.{action}"),
        Protocol::Rest => uri.path() == action,
    };

    let own = |row: &&&KindRow| signed_for.contains(&format!("/{}/aws4_request", row.service.name));
    let all: Vec<&KindRow> = rows::all().collect();
    let sent: Value = serde_json::from_str(&body).unwrap_or_default();
    let names = |row: &KindRow| {
        let mut wanted = row
            .list
            .parameters
            .iter()
            .filter(|(name, _)| *name != "MaxResults");
        if matches!(row.service.protocol, Protocol::Json { .. }) {
            let wanted: Vec<_> = wanted
                .map(|(name, value)| (*name, (*value).to_owned()))
                .collect();
            let wanted = call::members(&wanted);
            let mut members = wanted.as_object().into_iter().flatten();
            return members.all(|(name, value)| sent.get(name) == Some(value));
        }
        wanted.all(|(name, value)| body.contains(&format!("{name}={value}")))
    };

    let listed = all
        .iter()
        .filter(own)
        .find(|row| is_called(row, row.list.action) && names(row));
    let answer = listed.map(|row| page(row, &request)).or_else(|| {
        let marked =
            |row: &&&&KindRow| request.contains(&format!("mark-{}-", row.kind.replace('_', ".")));
        let row = all.iter().filter(own).find(|row| marked(&row))?;
        let is_rest = matches!(row.service.protocol, Protocol::Rest);
        let detail = row
            .details
            .iter()
            .find(|detail| is_rest || is_called(row, detail.ask.action))?;
        Some(further(row, detail, &request))
    });

    answer.unwrap_or_else(|| json!({})).to_string()
}

/// Counts what it is handed by kind.
#[derive(Default)]
struct Counted {
    items: Mutex<BTreeMap<String, usize>>,
    /// Snapshots that are restorable by all, and those that are not.
    snapshots: Mutex<BTreeMap<bool, usize>>,
    readings: Mutex<Vec<DescriptionReading>>,
}

#[async_trait]
impl DescriptionSink for Counted {
    async fn page(&self, page: Vec<Described>) -> Result<(), StoreError> {
        let mut items = self.items.lock();
        for one in page {
            let public = one.document.json().get("restorableByAll");
            if let Some(public) = public.and_then(Value::as_bool) {
                *self.snapshots.lock().entry(public).or_default() += 1;
            }
            *items
                .entry(one.resource.kind.as_str().to_owned())
                .or_default() += 1;
        }
        Ok(())
    }

    async fn end(&self, reading: DescriptionReading) -> Result<(), StoreError> {
        self.readings.lock().push(reading);
        Ok(())
    }
}

fn connection(endpoint: String) -> Connection {
    let (id, secret) = ("AKIAIOSFODNN7EXAMPLE".to_owned(), "secret".to_owned());
    Connection {
        id: ConnectionId("test".to_owned()),
        name: "test".to_owned(),
        provider: Provider::Aws,
        account: String::new(),
        regions: vec!["us-east-1".to_owned()],
        credentials: ConnectionCredentials::AccessKey {
            access_key_id: id,
            secret_access_key: secret,
            session_token: None,
        },
        assume_role: None,
        external_id: None,
        endpoint: Some(endpoint),
        allow_actions: false,
        status: ConnectionStatus::New,
        last_sync: None,
        last_error: None,
        created_at: Timestamp::UNIX_EPOCH,
    }
}

#[tokio::test]
async fn every_row_is_read_to_its_last_page() {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0))
        .await
        .unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(answer)).await });
    let limits = OutboundLimits {
        time: Duration::from_secs(60),
        body: 1 << 20,
        redirects: 0,
    };

    let out = Outbound::new(
        OutboundPolicy {
            allow: vec!["127.0.0.0/8".parse().unwrap()],
            ..OutboundPolicy::default()
        },
        limits,
    );

    let tuning = Tuning::for_endpoint(Some(&endpoint));
    let aws = AwsConnection::open_with(&connection(endpoint), &out, tuning)
        .await
        .unwrap();
    let counted = Counted::default();
    aws.describe_all(&counted).await.unwrap();
    let (items, readings) = (counted.items.into_inner(), counted.readings.into_inner());
    let public = BTreeMap::from([(true, 3), (false, 3 * (ITEMS - 1))]);
    assert_eq!(counted.snapshots.into_inner(), public);

    for row in rows::all() {
        let reading = readings
            .iter()
            .find(|reading| reading.kind.as_str() == row.kind)
            .unwrap();
        assert_eq!(
            reading.outcome,
            ReadOutcome::Complete,
            "{}: {}",
            row.kind,
            reading.message
        );
        assert_eq!(
            row.next.0.is_empty(),
            WHOLE.contains(&row.kind),
            "{} has pages, or has none",
            row.kind
        );
        let seen = items.get(row.kind).copied().unwrap_or_default();
        assert!(
            WHOLE.contains(&row.kind) || seen == 3 * ITEMS,
            "{}: {seen} of {}",
            row.kind,
            3 * ITEMS
        );
    }
}
