//! Successors of machines that were taken back: the member that a scaling group started in the place
//! of another one, or the machine that Reeve launched, is kept with the notice once it runs.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use reeve_audit::{ActionMethod, ActionStatus, Actor, Entry, EventId, Json, Obstacle, events};
use reeve_estate::{
    Connection, MADE_BY, Resource, ResourceFilter, ResourceId, ResourceKind, ResourceState,
    SUCCEEDS_TAG,
};
use reeve_recommend::judgement::spot::{NoticeKind, SpotNotice};

use super::spot::{SpotReader, reference};

/// Time after a notice in which a successor is looked for.
const LOOKED_FOR: SignedDuration = SignedDuration::from_hours(24);
/// Time before the first notice about a machine from which a member may be its successor: with
/// capacity rebalancing a group starts it at the recommendation, and clocks differ.
const AHEAD: SignedDuration = SignedDuration::from_mins(1);

impl SpotReader {
    /// Keeps the successors of machines that were taken back within a day, as far as the inventory
    /// has them by now. Returns their number.
    ///
    /// # Errors
    /// The store or the log failed.
    pub(crate) async fn keep_successors(&self, connection: &Connection) -> Result<usize, Obstacle> {
        let since = Timestamp::now() - LOOKED_FOR;
        let notices = self.spots.spot_notices(&connection.id, since).await;
        let notices = notices.map_err(Obstacle::of)?;
        if !notices.iter().any(waits) {
            return Ok(0);
        }

        // Members of the groups, and what Reeve launched: never every machine of the account.
        let own = ResourceFilter {
            connection: Some(connection.id.clone()),
            kind: Some(ResourceKind::VirtualMachine),
            ..ResourceFilter::default()
        };
        let pending = || notices.iter().filter(|one| waits(one));
        let groups: BTreeSet<&ResourceId> =
            pending().filter_map(|one| one.group.as_ref()).collect();
        let mut filters: Vec<ResourceFilter> = groups
            .into_iter()
            .map(|group| ResourceFilter {
                group: Some(group.clone()),
                ..own.clone()
            })
            .collect();
        if pending().any(|one| one.group.is_none()) {
            filters.push(ResourceFilter {
                text: Some(MADE_BY.1.to_owned()),
                ..own
            });
        }
        let mut machines = Vec::new();
        for filter in &filters {
            let listed = self.estate.resource_list(filter).await;
            machines.extend(listed.map_err(Obstacle::of)?.0);
        }
        let found = successors(&notices, &machines);
        for (event, successor) in &found {
            let Some(notice) = notices.iter().find(|one| one.event == *event) else {
                continue;
            };
            for entry in entries(connection, notice, successor)? {
                self.recorder
                    .record_once(entry)
                    .await
                    .map_err(Obstacle::of)?;
            }
            let kept = SpotNotice {
                successor: Some(successor.id.clone()),
                ..notice.clone()
            };
            self.spots
                .spot_notice_update(&connection.id, &kept)
                .await
                .map_err(Obstacle::of)?;
        }
        Ok(found.len())
    }
}

/// Returns `true` for a notice whose machine has no successor yet.
fn waits(notice: &SpotNotice) -> bool {
    notice.kind == NoticeKind::Interruption && notice.successor.is_none()
}

/// Returns the successor of each notice that has one now, by its event. A machine succeeds one
/// other at most; of a group, the oldest notice is given the oldest member.
fn successors<'m>(
    notices: &[SpotNotice],
    machines: &'m [Resource],
) -> BTreeMap<String, &'m Resource> {
    let mut taken: BTreeSet<&ResourceId> = notices
        .iter()
        .flat_map(|one| one.successor.iter().chain([&one.resource]))
        .collect();
    let mut serving: Vec<&Resource> = machines
        .iter()
        .filter(|one| one.state == ResourceState::Running && one.created_at.is_some())
        .collect();
    serving.sort_by(|a, b| {
        a.created_at
            .cmp(&b.created_at)
            .then_with(|| a.id.cmp(&b.id))
    });

    let mut found = BTreeMap::new();
    for notice in notices {
        if !waits(notice) {
            continue;
        }
        // A rebalance recommendation comes before the interruption.
        let about = notices.iter().filter(|one| one.resource == notice.resource);
        let first = about.map(|one| one.at).min().unwrap_or(notice.at) - AHEAD;
        let succeeds = |one: &&&Resource| {
            !taken.contains(&one.id)
                && match &notice.group {
                    Some(_) => one.group == notice.group && one.created_at >= Some(first),
                    None => one.tag(SUCCEEDS_TAG) == Some(notice.resource.as_str()),
                }
        };
        if let Some(successor) = serving.iter().find(succeeds) {
            taken.insert(&successor.id);
            found.insert(notice.event.clone(), *successor);
        }
    }
    found
}

