//! One rule over one resource: the forecast, and what is decided on it. Pure.

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{Metric, PriceCatalogue, Resource, SampleSeries};
use reeve_learn::Point;
use reeve_learn::forecast::ForecastEvent;
use reeve_learn::percentile;
use reeve_learn::saturation::{OutlookVerdict, SaturationQuestion, forecast_saturation};
use reeve_recommend::predictive::{
    Foreseen, Outcome, Prediction, PredictionId, PredictiveReason, PredictiveRule, Signal,
};

use super::calendar::Occurrence;
use super::capacity;
use super::curve::{Curve, Known};
use super::traffic::TrafficSettings;
use super::unpredictable::Unpredictable;

/// A day: how far ahead the end of a peak is looked for.
const DAY_MS: i64 = 86_400_000;
/// Days that the usual level of a spike is the median of.
const USUAL: SignedDuration = SignedDuration::from_hours(24 * 14);
/// A newest sample older than this, or than a quarter of the horizon where that is longer, tells
/// nothing of what comes.
const STALE: SignedDuration = SignedDuration::from_mins(30);

/// Input of one decision.
pub(super) struct PredictionCase<'a> {
    pub(super) rule: &'a PredictiveRule,
    pub(super) resource: &'a Resource,
    /// Resource that the response changes; for storage, the disk that fills.
    pub(super) target: &'a Resource,
    /// The series of the rule's metric, `None` where nothing was measured or for events; the error
    /// is the reason why none can tell.
    pub(super) series: Result<Option<&'a SampleSeries>, &'a Unpredictable>,
    /// Occurrences of the rule's calendars, past and to come, by beginning.
    pub(super) events: &'a [Occurrence],
    pub(super) catalogue: &'a PriceCatalogue,
    /// Settings of traffic intelligence.
    pub(super) traffic: TrafficSettings,
    pub(super) now: Timestamp,
}

pub(super) fn decide_resource(case: &PredictionCase<'_>) -> Prediction {
    let mut found = blank(case);
    let said = match (case.rule.condition.signal, case.rule.condition.foreseen) {
        (_, Foreseen::Event) => event(case, &mut found),
        (_, Foreseen::Spike) if !case.traffic.learn_patterns => event(case, &mut found),
        (None, _) => Err(Unpredictable::NoSignal),
        (Some(signal), _) => measured(case, signal, &mut found),
    };

    if let Err(why) = said {
        found.outcome = Outcome::Abstained;
        found.reasons.push(why.to_string().into());
    }

    found
}

fn blank(case: &PredictionCase<'_>) -> Prediction {
    Prediction {
        id: PredictionId(uuid::Uuid::now_v7().to_string()),
        rule: case.rule.id.clone(),
        rule_version: case.rule.version,
        at: case.now,
        connection: case.resource.connection.clone(),
        resource: case.resource.id.clone(),
        resource_name: case.resource.name.clone(),
        signal: case.rule.condition.signal,
        samples: case
            .rule
            .condition
            .signal
            .map(|signal| signal.metric(case.resource.kind)),
        foreseen: case.rule.condition.foreseen,
        outcome: Outcome::NotForeseen,
        probability_percent: None,
        expected_at: None,
        earliest_at: None,
        latest_at: None,
        over_at: None,
        peak: None,
        value: None,
        limit: None,
        limit_source: String::new(),
        observed_from: None,
        observed_until: None,
        points: 0,
        forecast: Vec::new(),
        event: None,
        reasons: Vec::new(),
        recommendation: None,
        not_recommended: None,
    }
}

/// The next event that begins within the horizon.
fn event(case: &PredictionCase<'_>, found: &mut Prediction) -> Result<(), Unpredictable> {
    let until = case.now + SignedDuration::from_secs(case.rule.condition.horizon_s);
    let next = case.events.iter().find(|event| event.start > case.now);

    match next {
        Some(event) if event.start <= until => {
            found.outcome = Outcome::Foreseen;
            found.probability_percent = Some(100.0);
            found.expected_at = Some(event.start);
            found.earliest_at = Some(event.start);
            found.latest_at = Some(event.start);
            found.over_at = Some(event.end);
            found.event = Some(event.label.clone());
            let span = format!(
                "{} begins {} and ends {}",
                event.label, event.start, event.end
            );
            found.reasons.push(span.into());
        }
        Some(event) => {
            found
                .reasons
                .push(format!("the next event, {}, begins {}", event.label, event.start).into());
        }
        None => found.reasons.push("no event is to come".to_owned().into()),
    }

    Ok(())
}

