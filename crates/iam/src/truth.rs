//! Three-valued truth: a condition whose key is not known is neither ignored nor taken as safe.

use serde::{Deserialize, Serialize};

/// Truth of a statement about a request; the order is that of `and` (the least) and `or` (the
/// greatest).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Truth {
    False,
    /// It depends on something that is not known.
    Unknown,
    True,
}

impl Truth {
    /// Returns `True` only if both are.
    #[must_use]
    pub fn and(self, other: Truth) -> Truth {
        self.min(other)
    }

    /// Returns `True` if either is.
    #[must_use]
    pub fn or(self, other: Truth) -> Truth {
        self.max(other)
    }

    /// Returns the opposite; the opposite of unknown is unknown.
    #[must_use]
    pub fn negated(self) -> Truth {
        match self {
            Truth::False => Truth::True,
            Truth::Unknown => Truth::Unknown,
            Truth::True => Truth::False,
        }
    }
}

impl From<bool> for Truth {
    fn from(is_true: bool) -> Truth {
        if is_true { Truth::True } else { Truth::False }
    }
}
