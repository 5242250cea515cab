//! Search of the estate: filters that the store evaluates, and queries over attributes, tags, relations and members of the
//! configuration, evaluated here in pages of bounded size.

use std::collections::{BTreeMap, HashMap};

use reeve_audit::query::Query;
use reeve_audit::{Entry, Json, ResourceRef, events};
use reeve_estate::{ConnectionId, Known, Money, Provider, Resource, ResourceFilter, ResourceId, ResourceKind};

use super::parse;
use crate::app::App;
use crate::error::Problem;
use crate::routes::audit_logs::query_problem;
use crate::time;
use crate::wire::estate::ResourceParams;

/// Resources read at once.
const AT_ONCE: u64 = 500;

/// A search of resources.
pub(super) struct Search {
    filter: ResourceFilter,
    query: Option<Query>,
}

impl Search {
    /// Reads a search from parameters.
    ///
    /// # Errors
    /// A parameter names nothing known, or the query cannot be read.
    pub(super) fn of(params: &ResourceParams) -> Result<Search, Problem> {
        let filter = ResourceFilter {
            connection: params.connection.clone().map(ConnectionId),
            provider: parse("provider", params.provider.as_deref(), Provider::parse)?,
            account: params.account.clone(),
            kind: parse("type", params.kind.as_deref(), ResourceKind::parse)?,
            service: params.service.clone(),
            text: params.text.clone(),
            limit: 0,
            offset: 0,
        };
        let text = params.query.as_deref().map(str::trim).filter(|text| !text.is_empty());
        let query = text.map(Query::parse_over_resources).transpose().map_err(query_problem)?;
        Ok(Search { filter, query })
    }

    /// Returns a page of what is found, by identifier, and how much is found in all.
    ///
    /// # Errors
    /// The store failed.
    pub(super) async fn page(&self, app: &App, offset: u64, limit: u64) -> Result<(Vec<Resource>, u64), Problem> {
        if self.query.is_none() {
            let filter = ResourceFilter { limit, offset, ..self.filter.clone() };
            return Ok(app.estate.resource_list(&filter).await?);
        }
        let mut found = Vec::new();
        let mut total = 0;
        self.each(app, |resource| {
            if (offset..offset.saturating_add(limit)).contains(&total) {
                found.push(resource);
            }
            total += 1;
        })
        .await?;
        Ok((found, total))
    }

    /// Hands over everything that is found, by identifier.
    ///
    /// # Errors
    /// The store failed.
    pub(super) async fn each(&self, app: &App, mut take: impl FnMut(Resource)) -> Result<(), Problem> {
        let connections = app.estate.connection_list().await?;
        let names: HashMap<&ConnectionId, &str> =
            connections.iter().map(|connection| (&connection.id, connection.name.as_str())).collect();
        let mut offset = 0;
        loop {
            let filter = ResourceFilter { limit: AT_ONCE, offset, ..self.filter.clone() };
            let (page, total) = app.estate.resource_list(&filter).await?;
            offset += page.len() as u64;
            let is_last = page.is_empty() || offset >= total;
            for resource in self.matching(app, &names, page).await? {
                take(resource);
            }
            if is_last {
                return Ok(());
            }
        }
    }

    async fn matching(
        &self,
        app: &App,
        names: &HashMap<&ConnectionId, &str>,
        page: Vec<Resource>,
    ) -> Result<Vec<Resource>, Problem> {
        let Some(query) = &self.query else { return Ok(page) };
        let mut ids: BTreeMap<&ConnectionId, Vec<ResourceId>> = BTreeMap::new();
        for resource in &page {
            ids.entry(&resource.connection).or_default().push(resource.id.clone());
        }
        let mut known: HashMap<(ConnectionId, ResourceId), Known> = HashMap::new();
        for (connection, ids) in ids {
            for one in app.descriptions.description_known(connection, &ids).await? {
                known.insert((connection.clone(), one.id.clone()), one);
            }
        }
        let now = app.now();
        let is_found = |resource: &Resource| {
            let known = known.get(&(resource.connection.clone(), resource.id.clone()));
            let name = names.get(&resource.connection).copied().unwrap_or_default();
            query.matches(&as_entry(resource, known, name), resource.observed_at, now)
        };
        Ok(page.into_iter().filter(is_found).collect())
    }
}

/// Presents a resource as the entry that queries over resources are evaluated on.
fn as_entry(resource: &Resource, known: Option<&Known>, connection: &str) -> Entry {
    let about = ResourceRef::new(resource.kind.as_str(), resource.id.0.clone()).in_cloud(
        resource.provider.as_str(),
        resource.account.clone(),
        resource.region.clone(),
    );
    let about = resource.tags.iter().fold(about, |about, (name, value)| about.with_tag(name.clone(), value.clone()));
    let mut entry = Entry::of(&events::RESOURCE_MODIFY)
        .on(about)
        .with_metadata("name", resource.name.clone())
        .with_metadata("service", resource.service.clone())
        .with_metadata("state", resource.state.as_str())
        .with_metadata(
            "connection",
            Json::from(vec![Json::from(connection), Json::from(resource.connection.0.clone())]),
        );
    if let Some(cost) = resource.monthly_cost.map(Money::usd_cents) {
        entry = entry.with_metadata("monthly_cost", Json::from(cost));
    }
    if let Some(at) = resource.created_at {
        entry = entry.with_metadata("created_at", time::text(at));
    }
    let Some(known) = known else { return entry };
    if let Some(document) = &known.document {
        entry = entry.after(Json::from(document.json().clone()));
    }
    let mut relations: BTreeMap<&str, Vec<Json>> = BTreeMap::new();
    for relation in &known.relations {
        relations.entry(relation.kind.as_str()).or_default().push(Json::from(relation.target.0.clone()));
    }
    entry.with_metadata("relations", Json::object(relations.into_iter().map(|(kind, ids)| (kind, Json::from(ids)))))
}
