//! Registry of changes: the rows that `server` hands in, and the border where stored names and
//! parameters become a typed change.

use std::collections::BTreeMap;
use std::sync::Arc;

use reeve_audit::Json;
use reeve_estate::Provider;

use crate::change::{BUILTIN, Change, ConfigurationRow, ParameterError, Parameters, configuration};

/// Permission that a cloud requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChangePermission {
    pub provider: Provider,
    /// Name, as the cloud spells it (`ec2:StopInstances`).
    pub name: &'static str,
    /// Resources on which it is needed.
    pub on: PermittedOn,
}

/// Resources to which a permission of a change is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PermittedOn {
    Any,
    /// Resources that Reeve itself made and tagged `reeve:created-by=reeve`.
    MadeByReeve,
    /// Resources of these names, as the cloud writes them.
    Named(&'static [&'static str]),
}

/// A permission of AWS on any resource.
#[must_use]
pub const fn aws(name: &'static str) -> ChangePermission {
    ChangePermission {
        provider: Provider::Aws,
        name,
        on: PermittedOn::Any,
    }
}

/// A permission of AWS on resources that Reeve made.
#[must_use]
pub const fn aws_own(name: &'static str) -> ChangePermission {
    ChangePermission {
        provider: Provider::Aws,
        name,
        on: PermittedOn::MadeByReeve,
    }
}

/// A permission of AWS on the resources of these ARNs, `*` for any characters.
#[must_use]
pub const fn aws_on(name: &'static str, arns: &'static [&'static str]) -> ChangePermission {
    ChangePermission {
        provider: Provider::Aws,
        name,
        on: PermittedOn::Named(arns),
    }
}

/// Row of one change.
#[derive(Debug, Clone, Copy)]
pub struct ChangeType {
    /// Name on the wire and in the store.
    pub name: &'static str,
    /// Permissions that a cloud requires, beside those for reading; none of a cloud in which Reeve
    /// does not offer the change.
    pub permissions: &'static [ChangePermission],
    /// Reads the parameters; the caller refuses members that it left unread.
    pub parse: Parse,
}

/// Reader of a change's parameters.
#[derive(Debug, Clone, Copy)]
pub enum Parse {
    /// By the change's own file.
    Typed(fn(&mut Parameters<'_>) -> Result<Arc<dyn Change>, ParameterError>),
    /// By a row of the catalogue of configurations.
    Row(&'static ConfigurationRow),
}

/// Plan that cannot be executed as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// A change that this release does not know.
    #[error(
        "this release does not know the change {name}, so the plan is shown and not executed; run the agent again"
    )]
    UnknownChange {
        /// Name of the change.
        name: String,
    },
    /// Parameters that do not fit the change.
    #[error("the plan's change {name} cannot be read: {source}; run the agent again")]
    Parameters {
        /// Name of the change.
        name: String,
        /// Member that does not fit.
        source: ParameterError,
    },
    /// Steps of an earlier release without a change of this release.
    #[error(
        "the plan's steps are from an earlier release and cannot be read any more; run the agent again"
    )]
    UnknownSteps,
    /// A plan that is not what its hash covers.
    #[error(
        "the plan is not the one that its hash {hash} covers; it was altered in the store and is not executed"
    )]
    Altered { hash: String },
}

/// The registered changes, by name.
#[derive(Debug, Clone, Default)]
pub struct ChangeRegistry {
    rows: BTreeMap<&'static str, ChangeType>,
}

impl ChangeRegistry {
    /// The changes of this release.
    #[must_use]
    pub fn builtin() -> ChangeRegistry {
        let of_data = ConfigurationRow::all().iter().map(|row| ChangeType {
            name: row.name,
            permissions: row.permissions,
            parse: Parse::Row(row),
        });
        BUILTIN
            .into_iter()
            .chain(of_data)
            .fold(ChangeRegistry::default(), ChangeRegistry::with)
    }

    /// With one row more; it takes the place of a row of the same name.
    #[must_use]
    pub fn with(mut self, row: ChangeType) -> ChangeRegistry {
        self.rows.insert(row.name, row);
        self
    }

    /// Iterates over the rows in order of their names.
    pub fn rows(&self) -> impl Iterator<Item = &ChangeType> {
        self.rows.values()
    }

    /// Reads a change.
    ///
    /// # Errors
    /// [`PlanError::UnknownChange`], [`PlanError::Parameters`].
    pub fn parse(&self, name: &str, parameters: &Json) -> Result<Arc<dyn Change>, PlanError> {
        let row = self
            .rows
            .get(name)
            .ok_or_else(|| PlanError::UnknownChange {
                name: name.to_owned(),
            })?;

        let read = || {
            let mut parameters = Parameters::from_json(parameters)?;
            let change = match row.parse {
                Parse::Typed(read) => read(&mut parameters)?,
                Parse::Row(row) => configuration::parse(row, &mut parameters)?,
            };
            parameters.end()?;
            Ok(change)
        };

        read().map_err(|source| PlanError::Parameters {
            name: name.to_owned(),
            source,
        })
    }
}
