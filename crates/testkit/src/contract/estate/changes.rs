//! Contract of the changes of resources that inventories find.

use anyhow::Result;
use jiff::Timestamp;
use reeve_estate::{
    Attribute, Connection, ConnectionId, EstateStore, Resource, ResourceChange, ResourceId,
    ResourceKind, ResourceState, Specification,
};

use super::{connection, resource};

fn at(minute: i64) -> Result<Timestamp> {
    Ok(Timestamp::from_second(1_800_000_000 + minute * 60)?)
}

fn machine(id: &str, size: &str, minute: i64) -> Result<Resource> {
    let specification = Specification {
        instance_type: Some(size.into()),
        ..Specification::default()
    };
    Ok(Resource {
        specification,
        observed_at: at(minute)?,
        ..resource("c-4", id)?
    })
}

async fn changes_of(
    store: &dyn EstateStore,
    ids: &[&str],
    since: i64,
) -> Result<Vec<ResourceChange>> {
    let ids: Vec<ResourceId> = ids.iter().map(|id| ResourceId::new(*id)).collect();
    Ok(store
        .resource_changes(&ConnectionId("c-4".into()), &ids, at(since)?)
        .await?)
}

pub(super) async fn run(store: &dyn EstateStore) -> Result<()> {
    let connection = connection("c-4", 4_000)?;
    store.connection_insert(&connection).await?;
    others(store, &connection).await?;
    reeves_own(store, &connection).await?;
    bounds(store, &connection).await
}

async fn others(store: &dyn EstateStore, connection: &Connection) -> Result<()> {
    let complete = [ResourceKind::VirtualMachine];
    let sync = async |seen: &[Resource]| store.resource_sync(&connection.id, seen, &complete).await;
    sync(&[
        machine("ch-1", "m5.large", 0)?,
        machine("ch-2", "m5.large", 0)?,
    ])
    .await?;

    sync(&[
        machine("ch-1", "m5.large", 5)?,
        machine("ch-2", "m5.large", 5)?,
    ])
    .await?;

    assert_eq!(
        changes_of(store, &["ch-1", "ch-2"], 0).await?,
        [],
        "nothing new, nothing changed"
    );

    let mut tagged = machine("ch-2", "m5.large", 10)?;
    tagged.tags.insert("Owner".into(), "a\0nn".into());
    let unchanged = store.resource_get(&ResourceId::new("ch-1")).await?;
    assert_eq!(
        unchanged.observed_at,
        at(5)?,
        "seen again, though nothing was written"
    );
    sync(&[machine("ch-1", "m5.xlarge", 10)?, tagged.clone()]).await?;
    tagged = Resource {
        state: ResourceState::Stopped,
        observed_at: at(15)?,
        ..tagged
    };
    tagged.tags.insert("Owner".into(), "b\0ob".into());
    sync(&[machine("ch-1", "m5.xlarge", 15)?, tagged]).await?;
    let change = |id: &str,
                  attribute: Attribute,
                  minute: i64,
                  before: &str,
                  after: &str|
     -> Result<ResourceChange> {
        Ok(ResourceChange {
            resource: ResourceId::new(id),
            connection: connection.id.clone(),
            attribute,
            last_seen_at: at(minute - 5)?,
            seen_at: at(minute)?,
            before: before.into(),
            after: after.into(),
        })
    };
    let resized = change("ch-1", Attribute::InstanceType, 10, "m5.large", "m5.xlarge")?;

    let stopped = change("ch-2", Attribute::State, 15, "running", "stopped")?;
    let owner = change("ch-2", Attribute::Tags, 15, "Owner=ann", "Owner=bob")?;
    let all = [resized, stopped.clone(), owner.clone()];
    assert_eq!(
        changes_of(store, &["ch-1", "ch-2"], 0).await?,
        all,
        "oldest first"
    );

    assert_eq!(
        changes_of(store, &["ch-2"], 0).await?,
        [stopped.clone(), owner.clone()]
    );
    assert_eq!(
        changes_of(store, &["ch-1", "ch-2"], 11).await?,
        [stopped, owner]
    );
    assert_eq!(changes_of(store, &[], 0).await?, []);

    Ok(())
}

/// Reeve's own writes are not recorded as changes, and an inventory that began before them does not
/// undo them.
async fn reeves_own(store: &dyn EstateStore, connection: &Connection) -> Result<()> {
    let size = async || -> Result<Option<String>> {
        Ok(store
            .resource_get(&ResourceId::new("ch-1"))
            .await?
            .specification
            .instance_type)
    };

    store
        .resource_put(&machine("ch-1", "m5.2xlarge", 20)?)
        .await?;
    let began_before = [
        machine("ch-1", "m5.xlarge", 18)?,
        machine("ch-3", "m5.large", 21)?,
    ];
    store
        .resource_sync(&connection.id, &began_before, &[])
        .await?;
    assert_eq!(size().await?.as_deref(), Some("m5.2xlarge"));
    assert_eq!(changes_of(store, &["ch-1"], 0).await?.len(), 1);

    // A clock that was ahead does not keep the inventory from being taken over.
    store
        .resource_put(&machine("ch-1", "m5.2xlarge", 900)?)
        .await?;
    store
        .resource_sync(&connection.id, &[machine("ch-1", "m5.large", 25)?], &[])
        .await?;
    assert_eq!(size().await?.as_deref(), Some("m5.large"));
    assert_eq!(
        changes_of(store, &["ch-1"], 0).await?.len(),
        1,
        "in which order it happened is not known"
    );

    Ok(())
}

/// The newest hundred of each, for ninety days.
async fn bounds(store: &dyn EstateStore, connection: &Connection) -> Result<()> {
    let sync =
        async |resource: Resource| store.resource_sync(&connection.id, &[resource], &[]).await;
    for step in 0..105 {
        let size = if step % 2 == 0 {
            "m5.xlarge"
        } else {
            "m5.large"
        };
        sync(machine("ch-1", size, 30 + step)?).await?;
    }

    let kept = changes_of(store, &["ch-1"], 0).await?;
    assert_eq!((kept.len(), kept[0].seen_at), (100, at(35)?));

    let days = 15 + 90 * 1440;
    sync(machine("ch-1", "m5.2xlarge", days)?).await?;
    assert_eq!(changes_of(store, &["ch-2"], 0).await?.len(), 2, "of each");
    sync(machine("ch-3", "m5.large", days + 1)?).await?;
    assert_eq!(
        changes_of(store, &["ch-1", "ch-2"], 0).await?.len(),
        100,
        "those of ch-2 are too old"
    );
    store.connection_delete(&connection.id).await?;
    assert_eq!(
        changes_of(store, &["ch-1"], 0).await?,
        [],
        "they go with their connection"
    );

    Ok(())
}
