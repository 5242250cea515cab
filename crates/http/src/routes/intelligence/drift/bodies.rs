//! From baselines and drifts to the wire.

use std::collections::{BTreeSet, HashMap};

use jiff::SignedDuration;
use reeve_audit::query::{Expr, FieldPath, Match, Query, QueryColumn, may_be_by_reeve, time_range};
use reeve_audit::{ActionStatus, Entry, Json, events};
use reeve_controls::ControlCatalogue;
use reeve_estate::Document;
use reeve_ledger::SearchRequest;
use reeve_recommend::drift::cause::{self, DriftCause};
use reeve_recommend::drift::comparison::{ChangedMember, changed_members};
use reeve_recommend::drift::{BaselineId, Drift, DriftBaseline, standard};
use reeve_recommend::judgement::evidence::JudgementEvidence;
use reeve_recommend::recommendation::Priority;
use serde_json::json;

use crate::app::App;
use crate::error::Problem;
use crate::extract::Caller;
use crate::log_entry;
use crate::routes::audit_logs::ask;
use crate::scope::VisibleEstate;
use crate::time;
use crate::wire::drift::{
    BaselineBody, BaselineScopeBody, DriftAcceptanceBody, DriftBody, DriftCauseBody,
    DriftCheckBody, DriftCountsBody, DriftDetailBody, DriftDifferenceBody, DriftStepBody,
};

/// Steps of a history that are shown.
const MOST_STEPS: usize = 200;

pub(super) fn baseline(
    baseline: &DriftBaseline,
    counts: &HashMap<BaselineId, DriftCountsBody>,
) -> BaselineBody {
    let scope = &baseline.scope;
    BaselineBody {
        id: baseline.id.0.clone(),
        name: baseline.name.clone(),
        description: baseline.description.clone(),
        scope: BaselineScopeBody {
            connections: scope.connections.iter().map(|id| id.0.clone()).collect(),
            kinds: scope
                .kinds
                .iter()
                .map(|kind| kind.as_str().to_owned())
                .collect(),
            tags: scope.tags.clone(),
        },
        pinned_by: baseline.pinned_by.clone(),
        pinned_at: time::text(baseline.pinned_at),
        revision: baseline.revision,
        resources: baseline.resources,
        drifts: counts.get(&baseline.id).copied().unwrap_or_default(),
    }
}

pub(super) fn drift(drift: &Drift, names: &HashMap<BaselineId, String>) -> DriftBody {
    let subject = &drift.subject;
    DriftBody {
        id: drift.id.0.clone(),
        baseline_id: drift.baseline.0.clone(),
        baseline_name: names.get(&drift.baseline).cloned().unwrap_or_default(),
        resource_id: subject.resource.0.clone(),
        resource_name: subject.name.clone(),
        kind: subject.kind.as_str().to_owned(),
        provider: subject.provider.into(),
        account: subject.account.clone(),
        region: subject.region.clone(),
        connection_id: subject.connection.0.clone(),
        form: drift.form.into(),
        state: drift.state.into(),
        pinned_hash: drift.pinned_hash.clone(),
        pinned_at: time::text(drift.pinned_at),
        hash: drift.hash.clone(),
        agreed_at: drift.agreed_at.map(time::text),
        detected_at: time::text(drift.detected_at),
        changed_at: time::text(drift.changed_at),
        acceptance: drift.acceptance.as_ref().map(|one| DriftAcceptanceBody {
            by: one.by.clone(),
            at: time::text(one.at),
            reason: one.reason.clone(),
            ends_at: time::text(one.ends_at),
        }),
        resolution: drift.resolution.map(Into::into),
        resolved_at: drift.resolved_at.map(time::text),
        event_id: drift.event_id.clone(),
    }
}

