//! Teams, whose activities their managers see.

use reeve_audit::{FieldError, Json};
use serde::{Deserialize, Serialize};

use crate::name::read_name;

/// Longest name of a team, characters.
const MAX_TEAM_NAME: usize = 100;

/// A team's identifier, made by Reeve.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TeamId(pub String);

/// A team of users.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Team {
    pub id: TeamId,
    /// Unique among all teams.
    pub name: String,
    /// Time at which the team was made, ms since the epoch.
    pub created_at_ms: i64,
}

impl Team {
    /// Makes a team.
    ///
    /// # Errors
    /// The name is empty, too long, or has characters of control.
    pub fn new(name: &str, created_at_ms: i64) -> Result<Team, FieldError> {
        let name = read_name(name, MAX_TEAM_NAME)?;
        Ok(Team {
            id: TeamId(uuid::Uuid::now_v7().to_string()),
            name,
            created_at_ms,
        })
    }

    /// Returns the team with another name.
    ///
    /// # Errors
    /// The name is empty, too long, or has characters of control.
    pub fn renamed(&self, name: &str) -> Result<Team, FieldError> {
        Ok(Team {
            name: read_name(name, MAX_TEAM_NAME)?,
            ..self.clone()
        })
    }

    /// Returns the team as audit entries show it.
    #[must_use]
    pub fn state(&self) -> Json {
        Json::object([("name", Json::from(self.name.clone()))])
    }
}
