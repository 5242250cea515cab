//! `tier_objects`: a rule that moves objects to a colder class once they are so old that the logs
//! hardly show reads of them.
//!
//! Everything is measured: ages and sizes by a listing of the objects, reads by the bucket's access
//! logs. Without logs, or with those of less than the setting's days, it abstains and says how to
//! turn them on; Reeve does not turn logging on itself, which writes objects that the account pays
//! for.

use reeve_estate::bucket::access::AccessState;
use reeve_estate::{BucketAccess, GIB, Money, PriceCatalogue};
use reeve_learn::Backtest;
use reeve_recommend::agent::Impact;
use reeve_recommend::change::{ColdClass, LifecycleRule, PutBucketLifecycle};
use reeve_recommend::guardrail::ownership::owned_by_code;
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::assessment::{Hazards, impact_level, priority_by_savings, risk};
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::plan::Plan;
use reeve_recommend::plan::procedure::{iac_note, subject};
use reeve_recommend::recommendation::{Explanation, FactorKind, Factors, ImpactAssessment};
use reeve_recommend::words::{dollars, thousands};
use serde_json::Value;

use super::candidate::{BucketBounds, BucketCandidate, backtest, best, least_days, return_usd};
use super::{Configured, decided};
use crate::confidence::{Confidence, confidence, signs};
use crate::storage_optimizer::KIND;
use crate::storage_optimizer::settings::Thresholds;

/// Advice for a bucket without logs.
const TURN_ON: &str = "its reads are not known: turn on server access logging of the bucket (Properties, Server access logging) to a bucket \
                       of the same region, and let the connection read that one";

/// Judges the classes of a bucket's objects.
pub(super) fn judge(
    facts: &Facts<'_>,
    settings: &Thresholds,
    configured: &Configured<'_>,
    access: &BucketAccess,
    mut path: Path,
) -> Result<Proposal, Abstention> {
    if configured
        .lifecycle
        .own_rules
        .iter()
        .any(|id| id == LifecycleRule::TIER_ID)
    {
        return Err(decided("tiered", "a rule of Reeve moves its old objects"));
    }

    let days = measured(access, settings)?;
    path.ask(
        "Are its reads known?",
        true,
        format!(
            "{days:.0} days of access logs, {} requests",
            thousands(access.records)
        ),
    );

    let region = facts.resource.region.as_str();
    let contents = facts.resource.specification.contents.as_ref();
    let standard_gib = contents
        .and_then(|contents| contents.gib.get("StandardStorage"))
        .copied()
        .unwrap_or_default();
    let bounds = BucketBounds {
        region,
        catalogue: facts.catalogue,
        after: settings.tier_days,
        expires: configured.expires(),
        standard_gib,
    };

    let is_priced = |class: &str, unit: &str| {
        let price = facts.catalogue.bucket_usd(region, class, unit, 0.0);
        price.is_some()
    };
    let is_known = |class: &ColdClass| is_priced(class.as_str(), "transition");
    let missing = if !is_priced("STANDARD", "gib_month") {
        Some("S3")
    } else if !ColdClass::ALL.iter().any(is_known) {
        // Storage alone says nothing about the worth of a move, which the transitions may cost.
        Some("transitions between classes of S3")
    } else {
        None
    };

    if let Some(missing) = missing {
        let detail = format!("the catalogue has no prices of {missing} in {region}");
        return Err(Abstention::unjudged(KIND, "price_not_known", detail));
    }

    let least = settings.tier_least_savings as f64;
    let found = best(access, bounds);
    let old = found.is_some();
    let words = found.as_ref().map_or(
        "no class may hold any of them long enough".to_owned(),
        |found| format!("{} with {}", objects(found.moved.objects), gib(found.gib())),
    );
    let question = format!(
        "Are there objects of at least {} days to move?",
        bounds.after
    );
    let Some(found) = found.filter(|_| path.ask(question, old, words)) else {
        return Err(decided(
            "no_old_objects",
            format!(
                "no objects of STANDARD are {} days old and stay long enough",
                bounds.after
            ),
        ));
    };

    let net = found.net();
    if !path.ask(
        "Is it cheaper after requests and retrieval?",
        net > 0.0 && net >= least,
        net_words(&found),
    ) {
        let detail = format!(
            "the best class saves {} a month, {} are needed: {}",
            usd(net),
            usd(least),
            net_words(&found)
        );
        return Err(decided("not_cheaper", detail));
    }

    let tried = trust(facts, access, bounds, least);
    let Backtest { held, windows } = tried.0.backtest;

    if !path.ask(
        "Would it have saved in past weeks?",
        held * 2 >= windows,
        format!("in {held} of {windows}"),
    ) {
        return Err(decided(
            "not_cheaper",
            format!("it would have saved something in {held} of {windows} past weeks"),
        ));
    }

    Ok(propose(facts, configured, access, &found, tried, path))
}

