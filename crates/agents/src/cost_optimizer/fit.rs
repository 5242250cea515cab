//! Comparison of a load with the capacity of an instance size, dimension by dimension.
//!
//! Peaks are those of the whole history, not of the rule's window: a short window hides them.
//! Network and disk are held against what a size sustains, never against its "up to" figure. A
//! dimension that nobody measured is not checked, which is said, and counts as a doubt when the
//! size has less of it.

use reeve_estate::{InstanceSpec, Metric};
use reeve_learn::sizing::{AHEAD_DAYS, Needed, TWO_MONTHS_DAYS, needed};
use reeve_learn::{DAY_MS, Point, Summary, Window};
use reeve_recommend::judgement::proposal::Path;
use reeve_recommend::models::{ModelUse, date};
use reeve_recommend::recommendation::{FactorKind, Factors};
use reeve_recommend::words::{figures, percent};

use super::burstable::baseline_percent;
use super::dimension::CostDimension;
use super::evidence::CostEvidence;
use super::{ahead, outlook};
use crate::load::{Load, maxima};

/// Projected p99 CPU at most, percent of the target.
pub(super) const CPU_P99_BOUND: f64 = 60.0;
/// Projected highest CPU point at most, percent of the target.
pub(super) const CPU_MAX_BOUND: f64 = 90.0;
/// Projected highest memory at most, percent of the target: room for a start-up peak.
pub(super) const MEMORY_BOUND: f64 = 80.0;
/// Share of the target up to which a peak that was seen once is no matter, percent: half as much
/// again still fits.
const SEEN_ONCE_BOUND: f64 = 60.0;
/// Share of a sustained baseline (network, disk) that p99 may use, percent.
pub(super) const BASELINE_BOUND: f64 = 80.0;

/// Result of comparing a load with a size.
#[derive(Debug, Clone, Default)]
pub(super) struct SizeFit {
    /// Checks in the order in which they were made.
    pub(super) path: Path,
    /// The first check that failed: code and numbers.
    pub(super) refused: Option<(&'static str, String)>,
    /// Dimensions that could not be checked and that get smaller.
    pub(super) doubts: Vec<CostDimension>,
    /// Sentences for the explanation.
    pub(super) factors: Factors,
    /// Models that were asked.
    pub(super) models: Vec<ModelUse>,
}

impl SizeFit {
    fn check(&mut self, question: String, holds: bool, detail: String, code: &'static str) {
        if !self.path.ask(question, holds, detail.clone()) && self.refused.is_none() {
            self.refused = Some((code, detail));
        }
    }

