//! The queue from which a connection to AWS receives notices about spot capacity.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use reeve_access::Permission;
use reeve_audit::{FieldCode, Json as AuditJson, ResourceRef, events};
use reeve_estate::{Connection, ConnectionId, Provider};
use reeve_recommend::judgement::spot::SpotSource;
use reeve_recommend::judgement::spot_market::SpotMarket;
use utoipa_axum::routes;

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Body, Caller};
use crate::guard::{Access, Guarded};
use crate::wire::spot::{SpotMarketBody, SpotNoticesBody, SpotQueueInput};
use crate::{log_entry, time};

/// Longest address of a queue.
const LONGEST_URL: usize = 512;

pub(super) fn routes(guarded: Guarded) -> Guarded {
    guarded
        .add(Access::Needs(Permission::EstateView), routes!(get))
        .add(
            Access::Needs(Permission::EstateManage),
            routes!(put, delete),
        )
}

/// Returns the queue of notices and what arrived in it.
#[utoipa::path(get, path = "/api/v1/connections/{id}/spot-notices", tag = "estate", params(("id" = String, Path)),
    responses((status = 200, body = SpotNoticesBody), (status = 404, body = ProblemBody)))]
async fn get(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<SpotNoticesBody>, Problem> {
    let connection = app.estate.connection_get(&ConnectionId(id)).await?;
    let source = app.spots.spot_source(&connection.id).await?;
    Ok(Json(body_of(&app, &connection, source).await?))
}

/// Set the queue of notices.
#[utoipa::path(put, path = "/api/v1/connections/{id}/spot-notices", tag = "estate", params(("id" = String, Path)),
    request_body = SpotQueueInput,
    responses((status = 200, body = SpotNoticesBody), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
async fn put(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    caller: Caller,
    Body(body): Body<SpotQueueInput>,
) -> Result<Json<SpotNoticesBody>, Problem> {
    let connection = app.estate.connection_get(&ConnectionId(id)).await?;
    let url = queue_url(&connection, &body.queue_url)?;
    let before = app.spots.spot_source(&connection.id).await?;
    if let Some(same) = before.as_ref().filter(|source| source.queue_url == url) {
        return Ok(Json(body_of(&app, &connection, Some(same.clone())).await?));
    }

    let source = SpotSource::new(connection.id.clone(), url);
    let entry = log_entry::did(
        &caller,
        &events::INTEGRATION_MODIFY,
        "set_spot_queue",
        resource(&connection),
    )
    .before(state(before.as_ref()))
    .after(state(Some(&source)));
    app.change(entry, app.spots.spot_source_put(&source))
        .await?;
    Ok(Json(body_of(&app, &connection, Some(source)).await?))
}

/// Stop receiving notices. The queue itself stays.
#[utoipa::path(delete, path = "/api/v1/connections/{id}/spot-notices", tag = "estate", params(("id" = String, Path)),
    responses((status = 204), (status = 404, body = ProblemBody)))]
