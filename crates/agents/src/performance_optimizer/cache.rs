//! Caching strategy of caches and content distributions: one whose hit rate stays low.
//!
//! Each miss is an answer that the store or the origin behind the cache has to give, after a lookup
//! for nothing.
//! Evictions part the two causes: a cache that evicts about a key for each miss has no room for what
//! is read again; one that evicts next to nothing is asked for keys that it never held, or that
//! expired. A distribution evicts without telling. Reeve changes neither a cache nor an application:
//! this is advice.

use reeve_estate::{Metric, ResourceKind};
use reeve_learn::{DAY_MS, Window};
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::plan::relief::Relief;
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{Effort, FactorKind, Factors, Priority};
use reeve_recommend::words::{figures, percent};

use super::caching::{KIND, RULE};
use super::finding::PerformanceFinding;
use super::hits::CacheUse;
use super::settings::Thresholds;
use crate::confidence::{DAY_COVERAGE, backtest, confidence, signs};
use crate::load::Load;

/// Days on each of which the hit rate must have been low.
const LOW_DAYS: i64 = 7;
/// Lookups a second below which a cache makes no difference.
const LEAST_LOOKUPS: f64 = 10.0;
/// Evictions for each miss from which memory is the cause. A read-through cache that is full and
/// whose keys do not expire evicts one for each miss.
const EVICTS: f64 = 0.5;
/// Evictions for each miss up to which memory is not the cause.
const HARDLY_EVICTS: f64 = 0.1;
/// Confidence of the advice at most, percent: the keys themselves are not seen.
const MOST_CONFIDENCE: f64 = 80.0;

/// Cause of a low hit rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LowHits {
    TooSmall,
    KeysOrExpiry,
    /// Evictions are between the two, or were not measured.
    Unclear,
    /// The cache is a content distribution, which tells nothing but the rate.
    OfDistribution,
}

impl LowHits {
    /// By evictions and misses a second.
    fn of(kind: ResourceKind, evictions: Option<f64>, misses: f64) -> LowHits {
        if kind == ResourceKind::Distribution {
            return LowHits::OfDistribution;
        }
        match evictions.map(|evictions| evictions / misses.max(f64::MIN_POSITIVE)) {
            Some(share) if share >= EVICTS => LowHits::TooSmall,
            Some(share) if share <= HARDLY_EVICTS => LowHits::KeysOrExpiry,
            _ => LowHits::Unclear,
        }
    }

    fn code(self) -> &'static str {
        match self {
            LowHits::TooSmall => "cache_too_small",
            LowHits::KeysOrExpiry => "keys_or_expiry",
            LowHits::Unclear => "cause_unclear",
            LowHits::OfDistribution => "cache_policies",
        }
    }

    fn title(self, name: &str) -> String {
        match self {
            LowHits::TooSmall => title("Enlarge the cache ", name, ""),
            LowHits::KeysOrExpiry => title("Review keys and expiry of the cache ", name, ""),
            LowHits::Unclear => title("Raise the hit rate of the cache ", name, ""),
            LowHits::OfDistribution => title("Review the cache policies of ", name, ""),
        }
    }

    /// Measure that people take against it.
    fn advice(self) -> &'static str {
        match self {
            LowHits::TooSmall => {
                "a larger node type, or further shards, keep keys until they are read again; Reeve changes no caches"
            }
            LowHits::KeysOrExpiry => {
                "the keys that the application looks up, and the time to live that it sets, are its own: look for keys with a part that differs each time, and for a time to live below the time between two reads"
            }
            LowHits::Unclear => {
                "whether memory or keys are the cause is not certain by its evictions: compare the memory in use with the time to live of its keys"
            }
            LowHits::OfDistribution => {
                "the cache policy of each behavior says which headers, cookies and query strings part one object into many, and the answers of the origin how long each is kept: leave out what does not change the answer, and let the origin send a longer Cache-Control"
            }
        }
    }
}

/// What a miss costs.
fn consequence(kind: ResourceKind) -> &'static str {
    if kind == ResourceKind::Distribution {
        "Each miss is answered by the origin: the user waits for it, and its work and its traffic are paid"
    } else {
        "Each miss is read from the store behind the cache, after a lookup that was for nothing"
    }
}

/// Reasons for the advice. Nothing is known of the evictions of a distribution.
fn factors(kind: ResourceKind, hits: String, evicted: String, confidence: String) -> Factors {
    let mut factors = Factors::from([(FactorKind::Measured, hits)]);
    if kind != ResourceKind::Distribution {
        factors.add(FactorKind::Measured, evicted);
    }
    factors.extend([
        (FactorKind::Consequence, consequence(kind).to_owned()),
        (FactorKind::Confidence, confidence),
    ]);
    factors
}

