//! Watching chains: every judged call that shows a technique is a step of its principal's chain.
//!
//! State is in memory and made again from the log after a start, as everything else that the watch
//! over behavior remembers. A role that is assumed and credentials that are made for another take
//! the chain along.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::Timestamp;
use reeve_learn::attack_chain::{
    AttackChainBelief, AttackChainStep, AttackStage, ChainModel, FITTED,
};
use reeve_learn::behavior::{ActivityEvent, BehaviorOutcome, BehaviorPrincipalKind, Trait};

use super::{AttackChain, ChainStep, MOST_STEPS, NextStep, stage_of};
use crate::attack::AttackTechnique;
use crate::record::derive_id;

/// A technique that was used within this time is no new step, unless it is more unusual now.
const SAME_STEP_MS: i64 = 12 * 3_600_000;
/// Chains that are followed; beyond them those without a step for longest are forgotten.
const MOST_CHAINS: usize = 10_000;
/// Principals that a chain may pass to next.
const MOST_HEIRS: usize = 10_000;
/// A chain of fewer stages is no chain.
const FEWEST_STAGES: usize = 2;
/// Chains less probable than this are not shown.
const LEAST_PROBABILITY: f64 = 0.02;

/// A call with its judgement and the entry that recorded it.
#[derive(Debug, Clone, Copy)]
pub struct ObservedCall<'a> {
    pub event: &'a ActivityEvent,
    /// Technique that it shows; `None` for a call without one.
    pub technique: Option<&'static AttackTechnique>,
    /// Behavior score, 0 to 1.
    pub score: f64,
    /// Name of the principal in the entry.
    pub who: &'a str,
    pub account: &'a str,
    pub event_id: &'a str,
    pub at: Timestamp,
}

/// Techniques of one principal that were seen lately.
#[derive(Debug, Clone, Default)]
pub struct StepFilter {
    seen: BTreeMap<&'static str, (i64, usize)>,
}

impl StepFilter {
    /// Returns the step that a call with a technique is; `None` where the technique was a step
    /// lately.
    pub fn step(
        &mut self,
        event: &ActivityEvent,
        score: f64,
        technique: &'static AttackTechnique,
    ) -> Option<AttackChainStep> {
        let step = AttackChainStep {
            stage: stage_of(technique.tactic),
            score,
            at_ms: event.at_ms,
        };
        let (last, band) = self.seen.get(technique.id).copied().unwrap_or_default();
        let is_known = self.seen.contains_key(technique.id)
            && event.at_ms - last < SAME_STEP_MS
            && step.band() <= band;
        let band = if is_known { band } else { step.band() };
        self.seen
            .insert(technique.id, (event.at_ms.max(last), band));
        (!is_known).then_some(step)
    }
}

/// Returns `true` for calls that may be a step: not a failed one, and not one of the cloud itself.
#[must_use]
pub fn may_be_step(event: &ActivityEvent) -> bool {
    let by_cloud =
        event.kind == BehaviorPrincipalKind::Service || event.traits.has(Trait::PassedOn);
    !by_cloud
        && !matches!(
            event.outcome,
            BehaviorOutcome::Failed | BehaviorOutcome::Rehearsed
        )
}

/// Chain of one principal as it grows.
#[derive(Debug, Clone, Default)]
struct Live {
    belief: AttackChainBelief,
    filter: StepFilter,
    steps: Vec<ChainStep>,
    principals: Vec<String>,
    who: String,
    account: String,
    last_ms: i64,
}

/// The watch over chains.
#[derive(Debug, Clone)]
pub struct ChainWatch {
    model: ChainModel,
    live: HashMap<String, Live>,
    /// Principals that others made or became, with the principal that did.
    heirs: BTreeMap<String, String>,
    /// Principals whose chain grew since it was last taken.
    grown: BTreeSet<String>,
}

impl Default for ChainWatch {
    fn default() -> Self {
        Self::new(FITTED)
    }
}

impl ChainWatch {
    /// Creates a watch with a model.
    #[must_use]
    pub fn new(model: ChainModel) -> Self {
        Self {
            model,
            live: HashMap::new(),
            heirs: BTreeMap::new(),
            grown: BTreeSet::new(),
        }
    }

    /// Takes a judged call. Returns the evidence of its principal where the call was a step.
    pub fn observe(&mut self, call: &ObservedCall<'_>) -> Option<AttackChainBelief> {
        let principal = call.event.principal.as_str();
        self.inherit(principal);

        let technique = call.technique.filter(|_| may_be_step(call.event));
        let belief = technique.and_then(|technique| self.add(call, technique));
        if let Some(live) = self.live.get_mut(principal) {
            live.last_ms = live.last_ms.max(call.event.at_ms);
        }
        self.pass_on(call);
        belief
    }

    /// Adds a call with a technique to the chain of its principal.
    fn add(
        &mut self,
        call: &ObservedCall<'_>,
        technique: &'static AttackTechnique,
    ) -> Option<AttackChainBelief> {
        let principal = call.event.principal.as_str();
        self.make_room(principal);
        let live = self.live.entry(principal.to_owned()).or_default();

        let step = live.filter.step(call.event, call.score, technique)?;
        if live.belief.add(&self.model, &step) {
            live.note(call, step.stage, technique);
            self.grown.insert(principal.to_owned());
        } else {
            live.steps.clear();
            live.principals.clear();
        }
        Some(live.belief)
    }

    /// Returns the chains that grew since they were last taken, as they are at a time.
    pub fn take_grown(&mut self, now: Timestamp) -> Vec<AttackChain> {
        let grown = std::mem::take(&mut self.grown);
        grown
            .iter()
            .filter_map(|principal| self.chain(principal, now))
            .collect()
    }

