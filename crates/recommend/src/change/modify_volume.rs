//! Another type, IOPS and throughput for a volume, while it is in use. EBS takes the next change of
//! a volume six hours after the last, so that there is no way back at once.

use std::fmt;
use std::sync::Arc;

use reeve_audit::Json;
use reeve_estate::catalogue::volume::{GP3_FREE_IOPS, GP3_FREE_MIBPS};
use reeve_estate::{
    ActError, ActErrorKind, Operation, PriceCatalogue, Resource, ResourceState, Specification,
};

use crate::change::{
    Change, ChangePermission, ChangeType, EffectEvidence, Expectation, ParameterError, Parameters,
    Parse, Reversal, Task, TaskReach, aws, foreign, precondition, refused, verify,
};

/// Row of the registry.
pub(super) const TYPE: ChangeType = ChangeType {
    name: "modify_volume",
    permissions: PERMISSIONS,
    parse: Parse::Typed(parse),
};

/// Permissions that the steps need.
const PERMISSIONS: &[ChangePermission] = &[
    aws("ec2:ModifyVolume"),
    aws("ec2:DescribeVolumesModifications"),
];

/// Type and provisioned performance of a volume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VolumeSetup {
    /// Type, by the provider's name (`gp3`).
    pub storage_type: String,
    /// Provisioned IOPS; `None` for a type that takes none.
    pub iops: Option<u32>,
    /// Provisioned throughput, MiB/s; `None` for a type that takes none.
    pub throughput_mibps: Option<u32>,
}

impl VolumeSetup {
    /// The setup that a volume has; `None` if its type is not known. A gp3 volume for which nothing
    /// is reported has what every gp3 volume has.
    #[must_use]
    pub fn from_specification(volume: &Specification) -> Option<VolumeSetup> {
        let storage_type = volume.storage_type.clone()?;
        let free = |amount| (storage_type == "gp3").then_some(amount);
        let number = |value: Option<u64>| value.and_then(|value| u32::try_from(value).ok());
        Some(VolumeSetup {
            iops: number(volume.iops.or(free(GP3_FREE_IOPS))),
            throughput_mibps: number(volume.throughput_mibps.or(free(GP3_FREE_MIBPS))),
            storage_type,
        })
    }

    /// Gives a specification this setup.
    pub fn apply(&self, specification: &mut Specification) {
        specification.storage_type = Some(self.storage_type.clone());
        specification.iops = self.iops.map(u64::from);
        specification.throughput_mibps = self.throughput_mibps.map(u64::from);
    }
}

/// `gp3, 3000 IOPS, 125 MiB/s`.
impl fmt::Display for VolumeSetup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.storage_type)?;
        if let Some(iops) = self.iops {
            write!(f, ", {iops} IOPS")?;
        }
        self.throughput_mibps
            .map_or(Ok(()), |mibps| write!(f, ", {mibps} MiB/s"))
    }
}

/// Operation that gives a volume a setup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VolumeOperation {
    pub setup: VolumeSetup,
}

impl Operation for VolumeOperation {}

/// Another setup of a volume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModifyVolume {
    /// State the finding saw.
    pub state: ResourceState,
    pub from: VolumeSetup,
    pub to: VolumeSetup,
}

fn parse(parameters: &mut Parameters<'_>) -> Result<Arc<dyn Change>, ParameterError> {
    Ok(Arc::new(ModifyVolume {
        state: parameters.state("state")?,
        from: VolumeSetup {
            storage_type: parameters.text("from_type")?,
            iops: parameters.number_or_null("from_iops")?,
            throughput_mibps: parameters.number_or_null("from_throughput_mibps")?,
        },
        to: VolumeSetup {
            storage_type: parameters.text("to_type")?,
            iops: parameters.number_or_null("to_iops")?,
            throughput_mibps: parameters.number_or_null("to_throughput_mibps")?,
        },
    }))
}

fn has(setup: &VolumeSetup) -> Expectation {
    Expectation::new("volume", setup.clone(), |volume| {
        VolumeSetup::from_specification(&volume.specification)
    })
}

impl Change for ModifyVolume {
    fn name(&self) -> &'static str {
        TYPE.name
    }

    fn parameters(&self) -> Json {
        Json::object([
            ("state", Json::from(self.state.as_str())),
            ("from_type", Json::from(self.from.storage_type.as_str())),
            ("from_iops", Json::from(self.from.iops)),
            (
                "from_throughput_mibps",
                Json::from(self.from.throughput_mibps),
            ),
            ("to_type", Json::from(self.to.storage_type.as_str())),
            ("to_iops", Json::from(self.to.iops)),
            ("to_throughput_mibps", Json::from(self.to.throughput_mibps)),
        ])
    }

    fn tasks(&self, target: &str) -> Vec<Task> {
        let ModifyVolume { from, to, .. } = self;
        let mut check = precondition(target, self.state, None);
        check.description = format!("{} and is {from}", check.description);
        check.expect.push(has(&self.from));
        let done = vec![has(&self.to)];
        let operation = VolumeOperation {
            setup: self.to.clone(),
        };
        let goal = TaskReach::by("the new setup", operation, done.clone());
        let words = format!("Modify {target} from {from} to {to}, while it is in use");
        let settled = vec![has(&self.to), Expectation::state(self.state)];

        vec![
            check,
            Task::change(target, words, goal).expecting(done),
            verify(target, &format!("is {to}"), settled),
        ]
    }

    fn reversal(&self) -> Reversal {
        Reversal::Impossible(
            "EBS takes the next change of a volume six hours after the last; change it back after that",
        )
    }

    fn undo(&self, _: &Resource, _: &Resource) -> Option<Task> {
        None
    }

    fn simulate(
        &self,
        operation: &dyn Operation,
        twin: &mut Resource,
        _: &PriceCatalogue,
    ) -> Result<(), ActError> {
        let Some(VolumeOperation { setup }) = operation.downcast_ref() else {
            return Err(foreign(operation));
        };

        if twin.specification.storage_type.is_none() {
            return Err(refused(ActErrorKind::InvalidType, "it is no volume"));
        }

        setup.apply(&mut twin.specification);
        Ok(())
    }

    fn notes(&self, seen: &Resource) -> Vec<(&'static str, Option<String>)> {
        vec![(
            "volume",
            VolumeSetup::from_specification(&seen.specification).map(|setup| setup.to_string()),
        )]
    }

    fn effect_evidence(&self) -> EffectEvidence {
        EffectEvidence::State
    }

    /// Another type with as many operations and as much throughput takes nothing away.
    fn may_take_capacity(&self) -> bool {
        let falls = |before: Option<u32>, after: Option<u32>| {
            before.is_some_and(|before| after.is_none_or(|after| after < before))
        };
        falls(self.from.iops, self.to.iops)
            || falls(self.from.throughput_mibps, self.to.throughput_mibps)
    }

    fn retarget(&self, _: &dyn Fn(&str) -> Option<String>) -> Arc<dyn Change> {
        Arc::new(self.clone())
    }
}