    fn doubt(&mut self, dimension: CostDimension, question: String, why: String) {
        self.path.unanswered(question, why);
        self.doubts.push(dimension);
    }
}

/// Checks a size against everything that was measured in a window.
pub(super) fn fit(
    evidence: &CostEvidence<'_>,
    from: &InstanceSpec,
    to: &InstanceSpec,
    window: Window,
) -> SizeFit {
    let mut found = SizeFit::default();
    cpu(&mut found, evidence, from, to, window);
    credits(&mut found, evidence, from, to, window);
    memory(&mut found, evidence, from, to, window);
    let gbps = |spec: &InstanceSpec| spec.network_baseline_gbps;
    let to_gbps = |bytes: f64| bytes * 8.0 / 1e9;
    let network = Baseline {
        dimension: CostDimension::Network,
        code: "network_bound",
        unit: "Gbit/s",
        convert: to_gbps,
    };

    network.check(
        &mut found,
        evidence.network.as_ref(),
        (gbps(from), gbps(to)),
        window,
    );

    let mbps = |spec: &InstanceSpec| spec.disk_baseline_mbps;
    let to_mbps = |bytes: f64| bytes * 8.0 / 1e6;
    let disk = Baseline {
        dimension: CostDimension::DiskThroughput,
        code: "disk_bound",
        unit: "Mbit/s",
        convert: to_mbps,
    };

    disk.check(
        &mut found,
        evidence.disk_bytes.as_ref(),
        (mbps(from), mbps(to)),
        window,
    );

    let iops = |spec: &InstanceSpec| spec.disk_baseline_iops;
    let operations = Baseline {
        dimension: CostDimension::DiskOperations,
        code: "disk_ops_bound",
        unit: "operations/s",
        convert: |n| n,
    };

    operations.check(
        &mut found,
        evidence.disk_ops.as_ref(),
        (iops(from), iops(to)),
        window,
    );

    found
}

impl SizeFit {
    /// Adds whether the size still holds the load after the weeks to come.
    pub(super) fn look_ahead(
        &mut self,
        evidence: &CostEvidence<'_>,
        from: &InstanceSpec,
        to: &InstanceSpec,
    ) {
        let outgrown = ahead::outgrows(evidence, from, to);
        let detail = outgrown
            .clone()
            .unwrap_or_else(|| "no growth that leads beyond it".to_owned());
        let question = format!(
            "Does {} hold the load of the next {:.0} days?",
            to.name,
            ahead::DAYS
        );
        self.check(question, outgrown.is_none(), detail, "growing");
        self.look_at_next_week(evidence, from, to);
        self.look_at_forecast(evidence, from, to);
    }
}

impl SizeFit {
    /// Holds the size against the capacity that the next week needs, by the peaks of up to thirteen
    /// months before.
    fn look_at_next_week(
        &mut self,
        evidence: &CostEvidence<'_>,
        from: &InstanceSpec,
        to: &InstanceSpec,
    ) {
        let dimensions = [
            (
                "CPU",
                Metric::CpuUtilization,
                &evidence.cpu,
                vcpu_ratio(from, to),
                CPU_MAX_BOUND,
            ),
            (
                "memory",
                Metric::MemoryUtilization,
                &evidence.memory,
                memory_ratio(from, to).0,
                MEMORY_BOUND,
            ),
        ];
        for (name, metric, load, ratio, bound) in dimensions
            .into_iter()
            .filter(|(_, _, _, ratio, _)| *ratio > 1.0)
        {
            let history = evidence.history();
            let mut points = maxima(evidence.facts, metric, history.start_ms);
            self.look_back(name, &points, to, (ratio, bound));
            let Some(load) = load else {
                continue;
            };
            points.extend_from_slice(history.select(&load.points));
            let Some(needed) = needed(&points, evidence.now_ms) else {
                continue;
            };
            let then = needed.percent * ratio;
            let detail = format!(
                "highest {name} {}, with room for a week {} of {}",
                percent(needed.peak),
                percent(then),
                to.name
            );
            let question = format!(
                "Does {} hold the {name} that the next {AHEAD_DAYS} days may need?",
                to.name
            );
            self.ask_for_second_peak(name, &needed, to, ratio);
            self.check(question, then <= 100.0, detail, "next_week");
        }
    }

    /// Holds the size against the highest of the earlier days, of thirteen months: what comes once a
    /// quarter or a year. Bound in percent of the target.
    fn look_back(
        &mut self,
        name: &str,
        earlier: &[Point],
        to: &InstanceSpec,
        (ratio, bound): (f64, f64),
    ) {
        let highest = earlier.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        let Some((at_ms, value)) = highest.copied() else {
            return;
        };

        let then = value * ratio;
        let date = date(at_ms.div_euclid(DAY_MS)).map_or_else(String::new, |date| date.to_string());
        self.check(
            format!(
                "Does {} hold the highest {name} of the year before?",
                to.name
            ),
            then <= bound,
            format!(
                "highest {name} {} on {date}, of {} earlier days, becomes {}, limit {bound:.0} %",
                percent(value),
                earlier.len(),
                percent(then)
            ),
            "year_peak",
        );
    }

