//! The anomaly service: merges findings into anomalies, responds to them in order, and learns from
//! feedback.

mod cause_search;
mod chains;
mod configure;
mod execute;
mod feedback;
mod feeds;
mod incidents;
mod investigate;
mod isolation;
mod learn;
mod recommend;

use std::future::Future;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use reeve_audit::Obstacle;
use reeve_audit::{Entry, EventId};
use reeve_dependencies::MapReader;
use reeve_estate::{DescriptionStore, EstateStore, PriceCatalogue, SampleStore, StoreError};
use reeve_recommend::agent::contract::AgentTypes;
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::ports::responses::Responses;
use reeve_recommend::ports::{AgentStore, Clock, LogReader, RecordError, Recorder, record_change};
use reeve_recommend::recommendation::RecommendationId;
use reeve_recommend::recommendation::origin::AnomalyId;

use super::chain::AttackChainStore;
use super::finding::Finding;
use super::investigation::Investigation;
use super::log_entry;
use super::port::{AnomalyFilter, AnomalyStore};
use super::record::{
    Anomaly, AnomalyClass, AnomalyStatus, FeedbackKind, Response, Stage, derive_id,
};
use super::related_entries::{self, LATE, MOST_READ};
use super::related_entry::RelatedEntry;
use super::threat::ThreatStore;
use super::threat::feed::ThreatFeedReader;

pub use chains::ChainScope;

/// Findings of one resource this close together are one anomaly; an anomaly without findings for as
/// long is resolved.
const MERGE_SPAN: SignedDuration = SignedDuration::from_hours(6);
/// The same for spending: bills have daily figures, which arrive a day or two late.
const MERGE_SPAN_COST: SignedDuration = SignedDuration::from_hours(72);
/// Time for which the feedback "false" suppresses similar anomalies.
const SUPPRESSED_FOR: SignedDuration = SignedDuration::from_hours(24 * 30);
/// Time before an anomaly in which other anomalies and actions may be its cause.
const CONTEXT: SignedDuration = SignedDuration::from_hours(6);

/// Isolation of a security anomaly's machine, or the reason why there is none; `None` for any other
/// anomaly.
type Isolation = Option<Result<RecommendationId, Obstacle>>;

/// Ports that the service needs.
#[derive(Clone)]
pub struct AnomalyPorts {
    /// Anomalies and their settings.
    pub anomalies: Arc<dyn AnomalyStore>,
    /// Source of Reeve's actions, for causes.
    pub agents: Arc<dyn AgentStore>,
    /// Changes that inventories found, for causes.
    pub estate: Arc<dyn EstateStore>,
    /// Source of samples, for causes.
    pub samples: Arc<dyn SampleStore>,
    /// Versions of configurations, for causes.
    pub descriptions: Arc<dyn DescriptionStore>,
    /// Reader of dependency maps, for causes.
    pub maps: MapReader,
    /// Remedies that can be applied to anomalies.
    pub responses: Arc<dyn Responses>,
    /// Attack chains.
    pub chains: Arc<dyn AttackChainStore>,
    /// Lists of threat indicators.
    pub threats: Arc<dyn ThreatStore>,
    /// Reader of addresses that lists are kept as.
    pub feed_reader: Arc<dyn ThreatFeedReader>,
    /// Secret that identifiers of anomalies are derived with.
    pub identifier_key: [u8; 32],
    /// Writer of the audit log.
    pub recorder: Arc<dyn Recorder>,
    /// The same, for causes.
    pub log: Arc<dyn LogReader>,
    pub catalogue: Arc<PriceCatalogue>,
    /// Agent types, whose rules answer anomalies.
    pub agent_types: AgentTypes,
    pub clock: Arc<dyn Clock>,
}

/// Service that keeps anomalies and responds to them.
#[derive(Clone)]
pub struct AnomalyService {
    ports: AnomalyPorts,
}

impl AnomalyService {
    /// Creates the service over these ports.
    #[must_use]
    pub fn new(ports: AnomalyPorts) -> AnomalyService {
        AnomalyService { ports }
    }

    /// Returns the reader of the maps that probable causes are sought on.
    #[must_use]
    pub fn maps(&self) -> &MapReader {
        &self.ports.maps
    }

