//! Encryption of a volume that is not encrypted: EBS encrypts none in place. The machine stops, a
//! snapshot is taken, an encrypted volume is made of it and takes the place of the old one, and the
//! machine starts.
//!
//! The machine stops before the snapshot: what was written between the two would be lost. The old
//! volume stays, so that undoing gives it back; what was written to the new one since then stays
//! there. Amazon EBS user guide, "Encrypt an unencrypted volume". Tags on the old volume keep the way
//! back, so that a restart of the service loses nothing.

use std::sync::Arc;

use reeve_audit::Json;
use reeve_estate::{
    ActError, ActErrorKind, Operation, PriceCatalogue, Resource, ResourceKind, ResourceState,
};

use crate::change::task::Call;
use crate::change::{
    Change, ChangePermission, ChangeType, EffectEvidence, Expectation, ParameterError, Parameters,
    Parse, Reversal, SLOW_ROLLBACK_LIMIT_S, Task, aws, foreign, precondition, refused, verify,
};
use crate::plan::StepKind;

/// Tag of a volume whose replacement has begun, with the machine and the device that it is from.
pub const ENCRYPTING_TAG: &str = "reeve:encrypting";
/// Tag of a volume that an encrypted one has replaced, with the same value.
pub const REPLACED_TAG: &str = "reeve:replaced";
/// Tag of the encrypted volume, with the identifier of the one that it was made of.
pub const COPY_TAG: &str = "reeve:encrypted-copy-of";

/// Row of the registry.
pub(super) const TYPE: ChangeType = ChangeType {
    name: "encrypt_volume",
    permissions: PERMISSIONS,
    parse: Parse::Typed(parse),
};

/// Replacement of a volume by an encrypted one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncryptVolume {
    /// State the finding saw.
    pub state: ResourceState,
    /// Identifier of the machine that it is attached to; empty for none.
    pub machine: String,
}

/// Stages of the replacement. Each is pending until it is done, and may be requested again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EncryptOperation {
    /// Notes the place of the volume and stops its machine.
    Begin,
    /// Makes the encrypted volume of the newest snapshot.
    Copy,
    /// Puts it in the place of the old one and starts the machine.
    Swap,
    /// Gives the old volume its place back, however far the replacement is.
    GiveBack,
}

impl Operation for EncryptOperation {}

/// Permissions that the steps and the way back need.
const PERMISSIONS: &[ChangePermission] = &[
    aws("ec2:AttachVolume"),
    aws("ec2:CreateSnapshot"),
    aws("ec2:CreateTags"),
    aws("ec2:CreateVolume"),
    aws("ec2:DeleteTags"),
    aws("ec2:DescribeSnapshots"),
    aws("ec2:DetachVolume"),
    aws("ec2:StartInstances"),
    aws("ec2:StopInstances"),
];

fn parse(parameters: &mut Parameters<'_>) -> Result<Arc<dyn Change>, ParameterError> {
    Ok(Arc::new(EncryptVolume {
        state: parameters.state("state")?,
        machine: parameters.text("machine")?,
    }))
}

impl EncryptVolume {
    /// Returns the change of a volume; `None` for one that several machines share, or that was
    /// replaced already.
    #[must_use]
    pub fn on(volume: &Resource) -> Option<EncryptVolume> {
        let settled = [ResourceState::Available, ResourceState::Unattached];
        let is_possible = volume.kind == ResourceKind::Volume
            && settled.contains(&volume.state)
            && volume.tag(REPLACED_TAG).is_none()
            && volume.attached_to.len() <= 1;
        is_possible.then(|| EncryptVolume {
            state: volume.state,
            machine: volume
                .attached_to
                .first()
                .map_or_else(String::new, |machine| machine.as_str().to_owned()),
        })
    }
}

fn attachment(volume: &Resource) -> Option<String> {
    let machines = volume.attached_to.iter().map(|id| id.as_str().to_owned());
    Some(machines.collect::<Vec<_>>().join(","))
}

fn is_replaced() -> Expectation {
    Expectation::new("replaced", true, |volume| {
        Some(volume.tag(REPLACED_TAG).is_some())
    })
}

