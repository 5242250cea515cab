//! Scopes of agents: their resources, the days observed of them, and the names that a scope may
//! have. Those are the connected ones: a misspelt name covers nothing, and nobody would notice.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use reeve_audit::{FieldCode, FieldError};
use reeve_estate::{
    Connection, ConnectionId, EstateStore, Metric, Resource, ResourceFilter, ResourceId,
    ResourceKind, ResourcePages, SampleSeries, SampleStore,
};
use reeve_recommend::agent::{Agent, AgentScope};
use reeve_recommend::error::EngineError;
use reeve_recommend::ports::Clock;

use crate::run::load_history::Key;

/// Names at most this many edits apart are suggested for each other.
const ALIKE: usize = 3;
/// Resources whose series are loaded at a time.
const CHUNK: usize = 64;
/// Resources that are read at a time.
const PAGE: u64 = 1_000;
/// Names listed in a refusal.
const LISTED: usize = 8;

/// An account that a scope may name, by its connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectedAccount {
    /// The connection's name; scopes may name it in place of the account.
    pub connection: String,
    /// The provider's account, subscription or project.
    pub account: String,
    /// Resources that the inventory has of it.
    pub resources: u64,
}

/// Values that a scope may name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScopeChoices {
    /// Connected accounts, by connection name.
    pub accounts: Vec<ConnectedAccount>,
    /// Services of the inventory, and how many resources each has.
    pub services: Vec<(String, u64)>,
    /// Identifiers of connections, which scopes may name too.
    connections: BTreeSet<String>,
}

/// Scopes of agents: the names they may have, their resources, and the days observed of them.
pub struct ScopeService {
    estate: Arc<dyn EstateStore>,
    samples: Arc<dyn SampleStore>,
    clock: Arc<dyn Clock>,
}

impl ScopeService {
    /// Creates the service over the inventory and the samples.
    #[must_use]
    pub fn new(
        estate: Arc<dyn EstateStore>,
        samples: Arc<dyn SampleStore>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        ScopeService {
            estate,
            samples,
            clock,
        }
    }

    /// Returns the inventory that scopes select from.
    pub(crate) fn estate(&self) -> &dyn EstateStore {
        &*self.estate
    }

    /// Returns the connections of all clouds.
    pub(crate) async fn connections(&self) -> Result<Vec<Connection>, EngineError> {
        Ok(self.estate.connection_list().await?)
    }

    /// Accounts and services that scopes may name now.
    ///
    /// # Errors
    /// The store failed.
    pub async fn scope_choices(&self) -> Result<ScopeChoices, EngineError> {
        let connections = self.estate.connection_list().await?;
        let totals = self.estate.resource_totals().await?;
        let mut accounts: BTreeMap<(String, String), u64> = BTreeMap::new();

        for connection in &connections {
            accounts
                .entry((connection.name.clone(), connection.account.clone()))
                .or_default();
        }

        let mut services: BTreeMap<String, u64> = BTreeMap::new();
        for total in totals {
            let name = connections
                .iter()
                .find(|one| one.id == total.connection)
                .map_or("", |one| one.name.as_str());
            *accounts
                .entry((name.to_owned(), total.account))
                .or_default() += total.resources;
            *services
                .entry(total.service.to_ascii_lowercase())
                .or_default() += total.resources;
        }

        let account = |((connection, account), resources)| ConnectedAccount {
            connection,
            account,
            resources,
        };

        Ok(ScopeChoices {
            accounts: accounts.into_iter().map(account).collect(),
            services: services.into_iter().collect(),
            connections: connections
                .into_iter()
                .map(|connection| connection.id.0)
                .collect(),
        })
    }

    /// Refuses names that nothing connected has. Where there is no connection, or no inventory yet,
    /// there is nothing to compare accounts or services with.
    pub async fn is_connected(&self, path: &str, scope: &AgentScope) -> Result<(), EngineError> {
        if scope.accounts.is_empty() && scope.services.is_empty() {
            return Ok(());
        }

        let errors = self.scope_choices().await?.unknown(path, scope);
        if errors.is_empty() {
            Ok(())
        } else {
            Err(EngineError::Invalid(errors))
        }
    }
}

