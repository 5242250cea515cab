//! Another instance type for the members of a scaling group: a new version of its launch template,
//! and an instance refresh that replaces the members by it. The way back is the version that the
//! group used before, and a refresh to it.
//!
//! Only groups with a launch template of their own: a launch configuration has no versions, and a
//! mixed instances policy names its types beside the template. Amazon EC2 Auto Scaling API
//! reference, `StartInstanceRefresh`.

use std::sync::Arc;

use reeve_audit::Json;
use reeve_estate::{
    ActError, ActErrorKind, GroupTemplate, Operation, PriceCatalogue, Resource, ResourceKind,
    ResourceState,
};

use crate::change::{
    Change, ChangePermission, ChangeType, Effect, Expectation, Goal, ParameterError, Parameters,
    Parse, Reversal, SLOW_ROLLBACK_LIMIT_S, Task, aws, foreign, precondition, refused, verify,
};

/// Row of the registry.
pub(super) const TYPE: ChangeType = ChangeType {
    name: "change_group_size",
    permissions: PERMISSIONS,
    parse: Parse::Typed(parse),
};

/// Permissions that the steps and the way back need. Auto Scaling checks that the caller may start
/// machines of the new version.
const PERMISSIONS: &[ChangePermission] = &[
    aws("ec2:DescribeLaunchTemplateVersions"),
    aws("ec2:CreateLaunchTemplateVersion"),
    aws("ec2:RunInstances"),
    aws("autoscaling:UpdateAutoScalingGroup"),
    aws("autoscaling:DescribeInstanceRefreshes"),
    aws("autoscaling:StartInstanceRefresh"),
    aws("autoscaling:CancelInstanceRefresh"),
];

/// Least and highest number of members during a refresh, percent of the wanted one: each old member
/// ends after a new one serves.
pub const HEALTHY_PERCENT: (u32, u32) = (100, 110);
/// Longest time that the replacement of every member may take, seconds.
const LIMIT_S: i64 = 3600;

/// Operation on the launch template and the members of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GroupSizeOperation {
    /// Make a version of the template with another instance type, and set the group to it.
    NewVersion {
        template: String,
        /// Version that the group must still use, and that the new one is made from.
        from_version: String,
        /// Instance type of the new version.
        instance_type: String,
    },
    /// Set the group to a version that exists.
    UseVersion { template: String, version: String },
    /// Replace the members that are not of the group's version.
    Refresh,
    /// End the refresh that is running; members that it replaced stay.
    CancelRefresh,
}

impl Operation for GroupSizeOperation {}

/// Another instance type for the members of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeGroupSize {
    /// State the finding saw, and the state the group settles in.
    pub state: ResourceState,
    /// Launch template of the group.
    pub template: String,
    pub version: String,
    pub from: String,
    pub to: String,
    /// Members the finding saw: connections to a single one end when it is replaced.
    pub members: u32,
}

fn parse(parameters: &mut Parameters<'_>) -> Result<Arc<dyn Change>, ParameterError> {
    Ok(Arc::new(ChangeGroupSize {
        state: parameters.state("state")?,
        template: parameters.text("template")?,
        version: parameters.text("version")?,
        from: parameters.text("from")?,
        to: parameters.text("to")?,
        members: parameters.number("members")?,
    }))
}

fn of_template<T>(group: &Resource, read: impl FnOnce(&GroupTemplate) -> Option<T>) -> Option<T> {
    group.specification.template.as_ref().and_then(read)
}

fn uses(template: &str, version: &str) -> Expectation {
    Expectation::new("launch_template", named(template, version), |group| {
        of_template(group, |own| Some(named(&own.id, &own.version)))
    })
}

fn named(template: &str, version: &str) -> String {
    format!("{template} version {version}")
}

fn template_names(size: &str) -> Expectation {
    Expectation::new("launch_template_type", size.to_owned(), |group| {
        of_template(group, |own| own.instance_type.clone())
    })
}

