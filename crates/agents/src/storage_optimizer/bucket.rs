//! `abort_uploads` and `expire_versions`: lifecycle rules for buckets that lack them.
//!
//! Parts of uploads that nobody completed and versions that nobody reads are charged like objects,
//! and no listing shows them. CloudWatch counts neither apart from the objects, so that no saving
//! is claimed. One rule at a time: the safe one first, and last the one that moves objects to a
//! colder class (`tier`).

mod candidate;
mod tier;

use reeve_estate::document::NOT_READ;
use reeve_estate::{Document, Lifecycle, Provider};
use reeve_learn::Backtest;
use reeve_recommend::agent::Impact;
use reeve_recommend::change::{Change as _, LifecycleRule, PutBucketLifecycle, Reversal};
use reeve_recommend::guardrail::ownership::{is_opted_out, owned_by_code};
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::assessment::{Hazards, impact_level, priority_by_savings, risk};
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::plan::Plan;
use reeve_recommend::plan::procedure::{iac_note, subject};
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{Explanation, FactorKind, Factors, ImpactAssessment};
use serde_json::Value;

use super::KIND;
use super::settings::Thresholds;
use crate::confidence::{Confidence, confidence, signs};

const UNKNOWN: &str = "not known: S3 does not count them apart from the objects";

/// Rules of a bucket, and what they do already.
struct Configured<'a> {
    lifecycle: Lifecycle,
    rules: Vec<&'a Value>,
    is_versioned: bool,
}

/// Judges the lifecycle rules of one bucket.
pub(super) fn judge(facts: &Facts<'_>) -> Result<Proposal, Abstention> {
    let settings = Thresholds::from(facts.settings);
    let mut path = Path::default();
    let configured = admit(facts)?;
    let aborts = configured.does("AbortIncompleteMultipartUpload");
    let asked = settings.abort_uploads
        && path.ask(
            "Does no rule abort incomplete uploads?",
            !aborts,
            configured.words("aborts incomplete uploads", aborts),
        );

    if asked {
        let rule = LifecycleRule::AbortUploads {
            days: settings.abort_days as u32,
        };
        let missing = configured.words("aborts incomplete uploads", aborts);
        return Ok(propose(facts, configured.lifecycle, rule, missing, path));
    }

    if !settings.expire_versions {
        let detail = "its rules abort incomplete uploads, and expire_versions.enabled is off";
        return classes(facts, &settings, &configured, path, detail);
    }

    if !path.ask(
        "Does it keep old versions?",
        configured.is_versioned,
        "the status of its versioning",
    ) {
        let detail = "its rules abort incomplete uploads, and it keeps no old versions";
        return classes(facts, &settings, &configured, path, detail);
    }

    if configured.has("NoncurrentVersionTransition") {
        return Err(decided(
            "has_transitions",
            "its rules move old versions to another class, which keeps them on purpose",
        ));
    }

    let expires = configured.does("NoncurrentVersionExpiration");
    if !path.ask(
        "Does no rule delete them?",
        !expires,
        configured.words("deletes old versions", expires),
    ) {
        let detail = "its rules abort incomplete uploads and delete old versions";
        return classes(facts, &settings, &configured, path, detail);
    }

    let (days, keep) = (settings.version_days as u32, settings.keep_versions as u32);
    let missing = format!(
        "It keeps old versions, and {}",
        configured.words("deletes them", expires)
    );
    Ok(propose(
        facts,
        configured.lifecycle,
        LifecycleRule::ExpireVersions { days, keep },
        missing,
        path,
    ))
}

/// Judges the storage classes of a bucket whose rules are complete for `detail`'s reasons.
fn classes(
    facts: &Facts<'_>,
    settings: &Thresholds,
    configured: &Configured<'_>,
    path: Path,
    detail: &str,
) -> Result<Proposal, Abstention> {
    match &facts.resource.specification.access {
        Some(_) if settings.tier_objects && configured.has("Transition") => Err(decided(
            "has_transitions",
            "its rules move objects to another class already",
        )),
        Some(access) if settings.tier_objects => {
            tier::judge(facts, settings, configured, access, path)
        }
        _ => Err(decided("configured", detail)),
    }
}

