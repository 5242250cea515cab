//! Search of the estate: filters that the store evaluates, and queries over attributes, tags,
//! relations and members of the configuration, evaluated here in pages of bounded size.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Instant;

use reeve_audit::query::{Expr, FieldPath, Match, Query, QueryColumn};
use reeve_audit::{Entry, Json, ResourceRef, events};
use reeve_estate::{
    ConnectionId, Document, KnownDescription, Money, Provider, Resource, ResourceFilter,
    ResourceId, ResourceKind, VisibleConnections,
};
use reeve_recommend::judgement::workload::WorkloadClass;

use crate::app::App;
use crate::error::Problem;
use crate::routes::audit_logs::{query_problem, with_lists};
use crate::routes::resources::parse;
use crate::time;
use crate::wire::estate::ResourceFilterParams;

/// Resources read at once.
const AT_ONCE: u64 = 500;
/// Documents decompressed at once.
const DOCUMENTS: usize = 100;

/// A search of resources.
pub(super) struct Search {
    filter: ResourceFilter,
    query: Option<Query>,
    /// `true` if the query asks for members of configurations. Otherwise no document is read.
    reads_documents: bool,
    /// `true` if the query may ask for workloads.
    reads_workloads: bool,
}

/// Progress of a walk over all resources.
#[derive(Debug, Default)]
pub(super) struct SearchWalk {
    /// Names of connections; read at the first step.
    names: Option<HashMap<ConnectionId, String>>,
    /// Last resource that was read.
    after: Option<(ResourceId, ConnectionId)>,
}

impl Search {
    /// Reads a search from parameters.
    ///
    /// # Errors
    /// A parameter names nothing known, the query cannot be read, or it compares with a list that
    /// does not exist.
    pub(super) async fn from_params(
        app: &App,
        params: &ResourceFilterParams,
    ) -> Result<Search, Problem> {
        let mut filter = ResourceFilter {
            connection: params.connection.clone().map(ConnectionId),
            provider: parse("provider", params.provider.as_deref(), Provider::parse)?,
            account: params.account.clone(),
            kind: parse("type", params.kind.as_deref(), ResourceKind::parse)?,
            service: params.service.clone(),
            text: params.text.clone(),
            ..ResourceFilter::default()
        };

        let text = params
            .query
            .as_deref()
            .map(str::trim)
            .filter(|text| !text.is_empty());

        let mut query = None;
        if let Some(text) = text {
            let asked = Query::parse_over_resources(text).map_err(query_problem)?;
            let asked = with_lists(app, &asked).await?;
            narrow(&mut filter, &asked.expr);
            query = Some(asked);
        }

        let reads_documents = query
            .as_ref()
            .is_some_and(|query| reads_documents(&query.expr));
        let reads_workloads =
            text.is_some_and(|text| text.to_ascii_lowercase().contains("workload:"));
        Ok(Search {
            filter,
            query,
            reads_documents,
            reads_workloads,
        })
    }

    /// Returns the search over the connections that a caller may see.
    pub(super) fn within(mut self, visible: VisibleConnections) -> Search {
        self.filter.visible = visible;
        self
    }

