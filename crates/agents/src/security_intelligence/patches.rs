//! Missing patches of machines, by the patch state that Systems Manager keeps; for a machine that it
//! does not manage, the age of its image.
//!
//! A machine without a patch state is no patched machine: its patches are not known.

use std::collections::HashMap;

use jiff::Timestamp;
use reeve_estate::{ConnectionId, Document, Resource, ResourceKind, ResourceState};
use reeve_recommend::agent::Impact;
use reeve_recommend::agent::settings::{AgentSetting, SettingValue};
use reeve_recommend::change::{Change as _, PatchMachine};
use reeve_recommend::judgement::estate::EstateFacts;
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::plan::Plan;
use reeve_recommend::recommendation::title::title;
use reeve_recommend::recommendation::{
    Effort, FactorKind, Factors, ImpactAssessment, Priority, RecommendationType,
};
use serde_json::Value;

use crate::configuration_fact::ConfigurationFact;

/// Rule of the findings.
const RULE: &str = "missing_patches";
/// Kind of the documents with patch states.
pub(super) const MANAGED: &str = "managed_instance";
const KIND: RecommendationType = RecommendationType::PatchManagement;

/// Aspects of the findings.
const PATCHES: &str = "missing_patches";
const IMAGE: &str = "old_image";

/// Setting that lets machines restart for patches.
pub(super) const PATCH_REBOOT: AgentSetting = AgentSetting {
    path: "patch_reboot",
    description: "Whether a machine restarts where a patch demands it; without a restart such patches wait for the next one",
    default: SettingValue::Flag(true),
    range: (0.0, 0.0),
    choices: &[],
};

/// Setting of the age of an image.
pub(super) const IMAGE_AGE: AgentSetting = AgentSetting {
    path: "image_age_days",
    description: "Age of the image in days from which a machine without a patch state is a finding",
    default: SettingValue::Days(180),
    range: (30.0, 1000.0),
    choices: &[],
};

type Key = (ConnectionId, String);

/// Patch states and images, as a run passes them.
#[derive(Debug, Default)]
pub(super) struct Patches {
    /// Documents of the managed machines, by the identifier of the machine.
    managed: HashMap<Key, Value>,
    /// Times at which images were made.
    images: HashMap<Key, Timestamp>,
}

impl Patches {
    pub(super) fn look(&mut self, resource: &Resource, document: &Document) {
        let key = |id: &str| (resource.connection.clone(), id.to_owned());
        let json = document.json();
        match resource.kind.as_str() {
            MANAGED => {
                if let Some(id) = json["InstanceId"].as_str() {
                    self.managed.insert(key(id), json.clone());
                }
            }
            "image" => {
                let made = json["creationDate"].as_str();
                if let Some(made) = made.and_then(|text| text.parse().ok()) {
                    self.images.insert(key(resource.id.as_str()), made);
                }
            }
            _ => {}
        }
    }

    /// Judges a machine, whose document has at least the identifier of its image.
    pub(super) fn judge(
        &self,
        facts: &EstateFacts<'_>,
        machine: &Resource,
        document: &Value,
    ) -> Vec<Result<Proposal, Abstention>> {
        if machine.kind != ResourceKind::VirtualMachine || machine.state != ResourceState::Running {
            return Vec::new();
        }
        let key = |id: &str| (machine.connection.clone(), id.to_owned());
        let managed = self.managed.get(&key(machine.id.as_str()));
        let state = managed.and_then(|managed| managed.get("PatchState"));
        match state.filter(|state| state.is_object()) {
            Some(state) => {
                let why = "its patch state is known";
                let image = Abstention::decided(KIND, "patch_state_known", why).with_aspect(IMAGE);
                vec![patched(facts, machine, state), Err(image)]
            }
            None => {
                let why = "Systems Manager has no patch state of it: its patches are not known";
                let unread = Abstention::unjudged(KIND, "no_patch_state", why);
                let image = document["imageId"].as_str().unwrap_or_default();
                let made = self.images.get(&key(image));
                vec![
                    Err(unread.with_aspect(PATCHES)),
                    aged(facts, machine, image, made.copied()),
                ]
            }
        }
    }
}

