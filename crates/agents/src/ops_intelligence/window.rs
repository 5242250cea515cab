//! `suggest_maintenance_windows` of databases: a maintenance window of RDS at a time with much more load
//! than the quietest of the week, with the change that moves it there and back
//! (`move_database_maintenance`). Findings that need a restart of other resources name the time in
//! words (`quiet`).

use std::collections::BTreeMap;

use jiff::Timestamp;
use reeve_audit::Obstacle;
use reeve_estate::{Document, Provider};
use reeve_learn::week::{HOURS, WeeklyShape};
use reeve_recommend::agent::Impact;
use reeve_recommend::change::{ConfigurationChange, ConfigurationRow};
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::plan::Plan;
use reeve_recommend::plan::procedure::advice_only;
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{Effort, FactorKind, Factors, Priority};
use reeve_recommend::words::percent;
use serde_json::Value;

use super::PREVENTION;
use super::maintenance::none_but;
use super::quiet::{QuietTime, mean, quietest, weekly_shape, words};
use super::settings::Thresholds;
use crate::configuration_fact::ConfigurationFact;

/// Name of the rule.
const RULE: &str = "suggest_maintenance_windows";
const ASPECT: &str = "maintenance_window";
const CHANGE: &str = "move_database_maintenance";
/// Points of CPU, and times the load of the quietest time, by which a window is busy.
const BUSY: (f64, f64) = (10.0, 2.0);
const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const MINUTES: usize = HOURS * 60;

/// Judges the maintenance window of a database.
pub(super) fn judge(facts: &Facts<'_>, settings: &Thresholds) -> Result<Proposal, Abstention> {
    let decided = |code, detail: String| {
        Err(Abstention::decided(PREVENTION, code, detail).with_aspect(ASPECT))
    };
    let unjudged = |code, detail: &str| {
        Err(Abstention::unjudged(PREVENTION, code, detail).with_aspect(ASPECT))
    };
    if !settings.windows {
        return decided("switched_off", format!("the setting {RULE}.enabled is off"));
    }
    if facts.resource.provider != Provider::Aws {
        return unjudged(
            "cloud_not_covered",
            "maintenance windows are read of RDS alone",
        );
    }
    let window = facts.document.and_then(|document| {
        let text = document.json()["PreferredMaintenanceWindow"].as_str()?;
        Some((document, text, minutes_of_week(text)?))
    });
    let Some((document, text, (from, length))) = window else {
        return unjudged("window_not_read", "its maintenance window was not read");
    };
    let Some(shape) = weekly_shape(facts, settings) else {
        return unjudged(
            "cpu_not_measured",
            "less than two weeks of its CPU were measured",
        );
    };

    let hours = usize::try_from(settings.window_hours).unwrap_or(1).max(1);
    let backup = document.json()["PreferredBackupWindow"].as_str();
    let quiet = quietest(&shape, hours, |hour| is_free(hour, hours, backup));
    let Some((quiet, load)) = quiet.zip(load(&shape, from, length)) else {
        return unjudged(
            "cpu_not_measured",
            "its CPU was not measured in each hour of the week",
        );
    };

    let now = format!("its window {text} UTC has {} of the CPU", percent(load));
    let better = words(&quiet);
    let mut path = Path::default();
    let is_busy = load >= quiet.load + BUSY.0 && load >= quiet.load * BUSY.1;
    if !path.ask(
        "Is its maintenance window at a busy time?",
        is_busy,
        format!("{now}. {better}"),
    ) {
        return decided("window_is_quiet", format!("{now}. {better}"));
    }

    let plan = plan(facts, document, &quiet);
    Ok(propose(facts, &quiet, [now, better], plan, path))
}

fn propose(
    facts: &Facts<'_>,
    quiet: &QuietTime,
    measured: [String; 2],
    plan: Result<Plan, Obstacle>,
    path: Path,
) -> Proposal {
    let database = facts.resource;
    let mut factors: Factors = measured
        .into_iter()
        .map(|words| (FactorKind::Measured, words))
        .collect();
    if let Err(obstacle) = &plan {
        factors.add(FactorKind::Consequence, advice_only(obstacle.as_str()));
    }
    let pending = facts
        .document
        .map(|document| &document.json()["PendingMaintenance"]);
    let waits = pending
        .and_then(Value::as_array)
        .is_some_and(|all| !all.is_empty());
    let to = text_of(quiet);
    ConfigurationFact {
        kind: PREVENTION,
        rule: RULE,
        title: title(
            "Move the maintenance of ",
            &database.name,
            " to a quiet time",
        ),
        aspect: ASPECT.to_owned(),
        priority: match waits {
            true => Priority::Medium,
            false => Priority::Low,
        },
        risk: Impact::Low,
        impact: none_but("Maintenance interrupts fewer users".to_owned()),
        effort: Effort::Low,
        plan: plan.ok(),
        reason_code: RULE.to_owned(),
        action: format!(
            "Move the maintenance window of {} to {to} UTC",
            database.name
        ),
        factors,
        data_points: 1,
        path,
    }
    .about(database)
}

