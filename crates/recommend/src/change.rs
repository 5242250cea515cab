//! Changes: one file each, from which everything about a change is derived.
//!
//! A file holds the typed parameters of its change, the steps in the order the clouds demand with
//! their wording, the condition that shows each step done, the way back or the reason why there is
//! none, the interruption, the permissions a cloud requires, and the behavior of the simulated
//! twin. Plans, goal checks, rollback, twin, policies and the wire form read it from there.
//!
//! The set is open. [`ChangeRegistry`] is a registry of [`ChangeType`] rows that `server` hands to the
//! engine; a plan in the store names its change and carries the parameters, which become a typed
//! value once, in [`ChangeRegistry::procedure`]. A plan whose change the registry does not know is shown
//! and never executed (docs/adr/0011).

mod add_standby;
mod change_group_size;
mod configuration;
mod create_index;
mod database;
mod delete_snapshot;
mod delete_volume;
mod drop_index;
mod encrypt_database;
mod encrypt_volume;
mod end_members;
mod expectation;
mod fail_over;
mod grow_storage;
mod isolate;
mod modify_volume;
mod parameters;
mod patch_machine;
mod procedure;
mod put_bucket_lifecycle;
mod registry;
mod remove_unused;
mod replace_machine;
mod replicate;
mod request_quota;
mod resize_database;
mod resize_group;
mod resize_machine;
mod restore;
mod run_document;
mod scale_group;
mod set_parameter;
mod snapshot_volume;
mod steps;
mod stop_database;
mod stop_machine;
mod tag_resource;
mod task;
mod tighten_group;
mod v1;

use std::fmt;
use std::sync::Arc;

use reeve_audit::Json;
use reeve_estate::{ActError, ActErrorKind, Operation, PriceCatalogue, Resource};
use reeve_flows::FlowRule;

use crate::judgement::sessions::IdleWatch;

pub use add_standby::{AddStandby, StandbyOperation};
pub use change_group_size::{ChangeGroupSize, GroupSizeOperation, HEALTHY_PERCENT};
pub use configuration::{
    CallRow, ChangeSample, CodeRow, ConfigurationChange, ConfigurationOperation, ConfigurationRow,
    FirstCallRow, InverseRow, RowError, lines_of_code, set_setting,
};
pub use create_index::{BuildIndexOperation, CreateIndex};
pub use database::{DropIndexOperation, IndexPlace};
pub use delete_snapshot::{DeleteSnapshot, DeleteSnapshotOperation};
pub use delete_volume::DeleteVolume;
pub use drop_index::{DropIndex, RestoreIndexOperation};
pub use encrypt_database::{
    DatabaseEncryption, ENCRYPTED_ENDING, EncryptDatabase, QUIESCED_TAG, UNENCRYPTED_ENDING,
    replacement_refusal,
};
pub use encrypt_volume::{COPY_TAG, ENCRYPTING_TAG, EncryptOperation, EncryptVolume, REPLACED_TAG};
pub use end_members::{EndMember, EndMembers};
pub use expectation::Expectation;
pub use fail_over::FailOver;
pub use grow_storage::GrowStorage;
pub use isolate::Isolate;
pub use modify_volume::{ModifyVolume, VolumeOperation, VolumeSetup};
pub use parameters::{ParameterError, Parameters};
pub use patch_machine::{PATCH_DOCUMENT, PatchMachine, PatchOperation};
pub use procedure::Procedure;
pub use put_bucket_lifecycle::{
    ColdClass, LifecycleOperation, LifecycleRule, PutBucketLifecycle, Tiering,
};
pub use registry::{
    ChangePermission, ChangeRegistry, ChangeType, Parse, PermittedOn, PlanError, aws, aws_on,
    aws_own,
};
pub use remove_unused::{RemoveOperation, RemoveUnused, Unused};
pub use replace_machine::{ReplaceMachine, ReplaceOperation};
pub use replicate::Replicate;
pub use request_quota::{QuotaOperation, RequestQuota};
pub use resize_database::ResizeDatabase;
pub use resize_group::ResizeGroup;
pub use resize_machine::ResizeMachine;
pub use restore::{power, restore};
pub use run_document::{DOCUMENT_PREFIX, DocumentOperation, DocumentTargets, RunDocument};
pub use scale_group::ScaleGroup;
pub use set_parameter::{ParameterOperation, SetParameter};
pub use snapshot_volume::SnapshotVolume;
pub use steps::{precondition, verify};
pub use stop_database::StopDatabase;
pub use stop_machine::StopMachine;
pub use tag_resource::{TagOperation, TagResource};
pub use task::{Effect, Goal, Task, TaskReach, Work};
pub use tighten_group::{GroupOperation, TightenGroup};
pub use v1::prior as prior_of_v1;