fn decided(code: &'static str, detail: impl Into<String>) -> Abstention {
    Abstention::decided(KIND, code, detail)
}

/// The bucket's configuration; an abstention if a rule must not be added or the configuration was
/// not read.
fn admit<'a>(facts: &Facts<'a>) -> Result<Configured<'a>, Abstention> {
    let bucket = facts.resource;
    if is_opted_out(bucket) {
        return Err(decided("opted_out", "its tag reeve:ignore excludes it"));
    }

    if bucket.provider != Provider::Aws {
        return Err(decided(
            "cloud_not_covered",
            format!("lifecycle rules of {} are not read", bucket.provider),
        ));
    }

    let unread = || {
        Abstention::unjudged(
            KIND,
            "not_described",
            "its lifecycle or versioning was not read",
        )
    };

    let members = facts
        .document
        .and_then(|document| document.json().as_object())
        .ok_or_else(unread)?;
    let (lifecycle, versioning) = (members.get("Lifecycle"), members.get("Versioning"));
    if [lifecycle, versioning, members.get("ObjectLock")]
        .into_iter()
        .flatten()
        .any(|member| member == NOT_READ)
    {
        return Err(unread());
    }

    if members.contains_key("ObjectLock") {
        return Err(decided(
            "object_lock",
            "its object lock keeps versions for a purpose",
        ));
    }

    let rules = rules(lifecycle);
    if rules.iter().any(|rule| rule.get("Filter").is_none()) {
        return Err(decided(
            "legacy_rules",
            "its rules have the old form, which takes no others beside them",
        ));
    }

    let status = versioning
        .and_then(|versioning| versioning.get("Status"))
        .and_then(Value::as_str);
    Ok(Configured {
        lifecycle: fingerprint(lifecycle, &rules),
        rules,
        is_versioned: status.is_some(),
    })
}

/// Rules of a configuration: one rule is an object, several are a list.
fn rules(lifecycle: Option<&Value>) -> Vec<&Value> {
    match lifecycle.and_then(|lifecycle| lifecycle.get("Rule")) {
        Some(Value::Array(rules)) => rules.iter().collect(),
        Some(rule) => vec![rule],
        None => Vec::new(),
    }
}

fn fingerprint(lifecycle: Option<&Value>, rules: &[&Value]) -> Lifecycle {
    let Some(lifecycle) = lifecycle else {
        return Lifecycle::none();
    };

    let ids = rules.iter().filter_map(|rule| rule.get("ID")?.as_str());
    let mut own_rules: Vec<String> = ids
        .filter(|id| LifecycleRule::IDS.contains(id))
        .map(str::to_owned)
        .collect();
    own_rules.sort_unstable();

    Lifecycle {
        fingerprint: Document::kept(lifecycle.clone()).hash(),
        own_rules,
    }
}

impl Configured<'_> {
    /// Returns `true` if a rule that is on has an action. A rule for some objects counts: somebody
    /// decided about them.
    fn does(&self, action: &str) -> bool {
        let on = |rule: &&&Value| rule.get("Status").and_then(Value::as_str) == Some("Enabled");
        self.rules
            .iter()
            .filter(on)
            .any(|rule| rule.get(action).is_some())
    }

    /// Returns `true` if a rule of others has an action, be it on or off.
    fn has(&self, action: &str) -> bool {
        let of_others =
            |rule: &&&Value| rule.get("ID").and_then(Value::as_str) != Some(LifecycleRule::TIER_ID);
        self.rules
            .iter()
            .filter(of_others)
            .any(|rule| rule.get(action).is_some())
    }

    fn words(&self, action: &str, found: bool) -> String {
        match (self.rules.len(), found) {
            (0, _) => "it has no lifecycle rule".to_owned(),
            (1, true) => format!("its only rule {action}"),
            (1, false) => "its only rule does something else".to_owned(),
            (count, true) => format!("one of its {count} rules {action}"),
            (count, false) => format!("none of its {count} rules {action}"),
        }
    }
}

