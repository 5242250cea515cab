//! `clean_snapshots`: snapshots that are old, and whose volume is gone or has newer ones.
//!
//! The newest snapshots of each volume stay, as many as the settings say. Snapshots are
//! incremental: deleting one frees only the blocks that no other snapshot of its volume refers to,
//! so that its full size is an upper bound. A saving is claimed from a bill alone.

use jiff::Timestamp;
use reeve_estate::{
    Document, Money, RelationKind, Resource, ResourceId, ResourceKind, ResourceState,
};
use reeve_learn::DAY_MS;
use reeve_recommend::agent::Impact;
use reeve_recommend::change::DeleteSnapshot;
use reeve_recommend::guardrail::ownership::{is_opted_out, owned_by_code};
use reeve_recommend::judgement::Facts;
use reeve_recommend::judgement::assessment::{Hazards, impact_level, priority_by_savings, risk};
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::plan::Plan;
use reeve_recommend::plan::procedure::{iac_note, subject};
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{Explanation, FactorKind, Factors, ImpactAssessment};
use reeve_recommend::words::{at_most, dollars};

use super::KIND;
use super::settings::Thresholds;
use crate::confidence::{STATE_CAP, lasting, signs};
use crate::discounts;

const RULE: &str = "clean_snapshots";
/// Volume that EC2 names for a copied snapshot: there is none.
const COPIED: &str = "vol-ffffffff";

/// A snapshot among those of its volume.
struct Standing<'a> {
    volume: ResourceId,
    is_volume_gone: bool,
    /// Newer complete snapshots of the volume, newest first.
    newer: Vec<&'a Resource>,
    age_days: i64,
}

/// Judges the age and the need of one snapshot.
pub(super) fn judge(facts: &Facts<'_>) -> Result<Proposal, Abstention> {
    let (snapshot, settings) = (facts.resource, Thresholds::from(facts.settings));
    let mut path = Path::default();

    if !settings.clean_snapshots {
        return Err(decided(
            "switched_off",
            "the setting clean_snapshots.enabled is off",
        ));
    }

    admit(facts, &settings, &mut path)?;
    let standing = Standing::of(facts)?;
    let used: Vec<&str> = users(facts);

    if !path.ask(
        "Does no image or launch template use it?",
        used.is_empty(),
        listed(&used),
    ) {
        return Err(decided(
            "used_by_image",
            format!("{} made from it", listed(&used)),
        ));
    }

    let keeps = if standing.is_volume_gone {
        settings.keep_of_deleted
    } else {
        settings.keep_newest.max(1)
    };

    let (newer, volume) = (standing.newer.len() as u64, &standing.volume);
    let question = format!("Are there {keeps} newer snapshots of {volume}?");

    if !path.ask(
        question,
        newer >= keeps,
        format!("{newer} newer ones are complete"),
    ) {
        return Err(decided(
            "kept",
            format!("it is one of the {keeps} newest of {volume}"),
        ));
    }

    let restored = facts.relations.sources(
        &snapshot.connection,
        &snapshot.id,
        RelationKind::CreatedFrom,
    );

    let restored = restored
        .filter(|made| made.kind == ResourceKind::Volume)
        .filter_map(|made| made.created_at);
    let lately = restored
        .map(|at| days_since(at, facts.now))
        .min()
        .filter(|days| *days < settings.snapshot_days);
    let words = lately.map_or("no volume".to_owned(), |days| {
        format!("a volume was made from it {days} days ago")
    });

    if !path.ask(
        "Was no volume made from it since?",
        lately.is_none(),
        words.clone(),
    ) {
        return Err(decided("in_use", words));
    }

    Ok(propose(facts, &standing, keeps as usize, path))
}

fn decided(code: &'static str, detail: impl Into<String>) -> Abstention {
    Abstention::decided(KIND, code, detail)
}

fn days_since(at: Timestamp, now: Timestamp) -> i64 {
    (now.as_millisecond() - at.as_millisecond()) / DAY_MS
}

/// Members of the snapshot's document, as text.
fn member<'a>(document: Option<&'a Document>, name: &str) -> Option<&'a str> {
    document?.json().get(name)?.as_str()
}

