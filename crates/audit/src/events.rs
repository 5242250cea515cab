//! The catalogue of event types: every type that Reeve writes about itself, and every type that its
//! own importers give to entries of other systems. `docs/event-types.md` is generated from it, and
//! `GET /api/v1/audit-logs/event-types` serves it.
//!
//! Reeve's own entries begin with [`Entry::for_event`] and a constant of this module, so that no
//! type is written that the catalogue lacks. API clients may append entries of other types.

mod authentication;
mod automation;
mod configuration;
mod cost;
mod document;
mod integration;
mod log;
mod resources;
mod system;

use std::collections::BTreeMap;
use std::sync::LazyLock;

pub use authentication::*;
pub use automation::*;
pub use configuration::*;
pub use cost::*;
pub use document::document;
pub use integration::*;
pub use log::*;
pub use resources::*;
pub use system::*;

use crate::entry::{Entry, EventType, Severity};

/// Area of activity that an event type belongs to, as the chapters of `docs/event-types.md` are
/// called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Area {
    /// Signing in and out, sessions, passwords, refusals.
    Authentication,
    /// Resources of the estate.
    Resources,
    /// Settings, users, teams, tokens, policies, integrations.
    Configuration,
    /// Budgets and cost alerts.
    Cost,
    /// Alerts, reports, exports and every access to the log.
    Log,
    /// Agents, workflows, scheduled tasks, remediations.
    Automation,
    /// Calls of the interface, deliveries, syncs.
    Integration,
    /// Imports, backups, maintenance, errors, the log's keys.
    System,
}

impl Area {
    /// Every area, in the order of `docs/event-types.md`.
    pub const ALL: [Area; 8] = [
        Area::Authentication,
        Area::Resources,
        Area::Configuration,
        Area::Cost,
        Area::Log,
        Area::Automation,
        Area::Integration,
        Area::System,
    ];

    /// Returns the heading of the area in the documentation and the interface.
    pub const fn title(self) -> &'static str {
        match self {
            Area::Authentication => "Authentication and access",
            Area::Resources => "Resources",
            Area::Configuration => "Configuration",
            Area::Cost => "Cost management",
            Area::Log => "The log, its alerts, reports and exports",
            Area::Automation => "Automation",
            Area::Integration => "Integrations",
            Area::System => "System operations",
        }
    }
}

/// Writers of entries of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Reeve writes entries of this type, about itself.
    Reeve,
    /// Reeve, and other systems through imports or the interface. `submitted_by` distinguishes
    /// them.
    Shared,
    /// Other systems write entries of this type; Reeve never does.
    Others,
    /// Reeve does not have the feature yet; other systems' entries may already be of the type.
    Planned,
}

impl Source {
    /// Returns `true` if Reeve writes entries of such a type today.
    pub const fn is_own(self) -> bool {
        matches!(self, Source::Reeve | Source::Shared)
    }

    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Source::Reeve => "reeve",
            Source::Shared => "shared",
            Source::Others => "others",
            Source::Planned => "planned",
        }
    }
}

/// An event type of the catalogue.
#[derive(Debug, PartialEq, Eq)]
pub struct EventKind {
    /// Name of the type, as `category.operation`.
    pub name: &'static str,
    pub area: Area,
    /// Default severity of an entry of this type.
    pub severity: Severity,
    /// Writers of such entries.
    pub source: Source,
    /// Meaning of the type, in one sentence.
    pub meaning: &'static str,
    /// Fields that such entries of Reeve carry beside those of every entry.
    pub fields: &'static [&'static str],
}

impl EventKind {
    /// Returns the type as entries hold it.
    pub const fn event_type(&self) -> EventType {
        EventType::from_static(self.name)
    }

    /// Returns the part of the name before the first dot.
    pub fn category(&self) -> &'static str {
        self.name
            .split_once('.')
            .map_or(self.name, |(category, _)| category)
    }
}

impl Entry {
    /// Returns an entry of now with the type and the default severity of the catalogue.
    pub fn for_event(kind: &EventKind) -> Entry {
        Entry::new(kind.event_type()).with_severity(kind.severity)
    }
}

/// Tag of entries about changes that a sync saw. Reeve has not made them, so nothing is judged of
/// its behavior by them.
pub const OBSERVED: &str = "observed";

impl Entry {
    /// Returns `true` if the entry describes a change that a sync of Reeve observed.
    pub fn is_observation(&self) -> bool {
        self.may_be_by_reeve() && self.metadata.tags.iter().any(|tag| tag == OBSERVED)
    }
}

/// Fields that every entry of Reeve carries.
pub const COMMON_FIELDS: [&str; 10] = [
    "event_id",
    "timestamp",
    "event_type",
    "severity",
    "actor.type",
    "actor.id",
    "action.operation",
    "action.status",
    "action.method",
    "metadata.api_version",
];

static BY_NAME: LazyLock<BTreeMap<&'static str, &'static EventKind>> = LazyLock::new(|| {
    [
        authentication::KINDS,
        resources::KINDS,
        configuration::KINDS,
        cost::KINDS,
        log::KINDS,
        automation::KINDS,
        integration::KINDS,
        system::KINDS,
    ]
    .into_iter()
    .flatten()
    .map(|kind| (kind.name, *kind))
    .collect()
});

/// Returns every event type, by name.
pub fn all() -> impl Iterator<Item = &'static EventKind> {
    BY_NAME.values().copied()
}

/// Returns the event type of a name.
pub fn find(name: &str) -> Option<&'static EventKind> {
    BY_NAME.get(name).copied()
}

/// Declares the event types of an area: constants, and the list of them.
macro_rules! kinds {
    ($area:ident: $($name:ident = $text:literal, $severity:ident, $source:ident, $meaning:literal, [$($field:literal),* $(,)?];)+) => {
        $(
            #[doc = $meaning]
            pub const $name: EventKind = EventKind {
                name: $text,
                area: Area::$area,
                severity: Severity::$severity,
                source: Source::$source,
                meaning: $meaning,
                fields: &[$($field),*],
            };
        )+
        /// Every event type of the area.
        pub(super) const KINDS: &[&EventKind] = &[$(&$name),+];
    };
}
use kinds;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_is_sound() {
        let lists = [
            authentication::KINDS,
            resources::KINDS,
            configuration::KINDS,
            cost::KINDS,
            log::KINDS,
            automation::KINDS,
            integration::KINDS,
            system::KINDS,
        ];
        let total: usize = lists.iter().map(|list| list.len()).sum();
        assert_eq!(total, all().count(), "a name stands twice");

        for kind in all() {
            assert!(EventType::new(kind.name).is_ok(), "{}", kind.name);
            assert!(
                kind.meaning.ends_with('.') && !kind.meaning.contains('\n'),
                "{}: one sentence",
                kind.name
            );
            let reserved = kind.event_type().is_reserved();
            assert!(
                !reserved || kind.source == Source::Reeve,
                "{}: nobody else may submit it",
                kind.name
            );
            assert!(
                kind.fields
                    .iter()
                    .all(|field| !COMMON_FIELDS.contains(field)),
                "{}",
                kind.name
            );
        }

        assert_eq!(find("authentication.login"), Some(&LOGIN));
        assert_eq!(find("authentication"), None);
    }
}
