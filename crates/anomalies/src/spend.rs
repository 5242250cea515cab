//! Watching spending: the days of a bill that cost unusually much or little become findings of the
//! cost class.
//!
//! A window that is no whole number of days is judged by the hour where the bill has charges by the
//! hour ([`charges::windows`]); any other counts in whole days: a deviation of the threshold
//! against the average of the baseline is reported once it has lasted that long. What ended long
//! before the bill's last day, or stands in a bill of long ago, is history and no news.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use reeve_estate::charge::Charge;
use reeve_recommend::recommendation::Priority;

use super::contribution::Contribution;
use super::finding::Finding;
use super::lesson::{LessonThreshold, LessonThresholds};
use super::record::{AnomalyClass, Place, Reading};
use super::settings::CostSettings;
use crate::charges;
use crate::charges::{
    Anomaly, AnomalyKind, AnomalyLimits, BillCheck, ChargeScope, DAY_MS, WindowAnomaly, Windows,
};

/// Days before the bill's last whole day on which a deviation may have ended: bills are filled up
/// for a day or two.
const LATE_DAYS: i64 = 2;
/// Age of a bill's last day above which the bill is not judged.
const OLD: SignedDuration = SignedDuration::from_hours(24 * 14);

/// Returns the cost anomalies of the newest days or windows of hours, and the reasons for
/// abstentions.
#[must_use]
pub fn look(
    charges: &[Charge],
    settings: &CostSettings,
    thresholds: &LessonThresholds,
    now: Timestamp,
) -> (Vec<Finding>, Vec<String>) {
    let learned: Vec<&LessonThreshold> = thresholds
        .list()
        .into_iter()
        .filter(|one| one.key.class == AnomalyClass::Cost)
        .collect();
    let lowest = learned.iter().map(|one| one.factor).fold(1.0, f64::min);
    let limits = AnomalyLimits {
        threshold_percent: settings.threshold_percent * lowest,
        baseline_days: settings.baseline_days as usize,
        ..AnomalyLimits::default()
    };
    let judgement = charges::judge_from(charges, &limits, &baselines(charges, &learned));
    let abstained = judgement
        .abstentions
        .into_iter()
        .filter(|one| one.check == BillCheck::Anomalies)
        .map(|one| one.reason);

    let last = charges
        .iter()
        .map(|charge| charge.end_ms)
        .filter(|end| *end <= now.as_millisecond())
        .max();

    let Some(last) = last.filter(|last| now.as_millisecond() - last <= OLD.as_millis() as i64)
    else {
        return (
            Vec::new(),
            vec!["the newest charge is older than two weeks".to_owned()],
        );
    };

    let mut abstained: Vec<String> = abstained.collect();
    let window_days = i64::from(settings.window_hours.div_ceil(24)).max(1);
    let recent = last.div_euclid(DAY_MS) - 1 - LATE_DAYS;
    let hourly = if settings.window_hours.is_multiple_of(24) || !abstained.is_empty() {
        Windows::default()
    } else {
        charges::windows(charges, &limits, settings.window_hours)
    };
    if !settings.window_hours.is_multiple_of(24) && hourly.scopes.is_empty() && abstained.is_empty()
    {
        abstained.push(format!(
            "the bill has no hours: its days are judged instead of {} hours",
            settings.window_hours
        ));
    }

    // Fewer hours than usual may only be late, so that less spending is judged by the day.
    let by_day =
        |one: &&Anomaly| one.kind == AnomalyKind::Drop || !hourly.scopes.contains(&one.scope);
    let news =
        |one: &&Anomaly| one.last_day >= recent && one.last_day - one.first_day + 1 >= window_days;
    let threshold = settings.threshold_percent;
    let days = judgement
        .anomalies
        .iter()
        .filter(by_day)
        .filter(news)
        .filter_map(|one| finding(one, threshold));

    let windows = hourly
        .anomalies
        .iter()
        .filter_map(|one| window_finding(one, threshold));
    let sensitive = |finding: &Finding| {
        let factor = thresholds.sensitivity(AnomalyClass::Cost, None, &finding.place.id);
        let deviation = finding
            .readings
            .first()
            .map_or(0.0, |one| (one.value - one.expected).abs() / one.expected);
        deviation * 100.0 > threshold * factor
    };

    (days.chain(windows).filter(sensitive).collect(), abstained)
}

