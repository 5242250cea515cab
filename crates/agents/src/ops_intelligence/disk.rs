//! `predict_disk_full`: storage that is full within the days of the warning.
//!
//! The forecast (`reeve_learn::saturation`) learns clean-ups from the history and is backtested on it.
//! A finding needs a level that rose on each of the last three days too: growth of one day (an upgrade,
//! a copy) is not one that lasts. Between half the probability of the setting and the whole of it nothing
//! is decided, so that a finding at the limit does not come and go.

use reeve_estate::{Metric, Resource, ResourceKind};
use reeve_learn::saturation::{
    Outlook, OutlookVerdict, SaturationQuestion, SaturationReason, forecast_saturation,
};
use reeve_learn::{DAY_MS, HOUR_MS, Point, Window, percentile};
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::machine_series::MachineSeries;
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::recommendation::RecommendationType;
use reeve_recommend::words::{figures, percent};

use super::disk_finding::propose;
use super::measured::enough;
use super::settings::Thresholds;
use crate::load::Load;

/// Name of the rule.
pub(super) const RULE: &str = "predict_disk_full";
/// Type of its findings.
const KIND: RecommendationType = RecommendationType::StorageExpansion;

/// Use of a storage, rising to its capacity.
struct Filling {
    load: Load,
    /// Value at which it is full.
    capacity: f64,
}

/// Forecast of a storage that is about to be full.
pub(super) struct Forecast {
    pub(super) outlook: Outlook,
    pub(super) probability: f64,
    pub(super) days: u64,
    pub(super) points: u64,
    pub(super) now_words: String,
}

/// Judges the storage of a volume, database or machine.
pub(super) fn judge(facts: &Facts<'_>, settings: &Thresholds) -> Result<Proposal, Abstention> {
    if !settings.disk_full {
        let detail = format!("the setting {RULE}.enabled is off");
        return Err(Abstention::decided(KIND, "switched_off", detail));
    }

    let mut path = Path::default();
    let filling = filling(facts)?;
    let forecast = forecast(facts, settings, &filling, &mut path)?;
    Ok(propose(facts, settings, &forecast, path))
}

/// Returns the measured use of the storage; an abstention where nothing measures it, or where another
/// resource is the one to enlarge.
fn filling(facts: &Facts<'_>) -> Result<Filling, Abstention> {
    match facts.resource.kind {
        ResourceKind::Database => free_storage(facts),
        ResourceKind::Volume => on_machine(facts),
        _ => of_machine(facts),
    }
}

/// Storage that RDS enlarges without being asked must have at least this room to its maximum, as a
/// share of its size: RDS grows it by a tenth at once.
const ROOM_TO_GROW: f64 = 1.1;

/// Free storage runs down to nothing: its mirror image fills up.
fn free_storage(facts: &Facts<'_>) -> Result<Filling, Abstention> {
    if let Some(most) = grows_to(facts) {
        let detail = format!("RDS enlarges its storage automatically, up to {most:.0} GiB");
        return Err(Abstention::decided(KIND, "grows_automatically", detail));
    }

    let free = Load::measured(facts, Metric::FreeStorage)
        .ok_or_else(|| not_measured("the cloud reports no free storage of it"))?;
    let points = free.points.iter().map(|(at, value)| (*at, -value));
    Ok(Filling {
        load: Load {
            points: points.collect(),
            ..free
        },
        capacity: 0.0,
    })
}

/// Returns the size up to which RDS enlarges the storage of a database, GiB; `None` where it does not,
/// or hardly any more.
fn grows_to(facts: &Facts<'_>) -> Option<f64> {
    let most = &facts.document?.json()["MaxAllocatedStorage"];
    let most: f64 = most
        .as_f64()
        .or_else(|| most.as_str()?.trim().parse().ok())?;
    let now = facts.resource.specification.storage_gib?;
    (most >= now * ROOM_TO_GROW).then_some(most)
}

/// Only an agent on the machine measures how full a volume is, and for the machine's fullest file
/// system: a volume is judged where it is the only one.
fn on_machine(facts: &Facts<'_>) -> Result<Filling, Abstention> {
    let [machine] = facts.resource.attached_to.as_slice() else {
        let detail = "it is attached to no machine, or to several";
        return Err(Abstention::unjudged(KIND, "not_attached", detail));
    };
    if facts.volumes.len() != 1 {
        let detail = format!(
            "its machine has {} volumes, and the measured share is that of the fullest file system",
            facts.volumes.len()
        );
        return Err(Abstention::unjudged(KIND, "file_systems_not_apart", detail));
    }

    let machine = Resource {
        id: machine.clone(),
        ..facts.resource.clone()
    };

    // Samples from before the volume was attached are those of another volume.
    let load = Load::measured(
        &Facts {
            resource: &machine,
            series: facts.get::<MachineSeries>().map_or(&[], |own| &own.0),
            unchanged_since: facts.attachment_changed_at,
            ..*facts
        },
        Metric::DiskUtilization,
    );
    Ok(share(load.ok_or_else(no_agent)?))
}

