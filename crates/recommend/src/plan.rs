//! Plans: the exact steps of a change, bound by a hash to what was approved.

use jiff::Timestamp;
use sha2::{Digest as _, Sha256};

use reeve_estate::named;

named!(
    /// What a step does.
    StepKind {
        /// Checks that the resource is still what the finding saw.
        Precondition => "precondition",
        /// Keeps the before state; for volumes, a snapshot in the cloud.
        Snapshot => "snapshot",
        /// Stops the resource and waits until it has.
        Stop => "stop",
        /// Changes the size.
        Modify => "modify",
        /// Starts the resource and waits until it runs.
        Start => "start",
        /// Gives it more storage, which cannot be taken back.
        Grow => "grow",
        /// Sets how many members a group has.
        Scale => "scale",
        /// Leaves what was changed as it is until a time; the steps after it take it back.
        Hold => "hold",
        /// Lets a database's standby take over.
        FailOver => "fail_over",
        /// Makes a read replica, or removes it when undone.
        Replicate => "replicate",
        /// Cuts a machine off from every network, or gives it its security groups back when undone.
        Isolate => "isolate",
        /// Reads the resource anew and compares it with what was wanted.
        Verify => "verify",
    }
);

impl StepKind {
    /// Whether it changes the resource.
    #[must_use]
    pub const fn changes(self) -> bool {
        use StepKind::{FailOver, Grow, Isolate, Modify, Replicate, Scale, Start, Stop};
        matches!(self, Stop | Modify | Start | Grow | Scale | FailOver | Replicate | Isolate)
    }

    /// Whether the resource does not serve while it is done.
    #[must_use]
    pub const fn interrupts(self) -> bool {
        matches!(self, StepKind::Stop | StepKind::Modify | StepKind::FailOver)
    }
}

/// One step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What it does.
    pub kind: StepKind,
    /// In words, for the person who approves.
    pub description: String,
    /// The resource it touches.
    pub resource: String,
    /// The new size, for `Modify`.
    pub instance_type: Option<String>,
    /// What must be true before (`Precondition`) or after (every other): field and value. For `Grow`, `Scale`, `FailOver`,
    /// `Replicate` and `Isolate` it is what they are to bring about; for `Hold`, `until` when.
    pub expect: Vec<(String, String)>,
}

/// A plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The steps in order.
    pub steps: Vec<Step>,
    /// Whether it can be undone.
    pub reversible: bool,
    /// Whether the resource is down in between.
    pub restart_needed: bool,
    /// SHA-256 over the steps; an approval names it.
    pub hash: String,
}

impl Plan {
    /// Builds a plan and its hash.
    #[must_use]
    pub fn new(steps: Vec<Step>, reversible: bool, restart_needed: bool) -> Self {
        let hash = Plan::hash_of(&steps, reversible, restart_needed);
        Plan { steps, reversible, restart_needed, hash }
    }

    /// Whether it cuts a machine off, which nobody but a person takes back once it held.
    #[must_use]
    pub fn isolates(&self) -> bool {
        self.steps.iter().any(|step| step.kind == StepKind::Isolate)
    }

    /// The hash that binds an approval: every field of every step, length-prefixed, so that no two plans read alike.
    #[must_use]
    pub fn hash_of(steps: &[Step], reversible: bool, restart_needed: bool) -> String {
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
}

/// When a plan was made and for what, so that a stale one is noticed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Freshness {
    /// When the facts under it were read.
    pub facts_at: Timestamp,
}
