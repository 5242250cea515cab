//! Change control: when, in which direction and by whose hand resources may be changed.
//!
//! Maintenance windows say when what interrupts service may begin; freezes say when nothing may;
//! the direction says whether capacity may only grow or only shrink; and what infrastructure as
//! code owns is patched there, not changed here. All of it is asked together with the guardrails
//! and holds for people and agents alike.

use jiff::civil::{Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};

use reeve_estate::{Connection, Resource, ResourceTotal, named};
use serde::{Deserialize, Serialize};

use crate::agent::AgentScope;

named!(
    /// Direction in which capacity may be changed.
    Direction {
        /// Capacity may grow and shrink.
        Both => "both",
        /// Capacity may only grow.
        UpOnly => "up_only",
        /// Capacity may only shrink.
        DownOnly => "down_only",
    }
);

named!(
    /// Treatment of resources whose tags name infrastructure as code as their owner.
    IacRule {
        /// They are not changed; a patch is offered instead.
        Patch => "patch",
        /// They are changed like any other by the user who requests it; never by an agent by
        /// itself.
        Allow => "allow",
    }
);

named!(
    /// Days of the week.
    Day {
        Monday => "monday",
        Tuesday => "tuesday",
        Wednesday => "wednesday",
        Thursday => "thursday",
        Friday => "friday",
        Saturday => "saturday",
        Sunday => "sunday",
    }
);

impl Day {
    const fn from_weekday(weekday: Weekday) -> Day {
        match weekday {
            Weekday::Monday => Day::Monday,
            Weekday::Tuesday => Day::Tuesday,
            Weekday::Wednesday => Day::Wednesday,
            Weekday::Thursday => Day::Thursday,
            Weekday::Friday => Day::Friday,
            Weekday::Saturday => Day::Saturday,
            Weekday::Sunday => Day::Sunday,
        }
    }
}

/// Window in which changes that interrupt a service may begin, for the resources in its scope.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MaintenanceWindow {
    /// Name, for people and for blocks.
    pub name: String,
    /// Resources that the window applies to.
    pub scope: AgentScope,
    /// Days on which it opens; empty is every day.
    pub days: Vec<Day>,
    /// Local time at which it opens.
    pub start: Time,
    /// Duration of the window, minutes; at most a day.
    pub duration_minutes: u32,
    /// The IANA time zone of days and start. A start that daylight saving skips moves to after the
    /// gap.
    #[serde(with = "jiff::fmt::serde::tz::required")]
    pub time_zone: TimeZone,
}

impl MaintenanceWindow {
    /// The opening that holds the moment, or else the next one: start and end.
    #[must_use]
    pub fn opening(&self, now: Timestamp) -> Option<(Timestamp, Timestamp)> {
        let today = now.to_zoned(self.time_zone.clone()).date();
        let span = SignedDuration::from_mins(i64::from(self.duration_minutes));

        // From yesterday, whose opening may reach over midnight, to the same day of next week.
        (-1..=7).find_map(|offset: i64| {
            let date = today.checked_add(offset.days()).ok()?;
            if !self.days.is_empty() && !self.days.contains(&Day::from_weekday(date.weekday())) {
                return None;
            }
            let start = date
                .to_datetime(self.start)
                .to_zoned(self.time_zone.clone())
                .ok()?
                .timestamp();
            let end = start.checked_add(span).ok()?;
            (now < end).then_some((start, end))
        })
    }
}

/// A time in which nothing is changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Freeze {
    /// Name, for people and for blocks.
    pub name: String,
    /// Resources that the freeze applies to.
    pub scope: AgentScope,
    pub from: Timestamp,
    pub until: Timestamp,
}

/// The whole of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChangeControl {
    /// Maintenance windows. A resource that none covers may be interrupted at any time.
    pub windows: Vec<MaintenanceWindow>,
    /// Freezes, past ones included until somebody removes them.
    pub freezes: Vec<Freeze>,
    /// Direction in which capacity may be changed, unless a tag of the resource sets another.
    pub direction: Direction,
    /// Resources owned by infrastructure as code.
    pub infrastructure_as_code: IacRule,
}

