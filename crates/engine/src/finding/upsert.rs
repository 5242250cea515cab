//! Keeping findings: one that has not ended for each resource and type. The same finding refreshes
//! the recommendation in place, and another target supersedes it. People's answers and past
//! failures hold. What is no longer found expires (`expire.rs`).

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use jiff::SignedDuration;
use reeve_audit::{Entry, Obstacle};
use reeve_estate::{ConnectionId, ResourceId, ResourceKind};
use reeve_recommend::agent::Agent;
use reeve_recommend::approval::ApprovalStatus;
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::proposal::Proposal;
use reeve_recommend::recommendation::exclusion::excluded;
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::origin::{Origin, OriginCause};
use reeve_recommend::recommendation::ranking::Ranking;
use reeve_recommend::recommendation::{
    Explanation, Recommendation, RecommendationId, RecommendationSubject, RecommendationType,
};

use crate::agent::ownership::OwnershipHolder;
use crate::finding::earlier_recommendations::{Past, ended_on, open_on};
use crate::finding::judged::Judged;
use crate::finding::severity::{is_more_severe, reopen_for_severity};
use crate::log_entry;
use crate::records::{Records, fresh_id};

/// A finding stops being true unless found again within this.
const GOOD_FOR_DAYS: i64 = 14;
/// A dismissed finding is not made again for this long.
pub(crate) const DISMISSED_DAYS: i64 = 90;
/// A change that failed or was undone is not proposed again for this long.
const FAILED_DAYS: i64 = 30;
/// A volume that was grown is not grown again for this long.
const GROWN_DAYS: i64 = 7;
/// New recommendations from which on they are written: one resource's are written together.
const INSERTED_TOGETHER: usize = 100;

/// Key that at most one open recommendation has: a resource, a type, and an aspect of the resource.
pub(crate) type Key = (ConnectionId, ResourceId, RecommendationType, Option<String>);

/// Returns the key of a finding.
pub(crate) fn key_of(subject: &RecommendationSubject, kind: RecommendationType) -> Key {
    (
        subject.connection.clone(),
        subject.id.clone(),
        kind,
        subject.aspect.clone(),
    )
}

/// Result of keeping a run's findings.
pub(crate) struct Upserted {
    /// Recommendations made or found again.
    pub(crate) kept: Vec<Recommendation>,
    /// Findings that were not kept, by reason.
    pub(crate) skipped: Vec<&'static str>,
}

/// Keeps findings as recommendations, one open one for each resource and type.
pub struct Findings {
    pub(crate) records: Arc<Records>,
}

impl Findings {
    /// Creates the service over the records of the engine.
    #[must_use]
    pub fn new(records: Arc<Records>) -> Self {
        Findings { records }
    }

    /// Keeps the findings of a part of a run's resources, and returns what was there before.
    /// Nothing expires yet.
    pub(crate) async fn upsert(
        &self,
        agent: &Agent,
        judged: &mut [Judged],
        past: &mut Past,
    ) -> Result<(Upserted, BTreeMap<Key, Recommendation>), EngineError> {
        let _turn = self.records.turn.lock().await;
        let open = open_on(
            &self.records,
            &judged.iter().map(|one| one.resource.id.clone()).collect(),
        )
        .await?;
        past.include(&self.records, &proposed_kinds(judged)).await?;
        self.keep(
            OwnershipHolder::from_agent(agent),
            &OriginCause::Run,
            judged,
            open,
            past,
        )
        .await
    }

