//! Flow logs as sources, and the rules that security groups need.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use reeve_flows::{CutFlow, DayCount, FlowSource, LeastRules, RulePeer, TightRule, protocol_text};
use reeve_recommend::judgement::evidence::{JudgementEvidence, LEAST_PRIVILEGE};
use serde::Deserialize;

use super::exposures::listed;
use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Caller, Params};
use crate::time;
use crate::wire::exposure::ExposureParams;
use crate::wire::flow::{
    CutFlowBody, FlowCoverageBody, FlowSourceBody, GroupFlowDayBody, GroupRuleBody, GroupRulesBody,
};
use crate::wire::form::list::List;

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

fn group(found: &JudgementEvidence) -> Result<GroupRulesBody, Problem> {
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
        protocol: rule
            .protocol
            .map_or_else(|| "all".to_owned(), protocol_text),
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
        last_at: tight.last_s.map(time::text_s),
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
        last_at: time::text_s(cut.last_s),
    }
}

fn day_body(count: &DayCount) -> GroupFlowDayBody {
    GroupFlowDayBody {
        date: time::date_of_day(count.day),
        kept: count.kept,
        cut: count.cut,
        covered: count.covered,
    }
}