/// Judges the patch state of a machine.
fn patched(
    facts: &EstateFacts<'_>,
    machine: &Resource,
    state: &Value,
) -> Result<Proposal, Abstention> {
    let count = |name: &str| state[name].as_u64().unwrap_or(0);
    let (missing, failed) = (count("MissingCount"), count("FailedCount"));
    if missing + failed == 0 {
        let why = "no patch that its baseline demands is missing";
        return Err(Abstention::decided(KIND, "patched", why).with_aspect(PATCHES));
    }

    let (critical, security) = (
        count("CriticalNonCompliantCount"),
        count("SecurityNonCompliantCount"),
    );
    let measured = format!(
        "{missing} patches are missing and {failed} failed: {critical} critical, {security} about security, by the baseline {}",
        state["BaselineId"].as_str().unwrap_or("of the account")
    );
    let mut path = Path::default();
    path.ask(
        "Does Systems Manager know the patch state?",
        true,
        "it does",
    );
    path.ask(
        "Are all patches that the baseline demands installed?",
        false,
        measured.clone(),
    );

    let change = PatchMachine {
        state: machine.state,
        reboot: facts.settings.flag(&PATCH_REBOOT),
        occasion: format!("{missing}/{failed}/{critical}/{security}"),
    };
    let performance = match change.restarts() {
        true => "The machine restarts if a patch demands it, some minutes",
        false => "None: patches that demand a restart wait for the next one",
    };
    let priority = match (critical, security) {
        (0, 0) => Priority::Medium,
        (0, _) => Priority::High,
        _ => Priority::Critical,
    };
    Ok(finding(
        machine,
        Parts {
            aspect: PATCHES,
            title: title("Install the missing patches on ", &machine.name, ""),
            priority,
            measured,
            consequence: "Weaknesses that the patches close are known and can be exploited"
                .to_owned(),
            performance,
            action: "Install the patches by stages: a rollout begins with a canary and watches each stage. Nothing takes patches off again."
                .to_owned(),
            plan: Some(Plan::new(&change, machine.id.as_str())),
            data_points: missing + failed,
            path,
        },
    ))
}

/// Judges the age of the image of a machine without a patch state.
fn aged(
    facts: &EstateFacts<'_>,
    machine: &Resource,
    image: &str,
    made: Option<Timestamp>,
) -> Result<Proposal, Abstention> {
    let Some(made) = made else {
        let why = "the age of its image is not known";
        let unknown = Abstention::unjudged(KIND, "image_age_unknown", why);
        return Err(unknown.with_aspect(IMAGE));
    };
    let age = facts.now.duration_since(made).as_hours() / 24;
    let most = facts.settings.days(&IMAGE_AGE);
    if age <= most {
        let why = "its image is not older than the setting";
        return Err(Abstention::decided(KIND, "image_young", why).with_aspect(IMAGE));
    }

    let measured = format!("Its image {image} is {age} days old, and {most} are allowed");
    let mut path = Path::default();
    path.unanswered(
        "Are all patches installed?",
        "Systems Manager does not manage the machine",
    );
    path.ask("Is its image young enough?", false, measured.clone());
    Ok(finding(
        machine,
        Parts {
            aspect: IMAGE,
            title: title(
                "The patches of ",
                &machine.name,
                " are not known, and its image is old",
            ),
            priority: Priority::Medium,
            measured,
            consequence: "What was found in its programs since then may be open".to_owned(),
            performance: "Not measured",
            action:
                "Let Systems Manager manage the machine, or replace it by one of a newer image."
                    .to_owned(),
            plan: None,
            data_points: 1,
            path,
        },
    ))
}

/// Members in which the findings differ.
struct Parts {
    aspect: &'static str,
    title: String,
    priority: Priority,
    measured: String,
    consequence: String,
    performance: &'static str,
    action: String,
    plan: Option<Plan>,
    data_points: u64,
    path: Path,
}

fn finding(machine: &Resource, parts: Parts) -> Proposal {
    ConfigurationFact {
        kind: KIND,
        rule: RULE,
        title: parts.title,
        aspect: parts.aspect.to_owned(),
        priority: parts.priority,
        risk: Impact::Medium,
        impact: ImpactAssessment {
            cost_percent: Some(0.0),
            cost: "None: patches are not charged".to_owned(),
            performance_degradation_percent: None,
            performance: parts.performance.to_owned(),
            security: parts.consequence.clone(),
        },
        effort: match parts.plan {
            Some(_) => Effort::Low,
            None => Effort::Medium,
        },
        plan: parts.plan,
        reason_code: parts.aspect.to_owned(),
        action: parts.action,
        factors: Factors::from([
            (FactorKind::Measured, parts.measured),
            (FactorKind::Consequence, parts.consequence),
        ]),
        data_points: parts.data_points,
        path: parts.path,
    }
    .about(machine)
}