/// The changes of this release, one row each.
const BUILTIN: [ChangeType; 32] = [
    add_standby::TYPE,
    change_group_size::TYPE,
    remove_unused::DELETE_BALANCER,
    remove_unused::DELETE_GATEWAY,
    create_index::TYPE,
    delete_snapshot::TYPE,
    delete_volume::TYPE,
    drop_index::TYPE,
    encrypt_database::TYPE,
    encrypt_volume::TYPE,
    end_members::TYPE,
    fail_over::TYPE,
    grow_storage::TYPE,
    isolate::TYPE,
    modify_volume::TYPE,
    patch_machine::TYPE,
    put_bucket_lifecycle::TYPE,
    remove_unused::RELEASE_ADDRESS,
    replace_machine::TYPE,
    replicate::TYPE,
    request_quota::TYPE,
    resize_database::TYPE,
    resize_group::TYPE,
    resize_machine::TYPE,
    run_document::TYPE,
    scale_group::TYPE,
    set_parameter::TYPE,
    snapshot_volume::TYPE,
    stop_database::TYPE,
    stop_machine::TYPE,
    tag_resource::TYPE,
    tighten_group::TYPE,
];

/// Way back from a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reversal {
    /// [`Change::undo`] leads back to the state before.
    Inverse,
    /// The change alters nothing that could be taken back.
    NotNeeded,
    /// No cloud takes it back; the reason, as a clause.
    Impossible(&'static str),
}

/// Evidence by which the effect of a change that went through is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EffectEvidence {
    /// Load of the resource, or of a group's members: their share of time at a limit, before and
    /// after.
    Load,
    /// State of the resource alone. No metric tells whether the change did harm: the resource
    /// serves nothing afterwards, or its load does not depend on the change.
    State,
    /// Refused flows of its network interfaces, which the flow logs have.
    Flows,
    /// The resource as it is observed at the end of the watch, compared with the one before
    /// ([`Change::judge_effect`]).
    Observation,
}

/// Judgement of a change by the resource before and after it, with its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EffectJudgement {
    /// It did what it is for, or no harm.
    Good(String),
    /// It did harm, or nothing of what it is for: it is taken back.
    Harmful(String),
    /// The observation shows neither.
    Unknown(String),
}

/// Rules and interfaces whose flows tell whether a change of security groups does harm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowWatch {
    /// Rules before the change.
    pub wide: Vec<FlowRule>,
    /// Rules that the replacement has after the change.
    pub tight: Vec<FlowRule>,
    /// Network interfaces that it is about.
    pub interfaces: Vec<String>,
}

/// Longest time that the way back from a change may take, seconds.
pub const ROLLBACK_LIMIT_S: i64 = 1800;
/// The same of databases and groups, which clouds change slowly.
pub const SLOW_ROLLBACK_LIMIT_S: i64 = 3600;

