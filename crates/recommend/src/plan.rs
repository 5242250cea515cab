//! Plans: the exact steps of a change, bound by a hash to the approval.
//!
//! A plan of format 2 names its typed change, and its hash covers that: change, parameters,
//! resource and flags. Steps are derived from it and kept for people to read. Plans of format 1 had
//! the steps alone, and keep their hash (docs/formats/plan.md).

use reeve_audit::Json;
use reeve_estate::named;
use serde::{Deserialize, Deserializer, Serialize};
use sha2::{Digest as _, Sha256};

use crate::change::{Change, Effect, Reversal};

mod loss;
pub mod patch;
pub mod procedure;
pub mod relief;

pub use loss::{Loss, LossKind};

named!(
    /// Kind of a step, as plans and entries name it.
    StepKind {
        /// Checks that the resource is still what the finding saw.
        Precondition => "precondition",
        /// Keeps the before state; for volumes, a snapshot in the cloud.
        Snapshot => "snapshot",
        /// Stops the resource and waits until it has.
        Stop => "stop",
        Modify => "modify",
        /// Starts the resource and waits until it runs.
        Start => "start",
        /// Gives it more storage, which cannot be taken back.
        Grow => "grow",
        /// Sets how many members a group has.
        Scale => "scale",
        /// Leaves the resource as it is until a time; the steps after it take the change back.
        Hold => "hold",
        /// Leaves the resource as it is for a time, and looks for harm meanwhile.
        Observe => "observe",
        /// Lets a database's standby take over.
        FailOver => "fail_over",
        /// Makes a read replica, or removes it when undone.
        Replicate => "replicate",
        /// Cuts a machine off from every network, or gives it its security groups back when undone.
        Isolate => "isolate",
        Delete => "delete",
        /// Sets or removes a tag.
        Tag => "tag",
        /// Makes the change that the plan names.
        Change => "change",
        /// Reads the resource anew and compares it with what was wanted.
        Verify => "verify",
    }
);

impl StepKind {
    /// Usual effect of a step of this kind; outcomes that were stored without an effect had it.
    #[must_use]
    pub const fn effect(self) -> Effect {
        use StepKind::{
            Change, Delete, FailOver, Grow, Hold, Isolate, Modify, Observe, Precondition,
            Replicate, Scale, Snapshot, Start, Stop, Tag, Verify,
        };
        match self {
            Precondition | Snapshot | Hold | Observe | Verify => Effect::Nothing,
            Grow | Scale | Replicate | Isolate | Delete | Tag | Change => Effect::Live,
            Stop => Effect::Stops,
            Modify | FailOver => Effect::Restarts,
            Start => Effect::Restores,
        }
    }
}

/// One step, as people read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanStep {
    pub kind: StepKind,
    /// Words for the person who approves.
    pub description: String,
    /// Identifier of the resource it touches.
    pub resource: String,
    /// New size, for `Modify`.
    pub instance_type: Option<String>,
    /// Expectations before it (`Precondition`) or after it (every other): property and value in
    /// words.
    pub expect: Vec<(String, String)>,
}

/// Typed form of a plan as it is stored: the registry of changes reads it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlannedChange {
    /// Name of the change.
    pub name: String,
    /// Parameters of the change.
    #[serde(deserialize_with = "parameters")]
    pub parameters: Json,
    /// Identifier of the resource that changes.
    pub resource: String,
}

fn parameters<'de, D: Deserializer<'de>>(from: D) -> Result<Json, D::Error> {
    serde_json::Value::deserialize(from).map(|value| Json::from(&value))
}

/// The steps of a change, bound to approvals by their hash.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Typed change; `None` in plans of format 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<PlannedChange>,
    /// Steps in the order of their execution.
    pub steps: Vec<PlanStep>,
    /// Returns to the state before when undone.
    pub reversible: bool,
    /// The resource is down in between.
    pub restart_needed: bool,
    /// Losses beside the change itself; none in plans of earlier releases.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<Loss>,
    /// SHA-256 that an approval names.
    pub hash: String,
}