/// Days of logs; an abstention where they are too few, or not all objects are known.
fn measured(access: &BucketAccess, settings: &Thresholds) -> Result<f64, Abstention> {
    let unjudged = |code, detail: String| Err(Abstention::unjudged(KIND, code, detail));
    match access.state {
        AccessState::NotLogged => return unjudged("not_logged", TURN_ON.to_owned()),
        AccessState::Behind => {
            return unjudged(
                "logs_behind",
                "more logs are there than were read so far".to_owned(),
            );
        }
        AccessState::TooManyObjects => {
            return unjudged(
                "too_many_objects",
                "it has more than 200,000 objects, which Reeve does not list".to_owned(),
            );
        }
        AccessState::Complete => {}
    }

    let (days, least) = (access.window_days(), settings.tier_measured_days);
    if days < least as f64 {
        return unjudged(
            "too_few_days",
            format!("its logs reach {days:.0} days back, {least} are needed"),
        );
    }

    Ok(days)
}

impl Configured<'_> {
    /// The least age at which a rule that is on deletes objects, days. A rule with a date counts as
    /// at once.
    fn expires(&self) -> Option<i64> {
        let on = self
            .rules
            .iter()
            .filter(|rule| rule.get("Status").and_then(Value::as_str) == Some("Enabled"));
        let days = on
            .filter_map(|rule| rule.get("Expiration"))
            .filter_map(|expiration| {
                let days = expiration.get("Days").and_then(|days| {
                    days.as_str()
                        .map_or_else(|| days.as_i64(), |text| text.parse().ok())
                });
                days.or_else(|| expiration.get("Date").map(|_| 0))
            });

        days.min()
    }
}

fn usd(usd: f64) -> String {
    dollars(Money::from_usd(usd))
}

fn gib(gib: f64) -> String {
    if gib < 10.0 {
        format!("{gib:.2} GiB")
    } else {
        format!("{} GiB", thousands(gib.round() as u64))
    }
}

fn objects(count: u64) -> String {
    format!("{} objects", thousands(count))
}

fn net_words(found: &BucketCandidate) -> String {
    let class = found.tiering.class.as_str();
    format!(
        "{} - {} in {class} - {} for reads - {} for monitoring - {} for transitions = {} a month",
        usd(found.storage_now),
        usd(found.storage_after),
        usd(found.reads),
        usd(found.monitoring),
        usd(found.storage_now - found.storage_after - found.reads - found.monitoring - found.net()),
        usd(found.net())
    )
}

/// The computation, line by line.
fn evidence(
    access: &BucketAccess,
    found: &BucketCandidate,
    catalogue: &PriceCatalogue,
    region: &str,
) -> Factors {
    let (tiering, moved) = (&found.tiering, found.moved);
    let class = tiering.class;
    let last = access
        .total()
        .last_read
        .map_or("none".to_owned(), |at| at.to_string()[..10].to_owned());
    let scope = if tiering.prefix.is_empty() {
        String::new()
    } else {
        format!(" below {}", tiering.prefix)
    };

    let old = format!(
        "Objects of at least {} days in STANDARD{scope}: {} with {}",
        tiering.days,
        objects(moved.objects),
        gib(found.gib())
    );

    let reads = format!(
        "Reads of objects of that age in {:.0} days of logs: {} with {}; last read of any object: {last}",
        access.window_days(),
        thousands(moved.reads),
        gib(moved.read_bytes as f64 / GIB)
    );

    let transitions = format!(
        "Transitions: {} once, counted over 12 months, and {} a month for objects that reach the age",
        usd(found.transitions_once),
        usd(found.transitions_monthly)
    );

    let small = format!(
        "{} smaller than 128 KiB stay in STANDARD",
        objects(found.small_objects)
    );
    let origin = catalogue
        .bucket_usd(region, "STANDARD", "gib_month", 0.0)
        .map(|(_, origin)| format!("; {origin}"));
    let price = format!(
        "Saving a month: {}{}",
        net_words(found),
        origin.unwrap_or_default()
    );

    let mut factors = Factors::from([
        (FactorKind::Measured, old),
        (FactorKind::Measured, reads),
        (FactorKind::Price, price),
        (FactorKind::Price, transitions),
        (FactorKind::Consequence, small),
    ]);

    if least_days(class) > 0 {
        let least = least_days(class);
        let text = format!(
            "{class} bills at least {least} days: what is deleted or replaced earlier is charged for them"
        );
        factors.add(FactorKind::Price, text);
    }

    let back = return_usd(found, catalogue, region)
        .map_or("a retrieval and a request each".to_owned(), usd);
    let undo = format!(
        "It cannot be undone: objects that moved stay in {class}, and copying them back to STANDARD costs {back}; removing the rule in S3 \
         keeps the others"
    );
    factors.add(FactorKind::Consequence, undo);

    factors
}

