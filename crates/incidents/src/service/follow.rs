//! Keeping incidents in step with findings: anomalies and other sources join, what else is open
//! about the same resources is attached, and incidents that nobody took up end with their findings.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use reeve_anomalies::{Anomaly, AnomalyClass, AnomalyFilter, AnomalyStatus};
use reeve_estate::{ResourceId, StoreError};
use reeve_recommend::agent::AgentType;
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::ports::RecommendationFilter;
use reeve_recommend::recommendation::origin::{AnomalyId, IncidentId, OriginCause};

use super::{Followed, IncidentService};
use crate::incident::{Incident, IncidentStatus};
use crate::log_entry;
use crate::member::{IncidentMember, MemberKind};
use crate::port::IncidentFilter;

/// Time in which findings of other sources are asked for.
const RECENT: SignedDuration = SignedDuration::from_hours(24);
/// Time between two questions to other sources.
const SOURCES_EVERY: SignedDuration = SignedDuration::from_secs(15);
/// Time between two looks at incidents that may be over.
const ENDS_EVERY: SignedDuration = SignedDuration::from_secs(60);
/// Open anomalies that are followed, the newest ones.
const MOST_FOLLOWED: u64 = 500;
/// Open findings that one incident names beside its own.
const MOST_OPEN: u64 = 20;

/// Returns `true` if a time has passed since the last look, and notes this one.
fn is_due(last: &mut Option<Timestamp>, now: Timestamp, every: SignedDuration) -> bool {
    let is_due = last.is_none_or(|last| now.duration_since(last) >= every);
    if is_due {
        *last = Some(now);
    }
    is_due
}

impl IncidentService {
    /// Lets new findings join, and starts the automatic playbooks of incidents that changed.
    ///
    /// # Errors
    /// The store or the log failed; the next call goes on.
    pub async fn keep_in_step(&self) -> Result<(), EngineError> {
        let changed = {
            let mut followed = self.turn.lock().await;
            self.follow_anomalies(&mut followed).await?;
            self.follow_sources(&mut followed).await?;
            let changed = std::mem::take(&mut followed.changed);
            for id in &changed {
                self.attach_open_findings(id).await?;
            }
            let now = self.now();
            if is_due(&mut followed.ended_at, now, ENDS_EVERY) {
                self.end_untouched().await?;
            }
            changed
        };

        for id in changed {
            self.start_automatic(&id).await?;
        }
        Ok(())
    }

    async fn follow_anomalies(&self, followed: &mut Followed) -> Result<(), EngineError> {
        let filter = AnomalyFilter {
            class: Some(AnomalyClass::Security),
            status: vec![AnomalyStatus::Open, AnomalyStatus::Acknowledged],
            limit: MOST_FOLLOWED,
            ..AnomalyFilter::default()
        };
        let (newest, _) = self.ports.anomalies.anomaly_list(&filter).await?;
        for anomaly in newest.iter().rev() {
            self.follow_anomaly(followed, anomaly).await?;
        }
        Ok(())
    }

    /// Lets an anomaly join. Its own group of anomalies and the incident are one: where another
    /// finding joined it to an older incident, the anomaly takes over that one's identifier, and
    /// where anomalies joined two groups, the incidents are merged.
    async fn follow_anomaly(
        &self,
        followed: &mut Followed,
        anomaly: &Anomaly,
    ) -> Result<(), EngineError> {
        let member = IncidentMember::from_anomaly(anomaly);
        let home = IncidentId(anomaly.incident.0.clone());
        let known = followed.known(member.kind, &member.id);
        let is_settled =
            known.is_some_and(|(known, joined)| *known == member && joined.as_ref() == Some(&home));
        if is_settled {
            return Ok(());
        }

        let Some(joined) = self.take_in(followed, member, Some(&home)).await? else {
            return Ok(());
        };
        if joined == home {
            return Ok(());
        }

        if let Some(kept) = self.living(&home).await?
            && kept.id != joined
        {
            let mut kept = kept;
            let other = self.ports.incidents.incident_get(&joined).await?;
            let caller = Caller::system();
            let entry = log_entry::about("incident.join", &kept, &caller)
                .with_metadata("reason", "its anomalies are parts of one attack");
            self.absorb(followed, &mut kept, other, &caller).await?;
            kept.version += 1;
            self.change(entry, self.ports.incidents.incident_update(&kept))
                .await?;
            followed.changed.insert(kept.id);
            return Ok(());
        }

        self.hand_over(anomaly, &joined).await
    }