impl Plan {
    /// The plan of a change on a resource.
    #[must_use]
    pub fn new(change: &dyn Change, resource: &str) -> Plan {
        let planned = PlannedChange {
            name: change.name().to_owned(),
            parameters: change.parameters(),
            resource: resource.to_owned(),
        };

        let steps = change
            .tasks(resource)
            .iter()
            .map(crate::change::Task::step)
            .collect();
        let reversible = change.reversal() == Reversal::Inverse;
        let restart_needed = change.restarts();
        let hash = hash_v2(&planned, reversible, restart_needed, &[]);

        Plan {
            change: Some(planned),
            steps,
            reversible,
            restart_needed,
            losses: Vec::new(),
            hash,
        }
    }

    /// A plan of format 1, as earlier releases made and stored it.
    #[must_use]
    pub fn v1(steps: Vec<PlanStep>, reversible: bool, restart_needed: bool) -> Plan {
        let hash = hash_v1(&steps, reversible, restart_needed);
        Plan {
            change: None,
            steps,
            reversible,
            restart_needed,
            losses: Vec::new(),
            hash,
        }
    }

    /// The same plan with these losses, which its hash covers. A plan of format 1 stays as it is.
    #[must_use]
    pub fn losing(self, losses: Vec<Loss>) -> Plan {
        let Some(planned) = &self.change else {
            return self;
        };

        let hash = hash_v2(planned, self.reversible, self.restart_needed, &losses);
        Plan {
            losses,
            hash,
            ..self
        }
    }

    /// Version of the hash: 2 where it covers the typed change, 1 where it covers the steps.
    #[must_use]
    pub const fn hash_version(&self) -> u8 {
        if self.change.is_some() { 2 } else { 1 }
    }

    /// Name of the typed change.
    #[must_use]
    pub fn change_name(&self) -> Option<&str> {
        self.change.as_ref().map(|change| change.name.as_str())
    }

    /// Returns `true` if the plan is the one that its hash covers.
    #[must_use]
    pub fn is_intact(&self) -> bool {
        self.hash
            == match &self.change {
                Some(change) => hash_v2(change, self.reversible, self.restart_needed, &self.losses),
                None => hash_v1(&self.steps, self.reversible, self.restart_needed),
            }
    }

    /// This plan, or `known` where that is a plan of format 1 with the same steps: signatures that
    /// were given to it stay valid.
    #[must_use]
    pub fn or_same_v1(self, known: Option<&Plan>) -> Plan {
        let same = |known: &&Plan| {
            known.change.is_none()
                && known.hash == hash_v1(&self.steps, self.reversible, self.restart_needed)
        };
        known.filter(same).cloned().unwrap_or(self)
    }
}

/// Hash of format 2: a domain, a zero byte, and the canonical JSON (RFC 8785) of change,
/// parameters, resource, flags and kinds of losses.
fn hash_v2(
    change: &PlannedChange,
    reversible: bool,
    restart_needed: bool,
    losses: &[Loss],
) -> String {
    let mut lost: Vec<String> = losses.iter().map(Loss::covered).collect();
    lost.sort_unstable();

    // Plans that lose nothing keep the hash of releases that did not state losses.
    let lost = (!lost.is_empty()).then(|| ("losses", Json::from(lost)));
    let covered = Json::object(
        [
            ("change", Json::from(change.name.as_str())),
            ("parameters", change.parameters.clone()),
            ("resource", Json::from(change.resource.as_str())),
            ("restart_needed", Json::from(restart_needed)),
            ("reversible", Json::from(reversible)),
        ]
        .into_iter()
        .chain(lost),
    );

    let mut hasher = Sha256::new();
    hasher.update(b"reeve/plan/v2\0");
    hasher.update(covered.to_canonical());

    hex::encode(hasher.finalize())
}

/// Hash of format 1: every field of every step, length-prefixed, so that no two plans read alike.
fn hash_v1(steps: &[PlanStep], reversible: bool, restart_needed: bool) -> String {
    let mut hasher = Sha256::new();
    let mut field = |text: &str| {
        hasher.update((text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    field("reeve/plan/v1");

    field(if reversible { "reversible" } else { "final" });
    field(if restart_needed { "restart" } else { "live" });

    for step in steps {
        field(step.kind.as_str());
        field(&step.description);
        field(&step.resource);
        field(step.instance_type.as_deref().unwrap_or(""));
        field(&step.expect.len().to_string());
        for (name, value) in &step.expect {
            field(name);
            field(value);
        }
    }

    hex::encode(hasher.finalize())
}
