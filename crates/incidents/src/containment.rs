//! Resources that measures against an attack are taken on: those that the attacker uses. What the
//! attacker only tried to reach is not among them.

use std::collections::BTreeSet;

use async_trait::async_trait;
use reeve_anomalies::identities;
use reeve_estate::{
    DescriptionStore, EstateStore, RelationKind, Resource, ResourceFilter, ResourceId,
    ResourceKind, StoreError,
};
use reeve_recommend::action::ActionId;
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::event::Measure;
use reeve_recommend::ports::responses::ResponseRemedy;
use reeve_recommend::recommendation::RecommendationId;

use crate::incident::Incident;

/// Names that are looked up for one measure.
const MOST_SUSPECTS: usize = 20;

/// Executes and takes back the changes that playbooks ask for.
#[async_trait]
pub trait Containment: Send + Sync {
    /// Applies a recommendation in the name of a person, or requests its signatures.
    ///
    /// # Errors
    /// A guardrail, the agent's mode or the recommendation's state does not allow it.
    async fn apply(
        &self,
        id: &RecommendationId,
        comment: &str,
        caller: &Caller,
    ) -> Result<ResponseRemedy, EngineError>;

    /// Takes a change back; it goes on in the background.
    ///
    /// # Errors
    /// The change cannot be taken back now.
    async fn take_back(&self, action: &ActionId, caller: &Caller) -> Result<(), EngineError>;
}

/// Credentials or machine that an attacker uses.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Suspect {
    /// Identifier or name, as the log has it.
    pub(crate) id: String,
    pub(crate) account: Option<String>,
    pub(crate) is_machine: bool,
}

impl Incident {
    /// Returns the machines and credentials that the attacker uses. Accounts that were only guessed
    /// at are not among them.
    pub(crate) fn suspects(&self) -> Vec<Suspect> {
        let mut found = BTreeSet::new();
        for member in self.members.iter().filter(|member| member.is_evidence()) {
            let mut add = |id: &str, is_machine: bool| {
                found.insert(Suspect {
                    id: id.to_owned(),
                    account: member.account.clone(),
                    is_machine,
                });
            };
            let identities = ["principal", "access_key", "iam_user", "iam_role"];
            if member.subject == ResourceKind::VirtualMachine.as_str() {
                add(&member.subject_id, true);
                for principal in &member.keys.principals {
                    add(principal, false);
                }
            } else if identities.contains(&member.subject.as_str()) {
                add(&member.subject_id, false);
            }
        }
        found.into_iter().take(MOST_SUSPECTS).collect()
    }
}

/// Inventory in which suspects are looked up.
pub(crate) struct Inventory<'a> {
    pub(crate) estate: &'a dyn EstateStore,
    pub(crate) descriptions: &'a dyn DescriptionStore,
}

impl Inventory<'_> {
    /// Returns the resources that a measure is taken on, by identifier.
    pub(crate) async fn targets(
        &self,
        incident: &Incident,
        measure: Measure,
    ) -> Result<Vec<Resource>, StoreError> {
        let mut found: Vec<Resource> = Vec::new();
        for suspect in incident.suspects() {
            let mut resources = match measure {
                Measure::QuarantineMachine if suspect.is_machine => self.by_id(&suspect).await?,
                Measure::Snapshot if suspect.is_machine => self.volumes(&suspect).await?,
                Measure::QuarantineMachine | Measure::Snapshot => Vec::new(),
                _ if suspect.is_machine => Vec::new(),
                Measure::DeactivateKey => self.keys(&suspect).await?,
                Measure::RevokeSessions | Measure::BlockPrincipal => {
                    self.identities(&suspect).await?
                }
            };
            resources.retain(|one| fits(measure, one.kind));
            found.extend(resources);
        }

        found.sort_by(|a, b| (&a.id, &a.connection).cmp(&(&b.id, &b.connection)));
        found.dedup_by(|a, b| a.id == b.id && a.connection == b.connection);
        Ok(found)
    }

    async fn by_id(&self, suspect: &Suspect) -> Result<Vec<Resource>, StoreError> {
        let filter = ResourceFilter {
            ids: vec![ResourceId::new(suspect.id.clone())],
            ..ResourceFilter::default()
        };
        let (found, _) = self.estate.resource_list(&filter).await?;
        Ok(found)
    }

    /// Volumes that are attached to a machine.
    async fn volumes(&self, suspect: &Suspect) -> Result<Vec<Resource>, StoreError> {
        let mut found = Vec::new();
        for machine in self.by_id(suspect).await? {
            let filter = ResourceFilter {
                connection: Some(machine.connection.clone()),
                kind: Some(ResourceKind::Volume),
                attached_to: Some(machine.id),
                ..ResourceFilter::default()
            };
            found.extend(self.estate.resource_list(&filter).await?.0);
        }
        Ok(found)
    }

    /// The key itself, or the keys of a user.
    async fn keys(&self, suspect: &Suspect) -> Result<Vec<Resource>, StoreError> {
        let mut found = Vec::new();
        for identity in self.identities_of(suspect).await? {
            if identity.kind.as_str() == "access_key" {
                found.push(identity);
                continue;
            }
            let targets = [identity.id.clone()];
            let relations = self
                .descriptions
                .relations_to(&identity.connection, &targets)
                .await?;
            let attached = relations
                .into_iter()
                .filter(|owned| owned.relation.kind == RelationKind::AttachedTo);
            let ids = attached.map(|owned| owned.source).collect();
            found.extend(self.seen_by(&identity, ids).await?);
        }
        Ok(found)
    }

    /// The user or role itself, or the user of a key.
    async fn identities(&self, suspect: &Suspect) -> Result<Vec<Resource>, StoreError> {
        let mut found = Vec::new();
        for identity in self.identities_of(suspect).await? {
            if identity.kind.as_str() == "access_key" {
                let ids = [identity.id.clone()];
                let known = self
                    .descriptions
                    .description_known(&identity.connection, &ids)
                    .await?;
                let relations = known.into_iter().flat_map(|one| one.relations);
                let users = relations.filter(|one| one.kind == RelationKind::AttachedTo);
                let ids = users.map(|one| one.target).collect();
                found.extend(self.seen_by(&identity, ids).await?);
            } else {
                found.push(identity);
            }
        }
        Ok(found)
    }

    /// Resources of the connection that sees another one.
    async fn seen_by(
        &self,
        other: &Resource,
        ids: Vec<ResourceId>,
    ) -> Result<Vec<Resource>, StoreError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let filter = ResourceFilter {
            connection: Some(other.connection.clone()),
            ids,
            ..ResourceFilter::default()
        };
        Ok(self.estate.resource_list(&filter).await?.0)
    }

    async fn identities_of(&self, suspect: &Suspect) -> Result<Vec<Resource>, StoreError> {
        identities(self.estate, &suspect.id, suspect.account.as_deref()).await
    }
}

fn fits(measure: Measure, kind: ResourceKind) -> bool {
    match measure {
        Measure::QuarantineMachine => kind == ResourceKind::VirtualMachine,
        Measure::Snapshot => kind == ResourceKind::Volume,
        Measure::DeactivateKey => kind.as_str() == "access_key",
        Measure::RevokeSessions | Measure::BlockPrincipal => {
            matches!(kind.as_str(), "iam_user" | "iam_role")
        }
    }
}