    /// Keeps the findings of one resource that an event, an anomaly or a predictive rule led to: one
    /// answer for each, its recommendation or the reason why there is none.
    pub(crate) async fn keep_one(
        &self,
        holder: OwnershipHolder<'_>,
        cause: &OriginCause,
        mut judged: Judged,
    ) -> Result<Vec<Result<Recommendation, Obstacle>>, EngineError> {
        let abstentions = judged.judgement.abstentions.iter();
        let mut answers: Vec<Result<Recommendation, Obstacle>> = abstentions
            .map(|abstention| Err(Obstacle::of(&abstention.detail)))
            .collect();
        if judged.judgement.proposals.is_empty() {
            return Ok(answers);
        }

        let _turn = self.records.turn.lock().await;
        let open = open_on(&self.records, &BTreeSet::from([judged.resource.id.clone()])).await?;
        let judged = std::slice::from_mut(&mut judged);
        let past = Past::read(&self.records, &proposed_kinds(judged)).await?;
        let (found, _) = self.keep(holder, cause, judged, open, &past).await?;

        if found.kept.is_empty() {
            let skipped = found.skipped.first().copied();
            answers.push(Err(Obstacle::from(
                skipped.unwrap_or("a change is in progress"),
            )));
        }
        answers.extend(found.kept.into_iter().map(Ok));
        Ok(answers)
    }

    /// Keeps findings and returns what was there before: `open` are the recommendations that have
    /// not ended, at least those on the judged resources. Plans and explanations move from the
    /// proposals to the recommendations. The caller holds the turn.
    pub(crate) async fn keep(
        &self,
        holder: OwnershipHolder<'_>,
        cause: &OriginCause,
        judged: &mut [Judged],
        open: Vec<Recommendation>,
        past: &Past,
    ) -> Result<(Upserted, BTreeMap<Key, Recommendation>), EngineError> {
        // In order, so that what a run records does not depend on chance.
        let current: BTreeMap<Key, Recommendation> = open
            .into_iter()
            .map(|open| (key_of(&open.subject, open.kind), open))
            .collect();
        let caller = holder.caller();
        let mut found = Upserted {
            kept: Vec::new(),
            skipped: Vec::new(),
        };
        let exclusions = self.records.agents.exclusion_list().await?;
        let now = self.records.clock.now();
        let ended = self.ended_before(judged, &current).await?;
        let mut new_recommendations = Vec::new();

        for one in judged {
            for proposal in &mut one.judgement.proposals {
                if excluded(&exclusions, &proposal.subject, proposal.kind, now).is_some() {
                    found.skipped.push("excluded");
                    continue;
                }
                match current.get(&key_of(&proposal.subject, proposal.kind)) {
                    Some(known) if belongs_to_other_agent(known, holder) => {
                        found.skipped.push("found_by_another_agent")
                    }
                    Some(known) => {
                        let made = self.make(holder, cause, proposal, past);
                        let more_severe = one.is_emergency && is_more_severe(known, &made);
                        self.refresh_known(
                            known,
                            made,
                            more_severe,
                            &caller,
                            &mut found,
                            &mut new_recommendations,
                        )
                        .await?;
                    }
                    None => {
                        let ended = ended
                            .get(&one.resource.id)
                            // A decision on one event does not apply to the next.
                            .filter(|_| !one.is_emergency);
                        match suppression_reason(ended, proposal, now) {
                            Some(reason) => found.skipped.push(reason),
                            None => {
                                new_recommendations.push(self.make(holder, cause, proposal, past))
                            }
                        }
                    }
                }
            }
            if new_recommendations.len() >= INSERTED_TOGETHER {
                self.insert_new(
                    std::mem::take(&mut new_recommendations),
                    &caller,
                    &mut found,
                )
                .await?;
            }
        }

        self.insert_new(new_recommendations, &caller, &mut found)
            .await?;
        Ok((found, current))
    }

    /// Recommendations that may keep proposals for which nothing is open from being made again.
    async fn ended_before(
        &self,
        judged: &[Judged],
        current: &BTreeMap<Key, Recommendation>,
    ) -> Result<HashMap<ResourceId, Vec<Recommendation>>, EngineError> {
        let mut resources = BTreeSet::new();
        for one in judged {
            if one
                .judgement
                .proposals
                .iter()
                .any(|proposal| !current.contains_key(&key_of(&proposal.subject, proposal.kind)))
            {
                resources.insert(one.resource.id.clone());
            }
        }

        ended_on(
            &self.records,
            &resources,
            SignedDuration::from_hours(24 * DISMISSED_DAYS),
        )
        .await
    }