async fn delete(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    caller: Caller,
) -> Result<StatusCode, Problem> {
    let connection = app.estate.connection_get(&ConnectionId(id)).await?;
    let before = app.spots.spot_source(&connection.id).await?;
    let entry = log_entry::did(
        &caller,
        &events::INTEGRATION_MODIFY,
        "remove_spot_queue",
        resource(&connection),
    )
    .before(state(before.as_ref()))
    .after(state(None));
    app.change(entry, app.spots.spot_source_delete(&connection.id))
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

fn resource(connection: &Connection) -> ResourceRef {
    ResourceRef::new("connection", connection.id.0.clone())
}

fn state(source: Option<&SpotSource>) -> AuditJson {
    AuditJson::object([(
        "spot_queue",
        AuditJson::from(source.map(|source| source.queue_url.clone())),
    )])
}

/// Checks the address of a queue. Another scheme than HTTPS is for connections with an endpoint of
/// their own, such as an emulator.
fn queue_url(connection: &Connection, given: &str) -> Result<String, Problem> {
    let wrong = |message: &str| Problem::field("queue_url", FieldCode::InvalidValue, message);
    if connection.provider != Provider::Aws {
        return Err(wrong("only connections to AWS have a queue of notices"));
    }
    let url = given.trim();
    let rest = match (url.strip_prefix("https://"), &connection.endpoint) {
        (Some(rest), _) => Some(rest),
        (None, Some(_)) => url.strip_prefix("http://"),
        (None, None) => None,
    };
    let path = rest.and_then(|rest| rest.split_once('/'));
    let is_queue = path.is_some_and(|(host, path)| {
        let mut parts = path.split('/');
        let account = parts.next().unwrap_or_default();
        let name = parts.next().unwrap_or_default();
        !host.is_empty()
            && account.len() == 12
            && account.bytes().all(|byte| byte.is_ascii_digit())
            && !name.is_empty()
            && parts.next().is_none()
    });
    match is_queue && url.len() <= LONGEST_URL {
        true => Ok(url.to_owned()),
        false => Err(wrong(
            "must be the address of an SQS queue, as in https://sqs.us-east-1.amazonaws.com/111122223333/reeve-spot",
        )),
    }
}

async fn body_of(
    app: &App,
    connection: &Connection,
    source: Option<SpotSource>,
) -> Result<SpotNoticesBody, Problem> {
    let markets = app.spots.spot_markets(&connection.id).await?;
    let setup = setup(connection);
    let none = SpotSource::new(connection.id.clone(), String::new());
    let is_set = source.is_some();
    let source = source.unwrap_or(none);
    Ok(SpotNoticesBody {
        connection_id: connection.id.0.clone(),
        queue_url: is_set.then_some(source.queue_url),
        failure: source.failure,
        read_at: source.read_at.map(time::text),
        newest_at: source.newest_at.map(time::text),
        notices: source.notices,
        other_events: source.others,
        unreadable: source.unreadable,
        markets: markets
            .into_iter()
            .filter(has_capacity)
            .map(market_body)
            .collect(),
        setup,
    })
}

/// Returns `true` for a region with machines or groups that a market was read for.
fn has_capacity(market: &SpotMarket) -> bool {
    let failed = !market.price_failure.is_empty() || !market.score_failure.is_empty();
    failed || !market.prices.is_empty() || !market.placements.is_empty()
}

fn market_body(market: SpotMarket) -> SpotMarketBody {
    let scores = market.placements.iter().flat_map(|one| &one.zones);
    SpotMarketBody {
        lowest_score: scores.map(|zone| zone.score).min(),
        region: market.region,
        read_at: market.read_at.map(time::text),
        pools: market.prices.len(),
        days: market.days,
        price_failure: market.price_failure,
        groups: market.placements.len(),
        score_failure: market.score_failure,
        unasked: market.unasked,
    }
}

/// Commands that make a queue and deliver the events of the account's first region to it.
fn setup(connection: &Connection) -> Vec<String> {
    let region = connection
        .regions
        .first()
        .map_or("us-east-1", String::as_str);
    let account = match connection.account.as_str() {
        "" => "111122223333",
        account => account,
    };
    let queue = format!("arn:aws:sqs:{region}:{account}:reeve-spot");
    let pattern = r#"{"source":["aws.ec2"],"detail-type":["EC2 Spot Instance Interruption Warning","EC2 Instance Rebalance Recommendation","EC2 Instance State-change Notification"]}"#;
    let policy = format!(
        r#"{{\"Version\":\"2012-10-17\",\"Statement\":[{{\"Effect\":\"Allow\",\"Principal\":{{\"Service\":\"events.amazonaws.com\"}},\"Action\":\"sqs:SendMessage\",\"Resource\":\"{queue}\",\"Condition\":{{\"ArnEquals\":{{\"aws:SourceArn\":\"arn:aws:events:{region}:{account}:rule/reeve-spot\"}}}}}}]}}"#
    );
    vec![
        format!(
            "aws sqs create-queue --region {region} --queue-name reeve-spot --attributes MessageRetentionPeriod=3600"
        ),
        format!(
            "aws sqs set-queue-attributes --region {region} --queue-url https://sqs.{region}.amazonaws.com/{account}/reeve-spot --attributes '{{\"Policy\":\"{policy}\"}}'"
        ),
        format!(
            "aws events put-rule --region {region} --name reeve-spot --event-pattern '{pattern}'"
        ),
        format!(
            "aws events put-targets --region {region} --rule reeve-spot --targets Id=reeve,Arn={queue}"
        ),
    ]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn connection(endpoint: Option<&str>) -> Connection {
        Connection {
            id: ConnectionId("c".to_owned()),
            name: "acme".to_owned(),
            provider: Provider::Aws,
            account: "123456789012".to_owned(),
            regions: vec!["us-east-1".to_owned()],
            credentials: reeve_estate::ConnectionCredentials::Simulated,
            assume_role: None,
            external_id: None,
            endpoint: endpoint.map(str::to_owned),
            allow_actions: false,
            status: reeve_estate::ConnectionStatus::New,
            last_sync: None,
            last_error: None,
            created_at: jiff::Timestamp::UNIX_EPOCH,
        }
    }

    #[test]
    fn an_address_is_that_of_a_queue() {
        let own = connection(None);
        let good = "https://sqs.us-east-1.amazonaws.com/111122223333/reeve-spot";
        assert_eq!(queue_url(&own, good).unwrap(), good);
        for wrong in [
            "",
            "http://sqs.us-east-1.amazonaws.com/111122223333/reeve-spot",
            "https://sqs.us-east-1.amazonaws.com/reeve-spot",
            "https://sqs.us-east-1.amazonaws.com/111122223333/a/b",
        ] {
            assert!(queue_url(&own, wrong).is_err(), "{wrong}");
        }
        let emulator = connection(Some("http://127.0.0.1:5000"));
        assert!(queue_url(&emulator, "http://127.0.0.1:5000/123456789012/q").is_ok());
    }

    #[test]
    fn the_policy_of_the_queue_is_json() {
        let commands = setup(&connection(None));
        let attributes = commands[1].split('\'').nth(1).unwrap();
        let attributes: serde_json::Value = serde_json::from_str(attributes).unwrap();
        let policy = attributes["Policy"].as_str().unwrap();
        let policy: serde_json::Value = serde_json::from_str(policy).unwrap();
        assert_eq!(policy["Statement"][0]["Action"], "sqs:SendMessage");
    }
}