impl ScopeChoices {
    fn unknown(&self, path: &str, scope: &AgentScope) -> Vec<FieldError> {
        let names = self
            .accounts
            .iter()
            .flat_map(|one| [one.connection.as_str(), one.account.as_str()]);
        let names: BTreeSet<&str> = names.filter(|name| !name.is_empty()).collect();
        let services: BTreeSet<&str> = self
            .services
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();

        let is_account = |name: &str| {
            self.connections.contains(name)
                || names.iter().any(|known| known.eq_ignore_ascii_case(name))
        };

        let mut errors = Vec::new();
        let accounts = scope
            .accounts
            .iter()
            .enumerate()
            .filter(|(_, name)| !names.is_empty() && !is_account(name));

        for (at, name) in accounts {
            errors.push(refused(
                &format!("{path}.accounts[{at}]"),
                name,
                "account or connection",
                &names,
            ));
        }

        let is_service = |name: &str| services.contains(name.to_ascii_lowercase().as_str());
        let unknown = scope
            .services
            .iter()
            .enumerate()
            .filter(|(_, name)| !services.is_empty() && !is_service(name));

        for (at, name) in unknown {
            errors.push(refused(
                &format!("{path}.services[{at}]"),
                name,
                "service of the inventory",
                &services,
            ));
        }

        errors
    }
}

/// Identifiers of resources that stand connection by connection, at most so many at a time and of
/// one connection each.
pub(crate) fn chunks(
    resources: &[Resource],
    most: usize,
) -> impl Iterator<Item = (&ConnectionId, Vec<ResourceId>)> {
    let of_one = resources.chunk_by(|a, b| a.connection == b.connection);
    of_one
        .flat_map(move |same| same.chunks(most))
        .filter_map(|chunk| {
            let first = chunk.first()?;
            Some((
                &first.connection,
                chunk.iter().map(|resource| resource.id.clone()).collect(),
            ))
        })
}

/// Whole days since the first whole run of an agent that needs no samples.
pub(crate) fn days_since(first_run: Timestamp, now: Timestamp) -> u32 {
    let days = now.duration_since(first_run).as_secs() / 86_400;
    u32::try_from(days).unwrap_or(0)
}

/// Days of a series with at least one point.
pub(crate) fn days_spanned(series: &SampleSeries, now: Timestamp) -> u32 {
    let day = |at: &Timestamp| (now.duration_since(*at).as_secs() - 1).max(0) / 86_400;
    series
        .points
        .iter()
        .map(|(at, _)| day(at))
        .collect::<BTreeSet<_>>()
        .len() as u32
}

fn refused(path: &str, name: &str, what: &str, known: &BTreeSet<&str>) -> FieldError {
    let lower = name.to_lowercase();
    let nearest = known
        .iter()
        .map(|one| (edits(&lower, &one.to_lowercase()), *one))
        .min();
    let hint = match nearest.filter(|(edits, one)| *edits <= ALIKE && *edits < one.chars().count())
    {
        Some((_, one)) => format!("did you mean {one}?"),
        None => {
            let more = if known.len() > LISTED { ", ..." } else { "" };
            format!(
                "connected are {}{more}",
                known
                    .iter()
                    .take(LISTED)
                    .copied()
                    .collect::<Vec<_>>()
                    .join(", ")
            )
        }
    };

    FieldError::new(
        path,
        FieldCode::Unknown,
        format!("no connected {what} is named {name:?}; {hint}"),
    )
}

/// Levenshtein distance: insertions, deletions and replacements between two names.
fn edits(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();

    for (at, one) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (column, other) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(one != *other);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(row[column] + 1).min(diagonal + 1);
        }
    }

    row[to.len()]
}

impl ScopeService {
    /// The resources of the agent's scope, connection by connection, and every volume by the
    /// machine it is attached to.
    pub(crate) async fn scope_of(
        &self,
        agent: &Agent,
    ) -> Result<(Vec<Resource>, HashMap<Key, Vec<Resource>>), EngineError> {
        let connections = self.estate.connection_list().await?;
        let (mut scope, mut volumes) = (Vec::new(), HashMap::<Key, Vec<Resource>>::new());

        // The rows of a whole estate would stand beside its resources.
        let mut pages = ResourcePages::new(ResourceFilter::default(), PAGE);
        while let Some(page) = pages.next(&*self.estate).await? {
            for resource in page {
                if resource.kind == ResourceKind::Volume {
                    for machine in &resource.attached_to {
                        let machine = (resource.connection.clone(), machine.clone());
                        volumes.entry(machine).or_default().push(resource.clone());
                    }
                }
                if agent.scope.includes(&resource, &connections) {
                    scope.push(resource);
                }
            }
        }

        // Pages are ordered by identifier. A chunk of one connection reads the samples of that
        // connection alone.
        scope.sort_by(|a, b| a.connection.cmp(&b.connection));
        Ok((scope, volumes))
    }

