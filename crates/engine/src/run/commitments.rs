//! Judgement of the commitments of accounts in a run: an account is no resource of the inventory,
//! and is the subject of its recommendation.

use std::collections::BTreeMap;

use reeve_estate::{Provider, Resource, ResourceId, ResourceKind, ResourceState, Specification};
use reeve_recommend::agent::Agent;
use reeve_recommend::agent::contract::AgentDefinition;
use reeve_recommend::guardrail::Guardrails;
use reeve_recommend::judgement::AccountFacts;
use reeve_recommend::judgement::portfolio::AccountUse;

use crate::finding::judged::Judged;

/// Accounts of the machines of a scope, each as the subject of a recommendation, in the name of the
/// first connection that sees it.
#[derive(Debug, Default)]
pub(crate) struct Accounts(BTreeMap<(Provider, String), Resource>);

impl Accounts {
    /// Adds the account of a machine; of other resources nothing.
    pub(crate) fn add(&mut self, resource: &Resource) {
        if resource.kind != ResourceKind::VirtualMachine {
            return;
        }

        let first = self
            .0
            .entry((resource.provider, resource.account.clone()))
            .or_insert_with(|| subject(resource));
        if resource.connection.0 < first.connection.0 {
            *first = subject(resource);
        }
    }
}

fn subject(machine: &Resource) -> Resource {
    Resource {
        id: ResourceId::new(format!(
            "account/{}/{}",
            machine.provider.as_str(),
            machine.account
        )),
        connection: machine.connection.clone(),
        provider: machine.provider,
        account: machine.account.clone(),
        region: "global".to_owned(),
        service: "billing".to_owned(),
        kind: ResourceKind::Account,
        name: machine.account.clone(),
        state: ResourceState::Available,
        specification: Specification::default(),
        purchase: None,
        tags: BTreeMap::new(),
        group: None,
        attached_to: Vec::new(),
        monthly_cost: None,
        created_at: None,
        observed_at: machine.observed_at,
    }
}

/// Judges each account by what was simulated for it. Agent types without a judgement of accounts
/// leave nothing.
pub(crate) fn judge(
    definition: &dyn AgentDefinition,
    accounts: Accounts,
    simulated: &[AccountUse],
    agent: &Agent,
    guardrails: &Guardrails,
) -> Vec<Judged> {
    let judged = accounts.0.into_values().map(|account| {
        let own = |found: &&AccountUse| {
            let family = &found.portfolio.family;
            family.provider == account.provider && family.account == account.account
        };
        let simulated = simulated.iter().find(own);
        let facts = AccountFacts {
            account: &account,
            simulated,
            settings: &agent.settings,
            guardrails,
        };
        let judgement = definition.judge_account(&facts);
        Judged {
            resource: account,
            judgement,
        }
    });
    judged
        .filter(|one| !one.judgement.proposals.is_empty() || !one.judgement.abstentions.is_empty())
        .collect()
}
