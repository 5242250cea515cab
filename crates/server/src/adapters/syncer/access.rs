//! Use of buckets: what is known of it is carried over, and read on in their access logs.

use std::collections::HashMap;

use reeve_estate::{
    BucketAccess, Connection, EstateStore, Inventory, Observe, Resource, ResourceFilter,
    ResourceId, ResourceKind, StoreError,
};

/// Sets the use of an inventory's buckets. What could not be read is noted with the inventory, and
/// the known use stays.
pub(super) async fn read(
    estate: &dyn EstateStore,
    connection: &Connection,
    observer: &dyn Observe,
    inventory: &mut Inventory,
) -> Result<(), StoreError> {
    let is_bucket = |resource: &&mut Resource| resource.kind == ResourceKind::Bucket;
    if !inventory
        .resources
        .iter()
        .any(|resource| resource.kind == ResourceKind::Bucket)
    {
        return Ok(());
    }

    let filter = ResourceFilter {
        connection: Some(connection.id.clone()),
        kind: Some(ResourceKind::Bucket),
        ..ResourceFilter::default()
    };
    let (known, _) = estate.resource_list(&filter).await?;
    let mut known: HashMap<ResourceId, BucketAccess> = known
        .into_iter()
        .filter_map(|bucket| Some((bucket.id, bucket.specification.access?)))
        .collect();
    for bucket in inventory.resources.iter_mut().filter(is_bucket) {
        bucket.specification.access = known.remove(&bucket.id);
    }

    let buckets: Vec<Resource> = inventory
        .resources
        .iter()
        .filter(|one| one.kind == ResourceKind::Bucket)
        .cloned()
        .collect();
    let batch = observer.access(&buckets).await;
    let mut read: HashMap<ResourceId, BucketAccess> = batch.read.into_iter().collect();

    for bucket in inventory.resources.iter_mut().filter(is_bucket) {
        if let Some(access) = read.remove(&bucket.id) {
            bucket.specification.access = Some(access);
        }
    }

    let is_new = |denied: &reeve_estate::Denied| {
        let same = |one: &reeve_estate::Denied| {
            one.permission == denied.permission && one.region == denied.region
        };
        !inventory.denied.iter().any(same)
    };
    let denied: Vec<_> = batch.denied.into_iter().filter(is_new).collect();
    inventory.denied.extend(denied);

    inventory.problems.extend(batch.problems);
    Ok(())
}
