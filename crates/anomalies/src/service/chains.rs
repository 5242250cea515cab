//! Attack chains: kept with what surrounds them, and recorded once they pass the threshold.

use jiff::{SignedDuration, Timestamp};
use reeve_estate::StoreError;
use reeve_recommend::agent::AgentScope;
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::guardrail::change_control::ChangeControlPlace;
use reeve_recommend::judgement::evidence::{
    EXPOSURE, EvidenceFilter, EvidenceStore, JudgementEvidence, PRIVILEGES,
};

use super::AnomalyService;
use crate::chain::{AttackChain, predicted};

/// Time after its last step for which a chain is kept.
const KEPT: SignedDuration = SignedDuration::from_hours(24 * 30);
/// Judgements of an account that surround a chain.
const MOST_EVIDENCE: u64 = 2_000;

/// Part of the estate whose chains are predicted, as an agent is configured.
#[derive(Debug, Clone, PartialEq)]
pub struct ChainScope {
    pub scope: AgentScope,
    /// Probability of a next step from which on a chain is reported, 0 to 1.
    pub threshold: f64,
}

impl AnomalyService {
    /// Keeps chains that grew, and records those that pass the threshold of an agent for the first
    /// time. Chains outside every agent's scope are left out. `evidence` has the judgements of
    /// exposure and privileges that surround them.
    ///
    /// # Errors
    /// The store or the log failed; the chains may be given again.
    pub async fn keep_chains(
        &self,
        grown: Vec<AttackChain>,
        scopes: &[ChainScope],
        evidence: &dyn EvidenceStore,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        for chain in grown {
            let Some(threshold) = self.threshold(&chain, scopes).await? else {
                continue;
            };
            let around = surroundings(&chain, evidence).await?;
            self.keep_chain(chain.surrounded_by(&around), threshold, caller)
                .await?;
        }
        Ok(())
    }

    async fn keep_chain(
        &self,
        mut chain: AttackChain,
        threshold: f64,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        let before = match self.ports.chains.attack_chain_get(&chain.id).await {
            Err(StoreError::NotFound { .. }) => None,
            found => found?.predicted_at,
        };

        chain.predicted_at = before;
        if before.is_none() && chain.probability >= threshold {
            chain.predicted_at = Some(self.ports.clock.now());
            // Kept first: the notification about the entry reads the chain.
            self.ports.chains.attack_chain_put(&chain).await?;
            return self.record(predicted(&chain, caller)).await;
        }
        Ok(self.ports.chains.attack_chain_put(&chain).await?)
    }

    /// Returns the lowest threshold of the agents whose scope has the chain's account.
    async fn threshold(
        &self,
        chain: &AttackChain,
        scopes: &[ChainScope],
    ) -> Result<Option<f64>, StoreError> {
        if scopes.is_empty() {
            return Ok(None);
        }

        let connections = self.ports.estate.connection_list().await?;
        let known = connections
            .iter()
            .find(|connection| connection.account == chain.account);
        let place = ChangeControlPlace {
            account: &chain.account,
            connection: known.map_or("", |connection| connection.id.0.as_str()),
            connection_name: known.map_or("", |connection| connection.name.as_str()),
            service: "",
            direction: None,
        };
        // Services narrow what an agent judges among resources; a chain goes across services.
        let covers = |one: &&ChainScope| {
            AgentScope {
                services: Vec::new(),
                ..one.scope.clone()
            }
            .covers(&place)
        };
        Ok(scopes
            .iter()
            .filter(covers)
            .map(|one| one.threshold)
            .min_by(f64::total_cmp))
    }

    /// Returns the chains with a step in the last 30 days, the newest first.
    ///
    /// # Errors
    /// The store failed.
    pub async fn chains(&self) -> Result<Vec<AttackChain>, StoreError> {
        let since = self.ports.clock.now() - KEPT;
        self.ports.chains.attack_chain_list(since).await
    }

    /// Returns a chain.
    ///
    /// # Errors
    /// There is none of this identifier, or the store failed.
    pub async fn chain(&self, id: &str) -> Result<AttackChain, StoreError> {
        self.ports.chains.attack_chain_get(id).await
    }

    /// Removes chains without a step for 30 days.
    ///
    /// # Errors
    /// The store failed.
    pub async fn forget_chains(&self, now: Timestamp) -> Result<(), StoreError> {
        self.ports.chains.attack_chain_forget(now - KEPT).await
    }
}

/// Returns the judgements of a chain's account.
async fn surroundings(
    chain: &AttackChain,
    evidence: &dyn EvidenceStore,
) -> Result<Vec<JudgementEvidence>, StoreError> {
    let account = Some(chain.account.clone()).filter(|account| !account.is_empty());
    let filter = EvidenceFilter {
        checks: vec![PRIVILEGES.to_owned(), EXPOSURE.to_owned()],
        accounts: account.into_iter().collect(),
        limit: MOST_EVIDENCE,
        ..EvidenceFilter::default()
    };
    Ok(evidence.evidence_list(&filter).await?.0)
}
