//! Caching strategy: a cache before a database whose operations are mostly reads, or more use of
//! the one that is beside it.
//!
//! Reads of the storage are what the database's own memory did not hold: a cache before it takes
//! repeated reads from it. What is read repeatedly is not measured, so that this is advice, and no
//! saving is claimed.

use reeve_estate::Metric;
use reeve_learn::{DAY_MS, Window};
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::caches_beside::CachesBeside;
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::plan::relief::Relief;
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{Effort, FactorKind, Factors, Priority, RecommendationType};
use reeve_recommend::words::{figures, percent};

use super::finding::PerformanceFinding;
use super::hits::CacheUse;
use super::settings::Thresholds;
use crate::confidence::{backtest, confidence, signs};
use crate::load::Load;

pub(super) const KIND: RecommendationType = RecommendationType::CachingStrategy;
pub(super) const RULE: &str = "caching_strategy";
/// Reads a second below which a cache is not worth its work.
const LEAST_READS: f64 = 50.0;
/// CPU at its busiest from which the reads are a burden, percent.
const BURDEN: f64 = 50.0;
/// Lookups a second from which a cache is in use.
const LEAST_LOOKUPS: f64 = 1.0;
/// Days that must have been measured.
const LEAST_DAYS: i64 = 7;
/// Confidence of the advice at most, percent: how often the same is read is not measured.
const MOST_CONFIDENCE: f64 = 80.0;

pub(super) fn judge(facts: &Facts<'_>, settings: &Thresholds) -> Result<Proposal, Abstention> {
    let database = facts.resource;
    let decided = |code, detail: String| Abstention::decided(KIND, code, detail);
    let unmeasured = |detail: &str| Abstention::unjudged(KIND, "not_measured", detail.to_owned());
    let mut path = Path::default();

    let reads = Load::measured(facts, Metric::DiskReadOps);
    let writes = Load::measured(facts, Metric::DiskWriteOps);
    let (Some(reads), Some(writes)) = (reads, writes) else {
        return Err(unmeasured("its reads and writes were not measured"));
    };
    let cpu = Load::measured(facts, Metric::CpuUtilization)
        .ok_or_else(|| unmeasured("its CPU was not measured"))?;

    let history = Window::ending(facts.now.as_millisecond(), settings.history_days * DAY_MS);
    let known = reads
        .points
        .first()
        .map_or(0, |(at, _)| (history.end_ms - at) / DAY_MS);
    if known < LEAST_DAYS {
        let detail = format!("{known} days were measured, {LEAST_DAYS} are needed");
        return Err(Abstention::unjudged(KIND, "thin_data", detail));
    }

    let figures_of = |load: &Load| load.summary(history);
    let (Some(read), Some(written), Some(used)) =
        (figures_of(&reads), figures_of(&writes), figures_of(&cpu))
    else {
        return Err(unmeasured("its reads and writes were not measured"));
    };
    let share = share(read.mean, written.mean);
    let words = format!(
        "{} of its operations are reads: {} reads and {} writes a second over {} days",
        percent(share),
        figures(read.mean),
        figures(written.mean),
        settings.history_days
    );
    let mostly = share >= settings.read_share && read.mean >= LEAST_READS;
    if !path.ask(
        format!("Are {:.0} % of its operations reads?", settings.read_share),
        mostly,
        words.clone(),
    ) {
        return Err(decided("reads_are_few", words));
    }

    let busy = format!("95 % of the time its CPU was below {}", percent(used.p95));
    if !path.ask("Is it busy with them?", used.p95 >= BURDEN, busy.clone()) {
        return Err(decided("not_busy", busy));
    }

    let cache = CacheBeside::most_used(facts);
    let (code, advised, why) = match &cache {
        None => (
            "no_cache_beside",
            title("Put a cache before ", &database.name, ""),
            "the application has to read through the cache",
        ),
        Some(cache) => cache.advise(&database.name, settings),
    };
    let beside = cache.as_ref().map(CacheBeside::words);
    path.ask(
        "Is a cache in its network?",
        cache.is_some(),
        beside.clone().unwrap_or_else(|| "none is known".to_owned()),
    );

    let held = backtest(history, &reads, 3, |before, day| {
        let of = |window| Some((reads.summary(window)?.mean, writes.summary(window)?.mean));
        let (earlier, later) = (of(before)?, of(day)?);
        let mostly = |(read, written)| self::share(read, written) >= settings.read_share;
        mostly(earlier).then(|| mostly(later))
    });
    let margins = std::iter::empty().collect();
    let own = confidence(held, &margins, 0.0, Some(MOST_CONFIDENCE));
    let trust = Trust::new(
        own.raw,
        Some(MOST_CONFIDENCE),
        &signs(facts, margins, held.windows, 1.0),
    );

    let mut factors = Factors::from([(FactorKind::Measured, words), (FactorKind::Measured, busy)]);
    factors.extend(beside.map(|words| (FactorKind::Measured, words)));
    factors.extend([
        (
            FactorKind::Consequence,
            "Which of the reads repeat is not measured: look at the most frequent queries first"
                .to_owned(),
        ),
        (FactorKind::Confidence, own.words()),
    ]);

    Ok(PerformanceFinding {
        kind: KIND,
        rule: RULE,
        aspect: None,
        codes: vec!["mostly_reads", code],
        priority: Priority::Medium,
        confidence: (own.percent, trust),
        factors,
        performance: "repeated reads are answered from memory".to_owned(),
        withheld: None,
        data_points: (reads.points.len() + writes.points.len()) as u64,
        relief: Relief::advice(advised, Effort::High, why),
        compared_with: facts.resource.monthly_cost,
        path,
    }
    .propose(facts))
}