/// A drift with what the caller may see of the log about it. That the log was read is recorded.
pub(super) async fn detail(
    app: &App,
    caller: &Caller,
    visible: &VisibleEstate<'_>,
    one: &Drift,
) -> Result<DriftDetailBody, Problem> {
    let catalogue = app.checks.current();
    let baseline = app.drifts.baseline_get(&one.baseline).await?;
    let names = HashMap::from([(baseline.id, baseline.name)]);
    let (differences, is_cut) = differences(app, one).await?;
    let caused = newest(app, caller, cause::query(one), cause::MOST_READ).await?;
    let steps = newest(app, caller, history(one), MOST_STEPS).await?;

    let asked = json!({ "drift": one.id.0 });
    let found = Some((caused.len() + steps.len()) as u64);
    let kind = &events::AUDIT_VIEW;
    let entry = log_entry::read_log(caller, kind, "drift_causes", asked, found);
    app.record_poll(caller, entry).await?;

    let causes = cause::causes(one.form, &caused);
    let is_known = causes.iter().any(|cause| cause.is_change);
    let failing = standard::failing_since(&*app.evidence, &one.subject, one.pinned_at).await?;
    Ok(DriftDetailBody {
        drift: drift(one, &names),
        differences: differences.into_iter().map(difference).collect(),
        is_cut,
        causes: causes.into_iter().map(cause_body).collect(),
        missing_source: (!is_known).then(|| cause::telling_source(one.subject.provider).to_owned()),
        failing_checks: failing
            .iter()
            .filter(|one| {
                let known = catalogue.check(&one.result.check);
                known.is_none_or(|check| visible.has_check(&catalogue, check))
            })
            .map(|one| check(&catalogue, one))
            .collect(),
        history: steps.iter().rev().map(step).collect(),
    })
}

async fn differences(app: &App, drift: &Drift) -> Result<(Vec<ChangedMember>, bool), Problem> {
    let (Some(pinned), Some(now)) = (&drift.pinned_hash, &drift.hash) else {
        return Ok((Vec::new(), false));
    };
    let hashes: BTreeSet<&String> = [pinned, now].into();
    let hashes: Vec<String> = hashes.into_iter().cloned().collect();
    let documents = app.descriptions.documents(&hashes).await?;
    let of = |hash: &String| documents.iter().find(|one| one.hash() == *hash);
    Ok(match (of(pinned), of(now)) {
        (Some(pinned), Some(now)) => {
            changed_members(drift.subject.kind, Document::json(pinned), now.json())
        }
        _ => (Vec::new(), true),
    })
}

/// The newest entries of a query that the caller may see.
async fn newest(
    app: &App,
    caller: &Caller,
    query: Query,
    most: usize,
) -> Result<Vec<Entry>, Problem> {
    let request = SearchRequest::newest(query, most, app.now());
    let page = app.trail(caller).search(&request).await;
    let page = page.map_err(ask::problem)?;
    Ok(page.entries.iter().map(|one| one.entry.clone()).collect())
}

/// Query for the entries about a drift.
fn history(drift: &Drift) -> Query {
    let exact = |path: FieldPath, text: &str| Expr::field(path, Match::Exact(text.to_owned()));
    let id = FieldPath::Metadata(vec!["drift_id".to_owned()]);
    let begin = drift.detected_at.checked_sub(SignedDuration::from_hours(1));
    Query {
        expr: Expr::and([
            exact(FieldPath::Column(QueryColumn::Category), "intelligence"),
            exact(
                FieldPath::Column(QueryColumn::ActionStatus),
                ActionStatus::Success.as_str(),
            ),
            exact(id, &drift.id.0),
            time_range(begin.ok(), None),
            may_be_by_reeve(),
        ]),
    }
}

fn difference(member: ChangedMember) -> DriftDifferenceBody {
    DriftDifferenceBody {
        path: member.path,
        pinned: member.pinned,
        now: member.now,
    }
}

fn cause_body(cause: DriftCause) -> DriftCauseBody {
    DriftCauseBody {
        event_id: cause.event_id,
        event_type: cause.event_type,
        operation: cause.operation,
        at: time::text(cause.at),
        actor_type: cause.actor_type,
        actor_id: cause.actor_id,
        actor_email: cause.actor_email,
        is_change: cause.is_change,
        action_id: cause.action_id,
    }
}

fn check(catalogue: &ControlCatalogue, failing: &JudgementEvidence) -> DriftCheckBody {
    let check = catalogue.check(&failing.result.check);
    DriftCheckBody {
        check: failing.result.check.clone(),
        title: check.map_or_else(String::new, |check| check.title.clone()),
        severity: check.map_or(Priority::Low, |check| check.severity).into(),
        why: failing.result.why.clone(),
        since: time::text(failing.since),
        event_id: failing.event_id.clone(),
    }
}

fn step(entry: &Entry) -> DriftStepBody {
    let operation = entry.action.operation.as_deref().unwrap_or_default();
    let member = |name: &str| {
        let value = entry.metadata.extra.get(name).and_then(Json::as_str);
        value.map(str::to_owned)
    };
    let actor = &entry.actor;
    DriftStepBody {
        operation: operation.trim_start_matches("drift.").to_owned(),
        at: time::text(entry.timestamp),
        by: actor
            .email
            .clone()
            .or_else(|| actor.id.clone())
            .unwrap_or_default(),
        reason: member("reason").or_else(|| member("resolution")),
        event_id: entry.event_id.to_string(),
    }
}
