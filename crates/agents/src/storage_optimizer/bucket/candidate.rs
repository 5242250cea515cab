//! Cost of moving old objects of a bucket to a colder class: what the class saves, less all that it
//! charges.
//!
//! Charges counted beside storage: a transition for each object, over a year; transitions of
//! objects that reach the age each month; retrieval and requests of the reads that the logs have;
//! the monitoring of INTELLIGENT_TIERING. Objects smaller than 128 KiB are not moved. A class is
//! out where a rule deletes objects before its least duration ends. Prices:
//! `reeve_estate::catalogue::bucket`.

use reeve_estate::GIB;
use reeve_estate::PriceCatalogue;
use reeve_estate::bucket::access::{AGE_BANDS, BandUse, BucketAccess, PrefixUse};
use reeve_learn::Backtest;
use reeve_learn::calibrate::Daily;
use reeve_recommend::change::{ColdClass, Tiering};

/// Days that a class bills at least (Amazon S3 user guide, "Comparing the Amazon S3 storage
/// classes").
pub(super) const fn least_days(class: ColdClass) -> i64 {
    match class {
        ColdClass::StandardIa => 30,
        ColdClass::GlacierInstant => 90,
        ColdClass::IntelligentTiering => 0,
    }
}

/// Months over which the first transitions are counted.
const MONTHS: f64 = 12.0;
const DAYS_A_MONTH: f64 = 30.0;
/// Whole weeks before the first one that is tried.
const TRAINING_WEEKS: i64 = 2;
/// Share of the moved bytes that must be read in a month before INTELLIGENT_TIERING is worth its
/// monitoring.
const MIXED: f64 = 0.01;

/// Bounds of the choice.
#[derive(Debug, Clone, Copy)]
pub(super) struct BucketBounds<'a> {
    pub(super) region: &'a str,
    /// Catalogue with the prices of the storage classes.
    pub(super) catalogue: &'a PriceCatalogue,
    /// Least age of the objects that are moved, in days.
    pub(super) after: i64,
    /// Least age at which a rule of the bucket deletes objects, days.
    pub(super) expires: Option<i64>,
    /// GiB of the bucket in STANDARD: the tiers of the price go by it.
    pub(super) standard_gib: f64,
}

/// One way to move objects, with its figures a month in US dollars.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BucketCandidate {
    pub(super) tiering: Tiering,
    /// Objects that move at once, and their reads in the window.
    pub(super) moved: BandUse,
    pub(super) small_objects: u64,
    pub(super) storage_now: f64,
    pub(super) storage_after: f64,
    /// Retrieval and requests of the reads, more than in STANDARD.
    pub(super) reads: f64,
    pub(super) monitoring: f64,
    /// All transitions of the objects that move at once.
    pub(super) transitions_once: f64,
    /// Those of objects that reach the age each month.
    pub(super) transitions_monthly: f64,
    /// Share of the moved bytes that are read in a month, at most 1.
    hot: f64,
}

impl BucketCandidate {
    /// Saving a month after everything.
    pub(super) fn net(&self) -> f64 {
        self.storage_now
            - self.storage_after
            - self.reads
            - self.monitoring
            - self.transitions_once / MONTHS
            - self.transitions_monthly
    }

    pub(super) fn gib(&self) -> f64 {
        self.moved.bytes as f64 / GIB
    }

    /// Share of what storage saves that is left after the other charges.
    pub(super) fn margin(&self) -> f64 {
        self.net() / (self.storage_now - self.storage_after).max(f64::MIN_POSITIVE)
    }

    /// Returns `false` for INTELLIGENT_TIERING of objects that are hardly read: another class does
    /// without its monitoring.
    fn fits(&self) -> bool {
        self.tiering.class != ColdClass::IntelligentTiering || self.hot >= MIXED
    }
}

/// Tries the choice on past weeks: each is judged by the rule that the weeks before it give.
/// Objects count as stored today. Returns the weeks in which the rule would have saved something,
/// and the share of the saving that the reads of each left.
pub(super) fn backtest(
    access: &BucketAccess,
    bounds: BucketBounds<'_>,
    least_usd: f64,
) -> (Backtest, Daily) {
    let weeks = access.whole_weeks();
    let (mut count, mut margins) = (Backtest::default(), Daily::new());

    for week in weeks.start + TRAINING_WEEKS..weeks.end {
        let before = best(&access.in_weeks(weeks.start..week), bounds);
        let Some(rule) = before.filter(|found| found.net() > 0.0 && found.net() >= least_usd)
        else {
            continue;
        };
        let Some(result) = outcome(&access.in_weeks(week..week + 1), &rule.tiering, bounds) else {
            continue;
        };
        count.windows += 1;
        count.held += u64::from(result.net() > 0.0);
        margins.push(Some(result.margin().clamp(0.0, 1.0)));
    }

    (count, margins)
}

