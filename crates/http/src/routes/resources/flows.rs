//! Flows of the network interfaces of a resource.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use reeve_audit::FieldCode;
use reeve_estate::{Resource, ResourceId};
use reeve_flows::{FlowAction, FlowQuery, InterfaceFlows, SeenFlow, day_of, protocol_text};

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Caller, Params};
use crate::time;
use crate::wire::flow::{
    ResourceFlowBody, ResourceFlowDayBody, ResourceFlowParams, ResourceFlowsBody,
};

/// Days of flows that are read unless asked for.
const DAYS: u32 = 30;
/// Days for which flows are kept.
const MOST_DAYS: u32 = 400;
/// Interfaces of a resource that are looked at.
const MOST_INTERFACES: usize = 100;
/// Flows that are answered.
const MOST_FLOWS: usize = 500;
/// Neighbours of a resource among which its interfaces are looked for.
const MOST_NEIGHBOURS: u64 = 1000;

/// The flows of a resource's network interfaces.
#[utoipa::path(get, path = "/api/v1/resources/{id}/flows", tag = "estate",
    params(("id" = String, Path), ResourceFlowParams),
    responses((status = 200, body = ResourceFlowsBody), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn flows(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Params(params): Params<ResourceFlowParams>,
) -> Result<Json<ResourceFlowsBody>, Problem> {
    let days = params.days.unwrap_or(DAYS);
    if !(1..=MOST_DAYS).contains(&days) {
        let message = format!("must be 1 to {MOST_DAYS}");
        return Err(Problem::field("days", FieldCode::OutOfRange, &message));
    }

    let visible = app.visible(&caller.principal).await?;
    let resource = visible.resource(&ResourceId(id)).await?;
    let interfaces = interfaces_of(&app, &resource).await?;
    let sources = app.flows.flow_sources().await?;
    let sources = sources
        .iter()
        .filter(|one| one.connection == resource.connection);

    let today = day_of(app.now().as_second());
    let first = today - i32::try_from(days).unwrap_or(0) + 1;
    let seen = app
        .flows
        .flow_seen(&FlowQuery {
            connection: Some(resource.connection.clone()),
            interfaces: interfaces.clone(),
            from_day: first,
            until_day: None,
            action: None,
            since_s: None,
        })
        .await?;

    let by_day = by_day(&seen, first, today);
    let mut flows: Vec<&SeenFlow> = seen.iter().flat_map(|one| &one.flows).collect();
    flows.sort_by_key(|flow| std::cmp::Reverse(flow.counts.records()));
    let total = flows.len() as u64;
    flows.truncate(MOST_FLOWS);

    Ok(Json(ResourceFlowsBody {
        days,
        interfaces,
        items: flows.into_iter().map(flow_body).collect(),
        total,
        by_day,
        sources: sources.count() as u64,
    }))
}

/// Interfaces of a resource: itself, or those that point at it.
async fn interfaces_of(app: &App, resource: &Resource) -> Result<Vec<String>, Problem> {
    const INTERFACE: &str = "network_interface";
    if resource.kind.as_str() == INTERFACE {
        return Ok(vec![resource.id.0.clone()]);
    }
    let (found, _) = app
        .descriptions
        .neighbours(&resource.connection, &resource.id, MOST_NEIGHBOURS)
        .await?;
    let own = found.into_iter().filter(|neighbour| {
        let kind = neighbour
            .resource
            .as_ref()
            .map(|resource| resource.kind.as_str());
        neighbour.is_incoming && kind == Some(INTERFACE)
    });
    Ok(own
        .map(|neighbour| neighbour.id.0)
        .take(MOST_INTERFACES)
        .collect())
}

fn by_day(seen: &[InterfaceFlows], first: i32, last: i32) -> Vec<ResourceFlowDayBody> {
    let mut days: BTreeMap<i32, (u64, u64, u32)> =
        (first..=last).map(|day| (day, (0, 0, 0))).collect();
    for one in seen {
        for flow in &one.flows {
            for seen in &flow.days {
                if let Some(day) = days.get_mut(&seen.day) {
                    match flow.action {
                        FlowAction::Accepted => day.0 += seen.flows,
                        FlowAction::Refused => day.1 += seen.flows,
                    }
                }
            }
        }
        for covered in one.coverage.iter().filter(|covered| covered.is_covered()) {
            if let Some(day) = days.get_mut(&covered.day) {
                day.2 += 1;
            }
        }
    }
    let body = |(day, (accepted, refused, covered))| ResourceFlowDayBody {
        date: time::date_of_day(day),
        accepted,
        refused,
        covered,
    };
    days.into_iter().map(body).collect()
}

fn flow_body(flow: &SeenFlow) -> ResourceFlowBody {
    let is_address = flow.peer.prefix_len() == flow.peer.max_prefix_len();
    ResourceFlowBody {
        direction: flow.direction.into(),
        peer: match is_address {
            true => flow.peer.addr().to_string(),
            false => flow.peer.to_string(),
        },
        protocol: protocol_text(flow.protocol),
        port: flow.port,
        action: flow.action.into(),
        flows: flow.counts.records(),
        packets: flow.counts.packets,
        bytes: flow.counts.bytes,
        days: flow.days.len() as u32,
        first_at: time::text_s(flow.counts.first_s),
        last_at: time::text_s(flow.counts.last_s),
    }
}