/// Returns an abstention for a snapshot that a service manages, that is not complete, or that is
/// too young.
fn admit(facts: &Facts<'_>, settings: &Thresholds, path: &mut Path) -> Result<(), Abstention> {
    let snapshot = facts.resource;
    if is_opted_out(snapshot) {
        return Err(decided("opted_out", "its tag reeve:ignore excludes it"));
    }

    if let Some(tag) = snapshot.service_tag() {
        return Err(decided(
            "managed_by_service",
            format!("the service of its tag {tag} manages it"),
        ));
    }

    if snapshot.state != ResourceState::Available
        || member(facts.document, "status") != Some("completed")
    {
        return Err(Abstention::unjudged(
            KIND,
            "not_complete",
            "the snapshot is not known to be complete",
        ));
    }

    if member(facts.document, "storageTier").is_some_and(|tier| tier != "standard") {
        return Err(decided(
            "archived",
            "it is in the archive tier, which has a price and a least duration of its own",
        ));
    }

    let created = snapshot.created_at;
    let created = created
        .ok_or_else(|| Abstention::unjudged(KIND, "age_not_known", "the cloud named no time"))?;
    let (age, least) = (days_since(created, facts.now), settings.snapshot_days);

    if !path.ask(
        format!("Is it older than {least} days?"),
        age >= least,
        format!("{age} days old"),
    ) {
        return Err(decided(
            "too_young",
            format!("{age} days old, {least} are needed"),
        ));
    }

    Ok(())
}

/// Images and launch templates that name the snapshot.
fn users<'a>(facts: &Facts<'a>) -> Vec<&'a str> {
    let made = facts.relations.sources(
        &facts.resource.connection,
        &facts.resource.id,
        RelationKind::CreatedFrom,
    );
    made.filter(|one| one.kind != ResourceKind::Volume)
        .map(|one| one.id.as_str())
        .collect()
}

fn listed(names: &[&str]) -> String {
    if names.is_empty() {
        "nothing".to_owned()
    } else {
        names.join(", ")
    }
}

impl<'a> Standing<'a> {
    /// The snapshot among the others of its volume; an abstention where they, the volume or images
    /// were not read.
    fn of(facts: &Facts<'a>) -> Result<Standing<'a>, Abstention> {
        let (snapshot, relations) = (facts.resource, facts.relations);
        let read = [
            ResourceKind::Snapshot,
            ResourceKind::Image,
            ResourceKind::LaunchTemplate,
            ResourceKind::Volume,
        ];

        if let Some(kind) = read
            .into_iter()
            .find(|kind| !relations.is_complete(snapshot, *kind))
        {
            let detail = format!(
                "resources of the kind {kind} were not read completely in {}",
                snapshot.region
            );
            return Err(Abstention::unjudged(KIND, "relations_not_read", detail));
        }

        let volume = relations
            .target(snapshot, RelationKind::CreatedFrom)
            .filter(|id| id.as_str() != COPIED);
        let volume = volume.cloned().ok_or_else(|| {
            Abstention::unjudged(
                KIND,
                "volume_not_known",
                "a copied snapshot does not say what it is a copy of",
            )
        })?;
        let siblings = relations.sources(&snapshot.connection, &volume, RelationKind::CreatedFrom);

        let newer = |one: &&Resource| {
            one.kind == ResourceKind::Snapshot
                && one.state == ResourceState::Available
                && (one.created_at, &one.id) > (snapshot.created_at, &snapshot.id)
        };
        let mut newer: Vec<&Resource> = siblings.filter(newer).collect();
        newer.sort_by(|a, b| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)));

        let is_volume_gone = relations
            .get(&snapshot.connection, &volume)
            .is_none_or(|one| one.state == ResourceState::Deleted);
        let age_days = snapshot
            .created_at
            .map_or(0, |at| days_since(at, facts.now));
        Ok(Standing {
            volume,
            is_volume_gone,
            newer,
            age_days,
        })
    }

    fn because(&self) -> String {
        match (self.is_volume_gone, self.newer.len()) {
            (true, _) => format!("its volume {} is gone", self.volume),
            (false, count) => format!("{} has {count} newer ones", self.volume),
        }
    }
}

