//! Judgement of the commitments of accounts, over all machines of a run: an account is no resource
//! of the inventory, and is the subject of its recommendation.

use std::collections::BTreeMap;

use reeve_audit::Json;
use reeve_estate::{Provider, Resource, ResourceId, ResourceKind, ResourceState, Specification};
use reeve_recommend::agent::settings::AgentSettings;
use reeve_recommend::guardrail::Guardrails;
use reeve_recommend::judgement::estate::{EstateError, EstateFacts, EstateJudge, EstateJudgement};
use reeve_recommend::judgement::portfolio::{PORTFOLIOS, Portfolio};
use reeve_recommend::judgement::{Facts, Judgement};

use super::account_use::{AccountUse, Portfolios};
use crate::cost_optimizer::evidence::CostEvidence;
use crate::cost_optimizer::hourly_use;

/// Everything that the judgement of an account's commitments may look at.
#[derive(Debug, Clone, Copy)]
pub(in crate::cost_optimizer) struct AccountFacts<'a> {
    /// The account as the subject of a recommendation.
    pub(in crate::cost_optimizer) account: &'a Resource,
    /// Simulated commitments; `None` where too little was measured, or nothing that a commitment
    /// could pay for.
    pub(in crate::cost_optimizer) simulated: Option<&'a AccountUse>,
    /// Settings of the agent.
    pub(in crate::cost_optimizer) settings: &'a AgentSettings,
    /// Guardrails with the approval matrix.
    pub(in crate::cost_optimizer) guardrails: &'a Guardrails,
}

/// Sums up the use of the machines of a run, and judges the accounts.
#[derive(Debug, Default)]
pub(in crate::cost_optimizer) struct CommitmentJudge {
    portfolios: Portfolios,
    accounts: Accounts,
}

impl EstateJudge for CommitmentJudge {
    fn look(&mut self, facts: &Facts<'_>, judgement: &Judgement) {
        self.accounts.add(facts.resource);
        let evidence = CostEvidence::new(facts);
        if evidence.settings.commitments
            && let Some(machine) = hourly_use::measure(&evidence, &judgement.proposals)
        {
            self.portfolios.add(machine);
        }
    }

    fn judge(self: Box<Self>, facts: &EstateFacts<'_>) -> Result<EstateJudgement, EstateError> {
        let simulated = self.portfolios.simulate();
        let judged = self.accounts.0.into_values().map(|account| {
            let own = |found: &&AccountUse| {
                let family = &found.portfolio.family;
                family.provider == account.provider && family.account == account.account
            };
            let mut judgement = Judgement::default();
            judgement.take(super::judge(&AccountFacts {
                account: &account,
                simulated: simulated.iter().find(own),
                settings: facts.settings,
                guardrails: facts.guardrails,
            }));
            (account, judgement)
        });

        let mut found = EstateJudgement {
            judged: judged.collect(),
            ..EstateJudgement::default()
        };
        let portfolios: Vec<Portfolio> = simulated
            .into_iter()
            .map(|account| account.portfolio)
            .collect();
        let commitments: Vec<Json> = portfolios.iter().map(commitment).collect();
        found
            .recorded
            .push(("commitments", Json::from(commitments)));
        if !portfolios.is_empty() {
            found.details.put(&PORTFOLIOS, &portfolios)?;
        }
        Ok(found)
    }
}

/// The safe level of a portfolio, as the entry of a run shows it.
fn commitment(portfolio: &Portfolio) -> Json {
    Json::object([
        ("provider", Json::from(portfolio.family.provider.as_str())),
        ("account", Json::from(portfolio.family.account.as_str())),
        ("hourly_usd", Json::from(portfolio.safe.hourly)),
        (
            "savings_monthly",
            Json::from(portfolio.saving_monthly(&portfolio.safe).usd_cents()),
        ),
    ])
}

/// Accounts of the machines of a scope, each as the subject of a recommendation, in the name of the
/// first connection that sees it.
#[derive(Debug, Default)]
struct Accounts(BTreeMap<(Provider, String), Resource>);

impl Accounts {
    /// Adds the account of a machine; of other resources nothing.
    fn add(&mut self, resource: &Resource) {
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
