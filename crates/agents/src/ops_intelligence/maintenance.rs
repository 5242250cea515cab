//! `failure_prediction` of databases by what RDS says: maintenance that waits
//! (`DescribePendingMaintenanceActions`) and events of the last three days that tell of failures, short
//! storage and failovers (`DescribeEvents`). Both are facts, and advice: when a database may restart
//! is known to its people alone.

use jiff::{SignedDuration, Timestamp};
use reeve_estate::Provider;
use reeve_estate::document::NOT_READ;
use reeve_recommend::agent::Impact;
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::assessment::is_production;
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::plan::procedure::advice_only;
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{Effort, FactorKind, Factors, ImpactAssessment, Priority};
use reeve_recommend::words::{day, minute};
use serde_json::Value;

use super::PREVENTION;
use super::health::RULE;
use super::quiet::quiet_words;
use super::settings::Thresholds;
use crate::configuration_fact::ConfigurationFact;

const MAINTENANCE: &str = "maintenance";
const EVENTS: &str = "events";
/// Age up to which an event is news.
const NEWS: SignedDuration = SignedDuration::from_hours(72);

/// Members of a document that come from a call of their own, or the reason why they are missing.
pub(super) fn listed<'f>(
    facts: &Facts<'f>,
    member: &str,
    permission: &str,
    aspect: &str,
) -> Result<&'f [Value], Abstention> {
    let unread = |code, detail: String| {
        Err(Abstention::unjudged(PREVENTION, code, detail).with_aspect(aspect))
    };
    if facts.resource.provider != Provider::Aws {
        return unread("cloud_not_covered", "it is read of RDS alone".to_owned());
    }
    match facts.document.and_then(|known| known.json().get(member)) {
        Some(Value::Array(found)) => Ok(found),
        Some(text) if text.as_str() == Some(NOT_READ) => unread(
            "not_read",
            format!("the permission {permission} is missing"),
        ),
        _ => unread(
            "not_read",
            format!("the next sync reads it, with {permission}"),
        ),
    }
}

fn switched_off(settings: &Thresholds, aspect: &str) -> Result<(), Abstention> {
    if settings.failures {
        return Ok(());
    }
    let detail = format!("the setting {RULE}.enabled is off");
    Err(Abstention::decided(PREVENTION, "switched_off", detail).with_aspect(aspect))
}

/// Maintenance that waits for a database.
struct Pending<'f> {
    action: &'f str,
    description: &'f str,
    /// Time from which RDS applies it in the maintenance window, and at which it does so in any
    /// case.
    automatic: Option<Timestamp>,
    forced: Option<Timestamp>,
}

