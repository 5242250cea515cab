//! Names of agent types. The set is open: a type exists because the registry has a row for it, and
//! a stored name stays readable when its row is gone.

use std::borrow::Cow;
use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Longest name of a type, bytes.
const LONGEST: usize = 40;

/// Name of an agent type (`cost_optimizer`): lower-case letters, digits and underscores, a letter
/// first, at most 40 bytes. It is kept in place, so that it can be copied.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AgentType {
    bytes: [u8; LONGEST],
    length: u8,
}

impl AgentType {
    pub const COST_OPTIMIZER: AgentType = AgentType::named("cost_optimizer");
    pub const SPOT_OPTIMIZER: AgentType = AgentType::named("spot_optimizer");
    pub const PERFORMANCE_OPTIMIZER: AgentType = AgentType::named("performance_optimizer");
    pub const DB_OPTIMIZER: AgentType = AgentType::named("db_optimizer");
    pub const SECURITY_INTELLIGENCE: AgentType = AgentType::named("security_intelligence");
    pub const COMPLIANCE_INTELLIGENCE: AgentType = AgentType::named("compliance_intelligence");
    pub const OPS_INTELLIGENCE: AgentType = AgentType::named("ops_intelligence");
    pub const WORKLOAD_CLASSIFIER: AgentType = AgentType::named("workload_classifier");
    pub const STORAGE_OPTIMIZER: AgentType = AgentType::named("storage_optimizer");

    /// The type of a name that is in code.
    ///
    /// # Panics
    /// The text is not the name of a type; in a constant, that is a compile error.
    #[must_use]
    pub const fn named(text: &str) -> AgentType {
        match AgentType::find(text) {
            Some(found) => found,
            None => panic!("no name of an agent type"),
        }
    }

    /// Reads a name; `None` for a text that no agent type may have. The registry decides whether
    /// the type exists.
    #[must_use]
    pub fn parse(text: &str) -> Option<AgentType> {
        AgentType::find(text)
    }

    const fn find(text: &str) -> Option<AgentType> {
        let from = text.as_bytes();
        if from.is_empty() || from.len() > LONGEST || !from[0].is_ascii_lowercase() {
            return None;
        }

        let mut bytes = [0; LONGEST];
        let mut at = 0;

        while at < from.len() {
            if !(from[at].is_ascii_lowercase() || from[at].is_ascii_digit() || from[at] == b'_') {
                return None;
            }
            bytes[at] = from[at];
            at += 1;
        }

        Some(AgentType {
            bytes,
            length: from.len() as u8,
        })
    }

    /// Returns the name, as it is stored and sent.
    #[must_use]
    pub fn as_str(&self) -> &str {
        // Only ASCII gets in.
        std::str::from_utf8(&self.bytes[..usize::from(self.length)]).unwrap_or_default()
    }
}

impl Serialize for AgentType {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for AgentType {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let name = Cow::<str>::deserialize(from)?;
        AgentType::parse(&name)
            .ok_or_else(|| D::Error::custom(format!("{name:?} is no name of an agent type")))
    }
}

impl fmt::Display for AgentType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for AgentType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_back_and_what_is_no_name_is_refused() {
        for name in ["cost_optimizer", "a", "tape_librarian_2"] {
            assert_eq!(
                AgentType::parse(name)
                    .map(|found| found.to_string())
                    .as_deref(),
                Some(name)
            );
        }
        let long = "a".repeat(LONGEST + 1);
        for text in [
            "",
            "Cost",
            "cost-optimizer",
            "_cost",
            "1cost",
            "cost optimizer",
            "kosten_f\u{fc}r",
            &long,
        ] {
            assert_eq!(AgentType::parse(text), None, "{text:?}");
        }
        assert_eq!(
            AgentType::parse("cost_optimizer"),
            Some(AgentType::COST_OPTIMIZER)
        );
    }
}
