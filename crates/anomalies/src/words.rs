//! Descriptions of metrics for people: name, unit, direction, and distance from the usual.

use std::collections::BTreeSet;

use jiff::Timestamp;
use reeve_estate::{Attribute, Metric, ResourceChange, ResourceState, Unit};
use reeve_learn::anomaly::Sign;
use reeve_recommend::words::{bytes, figures, minute};

use super::record::Reading;

/// A metric as people call it.
#[must_use]
pub fn name(metric: Metric) -> &'static str {
    metric.row().label
}

/// A value of a metric with its unit, in three figures: `97 %`, `20.2 GiB`, `240 ms`.
#[must_use]
pub fn amount(metric: Metric, value: f64) -> String {
    match metric.unit() {
        Unit::Percent => format!("{} %", figures(value)),
        Unit::BytesPerSecond => format!("{}/s", bytes(value)),
        Unit::Bytes => bytes(value),
        Unit::PerSecond => format!("{}/s", figures(value)),
        Unit::Seconds if value.abs() < 1.0 => format!("{} ms", figures(value * 1e3)),
        Unit::Seconds => format!("{} s", figures(value)),
        Unit::Count => figures(value),
    }
}

/// Returns `true` if the value is not below the expected one.
fn up(reading: &Reading) -> bool {
    reading.value >= reading.expected
}

/// Describes a sign: `a sudden rise`, `stuck at one value`.
pub(super) const fn sign(sign: Option<Sign>, up: bool) -> &'static str {
    match (sign, up) {
        (Some(Sign::Spike | Sign::Jump), true) => "a sudden rise",
        (Some(Sign::Spike | Sign::Jump), false) => "a sudden fall",
        (Some(Sign::Flatline), _) => "stuck at one value",
        (Some(Sign::Pattern), _) => "a curve unlike any earlier day",
        (Some(Sign::Variance), _) => "more scatter than usual",
        (Some(Sign::Range), true) => "higher than ever seen",
        (Some(Sign::Range), false) => "lower than ever seen",
        (Some(Sign::Shift), true) => "a higher level",
        (Some(Sign::Shift), false) => "a lower level",
        (Some(Sign::Density), _) => "many deviations close together",
        (Some(Sign::Factor), true) => "well above its usual level",
        (Some(Sign::Factor), false) => "well below its usual level",
        (Some(Sign::Season), true) => "high for this time of day",
        (Some(Sign::Season), false) => "low for this time of day",
        (Some(Sign::Drift), true) => "a slow rise",
        (Some(Sign::Drift), false) => "a slow fall",
        (Some(Sign::Staying), true) => "higher than usual for some time",
        (Some(Sign::Staying), false) => "lower than usual for some time",
        (Some(Sign::Unrest), _) => "more variation than usual",
        (None, true) => "unusually high",
        (None, false) => "unusually low",
    }
}

/// The band that values usually stay in, clamped: at least 0, and at most 100 for percentages.
fn usually(metric: Metric, reading: &Reading) -> String {
    let most = if metric.unit() == Unit::Percent {
        100.0
    } else {
        f64::INFINITY
    };

    let (low, high) = (
        amount(metric, reading.low.max(0.0)),
        amount(metric, reading.high.clamp(0.0, most)),
    );
    // The unit once, where both have the same.
    let short = match (low.split_once(' '), high.split_once(' ')) {
        (Some((number, unit)), Some((_, same))) if unit == same => number,
        _ => low.as_str(),
    };

    if low == high {
        format!("usually {low}")
    } else {
        format!("usually {short} to {high}")
    }
}

