//! `auto_remediate`: known issues by runbooks. A runbook whose condition holds is a finding of the
//! resource, with the change that it names. While a change is verified nothing is proposed, and an
//! open breaker leaves the issue to people.

use reeve_recommend::agent::settings::{AgentSetting, SettingValue};
use reeve_recommend::judgement::proposal::{Abstention, Path, Proposal};
use reeve_recommend::judgement::{Facts, Judgement};
use reeve_recommend::recommendation::RecommendationType;
use reeve_recommend::runbook::breaker::Gate;
use reeve_recommend::runbook::condition::{ConditionAnswer, ConditionReading};
use reeve_recommend::runbook::facts::{RunbookCase, RunbookFacts};
use reeve_recommend::words::minute;

use super::runbook_finding::propose;

/// Name of the rule.
pub(super) const RULE: &str = "auto_remediate";
/// Type of its findings.
pub(super) const KIND: RecommendationType = RecommendationType::KnownIssue;

/// Setting that lets known issues be sought.
pub(super) const ENABLED: AgentSetting = AgentSetting {
    path: "auto_remediate.enabled",
    description: "Whether known issues are sought by runbooks; the agent's mode and auto_apply decide whether their changes are applied automatically",
    default: SettingValue::Flag(true),
    range: (0.0, 0.0),
    choices: &[],
};

/// Setting with the runbooks that are left out.
pub(super) const LEFT_OUT: AgentSetting = AgentSetting {
    path: "auto_remediate.left_out",
    description: "Names of runbooks that find nothing",
    default: SettingValue::Names(Vec::new()),
    range: (0.0, 100.0),
    choices: &[],
};

/// Judges a resource by every runbook that is for it.
pub(super) fn judge(facts: &Facts<'_>, judgement: &mut Judgement) {
    let Some(own) = facts.get::<RunbookFacts>() else {
        return;
    };
    for case in &own.cases {
        let aspect = case.runbook.name.aspect();
        let outcome = judge_one(facts, own, case);
        judgement.take(outcome.map_err(|abstention| abstention.with_aspect(aspect)));
    }
}

fn judge_one(
    facts: &Facts<'_>,
    own: &RunbookFacts,
    case: &RunbookCase,
) -> Result<Proposal, Abstention> {
    let runbook = &case.runbook;
    if !facts.settings.flag(&ENABLED) {
        let detail = format!("the setting {} is off", ENABLED.path);
        return Err(Abstention::decided(KIND, "switched_off", detail));
    }
    if facts.settings.names(&LEFT_OUT).contains(&runbook.name.0) {
        let detail = format!("the setting {} names {}", LEFT_OUT.path, runbook.name.0);
        return Err(Abstention::decided(KIND, "switched_off", detail));
    }
    if let Gate::Verifying { until } = case.gate {
        let detail = format!("its last change is being verified until {}", minute(until));
        return Err(Abstention::unjudged(KIND, "verifying", detail));
    }

    let (holds, answers) = runbook.judge(&ConditionReading {
        state: facts.resource.state,
        storage_gib: facts.resource.specification.storage_gib,
        document: facts.document.map(|document| document.json()),
        measured: &own.measured,
        since: facts.unchanged_since,
        now: facts.now,
    });
    match holds {
        Some(true) => Ok(propose(facts, case, &answers, path(&answers, case))),
        Some(false) => {
            let refuted = answers.iter().find(|one| one.holds == Some(false));
            let detail = refuted.map_or("", |one| one.words.as_str());
            Err(Abstention::decided(KIND, "no_known_issue", detail))
        }
        None => {
            let missing = answers.iter().find(|one| one.holds.is_none());
            let detail = missing.map_or("", |one| one.words.as_str());
            Err(Abstention::unjudged(KIND, "not_measured", detail))
        }
    }
}

/// Returns the checks that led to the finding: each test, and the breakers.
fn path(answers: &[ConditionAnswer], case: &RunbookCase) -> Path {
    let mut path = Path::default();
    for (test, answer) in case.runbook.when.iter().zip(answers) {
        path.ask(format!("{}?", test.words()), true, answer.words.clone());
    }
    let (is_closed, detail) = match &case.gate {
        Gate::Open(breaker) => (
            false,
            format!(
                "it opened at {} after {} failures: {}",
                minute(breaker.opened_at),
                breaker.failures,
                breaker.reason
            ),
        ),
        Gate::Free { failures } => (
            true,
            format!(
                "{failures} failures on this resource in {}, {} open the breaker",
                case.runbook.breaker.window, case.runbook.breaker.failures
            ),
        ),
        Gate::Verifying { .. } => (true, String::new()),
    };
    path.ask("Are the breakers of the runbook closed?", is_closed, detail);
    path
}

#[cfg(test)]
mod tests;
