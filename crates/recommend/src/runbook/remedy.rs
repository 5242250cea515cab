//! Remedies of runbooks: a typed change that Reeve has, by its name in the registry, or advice.

use reeve_estate::{ResourceKind, TimeSpan};

use crate::change::ConfigurationRow;
use crate::plan::relief::Shortage;

/// Change that mends a known issue.
#[derive(Debug, Clone, PartialEq)]
pub enum RunbookRemedy {
    /// Reeve has no change for it: people follow the advice.
    Advice,
    /// More storage, percent.
    GrowStorage { by_percent: f64 },
    /// The next size of the family that has more of what is short.
    Resize { short: Shortage },
    /// More members of a group, percent, for a time.
    ScaleGroup { by_percent: f64, hold: TimeSpan },
    /// The standby takes over.
    FailOver,
    /// A read replica.
    Replicate,
    /// A document of Systems Manager on a machine.
    RunDocument { document: String },
    /// A change of the configuration by a row of the catalogue.
    Configuration { row: &'static ConfigurationRow },
}

impl RunbookRemedy {
    /// Name of the change in the registry for resources of a kind; `None` of advice.
    #[must_use]
    pub fn change(&self, kind: ResourceKind) -> Option<&'static str> {
        match self {
            RunbookRemedy::Advice => None,
            RunbookRemedy::GrowStorage { .. } => Some("grow_storage"),
            RunbookRemedy::Resize { .. } if kind == ResourceKind::Database => {
                Some("resize_database")
            }
            RunbookRemedy::Resize { .. } => Some("resize_machine"),
            RunbookRemedy::ScaleGroup { .. } => Some("scale_group"),
            RunbookRemedy::FailOver => Some("fail_over"),
            RunbookRemedy::Replicate => Some("replicate"),
            RunbookRemedy::RunDocument { .. } => Some("run_document"),
            RunbookRemedy::Configuration { row } => Some(row.name),
        }
    }

    /// Describes the remedy as a sentence without its end.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            RunbookRemedy::Advice => "Advice to people; Reeve has no change for it".to_owned(),
            RunbookRemedy::GrowStorage { by_percent } => {
                format!("Grow the storage by {by_percent:.0} %")
            }
            RunbookRemedy::Resize { short } => {
                let what = match short {
                    Shortage::Processors => "processors",
                    Shortage::Memory => "memory",
                };
                format!("Change to the next size of the family with more {what}")
            }
            RunbookRemedy::ScaleGroup { by_percent, hold } => {
                format!("Add {by_percent:.0} % members for {hold}")
            }
            RunbookRemedy::FailOver => "Let the standby take over".to_owned(),
            RunbookRemedy::Replicate => "Create a read replica".to_owned(),
            RunbookRemedy::RunDocument { document } => {
                format!("Run the Systems Manager document {document} on the machine")
            }
            RunbookRemedy::Configuration { row } => format!("Change {} ({})", row.about, row.name),
        }
    }
}
