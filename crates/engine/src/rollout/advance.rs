//! Advances rollouts: reads the state of the members, evaluates the gate, and begins the members
//! that the stage permits.
//!
//! A reconciler: its state is read anew from recommendations and actions each time, so that it can
//! end at any await, and after a restart continues where the store says it is. The exclusive claim
//! keeps a member from being changed twice.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};
use reeve_audit::{ActionStatus, Severity};
use reeve_recommend::action::{Action, Purpose};
use reeve_recommend::agent::Mode;
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::ports::RecommendationFilter;
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::totals::ActionFilter;
use reeve_recommend::recommendation::{Recommendation, RecommendationId};
use reeve_recommend::rollout::{
    Gate, MAX_GATES, MemberBlock, MemberState, Rollout, RolloutFilter, RolloutId, RolloutMember,
    RolloutStatus, Stage, Verdict, gate, observed,
};

use crate::execution::request::{ActionTarget, Wish};
use crate::guard::recent_actions::CHUNK;
use crate::rollout::RolloutService;
use crate::rollout::log_entry::{gate_entry, rollout_entry};
use crate::rollout::permit::Permit;

/// Looks at one rollout are at least this far apart.
const EVERY: SignedDuration = SignedDuration::from_secs(10);
/// Simulations, or changes, begun at one look.
const AT_ONCE: usize = 5;

/// A rollout on hold or stopped that nobody answered for this long is given up: it must not keep
/// its kind from being changed for ever.
const UNANSWERED: SignedDuration = SignedDuration::from_hours(24 * 14);

/// Data that one pass reads once.
struct Seen {
    recommendations: HashMap<RecommendationId, Recommendation>,
    actions: Vec<Action>,
}

/// Returns `true` for a member that was not changed and will not be: it was left out, or it failed and
/// a person goes on without it.
fn is_out(member: &RolloutMember) -> bool {
    match member.state {
        MemberState::LeftOut => true,
        MemberState::Failed => member.accepted,
        _ => false,
    }
}

impl RolloutService {
    /// Moves every rollout that has not ended. Returns how many changed.
    pub(crate) async fn roll_out(&self, caller: &Caller) -> Result<u64, EngineError> {
        let Some(store) = self.rollouts.as_ref() else {
            return Ok(0);
        };

        let status = vec![
            RolloutStatus::Running,
            RolloutStatus::Held,
            RolloutStatus::Stopped,
        ];

        let (open, _) = store
            .rollout_list(&RolloutFilter {
                status,
                ..RolloutFilter::default()
            })
            .await?;

        let mut moved = 0;
        for rollout in open {
            if self.rollout_is_due(&rollout.id) {
                moved += u64::from(self.roll_on(&rollout.id, caller).await?);
            }
        }

        Ok(moved)
    }

    fn rollout_is_due(&self, id: &RolloutId) -> bool {
        let (now, mut looks) = (self.records.clock.now(), self.looks.lock());
        let due = looks
            .get(id)
            .is_none_or(|last| now.duration_since(*last) >= EVERY);
        if due {
            looks.insert(id.clone(), now);
        }
        due
    }

    async fn roll_on(&self, id: &RolloutId, caller: &Caller) -> Result<bool, EngineError> {
        // Whoever stops it waits for this turn, or this turn sees that it is stopped.
        let _turn = self.records.turn.lock().await;
        let before = self.rollout_get(id).await?;
        if before.status.is_end() {
            self.looks.lock().remove(id);
            return Ok(false);
        }

        let mut now = before.clone();
        let seen = self.seen(&before).await?;
        observe(&mut now, &seen);
        if now.status != RolloutStatus::Running && self.is_unanswered(&before) {
            self.give_up(&mut now, caller).await?;
        }
        if now.status == RolloutStatus::Running {
            self.pass_gates(&mut now, &seen, caller).await?;
        }

        if now.status == RolloutStatus::Running {
            match now.stage {
                Stage::Simulation => self.simulate_some(&mut now, &seen, caller).await?,
                Stage::Canary | Stage::Gradual | Stage::Full => {
                    self.begin_some(&mut now, &seen, caller).await?
                }
                Stage::Validation => {}
            }
        }

        if now == before {
            return Ok(false);
        }

        now.updated_at = self.records.clock.now();
        now.version += 1;
        self.rollout_store()?.rollout_update(&now).await?;
        if now.status == RolloutStatus::Held && before.status != RolloutStatus::Held {
            self.take_back(&now, "the rollout is on hold", caller)
                .await?;
        }

        Ok(true)
    }