/// The cache of a database's network that is used most.
struct CacheBeside {
    name: String,
    /// `None` where it was not measured in the last days.
    usage: Option<CacheUse>,
}

impl CacheBeside {
    fn most_used(facts: &Facts<'_>) -> Option<CacheBeside> {
        let week = Window::ending(facts.now.as_millisecond(), LEAST_DAYS * DAY_MS);
        let CachesBeside(caches) = facts.get::<CachesBeside>()?;
        let measured = caches.iter().map(|cache| {
            let points = |metric| cache.points(metric).map_or_else(Vec::new, |(all, _)| all);
            CacheBeside {
                name: cache.resource.name.clone(),
                usage: CacheUse::of(
                    &points(Metric::CacheHitRate),
                    &points(Metric::RequestRate),
                    week,
                ),
            }
        });
        let lookups = |cache: &CacheBeside| cache.usage.map_or(0.0, |usage| usage.lookups);
        measured.max_by(|a, b| lookups(a).total_cmp(&lookups(b)))
    }

    /// Code, title and reason of the advice about the database before which it stands.
    fn advise(
        &self,
        database: &str,
        settings: &Thresholds,
    ) -> (&'static str, String, &'static str) {
        match self.usage {
            Some(usage) if usage.lookups < LEAST_LOOKUPS => (
                "cache_unused",
                title("Read through the cache beside ", database, ""),
                "the application has to read through the cache, which is hardly used",
            ),
            Some(usage) if usage.hit_percent < settings.hit_rate => (
                "cache_misses",
                title("Raise the hit rate of the cache beside ", database, ""),
                "what the cache misses is read from the database: its own finding names the cause",
            ),
            Some(_) => (
                "cache_beside",
                title("Read more through the cache beside ", database, ""),
                "the cache answers most of what it is asked: the reads that reach the database are not looked up there first",
            ),
            None => (
                "cache_not_measured",
                title("Read through the cache beside ", database, ""),
                "the application has to read through the cache, whose hits were not measured",
            ),
        }
    }

    fn words(&self) -> String {
        match self.usage {
            Some(usage) => format!(
                "the cache {} in its network had {} of {} keys that were looked up a second",
                self.name,
                percent(usage.hit_percent),
                figures(usage.lookups)
            ),
            None => format!("the cache {} is in its network", self.name),
        }
    }
}

/// Share of reads, percent.
fn share(reads: f64, writes: f64) -> f64 {
    if reads + writes > 0.0 {
        reads / (reads + writes) * 100.0
    } else {
        0.0
    }
}
