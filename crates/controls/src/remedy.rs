//! Remedies: the change of the catalogue that mends a failure of a check.

use std::collections::BTreeMap;

use jiff::Timestamp;
use reeve_audit::Obstacle;
use reeve_estate::{Document, Provider, Resource, ResourceKind};
use reeve_recommend::change::{ConfigurationChange, ConfigurationRow};
use serde_json::Value;

use crate::check::{ControlCheck, Remediation};
use crate::expression::{Expression, ExpressionScope};
use crate::prepared::PreparedControl;
use crate::subject::ControlSubject;

/// Row of a change that mends failures of a check, with the values that it takes here.
#[derive(Debug)]
pub(crate) struct ControlRemedy {
    pub(crate) row: &'static ConfigurationRow,
    /// Values by name, in the order in which they may name each other: the check's own, then those
    /// of the row that the check does not give.
    values: Vec<(String, Expression)>,
}

/// Field of a remediation that is wrong, with the reason.
pub(crate) type RemediationFault = (String, String);

/// Compiles an expression of a remediation.
fn compiled(name: &str, source: &str) -> Result<(String, Expression), RemediationFault> {
    Expression::compile_value(source)
        .map(|expression| (name.to_owned(), expression))
        .map_err(|error| (format!("remediation.parameters.{name}"), error.to_string()))
}

impl ControlRemedy {
    /// Compiles the rows that a remediation names, in its order.
    pub(crate) fn of(
        remediation: &Remediation,
        provider: Provider,
        kind: ResourceKind,
    ) -> Result<Vec<ControlRemedy>, RemediationFault> {
        let own = &remediation.parameters;
        for (name, source) in own {
            compiled(name, source)?;
        }

        let mut remedies = Vec::new();
        for name in &remediation.change {
            let wrong = |reason: String| ("remediation.change".to_owned(), reason);
            let row = ConfigurationRow::named(name)
                .ok_or_else(|| wrong(format!("there is no change {name:?}")))?;
            if (row.provider, row.kind) != (provider, kind) {
                return Err(wrong(format!(
                    "{name} changes resources of the kind {}",
                    row.kind.as_str()
                )));
            }
            remedies.push(ControlRemedy::with(row, own)?);
        }
        Ok(remedies)
    }

    /// Compiles a row, with expressions in place of some of its own.
    fn with(
        row: &'static ConfigurationRow,
        own: &BTreeMap<String, String>,
    ) -> Result<ControlRemedy, RemediationFault> {
        let of_row = row.with.iter().filter(|(name, _)| !own.contains_key(*name));
        let values = own
            .iter()
            .chain(of_row)
            .map(|(name, source)| compiled(name, source))
            .collect::<Result<_, _>>()?;

        Ok(ControlRemedy { row, values })
    }

    /// Returns the change that the row makes of a resource.
    fn change(
        &self,
        scope: &mut ExpressionScope<'_>,
        resource: &Resource,
        document: &Document,
        given: &BTreeMap<String, Value>,
    ) -> Result<ConfigurationChange, Obstacle> {
        let row = self.row;
        let mut with = given.clone();
        with.retain(|name, _| row.takes(name));
        for (name, expression) in &self.values {
            scope.give(&with);
            let value = expression.value(scope).filter(|value| !value.is_null());
            let value = value
                .ok_or_else(|| Obstacle::of(format_args!("{} has no {name} here", row.name)))?;
            with.insert(name.clone(), value);
        }

        ConfigurationChange::on(row, resource, document, with)
    }
}

impl ControlCheck {
    /// Returns the change that mends a failure on the resource that was prepared, by the first of the
    /// remediation's rows that can be offered. `given` are values that the account's people decide,
    /// such as the bucket that takes logs.
    ///
    /// # Errors
    /// The reason why none can be offered; `None` if no row mends failures of this check.
    pub fn change(
        &self,
        prepared: &mut PreparedControl<'_>,
        resource: &Resource,
        document: &Document,
        given: &BTreeMap<String, Value>,
    ) -> Result<ConfigurationChange, Option<Obstacle>> {
        let mut refused = None;
        for remedy in &self.remedies {
            match remedy.change(&mut prepared.scope, resource, document, given) {
                Ok(change) => return Ok(change),
                Err(obstacle) => _ = refused.get_or_insert(obstacle),
            }
        }
        Err(refused)
    }

    /// Returns the rows of changes that mend failures, the preferred first.
    pub fn changes(&self) -> impl Iterator<Item = &'static ConfigurationRow> {
        self.remedies.iter().map(|remedy| remedy.row)
    }
}

/// Returns the change of a row on a resource, with its values from the row's own expressions.
/// `given` are values that are known already.
///
/// # Errors
/// An expression has no value here, or the row does not change this resource.
pub fn change_by_row(
    row: &'static ConfigurationRow,
    resource: &Resource,
    document: &Document,
    given: &BTreeMap<String, Value>,
    now: Timestamp,
) -> Result<ConfigurationChange, Obstacle> {
    let remedy = ControlRemedy::with(row, &BTreeMap::new())
        .map_err(|(field, reason)| Obstacle::of(format_args!("{field}: {reason}")))?;
    let subject = ControlSubject {
        account: &resource.account,
        region: &resource.region,
        ..ControlSubject::alone(
            resource.provider,
            resource.kind,
            resource.id.as_str(),
            document.json(),
        )
    };

    remedy.change(
        &mut ExpressionScope::new(&subject, now),
        resource,
        document,
        given,
    )
}

#[cfg(test)]
mod tests;
