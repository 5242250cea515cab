//! Obstacles: reasons, in words for people, for which something is not done.

use std::fmt;

/// Reason for which something cannot be done or found out, as a clause that people read: it becomes
/// the detail of a step, of an abstention or of an entry. No caller branches on it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Obstacle(String);

impl Obstacle {
    /// Takes the words of an error, or of anything else that can be read.
    pub fn of(words: impl fmt::Display) -> Obstacle {
        Obstacle(words.to_string())
    }

    /// Returns the words.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for Obstacle {
    fn from(words: String) -> Self {
        Obstacle(words)
    }
}

impl From<&str> for Obstacle {
    fn from(words: &str) -> Self {
        Obstacle(words.to_owned())
    }
}

impl From<Obstacle> for String {
    fn from(obstacle: Obstacle) -> Self {
        obstacle.0
    }
}