impl<'f> Pending<'f> {
    fn read(detail: &'f Value) -> Pending<'f> {
        let text = |member: &str| detail[member].as_str().unwrap_or_default();
        let time = |member: &str| detail[member].as_str()?.parse().ok();
        Pending {
            action: text("Action"),
            description: text("Description"),
            automatic: time("AutoAppliedAfterDate").or_else(|| time("CurrentApplyDate")),
            forced: time("ForcedApplyDate"),
        }
    }

    fn at(&self) -> Option<Timestamp> {
        let times = self.automatic.into_iter().chain(self.forced);
        times.min()
    }

    fn words(&self) -> String {
        let when = match (self.forced, self.automatic) {
            (Some(at), _) => format!("RDS applies it by {}, in any case", day(at)),
            (None, Some(at)) => format!(
                "RDS applies it in the maintenance window from {} on",
                day(at)
            ),
            (None, None) => "RDS applies it once it is asked to".to_owned(),
        };
        format!("{}: {}; {when}", self.action, self.description)
    }
}

/// Judges the maintenance that waits for a database.
pub(super) fn judge(facts: &Facts<'_>, settings: &Thresholds) -> Result<Proposal, Abstention> {
    switched_off(settings, MAINTENANCE)?;
    let permission = "rds:DescribePendingMaintenanceActions";
    let found = listed(facts, "PendingMaintenance", permission, MAINTENANCE)?;
    let details = found.iter().flat_map(|one| {
        let details = one["PendingMaintenanceActionDetails"].as_array();
        details.into_iter().flatten()
    });
    let mut all: Vec<Pending<'_>> = details.map(Pending::read).collect();
    all.sort_by_key(|one| one.at().unwrap_or(Timestamp::MAX));
    let Some(first) = all.first() else {
        let none = Abstention::decided(PREVENTION, "no_maintenance", "no maintenance waits");
        return Err(none.with_aspect(MAINTENANCE));
    };

    let database = facts.resource;
    let mut path = Path::default();
    path.ask("Does maintenance wait?", true, first.words());
    let mut factors: Factors = all
        .iter()
        .map(|one| (FactorKind::Measured, one.words()))
        .collect();
    factors.extend(quiet_words(facts, settings).map(|words| (FactorKind::Consequence, words)));
    factors.add(
        FactorKind::Consequence,
        advice_only("Reeve applies no maintenance, which may restart the database"),
    );

    let week = facts.now + SignedDuration::from_hours(7 * 24);
    let is_soon = first.at().is_some_and(|at| at <= week);
    let impact = "The database may restart while it is applied".to_owned();
    Ok(ConfigurationFact {
        kind: PREVENTION,
        rule: RULE,
        title: title(
            "Apply the maintenance of ",
            &database.name,
            " at a quiet time",
        ),
        aspect: MAINTENANCE.to_owned(),
        priority: match (is_soon, is_production(database)) {
            (true, true) => Priority::High,
            (true, false) | (false, true) => Priority::Medium,
            (false, false) => Priority::Low,
        },
        risk: Impact::Medium,
        impact: none_but(impact),
        effort: Effort::Low,
        plan: None,
        reason_code: RULE.to_owned(),
        action: format!(
            "Apply {} to {} at a time of your choice, before RDS does",
            first.action, database.name
        ),
        factors,
        data_points: all.len() as u64,
        path,
    }
    .about(database))
}

/// Judges the events of a database.
pub(super) fn judge_events(
    facts: &Facts<'_>,
    settings: &Thresholds,
) -> Result<Proposal, Abstention> {
    switched_off(settings, EVENTS)?;
    let found = listed(facts, "RecentEvents", "rds:DescribeEvents", EVENTS)?;
    let time = |event: &Value| event["Date"].as_str()?.parse::<Timestamp>().ok();
    let since = facts.now - NEWS;
    let mut news: Vec<(Timestamp, &str)> = found
        .iter()
        .filter_map(|event| Some((time(event)?, event["Message"].as_str()?)))
        .filter(|(at, _)| *at >= since)
        .collect();
    news.sort();
    let Some((at, message)) = news.last() else {
        let none = "no failure, short storage or failover was reported in three days";
        return Err(Abstention::decided(PREVENTION, "no_events", none).with_aspect(EVENTS));
    };

    let database = facts.resource;
    let mut path = Path::default();
    path.ask(
        "Did RDS report a failure?",
        true,
        format!("{}: {message}", minute(*at)),
    );
    let mut factors: Factors = news
        .iter()
        .rev()
        .map(|(at, message)| (FactorKind::Measured, format!("{}: {message}", minute(*at))))
        .collect();
    factors.add(
        FactorKind::Consequence,
        advice_only(
            "what caused it is not known: look at the log of the database and at recent changes",
        ),
    );
    Ok(ConfigurationFact {
        kind: PREVENTION,
        rule: RULE,
        title: title("Look at what RDS reports of ", &database.name, ""),
        aspect: EVENTS.to_owned(),
        priority: match is_production(database) {
            true => Priority::High,
            false => Priority::Medium,
        },
        risk: Impact::Low,
        impact: none_but("Connections broke, or may break again".to_owned()),
        effort: Effort::Medium,
        plan: None,
        reason_code: RULE.to_owned(),
        action: format!(
            "Look at the log of {} around {}",
            database.name,
            minute(*at)
        ),
        factors,
        data_points: news.len() as u64,
        path,
    }
    .about(database))
}

/// An impact on availability alone.
pub(super) fn none_but(performance: String) -> ImpactAssessment {
    ImpactAssessment {
        cost_percent: Some(0.0),
        cost: "none".to_owned(),
        performance_degradation_percent: None,
        performance,
        security: "none".to_owned(),
    }
}