impl Default for ChangeControl {
    fn default() -> Self {
        ChangeControl {
            windows: Vec::new(),
            freezes: Vec::new(),
            direction: Direction::Both,
            infrastructure_as_code: IacRule::Patch,
        }
    }
}

/// Properties of a resource by which change control decides.
#[derive(Debug, Clone, Copy)]
pub struct ChangeControlPlace<'a> {
    pub account: &'a str,
    /// Identifier of its connection.
    pub connection: &'a str,
    /// Name of its connection, where there is one.
    pub connection_name: &'a str,
    pub service: &'a str,
    /// The value of its tag `reeve:direction`, where it has one.
    pub direction: Option<&'a str>,
}

impl<'a> ChangeControlPlace<'a> {
    /// The place of a resource.
    #[must_use]
    pub fn new(resource: &'a Resource, connections: &'a [Connection]) -> Self {
        let connection = connections
            .iter()
            .find(|connection| connection.id == resource.connection);
        ChangeControlPlace {
            account: &resource.account,
            connection: &resource.connection.0,
            connection_name: connection.map_or("", |connection| connection.name.as_str()),
            service: &resource.service,
            direction: resource.tag("reeve:direction"),
        }
    }
}

impl<'a> ChangeControlPlace<'a> {
    /// The place of the resources of a sum, as scopes match it: without a direction.
    #[must_use]
    pub fn of_total(total: &'a ResourceTotal, connections: &'a [Connection]) -> Self {
        let connection = connections
            .iter()
            .find(|connection| connection.id == total.connection);
        ChangeControlPlace {
            account: &total.account,
            connection: &total.connection.0,
            connection_name: connection.map_or("", |connection| connection.name.as_str()),
            service: &total.service,
            direction: None,
        }
    }
}

/// A time, and the name of what it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Until {
    /// Name of the window or freeze.
    pub name: String,
    /// Earliest time at which a change may begin.
    pub at: Timestamp,
}

impl ChangeControl {
    /// The freeze that lasts longest of those that hold now.
    #[must_use]
    pub fn frozen(&self, place: &ChangeControlPlace<'_>, now: Timestamp) -> Option<Until> {
        let holds = |freeze: &&Freeze| {
            freeze.from <= now && now < freeze.until && freeze.scope.covers(place)
        };

        let last = self
            .freezes
            .iter()
            .filter(holds)
            .max_by_key(|freeze| freeze.until)?;

        Some(Until {
            name: last.name.clone(),
            at: last.until,
        })
    }

    /// The next opening of a window that covers the resource; `None` when one is open, or none
    /// covers it.
    #[must_use]
    pub fn closed(&self, place: &ChangeControlPlace<'_>, now: Timestamp) -> Option<Until> {
        let covering: Vec<&MaintenanceWindow> = self
            .windows
            .iter()
            .filter(|w| w.scope.covers(place))
            .collect();

        let openings = covering
            .iter()
            .filter_map(|window| Some((window, window.opening(now)?.0)));
        let (window, at) = openings.min_by_key(|(_, start)| *start)?;
        (at > now).then(|| Until {
            name: window.name.clone(),
            at,
        })
    }

    /// Returns the direction in which the resource's capacity may be changed: by its tag, else by
    /// the policy.
    #[must_use]
    pub fn direction_of(&self, place: &ChangeControlPlace<'_>) -> Direction {
        let direction = place
            .direction
            .and_then(|value| Direction::parse(value.trim().to_ascii_lowercase().as_str()));
        direction.unwrap_or(self.direction)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const PLACE: ChangeControlPlace<'static> = ChangeControlPlace {
        account: "111122223333",
        connection: "c-1",
        connection_name: "prod-aws",
        service: "ec2",
        direction: None,
    };