/// The change that moves the window. The error is the reason why there is none.
fn plan(facts: &Facts<'_>, document: &Document, quiet: &QuietTime) -> Result<Plan, Obstacle> {
    // RDS begins maintenance that waits at once where the new window includes the present time.
    let hour = hour_of_week(facts.now);
    let ahead = (HOURS + quiet.from - hour) % HOURS;
    if ahead == 0 || (HOURS - ahead) % HOURS < quiet.hours {
        return Err("the quiet time is now, and maintenance that waits would begin at once".into());
    }
    let row = ConfigurationRow::named(CHANGE).ok_or("the change is not known")?;
    let with = BTreeMap::from([("window".to_owned(), Value::from(text_of(quiet)))]);
    let change = ConfigurationChange::on(row, facts.resource, document, with)?;
    Ok(Plan::new(&change, facts.resource.id.as_str()))
}

fn hour_of_week(at: Timestamp) -> usize {
    // The epoch was a Thursday.
    let hours = at.as_second().div_euclid(3600) + 3 * 24;
    usize::try_from(hours.rem_euclid(HOURS as i64)).unwrap_or(0)
}

/// A window as RDS writes it: `mon:03:00-mon:05:00`.
fn text_of(quiet: &QuietTime) -> String {
    let one = |hour: usize| format!("{}:{:02}:00", DAYS[hour % HOURS / 24], hour % 24);
    format!("{}-{}", one(quiet.from), one(quiet.from + quiet.hours))
}

/// First minute of the week, and the length in minutes, of a window as RDS writes it.
fn minutes_of_week(text: &str) -> Option<(usize, usize)> {
    let one = |text: &str| {
        let (day, time) = text.split_once(':')?;
        let day = DAYS.iter().position(|name| *name == day)?;
        Some(day * 24 * 60 + minutes_of_day(time)?)
    };
    let (from, until) = text.split_once('-')?;
    let (from, until) = (one(from)?, one(until)?);
    Some((from, (MINUTES + until - from) % MINUTES))
}

fn minutes_of_day(text: &str) -> Option<usize> {
    let (hour, minute) = text.split_once(':')?;
    let (hour, minute): (usize, usize) = (hour.parse().ok()?, minute.parse().ok()?);
    (hour < 24 && minute < 60).then_some(hour * 60 + minute)
}

/// Mean load of the hours that a window touches.
fn load(shape: &WeeklyShape, from: usize, length: usize) -> Option<f64> {
    let first = from / 60;
    let last = (from + length.max(1) - 1) / 60;
    mean(shape, first, last - first + 1)
}

/// Returns `true` if a window that begins at an hour of the week does not overlap with the daily
/// backup window, which RDS refuses.
fn is_free(hour: usize, hours: usize, backup: Option<&str>) -> bool {
    let times = backup.and_then(|text| {
        let (from, until) = text.split_once('-')?;
        Some((minutes_of_day(from)?, minutes_of_day(until)?))
    });
    let Some((from, until)) = times else {
        return true;
    };
    let length = (24 * 60 + until - from) % (24 * 60);
    let start = hour % 24 * 60;
    let is_backup = |minute: usize| (24 * 60 + minute - from) % (24 * 60) < length;
    let mut minutes = (0..hours * 60).map(|minute| (start + minute) % (24 * 60));
    !minutes.any(is_backup)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn windows_are_read_and_written_as_rds_does() {
        assert_eq!(minutes_of_week("mon:03:00-mon:03:30"), Some((180, 30)));
        assert_eq!(
            minutes_of_week("sun:23:30-mon:00:30"),
            Some((MINUTES - 30, 60))
        );
        assert_eq!(minutes_of_week("xyz:23:30-mon:00:30"), None);
        assert!(!is_free(1, 2, Some("02:30-03:00")));
        assert!(is_free(3, 2, Some("02:30-03:00")));
        assert!(!is_free(23, 2, Some("00:30-01:00")), "over midnight");
        assert_eq!(hour_of_week(Timestamp::UNIX_EPOCH), 3 * 24);
    }
}