/// Returns what was looked up, and the hit rate where something was.
fn measured(facts: &Facts<'_>) -> Result<(Load, Option<Load>), Abstention> {
    let is_distribution = facts.resource.kind == ResourceKind::Distribution;
    let unmeasured =
        |detail: &str| Abstention::unjudged(KIND, "hits_not_measured", detail.to_owned());
    let lookups = Load::measured(facts, Metric::RequestRate).ok_or_else(|| {
        unmeasured(if is_distribution {
            "its requests were not measured: the connection needs cloudwatch:GetMetricData"
        } else {
            "its hits and misses were not measured: the connection needs cloudwatch:GetMetricData"
        })
    })?;
    let hit_rate = Load::measured(facts, Metric::CacheHitRate);
    if is_distribution && hit_rate.is_none() {
        return Err(unmeasured(
            "its hit rate was not measured: CloudFront sends it for a distribution whose additional metrics are on, for which AWS charges",
        ));
    }
    Ok((lookups, hit_rate))
}

/// Judges a cache node, a Memcached cluster or a content distribution.
pub(super) fn judge(facts: &Facts<'_>, settings: &Thresholds) -> Result<Proposal, Abstention> {
    let kind = facts.resource.kind;
    let is_distribution = kind == ResourceKind::Distribution;
    let (lookups, hit_rate) = measured(facts)?;
    let hit_points = hit_rate
        .as_ref()
        .map_or(&[][..], |load| load.points.as_slice());
    let use_in = |window: Window| CacheUse::of(hit_points, &lookups.points, window);

    let week = Window::ending(facts.now.as_millisecond(), LOW_DAYS * DAY_MS);
    let days = week.blocks(DAY_MS);
    let is_covered = |day: &&Window| {
        lookups
            .summary(**day)
            .is_some_and(|summary| summary.coverage >= DAY_COVERAGE)
    };
    let known = days.iter().filter(is_covered).count();
    if (known as i64) < LOW_DAYS {
        let detail = format!("{known} of the last {LOW_DAYS} days were measured");
        return Err(Abstention::unjudged(KIND, "thin_data", detail));
    }

    let mut path = Path::default();
    let asked = lookups.summary(week).map_or(0.0, |summary| summary.mean);
    let words = if is_distribution {
        format!("{} requests a second were answered", figures(asked))
    } else {
        format!("{} keys were looked up a second", figures(asked))
    };
    let Some(found) =
        use_in(week).filter(|_| path.ask("Is it used?", asked >= LEAST_LOOKUPS, words.clone()))
    else {
        return Err(Abstention::decided(KIND, "lookups_are_few", words));
    };

    let best = days
        .iter()
        .filter_map(|day| use_in(*day))
        .map(|day| day.hit_percent)
        .fold(0.0, f64::max);
    let words = format!(
        "{} of {} {} a second were hits over {LOW_DAYS} days, {} on the best day",
        percent(found.hit_percent),
        figures(found.lookups),
        if is_distribution {
            "requests"
        } else {
            "lookups"
        },
        percent(best)
    );
    if !path.ask(
        format!(
            "Was the hit rate below {:.0} % on each day?",
            settings.hit_rate
        ),
        best < settings.hit_rate,
        words.clone(),
    ) {
        return Err(Abstention::decided(KIND, "hits_are_enough", words));
    }

    let evictions = Load::measured(facts, Metric::CacheEvictions)
        .and_then(|load| load.summary(week))
        .map(|summary| summary.mean);
    let cause = LowHits::of(kind, evictions, found.misses());
    let evicted = evictions.map_or_else(
        || "its evictions were not measured".to_owned(),
        |evictions| {
            format!(
                "it evicted {} keys a second at {} misses a second",
                figures(evictions),
                figures(found.misses())
            )
        },
    );
    if !is_distribution {
        path.ask(
            "Does it evict about as many keys as it misses?",
            cause == LowHits::TooSmall,
            evicted.clone(),
        );
    }

    let history = Window::ending(facts.now.as_millisecond(), settings.history_days * DAY_MS);
    let held = backtest(history, &lookups, 3, |before, day| {
        let is_low = |window| use_in(window).map(|one| one.hit_percent < settings.hit_rate);
        let later = is_low(day)?;
        is_low(before)?.then_some(later)
    });
    let margins = std::iter::empty().collect();
    let own = confidence(held, &margins, 0.0, Some(MOST_CONFIDENCE));
    let unmeasured = f64::from(u8::from(evictions.is_none()));
    let features = signs(facts, margins, held.windows, unmeasured);
    let factors = factors(kind, words, evicted, own.words());

    Ok(PerformanceFinding {
        kind: KIND,
        rule: RULE,
        aspect: None,
        codes: vec!["hit_rate_low", cause.code()],
        priority: Priority::Medium,
        confidence: (
            own.percent,
            Trust::new(own.raw, Some(MOST_CONFIDENCE), &features),
        ),
        factors,
        performance: if is_distribution {
            "more requests are answered near the user".to_owned()
        } else {
            "more reads are answered from memory".to_owned()
        },
        withheld: None,
        data_points: (lookups.points.len() + hit_points.len()) as u64,
        relief: Relief::advice(
            cause.title(&facts.resource.name),
            Effort::Medium,
            cause.advice(),
        ),
        compared_with: facts.resource.monthly_cost,
        path,
    }
    .propose(facts))
}
