//! Remedy of a runbook as its text has it: the name of a change with its parameters.

use reeve_audit::FieldCode;
use reeve_estate::{Provider, ResourceKind};
use serde::Deserialize;

use crate::change::{ConfigurationRow, DOCUMENT_PREFIX};
use crate::plan::relief::Shortage;
use crate::runbook::faults::{DAY, Faults, HOUR};
use crate::runbook::remedy::RunbookRemedy;

/// Changes that are files; the others are rows of the catalogue of configurations.
const TYPED: &str = "grow_storage, resize_machine, resize_database, scale_group, fail_over, replicate, run_document, \
                     or a row of docs/agents/changes.md";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RemedyFile {
    change: String,
    by_percent: Option<f64>,
    more: Option<String>,
    hold: Option<String>,
    document: Option<String>,
}

impl RemedyFile {
    /// Checks the remedy of resources of a kind.
    pub(super) fn checked(
        self,
        kind: ResourceKind,
        provider: Option<Provider>,
        faults: &mut Faults,
    ) -> Option<RunbookRemedy> {
        const MACHINE: ResourceKind = ResourceKind::VirtualMachine;
        const DATABASE: ResourceKind = ResourceKind::Database;
        let change = self.change.as_str();
        let (kinds, members): (&[ResourceKind], &[&str]) = match change {
            "grow_storage" => (&[ResourceKind::Volume, DATABASE], &["by_percent"]),
            "resize_machine" => (&[MACHINE], &["more"]),
            "resize_database" => (&[DATABASE], &["more"]),
            "scale_group" => (&[ResourceKind::ScalingGroup], &["by_percent", "hold"]),
            "fail_over" | "replicate" => (&[DATABASE], &[]),
            "run_document" => (&[MACHINE], &["document"]),
            _ => return self.configuration(kind, provider, faults),
        };
        self.refuse_foreign(members, faults);
        if !kinds.contains(&kind) {
            let message = format!("{change} is not a change of a {kind}");
            faults.add("remedy.change", FieldCode::Conflicting, message);
            return None;
        }

        match change {
            "grow_storage" => Some(RunbookRemedy::GrowStorage {
                by_percent: self.percent(20.0, (5.0, 100.0), faults),
            }),
            "scale_group" => Some(RunbookRemedy::ScaleGroup {
                by_percent: self.percent(50.0, (1.0, 200.0), faults),
                hold: faults.span("remedy.hold", self.hold.as_deref(), 2 * HOUR, (HOUR, DAY)),
            }),
            "fail_over" => Some(RunbookRemedy::FailOver),
            "replicate" => Some(RunbookRemedy::Replicate),
            "run_document" => self.document(faults),
            _ => {
                let more = self.more.as_deref().unwrap_or_default();
                let short = |text: &str| match text {
                    "memory" => Some(Shortage::Memory),
                    "processors" => Some(Shortage::Processors),
                    _ => None,
                };
                let short = faults.named("remedy.more", more, short, "memory, processors")?;
                Some(RunbookRemedy::Resize { short })
            }
        }
    }

    fn configuration(
        &self,
        kind: ResourceKind,
        provider: Option<Provider>,
        faults: &mut Faults,
    ) -> Option<RunbookRemedy> {
        self.refuse_foreign(&[], faults);
        let name = &self.change;
        let Some(row) = ConfigurationRow::named(name) else {
            let message = format!("{name:?} must be one of {TYPED}");
            faults.add("remedy.change", FieldCode::Unknown, message);
            return None;
        };
        if row.kind != kind || provider.is_some_and(|own| own != row.provider) {
            let message = format!("{name} is a change of a {} of {}", row.kind, row.provider);
            faults.add("remedy.change", FieldCode::Conflicting, message);
            return None;
        }
        Some(RunbookRemedy::Configuration { row })
    }

    /// Refuses parameters of other changes.
    fn refuse_foreign(&self, members: &[&str], faults: &mut Faults) {
        let given = [
            ("by_percent", self.by_percent.is_some()),
            ("more", self.more.is_some()),
            ("hold", self.hold.is_some()),
            ("document", self.document.is_some()),
        ];
        for (name, is_given) in given {
            if is_given && !members.contains(&name) {
                let message = format!("is not a parameter of {}", self.change);
                faults.add(format!("remedy.{name}"), FieldCode::Conflicting, message);
            }
        }
    }

    fn percent(&self, default: f64, limits: (f64, f64), faults: &mut Faults) -> f64 {
        let percent = self.by_percent.unwrap_or(default);
        faults.number("remedy.by_percent", percent, limits)
    }

    fn document(&self, faults: &mut Faults) -> Option<RunbookRemedy> {
        let document = self.document.clone().unwrap_or_default();
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
        let fits = document.starts_with(DOCUMENT_PREFIX)
            && document.len() <= 128
            && document.bytes().all(is_plain);
        if !fits {
            let message = format!(
                "must be the name of a Systems Manager document that begins with {DOCUMENT_PREFIX}"
            );
            faults.add("remedy.document", FieldCode::InvalidValue, message);
            return None;
        }
        Some(RunbookRemedy::RunDocument { document })
    }
}