    async fn record(&self, entry: Entry) -> Result<(), EngineError> {
        Ok(self
            .ports
            .recorder
            .record(vec![entry.at(self.ports.clock.now())])
            .await?)
    }

    /// Records the intent of a change, makes it, and records its outcome.
    async fn change<T>(
        &self,
        entry: Entry,
        change: impl Future<Output = Result<T, StoreError>> + Send,
    ) -> Result<T, EngineError> {
        record_change(&*self.ports.recorder, &*self.ports.clock, entry, change).await
    }

    /// Keeps a finding: as a new anomaly, which is returned, as an extension of an open one, or not
    /// at all.
    ///
    /// # Errors
    /// The store or the log failed; the finding may be reported again.
    pub async fn report(
        &self,
        finding: Finding,
        caller: &Caller,
    ) -> Result<Option<Anomaly>, EngineError> {
        let filter = AnomalyFilter {
            key: Some(finding.key()),
            limit: 50,
            ..AnomalyFilter::default()
        };
        let (known, _) = self.ports.anomalies.anomaly_list(&filter).await?;
        let apart = merge_span(finding.class);
        let within = |anomaly: &&Anomaly| {
            finding.started_at.duration_since(anomaly.last_at) <= apart
                && anomaly.started_at.duration_since(finding.last_at) <= apart
        };

        if let Some(same) = known.iter().find(within) {
            self.extend(same.clone(), finding, caller).await?;
            return Ok(None);
        }
        if known
            .iter()
            .any(|anomaly| is_suppressed(anomaly, finding.score(), self.ports.clock.now()))
        {
            return Ok(None);
        }

        let thresholds = self.thresholds().await?;
        let passes = |reading| thresholds.passes(finding.class, &finding.place.id, reading);

        if !finding.readings.iter().any(passes) {
            tracing::debug!(
                key = finding.key(),
                "a deviation below its learned threshold is not reported"
            );
            return Ok(None);
        }

        self.open(finding, caller).await
    }

