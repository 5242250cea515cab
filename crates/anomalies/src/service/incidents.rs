//! Incidents of security anomalies: which one an anomaly joins, and their members.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use reeve_estate::StoreError;
use reeve_recommend::error::EngineError;
use reeve_recommend::recommendation::origin::AnomalyId;

use super::super::incident::AnomalyGroup;
use super::super::port::AnomalyFilter;
use super::super::record::{Anomaly, AnomalyClass};
use super::AnomalyService;

/// Time before an anomaly in which the others of its incident may have begun: an attack may go on
/// for days, and what counts is the end of one and the beginning of the next.
const BEGUN_WITHIN: SignedDuration = SignedDuration::from_hours(24 * 7);
/// Anomalies that are compared, the newest ones.
const MOST_COMPARED: u64 = 500;

impl AnomalyService {
    /// Lets a security anomaly join the incident that it is a part of. Where it joins two incidents,
    /// the members of the younger one move to the older one.
    pub(super) async fn join_incident(&self, anomaly: &mut Anomaly) -> Result<(), EngineError> {
        if anomaly.class != AnomalyClass::Security {
            return Ok(());
        }

        let since = anomaly.started_at.checked_sub(BEGUN_WITHIN);
        let filter = AnomalyFilter {
            class: Some(AnomalyClass::Security),
            since: Some(since.unwrap_or(Timestamp::MIN)),
            limit: MOST_COMPARED,
            ..AnomalyFilter::default()
        };
        let (others, _) = self.ports.anomalies.anomaly_list(&filter).await?;
        let Some((oldest, further)) = anomaly.joined_incidents(&others) else {
            return Ok(());
        };

        // The older of its own incident and those that it touches keeps its members.
        let began = |id: &AnomalyId| {
            let begun = others.iter().filter(|other| other.incident == *id);
            begun.map(|other| other.started_at).min()
        };
        let own_is_older = began(&anomaly.incident)
            .is_some_and(|own| anomaly.incident != oldest && began(&oldest) > Some(own));
        let kept = if own_is_older {
            anomaly.incident.clone()
        } else {
            oldest.clone()
        };

        let moving = others.iter().filter(|other| {
            other.id != anomaly.id
                && other.incident != kept
                && (other.incident == oldest || further.contains(&other.incident))
        });
        for other in moving {
            let next = Anomaly {
                incident: kept.clone(),
                version: other.version + 1,
                ..other.clone()
            };
            match self.ports.anomalies.anomaly_update(&next).await {
                // Somebody answers it at this moment; its next finding joins it.
                Ok(()) | Err(StoreError::Conflict(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }

        anomaly.incident = kept;
        Ok(())
    }

    /// Returns the incidents of the security anomalies among these.
    ///
    /// # Errors
    /// The store failed.
    pub async fn incidents<'a>(
        &self,
        anomalies: impl IntoIterator<Item = &'a Anomaly>,
    ) -> Result<BTreeMap<AnomalyId, AnomalyGroup>, EngineError> {
        let mut members: BTreeMap<AnomalyId, Vec<Anomaly>> = BTreeMap::new();
        for anomaly in anomalies {
            if anomaly.class == AnomalyClass::Security {
                let known = members.entry(anomaly.incident.clone()).or_default();
                known.push(anomaly.clone());
            }
        }
        if members.is_empty() {
            return Ok(BTreeMap::new());
        }

        let filter = AnomalyFilter {
            incidents: members.keys().cloned().collect(),
            ..AnomalyFilter::default()
        };
        let (all, _) = self.ports.anomalies.anomaly_list(&filter).await?;
        for anomaly in all {
            let known = members.entry(anomaly.incident.clone()).or_default();
            if known.iter().all(|other| other.id != anomaly.id) {
                known.push(anomaly);
            }
        }

        let incidents = members.into_iter();
        Ok(incidents
            .filter_map(|(id, members)| Some((id, AnomalyGroup::of(&members)?)))
            .collect())
    }
}
