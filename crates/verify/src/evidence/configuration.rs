//! Results of checks that a report names, held against the entries that recorded them.

use std::collections::BTreeMap;

use reeve_audit::{Entry, Json, Obstacle, SubmitterType};
use serde_json::Value;

/// Answer of an entry that recorded results which the report names.
pub(super) const RECORDED: &str = "configuration";
/// Event type of entries about results of checks.
const EVIDENCE: &str = "intelligence.evidence";
/// Version of the format from which on results are named.
const SINCE: u64 = 3;

/// Difference between a report's results of checks and the entries that recorded them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum ConfigurationFault {
    #[error("it is listed for results of checks, and the report names none that it recorded")]
    NoResult,
    #[error("it is listed for results of checks, and is no entry of Reeve's about such")]
    Foreign,
    #[error(
        "the report says that {check} failed on {resource}, and this entry recorded no such result"
    )]
    Differs { check: String, resource: String },
    #[error("the report names results of checks of the entry {0}, and does not list it")]
    Missing(u64),
    #[error("the report says that {stated} entries recorded results of checks, and lists {listed}")]
    Listed { stated: u64, listed: u64 },
    #[error("the report says that {failed} results of {control} failed, and names {named}")]
    Named {
        control: String,
        failed: u64,
        named: u64,
    },
}

/// A failed result as the report names it.
struct Failing {
    event_id: String,
    check: String,
    resource: String,
    why: String,
    document: Option<String>,
}

/// The results that a report names, by the place of the entry that recorded each.
#[derive(Default)]
pub(super) struct EvidenceConfiguration {
    ahead: BTreeMap<u64, Vec<Failing>>,
    stated: u64,
    listed: u64,
    proven: u64,
    unequal: Option<ConfigurationFault>,
}

impl EvidenceConfiguration {
    /// Reads the section of a report's summary; a report without one names no results.
    pub(super) fn read(version: u64, section: &Value) -> Result<EvidenceConfiguration, Obstacle> {
        let mut read = EvidenceConfiguration::default();
        if version < SINCE || section.is_null() {
            return Ok(read);
        }

        let stated = section["entries_listed"].as_u64();
        read.stated = stated.ok_or("configuration.entries_listed is not a number")?;
        for control in section["controls"].as_array().into_iter().flatten() {
            let named = control["failing"].as_array().map_or(&[][..], Vec::as_slice);
            let failed = control["results"]["fail"].as_u64();
            let failed = failed.ok_or("configuration.controls.results.fail is not a number")?;
            if (named.len() as u64) > failed {
                read.unequal = Some(ConfigurationFault::Named {
                    control: control["number"].as_str().unwrap_or_default().to_owned(),
                    failed,
                    named: named.len() as u64,
                });
            }
            for one in named {
                // Without a place the log keeps the entry no more, and nothing proves the result.
                if let Some(sequence) = one["sequence"].as_u64() {
                    read.ahead.entry(sequence).or_default().push(failing(one)?);
                }
            }
        }

        Ok(read)
    }

    /// Number of named results that an entry recorded as the report says.
    pub(super) fn proven(&self) -> u64 {
        self.proven
    }

    /// Holds the results that the report names of an entry against what the entry recorded.
    pub(super) fn recorded(
        &mut self,
        sequence: u64,
        entry: &Entry,
    ) -> Result<(), ConfigurationFault> {
        let named = self.ahead.remove(&sequence);
        let named = named.ok_or(ConfigurationFault::NoResult)?;
        let is_own = entry
            .submitted_by
            .as_ref()
            .is_some_and(|submitter| submitter.kind == SubmitterType::Reeve);
        if !is_own || entry.event_type.as_str() != EVIDENCE {
            return Err(ConfigurationFault::Foreign);
        }

        let after = entry.changes.after.as_ref();
        let results = after.and_then(|after| after.get("results")?.as_array());
        let results = results.unwrap_or_default();
        for one in named {
            let is_same = |result: &Json| {
                let text = |name: &str| result.get(name).and_then(Json::as_str);
                text("check") == Some(&one.check)
                    && text("resource") == Some(&one.resource)
                    && text("result") == Some("fail")
                    && text("why") == Some(&one.why)
                    && text("document") == one.document.as_deref()
            };
            if one.event_id != entry.event_id.as_str() || !results.iter().any(is_same) {
                let Failing {
                    check, resource, ..
                } = one;
                return Err(ConfigurationFault::Differs { check, resource });
            }
            self.proven += 1;
        }

        self.listed += 1;
        Ok(())
    }

    /// Holds at the end: every entry that results are named of was listed, as many as stated.
    pub(super) fn finish(&self) -> Result<(), ConfigurationFault> {
        if let Some(fault) = &self.unequal {
            return Err(fault.clone());
        }
        if let Some(sequence) = self.ahead.keys().next() {
            return Err(ConfigurationFault::Missing(*sequence));
        }
        if self.listed != self.stated {
            return Err(ConfigurationFault::Listed {
                stated: self.stated,
                listed: self.listed,
            });
        }
        Ok(())
    }
}

fn failing(one: &Value) -> Result<Failing, Obstacle> {
    let text = |name: &str| {
        let value = one[name].as_str();
        let value = value.ok_or_else(|| format!("a failing result has no {name}"));
        value.map(str::to_owned)
    };
    Ok(Failing {
        event_id: text("event_id")?,
        check: text("check")?,
        resource: text("resource_id")?,
        why: text("why")?,
        document: one["document"].as_str().map(str::to_owned),
    })
}