/// One kind of change with its parameters. Two changes of one name and equal parameters are the
/// same change.
///
/// This change names the owner of a resource in a tag. Plan, rollback, simulated twin and wire form
/// follow from its methods. To be read from the store, it also needs a [`ChangeType`] row in
/// [`ChangeRegistry`].
///
/// ```
/// use std::sync::Arc;
///
/// use reeve_audit::Json;
/// use reeve_estate::{ActError, PriceCatalogue, Operation, Resource};
/// use reeve_recommend::change::{
///     Change, Expectation, TaskReach, Reversal, TagOperation, Task, foreign,
/// };
///
/// #[derive(Debug, Clone)]
/// struct SetOwner {
///     owner: String,
/// }
///
/// /// Step to the tag of an owner, or to none. It is requested until the expectation is met.
/// fn step(target: &str, owner: Option<&str>) -> Task {
///     let key = "owner".to_owned();
///     let operation = match owner.map(str::to_owned) {
///         Some(value) => TagOperation::Set { key, value },
///         None => TagOperation::Remove { key },
///     };
///     let wanted = owner.unwrap_or("nobody").to_owned();
///     let expect = vec![Expectation::new("owner", wanted, |resource| {
///         Some(resource.tag("owner").unwrap_or("nobody").to_owned())
///     })];
///     let description = format!("Set the owner of {target} to {}", expect[0].wanted);
///     let goal = TaskReach::by("the owner", operation, expect.clone());
///     Task::change(target, description, goal).expecting(expect)
/// }
///
/// impl Change for SetOwner {
///     fn name(&self) -> &'static str {
///         "set_owner"
///     }
///
///     fn parameters(&self) -> Json {
///         Json::object([("owner", self.owner.as_str())])
///     }
///
///     fn tasks(&self, target: &str) -> Vec<Task> {
///         vec![step(target, Some(&self.owner))]
///     }
///
///     fn reversal(&self) -> Reversal {
///         Reversal::Inverse
///     }
///
///     fn undo(&self, prior: &Resource, seen: &Resource) -> Option<Task> {
///         let before = prior.tag("owner");
///         (seen.tag("owner") != before).then(|| step(seen.id.as_str(), before))
///     }
///
///     fn simulate(
///         &self,
///         operation: &dyn Operation,
///         twin: &mut Resource,
///         _: &PriceCatalogue,
///     ) -> Result<(), ActError> {
///         match operation.downcast_ref() {
///             Some(TagOperation::Set { key, value }) => {
///                 twin.tags.insert(key.clone(), value.clone());
///             }
///             Some(TagOperation::Remove { key }) => _ = twin.tags.remove(key),
///             None => return Err(foreign(operation)),
///         }
///         Ok(())
///     }
///
///     // The parameters name no further resource.
///     fn retarget(&self, _: &dyn Fn(&str) -> Option<String>) -> Arc<dyn Change> {
///         Arc::new(self.clone())
///     }
/// }
///
/// let change = SetOwner {
///     owner: "platform".to_owned(),
/// };
/// assert_eq!(change.tasks("i-1")[0].description, "Set the owner of i-1 to platform");
/// ```
pub trait Change: fmt::Debug + Send + Sync {
    /// Name on the wire, in the store and in the registry: lower case with underscores.
    fn name(&self) -> &'static str;

    /// Parameters as the row's `parse` reads them back.
    fn parameters(&self) -> Json;

    /// Steps on a resource in order, with their wording.
    fn tasks(&self, target: &str) -> Vec<Task>;

    /// Returns how the change is taken back.
    fn reversal(&self) -> Reversal;

    /// Next step from the state as seen to the state before; `None` once the resource is what it
    /// was.
    fn undo(&self, prior: &Resource, seen: &Resource) -> Option<Task>;

    /// Gives the simulated twin the properties that the finding saw and that only the observation
    /// of the resource reads.
    fn as_found(&self, _twin: &mut Resource) {}

    /// Effect of one operation of the steps on the simulated twin.
    ///
    /// # Errors
    /// The refusal that a cloud would answer.
    fn simulate(
        &self,
        operation: &dyn Operation,
        twin: &mut Resource,
        catalogue: &PriceCatalogue,
    ) -> Result<(), ActError>;

    /// Returns `true` if steps and expectations read the configuration document of the resource.
    fn reads_configuration(&self) -> bool {
        false
    }

    /// Returns `true` if the resource is down between the first step and the last.
    fn restarts(&self) -> bool {
        false
    }