    /// Gives an anomaly the identifier of the incident that it is a part of now.
    pub(super) async fn hand_over(
        &self,
        anomaly: &Anomaly,
        to: &IncidentId,
    ) -> Result<(), EngineError> {
        let moved = Anomaly {
            incident: AnomalyId(to.0.clone()),
            version: anomaly.version + 1,
            ..anomaly.clone()
        };
        match self.ports.anomalies.anomaly_update(&moved).await {
            // A person answers it at this moment; the next beat moves it.
            Ok(()) | Err(StoreError::Conflict(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Lets findings of other sources join. Active incidents are read once for all of them.
    async fn follow_sources(&self, followed: &mut Followed) -> Result<(), EngineError> {
        if !is_due(&mut followed.sources_at, self.now(), SOURCES_EVERY) {
            return Ok(());
        }

        let mut active: Option<Vec<Incident>> = None;
        for source in &self.ports.sources {
            for member in source.recent(self.now() - RECENT).await? {
                let incidents = match &active {
                    Some(incidents) => incidents,
                    None => active.insert(self.active().await?),
                };
                let known = followed.known(member.kind, &member.id);
                let is_unchanged = known.is_some_and(|(known, _)| *known == member);
                let is_home = |one: &Incident| one.member(member.kind, &member.id).is_some();
                let has_home = incidents.iter().any(is_home);
                let mut others = incidents.iter();
                // What joins nothing is compared again: its incident may be opened later.
                let joins = !has_home && others.any(|one| one.shares(&member).is_some());
                if joins || ((has_home || member.opens()) && !is_unchanged) {
                    self.take_in(followed, member, None).await?;
                    active = None;
                }
            }
        }
        Ok(())
    }

    /// Attaches open recommendations of security and compliance about the resources of an incident:
    /// what made the attack possible.
    async fn attach_open_findings(&self, id: &IncidentId) -> Result<(), EngineError> {
        let Some(mut incident) = self.living(id).await? else {
            return Ok(());
        };
        let resources: BTreeSet<String> = incident.keys().resources;
        if resources.is_empty() {
            return Ok(());
        }

        let filter = RecommendationFilter {
            resources: resources.into_iter().map(ResourceId::new).collect(),
            is_open: true,
            limit: MOST_OPEN,
            ..RecommendationFilter::default()
        };
        let (open, _) = self.ports.agents.recommendation_list(&filter).await?;
        let types = [
            AgentType::SECURITY_INTELLIGENCE,
            AgentType::COMPLIANCE_INTELLIGENCE,
        ];
        let mut grew = false;
        for recommendation in &open {
            let is_response = matches!(
                recommendation.origin.cause,
                OriginCause::Incident(_) | OriginCause::Anomaly(_)
            );
            if !is_response && types.contains(&recommendation.origin.agent_type) {
                grew |= incident.take(IncidentMember::from_recommendation(recommendation));
            }
        }

        if grew {
            incident.version += 1;
            self.ports.incidents.incident_update(&incident).await?;
        }
        Ok(())
    }

    /// Resolves incidents that nobody took up and whose anomalies are over.
    async fn end_untouched(&self) -> Result<(), EngineError> {
        let filter = IncidentFilter {
            status: vec![IncidentStatus::Open],
            limit: super::MOST_COMPARED,
            ..IncidentFilter::default()
        };
        let (open, _) = self.ports.incidents.incident_list(&filter).await?;
        let now = self.now();
        for incident in open {
            if !incident.is_untouched() || !self.is_over(&incident).await? {
                continue;
            }
            let reason = "all its findings are over, and no person had taken it up".to_owned();
            let mut ended = incident;
            ended.become_status(IncidentStatus::Resolved, "system", Some(reason), now);
            ended.version += 1;
            let entry = log_entry::about("incident.resolve", &ended, &Caller::system());
            self.change(entry, self.ports.incidents.incident_update(&ended))
                .await?;
        }
        Ok(())
    }

    async fn is_over(&self, incident: &Incident) -> Result<bool, EngineError> {
        let evidence = || incident.members.iter().filter(|one| one.is_evidence());
        if evidence().any(|member| member.kind != MemberKind::Anomaly) {
            return Ok(false);
        }
        if !self.recorded_runs(&incident.id).await?.is_empty() {
            return Ok(false);
        }

        for member in evidence() {
            let id = AnomalyId(member.id.clone());
            match self.ports.anomalies.anomaly_get(&id).await {
                Ok(anomaly) if anomaly.status != AnomalyStatus::Resolved => return Ok(false),
                Ok(_) | Err(StoreError::NotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(true)
    }

    /// Starts the automatic playbooks that an incident fits and that were not run on it.
    async fn start_automatic(&self, id: &IncidentId) -> Result<(), EngineError> {
        let Some(incident) = self.living(id).await? else {
            return Ok(());
        };
        if !incident.status.is_active() {
            return Ok(());
        }
        let runs = self.recorded_runs(&incident.id).await?;
        for playbook in self.playbooks().await? {
            let is_new = runs.iter().all(|one| one.playbook != playbook.name);
            if playbook.trigger.automatic && is_new && playbook.trigger.fits(&incident) {
                self.start(&incident.id, &playbook.name, &Caller::system())
                    .await?;
            }
        }
        Ok(())
    }
}
