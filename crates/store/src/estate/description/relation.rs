//! Relations between resources, as they are now.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use reeve_estate::{
    ConnectionId, Neighbour, OwnedRelation, Relation, RelationKind, Resource, ResourceId,
};
use sqlx::any::{Any, AnyRow};
use sqlx::{Row as _, Transaction};

use super::resources;
use crate::batch::Insert;
use crate::database::Store;
use crate::fault::Fault;
use crate::filter::Filter;

const INSERT: &str =
    "INSERT INTO resource_relations (connection_id, resource_id, relation, target_id)";

const SELECT: &str = "SELECT resource_id, relation, target_id FROM resource_relations";
/// Targets that one statement asks about.
const AT_ONCE: usize = 500;

/// Neighbours of one resource, both ways. A relation is listed once where a resource is related to
/// itself. A machine may assume its instance profile and a role is attached to that: the last two
/// parts join the machine with the role, which no description does.
const NEIGHBOURS: &str = "SELECT relation, 0 AS incoming, target_id AS other FROM resource_relations
         WHERE connection_id = $1 AND resource_id = $2
     UNION ALL SELECT relation, 1 AS incoming, resource_id AS other FROM resource_relations
         WHERE connection_id = $1 AND target_id = $2 AND resource_id <> $2
     UNION ALL SELECT machine.relation, 0 AS incoming, role.resource_id AS other FROM resource_relations AS machine
         JOIN resource_relations AS role ON role.connection_id = machine.connection_id
             AND role.target_id = machine.target_id AND role.relation = 'attached_to'
         WHERE machine.connection_id = $1 AND machine.resource_id = $2 AND machine.relation = 'may_assume'
     UNION ALL SELECT machine.relation, 1 AS incoming, machine.resource_id AS other FROM resource_relations AS role
         JOIN resource_relations AS machine ON machine.connection_id = role.connection_id
             AND machine.target_id = role.target_id AND machine.relation = 'may_assume'
         WHERE role.connection_id = $1 AND role.resource_id = $2 AND role.relation = 'attached_to'
     ORDER BY 2, 1, 3";

/// A resource with the name of a relation and its target, as they are stored.
type Row = (String, String, String);

/// Replaces the relations of resources. Returns the identifiers of the resources whose relations
/// changed, and of those that a relation no longer points at: nothing leads from the former to the
/// latter any more.
pub(super) async fn replace(
    tx: &mut Transaction<'_, Any>,
    connection: &ConnectionId,
    relations: &BTreeMap<&ResourceId, &[Relation]>,
) -> Result<BTreeSet<String>, Fault> {
    let mut changed = BTreeSet::new();
    if relations.is_empty() {
        return Ok(changed);
    }

    let before = stored(tx, connection, relations.keys().copied()).await?;
    let after: BTreeSet<Row> = relations
        .iter()
        .flat_map(|(id, relations)| relations.iter().map(move |relation| (id, relation)))
        .map(|(id, relation)| {
            let kind = relation.kind.as_str().to_owned();
            (id.0.clone(), kind, relation.target.0.clone())
        })
        .collect();

    for (id, _, lost) in before.difference(&after) {
        changed.extend([id.clone(), lost.clone()]);
    }
    changed.extend(after.difference(&before).map(|(id, _, _)| id.clone()));

    if changed.is_empty() {
        return Ok(changed);
    }

    let ids = relations.keys().map(|id| id.as_str());
    let mut filter = Filter::default();
    filter.text("connection_id = ?", &connection.0);
    filter.one_of("resource_id", ids.filter(|id| changed.contains(*id)));
    filter
        .query(filter.sql("DELETE FROM resource_relations", ""))
        .execute(&mut **tx)
        .await?;
    let mut insert = Insert::new(INSERT, "ON CONFLICT DO NOTHING");
    for (id, kind, target) in after.iter().filter(|(id, _, _)| changed.contains(id)) {
        let (id, kind, target) = (id.as_str(), kind.as_str(), target.as_str());
        insert.row([
            connection.0.as_str().into(),
            id.into(),
            kind.into(),
            target.into(),
        ]);
    }

    insert.run_for(tx, &connection.0).await?;
    Ok(changed)
}

