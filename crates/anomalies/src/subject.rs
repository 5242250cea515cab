//! The resource that an anomaly is of, in the inventory: a machine or another resource, or the key,
//! user or role behind a principal.

use std::collections::BTreeSet;

use reeve_estate::{EstateStore, Resource, ResourceFilter, ResourceId, ResourceKind, StoreError};

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

/// Resources whose name contains a principal's, of which those with exactly that name are taken.
const MOST_NAMED: u64 = 50;

/// Returns the key, users and roles of the inventory that a principal of the log is: by its
/// identifier, or by its name where the account is known or no other account has one of the name.
/// `role/session` is the role. Nothing is returned for an identity that is only called alike.
///
/// # Errors
/// The store's failures.
pub async fn identities(
    estate: &dyn EstateStore,
    principal: &str,
    account: Option<&str>,
) -> Result<Vec<Resource>, StoreError> {
    let filter = ResourceFilter {
        ids: vec![ResourceId::new(principal)],
        ..ResourceFilter::default()
    };
    let (own, _) = estate.resource_list(&filter).await?;
    let kinds = ["access_key", "iam_user", "iam_role"];
    if !own.is_empty() {
        let is_identity = |one: &Resource| kinds.contains(&one.kind.as_str());
        return Ok(own.into_iter().filter(is_identity).collect());
    }

    let (name, kinds): (&str, &[&str]) = match principal.split_once('/') {
        Some((role, _)) if !principal.starts_with("arn:") => (role, &["iam_role"]),
        _ => (principal, &["iam_user", "iam_role"]),
    };
    let mut found = Vec::new();
    for kind in kinds {
        let filter = ResourceFilter {
            kind: ResourceKind::named(kind),
            account: account.map(str::to_owned),
            text: Some(name.to_owned()),
            limit: MOST_NAMED,
            ..ResourceFilter::default()
        };
        let (listed, _) = estate.resource_list(&filter).await?;
        found.extend(listed.into_iter().filter(|one| one.name == name));
    }

    let accounts: BTreeSet<&str> = found.iter().map(|one| one.account.as_str()).collect();
    if accounts.len() > 1 {
        return Ok(Vec::new());
    }
    Ok(found)
}