/// Figures of a rule with the reads of a window.
fn outcome(
    access: &BucketAccess,
    rule: &Tiering,
    bounds: BucketBounds<'_>,
) -> Option<BucketCandidate> {
    let months = access.window_days() / DAYS_A_MONTH;
    let total = access.total();
    let used = if rule.prefix.is_empty() {
        &total
    } else {
        access.prefixes.get(&rule.prefix)?
    };

    candidate(
        used,
        &rule.prefix,
        i64::from(rule.days),
        rule.class,
        months,
        bounds,
    )
}

/// The candidate with the highest saving, over the whole bucket and single prefixes; `None` in a
/// region without prices, and where no object is old enough.
pub(super) fn best(access: &BucketAccess, bounds: BucketBounds<'_>) -> Option<BucketCandidate> {
    let total = access.total();
    let named = access
        .prefixes
        .iter()
        .filter(|(prefix, _)| !prefix.is_empty());
    let scopes = [("", &total)]
        .into_iter()
        .chain(named.map(|(prefix, used)| (prefix.as_str(), used)));
    let months = access.window_days() / DAYS_A_MONTH;
    let mut best: Option<BucketCandidate> = None;

    for (prefix, used) in scopes {
        for age in AGE_BANDS.into_iter().filter(|age| *age >= bounds.after) {
            for class in ColdClass::ALL {
                let found = candidate(used, prefix, age, *class, months, bounds);
                let better = |found: &BucketCandidate| {
                    found.fits() && best.as_ref().is_none_or(|best| found.net() > best.net())
                };
                if let Some(found) = found.filter(better) {
                    best = Some(found);
                }
            }
        }
    }

    best
}

fn candidate(
    used: &PrefixUse,
    prefix: &str,
    age: i64,
    class: ColdClass,
    months: f64,
    bounds: BucketBounds<'_>,
) -> Option<BucketCandidate> {
    let price = |class: &str, unit, amount| {
        Some(
            bounds
                .catalogue
                .bucket_usd(bounds.region, class, unit, amount)?
                .0,
        )
    };

    let moved = used.from_age(age);
    let is_deleted_before = bounds
        .expires
        .is_some_and(|days| days < age + least_days(class));
    if moved.objects == 0 || months <= 0.0 || is_deleted_before {
        return None;
    }

    let (name, objects, gib) = (
        class.as_str(),
        moved.objects as f64,
        moved.bytes as f64 / GIB,
    );

    let (reads, read_gib) = (
        moved.reads as f64 / months,
        moved.read_bytes as f64 / GIB / months,
    );
    let is_watched = class == ColdClass::IntelligentTiering;
    let hot = (read_gib / gib).min(1.0);
    let storage_after = if is_watched {
        price(name, "gib_month", gib * hot)?
            + price(
                "INTELLIGENT_TIERING.infrequent",
                "gib_month",
                gib * (1.0 - hot),
            )?
    } else {
        price(name, "gib_month", gib)?
    };

    let standard = |gib: f64| price("STANDARD", "gib_month", gib);
    let all = bounds.standard_gib.max(gib);

    // Objects of the youngest band were written within a month, and reach the age in another.
    let monthly = used.stored[0].count as f64;
    Some(BucketCandidate {
        tiering: Tiering {
            days: u32::try_from(age).ok()?,
            class,
            prefix: prefix.to_owned(),
        },
        moved,
        small_objects: used.small_objects,
        storage_now: standard(all)? - standard(all - gib)?,
        storage_after,
        reads: price(name, "read", reads)? + price(name, "retrieved_gib", read_gib)?
            - price("STANDARD", "read", reads)?,
        monitoring: if is_watched {
            price(name, "object_month", objects)?
        } else {
            0.0
        },
        transitions_once: price(name, "transition", objects)?,
        transitions_monthly: price(name, "transition", monthly)?,
        hot,
    })
}

/// Cost of copying the moved objects back into STANDARD: retrieval, a read and a write each.
pub(super) fn return_usd(
    candidate: &BucketCandidate,
    catalogue: &PriceCatalogue,
    region: &str,
) -> Option<f64> {
    let name = candidate.tiering.class.as_str();
    let price =
        |class: &str, unit, amount| Some(catalogue.bucket_usd(region, class, unit, amount)?.0);
    let objects = candidate.moved.objects as f64;
    let parts = [
        price(name, "retrieved_gib", candidate.gib()),
        price(name, "read", objects),
        price("STANDARD", "write", objects),
    ];

    parts.into_iter().sum()
}