/// Confidence by the past weeks in which the rule of the weeks before them would have saved
/// something.
fn trust(
    facts: &Facts<'_>,
    access: &BucketAccess,
    bounds: BucketBounds<'_>,
    least_usd: f64,
) -> (Confidence, Trust) {
    let (tried, margins) = backtest(access, bounds, least_usd);
    let confidence = confidence(tried, &margins, 0.0, None);
    let signs = signs(facts, margins, tried.windows, 0.0);
    let trust = Trust::new(confidence.raw, None, &signs);
    (confidence, trust)
}

fn propose(
    facts: &Facts<'_>,
    configured: &Configured<'_>,
    access: &BucketAccess,
    found: &BucketCandidate,
    (confidence, trust): (Confidence, Trust),
    path: Path,
) -> Proposal {
    let bucket = facts.resource;
    let class = found.tiering.class;
    let rule = LifecycleRule::TierObjects(found.tiering.clone());
    let change = PutBucketLifecycle {
        state: bucket.state,
        from: configured.lifecycle.clone(),
        rule: rule.clone(),
    };
    let iac = owned_by_code(bucket);
    let hazards = Hazards {
        iac: iac.is_some(),
        ..Hazards::default()
    };
    let savings = Some(Money::from_usd(found.net()));
    let cost = format!(
        "{} a month at list price",
        net_words(found).trim_end_matches(" a month")
    );
    let mut factors = Factors::from([
        (
            FactorKind::Consequence,
            format!("The rule {}", rule.words()),
        ),
        (FactorKind::Confidence, confidence.words_by("week")),
    ]);
    factors.extend(evidence(access, found, facts.catalogue, &bucket.region));

    let performance = match class {
        ColdClass::IntelligentTiering => "none: objects are read as fast as before",
        _ => {
            "none: objects are read as fast as before, with an availability of 99.9 % instead of 99.99 %"
        }
    };

    let monthly = bucket.monthly_cost;
    let mut proposal = Proposal::new(
        KIND,
        "tier_objects",
        super::title_of(&bucket.name, &rule),
        subject(bucket, None),
        ImpactAssessment {
            cost_percent: monthly
                .filter(|cost| cost.usd() > 0.0)
                .map(|cost| -100.0 * found.net() / cost.usd()),
            cost: cost.clone(),
            performance_degradation_percent: Some(0.0),
            performance: performance.to_owned(),
            security: "none: access stays as it is".to_owned(),
        },
        Explanation::new(
            format!(
                "Add a lifecycle rule to {}, which {}",
                bucket.name,
                rule.words()
            ),
            risk(bucket, hazards).max(Impact::Medium),
        )
        .with_factors(factors)
        .with_data_points(access.records)
        .with_confidence_range(confidence.range)
        .with_cost_reduction(cost)
        .with_performance_impact(performance.to_owned())
        .with_decision_path(path.into_decisions()),
    )
    .with_priority(priority_by_savings(savings))
    .with_confidence(confidence.percent, trust)
    // Nobody can take it back: the default approval matrix wants a signature from medium impact
    // on.
    .with_impact_level(
        impact_level(
            &facts.guardrails.approval_matrix,
            bucket,
            savings,
            monthly,
            hazards,
        )
        .max(Impact::Medium),
    )
    .with_savings(savings)
    .with_monthly_cost(monthly)
    .with_plan(Plan::new(&change, bucket.id.as_str()))
    .with_reason_codes(vec!["rarely_read".to_owned()]);

    if let Some(tag) = iac {
        iac_note(&mut proposal, &tag);
    }

    proposal
}
