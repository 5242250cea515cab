//! The resource that an anomaly is of, in the inventory.

use reeve_estate::{EstateStore, Resource, ResourceFilter, ResourceId, StoreError};

use super::record::Place;

/// Returns the resource at a place: of several that connections see under its identifier the one in
/// the place's account and region, and of these the first by connection, whose samples the watch
/// judged. `None` for a place that is no resource of the inventory, or none any more.
///
/// # Errors
/// The store's failures.
pub async fn resource_at(
    estate: &dyn EstateStore,
    place: &Place,
) -> Result<Option<Resource>, StoreError> {
    let filter = ResourceFilter {
        ids: vec![ResourceId::new(place.id.clone())],
        ..ResourceFilter::default()
    };
    let (mut found, _) = estate.resource_list(&filter).await?;
    let is_elsewhere =
        |known: &Option<String>, seen: &str| known.as_deref().is_some_and(|known| known != seen);
    found.sort_by(|a, b| {
        let rank = |one: &Resource| {
            (
                is_elsewhere(&place.account, &one.account),
                is_elsewhere(&place.region, &one.region),
            )
        };
        rank(a)
            .cmp(&rank(b))
            .then_with(|| a.connection.cmp(&b.connection))
    });

    Ok(found.into_iter().next())
}