impl Change for EncryptVolume {
    fn name(&self) -> &'static str {
        TYPE.name
    }

    fn parameters(&self) -> Json {
        Json::object([
            ("state", Json::from(self.state.as_str())),
            ("machine", Json::from(self.machine.as_str())),
        ])
    }

    fn tasks(&self, target: &str) -> Vec<Task> {
        let machine = &self.machine;
        let is_attached = !machine.is_empty();
        let mut check = precondition(target, self.state, None);
        check
            .expect
            .push(Expectation::new("attached_to", machine.clone(), attachment));

        let begin = match is_attached {
            true => Task::of_kind(
                StepKind::Stop,
                target,
                format!(
                    "Stop {machine}, so that nothing is written to {target} after the snapshot"
                ),
                Call::of("the stop", EncryptOperation::Begin),
            ),
            false => Task::change(
                target,
                format!("Mark {target}, so that the way back is known"),
                Call::of("the mark", EncryptOperation::Begin),
            ),
        };
        let swap = match is_attached {
            true => Task::of_kind(
                StepKind::Start,
                target,
                format!("Put the encrypted volume in the place of {target} and start {machine}"),
                Call::of("the swap", EncryptOperation::Swap),
            ),
            false => Task::change(
                target,
                format!("Mark {target} as replaced by the encrypted volume; it is not deleted"),
                Call::of("the mark", EncryptOperation::Swap),
            ),
        };
        vec![
            check,
            begin,
            Task::snapshot(target, format!("Snapshot volume {target}")),
            Task::change(
                target,
                format!("Make an encrypted volume of the snapshot of {target}"),
                Call::of("the encrypted volume", EncryptOperation::Copy),
            ),
            swap,
            verify(target, "is replaced and kept", vec![is_replaced()]),
        ]
    }

    fn reversal(&self) -> Reversal {
        Reversal::Inverse
    }

    fn undo(&self, _: &Resource, seen: &Resource) -> Option<Task> {
        let is_begun = [ENCRYPTING_TAG, REPLACED_TAG]
            .iter()
            .any(|tag| seen.tag(tag).is_some());
        let goal = Call::of("the way back", EncryptOperation::GiveBack);
        let words = format!(
            "Give {} its place back; the encrypted volume stays",
            seen.id
        );
        is_begun.then(|| Task::of_kind(StepKind::Start, seen.id.as_str(), words, goal))
    }

    fn simulate(
        &self,
        operation: &dyn Operation,
        twin: &mut Resource,
        _: &PriceCatalogue,
    ) -> Result<(), ActError> {
        let Some(operation) = operation.downcast_ref::<EncryptOperation>() else {
            return Err(foreign(operation));
        };
        let is_begun = twin.tags.contains_key(ENCRYPTING_TAG);
        match operation {
            EncryptOperation::Begin => {
                let place = self.machine.clone();
                twin.tags.insert(ENCRYPTING_TAG.to_owned(), place);
            }
            EncryptOperation::Copy | EncryptOperation::Swap if !is_begun => {
                return Err(refused(ActErrorKind::Other, "nothing was begun"));
            }
            EncryptOperation::Copy => {}
            EncryptOperation::Swap => {
                let place = twin.tags.remove(ENCRYPTING_TAG).unwrap_or_default();
                twin.tags.insert(REPLACED_TAG.to_owned(), place);
                twin.attached_to.clear();
                twin.state = ResourceState::Unattached;
            }
            EncryptOperation::GiveBack => {
                twin.tags.remove(ENCRYPTING_TAG);
                if let Some(place) = twin.tags.remove(REPLACED_TAG).filter(|at| !at.is_empty()) {
                    twin.attached_to = vec![reeve_estate::ResourceId::new(place)];
                    twin.state = ResourceState::Available;
                }
            }
        }
        Ok(())
    }

    fn restarts(&self) -> bool {
        !self.machine.is_empty()
    }

    fn effect_evidence(&self) -> EffectEvidence {
        EffectEvidence::State
    }

    fn may_take_capacity(&self) -> bool {
        false
    }

    fn changes_load(&self) -> bool {
        false
    }

    /// Snapshots of large volumes take hours.
    fn least_limit_s(&self) -> i64 {
        4 * 3600
    }

    fn rollback_limit_s(&self) -> i64 {
        SLOW_ROLLBACK_LIMIT_S
    }

    fn notes(&self, seen: &Resource) -> Vec<(&'static str, Option<String>)> {
        vec![("attached_to", attachment(seen))]
    }

    fn retarget(&self, rename: &dyn Fn(&str) -> Option<String>) -> Arc<dyn Change> {
        let machine = rename(&self.machine).unwrap_or_else(|| self.machine.clone());
        Arc::new(EncryptVolume {
            machine,
            ..self.clone()
        })
    }
}
