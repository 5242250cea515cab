//! Watching spending: the days of a bill that cost unusually much or little become findings of the cost class.
//!
//! A bill has no step shorter than a day, so the specification's window counts in whole days: a deviation of the threshold
//! against the average of the baseline is told once it has lasted that long. What ended long before the bill's last day, or
//! stands in a bill of long ago, is history and no news.

use jiff::{SignedDuration, Timestamp};
use reeve_estate::charge::Charge;

use super::contribution::Contribution;
use super::finding::Finding;
use super::record::{AnomalyClass, Place, Reading};
use super::settings::CostSettings;
use crate::charges;
use crate::charges::{Anomaly, AnomalyKind, AnomalyLimits, DAY_MS};
use reeve_recommend::recommendation::Priority;

/// Days before the bill's last whole day on which a deviation may have ended: bills are filled up for a day or two.
const LATE_DAYS: i64 = 2;
/// A bill whose last day is older tells nothing of today.
const OLD: SignedDuration = SignedDuration::from_hours(24 * 14);

/// Returns the cost anomalies of the newest days, and the reasons for abstentions.
#[must_use]
pub fn look(charges: &[Charge], settings: &CostSettings, now: Timestamp) -> (Vec<Finding>, Vec<String>) {
    let limits = AnomalyLimits {
        threshold_percent: settings.threshold_percent,
        baseline_days: settings.baseline_days as usize,
        ..AnomalyLimits::default()
    };
    let judgement = charges::judge(charges, &limits);
    let abstained = judgement.abstentions.into_iter().filter(|one| one.check == "anomalies").map(|one| one.reason);
    let last = charges.iter().map(|charge| charge.end_ms).filter(|end| *end <= now.as_millisecond()).max();
    let Some(last) = last.filter(|last| now.as_millisecond() - last <= OLD.as_millis() as i64) else {
        return (Vec::new(), vec!["the newest charge is older than two weeks".to_owned()]);
    };
    let window_days = i64::from(settings.window_hours.div_ceil(24)).max(1);
    let recent = last.div_euclid(DAY_MS) - 1 - LATE_DAYS;
    let news = |one: &&Anomaly| one.last_day >= recent && one.last_day - one.first_day + 1 >= window_days;
    (
        judgement.anomalies.iter().filter(news).filter_map(|one| finding(one, settings.threshold_percent)).collect(),
        abstained.collect(),
    )
}

fn finding(anomaly: &Anomaly, threshold_percent: f64) -> Option<Finding> {
    let day = |day: i64| Timestamp::from_millisecond(day.checked_mul(DAY_MS)?).ok();
    let (started_at, last_at) = (day(anomaly.first_day)?, day(anomaly.last_day.checked_add(1)?)?);
    let days = (anomaly.last_day - anomaly.first_day + 1) as f64;
    let (value, expected) = (anomaly.observed.as_f64() / days, anomaly.expected.as_f64() / days);
    let known = |text: &str, other: &str| if text.is_empty() { other.to_owned() } else { text.to_owned() };
    let (service, account) =
        (known(&anomaly.scope.service, "all services"), known(&anomaly.scope.account, "unknown account"));
    let what = match anomaly.kind {
        AnomalyKind::Spike => "costs more than usual",
        AnomalyKind::Shift => "has cost more than usual for days",
        AnomalyKind::New => "costs where it cost nothing",
        AnomalyKind::Drop => "costs less than usual",
    };
    let currency = &anomaly.scope.currency;
    let contributions: Vec<Contribution> = anomaly.contributors.iter().map(|one| contribution(one, currency)).collect();
    let optional = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Some(Finding {
        class: AnomalyClass::Cost,
        severity: severity(anomaly.kind, value, expected),
        title: format!("{service} of {account} {what}: {value:.2} {currency} a day, expected {expected:.2}"),
        place: Place {
            id: format!("{account}/{service}/{currency}"),
            name: format!("{service} of {account}"),
            kind: "spend".to_owned(),
            provider: optional(&anomaly.scope.provider),
            account: optional(&anomaly.scope.account),
            region: None,
            service: optional(&anomaly.scope.service),
        },
        readings: vec![Reading {
            metric: None,
            at: started_at,
            value,
            expected,
            low: (expected * (1.0 - threshold_percent / 100.0)).max(0.0),
            high: expected * (1.0 + threshold_percent / 100.0),
            score: anomaly.significance / (anomaly.significance + 2.0),
            sign: what.to_owned(),
        }],
        evidence: contributions.iter().map(Contribution::words).collect(),
        contributions,
        started_at,
        last_at,
    })
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
    use reeve_estate::charge::focus;

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
        let mut reader = focus::Reader::of(header.into_iter()).unwrap();
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
                reader.charge(|at| line.get(at).map(String::as_str)).unwrap()
            })
            .collect()
    }

    fn settings() -> CostSettings {
        super::super::AnomalySettings::default().cost
    }

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millisecond(ms).unwrap()
    }

    #[test]
    fn a_day_that_costs_far_more_is_told_with_what_made_it() {
        let usual = |back: i64| 100.0 + (back % 3) as f64;
        let (quiet, _) = look(&bill(45, usual), &settings(), at(NOW));
        assert!(quiet.is_empty(), "{quiet:?}");
        let jump = bill(45, |back| if back == 1 { 260.0 } else { usual(back) });
        let (found, _) = look(&jump, &settings(), at(NOW));
        assert_eq!(found.len(), 1, "{found:?}");
        let one = &found[0];
        assert_eq!(
            (one.class, one.severity, one.place.id.as_str()),
            (AnomalyClass::Cost, Priority::High, "111/EC2/USD")
        );
        assert_eq!((one.started_at, one.last_at), (at(NOW - DAY_MS), at(NOW)));
        assert!(
            (one.readings[0].value - 260.0).abs() < 1e-9 && one.evidence[0].starts_with("i-1, m5.large"),
            "{one:?}"
        );
        // The window asks for longer, the threshold for more, and a bill of long ago is history.
        let longer = CostSettings { window_hours: 48, ..settings() };
        assert!(look(&jump, &longer, at(NOW)).0.is_empty());
        let higher = CostSettings { threshold_percent: 400.0, ..settings() };
        assert!(look(&jump, &higher, at(NOW)).0.is_empty());
        let (late, why) = look(&jump, &settings(), at(NOW + 20 * DAY_MS));
        assert!(late.is_empty() && why == ["the newest charge is older than two weeks"]);
    }

    #[test]
    fn a_thin_bill_is_not_judged_and_says_so() {
        let (found, why) = look(&bill(5, |_| 100.0), &settings(), at(NOW));
        assert!(found.is_empty() && !why.is_empty());
    }
}
