//! Investigation of an anomaly: the sources that may show the cause are read, and the lookups are
//! kept with the anomaly.

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{Metric, Resource, ResourceId, ResourceKind};
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;

use super::super::cause::{Around, ExplainedCause, SHORTLY, likely_cause};
use super::super::changes::by_others;
use super::super::investigate::{
    Companion, HypothesisContext, companions, first_needed, hypotheses, log_lookup,
};
use super::super::investigation::{
    Hypothesis, HypothesisKind, Investigation, InvestigationEvidence, InvestigationLink, Lookup,
    Source, Support, counted,
};
use super::super::likely_cause::LikelyCause;
use super::super::pace::POINT;
use super::super::port::AnomalyFilter;
use super::super::probable_cause::{CauseGrade, ProbableCause};
use super::super::record::{Anomaly, AnomalyClass, Stage};
use super::super::related::RelatedAnomaly;
use super::super::related_entries;
use super::super::subject::resource_at;
use super::{AnomalyService, CONTEXT};

/// Time before an anomaly in which related ones may have begun.
const RELATED_FOR: SignedDuration = SignedDuration::from_hours(24 * 7);

impl AnomalyService {
    /// Reads actions, inventories, other anomalies, metrics and the log around an anomaly, and
    /// keeps what was found with it.
    pub(super) async fn investigate(&self, anomaly: &mut Anomaly) -> Result<(), EngineError> {
        let since = context_of(anomaly);
        let place = ResourceId::new(anomaly.place.id.clone());
        let (known, others) = self.surroundings(anomaly).await?;
        let actions = self.ports.agents.action_on(&place, since).await?;
        let seen = match &known {
            Some(known) => {
                self.ports
                    .estate
                    .resource_changes(&known.connection, &[place], since)
                    .await?
            }
            None => Vec::new(),
        };

        let around = Around {
            actions: &actions,
            seen: &seen,
            others: &others,
        };
        let mut lookups = around_lookups(anomaly, &around, since);
        let (companions, measured) = self.companions(anomaly, known.as_ref()).await;
        lookups.extend(measured);
        lookups.extend(evidence_lookup(anomaly, since));
        let mut found = hypotheses(
            anomaly,
            &HypothesisContext {
                around,
                companions: &companions,
            },
        );
        let probable_cause = self.probable_cause(anomaly, known.as_ref(), &others).await;
        lookups.extend(
            probable_cause
                .iter()
                .map(|cause| map_lookup(anomaly, cause)),
        );
        if let Some(hypothesis) = probable_cause.as_ref().and_then(dependency) {
            let place = found.partition_point(|one| one.support <= hypothesis.support);
            found.insert(place, hypothesis);
        }

        let ExplainedCause {
            cause,
            evidence,
            advice,
        } = likely_cause(anomaly, &around);
        anomaly.evidence.extend(evidence);
        anomaly.cause = Some(best_supported(cause, &found));
        anomaly.advice = advice;
        lookups.extend(self.read_log(anomaly).await);
        anomaly.investigation = Some(Investigation {
            at: self.ports.clock.now(),
            lookups,
            hypotheses: found,
            probable_cause,
        });

        Ok(())
    }

    /// Reads the resource of an anomaly and the anomalies around its time.
    pub(super) async fn surroundings(
        &self,
        anomaly: &Anomaly,
    ) -> Result<(Option<Resource>, Vec<Anomaly>), EngineError> {
        let known = resource_at(&*self.ports.estate, &anomaly.place).await?;
        let filter = AnomalyFilter {
            since: Some(context_of(anomaly)),
            limit: 500,
            ..AnomalyFilter::default()
        };
        let (mut others, _) = self.ports.anomalies.anomaly_list(&filter).await?;
        others.retain(|other| other.id != anomaly.id);
        Ok((known, others))
    }