    /// Returns the probability that the chain of a principal goes on at a time, 0 to 1.
    #[must_use]
    pub fn goes_on(&self, principal: &str, at_ms: i64) -> f64 {
        let live = self.live.get(principal);
        let belief = live.map(|live| live.belief).unwrap_or_default();
        belief.goes_on(&self.model, at_ms)
    }

    /// Takes the chains that grew for known.
    pub fn forget_grown(&mut self) {
        self.grown.clear();
    }

    /// Returns the chain of a principal; `None` for one of too few stages or too little
    /// probability.
    #[must_use]
    pub fn chain(&self, principal: &str, now: Timestamp) -> Option<AttackChain> {
        let live = self.live.get(principal)?;
        let (first, last) = (live.steps.first()?, live.steps.last()?);
        let at_ms = now.as_millisecond().min(last.at.as_millisecond());
        let probability = live.belief.goes_on(&self.model, at_ms);
        let stages = AttackStage::ALL
            .iter()
            .filter(|stage| live.steps.iter().any(|step| step.stage == stage.as_str()));
        let reached = stages.clone().next_back()?;
        if stages.count() < FEWEST_STAGES || probability < LEAST_PROBABILITY {
            return None;
        }

        let mut next: Vec<NextStep> = AttackStage::ALL
            .iter()
            .zip(live.belief.next(&self.model, at_ms))
            .map(|(stage, probability)| NextStep {
                stage: stage.as_str().to_owned(),
                probability,
            })
            .collect();
        next.sort_by(|a, b| b.probability.total_cmp(&a.probability));

        Some(AttackChain {
            id: derive_id(&[], &format!("chain/{principal}"), first.at).0,
            principal: live.who.clone(),
            account: live.account.clone(),
            principals: live.principals.clone(),
            reached: reached.as_str().to_owned(),
            probability,
            next,
            reachable: Vec::new(),
            stops: Vec::new(),
            started_at: first.at,
            last_at: last.at,
            predicted_at: None,
            steps: live.steps.clone(),
        })
    }

    /// Gives a principal the chain of whoever handed over to it, if that is stronger than its own.
    /// Most calls are of principals without one: they cost two look-ups at most.
    fn inherit(&mut self, principal: &str) {
        if self.heirs.is_empty() {
            return;
        }

        let by_id = self.heirs.remove(principal);
        let from = by_id.or_else(|| self.heirs.remove(&name_of(principal)));
        let Some(from) = from.and_then(|from| self.live.get(&from)) else {
            return;
        };
        let own = self.live.get(principal).map(|live| live.belief);
        let own = own.unwrap_or_default().evidence(from.last_ms);
        if from.belief.evidence(from.last_ms) <= own {
            return;
        }

        let from = from.clone();
        self.make_room(principal);
        let live = self.live.entry(principal.to_owned()).or_default();
        live.belief.join(&from.belief);
        live.steps = from.steps;
        live.principals = from.principals;
    }

    /// Makes room for the chain of a principal that has none yet.
    fn make_room(&mut self, principal: &str) {
        if self.live.len() >= MOST_CHAINS && !self.live.contains_key(principal) {
            self.forget();
        }
    }

    /// Remembers whom a call makes its principal become, or gives credentials to.
    fn pass_on(&mut self, call: &ObservedCall<'_>) {
        let event = call.event;
        if event.outcome != BehaviorOutcome::Done {
            return;
        }

        let makes = call
            .technique
            .is_some_and(|technique| matches!(technique.id, "T1098.001" | "T1098" | "T1136.003"));
        let heir = if !event.becomes.is_empty() {
            Some(event.becomes.clone())
        } else if makes && !event.resource.is_empty() {
            let account = event.principal.split(':').next().unwrap_or_default();
            let name = event.resource.rsplit('/').next().unwrap_or_default();
            Some(format!("{account}:{name}"))
        } else {
            None
        };

        let Some(heir) = heir.filter(|heir| *heir != event.principal) else {
            return;
        };
        if self.heirs.len() >= MOST_HEIRS {
            self.heirs.pop_first();
        }
        self.heirs.insert(heir, event.principal.clone());
    }

    /// Forgets the half without a step for longest.
    fn forget(&mut self) {
        let mut times: Vec<i64> = self.live.values().map(|live| live.last_ms).collect();
        times.sort_unstable();
        let middle = times.get(times.len() / 2).copied().unwrap_or_default();
        self.live.retain(|_, live| live.last_ms > middle);
    }
}

impl Live {
    fn note(&mut self, call: &ObservedCall<'_>, stage: AttackStage, technique: &AttackTechnique) {
        call.who.clone_into(&mut self.who);
        call.account.clone_into(&mut self.account);
        if self.principals.last().is_none_or(|last| last != call.who) {
            self.principals.push(call.who.to_owned());
        }
        if self.steps.len() >= MOST_STEPS {
            self.steps.remove(MOST_STEPS / 2);
        }

        self.steps.push(ChainStep {
            stage: stage.as_str().to_owned(),
            technique: technique.id.to_owned(),
            operation: call.event.operation.clone(),
            resource: call.event.resource.clone(),
            by: call.who.to_owned(),
            score: call.score,
            at: call.at,
            event_id: call.event_id.to_owned(),
        });
    }
}

/// Account and name of a principal, without path and session.
fn name_of(principal: &str) -> String {
    let (account, name) = principal.split_once(':').unwrap_or(("", principal));
    format!("{account}:{}", name.rsplit('/').next().unwrap_or(name))
}

#[cfg(test)]
mod tests;