/// The line that an anomaly of a metric goes by: `CPU of shop-web-a fell to 15.1 %, usually 30.2 to
/// 41 %`.
pub(super) fn title(
    metric: Metric,
    resource: &str,
    sign: Option<Sign>,
    reading: &Reading,
) -> String {
    let up = up(reading);
    let value = amount(metric, reading.value);
    let outside = reading.value > reading.high || reading.value < reading.low;
    let (is, has, vary) = if metric.row().is_plural {
        ("are", "have", "vary")
    } else {
        ("is", "has", "varies")
    };

    let what = match (sign, up) {
        (Some(Sign::Flatline), _) => format!("{is} stuck at {value}"),
        // The single value may well be a usual one, and says nothing of the swings around it.
        (Some(Sign::Variance | Sign::Density | Sign::Unrest), _) if !outside => {
            return format!("{} of {resource} {vary} more than usual", name(metric));
        }
        (Some(Sign::Variance | Sign::Density | Sign::Unrest), _) => {
            format!("{vary} more than usual: {value}")
        }
        (Some(Sign::Pattern), _) if !outside => {
            return format!("{} of {resource} {has} an unusual pattern", name(metric));
        }
        // "Rose to 423, usually 367 to 477" contradicts itself.
        (sign, _) if !outside && sign != Some(Sign::Season) => {
            let usual = usually(metric, reading).replacen("usually ", "within the usual ", 1);
            return format!(
                "{} of {resource} {vary} unusually at {value}, {usual}",
                name(metric)
            );
        }
        (Some(Sign::Season), true) => format!("{is} high for this time of day: {value}"),
        (Some(Sign::Season), false) => format!("{is} low for this time of day: {value}"),
        (Some(Sign::Shift | Sign::Drift), true) => format!("{has} moved up to {value}"),
        (Some(Sign::Shift | Sign::Drift), false) => format!("{has} moved down to {value}"),
        (_, true) => format!("rose to {value}"),
        (_, false) => format!("fell to {value}"),
    };

    format!(
        "{} of {resource} {what}, {}",
        name(metric),
        usually(metric, reading)
    )
}

/// A reading as evidence: `CPU was 15.1 % at 2026-11-21 10:00 UTC, usually 30.2 to 41 % (a sudden
/// fall)`.
pub(super) fn evidence(reading: &Reading) -> Option<String> {
    let metric = reading.metric?;
    let was = if metric.row().is_plural {
        "were"
    } else {
        "was"
    };
    let (value, usually) = (amount(metric, reading.value), usually(metric, reading));
    Some(format!(
        "{} {was} {value} at {}, {usually} ({})",
        name(metric),
        minute(reading.at),
        reading.indication
    ))
}

/// `between 2026-11-21 10:00 and 10:05 UTC`.
pub(super) fn between(from: Timestamp, to: Timestamp) -> String {
    let day = |at: Timestamp| at.strftime("%Y-%m-%d").to_string();
    let to = if day(from) == day(to) {
        to.strftime("%H:%M UTC").to_string()
    } else {
        minute(to)
    };
    format!("between {} and {to}", from.strftime("%Y-%m-%d %H:%M"))
}

/// Describes a change of a resource: `its size was changed from m5.large to m5.xlarge`.
#[must_use]
pub fn changed(change: &ResourceChange) -> String {
    let name = match change.attribute {
        Attribute::State if change.after == ResourceState::Stopped.as_str() => {
            return "it was stopped".to_owned();
        }
        Attribute::State if change.before == ResourceState::Stopped.as_str() => {
            return "it was started".to_owned();
        }
        Attribute::State => return format!("it went from {} to {}", change.before, change.after),
        Attribute::LaunchedAt => {
            let at = change
                .after
                .parse()
                .map(|at| format!(" at {}", minute(at)))
                .unwrap_or_default();
            return format!("it was restarted{at}");
        }
        Attribute::Tags => return tags_changed(change),
        Attribute::StorageGib => {
            return format!(
                "its storage was changed from {} to {} GiB",
                change.before, change.after
            );
        }
        Attribute::InstanceType => "size",
        Attribute::SecurityGroups => "security groups",
        Attribute::DesiredCapacity => "number of members",
        Attribute::MinSize => "least number of members",
        Attribute::MaxSize => "greatest number of members",
        Attribute::MultiAz => "standby",
        Attribute::Iops => "IOPS",
        Attribute::StorageType => "storage type",
        Attribute::AttachedTo => "attachment",
        other => other.as_str(),
    };

    let were = if matches!(
        change.attribute,
        Attribute::SecurityGroups | Attribute::Iops | Attribute::Replicas
    ) {
        "were"
    } else {
        "was"
    };

    format!(
        "its {name} {were} changed from {} to {}",
        change.before.replace(',', ", "),
        change.after.replace(',', ", ")
    )
}