    /// Asks for a second peak where one stands alone: what comes once a month was seen once, and
    /// nothing is known of how much it differs.
    fn ask_for_second_peak(&mut self, name: &str, needed: &Needed, to: &InstanceSpec, ratio: f64) {
        let Some(peak) = needed.lone_peak.filter(|_| !needed.knows_months()) else {
            return;
        };
        let then = peak.percent * ratio;
        if then <= SEEN_ONCE_BOUND {
            return;
        }

        self.check(
            format!("Has the highest {name} come twice?"),
            false,
            format!(
                "{name} was {} on one day {} days ago ({} of {}) and at most {} on the others: a job that comes once a month was seen once, and two months are needed ({TWO_MONTHS_DAYS} days, there are {})",
                percent(peak.percent),
                peak.days_ago,
                percent(then),
                to.name,
                percent(peak.otherwise),
                needed.days
            ),
            "seen_once",
        );
    }
}

impl SizeFit {
    /// Holds the size against the demand model's forecast. Without a usable model the measured days
    /// decide, and that is said.
    fn look_at_forecast(
        &mut self,
        evidence: &CostEvidence<'_>,
        from: &InstanceSpec,
        to: &InstanceSpec,
    ) {
        let question = format!(
            "Does {} hold the forecast demand of the next {} days?",
            to.name,
            outlook::DAYS
        );
        match outlook::demand(evidence) {
            Ok((model, found)) => {
                let exceeded = outlook::exceeds(&found, from, to);
                let detail = exceeded.clone().unwrap_or_else(|| outlook::words(&found));
                let detail = format!("{detail} ({})", model.words());
                self.check(question, exceeded.is_none(), detail, "forecast_demand");
                self.models
                    .push(model.says(exceeded.unwrap_or_else(|| outlook::words(&found))));
            }
            Err(reason) => {
                let text = format!(
                    "No forecast of the coming weeks: {reason}. The measured days alone decide"
                );
                self.factors.add(FactorKind::Confidence, text);
                self.path.unanswered(question, reason);
            }
        }
    }
}

fn cpu(
    found: &mut SizeFit,
    evidence: &CostEvidence<'_>,
    from: &InstanceSpec,
    to: &InstanceSpec,
    window: Window,
) {
    let Some(cpu) = evidence.cpu.as_ref().and_then(|load| load.summary(window)) else {
        return;
    };

    let ratio = vcpu_ratio(from, to);
    let (p99, max) = (cpu.p99 * ratio, cpu.max * ratio);
    let what = format!("{} vCPU to {}", from.vcpu, to.vcpu);
    let same = to.vcpu >= from.vcpu;
    found.check(
        format!(
            "Does p99 CPU stay below {CPU_P99_BOUND:.0} % on {}?",
            to.name
        ),
        same || p99 <= CPU_P99_BOUND,
        format!("p99 {} becomes {} ({what})", percent(cpu.p99), percent(p99)),
        "cpu_bound",
    );

    found.check(
        format!(
            "Does the highest CPU point stay below {CPU_MAX_BOUND:.0} % on {}?",
            to.name
        ),
        same || max <= CPU_MAX_BOUND,
        format!(
            "highest {} becomes {} ({what})",
            percent(cpu.max),
            percent(max)
        ),
        "cpu_peak_bound",
    );

    let text = format!(
        "On {} the measured peaks become p99 {} and highest {} of {} vCPU",
        to.name,
        percent(p99),
        percent(max),
        to.vcpu
    );

    found.factors.add(FactorKind::Consequence, text);
}

fn credits(
    found: &mut SizeFit,
    evidence: &CostEvidence<'_>,
    from: &InstanceSpec,
    to: &InstanceSpec,
    window: Window,
) {
    if !to.burstable {
        return;
    }

    let question = format!("Does {} sustain the mean CPU without credits?", to.name);
    let Some(cpu) = evidence.cpu.as_ref().and_then(|load| load.summary(window)) else {
        return;
    };
    let Some(baseline) = baseline_percent(to) else {
        found.doubt(
            CostDimension::CpuCredits,
            question,
            "its baseline is not in the catalogue".to_owned(),
        );
        return;
    };

    let mean = cpu.mean * vcpu_ratio(from, to);
    let detail = format!(
        "mean {} becomes {}, baseline {}",
        percent(cpu.mean),
        percent(mean),
        percent(baseline)
    );

    found.check(question, mean <= baseline, detail, "cpu_credit_bound");
}

fn memory(
    found: &mut SizeFit,
    evidence: &CostEvidence<'_>,
    from: &InstanceSpec,
    to: &InstanceSpec,
    window: Window,
) {
    let question = format!("Does memory fit into {}?", to.name);
    let (ratio, sizes) = memory_ratio(from, to);
    if ratio <= 1.0 {
        found.path.ask(question, true, sizes);
        return;
    }

    let Some(used) = well_measured(evidence.memory.as_ref(), window) else {
        found.doubt(
            CostDimension::Memory,
            question,
            format!("memory was not measured ({sizes})"),
        );
        return;
    };

    let highest = used.max * ratio;
    let detail = format!(
        "highest {} becomes {} ({sizes})",
        percent(used.max),
        percent(highest)
    );

    found.factors.add(
        FactorKind::Consequence,
        format!("Memory: {detail}, limit {MEMORY_BOUND:.0} %"),
    );
    found.check(question, highest <= MEMORY_BOUND, detail, "memory_bound");
}

/// A dimension with a sustained baseline.
struct Baseline {
    dimension: CostDimension,
    code: &'static str,
    unit: &'static str,
    convert: fn(f64) -> f64,
}

impl Baseline {
    fn check(
        &self,
        found: &mut SizeFit,
        load: Option<&Load>,
        sizes: (Option<f64>, Option<f64>),
        window: Window,
    ) {
        let words = self.dimension.words();
        let many = self.dimension.is_plural();
        let (does, was, stays) = if many {
            ("Do", "were", "stay")
        } else {
            ("Does", "was", "stays")
        };

        let question = format!(
            "{does} p99 {words} stay below {BASELINE_BOUND:.0} % of what the size sustains?"
        );
        if let (Some(now), Some(then)) = sizes
            && then >= now
        {
            found.path.ask(
                question,
                true,
                format!("{words} {stays} at least {} {}", figures(now), self.unit),
            );
            return;
        }

        let Some(used) = well_measured(load, window) else {
            found.doubt(
                self.dimension,
                question,
                format!("{words} {was} not measured"),
            );
            return;
        };

        let Some(then) = sizes.1 else {
            found.doubt(
                self.dimension,
                question,
                format!("the catalogue has no sustained {words} for the size"),
            );
            return;
        };

        let p99 = (self.convert)(used.p99);
        let share = percent(p99 / then * 100.0);
        let detail = format!(
            "p99 {} of {} {} sustained ({share})",
            figures(p99),
            figures(then),
            self.unit
        );

        found.check(
            question,
            p99 <= then * BASELINE_BOUND / 100.0,
            detail,
            self.code,
        );
    }
}

/// Returns the factor by which a percentage of memory grows on another size, with the sizes in
/// words. Within a family memory is proportional to vCPU, which stands in for it where the
/// catalogue has no memory sizes.
pub(super) fn memory_ratio(from: &InstanceSpec, to: &InstanceSpec) -> (f64, String) {
    match (from.memory_gib, to.memory_gib) {
        (Some(now), Some(then)) if then > 0.0 => {
            (now / then, format!("{now} GiB become {then} GiB"))
        }
        _ => (
            vcpu_ratio(from, to),
            "taken to shrink with vCPU, its size is not in the catalogue".to_owned(),
        ),
    }
}

/// Returns the factor by which a percentage of CPU grows on another size.
pub(super) fn vcpu_ratio(from: &InstanceSpec, to: &InstanceSpec) -> f64 {
    f64::from(from.vcpu.max(1)) / f64::from(to.vcpu.max(1))
}

/// Figures of a load that covers at least nine tenths of the part of the window it was there for,
/// and half of the window.
pub(super) fn well_measured(load: Option<&Load>, window: Window) -> Option<Summary> {
    let load = load?;
    let first = load.points.first()?.0.max(window.start_ms);
    let part = Window {
        start_ms: first,
        end_ms: window.end_ms,
    };
    let summary = load.summary(part)?;
    (summary.coverage >= 0.9 && part.length_ms() * 2 >= window.length_ms()).then_some(summary)
}

/// Work beyond what the size can do at once, percent of all work: what would have had to wait.
pub(super) fn degradation_percent(cpu: &Load, window: Window, ratio: f64) -> Option<f64> {
    let (mut beyond, mut all) = (0.0, 0.0);
    for (_, value) in window.select(&cpu.points) {
        let projected = value.max(0.0) * ratio;
        beyond += (projected - 100.0).max(0.0);
        all += projected;
    }

    if all > 0.0 {
        Some(beyond / all * 100.0)
    } else {
        window.select(&cpu.points).first().map(|_| 0.0)
    }
}