fn title_of(name: &str, rule: &LifecycleRule) -> String {
    match rule {
        LifecycleRule::AbortUploads { days } => title(
            "Abort incomplete uploads to ",
            name,
            &format!(" after {days} days"),
        ),
        LifecycleRule::ExpireVersions { days, .. } => title(
            "Delete old versions in ",
            name,
            &format!(" after {days} days"),
        ),
        LifecycleRule::TierObjects(tiering) => title(
            "Move objects of ",
            name,
            &format!(" to {} after {} days", tiering.class, tiering.days),
        ),
    }
}

fn factors(
    rule: &LifecycleRule,
    missing: String,
    lost: Option<String>,
    cost: String,
    trust: &Confidence,
) -> Factors {
    let mut factors = Factors::from([
        (FactorKind::Measured, missing),
        (FactorKind::Price, cost),
        (
            FactorKind::Consequence,
            format!("The rule {}", rule.words()),
        ),
        (
            FactorKind::Consequence,
            "The other rules of the bucket stay".to_owned(),
        ),
        (FactorKind::Confidence, trust.words()),
    ]);
    factors.extend(lost.map(|lost| (FactorKind::Consequence, lost)));

    factors
}

/// Proposes a rule; `missing` says which one the bucket lacks.
fn propose(
    facts: &Facts<'_>,
    from: Lifecycle,
    rule: LifecycleRule,
    missing: String,
    path: Path,
) -> Proposal {
    let bucket = facts.resource;
    let change = PutBucketLifecycle {
        state: bucket.state,
        from,
        rule: rule.clone(),
    };

    let lost = match change.reversal() {
        Reversal::Impossible(why) => Some(format!("It cannot be undone: {why}")),
        _ => None,
    };
    let trust = confidence(Backtest::default(), &Vec::new(), 0.0, None);
    let signs = signs(facts, Vec::new(), 0, 1.0);
    let iac = owned_by_code(bucket);
    let hazards = Hazards {
        iac: iac.is_some(),
        unpriced: true,
        ..Hazards::default()
    };

    let (name, code) = match rule {
        LifecycleRule::AbortUploads { .. } => ("abort_uploads", "no_abort_rule"),
        LifecycleRule::ExpireVersions { .. } => ("expire_versions", "no_expiry_rule"),
        LifecycleRule::TierObjects(_) => ("tier_objects", "rarely_read"),
    };

    let least = if lost.is_some() {
        Impact::Medium
    } else {
        Impact::Low
    };

    let cost = format!("the saving is {UNKNOWN}");
    let mut reason_codes = vec![code.to_owned()];
    reason_codes.extend(lost.iter().map(|_| "cannot_be_undone".to_owned()));
    let mut proposal = Proposal::new(
        KIND,
        name,
        title_of(&bucket.name, &rule),
        subject(bucket, None),
        ImpactAssessment {
            cost_percent: None,
            cost: cost.clone(),
            performance_degradation_percent: Some(0.0),
            performance: "none: current objects are not touched".to_owned(),
            security: "none: access stays as it is".to_owned(),
        },
        Explanation::new(
            format!(
                "Add a lifecycle rule to {}, which {}",
                bucket.name,
                rule.words()
            ),
            risk(bucket, hazards),
        )
        .with_factors(factors(&rule, missing, lost, cost.clone(), &trust))
        .with_confidence_range(trust.range)
        .with_cost_reduction(cost)
        .with_performance_impact("none: current objects are not touched".to_owned())
        .with_decision_path(path.into_decisions()),
    )
    .with_priority(priority_by_savings(None))
    .with_confidence(trust.percent, Trust::new(trust.raw, None, &signs))
    .with_impact_level(
        impact_level(
            &facts.guardrails.approval_matrix,
            bucket,
            None,
            bucket.monthly_cost,
            hazards,
        )
        .max(least),
    )
    .with_monthly_cost(bucket.monthly_cost)
    .with_plan(Plan::new(&change, bucket.id.as_str()))
    .with_reason_codes(reason_codes)
    .with_not_measured(vec!["uploads_and_versions".to_owned()]);

    if let Some(tag) = iac {
        iac_note(&mut proposal, &tag);
    }

    proposal
}