    /// Every resource of some kinds, in every scope.
    pub(crate) async fn of_kinds(
        &self,
        kinds: &[ResourceKind],
    ) -> Result<Vec<Resource>, EngineError> {
        let mut found = Vec::new();
        for kind in kinds {
            let filter = ResourceFilter {
                kind: Some(*kind),
                ..ResourceFilter::default()
            };
            let mut pages = ResourcePages::new(filter, PAGE);
            while let Some(page) = pages.next(&*self.estate).await? {
                found.extend(page);
            }
        }

        Ok(found)
    }

    /// Days with samples that the agent's last run saw; of an agent that never ran they are
    /// counted. An offer must not read the whole scope, and days only become more.
    pub(crate) async fn days_known(&self, agent: &Agent) -> Result<u32, EngineError> {
        match &agent.last_run {
            Some(run) if run.error.is_none() => Ok(run.days_observed),
            _ => self.days_observed(agent).await,
        }
    }

    /// Days with samples that the agent's scope has, as far back as its learning period reaches; of
    /// an agent that needs none, the days since its first whole run.
    pub(crate) async fn days_observed(&self, agent: &Agent) -> Result<u32, EngineError> {
        let now = self.clock.now();
        let complete_since = agent.last_run.as_ref().and_then(|run| run.complete_since);
        if let Some(since) = complete_since {
            return Ok(days_since(since, now));
        }

        let (scope, _) = self.scope_of(agent).await?;
        let start = now - SignedDuration::from_hours(24 * i64::from(agent.learning_period_days));
        let mut days = 0;

        for (connection, ids) in chunks(&scope, CHUNK) {
            let series = self
                .samples
                .sample_series(connection, &ids, &[Metric::CpuUtilization], start, now)
                .await?;
            days = series
                .iter()
                .map(|s| days_spanned(s, now))
                .max()
                .unwrap_or(0)
                .max(days);
            if days >= agent.learning_period_days {
                break;
            }
        }

        Ok(days)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choices() -> ScopeChoices {
        let account = |connection: &str, account: &str| ConnectedAccount {
            connection: connection.to_owned(),
            account: account.to_owned(),
            resources: 1,
        };
        ScopeChoices {
            accounts: vec![
                account("acme-production", "111122223333"),
                account("acme-corporate", "acme-sub"),
            ],
            services: vec![("ec2".to_owned(), 3), ("rds".to_owned(), 1)],
            connections: BTreeSet::from(["c-1".to_owned()]),
        }
    }

    fn refusals(accounts: &[&str], services: &[&str]) -> Vec<(String, String)> {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let scope = AgentScope {
            accounts: owned(accounts),
            services: owned(services),
        };
        choices()
            .unknown("scope", &scope)
            .into_iter()
            .map(|error| (error.path, error.message))
            .collect()
    }

    #[test]
    fn what_is_connected_is_taken_by_name_account_or_identifier() {
        assert_eq!(
            refusals(
                &["acme-production", "Acme-Corporate", "111122223333", "c-1"],
                &["EC2", "rds"]
            ),
            []
        );
    }

    #[test]
    fn what_is_not_connected_is_named_with_the_nearest_name() {
        let found = refusals(&["acme-production", "acme-corporatee"], &["ec2", "s3"]);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].0, "scope.accounts[1]");
        assert!(
            found[0].1.ends_with("did you mean acme-corporate?"),
            "{}",
            found[0].1
        );
        assert_eq!(found[1].0, "scope.services[1]");

        let far = refusals(&["elsewhere"], &[]);
        assert!(
            far[0]
                .1
                .contains("connected are 111122223333, acme-corporate"),
            "{}",
            far[0].1
        );
    }

    #[test]
    fn without_connections_or_inventory_nothing_is_refused() {
        let scope = AgentScope {
            accounts: vec!["prod-aws".to_owned()],
            services: vec!["ec2".to_owned()],
        };
        assert_eq!(ScopeChoices::default().unknown("scope", &scope), []);
    }
}