    fn is_unanswered(&self, rollout: &Rollout) -> bool {
        self.records.clock.now().duration_since(rollout.updated_at) >= UNANSWERED
    }

    async fn give_up(&self, rollout: &mut Rollout, caller: &Caller) -> Result<(), EngineError> {
        let days = UNANSWERED.as_hours() / 24;
        let why = rollout.reason.clone().unwrap_or_default();
        let was = if rollout.status == RolloutStatus::Stopped {
            "stopped"
        } else {
            "on hold"
        };

        rollout.reason = Some(format!(
            "it was {was} for {days} days without an answer ({why})"
        ));
        rollout.status = RolloutStatus::Aborted;
        self.records
            .record(vec![rollout_entry(
                "rollout.abort",
                ActionStatus::Success,
                rollout,
                caller,
            )])
            .await
    }

    async fn seen(&self, rollout: &Rollout) -> Result<Seen, EngineError> {
        let members: Vec<RecommendationId> = rollout
            .members
            .iter()
            .map(|member| member.recommendation.clone())
            .collect();

        let mut seen = Seen {
            recommendations: HashMap::new(),
            actions: Vec::new(),
        };
        for chunk in members.chunks(CHUNK) {
            let filter = RecommendationFilter {
                ids: chunk.to_vec(),
                ..RecommendationFilter::default()
            };
            let (found, _) = self.records.agents.recommendation_list(&filter).await?;
            seen.recommendations
                .extend(found.into_iter().map(|found| (found.id.clone(), found)));
            let filter = ActionFilter {
                recommendations: chunk.to_vec(),
                since: Some(rollout.created_at),
                ..ActionFilter::default()
            };
            seen.actions
                .extend(self.records.agents.action_page(&filter).await?.0);
        }

        Ok(seen)
    }

    /// Asks the gate, and goes through as many as are open. A stage whose members are all out of it
    /// is passed.
    async fn pass_gates(
        &self,
        rollout: &mut Rollout,
        seen: &Seen,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        loop {
            if rollout.members.iter().all(is_out) {
                rollout.status = RolloutStatus::Aborted;
                rollout.reason = Some("nothing is left that it could change".to_owned());
                return self
                    .records
                    .record(vec![rollout_entry(
                        "rollout.abort",
                        ActionStatus::Success,
                        rollout,
                        caller,
                    )])
                    .await;
            }
            fill_canary(rollout);
            let now = self.records.clock.now();
            let found = gate(rollout, last_change(rollout, seen), now);
            let last = rollout
                .gates
                .last()
                .filter(|last| (last.stage, last.wave) == (found.stage, found.wave));
            let says_anew = last.is_none_or(|last| last.verdict != found.verdict);
            match found.verdict {
                Verdict::Waiting => {
                    keep(&mut rollout.gates, found);
                    return Ok(());
                }
                Verdict::Held => {
                    rollout.status = RolloutStatus::Held;
                    rollout.reason = Some(format!(
                        "on hold at the gate of {}: {}",
                        found.stage, found.words
                    ));
                    let entry = gate_entry(rollout, &found, ActionStatus::Failed, caller)
                        .with_severity(Severity::Medium);
                    if says_anew {
                        self.records.record(vec![entry]).await?;
                    }
                    keep(&mut rollout.gates, found);
                    return Ok(());
                }
                Verdict::Opened | Verdict::Overridden => {
                    let entry = gate_entry(rollout, &found, ActionStatus::Success, caller);
                    let next = rollout.next();
                    keep(&mut rollout.gates, found);
                    let Some((stage, wave)) = next else {
                        rollout.status = RolloutStatus::Completed;
                        let done = rollout_entry(
                            "rollout.complete",
                            ActionStatus::Success,
                            rollout,
                            caller,
                        );
                        return self.records.record(vec![entry, done]).await;
                    };
                    self.records.record(vec![entry]).await?;
                    (rollout.stage, rollout.wave, rollout.stage_since) = (stage, wave, now);
                }
            }
        }
    }

