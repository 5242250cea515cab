//! Load of a scaling group, the load that one member serves, and the time until a member serves.

use std::collections::{BTreeMap, HashMap};

use reeve_estate::{Metric, Money, Provider, ResourceState};
use reeve_learn::scaling::ScalingSettings;
use reeve_learn::{DAY_MS, Point, percentile};
use reeve_recommend::guardrail::protection::refusal;
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::proposal::Abstention;
use reeve_recommend::judgement::service_load::{MeasuredResource, ServiceLoad};
use reeve_recommend::recommendation::RecommendationType;
use reeve_recommend::words::figures;

use super::settings::Thresholds;

pub(super) const KIND: RecommendationType = RecommendationType::AutoScaling;
/// Age of the newest point up to which it is the load now.
const FRESH_MS: i64 = 25 * 60_000;
/// Share of a day's points without which the day was not measured.
const DAY_COVERAGE: f64 = 0.8;
/// CPU below which a member does too little to tell what it could serve, percent.
const LEAST_CPU: f64 = 5.0;
/// Points from which the load of a member is measured: an hour of five minutes.
const LEAST_POINTS: usize = 12;
/// Percentile of the measured loads of a member: rather too little than too much.
const CAREFUL: f64 = 25.0;
/// Longest warm-up that is believed.
const MOST_WARM_UP_MS: i64 = 60 * 60_000;
/// Time between two runs of an agent, in which nothing is decided.
const RUNS_MS: i64 = 15 * 60_000;

/// Load of a group over time.
#[derive(Debug, Clone)]
pub(super) struct PerformanceDemand {
    /// Requests a second.
    pub(super) points: Vec<Point>,
    pub(super) step_ms: i64,
    /// Days that were measured.
    pub(super) days: i64,
    /// Requests a second that one member serves.
    pub(super) unit: f64,
    /// Source of `unit`, in words.
    pub(super) unit_words: String,
    /// Time until an added member serves.
    pub(super) warm_up_ms: i64,
    pub(super) warm_up_words: String,
}

impl PerformanceDemand {
    /// Measures the demand of the judged group. The error is the reason why it is not known.
    pub(super) fn measure(
        facts: &Facts<'_>,
        service: &ServiceLoad,
        settings: &Thresholds,
    ) -> Result<PerformanceDemand, Abstention> {
        let unknown = |code, detail: String| Abstention::unjudged(KIND, code, detail);
        if !service.shared.is_empty() {
            let detail = format!(
                "{} leads to other machines as well: the requests of the group alone are not known",
                service.shared.join(", ")
            );
            return Err(unknown("demand_shared", detail));
        }

        let rates: Option<Vec<(Vec<Point>, i64)>> = service
            .balancers
            .iter()
            .map(|balancer| balancer.points(Metric::RequestRate))
            .collect();
        let Some((points, step_ms)) = rates.and_then(sum) else {
            let detail = "no load balancer before it has requests: connect a metric source that sends request_rate for it";
            return Err(unknown("demand_unknown", detail.to_owned()));
        };

        let now_ms = facts.now.as_millisecond();
        let newest = points.last().map_or(i64::MIN, |(at, _)| *at);
        if now_ms.saturating_sub(newest) > FRESH_MS {
            let detail =
                "its requests were not measured in the last 25 minutes: the capacity stays";
            return Err(unknown("metric_stale", detail.to_owned()));
        }

        let days = measured_days(&points, step_ms);
        let (unit, unit_words) = member_load(facts, service, settings, &(&points, step_ms))?;
        let (warm_up_ms, warm_up_words) = warm_up(facts, service, settings);
        Ok(PerformanceDemand {
            points,
            step_ms,
            days,
            unit,
            unit_words,
            warm_up_ms,
            warm_up_words,
        })
    }

