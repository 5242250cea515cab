//! Launch template versions and instance refreshes of simulated groups.
//!
//! Refuses what Auto Scaling refuses: a size that is not sold, a version that does not exist, a
//! refresh while another one runs. Members are replaced one after the other, and a refresh that is
//! cancelled leaves those that it has replaced.

use jiff::Timestamp;
use reeve_estate::{
    ActError, ActErrorKind, GroupTemplate, Operation, Provider, Resource, ResourceId, ResourceKind,
    ResourceState,
};
use reeve_recommend::change::GroupSizeOperation;

use crate::account::SimulatedAccount;
use crate::condition::Conditions;
use crate::noise::{hex, key};
use crate::refusal::refuse;
use crate::transitions::REPLACE_S;

/// Takes operations on the template and the members of a group.
pub(super) fn offer(
    account: &SimulatedAccount,
    conditions: &mut Conditions,
    group: &Resource,
    operation: &dyn Operation,
    now: Timestamp,
) -> Option<Result<(), ActError>> {
    let operation = operation.downcast_ref::<GroupSizeOperation>()?;
    if group.kind != ResourceKind::ScalingGroup || group.provider != Provider::Aws {
        let said = format!(
            "{} is a {} of {}, which has no launch template here",
            group.id, group.kind, group.provider
        );
        return Some(Err(refuse(
            ActErrorKind::Other,
            "UnsupportedOperation",
            &said,
        )));
    }

    Some(match operation {
        GroupSizeOperation::NewVersion {
            from_version,
            instance_type,
            ..
        } => account.new_version(conditions, group, from_version, instance_type),
        GroupSizeOperation::UseVersion { version, .. } => {
            account.use_version(conditions, group, version)
        }
        GroupSizeOperation::Refresh => account.refresh(conditions, group, now),
        GroupSizeOperation::CancelRefresh => {
            account.cancel(conditions, group, now);
            Ok(())
        }
    })
}

impl SimulatedAccount {
    /// The launch template of a group as AWS answers it.
    pub(crate) fn template(
        &self,
        conditions: &Conditions,
        group: &Resource,
        now: Timestamp,
    ) -> GroupTemplate {
        let condition = conditions.get(&group.id);
        let members = group
            .attached_to
            .iter()
            .filter_map(|id| self.live(id, conditions, now));
        let mut member_types: Vec<String> = members
            .filter_map(|member| member.specification.instance_type)
            .collect();
        member_types.sort_unstable();
        member_types.dedup();

        GroupTemplate {
            id: format!(
                "lt-{}",
                hex(
                    key(self.world.settings.seed, &format!("{}/template", group.id)),
                    17
                )
            ),
            version: condition.template_version().to_string(),
            instance_type: group.specification.instance_type.clone(),
            member_types,
            refreshing: Some(condition.refreshing_until.is_some_and(|until| now < until)),
        }
    }

    /// Instance type that a group starts members with, where it is another one than the seed's.
    pub(crate) fn template_type(
        &self,
        conditions: &Conditions,
        group: &ResourceId,
    ) -> Option<String> {
        conditions.get(group).template_type().map(str::to_owned)
    }

    fn new_version(
        &self,
        conditions: &mut Conditions,
        group: &Resource,
        from: &str,
        size: &str,
    ) -> Result<(), ActError> {
        self.launchable(conditions, group, size)?;
        let condition = conditions.resources.entry(group.id.clone()).or_default();

        if condition.template_version().to_string() != from {
            let said = format!(
                "{} uses version {} now",
                group.name,
                condition.template_version()
            );
            return Err(refuse(ActErrorKind::WrongState, "ValidationError", &said));
        }

        let known = condition.template_types.iter().position(|own| own == size);
        let place = known.unwrap_or_else(|| {
            condition.template_types.push(size.to_owned());
            condition.template_types.len() - 1
        });
        condition.template_number = Some(place as u32 + 2);

        Ok(())
    }

    fn use_version(
        &self,
        conditions: &mut Conditions,
        group: &Resource,
        version: &str,
    ) -> Result<(), ActError> {
        let condition = conditions.resources.entry(group.id.clone()).or_default();
        let exists =
            |number: &u32| (1..=condition.template_types.len() as u32 + 1).contains(number);
        let number = version.parse().ok().filter(exists);
        let missing = || {
            refuse(
                ActErrorKind::NotFound,
                "ValidationError",
                &format!("there is no version {version}"),
            )
        };
        condition.template_number = Some(number.ok_or_else(missing)?);

        Ok(())
    }

    fn refresh(
        &self,
        conditions: &mut Conditions,
        group: &Resource,
        now: Timestamp,
    ) -> Result<(), ActError> {
        if conditions
            .get(&group.id)
            .refreshing_until
            .is_some_and(|until| now < until)
        {
            let said = format!("an instance refresh of {} is in progress", group.name);
            return Err(refuse(
                ActErrorKind::WrongState,
                "InstanceRefreshInProgress",
                &said,
            ));
        }

        let wanted = group.specification.instance_type.clone();
        let members = group
            .attached_to
            .iter()
            .filter_map(|id| self.live(id, conditions, now));
        let stale: Vec<Resource> = members
            .filter(|member| member.specification.instance_type != wanted)
            .collect();
        let after = |members: usize| self.world.settings.after(now, REPLACE_S * members as f64);
        for (place, member) in stale.iter().enumerate() {
            self.replace(conditions, member, after(place), after(place + 1));
        }

        let condition = conditions.resources.entry(group.id.clone()).or_default();
        let until = after(stale.len().max(1));
        (condition.refreshing_until, condition.settles_at) = (Some(until), Some(until));

        Ok(())
    }

    /// Ends a refresh: members whose turn has not come stay.
    fn cancel(&self, conditions: &mut Conditions, group: &Resource, now: Timestamp) {
        conditions.successors.retain(|_, successor| {
            successor.launched_at <= now || !self.is_of(&successor.place, group)
        });
        for (id, condition) in &mut conditions.resources {
            let waits =
                condition.terminated_at.is_some_and(|end| end > now) && self.is_of(id, group);
            if waits {
                condition.terminated_at = None;
                condition.settles_at = None;
                condition.downtimes.pop();
            }
        }

        let condition = conditions.resources.entry(group.id.clone()).or_default();
        (condition.refreshing_until, condition.settles_at) = (None, None);
    }

    /// Returns `true` if a place is one of a group's members.
    fn is_of(&self, place: &ResourceId, group: &Resource) -> bool {
        self.asset(place)
            .is_some_and(|asset| asset.resource.group.as_ref() == Some(&group.id))
    }

    fn launchable(
        &self,
        conditions: &Conditions,
        group: &Resource,
        size: &str,
    ) -> Result<(), ActError> {
        let member = group
            .attached_to
            .first()
            .and_then(|id| self.live(id, conditions, self.world.now()));
        let stopped = |member: Resource| Resource {
            state: ResourceState::Stopped,
            ..member
        };

        member.map_or(Ok(()), |member| self.resizable(&stopped(member), size))
    }
}
