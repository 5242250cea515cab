//! Settings that configurations were given by changes that are data. They hold at once, as most of
//! the clouds' settings do, and every description shows them.

use jiff::Timestamp;
use reeve_estate::{
    ActError, ActErrorKind, Applied, Described, Document, Observed, Resource, ResourceId,
};
use reeve_recommend::change::{ConfigurationOperation, ConfigurationRow, set_setting};

use crate::account::SimulatedAccount;
use crate::refusal::refuse;

impl SimulatedAccount {
    /// A description with the settings that its resource was given since.
    pub(crate) fn configured(&self, described: Described) -> Described {
        let settings = self.conditions.lock().get(&described.resource.id).settings;
        if settings.is_empty() {
            return described;
        }

        let mut document = described.document.json().clone();
        for (path, value) in settings {
            set_setting(&mut document, &path, value);
        }
        Described {
            document: Document::new(document),
            ..described
        }
    }

    /// The description of one resource as it is now.
    fn description(&self, id: &ResourceId, now: Timestamp) -> Result<Described, ActError> {
        let live = self.live(id, &self.conditions.lock(), now);
        let found = match live {
            Some(resource) => Some(self.described(&resource)),
            None => {
                let all = self.all(&self.conditions.lock(), now);
                let mut networks = self.networks(&all, now).into_iter();
                networks.find(|described| described.resource.id == *id)
            }
        };
        let missing = || {
            refuse(
                ActErrorKind::NotFound,
                "NotFound",
                &format!("no resource {id} in {}", self.plan.account),
            )
        };
        found
            .map(|described| self.configured(described))
            .ok_or_else(missing)
    }

    /// One resource with its configuration.
    pub(crate) fn with_configuration(
        &self,
        resource: &Resource,
        now: Timestamp,
    ) -> Result<Observed, ActError> {
        let described = self.description(&resource.id, now)?;
        let mut fresh = described.resource;
        fresh.specification.document = Some(described.document.into());
        Ok(Observed {
            state: fresh.state,
            instance_type: fresh.specification.instance_type.clone(),
            resource: fresh,
        })
    }

    /// Sends a call that changes a configuration.
    pub(crate) fn configure(
        &self,
        resource: &Resource,
        operation: &ConfigurationOperation,
        now: Timestamp,
    ) -> Result<Applied, ActError> {
        let described = self.description(&resource.id, now)?.resource;
        let is_offered = ConfigurationRow::named(operation.change)
            .is_some_and(|row| row.kind == described.kind && row.provider == described.provider);
        if !is_offered {
            let message = format!(
                "{} is a {} of {}, which has no {} here",
                described.id, described.kind, described.provider, operation.action
            );
            return Err(refuse(
                ActErrorKind::Other,
                "UnsupportedOperation",
                &message,
            ));
        }

        let mut conditions = self.conditions.lock();
        let condition = conditions.resources.entry(described.id).or_default();
        for (path, value) in &operation.effects {
            condition.settings.insert((*path).to_owned(), value.clone());
        }
        Ok(Applied::Accepted)
    }
}