/// First days of the levels that people called usual.
fn baselines(charges: &[Charge], learned: &[&LessonThreshold]) -> charges::Baselines {
    let moved: Vec<(&str, i64)> = learned
        .iter()
        .filter_map(|one| {
            Some((
                one.key.place.as_str(),
                one.baseline_from?.as_millisecond().div_euclid(DAY_MS),
            ))
        })
        .collect();

    if moved.is_empty() {
        return charges::Baselines::new();
    }

    let scopes: BTreeSet<ChargeScope> = charges.iter().map(ChargeScope::from_charge).collect();
    let found = scopes.into_iter().filter_map(|scope| {
        let id = place_id(&scope);
        let day = moved
            .iter()
            .filter(|(place, _)| *place == id)
            .map(|(_, day)| *day)
            .max()?;
        Some((scope, day))
    });

    found.collect()
}

fn known<'a>(text: &'a str, other: &'a str) -> &'a str {
    if text.is_empty() { other } else { text }
}

fn place_id(scope: &ChargeScope) -> String {
    let (service, account) = (
        known(&scope.service, "all services"),
        known(&scope.account, "unknown account"),
    );
    format!("{account}/{service}/{}", scope.currency)
}

fn place(scope: &ChargeScope) -> Place {
    let (service, account) = (
        known(&scope.service, "all services"),
        known(&scope.account, "unknown account"),
    );
    let optional = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Place {
        id: place_id(scope),
        name: format!("{service} of {account}"),
        kind: "spend".to_owned(),
        provider: optional(&scope.provider),
        account: optional(&scope.account),
        region: None,
        service: optional(&scope.service),
    }
}

/// A finding of days or hours. `value` and `expected` are costs a day.
fn cost_finding(
    scope: &ChargeScope,
    (kind, significance): (AnomalyKind, f64),
    title: String,
    (value, expected): (f64, f64),
    threshold_percent: f64,
    contributors: &[charges::Contributor],
    (started_at, last_at): (Timestamp, Timestamp),
) -> Finding {
    let contributions: Vec<Contribution> = contributors
        .iter()
        .map(|one| contribution(one, &scope.currency))
        .collect();
    Finding {
        class: AnomalyClass::Cost,
        severity: severity(kind, value, expected),
        title,
        place: place(scope),
        readings: vec![Reading {
            metric: None,
            at: started_at,
            value,
            expected,
            low: (expected * (1.0 - threshold_percent / 100.0)).max(0.0),
            high: expected * (1.0 + threshold_percent / 100.0),
            score: significance / (significance + 2.0),
            indication: sign(kind).into(),
        }],
        evidence: contributions.iter().map(Contribution::words).collect(),
        contributions,
        activity: None,
        started_at,
        last_at,
    }
}

const fn sign(kind: AnomalyKind) -> &'static str {
    match kind {
        AnomalyKind::Spike => "costs more than usual",
        AnomalyKind::Shift => "has cost more than usual for days",
        AnomalyKind::New => "costs where it cost nothing",
        AnomalyKind::Drop => "costs less than usual",
    }
}