/// Cost of the snapshot a month, in words and by its bill.
fn cost(facts: &Facts<'_>) -> (Option<Money>, String) {
    let snapshot = facts.resource;
    let billed = discounts::billed_monthly(facts.charges, |_| true);
    let gib = member(facts.document, "volumeSize").and_then(|gib| gib.parse::<f64>().ok());
    let full = gib.and_then(|gib| {
        facts
            .catalogue
            .snapshot_monthly(snapshot.provider, &snapshot.region, gib)
    });

    let words = match billed {
        Some(cost) => format!("{} a month by its bill", dollars(cost)),
        None => format!(
            "saves {}{}: snapshots are incremental, and blocks that others share stay; no saving is claimed without a bill",
            at_most(full.as_ref().map(|month| month.cost)),
            full.iter()
                .flat_map(|month| &month.origins)
                .map(|origin| format!(" ({origin})"))
                .collect::<String>()
        ),
    };

    (billed, words)
}

fn propose(facts: &Facts<'_>, standing: &Standing<'_>, keeps: usize, path: Path) -> Proposal {
    let snapshot = facts.resource;
    let (billed, words) = cost(facts);
    let trust = lasting(standing.age_days);
    let signs = signs(facts, Vec::new(), 0, 0.0);
    let iac = owned_by_code(snapshot);
    let hazards = Hazards {
        iac: iac.is_some(),
        unpriced: billed.is_none(),
        idle: true,
        ..Hazards::default()
    };

    let change = DeleteSnapshot {
        state: snapshot.state,
        volume: standing.volume.0.clone(),
        kept: standing
            .newer
            .iter()
            .take(keeps)
            .map(|one| one.id.0.clone())
            .collect(),
    };

    let because = standing.because();
    let days = standing.age_days;
    let code = if standing.is_volume_gone {
        "volume_gone"
    } else {
        "superseded"
    };

    let mut proposal = Proposal::new(
        KIND,
        RULE,
        title(
            "Delete snapshot ",
            &snapshot.name,
            &format!(", {days} days old"),
        ),
        subject(snapshot, None),
        ImpactAssessment {
            cost_percent: billed.map(|_| -100.0),
            cost: words.clone(),
            performance_degradation_percent: Some(0.0),
            performance: "none: no volume reads from it".to_owned(),
            security: "the volume cannot be restored to the snapshot's time any more".to_owned(),
        },
        Explanation::new(
            format!(
                "Delete snapshot {} ({}) of volume {}",
                snapshot.name, snapshot.id, standing.volume
            ),
            risk(snapshot, hazards).max(Impact::Medium),
        )
        .with_factors(Factors::from([
            (
                FactorKind::Measured,
                format!("It is {days} days old, and {because}"),
            ),
            (FactorKind::Price, words.clone()),
            (FactorKind::Consequence, kept_words(&change.kept)),
            (
                FactorKind::Consequence,
                format!("It cannot be undone: {}", DeleteSnapshot::LOST),
            ),
            (
                FactorKind::Confidence,
                trust.words_of_state(&format!("{days} days old, and {because}")),
            ),
        ]))
        .with_cost_reduction(words)
        .with_performance_impact("none: no volume reads from it".to_owned())
        .with_decision_path(path.into_decisions()),
    )
    .with_priority(priority_by_savings(billed))
    .with_confidence(
        trust.percent,
        Trust::new(trust.raw, Some(STATE_CAP), &signs),
    )
    // Nobody can take it back: the default approval matrix wants a signature from medium impact
    // on.
    .with_impact_level(
        impact_level(
            &facts.guardrails.approval_matrix,
            snapshot,
            billed,
            billed,
            hazards,
        )
        .max(Impact::Medium),
    )
    .with_savings(billed)
    .with_savings_after_discounts(billed)
    .with_monthly_cost(billed)
    .with_plan(Plan::new(&change, snapshot.id.as_str()))
    .with_reason_codes(vec![code.to_owned(), "cannot_be_undone".to_owned()])
    .with_not_measured(billed.map_or(vec!["shared_blocks".to_owned()], |_| Vec::new()));

    if let Some(tag) = iac {
        iac_note(&mut proposal, &tag);
    }

    proposal
}

fn kept_words(kept: &[String]) -> String {
    let names = if kept.is_empty() {
        "none".to_owned()
    } else {
        kept.join(", ")
    };
    format!("{} newer snapshots of the volume stay: {names}", kept.len())
}
