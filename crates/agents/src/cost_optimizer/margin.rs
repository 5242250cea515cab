//! Daily margins of a change: 1 is as safe as can be, 0 the limit, below 0 broken. The features for
//! calibrating confidence are computed from them; see `reeve_learn::calibrate`.

use reeve_estate::{InstanceSpec, ResourceKind};
use reeve_learn::calibrate::Daily;
use reeve_learn::{DAY_MS, Summary, Window};

use super::burstable::baseline_percent;
use super::evidence::CostEvidence;
use super::fit::{
    BASELINE_BOUND, CPU_MAX_BOUND, CPU_P99_BOUND, MEMORY_BOUND, memory_ratio, vcpu_ratio,
    well_measured,
};
use super::work::{CPU_PERCENT, NETWORK_BYTES};
use super::{idleness, throttled};
use crate::confidence::DAY_COVERAGE;
use crate::load::Load;

/// The margins of each day of the history.
fn daily(evidence: &CostEvidence<'_>, margin: impl Fn(Window) -> Option<f64>) -> Daily {
    evidence
        .history()
        .blocks(DAY_MS)
        .into_iter()
        .map(margin)
        .collect()
}

/// The figures of a day that was measured well enough to be judged.
fn day_of(load: Option<&Load>, day: Window) -> Option<Summary> {
    load?
        .summary(day)
        .filter(|summary| summary.coverage >= DAY_COVERAGE)
}

/// Of a smaller size: what is left to the nearest bound, as a share of that bound.
pub(super) fn smaller(
    evidence: &CostEvidence<'_>,
    from: &InstanceSpec,
    to: &InstanceSpec,
) -> Daily {
    let ratio = vcpu_ratio(from, to);
    daily(evidence, |day| {
        let cpu = day_of(evidence.cpu.as_ref(), day)?;
        let mut used = Vec::new();
        if to.vcpu < from.vcpu {
            used.extend([
                cpu.p99 * ratio / CPU_P99_BOUND,
                cpu.max * ratio / CPU_MAX_BOUND,
            ]);
        }
        if let Some(baseline) = baseline_percent(to) {
            used.push(cpu.mean * ratio / baseline);
        }
        let (memory, _) = memory_ratio(from, to);
        if memory > 1.0 {
            used.extend(
                well_measured(evidence.memory.as_ref(), day).map(|m| m.max * memory / MEMORY_BOUND),
            );
        }
        let sustained = [
            (&evidence.network, to.network_baseline_gbps, 8.0 / 1e9),
            (&evidence.disk_bytes, to.disk_baseline_mbps, 8.0 / 1e6),
            (&evidence.disk_ops, to.disk_baseline_iops, 1.0),
        ];
        for (load, limit, unit) in sustained {
            let measured =
                well_measured(load.as_ref(), day).zip(limit.filter(|limit| *limit > 0.0));
            used.extend(
                measured.map(|(load, limit)| load.p99 * unit / (limit * BASELINE_BOUND / 100.0)),
            );
        }
        used.into_iter().reduce(f64::max).map(|most| 1.0 - most)
    })
}

/// Of stopping what is idle: what is left to the limits of idleness.
pub(super) fn idle(evidence: &CostEvidence<'_>) -> Daily {
    if evidence.facts.resource.kind == ResourceKind::Database {
        return daily(evidence, |day| {
            let connections = day_of(evidence.connections.as_ref(), day)?;
            Some(if connections.max <= 0.0 { 1.0 } else { -1.0 })
        });
    }
    daily(evidence, |day| {
        let (cpu, network) = (
            day_of(evidence.cpu.as_ref(), day)?,
            day_of(evidence.network.as_ref(), day)?,
        );
        // One point of work breaks it, however low the percentiles are.
        let peak = (cpu.max / CPU_PERCENT).max(network.max / NETWORK_BYTES);
        Some(1.0 - idleness::share_of_limits(&cpu, &network).max(peak))
    })
}

/// Of a larger size: how clearly the need was there.
pub(super) fn larger(evidence: &CostEvidence<'_>, starved: bool) -> Daily {
    daily(evidence, |day| {
        if starved {
            let credits = day_of(evidence.credits.as_ref(), day)?;
            return Some(if credits.p95 < throttled::NO_CREDITS {
                0.5
            } else {
                -0.5
            });
        }
        let cpu = day_of(evidence.cpu.as_ref(), day)?;
        Some(
            (cpu.p50 - throttled::STILL_WANTED_PERCENT) / (100.0 - throttled::STILL_WANTED_PERCENT),
        )
    })
}