/// A finding of windows of hours, as a cost a day at the same rate.
fn window_finding(one: &WindowAnomaly, threshold_percent: f64) -> Option<Finding> {
    let span = (
        Timestamp::from_millisecond(one.start_ms).ok()?,
        Timestamp::from_millisecond(one.end_ms).ok()?,
    );
    let hours = (one.end_ms - one.start_ms) as f64 / 3_600_000.0;
    let rate = |cost: f64| cost * 24.0 / hours;
    let (what, currency) = (sign(one.kind), &one.scope.currency);
    let title = format!(
        "{} {what}: {:.2} {currency} in {hours:.0} hours, expected {:.2}",
        place(&one.scope).name,
        one.observed,
        one.expected
    );

    let costs = (rate(one.observed), rate(one.expected));
    let judged = (one.kind, one.significance);
    Some(cost_finding(
        &one.scope,
        judged,
        title,
        costs,
        threshold_percent,
        &one.contributors,
        span,
    ))
}

fn finding(anomaly: &Anomaly, threshold_percent: f64) -> Option<Finding> {
    let day = |day: i64| Timestamp::from_millisecond(day.checked_mul(DAY_MS)?).ok();
    let span = (
        day(anomaly.first_day)?,
        day(anomaly.last_day.checked_add(1)?)?,
    );
    let days = (anomaly.last_day - anomaly.first_day + 1) as f64;
    let (value, expected) = (
        anomaly.observed.as_f64() / days,
        anomaly.expected.as_f64() / days,
    );
    let (what, currency) = (sign(anomaly.kind), &anomaly.scope.currency);
    let name = place(&anomaly.scope).name;
    let title = format!("{name} {what}: {value:.2} {currency} a day, expected {expected:.2}");
    let (scope, judged, contributors) = (
        &anomaly.scope,
        (anomaly.kind, anomaly.significance),
        &anomaly.contributors,
    );

    Some(cost_finding(
        scope,
        judged,
        title,
        (value, expected),
        threshold_percent,
        contributors,
        span,
    ))
}

fn contribution(one: &charges::Contributor, currency: &str) -> Contribution {
    Contribution {
        resource: one.resource.to_string(),
        description: one.description.to_string(),
        observed: one.observed.as_f64(),
        expected: one.expected.as_f64(),
        currency: currency.to_owned(),
    }
}

/// More than twice the usual is urgent; less than usual is good to know.
fn severity(kind: AnomalyKind, value: f64, expected: f64) -> Priority {
    match kind {
        AnomalyKind::Drop => Priority::Low,
        _ if value > 2.0 * expected => Priority::High,
        _ => Priority::Medium,
    }
}

#[cfg(test)]
mod tests {
    use reeve_estate::charge::{Amount, focus};

    use super::super::lesson::{Direction, Lesson, LessonKind, ThresholdKey};
    use super::*;

    const NOW: i64 = 1_794_787_200_000; // 2026-11-16T00:00Z

    /// A bill of so many days up to now: one service, by the day.
    fn bill(days: i64, cost: impl Fn(i64) -> f64) -> Vec<Charge> {
        let header = [
            "BilledCost",
            "BillingCurrency",
            "ChargePeriodStart",
            "ChargePeriodEnd",
            "ChargeCategory",
            "ProviderName",
            "ServiceName",
            "SubAccountId",
            "ResourceId",
            "ChargeDescription",
        ];
        let mut reader = focus::FocusReader::from_header(header.into_iter()).unwrap();

        let line = |back: i64| {
            let start = NOW - back * DAY_MS;
            let time = |ms| Timestamp::from_millisecond(ms).unwrap().to_string();
            [
                format!("{:.2}", cost(back)),
                "USD".into(),
                time(start),
                time(start + DAY_MS),
                "Usage".into(),
                "AWS".into(),
                "EC2".into(),
                "111".into(),
                "i-1".into(),
                "m5.large".into(),
            ]
        };

        (1..=days)
            .rev()
            .map(|back| {
                let line = line(back);
                reader
                    .charge(|at| line.get(at).map(String::as_str))
                    .unwrap()
            })
            .collect()
    }

    fn settings() -> CostSettings {
        super::super::AnomalySettings::default().cost
    }