    /// Writes new recommendations, recorded together first.
    async fn insert_new(
        &self,
        new_recommendations: Vec<Recommendation>,
        caller: &Caller,
        found: &mut Upserted,
    ) -> Result<(), EngineError> {
        let entries: Vec<Entry> = new_recommendations
            .iter()
            .map(|recommendation| log_entry::found(recommendation, caller))
            .collect();
        if entries.is_empty() {
            return Ok(());
        }

        self.records.record(entries).await?;
        self.records
            .agents
            .recommendation_insert_all(&new_recommendations)
            .await?;
        found.kept.extend(new_recommendations);

        Ok(())
    }

    /// A finding that is there already: refreshed, superseded, or left as a person put it.
    async fn refresh_known(
        &self,
        known: &Recommendation,
        made: Recommendation,
        more_severe: bool,
        caller: &Caller,
        found: &mut Upserted,
        new_recommendations: &mut Vec<Recommendation>,
    ) -> Result<(), EngineError> {
        let same = known.subject.target_type == made.subject.target_type
            && known.subject.instance_type == made.subject.instance_type;
        let at_work = matches!(
            known.status,
            Status::Executing | Status::Verifying | Status::Testing
        );
        if at_work {
            found.skipped.push("executing");
            return Ok(());
        }

        if !same {
            let reason = "replaced by a newer recommendation";
            self.records
                .close_approvals(known, ApprovalStatus::Expired, reason, caller)
                .await?;
            self.records
                .settle_at(
                    &known.id,
                    "recommendation.supersede",
                    Status::Superseded,
                    Some(reason),
                    caller,
                )
                .await?;
            new_recommendations.push(made);
            return Ok(());
        }

        let opened = if more_severe {
            reopen_for_severity(&self.records, known, &made, caller).await?
        } else {
            None
        };
        let known = opened.as_ref().unwrap_or(known);
        let hash = |recommendation: &Recommendation| {
            recommendation.plan.as_ref().map(|plan| plan.hash.clone())
        };

        let made = Recommendation {
            plan: made.plan.map(|plan| plan.or_same_v1(known.plan.as_ref())),
            ..made
        };
        let exception = known
            .exception
            .clone()
            .filter(|exception| hash(&made).as_ref() == Some(&exception.plan_hash));
        let mut next = Recommendation {
            id: known.id.clone(),
            status: known.status,
            created_at: known.created_at,
            scheduled_for: known.scheduled_for,
            snoozed_until: known.snoozed_until,
            status_reason: known.status_reason.clone(),
            blocked: known.blocked.clone(),
            exception,
            requested_by: known.requested_by.clone(),
            expires_at: made.expires_at.max(known.expires_at),
            version: known.version + 1,
            ..made
        };

        if !matches!(known.status, Status::Open | Status::Snoozed) && !more_severe {
            // A person requested exactly this plan; only its expiry moves. A more severe threat is
            // shown to those who sign it.
            next = Recommendation {
                agent_id: next.agent_id,
                updated_at: next.updated_at,
                expires_at: next.expires_at,
                version: next.version,
                ..known.clone()
            };
        }

        let adopted = next.agent_id != known.agent_id;
        if hash(&next) != hash(known)
            || next.impact_level != known.impact_level
            || more_severe
            || adopted
        {
            self.records
                .record(vec![log_entry::refreshed(&next, caller)])
                .await?;
        }

        self.records.agents.recommendation_update(&next).await?;
        found.kept.push(next);
        Ok(())
    }

