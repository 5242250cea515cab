//! Remedies: the change of the catalogue that mends a failure of a check.

use std::collections::BTreeMap;

use jiff::Timestamp;
use reeve_audit::Obstacle;
use reeve_estate::{Document, Resource};
use reeve_recommend::change::{ConfigurationChange, ConfigurationRow};
use serde_json::Value;

use crate::check::Check;
use crate::expression::{Expression, Scope};
use crate::subject::Subject;

impl Check {
    /// Returns the change that mends a failure on a resource, by the first of the remediation's rows
    /// that can be offered. `given` are values that the account's people decide, such as the bucket
    /// that takes logs.
    ///
    /// # Errors
    /// The reason why none can be offered; `None` if no row mends failures of this check.
    pub fn change(
        &self,
        resource: &Resource,
        document: &Document,
        given: &BTreeMap<String, Value>,
        now: Timestamp,
    ) -> Result<ConfigurationChange, Option<Obstacle>> {
        let mut refused = None;
        for name in &self.remediation.change {
            let Some(row) = ConfigurationRow::named(name) else {
                continue;
            };
            match self.by_row(row, resource, document, given, now) {
                Ok(change) => return Ok(change),
                Err(obstacle) => _ = refused.get_or_insert(obstacle),
            }
        }
        Err(refused)
    }

    fn by_row(
        &self,
        row: &'static ConfigurationRow,
        resource: &Resource,
        document: &Document,
        given: &BTreeMap<String, Value>,
        now: Timestamp,
    ) -> Result<ConfigurationChange, Obstacle> {
        let parameters = &self.remediation.parameters;
        change_by_row(row, parameters, resource, document, given, now)
    }
}

/// Returns the change of a row on a resource, with its values from expressions: those of
/// `parameters` by name, and the row's own.
///
/// # Errors
/// An expression has no value here, or the row does not change this resource.
pub fn change_by_row(
    row: &'static ConfigurationRow,
    parameters: &BTreeMap<String, String>,
    resource: &Resource,
    document: &Document,
    given: &BTreeMap<String, Value>,
    now: Timestamp,
) -> Result<ConfigurationChange, Obstacle> {
    let subject = Subject {
        account: &resource.account,
        region: &resource.region,
        ..Subject::alone(
            resource.provider,
            resource.kind,
            resource.id.as_str(),
            document.json(),
        )
    };
    let mut scope = Scope::new(&subject, now);

    let mut with = given.clone();
    with.retain(|name, _| row.takes(name));
    let of_row = row
        .with
        .iter()
        .filter(|(name, _)| !parameters.contains_key(*name));
    for (name, source) in parameters.iter().chain(of_row) {
        scope.give(&with);
        let value = Expression::compile_value(source)
            .ok()
            .and_then(|expression| expression.value(&scope))
            .filter(|value| !value.is_null());
        let value =
            value.ok_or_else(|| Obstacle::of(format_args!("{} has no {name} here", row.name)))?;
        with.insert(name.to_owned(), value);
    }

    ConfigurationChange::on(row, resource, document, with)
}

#[cfg(test)]
mod tests;
