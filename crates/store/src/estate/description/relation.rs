//! Relations between resources, as they are now.

use std::collections::{BTreeMap, HashMap};

use reeve_estate::{ConnectionId, Neighbour, Relation, RelationKind, Resource, ResourceId};
use sqlx::any::{Any, AnyRow};
use sqlx::{Row as _, Transaction};

use super::resources;
use crate::batch::Insert;
use crate::database::Store;
use crate::fault::Fault;
use crate::filter::Filter;

const INSERT: &str =
    "INSERT INTO resource_relations (connection_id, resource_id, relation, target_id)";

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

/// Replaces the relations of resources.
pub(super) async fn replace(
    tx: &mut Transaction<'_, Any>,
    connection: &ConnectionId,
    relations: &BTreeMap<&ResourceId, &[Relation]>,
) -> Result<(), Fault> {
    if relations.is_empty() {
        return Ok(());
    }

    let mut filter = Filter::default();
    filter.text("connection_id = ?", &connection.0);
    filter.one_of("resource_id", relations.keys().map(|id| id.as_str()));
    filter
        .query(filter.sql("DELETE FROM resource_relations", ""))
        .execute(&mut **tx)
        .await?;
    let mut insert = Insert::new(INSERT, "ON CONFLICT DO NOTHING");

    for (id, relations) in relations {
        for relation in *relations {
            let (id, target) = (id.as_str().into(), relation.target.as_str().into());
            insert.row([
                connection.0.as_str().into(),
                id,
                relation.kind.as_str().into(),
                target,
            ]);
        }
    }

    insert.run_for(tx, &connection.0).await
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
    let sql = filter.sql(
        "SELECT resource_id, relation, target_id FROM resource_relations",
        "",
    );
    let rows = filter.query(sql).fetch_all(store.read()).await?;

    // A relation of a later version stays in the store, and is not shown by this one.
    let read = |row: &AnyRow| -> Result<Option<(String, Relation)>, Fault> {
        let kind: String = row.try_get(1)?;
        let (id, target): (String, String) = (row.try_get(0)?, row.try_get(2)?);
        Ok(RelationKind::parse(&kind).map(|kind| (id, Relation::to(kind, target))))
    };

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
