//! Flow logs as sources, the flows of a resource, and the rules that security groups need.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use jiff::Timestamp;
use reeve_audit::FieldCode;
use reeve_estate::{Resource, ResourceId};
use reeve_flows::{
    CutFlow, DayCount, FlowAction, FlowQuery, FlowSource, InterfaceFlows, LeastRules, RulePeer,
    SeenFlow, TightRule, day_of, first_second, protocol_text,
};
use reeve_recommend::judgement::evidence::{Evidence, LEAST_PRIVILEGE};
use serde::Deserialize;

use super::exposures::listed;
use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Caller, Params};
use crate::time;
use crate::wire::exposure::ExposureParams;
use crate::wire::flow::{
    CutFlowBody, FlowCoverageBody, FlowSourceBody, GroupFlowDayBody, GroupRuleBody,
    GroupRulesBody, ResourceFlowBody, ResourceFlowDayBody, ResourceFlowParams, ResourceFlowsBody,
};
use crate::wire::form::list::List;

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

/// Flow logs and the state of each.
#[utoipa::path(get, path = "/api/v1/intelligence/flow-sources", tag = "intelligence",
    responses((status = 200, body = List<FlowSourceBody>)))]
pub(super) async fn sources(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<Json<List<FlowSourceBody>>, Problem> {
    let visible = app.visible(&caller.principal).await?.connections();
    let found = app.flows.flow_sources().await?;
    let items: Vec<FlowSourceBody> = found
        .into_iter()
        .filter(|source| visible.contains(&source.connection))
        .map(source_body)
        .collect();
    let total = items.len() as u64;
    Ok(Json(List {
        items,
        total,
        next_cursor: None,
    }))
}

fn source_body(source: FlowSource) -> FlowSourceBody {
    FlowSourceBody {
        id: source.id,
        connection_id: source.connection.0,
        region: source.region,
        source_of: source.of,
        destination: source.destination,
        state: source.state.into(),
        detail: source.detail,
        records: source.records,
        skipped: source.skipped,
        unreadable: source.unreadable,
        newest_at: source.newest_at.map(time::text),
        read_at: time::text(source.read_at),
    }
}

/// Security groups with the rules that their traffic needs.
#[utoipa::path(get, path = "/api/v1/intelligence/security-groups", tag = "intelligence", params(ExposureParams),
    responses((status = 200, body = List<GroupRulesBody>), (status = 422, body = ProblemBody)))]
pub(super) async fn groups(
    State(app): State<Arc<App>>,
    caller: Caller,
    Params(params): Params<ExposureParams>,
) -> Result<Json<List<GroupRulesBody>>, Problem> {
    listed(&app, &caller, LEAST_PRIVILEGE, params, group).await
}

/// Members of an answer in the values of its evidence; those of an answer without rules are absent.
#[derive(Debug, Deserialize)]
struct Answered {
    #[serde(flatten)]
    least: Option<LeastRules>,
    #[serde(default)]
    obstacles: Vec<String>,
}

fn group(found: &Evidence) -> Result<GroupRulesBody, Problem> {
    let Answered { least, obstacles } =
        Answered::deserialize(&found.result.values).map_err(Problem::internal)?;
    let empty = LeastRules {
        window_days: 0,
        rules: Vec::new(),
        present: Vec::new(),
        cut: Vec::new(),
        cut_total: 0,
        days: Vec::new(),
        interfaces: Vec::new(),
        interfaces_total: 0,
    };
    let least = least.unwrap_or(empty);

    Ok(GroupRulesBody {
        resource_id: found.resource.0.clone(),
        resource_name: found.name.clone(),
        kind: found.kind.as_str().to_owned(),
        account: found.account.clone(),
        region: found.region.clone(),
        connection_id: found.connection.0.clone(),
        result: found.result.answer.into(),
        why: found.result.why.clone(),
        window_days: least.window_days,
        rules: least.rules.iter().map(rule_body).collect(),
        present: least.present.iter().map(rule_body).collect(),
        cut: least.cut.into_iter().map(cut_body).collect(),
        cut_total: least.cut_total,
        days: least.days.iter().map(day_body).collect(),
        interfaces: least
            .interfaces
            .into_iter()
            .map(|one| FlowCoverageBody {
                interface: one.interface,
                covered_days: one.covered_days,
                skipped: one.skipped,
            })
            .collect(),
        interfaces_total: least.interfaces_total,
        obstacles,
        since: time::text(found.since),
        event_id: found.event_id.clone(),
    })
}

fn rule_body(tight: &TightRule) -> GroupRuleBody {
    let rule = &tight.rule;
    GroupRuleBody {
        direction: rule.direction.into(),
        protocol: rule.protocol.map_or_else(|| "all".to_owned(), protocol_text),
        from_port: rule.from_port,
        to_port: rule.to_port,
        peer: match &rule.peer {
            RulePeer::Network(network) => network.to_string(),
            RulePeer::Group(id) | RulePeer::PrefixList(id) => id.clone(),
        },
        reason: tight.reason.into(),
        flows: tight.flows,
        peers: tight.peers,
        days: tight.days,
        last_at: tight.last_s.map(at),
    }
}

fn cut_body(cut: CutFlow) -> CutFlowBody {
    CutFlowBody {
        direction: cut.direction.into(),
        peer: cut.peer,
        protocol: cut.protocol,
        port: cut.port,
        reason: cut.reason,
        flows: cut.flows,
        bytes: cut.bytes,
        days: cut.days,
        last_at: at(cut.last_s),
    }
}

fn day_body(count: &DayCount) -> GroupFlowDayBody {
    GroupFlowDayBody {
        date: date(count.day),
        kept: count.kept,
        cut: count.cut,
        covered: count.covered,
    }
}

fn at(second: i64) -> String {
    time::text(Timestamp::from_second(second).unwrap_or(Timestamp::UNIX_EPOCH))
}

fn date(day: i32) -> String {
    let time = Timestamp::from_second(first_second(day)).unwrap_or(Timestamp::UNIX_EPOCH);
    time.strftime("%Y-%m-%d").to_string()
}

/// The flows of a resource's network interfaces.
#[utoipa::path(get, path = "/api/v1/resources/{id}/flows", tag = "estate",
    params(("id" = String, Path), ResourceFlowParams),
    responses((status = 200, body = ResourceFlowsBody), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(crate) async fn of_resource(
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
    let sources = sources.iter().filter(|one| one.connection == resource.connection);

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
    flows.sort_by_key(|flow| std::cmp::Reverse(flow.flows + flow.answers));
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
        let kind = neighbour.resource.as_ref().map(|resource| resource.kind.as_str());
        neighbour.is_incoming && kind == Some(INTERFACE)
    });
    Ok(own.map(|neighbour| neighbour.id.0).take(MOST_INTERFACES).collect())
}

fn by_day(seen: &[InterfaceFlows], first: i32, last: i32) -> Vec<ResourceFlowDayBody> {
    let mut days: BTreeMap<i32, (u64, u64, u32)> = (first..=last).map(|day| (day, (0, 0, 0))).collect();
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
        date: date(day),
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
        flows: flow.flows + flow.answers,
        packets: flow.packets,
        bytes: flow.bytes,
        days: flow.days.len() as u32,
        first_at: at(flow.first_s),
        last_at: at(flow.last_s),
    }
}