fn members_are(size: &str) -> Expectation {
    Expectation::new("member_types", size.to_owned(), |group| {
        of_template(group, |own| Some(own.member_types.join(", ")))
    })
}

fn no_refresh() -> Expectation {
    Expectation::new("instance_refresh", "none".to_owned(), |group| {
        of_template(group, refresh)
    })
}

fn refresh(template: &GroupTemplate) -> Option<String> {
    template
        .refreshing
        .map(|running| if running { "running" } else { "none" }.to_owned())
}

/// A property of the group that one operation leads to, which may be requested while members start
/// and end.
#[derive(Debug, Clone)]
struct Reached {
    name: &'static str,
    operation: GroupSizeOperation,
    expect: Vec<Expectation>,
}

impl Goal for Reached {
    fn name(&self) -> &str {
        self.name
    }

    fn is_reached(&self, seen: &Resource) -> bool {
        self.expect
            .iter()
            .all(|expectation| expectation.is_met(seen))
    }

    fn operation(&self, _: &Resource) -> Arc<dyn Operation> {
        Arc::new(self.operation.clone())
    }

    fn may_interleave(&self) -> bool {
        true
    }
}

fn step(
    target: &str,
    words: String,
    name: &'static str,
    operation: GroupSizeOperation,
    expect: Vec<Expectation>,
) -> Task {
    let goal = Reached {
        name,
        operation,
        expect: expect.clone(),
    };
    Task::change(target, words, goal).expecting(expect)
}

impl ChangeGroupSize {
    /// Replaces the members until all of them are of a size and serve.
    fn refresh(&self, target: &str, size: &str, words: String) -> Task {
        let done = vec![
            members_are(size),
            no_refresh(),
            Expectation::state(self.state),
        ];

        let effect = if self.restarts() {
            Effect::Restarts
        } else {
            Effect::Live
        };

        Task {
            effect,
            ..step(
                target,
                words,
                "the instance refresh",
                GroupSizeOperation::Refresh,
                done,
            )
        }
    }
}

