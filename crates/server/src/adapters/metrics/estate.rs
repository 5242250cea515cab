//! The estate as labels name it, read page by page. Private addresses are in the configurations of
//! machines.

use std::collections::{BTreeMap, HashMap};

use reeve_estate::{
    ConnectionId, DescriptionStore, EstateStore, Resource, ResourceFilter, ResourceId,
    ResourceKind, ResourcePages, StoreError,
};
use reeve_sources::{Needs, ResourceIndex};
use serde_json::Value;

/// Resources read at once.
const PAGE: u64 = 500;
/// Names that providers give the member with a private address, in lower case.
const ADDRESSES: [&str; 3] = ["privateipaddress", "privateip", "networkip"];

/// Returns the resources that have metrics.
pub(super) async fn index(
    estate: &dyn EstateStore,
    descriptions: &dyn DescriptionStore,
    needs: &Needs,
) -> Result<ResourceIndex, StoreError> {
    let mut index = ResourceIndex::default();
    for kind in ResourceKind::measured() {
        let filter = ResourceFilter {
            kind: Some(kind),
            ..ResourceFilter::default()
        };
        let mut pages = ResourcePages::new(filter, PAGE);
        while let Some(page) = pages.next(estate).await? {
            let addressed = needs.addresses && kind == ResourceKind::VirtualMachine;
            let addresses = if addressed {
                addresses(descriptions, &page).await?
            } else {
                HashMap::new()
            };
            for resource in &page {
                let own = addresses.get(&resource.id).map_or(&[][..], Vec::as_slice);
                index.add(resource, own, needs);
            }
        }
    }

    Ok(index)
}

/// Private addresses of machines, by their configurations.
async fn addresses(
    descriptions: &dyn DescriptionStore,
    page: &[Resource],
) -> Result<HashMap<ResourceId, Vec<String>>, StoreError> {
    let mut connections: BTreeMap<&ConnectionId, Vec<ResourceId>> = BTreeMap::new();
    for resource in page {
        connections
            .entry(&resource.connection)
            .or_default()
            .push(resource.id.clone());
    }

    let mut found = HashMap::new();
    for (connection, ids) in connections {
        let known = descriptions.description_known(connection, &ids).await?;
        let hashes: Vec<String> = known
            .iter()
            .filter_map(|known| known.hash.clone())
            .collect();
        let documents = descriptions.documents(&hashes).await?;
        let by_hash: HashMap<String, Vec<String>> = documents
            .iter()
            .map(|document| {
                let mut own = Vec::new();
                collect(document.json(), &mut own);
                own.sort();
                own.dedup();
                (document.hash(), own)
            })
            .collect();
        for known in known {
            if let Some(own) = known.hash.and_then(|hash| by_hash.get(&hash)) {
                found.insert(known.id, own.clone());
            }
        }
    }

    Ok(found)
}

fn collect(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    Value::String(address)
                        if ADDRESSES.contains(&name.to_ascii_lowercase().as_str()) =>
                    {
                        found.push(address.clone());
                    }
                    other => collect(other, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        _ => {}
    }
}