    fn none() -> LessonThresholds {
        LessonThresholds::default()
    }

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millisecond(ms).unwrap()
    }

    #[test]
    fn a_day_that_costs_far_more_is_reported_with_what_made_it() {
        let usual = |back: i64| 100.0 + (back % 3) as f64;
        let (quiet, _) = look(&bill(45, usual), &settings(), &none(), at(NOW));
        assert!(quiet.is_empty(), "{quiet:?}");

        let jump = bill(45, |back| if back == 1 { 260.0 } else { usual(back) });
        let (found, _) = look(&jump, &settings(), &none(), at(NOW));
        assert_eq!(found.len(), 1, "{found:?}");

        let one = &found[0];
        assert_eq!(
            (one.class, one.severity, one.place.id.as_str()),
            (AnomalyClass::Cost, Priority::High, "111/EC2/USD")
        );
        assert_eq!((one.started_at, one.last_at), (at(NOW - DAY_MS), at(NOW)));
        assert!(
            (one.readings[0].value - 260.0).abs() < 1e-9
                && one.evidence[0].starts_with("i-1, m5.large"),
            "{one:?}"
        );

        // The window asks for longer, the threshold for more, and a bill of long ago is history.
        let longer = CostSettings {
            window_hours: 48,
            ..settings()
        };
        assert!(look(&jump, &longer, &none(), at(NOW)).0.is_empty());

        let higher = CostSettings {
            threshold_percent: 400.0,
            ..settings()
        };
        assert!(look(&jump, &higher, &none(), at(NOW)).0.is_empty());

        let (late, why) = look(&jump, &settings(), &none(), at(NOW + 20 * DAY_MS));
        assert!(late.is_empty() && why == ["the newest charge is older than two weeks"]);
    }

    #[test]
    fn a_thin_bill_is_not_judged_and_says_so() {
        let (found, why) = look(&bill(5, |_| 100.0), &settings(), &none(), at(NOW));
        assert!(found.is_empty() && !why.is_empty());
    }

    /// A bill by the hour: 45 days of one service, with a cost of each hour before now.
    fn hourly(cost: impl Fn(i64) -> f64) -> Vec<Charge> {
        let day = bill(1, |_| 1.0).remove(0);
        let hour = |back: i64| Charge {
            start_ms: NOW - back * 3_600_000,
            end_ms: NOW - (back - 1) * 3_600_000,
            billed: Amount::from_f64(cost(back)),
            ..day.clone()
        };

        (1..=45 * 24).rev().map(hour).collect()
    }

    #[test]
    fn the_window_decides_over_hourly_charges() {
        let usual =
            |back: i64| 4.0 + (back % 5) as f64 / 50.0 + if back % 24 < 8 { 1.0 } else { 0.0 };
        let busy = hourly(|back| usual(back) * if (7..=12).contains(&back) { 3.0 } else { 1.0 });
        let found = |charges: &[Charge], window_hours: u32| {
            let settings = CostSettings {
                window_hours,
                threshold_percent: 60.0,
                ..settings()
            };
            look(charges, &settings, &none(), at(NOW)).0
        };
        let six = found(&busy, 6);
        assert_eq!(six.len(), 1, "{six:?}");

        assert_eq!(
            (six[0].started_at, six[0].last_at),
            (at(NOW - 12 * 3_600_000), at(NOW - 6 * 3_600_000))
        );
        assert!(
            six[0].title.contains("in 6 hours, expected"),
            "{}",
            six[0].title
        );

        let reading = &six[0].readings[0];
        assert!(
            (2.8..3.2).contains(&(reading.value / reading.expected)),
            "{reading:?}"
        );
        assert!(
            six[0].contributions[0].resource == "i-1" && six[0].contributions[0].observed > 60.0
        );
        assert_eq!(found(&busy, 1).len(), 1, "six windows of an hour are one");
        assert!(
            found(&busy, 24).is_empty(),
            "the whole day is less than 60 % above"
        );

        // Thirty-six hours are no days: what lasted them is one finding of that length, and six
        // hours within are none.
        let long = hourly(|back| usual(back) * if back <= 72 { 2.0 } else { 1.0 });
        let lasting = found(&long, 36);
        assert_eq!(lasting.len(), 1, "{lasting:?}");

        let hours = lasting[0]
            .last_at
            .duration_since(lasting[0].started_at)
            .as_hours();
        assert!(hours % 36 == 0 && hours >= 36, "{lasting:?}");
        assert!(found(&busy, 36).is_empty(), "six hours of thirty-six");
        assert!(found(&hourly(usual), 6).is_empty() && found(&hourly(usual), 1).is_empty());
    }

    #[test]
    fn a_bill_without_hours_is_judged_by_the_day_and_says_so() {
        let jump = bill(45, |back| {
            if back == 1 {
                260.0
            } else {
                100.0 + (back % 3) as f64
            }
        });

        let hours = CostSettings {
            window_hours: 6,
            ..settings()
        };
        let (found, why) = look(&jump, &hours, &none(), at(NOW));
        assert_eq!(
            (found.len(), why),
            (
                1,
                vec!["the bill has no hours: its days are judged instead of 6 hours".to_owned()]
            )
        );
    }

    #[test]
    fn a_confirmed_anomaly_makes_spending_more_sensitive_and_a_new_level_moves_the_baseline() {
        let lesson = |kind, place: &str, started_at| Lesson {
            anomaly: reeve_recommend::recommendation::origin::AnomalyId("an-1".to_owned()),
            key: ThresholdKey {
                class: AnomalyClass::Cost,
                metric: None,
                direction: Direction::Above,
                place: place.to_owned(),
            },
            kind,
            excess: 2.0,
            started_at,
            at: started_at,
            by: "ann@example.com".to_owned(),
            withdrawn: None,
        };

        let usual = |back: i64| 100.0 + (back % 3) as f64 / 10.0;
        let place = "111/EC2/USD";
        let raised = bill(45, |back| {
            if back == 1 {
                usual(back) * 1.19
            } else {
                usual(back)
            }
        });

        assert!(
            look(&raised, &settings(), &none(), at(NOW)).0.is_empty(),
            "below 20 %, and within the noise"
        );

        let wide = CostSettings {
            threshold_percent: 30.0,
            ..settings()
        };
        let jump = bill(45, |back| {
            if back == 1 {
                usual(back) * 1.29
            } else {
                usual(back)
            }
        });
        assert!(look(&jump, &wide, &none(), at(NOW)).0.is_empty());

        let confirmed = LessonThresholds::from_lessons(
            vec![lesson(LessonKind::Confirmed, place, at(NOW))],
            at(NOW),
        );
        assert_eq!(
            look(&jump, &wide, &confirmed, at(NOW)).0.len(),
            1,
            "27 % is enough now"
        );

        let elsewhere = LessonThresholds::from_lessons(
            vec![lesson(LessonKind::Confirmed, "222/EC2/USD", at(NOW))],
            at(NOW),
        );
        assert!(
            look(&jump, &wide, &elsewhere, at(NOW)).0.is_empty(),
            "there alone"
        );

        let level = bill(45, |back| if back <= 3 { 200.0 } else { usual(back) });
        assert_eq!(look(&level, &settings(), &none(), at(NOW)).0.len(), 1);

        let accepted = vec![lesson(LessonKind::NewNormal, place, at(NOW - 3 * DAY_MS))];
        let accepted = LessonThresholds::from_lessons(accepted, at(NOW));
        assert!(
            look(&level, &settings(), &accepted, at(NOW)).0.is_empty(),
            "it is the usual level"
        );

        let more = bill(45, |back| {
            if back == 1 {
                300.0
            } else if back <= 3 {
                200.0
            } else {
                usual(back)
            }
        });

        assert_eq!(
            look(&more, &settings(), &accepted, at(NOW)).0.len(),
            1,
            "what goes beyond it is found at once"
        );
    }
}
