//! Investigation of an anomaly: the sources that may show the cause are read, and the lookups are
//! kept with the anomaly.

use jiff::{SignedDuration, Timestamp};
use reeve_estate::{Metric, Resource, ResourceId, ResourceKind};
use reeve_recommend::error::EngineError;

use super::super::cause::{Around, ExplainedCause, SHORTLY, likely_cause};
use super::super::changes::by_others;
use super::super::investigate::{
    Companion, Context, companions, first_needed, hypotheses, log_lookup,
};
use super::super::investigation::{Hypothesis, Investigation, Lookup, Source, Support, counted};
use super::super::likely_cause::LikelyCause;
use super::super::pace::POINT;
use super::super::port::AnomalyFilter;
use super::super::record::{Anomaly, AnomalyClass};
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
        let since = anomaly
            .started_at
            .checked_sub(CONTEXT)
            .unwrap_or(Timestamp::MIN);
        let place = ResourceId::new(anomaly.place.id.clone());
        let known = resource_at(&*self.ports.estate, &anomaly.place).await?;
        let actions = self.ports.agents.action_on(&place, since).await?;
        let filter = AnomalyFilter {
            since: Some(since),
            limit: 500,
            ..AnomalyFilter::default()
        };
        let (mut others, _) = self.ports.anomalies.anomaly_list(&filter).await?;
        others.retain(|other| other.id != anomaly.id);
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
        let found = hypotheses(
            anomaly,
            &Context {
                around,
                companions: &companions,
            },
        );

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
        });

        Ok(())
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