impl Change for ChangeGroupSize {
    fn name(&self) -> &'static str {
        TYPE.name
    }

    fn parameters(&self) -> Json {
        Json::object([
            ("state", Json::from(self.state.as_str())),
            ("template", Json::from(self.template.as_str())),
            ("version", Json::from(self.version.as_str())),
            ("from", Json::from(self.from.as_str())),
            ("to", Json::from(self.to.as_str())),
            ("members", Json::from(self.members)),
        ])
    }

    fn tasks(&self, target: &str) -> Vec<Task> {
        let (template, version, from, to) = (&self.template, &self.version, &self.from, &self.to);
        let mut check = precondition(target, self.state, None);
        check.description = format!(
            "Record the launch template of {target}; check that it is still version {version} of {template} with {from} and that no \
             instance refresh is running"
        );
        check.expect.extend([
            uses(template, version),
            template_names(from),
            members_are(from),
            no_refresh(),
        ]);

        let made = GroupSizeOperation::NewVersion {
            template: template.clone(),
            from_version: version.clone(),
            instance_type: to.clone(),
        };

        let words = format!(
            "Create a version of launch template {template} with {to} from version {version}, for {target}"
        );
        let make = step(
            target,
            words,
            "the new version",
            made,
            vec![template_names(to)],
        );

        let words = format!(
            "Replace the members of {target} by an instance refresh that starts new members before it ends old ones"
        );
        let done = vec![
            template_names(to),
            members_are(to),
            no_refresh(),
            Expectation::state(self.state),
        ];

        let outcome = format!("has members of {to} alone and that all of them are in service");
        vec![
            check,
            make,
            self.refresh(target, to, words),
            verify(target, &outcome, done),
        ]
    }

    fn reversal(&self) -> Reversal {
        Reversal::Inverse
    }

    fn undo(&self, _: &Resource, seen: &Resource) -> Option<Task> {
        let own = seen.specification.template.as_ref()?;
        let id = seen.id.as_str();
        let is_before = uses(&self.template, &self.version).is_met(seen);

        if !is_before && own.refreshing == Some(true) {
            let words = format!("Cancel the instance refresh of {id}");
            return Some(step(
                id,
                words,
                "the end of the refresh",
                GroupSizeOperation::CancelRefresh,
                vec![no_refresh()],
            ));
        }

        if !is_before {
            let (template, version) = (self.template.clone(), self.version.clone());
            let words = format!("Set {id} back to version {version} of launch template {template}");
            let expect = vec![uses(&template, &version)];
            return Some(step(
                id,
                words,
                "the version before",
                GroupSizeOperation::UseVersion { template, version },
                expect,
            ));
        }

        let is_done = members_are(&self.from).is_met(seen) && no_refresh().is_met(seen);
        let words = format!("Replace the members of {id} by {} again", self.from);
        (!is_done).then(|| self.refresh(id, &self.from, words))
    }

    fn as_found(&self, twin: &mut Resource) {
        twin.specification.template = Some(GroupTemplate {
            id: self.template.clone(),
            version: self.version.clone(),
            instance_type: Some(self.from.clone()),
            member_types: vec![self.from.clone()],
            refreshing: Some(false),
        });
    }

    fn simulate(
        &self,
        operation: &dyn Operation,
        twin: &mut Resource,
        catalogue: &PriceCatalogue,
    ) -> Result<(), ActError> {
        let Some(operation) = operation.downcast_ref::<GroupSizeOperation>() else {
            return Err(foreign(operation));
        };
        let Some(own) = twin
            .specification
            .template
            .as_mut()
            .filter(|_| twin.kind == ResourceKind::ScalingGroup)
        else {
            return Err(refused(
                ActErrorKind::InvalidType,
                format_args!("it is a {} without a launch template", twin.kind),
            ));
        };

        match operation {
            GroupSizeOperation::NewVersion {
                from_version,
                instance_type,
                ..
            } => {
                if own.version != *from_version {
                    return Err(refused(
                        ActErrorKind::WrongState,
                        format_args!("it uses version {} now", own.version),
                    ));
                }
                if catalogue.instance(twin.provider, instance_type).is_none() {
                    let said = format!("the catalogue knows no size {instance_type}");
                    return Err(refused(ActErrorKind::InvalidType, said));
                }
                own.version = format!("{from_version} and one more");
                own.instance_type = Some(instance_type.clone());
            }
            GroupSizeOperation::UseVersion { version, .. } => {
                own.version.clone_from(version);
                own.instance_type = Some(self.from.clone());
            }
            GroupSizeOperation::Refresh => {
                own.member_types = own.instance_type.clone().into_iter().collect();
                twin.specification
                    .instance_type
                    .clone_from(&own.instance_type);
            }
            GroupSizeOperation::CancelRefresh => own.refreshing = Some(false),
        }

        Ok(())
    }

    fn restarts(&self) -> bool {
        self.members < 2
    }

    fn notes(&self, seen: &Resource) -> Vec<(&'static str, Option<String>)> {
        vec![
            (
                "launch_template",
                of_template(seen, |own| Some(named(&own.id, &own.version))),
            ),
            (
                "launch_template_type",
                of_template(seen, |own| own.instance_type.clone()),
            ),
            (
                "member_types",
                of_template(seen, |own| Some(own.member_types.join(", "))),
            ),
            ("instance_refresh", of_template(seen, refresh)),
        ]
    }

    fn rollback_limit_s(&self) -> i64 {
        SLOW_ROLLBACK_LIMIT_S
    }

    /// A new member serves before an old one ends: connections to the old one are made anew, once
    /// in each direction.
    fn interruption_limit_s(&self, _: i64) -> i64 {
        600
    }

    fn retarget(&self, _: &dyn Fn(&str) -> Option<String>) -> Arc<dyn Change> {
        Arc::new(self.clone())
    }

    fn undoes_while_changing(&self) -> bool {
        true
    }

    fn least_limit_s(&self) -> i64 {
        LIMIT_S
    }
}