    /// Evidence that the change did no harm. A rollout waits for it.
    fn effect_evidence(&self) -> EffectEvidence {
        EffectEvidence::Load
    }

    /// Judges the effect by the resource before the change and now, for a change with the evidence
    /// [`EffectEvidence::Observation`].
    fn judge_effect(&self, _prior: &Resource, _seen: &Resource) -> EffectJudgement {
        EffectJudgement::Unknown("the change compares nothing".to_owned())
    }

    /// Rules and interfaces whose flows are watched, for a change with the evidence
    /// [`EffectEvidence::Flows`].
    fn flow_watch(&self) -> Option<FlowWatch> {
        None
    }

    /// Sessions that must be none right before an operation, for a change that ends what may serve
    /// somebody.
    fn must_be_idle(&self, _operation: &dyn Operation) -> Option<IdleWatch> {
        None
    }

    /// Returns `true` if the change may take away capacity that is in use.
    /// `cost_impact.max_decrease` bounds such a step; what stops or removes an unused resource, or
    /// stores the same data at a lower price, lowers a cost and no capacity.
    fn may_take_capacity(&self) -> bool {
        true
    }

    /// Returns `true` if samples from before the change describe another load than those after it,
    /// so that judgements must not use them any more. A change of size does; a tag does not, and
    /// would otherwise make an agent blind for days.
    fn changes_load(&self) -> bool {
        true
    }

    /// Properties that the log notes before and after each step, beside state and size.
    fn notes(&self, _seen: &Resource) -> Vec<(&'static str, Option<String>)> {
        Vec::new()
    }

    /// The same change on another resource. `rename` gives the counterparts of further resources
    /// that the parameters name, `None` for those without one.
    fn retarget(&self, rename: &dyn Fn(&str) -> Option<String>) -> Arc<dyn Change>;

    /// Volumes that the steps snapshot, for a change that must not begin while another volume is
    /// attached.
    fn volumes_kept(&self) -> Option<&[String]> {
        None
    }

    /// Returns `true` if no measurement and no agent takes the change back once it held: a person
    /// alone does.
    fn only_people_undo(&self) -> bool {
        false
    }

    /// Returns `true` if the change can only end a cost or carries none: what it stops, removes,
    /// isolates or labels is not billed higher afterwards. Such a change is within every limit of
    /// cost, also where no price is known.
    fn ends_cost(&self) -> bool {
        false
    }

    /// Returns `true` if the change replaces capacity that the provider takes away. A standing
    /// approval of it covers the higher price of the successor, so that
    /// `cost_impact.max_increase` does not bind it then.
    fn replaces_lost_capacity(&self) -> bool {
        false
    }

    /// Seconds that the change has at least, however short the guardrails' time-out is: 0 for a
    /// change that takes no longer than a restart.
    fn least_limit_s(&self) -> i64 {
        0
    }

    /// Longest time that the way back may take, seconds; a person is needed after it.
    fn rollback_limit_s(&self) -> i64 {
        ROLLBACK_LIMIT_S
    }

    /// Longest time that the resource may be interrupted, seconds, where the change itself may take
    /// `limit_s`: the change and its way back, for a change that does not know better.
    fn interruption_limit_s(&self, limit_s: i64) -> i64 {
        limit_s.saturating_add(self.rollback_limit_s())
    }

    /// Returns `true` if the way back may begin while the resource is still changing.
    fn undoes_while_changing(&self) -> bool {
        false
    }
}

/// Refusal of the simulated twin.
#[must_use]
pub fn refused(kind: ActErrorKind, message: impl fmt::Display) -> ActError {
    ActError {
        kind,
        message: format!("the simulated twin refuses: {message}"),
    }
}

/// Refusal of an operation that is no part of a change.
#[must_use]
pub fn foreign(operation: &dyn Operation) -> ActError {
    refused(
        ActErrorKind::Other,
        format_args!("{operation:?} is no step of this change"),
    )
}

#[cfg(test)]
mod tests;