fn measured(
    case: &PredictionCase<'_>,
    signal: Signal,
    found: &mut Prediction,
) -> Result<(), Unpredictable> {
    let points: Vec<Point> = case
        .series
        .map_err(Unpredictable::clone)?
        .map(|series| {
            series
                .points
                .iter()
                .map(|(at, value)| (at.as_millisecond(), *value))
                .collect()
        })
        .unwrap_or_default();

    let finite = |point: &&Point| point.1.is_finite();
    let (Some(first), Some(last)) = (points.iter().find(finite), points.iter().rev().find(finite))
    else {
        return Err(Unpredictable::Unmeasured(signal));
    };

    found.points = points.len() as u64;
    found.value = Some(last.1);
    found.observed_from = Timestamp::from_millisecond(first.0).ok();
    found.observed_until = Timestamp::from_millisecond(last.0).ok();
    let age = SignedDuration::from_millis(case.now.as_millisecond() - last.0);
    let patience = STALE.max(SignedDuration::from_secs(case.rule.condition.horizon_s / 4));

    if age > patience {
        return Err(Unpredictable::Stale {
            minutes: age.as_mins(),
        });
    }

    match case.rule.condition.foreseen {
        foreseen if foreseen.fills() => fills(case, signal, &points, found),
        Foreseen::Spike => spike(case, &points, last.1, found),
        foreseen => crosses(case, foreseen == Foreseen::Above, &points, last.1, found),
    }
}

/// A capacity that is reached, as a distribution of the time.
fn fills(
    case: &PredictionCase<'_>,
    signal: Signal,
    points: &[Point],
    found: &mut Prediction,
) -> Result<(), Unpredictable> {
    let limit = capacity::find(
        case.rule,
        signal,
        case.resource,
        case.target,
        case.catalogue,
    )?;
    (found.limit, found.limit_source) = (Some(limit.value), limit.source);

    let horizon_ms = case.rule.condition.horizon_s * 1000;
    // Free storage runs down to its limit: its mirror image fills up.
    let free = signal.metric(case.resource.kind) == Metric::FreeStorage;
    let mirrored: Vec<Point>;
    let (filling, capacity) = if free {
        mirrored = points.iter().map(|(at, value)| (*at, -value)).collect();
        (mirrored.as_slice(), -limit.value)
    } else {
        (points, limit.value)
    };

    let least_probability = case.rule.condition.probability_percent / 100.0;
    let outlook = forecast_saturation(
        filling,
        &SaturationQuestion {
            capacity,
            horizon_ms,
            least_probability,
        },
    );

    found
        .reasons
        .extend(outlook.reasons.iter().copied().map(PredictiveReason::from));
    found.outcome = match outlook.verdict {
        OutlookVerdict::Foreseen => Outcome::Foreseen,
        OutlookVerdict::NotForeseen => Outcome::NotForeseen,
        OutlookVerdict::Abstained => Outcome::Abstained,
    };
    found.probability_percent = outlook.probability.map(percent);
    let time = |ms: Option<i64>| ms.and_then(|ms| Timestamp::from_millisecond(ms).ok());
    (found.earliest_at, found.expected_at, found.latest_at) = (
        time(outlook.earliest_ms),
        time(outlook.median_ms),
        time(outlook.latest_ms),
    );

    if let Ok(curve) = Curve::new(
        points,
        case.now.as_millisecond(),
        horizon_ms,
        Known::default(),
    ) {
        found.forecast = curve.bands();
    }

    if let Some(stays) = stays_below(found, limit.value, free) {
        found
            .reasons
            .iter_mut()
            .filter(|reason| **reason == PredictiveReason::Still)
            .for_each(|reason| reason.clone_from(&stays));
    }

    Ok(())
}

/// Says of a forecast that climbs by the day, though not from day to day, that it stays below its
/// limit: a chart that rises from 40 to 75 must not be told as "it does not grow".
fn stays_below(found: &Prediction, limit: f64, free: bool) -> Option<PredictiveReason> {
    /// A rise of the median by less than this share is none that a reader sees.
    const SEEN: f64 = 0.1;

    let now = found.value?;
    let top = found
        .forecast
        .iter()
        .map(|band| band.p50)
        .fold(f64::NEG_INFINITY, f64::max);
    let rises = !free && top.is_finite() && top > now + now.abs() * SEEN && top < limit;

    rises.then_some(PredictiveReason::StaysBelow { limit, most: top })
}