    async fn extend(
        &self,
        anomaly: Anomaly,
        finding: Finding,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        if !anomaly
            .responses
            .iter()
            .any(|response| response.stage == Stage::Alert)
        {
            // It was kept, and the process ended or the log failed before the alert.
            return self.respond(anomaly, caller).await.map(drop);
        }

        let grown = anomaly.grows_by(&finding);
        // Entries of one batch are recorded at one time.
        if anomaly.status == AnomalyStatus::Resolved
            || (finding.last_at <= anomaly.last_at && !grown)
        {
            return Ok(());
        }

        let worse = finding.score() > anomaly.score();
        let more_severe = finding.severity < anomaly.severity;
        let last_at = finding.last_at.max(anomaly.last_at);
        let mut next = Anomaly {
            last_at,
            version: anomaly.version + 1,
            ..anomaly
        };

        if worse
            || more_severe
            || finding
                .activity
                .as_ref()
                .is_some_and(|activity| activity.sign_ins && grown)
        {
            next.title = finding.title;
        }

        if grown {
            next.take_activity(finding.activity);
            self.join_incident(&mut next).await?;
        }
        if more_severe {
            next.severity = finding.severity;
            next.evidence.extend(finding.evidence);
        }

        for reading in finding.readings {
            match next
                .readings
                .iter_mut()
                .find(|known| known.metric == reading.metric)
            {
                Some(known) if known.score >= reading.score => {}
                Some(known) => *known = reading,
                None => next.readings.push(reading),
            }
        }

        next.readings.sort_by(|a, b| b.score.total_cmp(&a.score));
        let recent = self.ports.clock.now().duration_since(next.detected_at) <= LATE;
        if recent && next.related_entries.is_empty() && next.cause.is_some() {
            next.related_entries = self.related_entries(&next).await.unwrap_or_default();
        }

        if let Some(cause) = self.surer_cause(&next).await? {
            self.take_cause(&mut next, cause, caller).await?;
        }

        match self.ports.anomalies.anomaly_update(&next).await {
            Ok(()) if more_severe && next.class == AnomalyClass::Security => {
                self.respond(next, caller).await.map(drop)
            }
            // Somebody answers it at this moment; the next strange point extends it.
            Ok(()) | Err(StoreError::Conflict(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Alerts, and investigates, recommends and executes as the settings say; each stage is
    /// recorded before the next. Returns `None` when another process has responded meanwhile: that
    /// one executes.
    async fn respond(
        &self,
        mut anomaly: Anomaly,
        caller: &Caller,
    ) -> Result<Option<Anomaly>, EngineError> {
        let reaction = self
            .ports
            .anomalies
            .anomaly_settings_get()
            .await?
            .action(anomaly.class);

        let reported_before = !anomaly.responses.is_empty();
        let detail = if reported_before {
            format!("{} by now: {}", anomaly.severity, anomaly.title)
        } else {
            anomaly.title.clone()
        };
        self.record_stage(&mut anomaly, Stage::Alert, detail, caller)
            .await?;

        let isolation = if reaction.investigates() {
            self.diagnose(&mut anomaly, caller).await?
        } else {
            None
        };

        anomaly.version += 1;
        match self.ports.anomalies.anomaly_update(&anomaly).await {
            // The alert is recorded already; a failed execution is recorded as well and does not
            // withdraw it.
            Ok(()) if reaction.executes() => {
                self.execute(anomaly, isolation, caller).await.map(Some)
            }
            Ok(()) => Ok(Some(anomaly)),
            Err(StoreError::Conflict(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Investigates and recommends a remedy.
    async fn diagnose(
        &self,
        anomaly: &mut Anomaly,
        caller: &Caller,
    ) -> Result<Isolation, EngineError> {
        self.investigate(anomaly).await?;
        let looked = anomaly
            .investigation
            .as_ref()
            .map(Investigation::summary)
            .unwrap_or_default();
        let detail = format!("{} ({looked})", anomaly.cause_in_words());
        self.record_stage(anomaly, Stage::Investigate, detail, caller)
            .await?;
        let isolation = match anomaly.class {
            AnomalyClass::Security => self.recommend_isolation(anomaly).await?,
            _ => {
                self.recommend(anomaly).await?;
                None
            }
        };

        let advice = anomaly.advice.clone();
        self.record_stage(anomaly, Stage::Recommend, advice, caller)
            .await?;
        Ok(isolation)
    }

    /// Keeps a new anomaly and responds to it. Returns `None` when another process has found the
    /// same.
    async fn open(
        &self,
        finding: Finding,
        caller: &Caller,
    ) -> Result<Option<Anomaly>, EngineError> {
        let deviation = finding
            .readings
            .first()
            .filter(|r| r.expected.abs() > f64::EPSILON)
            .map(|r| (r.value - r.expected) / r.expected.abs() * 100.0);
        let key = finding.key();
        let id = derive_id(&self.ports.identifier_key, &key, finding.started_at);
        let mut anomaly = Anomaly {
            incident: id.clone(),
            id,
            key,
            class: finding.class,
            status: AnomalyStatus::Open,
            severity: finding.severity,
            title: finding.title,
            place: finding.place,
            readings: finding.readings,
            deviation_percent: deviation.filter(|percent| percent.is_finite()),
            contributions: finding.contributions,
            activity: finding.activity,
            investigation: None,
            remediation: None,
            cause: None,
            evidence: finding.evidence,
            advice: String::new(),
            related_entries: Vec::new(),
            responses: Vec::new(),
            feedback: Vec::new(),
            started_at: finding.started_at,
            last_at: finding.last_at,
            detected_at: self.ports.clock.now(),
            resolved_at: None,
            reopened_at: None,
            version: 1,
        };
        self.join_incident(&mut anomaly).await?;

        match self.ports.anomalies.anomaly_insert(&anomaly).await {
            Ok(()) => self.respond(anomaly, caller).await,
            Err(StoreError::Conflict(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Records a stage of the response. The entry's identifier follows from the anomaly, the stage
    /// and its place among the responses, so that two processes, or one before and after a crash,
    /// record it once.
    async fn record_stage(
        &self,
        anomaly: &mut Anomaly,
        stage: Stage,
        detail: String,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        let at = self.ports.clock.now();
        let id = format!(
            "{}-{}-{}",
            anomaly.id.0,
            stage.as_str(),
            anomaly.responses.len() + 1
        );
        let id = EventId::derived(&id).map_err(|error| RecordError(error.to_string()))?;

        self.ports
            .recorder
            .record_once(
                log_entry::stage(stage, anomaly, &detail, caller)
                    .with_id(id)
                    .at(at),
            )
            .await?;

        anomaly.responses.push(Response { stage, at, detail });
        Ok(())
    }

    /// Reads the log entries before the anomaly. A failure to read them does not delay the alert.
    /// `None` if it was not read.
    async fn related_entries(&self, anomaly: &Anomaly) -> Option<Vec<RelatedEntry>> {
        let query = related_entries::query(anomaly)?;
        match self.ports.log.newest(query, MOST_READ).await {
            Ok(found) => Some(related_entries::related_entries(anomaly, found)),
            Err(error) => {
                tracing::warn!(%error, anomaly = anomaly.id.0, "the log could not be searched for the cause of an anomaly");
                None
            }
        }
    }

    /// Acknowledges an anomaly.
    ///
    /// # Errors
    /// A conflict when it is over already.
    pub async fn acknowledge(
        &self,
        id: &AnomalyId,
        caller: &Caller,
    ) -> Result<Anomaly, EngineError> {
        let anomaly = self.ports.anomalies.anomaly_get(id).await?;
        match anomaly.status {
            AnomalyStatus::Resolved => Err(EngineError::Conflict(
                "the anomaly is already resolved".to_owned(),
            )),
            AnomalyStatus::Acknowledged => Ok(anomaly),
            AnomalyStatus::Open => {
                let next = Anomaly {
                    status: AnomalyStatus::Acknowledged,
                    version: anomaly.version + 1,
                    ..anomaly
                };
                self.record(log_entry::about("anomaly.acknowledge", &next, caller))
                    .await?;
                self.ports.anomalies.anomaly_update(&next).await?;
                Ok(next)
            }
        }
    }

    /// Resolves anomalies without recent findings. Returns their number.
    ///
    /// # Errors
    /// The store or the log failed.
    pub async fn settle(&self, caller: &Caller) -> Result<u64, EngineError> {
        let now = self.ports.clock.now();
        let mut ended = 0;

        for status in [AnomalyStatus::Open, AnomalyStatus::Acknowledged] {
            let filter = AnomalyFilter {
                status: vec![status],
                ..AnomalyFilter::default()
            };
            let (waiting, _) = self.ports.anomalies.anomaly_list(&filter).await?;
            let last_activity = |anomaly: &Anomaly| {
                anomaly
                    .reopened_at
                    .map_or(anomaly.last_at, |at| at.max(anomaly.last_at))
            };
            for anomaly in waiting {
                let anomaly = self
                    .learn_from_outcome(&anomaly, caller)
                    .await?
                    .unwrap_or(anomaly);
                if now.duration_since(last_activity(&anomaly)) <= merge_span(anomaly.class) {
                    continue;
                }
                let version = anomaly.version + 1;
                let next = Anomaly {
                    status: AnomalyStatus::Resolved,
                    resolved_at: Some(now),
                    version,
                    ..anomaly
                };
                self.record(log_entry::about("anomaly.resolve", &next, caller))
                    .await?;
                match self.ports.anomalies.anomaly_update(&next).await {
                    Ok(()) => {
                        self.withdraw_remedy(&next, caller).await?;
                        ended += 1;
                    }
                    Err(StoreError::Conflict(_)) => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }

        Ok(ended)
    }
}

const fn merge_span(class: AnomalyClass) -> SignedDuration {
    match class {
        AnomalyClass::Cost => MERGE_SPAN_COST,
        _ => MERGE_SPAN,
    }
}

/// Returns `true` if a similar anomaly, at least as anomalous, was recently reported as false.
fn is_suppressed(anomaly: &Anomaly, score: f64, now: Timestamp) -> bool {
    anomaly.current_feedback().is_some_and(|said| {
        said.kind == FeedbackKind::False
            && now.duration_since(said.at) <= SUPPRESSED_FOR
            && score <= anomaly.score()
    })
}
