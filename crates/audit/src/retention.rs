//! Retention classes: entries that expire together are stored together.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::entry::EventType;

/// Kind of place that entries are kept in, from the nearest to the farthest.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// On the local disk.
    #[default]
    Hot,
    /// In a place of its own, fetched when a search reads it.
    Warm,
    /// Long-term archive, which is searched once it was restored.
    Cold,
}

impl Tier {
    /// Name in the configuration, on the wire and in entries.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Hot => "hot",
            Self::Warm => "warm",
            Self::Cold => "cold",
        }
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Groups of entries with one retention period. A segment holds entries of one class, so that it
/// can be deleted as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RetentionClass {
    /// Entries of types `authentication.*`.
    Authentication,
    /// Entries of types `resource.delete` and `policy.modify`.
    Change,
    /// Entries of type `resource.view`.
    View,
    Default,
}

/// Time that entries of a class stay in each tier, one tier after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionPeriods {
    /// Days on local disk, indexed.
    pub hot_days: u32,
    /// Days in the searchable archive.
    pub warm_days: u32,
    /// Years in the long-term archive; 0 means deleted after warm.
    pub cold_years: u32,
}

impl RetentionClass {
    /// Every class, in the order of declaration.
    pub const ALL: [Self; 4] = [
        Self::Authentication,
        Self::Change,
        Self::View,
        Self::Default,
    ];

    /// The class of an event type by requirements B-196 to B-201.
    pub fn for_event_type(event_type: &EventType) -> Self {
        match event_type.as_str() {
            "resource.delete" | "policy.modify" => Self::Change,
            "resource.view" => Self::View,
            _ if event_type.category() == "authentication" => Self::Authentication,
            _ => Self::Default,
        }
    }

    /// Name in paths and manifests.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Authentication => "authentication",
            Self::Change => "change",
            Self::View => "view",
            Self::Default => "default",
        }
    }

    /// The periods of the class in requirements B-196 to B-201.
    pub const fn periods(self) -> RetentionPeriods {
        let (hot_days, warm_days, cold_years) = match self {
            Self::Authentication => (90, 365, 7),
            Self::Change => (180, 730, 10),
            Self::View => (30, 90, 0),
            Self::Default => (90, 365, 7),
        };
        RetentionPeriods {
            hot_days,
            warm_days,
            cold_years,
        }
    }
}

/// A name that is no retention class.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the retention class {0} does not exist")]
pub struct UnknownClass(pub String);

impl FromStr for RetentionClass {
    type Err = UnknownClass;

    fn from_str(text: &str) -> Result<Self, UnknownClass> {
        Self::ALL
            .into_iter()
            .find(|class| class.id() == text)
            .ok_or_else(|| UnknownClass(text.to_owned()))
    }
}

impl fmt::Display for RetentionClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_follow_the_specification() {
        for (name, class) in [
            ("authentication.login", RetentionClass::Authentication),
            ("authentication.mfa.verify", RetentionClass::Authentication),
            ("resource.delete", RetentionClass::Change),
            ("policy.modify", RetentionClass::Change),
            ("policy.create", RetentionClass::Default),
            ("resource.view", RetentionClass::View),
            ("resource.modify", RetentionClass::Default),
            ("authentications.x", RetentionClass::Default),
        ] {
            assert_eq!(
                RetentionClass::for_event_type(&EventType::from_static(name)),
                class,
                "{name}"
            );
        }
        for class in RetentionClass::ALL {
            assert_eq!(class.id().parse(), Ok(class));
        }
    }
}
