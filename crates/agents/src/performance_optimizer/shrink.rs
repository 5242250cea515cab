//! `scale_down_intelligently`: idle members of a group that neither its load nor the forecast
//! needs.
//!
//! A member is idle while its `active_sessions` are known to be zero; where no member's sessions
//! are counted, all are idle while no request is in flight (requests a second times seconds to an
//! answer). Unknown sessions are no idle ones, and nothing is ended by them. The plan ends the
//! members by name; the engine asks for their sessions again right before each.

use reeve_estate::{Capacity, Document, Metric, Money, Resource};
use reeve_learn::{Backtest, Window};
use reeve_recommend::change::EndMembers;
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::judgement::service_load::{MeasuredResource, ServiceLoad};
use reeve_recommend::judgement::sessions::{self, IN_FLIGHT, SessionSource};
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::plan::Plan;
use reeve_recommend::plan::relief::Relief;
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{Effort, FactorKind, Factors, Priority};
use serde_json::Value;

use super::demand::{KIND, PerformanceDemand, members_cost};
use super::finding::PerformanceFinding;
use super::objective::ServiceBudgets;
use super::settings::Thresholds;
use super::trial::MemberTrial;
use crate::confidence::{confidence, signs};
use crate::group_document::is_on;

pub(super) const RULE: &str = "scale_down_intelligently";
pub(super) const ASPECT: &str = "scale_down";
/// Time in which fewer members must have been enough, in milliseconds.
const ENOUGH_MS: i64 = 2 * 60 * 60_000;
/// Members that one plan ends at most: each is asked for its sessions right before it ends, and the
/// next run may propose more.
const MOST: usize = 5;

/// Judges a group whose demand is known.
pub(super) fn judge(
    facts: &Facts<'_>,
    settings: &Thresholds,
    service: &ServiceLoad,
    demand: &PerformanceDemand,
    (trial, budgets): (&MemberTrial, &ServiceBudgets),
) -> Result<Proposal, Abstention> {
    let group = facts.resource;
    let decided = |code, detail: String| Abstention::decided(KIND, code, detail);
    let unjudged = |code, detail: String| Abstention::unjudged(KIND, code, detail);
    let mut path = Path::default();

    let Some(capacity) = group.specification.capacity else {
        return Err(unjudged(
            "capacity_unknown",
            "its members are not known".to_owned(),
        ));
    };
    let needed = needed(demand, trial, capacity.min)
        .ok_or_else(|| unjudged("learning", "its load is not known long enough".to_owned()))?;
    let words = format!(
        "{needed} members were enough for two hours, the next hour's forecast among them; it has {} and at least {}",
        capacity.desired, capacity.min
    );
    let surplus = capacity.desired.saturating_sub(needed) as usize;
    if !path.ask(
        "Does it have more members than it needs?",
        surplus > 0,
        words.clone(),
    ) {
        return Err(decided("capacity_is_needed", words));
    }

    if let ServiceBudgets::Burning(promised) = budgets {
        path.ask("Do its error budgets last?", false, promised.clone());
        return Err(decided("budget_burns", promised.clone()));
    }

    let Idle {
        members: idle,
        words: sessions,
        source,
    } = idle(facts, settings, service)?;
    let is_idle = !idle.is_empty();
    if !path.ask(
        "Is a member without active sessions?",
        is_idle,
        sessions.clone(),
    ) {
        return Err(decided("active_sessions", sessions));
    }

    let protected = facts.document.map(protected).unwrap_or_default();
    let mut free: Vec<&MeasuredResource> = idle
        .into_iter()
        .filter(|member| !protected.contains(&member.resource.id.as_str()))
        .collect();
    let kept = format!("{} are protected from scale-in", protected.len());
    if !path.ask(
        "Is one of them not protected?",
        !free.is_empty(),
        kept.clone(),
    ) {
        return Err(decided("members_protected", kept));
    }

    // The youngest last: it may still be warming up for a rise.
    free.sort_by_key(|member| member.resource.created_at);
    free.truncate(surplus.min(MOST));
    let backtest = Backtest {
        held: trial.backtest.held,
        windows: trial.backtest.windows,
    };
    let own = confidence(backtest, &trial.margins, 1.0, Some(90.0));
    let trust = Trust::new(
        own.raw,
        Some(90.0),
        &signs(facts, trial.margins.clone(), backtest.windows, 0.0),
    );
    let relief = end_of(group, capacity, service, &free, (source, settings));

    Ok(PerformanceFinding {
        kind: KIND,
        rule: RULE,
        aspect: Some(ASPECT),
        codes: vec!["members_idle"],
        priority: Priority::Low,
        confidence: (own.percent, trust),
        factors: Factors::from([
            (FactorKind::Measured, words),
            (FactorKind::Measured, sessions),
            (FactorKind::Measured, demand.unit_words.clone()),
            (FactorKind::Consequence, kept),
            (FactorKind::Confidence, own.words()),
        ]),
        performance: "none: the members that stay serve what is expected".to_owned(),
        withheld: None,
        data_points: demand.points.len() as u64,
        relief,
        compared_with: members_cost(service),
        path,
    }
    .propose(facts))
}