    /// Returns a page of what is found, by identifier, and how much is found in all.
    ///
    /// # Errors
    /// The store failed, or the query takes too long.
    pub(super) async fn page(
        &self,
        app: &App,
        offset: u64,
        limit: u64,
    ) -> Result<(Vec<Resource>, u64), Problem> {
        if self.query.is_none() {
            let filter = ResourceFilter {
                limit,
                offset,
                ..self.filter.clone()
            };
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
    /// The store failed, or the query takes too long.
    pub(super) async fn each(
        &self,
        app: &App,
        mut take: impl FnMut(Resource),
    ) -> Result<(), Problem> {
        let (began, mut walk) = (Instant::now(), SearchWalk::default());
        while let Some(page) = self.next(app, &mut walk).await? {
            page.into_iter().for_each(&mut take);
            app.estate_searches.check(began)?;
        }
        Ok(())
    }

    /// Returns what is found among the next resources of a walk, by identifier; `None` at the end.
    ///
    /// # Errors
    /// The store failed.
    pub(super) async fn next(
        &self,
        app: &App,
        walk: &mut SearchWalk,
    ) -> Result<Option<Vec<Resource>>, Problem> {
        if walk.names.is_none() {
            let connections = app.estate.connection_list().await?;
            walk.names = Some(
                connections
                    .into_iter()
                    .map(|connection| (connection.id, connection.name))
                    .collect(),
            );
        }

        let _turn = if self.query.is_some() {
            app.estate_searches.turn().await
        } else {
            None
        };

        let page = app
            .estate
            .resource_page(&self.filter, walk.after.as_ref(), AT_ONCE)
            .await?;
        let Some(last) = page.last() else {
            return Ok(None);
        };

        walk.after = Some((last.id.clone(), last.connection.clone()));
        self.matching(app, walk.names.as_ref(), page)
            .await
            .map(Some)
    }

    async fn matching(
        &self,
        app: &App,
        names: Option<&HashMap<ConnectionId, String>>,
        page: Vec<Resource>,
    ) -> Result<Vec<Resource>, Problem> {
        let Some(query) = &self.query else {
            return Ok(page);
        };

        let mut ids: BTreeMap<&ConnectionId, Vec<ResourceId>> = BTreeMap::new();
        for resource in &page {
            ids.entry(&resource.connection)
                .or_default()
                .push(resource.id.clone());
        }

        let mut known: HashMap<(ConnectionId, ResourceId), KnownDescription> = HashMap::new();
        for (connection, ids) in ids {
            for one in app.descriptions.description_known(connection, &ids).await? {
                known.insert((connection.clone(), one.id.clone()), one);
            }
        }

        let documents = self.documents(app, known.values()).await?;
        let classes = self.classes(app, &page).await?;
        let now = app.now();
        let is_found = |resource: &Resource| {
            let known = known.get(&(resource.connection.clone(), resource.id.clone()));
            let document = known.and_then(|known| documents.get(known.hash.as_ref()?));
            let name = names
                .and_then(|names| names.get(&resource.connection))
                .map_or("", String::as_str);
            let class = classes
                .get(&(resource.connection.clone(), resource.id.clone()))
                .copied();
            query.matches(
                &as_entry(resource, known, document, name, class),
                resource.observed_at,
                now,
            )
        };

        Ok(page.into_iter().filter(is_found).collect())
    }

    /// Classes of the workloads of these resources, corrections first; none where the query does
    /// not ask for them.
    async fn classes(
        &self,
        app: &App,
        page: &[Resource],
    ) -> Result<HashMap<(ConnectionId, ResourceId), WorkloadClass>, Problem> {
        let mut classes = HashMap::new();
        if !self.reads_workloads {
            return Ok(classes);
        }

        let ids: Vec<ResourceId> = page.iter().map(|resource| resource.id.clone()).collect();
        for one in app.workload_store.workload_of(&ids).await? {
            if let Some(class) = one.classification.class {
                classes.insert((one.connection, one.resource), class);
            }
        }

        for one in app.workload_store.correction_list().await? {
            classes.insert((one.connection, one.resource), one.class);
        }

        Ok(classes)
    }

    async fn documents(
        &self,
        app: &App,
        known: impl Iterator<Item = &KnownDescription>,
    ) -> Result<HashMap<String, Document>, Problem> {
        let mut documents = HashMap::new();
        if !self.reads_documents {
            return Ok(documents);
        }

        let hashes: BTreeSet<String> = known.filter_map(|known| known.hash.clone()).collect();
        let hashes: Vec<String> = hashes.into_iter().collect();
        for part in hashes.chunks(DOCUMENTS) {
            let read = app.descriptions.documents(part).await?;
            documents.extend(read.into_iter().map(|document| (document.hash(), document)));
        }

        Ok(documents)
    }
}

/// Narrows a filter to what every match of a query has: its kind, which the store has an index on.
fn narrow(filter: &mut ResourceFilter, expr: &Expr) {
    match expr {
        Expr::And(terms) => terms.iter().for_each(|term| narrow(filter, term)),
        Expr::Field {
            field: FieldPath::Column(QueryColumn::ResourceType),
            op: Match::Exact(name),
        } if filter.kind.is_none() => {
            filter.kind = ResourceKind::parse(&name.to_ascii_lowercase());
        }
        _ => {}
    }
}

/// Returns `true` if a query looks into configurations. Words without a field are looked for
/// everywhere.
fn reads_documents(expr: &Expr) -> bool {
    match expr {
        Expr::And(terms) | Expr::Or(terms) => terms.iter().any(reads_documents),
        Expr::Not(term) => reads_documents(term),
        Expr::Field { field, .. } => matches!(field, FieldPath::After(_)),
        Expr::All => false,
        _ => true,
    }
}

/// Presents a resource as the entry that queries over resources are evaluated on.
fn as_entry(
    resource: &Resource,
    known: Option<&KnownDescription>,
    document: Option<&Document>,
    connection: &str,
    workload: Option<WorkloadClass>,
) -> Entry {
    let about = ResourceRef::new(resource.kind.as_str(), resource.id.0.clone()).in_cloud(
        resource.provider.as_str(),
        resource.account.clone(),
        resource.region.clone(),
    );

    let about = resource.tags.iter().fold(about, |about, (name, value)| {
        about.with_tag(name.clone(), value.clone())
    });
    let mut entry = Entry::for_event(&events::RESOURCE_MODIFY)
        .on(about)
        .with_metadata("name", resource.name.clone())
        .with_metadata("service", resource.service.clone())
        .with_metadata("state", resource.state.as_str())
        .with_metadata(
            "connection",
            Json::from(vec![
                Json::from(connection),
                Json::from(resource.connection.0.clone()),
            ]),
        );

    if let Some(cost) = resource.monthly_cost.map(Money::usd_cents) {
        entry = entry.with_metadata("monthly_cost", Json::from(cost));
    }
    if let Some(class) = workload {
        entry = entry.with_metadata("workload", class.as_str());
    }
    if let Some(at) = resource.created_at {
        entry = entry.with_metadata("created_at", time::text(at));
    }
    if let Some(document) = document {
        entry = entry.after(Json::from(document.json().clone()));
    }

    let Some(known) = known else { return entry };
    let mut relations: BTreeMap<&str, Vec<Json>> = BTreeMap::new();

    for relation in &known.relations {
        relations
            .entry(relation.kind.as_str())
            .or_default()
            .push(Json::from(relation.target.0.clone()));
    }

    entry.with_metadata(
        "relations",
        Json::object(
            relations
                .into_iter()
                .map(|(kind, ids)| (kind, Json::from(ids))),
        ),
    )
}