    /// Settings of the policy for a group of at least `least` members. What is asked for has to
    /// serve when the next run has decided and the members have started.
    pub(super) fn policy(&self, least: u32, settings: &Thresholds) -> ScalingSettings {
        ScalingSettings {
            unit: self.unit,
            lead_ms: self.warm_up_ms + RUNS_MS,
            least: u64::from(least.max(1)),
            step_ms: self.step_ms,
            seasonal: settings.seasonal,
        }
    }
}

/// Returns an abstention if the group may not be changed or is on its way.
pub(super) fn admit(facts: &Facts<'_>) -> Result<(), Abstention> {
    let group = facts.resource;
    if let Some(protected) = refusal(group, "scale_group", facts.catalogue) {
        return Err(protected.into_abstention(Some(KIND)));
    }
    if group.provider != Provider::Aws {
        let detail = format!("Reeve does not scale groups of {}", group.provider);
        return Err(Abstention::decided(KIND, "cloud_not_covered", detail));
    }
    match group.state {
        ResourceState::Available | ResourceState::Running => Ok(()),
        state => Err(Abstention::unjudged(
            KIND,
            "changing",
            format!("it is {state}"),
        )),
    }
}

/// Monthly cost of the members of a group; `None` where one has no price.
pub(super) fn members_cost(service: &ServiceLoad) -> Option<Money> {
    let members = service.machines.iter();
    members.map(|member| member.resource.monthly_cost).sum()
}

/// The sum of several loads at the times that all have.
fn sum(loads: Vec<(Vec<Point>, i64)>) -> Option<(Vec<Point>, i64)> {
    let step_ms = loads.iter().map(|(_, step_ms)| *step_ms).max()?;
    let mut loads = loads.into_iter();
    let (mut points, _) = loads.next()?;
    for (other, _) in loads {
        let other = by_period(other, step_ms);
        points = points
            .into_iter()
            .filter_map(|(at, value)| Some((at, value + other.get(&at.div_euclid(step_ms))?)))
            .collect();
    }
    (!points.is_empty()).then_some((points, step_ms))
}

/// Values by the number of their period: resources are measured at seconds of their own.
fn by_period(points: Vec<Point>, step_ms: i64) -> HashMap<i64, f64> {
    let values = points.into_iter();
    values
        .map(|(at, value)| (at.div_euclid(step_ms), value))
        .collect()
}

/// Days, back from the newest point, of which enough points are there.
fn measured_days(points: &[Point], step_ms: i64) -> i64 {
    let Some((newest, _)) = points.last() else {
        return 0;
    };
    let mut counts = BTreeMap::new();
    for (at, _) in points {
        *counts.entry((newest - at) / DAY_MS).or_insert(0_i64) += 1;
    }
    let enough = DAY_COVERAGE * DAY_MS as f64 / step_ms.max(1) as f64;
    counts
        .values()
        .filter(|count| **count as f64 >= enough)
        .count() as i64
}

/// Requests a second that a member serves: as people set it, else by the CPU of the present
/// members since they are the present ones.
fn member_load(
    facts: &Facts<'_>,
    service: &ServiceLoad,
    settings: &Thresholds,
    (points, step_ms): &(&Vec<Point>, i64),
) -> Result<(f64, String), Abstention> {
    if settings.requests_per_member > 0 {
        let unit = settings.requests_per_member as f64;
        return Ok((
            unit,
            format!("a member serves {unit} requests a second, as set"),
        ));
    }

    let unknown = |detail: &str| {
        let detail = format!(
            "{detail}; set scale_before_traffic_spike.requests_per_member, or wait until it was measured"
        );
        Abstention::unjudged(KIND, "member_load_unknown", detail)
    };
    // Members that are gone are not known any more: older points would be shared among too few.
    let created = service.machines.iter().map(|one| one.resource.created_at);
    let since = created.chain([facts.attachment_changed_at]).flatten().max();
    let day_ms = facts.now.as_millisecond() - DAY_MS;
    let since_ms = since.map_or(day_ms, |at| at.as_millisecond().max(day_ms));
    let loads = loads_of_members(&service.machines, points, *step_ms, since_ms)
        .ok_or_else(|| unknown("the CPU of its members was not measured"))?;
    if loads.len() < LEAST_POINTS {
        return Err(unknown("its members were not at work together for an hour"));
    }

    let whole = percentile(&loads, CAREFUL).unwrap_or(0.0);
    let unit = whole * settings.member_full / 100.0;
    if unit <= 0.0 {
        return Err(unknown("its members served no requests"));
    }
    let words = format!(
        "a member serves {} requests a second at {:.0} % CPU, by {} measurements of {} members",
        figures(unit),
        settings.member_full,
        loads.len(),
        service.machines.len()
    );
    Ok((unit, words))
}