/// The names of the tags; their values stay in the inventory.
fn tags_changed(change: &ResourceChange) -> String {
    let lines = change.before.lines().chain(change.after.lines());
    let names: BTreeSet<&str> = lines
        .filter_map(|line| line.split_once('='))
        .map(|(name, _)| name)
        .collect();

    match names.len() {
        0 => "its tags were changed".to_owned(),
        1 => format!(
            "its tag {} was changed",
            names.into_iter().collect::<String>()
        ),
        _ => format!(
            "its tags {} were changed",
            names.into_iter().collect::<Vec<_>>().join(", ")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_three() {
        for (value, expect) in [
            (0.0, "0"),
            (21.695_993, "21.7"),
            (97.0, "97"),
            (0.012_345, "0.0123"),
            (1234.4, "1,234"),
            (99.96, "100"),
            (-4.5678, "-4.57"),
            (8.0, "8"),
        ] {
            assert_eq!(figures(value), expect, "{value}");
        }
        for (metric, value, expect) in [
            (Metric::CpuUtilization, 20.521, "20.5 %"),
            (Metric::FreeStorage, 21_695_993_838.0, "20.2 GiB"),
            (Metric::NetworkOut, 1_300_000.0, "1.24 MiB/s"),
            (Metric::ResponseTime, 0.2401, "240 ms"),
            (Metric::ResponseTime, 2.5, "2.5 s"),
            (Metric::RequestRate, 28.152, "28.2/s"),
            (Metric::DatabaseConnections, 340.0, "340"),
        ] {
            assert_eq!(amount(metric, value), expect);
        }
    }

    #[test]
    fn a_title_says_which_way_it_went() {
        let reading = |value: f64| Reading {
            metric: Some(Metric::CpuUtilization),
            at: Timestamp::UNIX_EPOCH,
            value,
            expected: 35.0,
            low: -2.0,
            high: 41.04,
            score: 0.8,
            indication: sign(Some(Sign::Spike), value > 35.0).into(),
        };
        let titled = |sign, value| title(Metric::CpuUtilization, "web", sign, &reading(value));

        assert_eq!(
            titled(Some(Sign::Spike), 97.02),
            "CPU of web rose to 97 %, usually 0 to 41 %"
        );

        let inside = "CPU of web varies unusually at 5.25 %, within the usual 0 to 41 %";
        assert_eq!(
            titled(Some(Sign::Spike), 5.25),
            inside,
            "inside the range nothing fell"
        );
        assert_eq!(titled(Some(Sign::Shift), 5.25), inside);
        assert_eq!(
            titled(Some(Sign::Flatline), 12.0),
            "CPU of web is stuck at 12 %, usually 0 to 41 %"
        );

        let requests = title(
            Metric::RequestRate,
            "shop",
            Some(Sign::Season),
            &reading(3.0),
        );

        assert_eq!(
            requests,
            "Requests of shop are low for this time of day: 3/s, usually 0/s to 41/s"
        );

        let text = evidence(&reading(5.25)).expect("a metric has evidence");
        assert_eq!(
            text,
            "CPU was 5.25 % at 1970-01-01 00:00 UTC, usually 0 to 41 % (a sudden fall)"
        );
    }
}