/// Returns the relations of resources as they are stored, those of later versions of Reeve among
/// them.
async fn stored<'i>(
    tx: &mut Transaction<'_, Any>,
    connection: &ConnectionId,
    ids: impl Iterator<Item = &'i ResourceId>,
) -> Result<BTreeSet<Row>, Fault> {
    let mut filter = Filter::default();
    filter.text("connection_id = ?", &connection.0);
    filter.one_of("resource_id", ids.map(ResourceId::as_str));
    let sql = filter.sql(SELECT, "");
    let rows = filter.query(sql).fetch_all(&mut **tx).await?;
    rows.iter()
        .map(|row| Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?)))
        .collect()
}

/// Returns the relations of other resources that point at these, sorted.
pub(super) async fn to(
    store: &Store,
    connection: &ConnectionId,
    targets: &[ResourceId],
) -> Result<Vec<OwnedRelation>, Fault> {
    let mut found = Vec::new();
    for some in targets.chunks(AT_ONCE) {
        let mut filter = Filter::default();
        filter.text("connection_id = ?", &connection.0);
        filter.one_of("target_id", some.iter().map(ResourceId::as_str));
        let sql = filter.sql(SELECT, "");
        let rows = filter.query(sql).fetch_all(store.read()).await?;
        for row in &rows {
            found.extend(owned(row)?.filter(|one| one.source != one.relation.target));
        }
    }

    found.sort();
    Ok(found)
}

/// Reads a relation. One of a later version of Reeve stays in the store, and is not shown by this
/// one.
fn owned(row: &AnyRow) -> Result<Option<OwnedRelation>, Fault> {
    let kind: String = row.try_get(1)?;
    let (source, target): (String, String) = (row.try_get(0)?, row.try_get(2)?);
    Ok(RelationKind::parse(&kind).map(|kind| OwnedRelation {
        source: ResourceId(source),
        relation: Relation::to(kind, target),
    }))
}

/// Returns the relations of resources, each with the identifier of the resource that has it.
pub(super) async fn list(
    store: &Store,
    connection: &ConnectionId,
    ids: &[ResourceId],
) -> Result<Vec<(String, Relation)>, Fault> {
    let mut filter = Filter::default();
    filter.text("connection_id = ?", &connection.0);
    filter.one_of("resource_id", ids.iter().map(ResourceId::as_str));
    let sql = filter.sql(SELECT, "");
    let rows = filter.query(sql).fetch_all(store.read()).await?;

    let read = |row| Ok(owned(row)?.map(|one| (one.source.0, one.relation)));
    rows.iter()
        .filter_map(|row| read(row).transpose())
        .collect()
}

pub(super) async fn neighbours(
    store: &Store,
    connection: &ConnectionId,
    id: &ResourceId,
    limit: u64,
) -> Result<(Vec<Neighbour>, u64), Fault> {
    let rows = sqlx::query(NEIGHBOURS)
        .bind(&connection.0)
        .bind(&id.0)
        .fetch_all(store.read())
        .await?;
    let total = rows.len() as u64;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut found = Vec::new();

    for row in rows.iter().take(limit) {
        let (kind, incoming, other): (String, i64, String) =
            (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
        if let Some(kind) = RelationKind::parse(&kind) {
            found.push(Neighbour {
                kind,
                is_incoming: incoming == 1,
                id: ResourceId(other),
                resource: None,
            });
        }
    }

    let ids: Vec<ResourceId> = found.iter().map(|neighbour| neighbour.id.clone()).collect();
    if !ids.is_empty() {
        let known = resources(store, connection, &ids).await?;
        let known: HashMap<ResourceId, Resource> = known
            .into_iter()
            .map(|resource| (resource.id.clone(), resource))
            .collect();
        for neighbour in &mut found {
            neighbour.resource = known.get(&neighbour.id).cloned();
        }
    }

    Ok((found, total))
}