    /// Takes a judgement that is surer than the one before, and records it.
    pub(super) async fn take_cause(
        &self,
        anomaly: &mut Anomaly,
        cause: ProbableCause,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        let detail = format!(
            "probable cause ({}): {}",
            cause.grade.as_str(),
            cause.statement
        );
        let hypothesis = dependency(&cause);
        if let Some(investigation) = &mut anomaly.investigation {
            let known = &mut investigation.hypotheses;
            known.retain(|one| one.kind != HypothesisKind::Dependency);
            if let Some(hypothesis) = hypothesis {
                let place = known.partition_point(|one| one.support <= hypothesis.support);
                known.insert(place, hypothesis);
            }
            let likely = anomaly.cause.take().unwrap_or(LikelyCause::Unknown);
            anomaly.cause = Some(best_supported(likely, known));
            investigation.probable_cause = Some(cause);
        }
        self.record_stage(anomaly, Stage::Investigate, detail, caller)
            .await
    }

    /// Returns the security anomalies that may be parts of the same attack.
    ///
    /// # Errors
    /// The store failed.
    pub async fn related(&self, anomaly: &Anomaly) -> Result<Vec<RelatedAnomaly>, EngineError> {
        if anomaly.class != AnomalyClass::Security {
            return Ok(Vec::new());
        }

        // An attack may go on for days: the span counts from the end of one to the beginning of the
        // other.
        let since = anomaly
            .started_at
            .checked_sub(RELATED_FOR)
            .unwrap_or(Timestamp::MIN);
        let class = Some(AnomalyClass::Security);
        let filter = AnomalyFilter {
            class,
            since: Some(since),
            limit: 500,
            ..AnomalyFilter::default()
        };
        let (others, _) = self.ports.anomalies.anomaly_list(&filter).await?;

        Ok(anomaly.related(&others))
    }

    /// Reads the log of its resource; `None` for a place that is no resource.
    async fn read_log(&self, anomaly: &mut Anomaly) -> Option<Lookup> {
        related_entries::query(anomaly)?;
        let read = self.related_entries(anomaly).await;
        let lookup = log_lookup(anomaly, read.is_some());
        anomaly.related_entries = read.unwrap_or_default();
        Some(lookup)
    }

    /// Compares every metric of the resource with the days before. A failure to read them does not
    /// delay the alert.
    async fn companions(
        &self,
        anomaly: &Anomaly,
        known: Option<&Resource>,
    ) -> (Vec<Companion>, Vec<Lookup>) {
        let asked: &[Metric] =
            ResourceKind::parse(&anomaly.place.kind).map_or(&[], ResourceKind::metrics);
        let Some(known) = known.filter(|_| !asked.is_empty()) else {
            return (Vec::new(), Vec::new());
        };

        let (from, to) = (first_needed(anomaly), anomaly.last_at + POINT);
        let ids = std::slice::from_ref(&known.id);

        match self
            .ports
            .samples
            .sample_series(&known.connection, ids, asked, from, to)
            .await
        {
            Ok(read) => companions(anomaly, asked, &read),
            Err(error) => {
                tracing::warn!(%error, anomaly = anomaly.id.0, "metrics were not read for the cause of an anomaly");
                let (source, subject) = (Source::Metrics, anomaly.place.id.clone());
                let result = "the samples could not be read".to_owned();
                (
                    Vec::new(),
                    vec![Lookup {
                        source,
                        subject,
                        from,
                        to,
                        found: None,
                        result,
                    }],
                )
            }
        }
    }
}

/// Start of the time around an anomaly that its investigation reads.
fn context_of(anomaly: &Anomaly) -> Timestamp {
    let since = anomaly.started_at.checked_sub(CONTEXT);
    since.unwrap_or(Timestamp::MIN)
}

