//! Lookups around an alert: the incident that it is a part of, and its asset in the estate.

use jiff::SignedDuration;
use jiff::Timestamp;
use reeve_anomalies::{AnomalyClass, AnomalyFilter, AnomalyId, AnomalyStore, Sighting};
use reeve_estate::{EstateStore, ResourceFilter, ResourceId, StoreError};

use crate::report::AlertReport;
use crate::weight::AssetPresence;

/// Time before an alert in which the anomalies of its incident may have begun.
const BEGUN_WITHIN: SignedDuration = SignedDuration::from_hours(24 * 7);
/// Anomalies that are compared, the newest ones.
const MOST_COMPARED: u64 = 500;
/// Resources that are looked at for one with the same name.
const MOST_NAMED: u64 = 50;

/// Returns the incident that an alert is a part of, and the reason.
pub(crate) async fn incident(
    anomalies: &dyn AnomalyStore,
    report: &AlertReport,
) -> Result<Option<(AnomalyId, String)>, StoreError> {
    let since = report.at.checked_sub(BEGUN_WITHIN);
    let filter = AnomalyFilter {
        class: Some(AnomalyClass::Security),
        since: Some(since.unwrap_or(Timestamp::MIN)),
        limit: MOST_COMPARED,
        ..AnomalyFilter::default()
    };
    let (known, _) = anomalies.anomaly_list(&filter).await?;

    let sighting = Sighting {
        at: report.at,
        principal: report.principal.clone(),
        address: report.address,
        resource: report.resource.clone(),
    };
    Ok(sighting.incident(&known))
}

/// Looks the asset of an alert up: its resource, or else its account.
pub(crate) async fn asset(
    estate: &dyn EstateStore,
    report: &AlertReport,
) -> Result<AssetPresence, StoreError> {
    if let Some(resource) = &report.resource {
        let known = is_resource(estate, resource).await?;
        return Ok(presence(known, resource.clone()));
    }

    let Some(account) = &report.account else {
        return Ok(AssetPresence::NotNamed);
    };
    let connections = estate.connection_list().await?;
    let known = connections
        .iter()
        .any(|connection| connection.account == *account);
    Ok(presence(known, format!("Account {account}")))
}

fn presence(known: bool, name: String) -> AssetPresence {
    if known {
        AssetPresence::Known(name)
    } else {
        AssetPresence::Unknown(name)
    }
}

/// Returns `true` if a resource has this identifier, or its name without regard to case.
async fn is_resource(estate: &dyn EstateStore, name: &str) -> Result<bool, StoreError> {
    let by_id = ResourceFilter {
        ids: vec![ResourceId(name.to_owned())],
        limit: 1,
        ..ResourceFilter::default()
    };
    if estate.resource_list(&by_id).await?.1 > 0 {
        return Ok(true);
    }

    let by_name = ResourceFilter {
        text: Some(name.to_owned()),
        limit: MOST_NAMED,
        ..ResourceFilter::default()
    };
    let (found, _) = estate.resource_list(&by_name).await?;
    Ok(found
        .iter()
        .any(|resource| resource.name.to_lowercase() == name.to_lowercase()))
}