fn of_machine(facts: &Facts<'_>) -> Result<Filling, Abstention> {
    if facts.volumes.len() == 1 {
        let detail = "its only volume is judged in its place";
        return Err(Abstention::decided(KIND, "judged_by_volume", detail));
    }

    let load = Load::measured(facts, Metric::DiskUtilization).ok_or_else(no_agent)?;
    Ok(share(load))
}

fn share(load: Load) -> Filling {
    Filling {
        load,
        capacity: 100.0,
    }
}

fn not_measured(detail: &str) -> Abstention {
    Abstention::unjudged(KIND, "disk_not_measured", detail)
}

fn no_agent() -> Abstention {
    not_measured("nothing measures how full it is: no agent reports disk_utilization")
}

/// Returns the forecast of a storage that is about to be full; an abstention where it is not.
fn forecast(
    facts: &Facts<'_>,
    settings: &Thresholds,
    filling: &Filling,
    path: &mut Path,
) -> Result<Forecast, Abstention> {
    let (history, days) = enough(facts, settings, KIND, &filling.load)?;
    let points = history.select(&filling.load.points);
    path.ask(
        format!("Was it measured on {} days?", settings.measured_days),
        true,
        format!("on {days} days, {} samples", points.len()),
    );

    let least = settings.least_probability / 100.0;
    let warn_days = settings.warn_days;
    let outlook = ahead(points, filling.capacity, warn_days, least);
    let Some(probability) = outlook.probability else {
        return Err(Abstention::unjudged(
            KIND,
            "not_forecast",
            reasons(&outlook),
        ));
    };

    let words = format!(
        "probability {}; {}",
        percent(probability * 100.0),
        reasons(&outlook)
    );
    let check = format!(
        "Is it full within {warn_days} days, with at least {}?",
        percent(least * 100.0)
    );
    if !path.ask(
        check,
        outlook.verdict == OutlookVerdict::Foreseen,
        words.clone(),
    ) {
        return Err(if probability < least / 2.0 {
            Abstention::decided(KIND, "not_foreseen", words)
        } else {
            Abstention::unjudged(KIND, "undecided", words)
        });
    }

    // What is full already needs no rate.
    if !outlook.reasons.contains(&SaturationReason::Full) {
        let rate = outlook.growth_per_day.map_or(0.0, |slope| slope.estimate);
        let (steady, words) = grew_daily(points, rate);
        let check = format!("Did it grow on each of the last {STEADY_DAYS} days?");
        if !path.ask(check, steady, words.clone()) {
            return Err(Abstention::unjudged(KIND, "not_steady_yet", words));
        }
    }

    Ok(Forecast {
        probability,
        days,
        points: points.len() as u64,
        now_words: now_words(facts, points),
        outlook,
    })
}

/// Days on each of which the storage must have grown. A copy or an upgrade of up to a day falls on two.
const STEADY_DAYS: i64 = 3;
/// Share of the forecast rate that each of these days must have grown by.
const STEADY_SHARE: f64 = 0.25;
/// Hours whose median is the level of a day: the same hours of each day, so that the daily season
/// plays no part.
const LEVEL_MS: i64 = 6 * HOUR_MS;

/// Returns `true` if the level rose on each of the last days, and says by how much.
fn grew_daily(points: &[Point], rate: f64) -> (bool, String) {
    let now_ms = points.last().map_or(0, |(at, _)| *at + 1);
    let level = |days_ago: i64| {
        let window = Window::ending(now_ms - days_ago * DAY_MS, LEVEL_MS);
        let values: Vec<f64> = window.select(points).iter().map(|point| point.1).collect();
        percentile(&values, 50.0)
    };
    let grown: Option<Vec<f64>> = (0..STEADY_DAYS)
        .map(|day| Some(level(day)? - level(day + 1)?))
        .collect();

    let Some(grown) = grown else {
        return (false, "a day of the last ones was not measured".to_owned());
    };
    let words: Vec<String> = grown.iter().map(|rise| figures(*rise)).collect();
    (
        rate > 0.0 && grown.iter().all(|rise| *rise >= STEADY_SHARE * rate),
        format!("the newest day first: {}", words.join(", ")),
    )
}

fn ahead(points: &[Point], capacity: f64, days: i64, least_probability: f64) -> Outlook {
    let question = SaturationQuestion {
        horizon_ms: days * DAY_MS,
        least_probability,
        ..SaturationQuestion::disk(capacity)
    };
    forecast_saturation(points, &question)
}

fn reasons(outlook: &Outlook) -> String {
    let words: Vec<String> = outlook.reasons.iter().map(ToString::to_string).collect();
    words.join("; ")
}

/// Describes the newest sample.
fn now_words(facts: &Facts<'_>, points: &[Point]) -> String {
    let newest = points.last().map_or(0.0, |(_, value)| *value);
    if facts.resource.kind == ResourceKind::Database {
        return format!("{} are free now", reeve_recommend::words::bytes(-newest));
    }
    format!(
        "{} of its fullest file system is in use now",
        percent(newest)
    )
}