    /// A recommendation of a proposal, which is left without its plan and explanation.
    fn make(
        &self,
        holder: OwnershipHolder<'_>,
        cause: &OriginCause,
        proposal: &mut Proposal,
        past: &Past,
    ) -> Recommendation {
        let now = self.records.clock.now();
        let (similar_cases, success_rate) = past.similar_cases(proposal);
        let (plan, explanation) = (proposal.plan.take(), proposal.explanation.take());
        let p = proposal.clone();
        let mut made = Recommendation {
            id: RecommendationId(fresh_id()),
            agent_id: holder.id(),
            origin: Origin {
                agent_type: holder.agent_type,
                rule: p.rule.to_owned(),
                cause: cause.clone(),
            },
            kind: p.kind,
            title: p.title,
            subject: p.subject,
            priority: p.priority,
            confidence: p.confidence,
            impact_level: p.impact_level,
            impact: p.impact,
            effort: p.effort,
            savings_monthly: p.savings_monthly,
            savings_after_discounts: p.savings_after_discounts,
            monthly_cost: p.monthly_cost,
            status: Status::Open,
            plan,
            reason_codes: p.reason_codes,
            not_measured: p.not_measured,
            explanation: Explanation {
                similar_cases,
                success_rate,
                ..explanation
            },
            created_at: now,
            updated_at: now,
            expires_at: now + SignedDuration::from_hours(24 * GOOD_FOR_DAYS),
            requested_by: None,
            scheduled_for: None,
            snoozed_until: None,
            status_reason: None,
            blocked: None,
            exception: None,
            closing: None,
            taken_back_by: None,
            ranking: Ranking::default(),
            version: 1,
        };
        made.ranking = past.weights.rank(&made);

        made
    }
}

/// Returns the reason why a finding is not kept again: a user rejected it, or the change failed
/// recently.
fn suppression_reason(
    ended: Option<&Vec<Recommendation>>,
    proposal: &Proposal,
    now: jiff::Timestamp,
) -> Option<&'static str> {
    let same = |r: &&Recommendation| {
        r.kind == proposal.kind
            && r.subject.id == proposal.subject.id
            && r.subject.connection == proposal.subject.connection
            && r.subject.target_type == proposal.subject.target_type
            && r.subject.aspect == proposal.subject.aspect
    };

    let within = |r: &Recommendation, days: i64| {
        now.duration_since(r.updated_at) < SignedDuration::from_hours(24 * days)
    };

    ended
        .into_iter()
        .flatten()
        .filter(same)
        .find_map(|r| match r.status {
            Status::Dismissed if within(r, DISMISSED_DAYS) => Some("dismissed"),
            // The breakers of runbooks decide how often one is applied to a resource.
            Status::Succeeded if r.kind == RecommendationType::KnownIssue => None,
            Status::RolledBack | Status::Failed
                if r.kind == RecommendationType::KnownIssue && r.taken_back_by.is_none() =>
            {
                None
            }
            // The snapshot of an unattached volume is kept; deleting the volume is for a person,
            // and is not nagged for.
            Status::Succeeded
                if r.subject.kind == ResourceKind::Volume && within(r, kept_days(r)) =>
            {
                Some("kept_already")
            }
            Status::RolledBack if r.taken_back_by.is_some() && within(r, FAILED_DAYS) => {
                Some("taken_back")
            }
            Status::RolledBack | Status::Failed if within(r, FAILED_DAYS) => Some("failed_before"),
            _ => None,
        })
}

/// Returns `true` if a recommendation is not the holder's to refresh: it is of another type, or of
/// another agent of the type while that one holds it. Advice of the type is adopted, and what its
/// agent no longer covers becomes advice.
fn belongs_to_other_agent(known: &Recommendation, holder: OwnershipHolder<'_>) -> bool {
    let other_agent =
        known.agent_id.is_some() && holder.agent.is_some() && known.agent_id != holder.id();
    known.origin.agent_type != holder.agent_type || other_agent
}

/// A volume that has grown helps only once its file system has, which is for a person; until then
/// the forecast stays what it was, and must not make it grow again and again.
fn kept_days(recommendation: &Recommendation) -> i64 {
    if recommendation.kind == RecommendationType::StorageExpansion {
        GROWN_DAYS
    } else {
        DISMISSED_DAYS
    }
}

/// Kinds of what was proposed.
pub(crate) fn proposed_kinds(judged: &[Judged]) -> BTreeSet<RecommendationType> {
    judged
        .iter()
        .flat_map(|one| one.judgement.proposals.iter().map(|proposal| proposal.kind))
        .collect()
}