    async fn simulate_some(
        &self,
        rollout: &mut Rollout,
        seen: &Seen,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        let comment = format!("rollout {}, stage simulation", rollout.id.0);
        let by = rollout.by.clone();
        let waits = |member: &&mut RolloutMember| member.state == MemberState::Waiting;

        for member in rollout.members.iter_mut().filter(waits).take(AT_ONCE) {
            let Some(recommendation) = seen.recommendations.get(&member.recommendation).cloned()
            else {
                continue;
            };
            let wish = Wish {
                by: &by,
                comment: Some(&comment),
                ..Wish::new(caller, None)
            };
            match self.execution.simulate_in_turn(recommendation, &wish).await {
                Ok(_) => member.state = MemberState::Simulating,
                Err(error) if error.is_outage() => return Err(error),
                Err(error) => member.detail = error.to_string(),
            }
        }

        Ok(())
    }

    /// Asks for the changes of the waves that have come, a few at a time. What a guardrail holds
    /// back waits, with its words.
    async fn begin_some(
        &self,
        rollout: &mut Rollout,
        seen: &Seen,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        let agent = self.records.agents.agent_get(&rollout.agent_id).await?;
        if agent.mode == Mode::Learning {
            let reason = "its agent only learns now; set it to safe_mode or active and resume";
            return self.hold(rollout, reason.to_owned(), caller).await;
        }

        let stage = format!(
            "rollout {}, stage {}, wave {}",
            rollout.id.0, rollout.stage, rollout.wave
        );
        let run = format!(
            "{}/{}/{}",
            rollout.id.0,
            rollout.wave,
            self.records.clock.now().strftime("%F")
        );

        let automatic = rollout.by == Caller::agent(&rollout.agent_id).name;
        let permit = if automatic {
            Some(self.permit(agent).await?)
        } else {
            None
        };

        let by = rollout.by.clone();
        let wave = rollout.wave;
        let begins = |state| matches!(state, MemberState::Waiting | MemberState::Simulated);
        let (mut begun, mut others, mut refused) = (0, false, None);
        for member in rollout
            .members
            .iter_mut()
            .filter(|member| member.wave <= wave && begins(member.state))
        {
            if begun >= AT_ONCE {
                break;
            }
            let Some(recommendation) = seen.recommendations.get(&member.recommendation) else {
                continue;
            };
            let run_id = automatic.then_some(run.as_str());
            let wish = Wish {
                caller,
                by: &by,
                comment: Some(&stage),
                run_id,
                automatic,
                preapproved: false,
                emergency: None,
            };
            match self
                .begin_member(recommendation, permit.as_ref(), &wish)
                .await?
            {
                Ok(state) => {
                    (member.state, member.detail, member.block) = (state, String::new(), None);
                    begun += 1;
                }
                Err(HeldBack {
                    words,
                    block,
                    by_agent,
                }) => {
                    others |= !by_agent;
                    if by_agent {
                        refused = Some(format!("{}: {words}", member.name));
                    }
                    (member.detail, member.block) = (words, block);
                }
            }
        }

        // A single member that its agent leaves to people now does not hold the others.
        match refused.filter(|_| begun == 0 && !others) {
            Some(why) => {
                self.hold(
                    rollout,
                    format!("{why}; change the agent and resume, or abort"),
                    caller,
                )
                .await
            }
            None => Ok(()),
        }
    }

    async fn hold(
        &self,
        rollout: &mut Rollout,
        reason: String,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        rollout.status = RolloutStatus::Held;
        rollout.reason = Some(reason);
        let entry = rollout_entry("rollout.hold", ActionStatus::Failed, rollout, caller);
        self.records
            .record(vec![entry.with_severity(Severity::Medium)])
            .await
    }