    fn window(days: &[Day], start: &str, duration_minutes: u32, zone: &str) -> MaintenanceWindow {
        MaintenanceWindow {
            name: "nights".to_owned(),
            scope: AgentScope::default(),
            days: days.to_vec(),
            start: start.parse().unwrap(),
            duration_minutes,
            time_zone: TimeZone::get(zone).unwrap(),
        }
    }

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn a_window_over_midnight_belongs_to_the_day_it_opened() {
        let control = ChangeControl {
            windows: vec![window(&[Day::Friday], "22:00", 240, "Europe/Berlin")],
            ..ChangeControl::default()
        };
        // 2026-11-20 is a Friday; Berlin is an hour ahead of UTC then.
        assert_eq!(control.closed(&PLACE, at("2026-11-20T21:30:00Z")), None);
        assert_eq!(control.closed(&PLACE, at("2026-11-21T00:59:59Z")), None);

        let closed = control.closed(&PLACE, at("2026-11-21T01:00:00Z")).unwrap();
        assert_eq!(closed.at, at("2026-11-27T21:00:00Z"));
    }

    #[test]
    fn a_start_keeps_its_local_time_over_daylight_saving() {
        let nightly = window(&[], "03:00", 60, "Europe/Berlin");
        let opening = |now: &str| nightly.opening(at(now)).unwrap().0;
        assert_eq!(
            opening("2026-10-24T12:00:00Z"),
            at("2026-10-25T02:00:00Z"),
            "after the clocks went back"
        );

        assert_eq!(
            opening("2026-03-28T12:00:00Z"),
            at("2026-03-29T01:00:00Z"),
            "after they went forward"
        );

        let skipped = window(&[], "02:30", 60, "Europe/Berlin");
        assert_eq!(
            skipped.opening(at("2026-03-28T12:00:00Z")).unwrap().0,
            at("2026-03-29T01:30:00Z")
        );
    }

    #[test]
    fn what_no_window_covers_is_never_closed() {
        let mut other = window(&[], "02:00", 60, "UTC");
        other.scope.accounts = vec!["dev-aws".to_owned()];
        let control = ChangeControl {
            windows: vec![other],
            ..ChangeControl::default()
        };
        assert_eq!(control.closed(&PLACE, at("2026-11-20T12:00:00Z")), None);

        let named = ChangeControlPlace {
            connection_name: "dev-aws",
            ..PLACE
        };
        assert_eq!(
            control
                .closed(&named, at("2026-11-20T12:00:00Z"))
                .unwrap()
                .at,
            at("2026-11-21T02:00:00Z")
        );
    }

    #[test]
    fn the_longest_freeze_speaks_and_ends_by_itself() {
        let freeze = |name: &str, from: &str, until: &str| Freeze {
            name: name.to_owned(),
            scope: AgentScope {
                accounts: Vec::new(),
                services: vec!["EC2".to_owned()],
            },
            from: at(from),
            until: at(until),
        };

        let control = ChangeControl {
            freezes: vec![
                freeze("launch", "2026-11-19T00:00:00Z", "2026-11-21T00:00:00Z"),
                freeze("year end", "2026-11-20T00:00:00Z", "2027-01-04T00:00:00Z"),
            ],
            ..ChangeControl::default()
        };

        assert_eq!(
            control
                .frozen(&PLACE, at("2026-11-20T12:00:00Z"))
                .unwrap()
                .name,
            "year end"
        );

        assert_eq!(control.frozen(&PLACE, at("2027-01-04T00:00:00Z")), None);
        assert_eq!(
            control.frozen(
                &ChangeControlPlace {
                    service: "rds",
                    ..PLACE
                },
                at("2026-11-20T12:00:00Z")
            ),
            None
        );
    }

    #[test]
    fn a_tag_overrules_the_policy_of_direction() {
        let control = ChangeControl {
            direction: Direction::DownOnly,
            ..ChangeControl::default()
        };
        assert_eq!(control.direction_of(&PLACE), Direction::DownOnly);
        assert_eq!(
            control.direction_of(&ChangeControlPlace {
                direction: Some(" Up_Only "),
                ..PLACE
            }),
            Direction::UpOnly
        );

        assert_eq!(
            control.direction_of(&ChangeControlPlace {
                direction: Some("sideways"),
                ..PLACE
            }),
            Direction::DownOnly
        );
    }
}
