//! Names of runbooks, and the codes by which findings name their runbook.

use serde::{Deserialize, Serialize};

/// Beginning of the aspect, and of the reason code, of a finding of a runbook.
const ASPECT_PREFIX: &str = "runbook:";

/// Name of a runbook, unique: letters, digits and hyphens.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RunbookName(pub String);

impl RunbookName {
    /// Aspect and reason code of the findings of the runbook.
    #[must_use]
    pub fn aspect(&self) -> String {
        format!("{ASPECT_PREFIX}{}", self.0)
    }

    /// Returns the runbook that a finding with these reason codes is of.
    #[must_use]
    pub fn of_codes(codes: &[String]) -> Option<RunbookName> {
        let mut names = codes
            .iter()
            .filter_map(|code| code.strip_prefix(ASPECT_PREFIX));
        names.next().map(|name| RunbookName(name.to_owned()))
    }
}
