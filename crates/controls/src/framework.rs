//! Frameworks: standards, their controls, and the checks that prove them.

use reeve_estate::named;
use serde::Deserialize;

use crate::check::ControlCheck;
use crate::error::CatalogueError;
use crate::own::line_with;
use crate::topic::Topic;

/// A standard whose controls are proven by checks.
///
/// Titles of controls are own short words where a standard's text may not be printed (SOC 2, ISO
/// 27001, PCI DSS, CIS); the identifiers are the standard's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Framework {
    /// Name of its file (`soc2`).
    pub id: String,
    /// Name for people (`SOC 2`).
    pub title: String,
    /// Edition (`2017, revised 2022`).
    pub edition: String,
    /// Page on which the standard is published.
    pub source: String,
    pub controls: Vec<Control>,
}

/// Control of a framework.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Control {
    /// Identifier of the standard (`CC6.1`).
    pub id: String,
    /// Short title.
    pub title: String,
    /// Topics whose checks prove it.
    #[serde(default)]
    pub topics: Vec<Topic>,
    /// Further checks that prove it, by identifier.
    #[serde(default)]
    pub checks: Vec<String>,
    /// Evidence that people must show, because no configuration does; empty if checks show all.
    #[serde(default)]
    pub by_hand: String,
    /// Edition of the standard with which the control ended.
    #[serde(default)]
    pub retired_on: Option<String>,
}

named!(
    /// State of a control, by the results of its checks.
    ControlState {
        /// A check fails on a resource, and no person accepted that.
        Failed => "failed",
        /// Checks fail only where a person accepted it.
        Excepted => "excepted",
        /// Checks passed, and none fails; some results may be unknown.
        Passed => "passed",
        /// Every result is unknown.
        Unknown => "unknown",
        /// No resource was checked yet.
        NotChecked => "not_checked",
        /// No check proves it: people show it.
        ByHand => "by_hand",
    }
);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FrameworkFile {
    title: String,
    edition: String,
    source: String,
    #[serde(rename = "control")]
    controls: Vec<Control>,
}

impl Framework {
    /// Reads a file.
    ///
    /// # Errors
    /// The text is no TOML, a field is missing or wrong, or a control stands twice.
    pub(crate) fn read(id: String, text: &str) -> Result<Framework, CatalogueError> {
        let file: FrameworkFile =
            toml::from_str(text).map_err(|error| CatalogueError::form(&id, text, &error))?;

        for (at, control) in file.controls.iter().enumerate() {
            let name = &control.id;
            let fault = |reason: String| CatalogueError {
                line: line_with(text, name),
                ..CatalogueError::field(&id, "control", reason)
            };
            if file.controls[..at].iter().any(|other| other.id == *name) {
                return Err(fault(format!("{name} stands twice")));
            }
            if control.title.trim().is_empty() {
                return Err(fault(format!("{name} has no title")));
            }
            if control.topics.is_empty() && control.checks.is_empty() && control.by_hand.is_empty()
            {
                return Err(fault(format!(
                    "{name} names no topic and no check, nor what people must show"
                )));
            }
        }

        Ok(Framework {
            title: file.title,
            edition: file.edition,
            source: file.source,
            controls: file.controls,
            id,
        })
    }
}

impl Framework {
    /// Returns `true` if a check proves one of its controls.
    #[must_use]
    pub fn is_proven_by(&self, check: &ControlCheck) -> bool {
        self.controls
            .iter()
            .any(|control| control.is_proven_by(check))
    }
}

impl Control {
    /// Returns `true` if a check proves the control.
    #[must_use]
    pub fn is_proven_by(&self, check: &ControlCheck) -> bool {
        self.retired_on.is_none()
            && (self.checks.contains(&check.id)
                || check.topics.iter().any(|topic| self.topics.contains(topic)))
    }
}