    /// Asks for one change; the inner error says what holds it back for now. The guardrails are
    /// asked without a record first: a rollout that waits for them would fill the log with
    /// refusals.
    async fn begin_member(
        &self,
        recommendation: &Recommendation,
        permit: Option<&Permit>,
        wish: &Wish<'_>,
    ) -> Result<Result<MemberState, HeldBack>, EngineError> {
        // It may have moved since it was listed.
        let recommendation = self
            .records
            .agents
            .recommendation_get(&recommendation.id)
            .await?;

        if !matches!(recommendation.status, Status::Open | Status::Approved) {
            let words = format!("it is {}", recommendation.status);
            return Ok(Err(HeldBack {
                words,
                block: None,
                by_agent: false,
            }));
        }

        if let Some(words) = permit.and_then(|permit| permit.refusal(&recommendation)) {
            return Ok(Err(HeldBack {
                words,
                block: None,
                by_agent: true,
            }));
        }

        let target = ActionTarget::from_recommendation(&recommendation);
        if let Err(refusal) = self
            .guardrails
            .circumstances(&[target], wish)
            .await?
            .decide(&recommendation, target, wish)
        {
            return Ok(Err(held_back(refusal.into_error())));
        }

        match self.execution.proceed(recommendation, *wish).await {
            Ok(crate::execution::Execution::Started(_)) => Ok(Ok(MemberState::Changing)),
            Ok(crate::execution::Execution::PendingApproval(_)) => {
                Ok(Ok(MemberState::AwaitingApproval))
            }
            Err(error) if error.is_outage() => Err(error),
            Err(error) => Ok(Err(held_back(error))),
        }
    }
}

/// Reason why a member does not begin for now.
struct HeldBack {
    words: String,
    /// The guardrail, where one refused.
    block: Option<MemberBlock>,
    /// `true` if its agent may not change it by itself.
    by_agent: bool,
}

fn held_back(error: EngineError) -> HeldBack {
    let words = error.to_string();
    let block = match error {
        EngineError::Blocked(block) => Some(MemberBlock {
            guardrail: block.guardrail,
            message: block.message,
        }),
        _ => None,
    };

    HeldBack {
        words,
        block,
        by_agent: false,
    }
}

/// Reads every member anew.
fn observe(rollout: &mut Rollout, seen: &Seen) {
    for member in &mut rollout.members {
        let own: Vec<&Action> = seen
            .actions
            .iter()
            .filter(|a| a.recommendation == member.recommendation)
            .collect();
        let (state, detail) = observed(seen.recommendations.get(&member.recommendation), &own);
        // What holds a waiting member back is known from asking for it, not from reading it.
        let keeps_why = detail.is_empty() && state == member.state;
        let simulated = state == MemberState::Simulated && member.state == state;
        if !keeps_why && !simulated {
            (member.detail, member.block) = (detail, None);
        }
        member.state = state;
    }
}

/// A canary whose members all left it, changed or not, takes the next in order: there is no rollout
/// without one. One that a person went on from in spite of its failure has been.
fn fill_canary(rollout: &mut Rollout) {
    let goes_first =
        |member: &RolloutMember| member.wave == 0 && (member.counts() || member.accepted);
    if matches!(rollout.stage, Stage::Canary | Stage::Validation)
        && !rollout.members.iter().any(goes_first)
        && let Some(next) = rollout
            .members
            .iter_mut()
            .find(|member| member.wave > 0 && member.counts())
    {
        next.wave = 0;
        rollout.stage = Stage::Canary;
    }
}

/// Returns the time at which the newest change of a member ended.
fn last_change(rollout: &Rollout, seen: &Seen) -> Option<Timestamp> {
    let own = |action: &&Action| {
        action.purpose == Purpose::Apply
            && rollout
                .members
                .iter()
                .any(|m| m.wave <= rollout.wave && m.recommendation == action.recommendation)
    };
    seen.actions
        .iter()
        .filter(own)
        .filter_map(|action| action.finished_at)
        .max()
}

/// Keeps what a gate says: in place of what it said before when it says the same, so that its
/// numbers stay fresh.
fn keep(gates: &mut Vec<Gate>, found: Gate) {
    match gates.last_mut() {
        Some(last)
            if (last.stage, last.wave, last.verdict)
                == (found.stage, found.wave, found.verdict) =>
        {
            *last = Gate {
                at: last.at,
                ..found
            };
        }
        Some(last)
            if (last.stage, last.wave) == (found.stage, found.wave)
                && last.verdict == Verdict::Waiting =>
        {
            *last = found;
        }
        _ => push(gates, found),
    }
}

/// Adds what a gate said; the oldest goes when there are too many.
pub(super) fn push(gates: &mut Vec<Gate>, found: Gate) {
    if gates.len() >= MAX_GATES {
        gates.remove(0);
    }
    gates.push(found);
}