/// Hypothesis that a judgement of the probable cause gives, where it names another resource.
fn dependency(cause: &ProbableCause) -> Option<Hypothesis> {
    let named = cause.named()?;
    let link = InvestigationLink::Resource(named.resource.clone());
    let changes = named
        .changes
        .iter()
        .map(|change| InvestigationEvidence::new(change.text.clone(), change.link.clone()));
    let reasons = named
        .reasons
        .iter()
        .map(|reason| InvestigationEvidence::new(reason.clone(), link.clone()));
    Some(Hypothesis {
        kind: HypothesisKind::Dependency,
        support: match cause.grade {
            CauseGrade::Confirmed => Support::Strong,
            CauseGrade::Likely | CauseGrade::Inconclusive => Support::Moderate,
        },
        statement: format!("{} cause: {}", cause.grade.as_str(), cause.statement),
        evidence: changes.chain(reasons).collect(),
    })
}

/// The map as a source that was read.
fn map_lookup(of: &Anomaly, cause: &ProbableCause) -> Lookup {
    Lookup {
        source: Source::Dependencies,
        subject: of.place.id.clone(),
        from: of.started_at.checked_sub(SHORTLY).unwrap_or(Timestamp::MIN),
        to: of.last_at,
        found: Some(cause.resources),
        result: format!(
            "{}, {} measured",
            counted(cause.dependencies as usize, "dependency", "dependencies"),
            cause.measured
        ),
    }
}

/// Returns the best supported hypothesis in place of an unknown cause.
fn best_supported(cause: LikelyCause, found: &[Hypothesis]) -> LikelyCause {
    match found
        .first()
        .filter(|best| best.support <= Support::Moderate)
    {
        Some(best) if cause == LikelyCause::Unknown => LikelyCause::Hypothesis {
            kind: Some(best.kind),
            statement: best.statement.clone(),
        },
        _ => cause,
    }
}

fn around_lookups(of: &Anomaly, around: &Around<'_>, since: Timestamp) -> Vec<Lookup> {
    let place = of.place.id.clone();
    let own = around
        .actions
        .iter()
        .filter(|action| action.resource.0 == place)
        .count();
    let others = by_others(around.seen, around.actions).len();
    let lookup = |source, from, count: usize, result: String| Lookup {
        source,
        subject: place.clone(),
        from,
        to: of.last_at,
        found: Some(count as u64),
        result,
    };

    let said = |count: usize, one: &str, several: &str, none: &str| {
        if count == 0 {
            none.to_owned()
        } else {
            counted(count, one, several)
        }
    };

    let strange = around.others.len();
    let shortly = SHORTLY.as_hours();
    let mut found = Vec::new();

    if ResourceKind::parse(&of.place.kind).is_some() {
        let changed = said(own, "change", "changes", "Reeve changed nothing");
        found.push(lookup(Source::Actions, since, own, changed));
        let seen = said(
            others,
            "change not by Reeve",
            "changes not by Reeve",
            "nothing changed that inventories show",
        );
        found.push(lookup(
            Source::Inventory,
            since,
            others,
            format!("{seen}; the last {shortly} hours count"),
        ));
    }

    let result = said(
        strange,
        "other anomaly",
        "other anomalies",
        "no other anomaly",
    );

    found.push(Lookup {
        subject: "all".to_owned(),
        ..lookup(Source::Anomalies, since, strange, result)
    });
    found
}

/// The bill or the behavior that raised the anomaly.
fn evidence_lookup(of: &Anomaly, since: Timestamp) -> Option<Lookup> {
    let (source, from, count, result) = match of.class {
        AnomalyClass::Cost => {
            let count = of.contributions.len();
            let result = format!(
                "{} the difference",
                counted(count, "resource makes", "resources make")
            );
            (Source::Charges, of.started_at, count, result)
        }
        AnomalyClass::Security => {
            let count = of.evidence.len();
            (
                Source::Behavior,
                since,
                count,
                counted(count, "sign", "signs"),
            )
        }
        AnomalyClass::Performance | AnomalyClass::Operational => return None,
    };

    let subject = of.place.id.clone();
    Some(Lookup {
        source,
        subject,
        from,
        to: of.last_at,
        found: Some(count as u64),
        result,
    })
}