/// Requests that a member would serve with all of its CPU, at the times since then at which every
/// member was measured.
fn loads_of_members(
    members: &[MeasuredResource],
    points: &[Point],
    step_ms: i64,
    since_ms: i64,
) -> Option<Vec<f64>> {
    let cpus: Vec<HashMap<i64, f64>> = members
        .iter()
        .map(|member| {
            let (points, _) = member.points(Metric::CpuUtilization)?;
            Some(by_period(points, step_ms))
        })
        .collect::<Option<_>>()?;
    if cpus.is_empty() {
        return None;
    }

    let count = cpus.len() as f64;
    let load = |(at, rate): &Point| {
        let used: Option<f64> = cpus
            .iter()
            .map(|cpu| cpu.get(&at.div_euclid(step_ms)))
            .sum();
        let mean = used? / count;
        (*at >= since_ms && mean >= LEAST_CPU).then_some(rate / count / (mean / 100.0))
    };
    Some(points.iter().filter_map(load).collect())
}

/// Time until a member serves: the longest of the setting, the warm-up that the group's
/// configuration names, and the time after its start in which a member reached half its usual CPU.
fn warm_up(facts: &Facts<'_>, service: &ServiceLoad, settings: &Thresholds) -> (i64, String) {
    let set = settings.lead_minutes * 60_000;
    let named = facts.document.map_or(0, |document| {
        let seconds = |name: &str| {
            let value = document.json().get(name)?;
            let text = value.as_str().and_then(|text| text.parse().ok());
            text.or_else(|| value.as_i64())
        };
        let names = ["DefaultInstanceWarmup", "HealthCheckGracePeriod"];
        names.into_iter().filter_map(seconds).max().unwrap_or(0) * 1000
    });
    let measured = service.machines.iter().filter_map(started_within).max();
    let lead = set
        .max(named)
        .max(measured.unwrap_or(0))
        .min(MOST_WARM_UP_MS.max(set));

    let minutes = |ms: i64| (ms + 59_999) / 60_000;
    let measured = measured.map_or_else(
        || "not measured".to_owned(),
        |ms| format!("{} minutes measured", minutes(ms)),
    );
    let words = format!(
        "a member serves {} minutes after it is asked for: {} set, {} by the group's configuration, {measured}",
        minutes(lead),
        minutes(set),
        minutes(named),
    );
    (lead, words)
}

/// Time from a member's start until half its usual CPU; `None` for one that started before it was
/// measured.
fn started_within(member: &MeasuredResource) -> Option<i64> {
    let created = member.resource.created_at?.as_millisecond();
    let (points, step_ms) = member.points(Metric::CpuUtilization)?;
    let (first, _) = points.first()?;
    if points.len() < LEAST_POINTS || *first < created || first - created > MOST_WARM_UP_MS {
        return None;
    }
    let values: Vec<f64> = points.iter().map(|(_, value)| *value).collect();
    let usual = percentile(&values, 50.0)?;
    let (at, _) = points.iter().find(|(_, value)| *value >= usual / 2.0)?;
    Some((at + step_ms - created).min(MOST_WARM_UP_MS))
}
