//! The weeks to come: growth of a load that leads beyond what a smaller size holds.

use reeve_estate::InstanceSpec;
use reeve_learn::Summary;
use reeve_learn::trend::Trend;
use reeve_recommend::words::{byte_rate, figures, percent};

use super::burstable::baseline_percent;
use super::evidence::CostEvidence;
use super::fit::{BASELINE_BOUND, CPU_P99_BOUND, MEMORY_BOUND, memory_ratio, vcpu_ratio};
use crate::load::Load;

/// Days of growth that a smaller size has to hold.
pub(super) const DAYS: f64 = 28.0;
/// Days before now that the level is of.
const LEVEL_DAYS: i64 = 7;

/// A dimension of a size, held against its growth.
struct Held<'e> {
    name: &'static str,
    load: &'e Load,
    /// The most it may be, in units of the load as measured now.
    limit: f64,
    level: fn(&Summary) -> f64,
    words: fn(f64) -> String,
}

/// Growth of a load by the coming weeks that passes what a size holds, in words; `None` where none
/// does.
pub(super) fn outgrows(
    evidence: &CostEvidence<'_>,
    from: &InstanceSpec,
    to: &InstanceSpec,
) -> Option<String> {
    held(evidence, from, to).iter().find_map(|one| {
        let trend = Trend::fit(evidence.history().select(&one.load.points), 95.0)?;
        let level = (one.level)(&one.load.summary(evidence.last_days(LEVEL_DAYS))?);
        let then = level + trend.growth_in(DAYS);
        (trend.per_day > 0.0 && then > one.limit).then(|| {
            format!(
                "{} grows by {} a day (from {} to {} in {} days): in {DAYS:.0} days {}, and {} holds {}",
                one.name,
                (one.words)(trend.per_day),
                (one.words)(trend.first_level),
                (one.words)(trend.level),
                trend.days,
                (one.words)(then),
                to.name,
                (one.words)(one.limit)
            )
        })
    })
}

fn held<'e>(
    evidence: &'e CostEvidence<'_>,
    from: &InstanceSpec,
    to: &InstanceSpec,
) -> Vec<Held<'e>> {
    let p99: fn(&Summary) -> f64 = |summary| summary.p99;
    let mut found = Vec::new();
    let mut hold = |name, load: &'e Option<Load>, limit: Option<f64>, level, words| {
        let known = load.as_ref().zip(limit.filter(|limit| *limit > 0.0));
        found.extend(known.map(|(load, limit)| Held {
            name,
            load,
            limit,
            level,
            words,
        }));
    };

    let ratio = vcpu_ratio(from, to);
    hold(
        "CPU",
        &evidence.cpu,
        (ratio > 1.0).then_some(CPU_P99_BOUND / ratio),
        p99,
        percent,
    );

    let sustained = baseline_percent(to).map(|baseline| baseline / ratio);
    hold(
        "mean CPU",
        &evidence.cpu,
        sustained,
        |summary| summary.mean,
        percent,
    );

    let (memory, _) = memory_ratio(from, to);
    let memory = (memory > 1.0).then_some(MEMORY_BOUND / memory);
    hold(
        "memory",
        &evidence.memory,
        memory,
        |summary| summary.max,
        percent,
    );

    let smaller = |now: Option<f64>, then: Option<f64>, unit: f64| {
        then.filter(|then| now.is_none_or(|now| *then < now))
            .map(|then| then * unit * BASELINE_BOUND / 100.0)
    };

    let network = smaller(
        from.network_baseline_gbps,
        to.network_baseline_gbps,
        1e9 / 8.0,
    );
    hold("network", &evidence.network, network, p99, byte_rate);
    let disk = smaller(from.disk_baseline_mbps, to.disk_baseline_mbps, 1e6 / 8.0);
    hold(
        "disk throughput",
        &evidence.disk_bytes,
        disk,
        p99,
        byte_rate,
    );

    let operations = smaller(from.disk_baseline_iops, to.disk_baseline_iops, 1.0);
    hold(
        "disk operations",
        &evidence.disk_ops,
        operations,
        p99,
        figures,
    );

    found
}