/// The change that ends members.
fn end_of(
    group: &Resource,
    capacity: Capacity,
    service: &ServiceLoad,
    members: &[&MeasuredResource],
    (source, settings): (SessionSource, &Thresholds),
) -> Relief {
    let names: Vec<String> = members
        .iter()
        .map(|one| one.resource.id.0.clone())
        .collect();
    let s = if names.len() == 1 { "" } else { "s" };
    let by = format!(" {} idle member{s}", names.len());
    let saved: Option<Money> = members.iter().map(|one| one.resource.monthly_cost).sum();
    let balancers = service.balancers.iter();
    let change = EndMembers {
        state: group.state,
        min: capacity.min,
        desired: capacity.desired,
        members: names.clone(),
        idle_by: source,
        balancers: match source {
            SessionSource::Sessions => Vec::new(),
            SessionSource::Requests => balancers.map(|one| one.resource.id.0.clone()).collect(),
        },
        quiet_minutes: u32::try_from(settings.quiet_minutes).unwrap_or(u32::MAX),
    };

    let names = names.join(", ");
    let note = "Each member's sessions are read again right before it ends; where they are not known then, nothing more is ended";
    Relief {
        words: format!("End {names} of {}, each once it serves no user", group.name),
        added: saved.map(|saved| -saved),
        notes: vec![note.to_owned()],
        ..Relief::advice(title("Take from ", &group.name, &by), Effort::Low, "")
    }
    .planned(Plan::new(&change, group.id.as_str()))
}

/// Members that were needed in the last two hours, by the rule and by the prediction; `None` where
/// they were not judged.
fn needed(demand: &PerformanceDemand, trial: &MemberTrial, least: u32) -> Option<u32> {
    let (last, _) = demand.points.last()?;
    let recent = demand
        .points
        .iter()
        .rev()
        .take_while(|(at, _)| *at > last - ENOUGH_MS);
    let rows = recent.count();
    if (rows as i64) * demand.step_ms < ENOUGH_MS * 9 / 10 {
        return None;
    }
    let wanted = trial.wanted.iter().rev().take(rows).map(|one| one.units);
    let rule = trial.rule.iter().rev().take(rows).copied();
    let most = wanted.chain(rule).max()?;
    Some(u32::try_from(most).unwrap_or(u32::MAX).max(least))
}

/// Members without active sessions.
struct Idle<'a> {
    members: Vec<&'a MeasuredResource>,
    /// The sessions in words.
    words: String,
    /// Measurement that shows it.
    source: SessionSource,
}

/// Finds members without active sessions. The error is the reason why sessions are not known.
fn idle<'a>(
    facts: &Facts<'_>,
    settings: &Thresholds,
    service: &'a ServiceLoad,
) -> Result<Idle<'a>, Abstention> {
    let quiet = Window::ending(facts.now.as_millisecond(), settings.quiet_minutes * 60_000);
    let sessions = |member: &MeasuredResource| most(member, Metric::ActiveSessions, quiet);
    let counted: Vec<(&MeasuredResource, Option<f64>)> = service
        .machines
        .iter()
        .map(|member| (member, sessions(member)))
        .collect();

    if counted
        .iter()
        .any(|(member, _)| member.points(Metric::ActiveSessions).is_some())
    {
        let idle: Vec<_> = counted
            .iter()
            .filter(|(_, sessions)| *sessions == Some(0.0))
            .map(|(member, _)| *member)
            .collect();
        let unknown = counted
            .iter()
            .filter(|(_, sessions)| sessions.is_none())
            .count();
        let words = format!(
            "{} of {} members had no active session for {} minutes, those of {unknown} are not known",
            idle.len(),
            counted.len(),
            settings.quiet_minutes
        );
        return Ok(Idle {
            members: idle,
            words,
            source: SessionSource::Sessions,
        });
    }

    let in_flight: Option<f64> = service
        .balancers
        .iter()
        .map(|one| {
            Some(most(one, Metric::RequestRate, quiet)? * most(one, Metric::ResponseTime, quiet)?)
        })
        .sum();
    let Some(in_flight) = in_flight.filter(|_| !service.balancers.is_empty()) else {
        let detail = "neither active_sessions of its members nor requests in flight were measured: nothing is taken away";
        return Err(Abstention::unjudged(KIND, "sessions_unknown", detail));
    };
    let words = format!(
        "{in_flight:.2} requests in flight at most in the last {} minutes",
        settings.quiet_minutes
    );
    let all = service.machines.iter();
    Ok(Idle {
        members: all.filter(|_| in_flight < IN_FLIGHT).collect(),
        words,
        source: SessionSource::Requests,
    })
}

/// Highest value of a metric of a resource in a window that was measured to its end.
fn most(of: &MeasuredResource, metric: Metric, window: Window) -> Option<f64> {
    let (points, step_ms) = of.points(metric)?;
    sessions::most(&points, step_ms, window)
}

/// Members that the group protects from scale-in.
fn protected(document: &Document) -> Vec<&str> {
    let members = document.json().get("Instances").and_then(Value::as_array);
    let is_protected = |member: &&Value| is_on(member.get("ProtectedFromScaleIn"));
    let members = members.into_iter().flatten().filter(is_protected);
    members
        .filter_map(|member| member.get("InstanceId")?.as_str())
        .collect()
}
