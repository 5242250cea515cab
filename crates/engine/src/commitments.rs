//! Judgement of the commitments of accounts in a run: an account is no resource of the inventory, and is the subject of its
//! recommendation.

use std::collections::BTreeMap;

use reeve_estate::{Provider, Resource, ResourceId, ResourceKind, ResourceState, Specification};

use super::judged::Judged;
use reeve_recommend::agent::Agent;
use reeve_recommend::portfolio::AccountUse;
use reeve_recommend::{AccountFacts, AgentDefinition, Guardrails};

/// Accounts of the machines of a scope, each as the subject of a recommendation, in the name of the first connection that sees it.
pub(super) fn accounts<'a>(scope: impl Iterator<Item = &'a Resource>) -> Vec<Resource> {
    let mut accounts: BTreeMap<(Provider, &str), &Resource> = BTreeMap::new();
    for machine in scope.filter(|resource| resource.kind == ResourceKind::VirtualMachine) {
        let first = accounts.entry((machine.provider, machine.account.as_str())).or_insert(machine);
        if machine.connection.0 < first.connection.0 {
            *first = machine;
        }
    }
    accounts.into_values().map(subject).collect()
}

fn subject(machine: &Resource) -> Resource {
    Resource {
        id: ResourceId::new(format!("account/{}/{}", machine.provider.as_str(), machine.account)),
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

/// Judges each account by what was simulated for it. Agent types without a judgement of accounts leave nothing.
pub(super) fn judge(
    definition: &dyn AgentDefinition,
    accounts: &[Resource],
    simulated: &[AccountUse],
    agent: &Agent,
    guardrails: &Guardrails,
) -> Vec<Judged> {
    let judged = accounts.iter().map(|account| {
        let own = |found: &&AccountUse| {
            let family = &found.portfolio.family;
            family.provider == account.provider && family.account == account.account
        };
        let simulated = simulated.iter().find(own);
        let facts = AccountFacts { account, simulated, settings: &agent.settings, guardrails };
        Judged { resource: account.clone(), judgement: definition.judge_account(&facts) }
    });
    judged.filter(|one| !one.judgement.proposals.is_empty() || !one.judgement.abstentions.is_empty()).collect()
}
