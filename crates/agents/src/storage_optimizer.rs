//! The judgement of `storage_optimizer`: volumes that pay for a type or for performance that they
//! do not need.
//!
//! Requirement A-108 names this agent type and no capabilities; these are its rules:
//!
//! | rule | of | proposes when gp3 holds every measured peak and its headroom, and costs less |
//! |---|---|---|
//! | `convert_gp2` | gp2 | gp3, with no less than the 3,000 IOPS and 125 MiB/s that every gp3 volume has |
//! | `convert_provisioned` | io1, and io2 where its durability is given up | gp3 with the IOPS and throughput that its peaks need |
//! | `reduce_provisioned` | gp3 with provisioned performance | less provisioned IOPS and throughput |
//!
//! `shrink_volumes` (`oversized`) advises to move the data of a volume that is hardly used to a
//! smaller one. `clean_snapshots` (`snapshot`) proposes the deletion of old snapshots that newer
//! ones supersede or whose volume is gone. `abort_uploads` and `expire_versions` (`bucket`) add
//! lifecycle rules to buckets that lack them, `tier_objects` one that moves objects that are rarely
//! read to a colder class.
//!
//! Peaks are means over the metric's period (five minutes), which is what the headroom is for. A
//! volume that is attached to nothing is left to `identify_idle_resources` of `cost_optimizer`; a
//! volume that several machines share cannot be gp3. The change is made while the volume is in use.
//! docs/agents/storage_optimizer.md.

mod agent;
mod bucket;
mod demand;
mod oversized;
mod proposal;
mod retrospect;
mod settings;
mod setup;
mod snapshot;

#[cfg(test)]
pub(crate) mod tests;

use reeve_estate::{Metric, Provider, Resource, ResourceKind, ResourceState};
use reeve_recommend::change::VolumeSetup;
use reeve_recommend::guardrail::ownership::is_opted_out;
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::judgement::{Facts, Judgement};
use reeve_recommend::recommendation::RecommendationType;

use demand::StorageDemand;
use settings::Thresholds;

pub use agent::StorageOptimizer;

/// The metrics a judgement reads.
pub const METRICS: &[Metric] = &[
    Metric::DiskRead,
    Metric::DiskWrite,
    Metric::DiskReadOps,
    Metric::DiskWriteOps,
];

/// The metrics that a judgement reads of the machine that a volume is attached to.
pub const MACHINE_METRICS: &[Metric] = &[Metric::DiskUtilization];

/// Type of every finding.
const KIND: RecommendationType = RecommendationType::StorageOptimization;

/// Rule that applies to a volume, by its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    ConvertGp2,
    ConvertProvisioned,
    ReduceProvisioned,
}

impl Rule {
    const fn name(self) -> &'static str {
        match self {
            Rule::ConvertGp2 => "convert_gp2",
            Rule::ConvertProvisioned => "convert_provisioned",
            Rule::ReduceProvisioned => "reduce_provisioned",
        }
    }
}

/// Judges one volume, bucket or snapshot.
#[must_use]
pub fn judge(facts: &Facts<'_>) -> Judgement {
    let mut judgement = Judgement::default();
    judgement.take(match facts.resource.kind {
        ResourceKind::Bucket => bucket::judge(facts),
        ResourceKind::Snapshot => snapshot::judge(facts),
        _ => {
            judge_volume(facts, &mut judgement);
            return judgement;
        }
    });

    judgement
}

/// One finding at a time: a cheaper setup is a change of minutes, a smaller volume is a migration.
fn judge_volume(facts: &Facts<'_>, judgement: &mut Judgement) {
    if let Err(abstention) = admit(facts.resource) {
        judgement.abstentions.push(abstention);
        return;
    }

    judgement.take(find(facts));
    if judgement.proposals.is_empty() {
        judgement.take(oversized::judge(facts, &Thresholds::from(facts.settings)));
    }
}

fn find(facts: &Facts<'_>) -> Result<Proposal, Abstention> {
    let volume = facts.resource;
    let settings = Thresholds::from(facts.settings);
    let mut path = Path::default();
    path.ask(
        "Is the volume in use, by one machine?",
        true,
        "the cloud lists one attachment",
    );

    let from = VolumeSetup::from_specification(&volume.specification).ok_or_else(|| {
        Abstention::unjudged(KIND, "type_not_known", "the cloud did not report its type")
    })?;
    let rule = rule(volume, &from, &settings)?;
    path.ask(
        "Is there a cheaper setup of its kind?",
        true,
        format!("it is {from}"),
    );
    let demand = StorageDemand::measure(facts, &settings)?;
    path.ask("Was it measured?", true, demand.measured_words());
    let to = setup::gp3(volume, &demand.peak, settings.headroom_percent)?;
    path.ask(
        "Does gp3 hold its peaks and the headroom?",
        true,
        format!("{}; {to} is enough", demand.peak),
    );

    proposal::propose(facts, &settings, rule, &from, &to, &demand, path)
}

/// Returns an abstention if the volume is excluded before anything is measured.
fn admit(volume: &Resource) -> Result<(), Abstention> {
    let out = |code, detail: String| {
        Err(Abstention {
            kind: None,
            aspect: None,
            code,
            detail,
            decisive: true,
        })
    };

    if volume.kind != ResourceKind::Volume {
        return out("kind_not_covered", "only volumes are judged".to_owned());
    }
    if is_opted_out(volume) {
        return Err(Abstention::opted_out());
    }

    if volume.provider != Provider::Aws {
        let detail = format!(
            "prices and limits of {} disks are not in the catalogue",
            volume.provider
        );
        return out("cloud_not_covered", detail);
    }

    match (volume.state, volume.attached_to.len()) {
        (ResourceState::Changing, _) => {
            let detail = "it is on its way between states".to_owned();
            Err(Abstention {
                kind: None,
                aspect: None,
                code: "changing",
                detail,
                decisive: false,
            })
        }
        (ResourceState::Available, 1) => Ok(()),
        (ResourceState::Available, 2..) => out(
            "shared",
            "several machines share it, which only provisioned types allow".to_owned(),
        ),
        _ => out(
            "not_attached",
            "nothing is attached; cost_optimizer judges whether it is needed".to_owned(),
        ),
    }
}

/// The rule for a volume's type; an abstention if there is none or it is switched off.
fn rule(volume: &Resource, from: &VolumeSetup, settings: &Thresholds) -> Result<Rule, Abstention> {
    let (rule, enabled) = match from.storage_type.as_str() {
        "gp2" => (Rule::ConvertGp2, settings.convert_gp2),
        "io1" => (Rule::ConvertProvisioned, settings.convert_provisioned),
        "io2" if !settings.accept_lower_durability => {
            let detail = "io2 is durable to 99.999 %, gp3 to 99.8 %; convert_provisioned.accept_lower_durability is off";
            return Err(Abstention::decided(KIND, "durability", detail));
        }
        "io2" => (Rule::ConvertProvisioned, settings.convert_provisioned),
        "gp3" if setup::is_free(from) => {
            return Err(Abstention::decided(
                KIND,
                "nothing_provisioned",
                "it has no more than every gp3 volume has",
            ));
        }
        "gp3" => (Rule::ReduceProvisioned, settings.reduce_provisioned),
        other => {
            let detail = format!(
                "{} is {other}, which has no cheaper type of its kind",
                volume.id
            );
            return Err(Abstention::decided(KIND, "type_not_covered", detail));
        }
    };

    if enabled {
        return Ok(rule);
    }

    Err(Abstention::decided(
        KIND,
        "switched_off",
        format!("the setting {}.enabled is off", rule.name()),
    ))
}