/// A value that the forecast rises above or falls below; without a horizon, the newest value
/// itself.
fn crosses(
    case: &PredictionCase<'_>,
    rises: bool,
    points: &[Point],
    last: f64,
    found: &mut Prediction,
) -> Result<(), Unpredictable> {
    let level = case.rule.condition.value.ok_or(Unpredictable::NoValue)?;
    (found.limit, found.limit_source) = (Some(level), "the rule's own value".to_owned());

    if if rises { last > level } else { last < level } {
        found.outcome = Outcome::Foreseen;
        found.probability_percent = Some(100.0);
        found.expected_at = found.observed_until;
        found.reasons.push(PredictiveReason::Now { value: last });
    } else if case.rule.condition.horizon_s == 0 {
        found.probability_percent = Some(0.0);
        found.reasons.push(PredictiveReason::Now { value: last });
    }

    if case.rule.condition.horizon_s == 0 {
        return Ok(());
    }

    match ahead(case, rises, level, points, found) {
        // What is so already needs no forecast.
        Err(_) if found.outcome == Outcome::Foreseen => Ok(()),
        said => said,
    }
}

/// A peak above the usual. One that has begun is no news.
fn spike(
    case: &PredictionCase<'_>,
    points: &[Point],
    last: f64,
    found: &mut Prediction,
) -> Result<(), Unpredictable> {
    let above = case.rule.condition.value.ok_or(Unpredictable::NoValue)?;
    let since = (case.now - USUAL).as_millisecond();
    let recent: Vec<f64> = points
        .iter()
        .filter(|(at, v)| *at >= since && v.is_finite())
        .map(|(_, v)| *v)
        .collect();
    let usual = percentile(&recent, 50.0).ok_or(Unpredictable::NothingLately)?;

    if usual <= 0.0 {
        return Err(Unpredictable::UsuallyZero);
    }

    let level = usual * (1.0 + above / 100.0);
    found.limit = Some(level);
    found.limit_source = format!("{above} % above the median of two weeks, {usual:.4}");
    ahead(case, true, level, points, found)?;
    if last >= level {
        found.outcome = Outcome::NotForeseen;
        found
            .reasons
            .push(PredictiveReason::RisenAlready { value: last });
    }
    if found.outcome == Outcome::Foreseen {
        over(case, points, level, found);
    }

    Ok(())
}

/// Sets the end and the height of a peak, from a forecast of a day.
fn over(case: &PredictionCase<'_>, points: &[Point], level: f64, found: &mut Prediction) {
    let day = Curve::new(points, case.now.as_millisecond(), DAY_MS, known(case)).ok();
    let Some((at, top)) = day.and_then(|day| day.peak(level)) else {
        return;
    };

    let event = case
        .events
        .iter()
        .find(|event| Some(&event.label) == found.event.as_ref() && event.end > case.now);
    let at = event.map_or(at, |event| event.end.max(at));

    // On the half hour, so that the next evaluation does not name another time.
    let half = 1_800;
    found.over_at = Timestamp::from_second(at.as_second().div_euclid(half) * half + half).ok();
    found.peak = Some(top);
}

/// The calendar's events as the forecast knows them, and without seasons where traffic intelligence
/// leaves them out.
fn known(case: &PredictionCase<'_>) -> Known {
    let span = |event: &Occurrence| ForecastEvent {
        label: event.label.clone(),
        from_ms: event.start.as_millisecond(),
        until_ms: event.end.as_millisecond(),
    };

    let of_traffic = case.rule.condition.foreseen == Foreseen::Spike;
    Known {
        events: case.events.iter().map(span).collect(),
        seasonless: of_traffic && !case.traffic.seasonal_adjustments,
    }
}

fn ahead(
    case: &PredictionCase<'_>,
    rises: bool,
    level: f64,
    points: &[Point],
    found: &mut Prediction,
) -> Result<(), Unpredictable> {
    let horizon_ms = case.rule.condition.horizon_s * 1000;
    let curve = Curve::new(points, case.now.as_millisecond(), horizon_ms, known(case))?;
    found.forecast = curve.bands();
    found.reasons.push(curve.findings().into());
    let crossing = curve.crosses(level, rises);
    let until = case.now + SignedDuration::from_secs(case.rule.condition.horizon_s);
    let during = case
        .events
        .iter()
        .find(|event| event.start <= until && event.end > case.now);
    found.event = during.map(|event| event.label.clone());
    if found.outcome == Outcome::Foreseen {
        return Ok(());
    }

    found.probability_percent = Some(percent(crossing.probability));
    found.expected_at = crossing.at;
    if percent(crossing.probability) >= case.rule.condition.probability_percent {
        found.outcome = Outcome::Foreseen;
    }

    Ok(())
}

fn percent(share: f64) -> f64 {
    (share * 1000.0).round() / 10.0
}