/// Entries about both machines, so that the history of each names the other.
fn entries(
    connection: &Connection,
    notice: &SpotNotice,
    successor: &Resource,
) -> Result<[Entry; 2], Obstacle> {
    let about = |id: &ResourceId, word: &'static str, other: &ResourceId| {
        let machine = (*id == successor.id).then_some(successor);
        let derived = format!("succession-{}-{}-{word}", connection.id.0, notice.event);
        let mut entry = Entry::for_event(&events::RESOURCE_STATE)
            .with_id(EventId::derived(&derived).map_err(Obstacle::of)?)
            .by(Actor::system())
            .on(reference(connection, id, machine))
            .with_action(word, ActionStatus::Success, ActionMethod::System)
            .with_tag(events::OBSERVED)
            .with_metadata("connection_id", connection.id.0.clone())
            .with_metadata("provider_event_id", notice.event.clone())
            .after(Json::object([(word, Json::from(other.0.clone()))]));
        entry.timestamp = successor.created_at.unwrap_or(notice.at);
        Ok::<Entry, Obstacle>(entry)
    };
    Ok([
        about(&notice.resource, "succeeded_by", &successor.id)?,
        about(&successor.id, "takes_the_place_of", &notice.resource)?,
    ])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reeve_testkit::contract::estate::running;

    use super::*;

    fn at(minutes: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_mins(minutes)
    }

    fn notice(machine: &str, group: Option<&str>, minutes: i64) -> SpotNotice {
        SpotNotice {
            event: format!("e-{machine}-{minutes}"),
            kind: NoticeKind::Interruption,
            resource: ResourceId::new(machine),
            at: at(minutes),
            received_at: at(minutes),
            detail: None,
            life: None,
            group: group.map(ResourceId::new),
            successor: None,
        }
    }

    fn member(id: &str, group: Option<&str>, minutes: i64) -> Resource {
        let mut machine = running(id, ResourceKind::VirtualMachine, Some("m5.large"));
        machine.group = group.map(ResourceId::new);
        machine.created_at = Some(at(minutes));
        machine
    }

    fn of(notices: &[SpotNotice], machines: &[Resource]) -> Vec<(String, String)> {
        let found = successors(notices, machines);
        let pairs = found.into_iter();
        pairs
            .map(|(event, one)| (event, one.id.0.clone()))
            .collect()
    }

    #[test]
    fn a_new_member_of_the_group_succeeds_one_machine() {
        let group = Some("asg-1");
        let notices = [notice("i-1", group, 100), notice("i-2", group, 101)];
        let machines = [
            member("i-1", group, 10),
            member("i-2", group, 10),
            member("i-3", group, 20),
            member("i-4", Some("asg-2"), 103),
            member("i-5", group, 104),
        ];
        assert_eq!(
            of(&notices, &machines),
            [("e-i-1-100".to_owned(), "i-5".to_owned())]
        );

        // What a notice has is not given twice.
        let mut kept = notices.clone();
        kept[0].successor = Some(ResourceId::new("i-5"));
        assert!(of(&kept, &machines).is_empty());
        let mut starting = machines.to_vec();
        starting[4].state = ResourceState::Changing;
        assert!(of(&notices, &starting).is_empty(), "it serves first");
    }

    #[test]
    fn a_group_that_rebalances_starts_the_successor_before_the_interruption() {
        let group = Some("asg-1");
        let mut early = notice("i-1", group, 60);
        early.kind = NoticeKind::Rebalance;
        let notices = [early, notice("i-1", group, 100)];
        let machines = [member("i-5", group, 62)];
        assert_eq!(
            of(&notices, &machines),
            [("e-i-1-100".to_owned(), "i-5".to_owned())]
        );
    }

    #[test]
    fn a_lone_machine_is_succeeded_by_the_one_that_names_it() {
        let mut own = member("i-9", None, 101);
        own.tags.insert(SUCCEEDS_TAG.to_owned(), "i-1".to_owned());
        let machines = [member("i-8", None, 101), own];
        assert_eq!(
            of(&[notice("i-1", None, 100)], &machines),
            [("e-i-1-100".to_owned(), "i-9".to_owned())]
        );
    }
}
