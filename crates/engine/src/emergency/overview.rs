//! The emergency lane of an agent, as people see it: kinds, standing approvals, limits, and the
//! changes of late.

use jiff::{SignedDuration, Timestamp};
use reeve_estate::named;
use reeve_recommend::action::Action;
use reeve_recommend::agent::AgentId;
use reeve_recommend::agent::emergency::{Emergency, EmergencyTerms, StandingApproval};
use reeve_recommend::approval::Signature;
use reeve_recommend::error::EngineError;

use super::EmergencyService;
use super::limits::in_last_hour;
use crate::automatic::policy::signatures_for;

/// Time that is looked back over.
const LATELY: SignedDuration = SignedDuration::from_hours(24 * 30);
/// Actions that are listed.
const MOST_ACTIONS: usize = 20;

named!(
    /// State of a standing approval.
    StandingState {
        /// It lets emergencies of its kind be applied.
        InForce => "in_force",
        /// Signatures are missing.
        NeedsSignatures => "needs_signatures",
        /// Scope or limits of the agent reach further than it was given for.
        Outgrown => "outgrown",
        /// Its time is over, or a person ended it.
        Ended => "ended",
    }
);

impl StandingState {
    /// State of a standing approval of an agent with these terms, where changes of its kind need
    /// these signatures.
    pub(super) fn of(
        approval: &StandingApproval,
        terms: &EmergencyTerms,
        needed: &[Signature],
        now: Timestamp,
    ) -> Self {
        if !approval.lasts(now) {
            StandingState::Ended
        } else if !approval.terms.include(terms) {
            StandingState::Outgrown
        } else if approval.missing(needed).is_empty() {
            StandingState::InForce
        } else {
            StandingState::NeedsSignatures
        }
    }
}

/// A kind of emergency, with the signatures that a standing approval of it needs now.
#[derive(Debug, Clone)]
pub struct EmergencyKind {
    pub emergency: Emergency,
    pub signatures: Vec<Signature>,
}

/// The emergency lane of an agent.
#[derive(Debug, Clone)]
pub struct EmergencyOverview {
    /// Kinds of its type; none for a type without emergencies.
    pub kinds: Vec<EmergencyKind>,
    /// Limits as they are configured.
    pub terms: EmergencyTerms,
    /// Emergency changes that began within an hour.
    pub in_hour: u64,
    /// Standing approvals with their states, newest first.
    pub approvals: Vec<(StandingApproval, StandingState)>,
    /// Emergency changes of the last 30 days, newest first, at most 20.
    pub actions: Vec<Action>,
}

impl EmergencyService {
    /// Returns the emergency lane of an agent.
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; the store's failures.
    pub async fn overview(&self, agent: &AgentId) -> Result<EmergencyOverview, EngineError> {
        let agent = self.records.agents.agent_get(agent).await?;
        let matrix = self.records.approval_matrix().await?;
        let now = self.records.clock.now();
        let definition = self.ports.agent_types.get(agent.agent_type);
        let kinds: Vec<EmergencyKind> = definition
            .map_or(&[][..], |row| row.emergencies())
            .iter()
            .map(|kind| EmergencyKind {
                emergency: *kind,
                signatures: signatures_for(&matrix, Some(&agent), kind.impact),
            })
            .collect();

        let terms = EmergencyTerms::of_agent(&agent);
        let state = |approval: &StandingApproval| {
            kinds
                .iter()
                .find(|kind| kind.emergency.rule == approval.rule)
                .map_or(StandingState::Ended, |kind| {
                    StandingState::of(approval, &terms, &kind.signatures, now)
                })
        };
        let approvals = self
            .records
            .agents
            .standing_approval_list(&agent.id)
            .await?
            .into_iter()
            .map(|approval| {
                let state = state(&approval);
                (approval, state)
            })
            .collect();

        let mut actions = self.lately(&agent.id, now - LATELY).await?;
        let in_hour = in_last_hour(&actions, now);
        actions.truncate(MOST_ACTIONS);
        Ok(EmergencyOverview {
            kinds,
            terms,
            in_hour,
            approvals,
            actions,
        })
    }
}
