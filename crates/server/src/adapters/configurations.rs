//! Results of checks as reports read them: the port [`ConfigurationReader`], over the catalogue of
//! checks and the kept evidence.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Result;
use async_trait::async_trait;
use reeve_audit::Obstacle;
use reeve_controls::{Control, ControlCatalogue, ControlCheck, Framework, LiveCatalogue};
use reeve_engine::accepted_results;
use reeve_recommend::agent::AgentType;
use reeve_recommend::judgement::evidence::{
    CheckAnswer, EvidenceCount, EvidenceFilter, EvidenceKey, EvidenceStore, JudgementEvidence,
};
use reeve_recommend::ports::AgentStore;
use reeve_recommend::recommendation::exclusion::Exclusion;
use reeve_reports::{
    CheckedChanges, CheckedControl, CheckedCounts, CheckingAgent, ConfigurationReader,
    ConfigurationRequest, FailingResult, MOST_FAILING, ReportConfiguration, ResultException,
};

/// Evidence and the agents that found it.
pub(crate) struct Configurations {
    pub(crate) evidence: Arc<dyn EvidenceStore>,
    pub(crate) agents: Arc<dyn AgentStore>,
    pub(crate) checks: Arc<LiveCatalogue>,
}

/// Results of one check.
#[derive(Default)]
struct OfCheck {
    results: CheckedCounts,
    changes: CheckedChanges,
    /// The first results that failed.
    failing: Vec<FailingResult>,
}

#[async_trait]
impl ConfigurationReader for Configurations {
    async fn configuration(
        &self,
        request: ConfigurationRequest<'_>,
    ) -> Result<Option<ReportConfiguration>, Obstacle> {
        let catalogue = self.checks.current();
        let Some(framework) = catalogue.framework(request.framework) else {
            return Ok(None);
        };
        let found = self.read(&catalogue, framework, &request).await;
        found
            .map(Some)
            .map_err(|error| Obstacle::of(format!("{error:#}")))
    }
}

impl Configurations {
    async fn read(
        &self,
        catalogue: &ControlCatalogue,
        framework: &Framework,
        request: &ConfigurationRequest<'_>,
    ) -> Result<ReportConfiguration> {
        let filter = EvidenceFilter {
            resources: request.filters.resources.clone(),
            accounts: request.filters.accounts.clone(),
            before: Some(request.period.end),
            ..EvidenceFilter::default()
        };
        let of_checks = self
            .of_checks(catalogue, framework, request, &filter)
            .await?;

        let mut results = CheckedCounts::default();
        for one in of_checks.values() {
            results += one.results;
        }
        Ok(ReportConfiguration {
            framework: framework.id.clone(),
            title: framework.title.clone(),
            edition: framework.edition.clone(),
            as_of: request.period.end,
            agents: self.checking(catalogue, framework).await?,
            results,
            controls: framework
                .controls
                .iter()
                .map(|one| control(catalogue, one, &of_checks))
                .collect(),
        })
    }

    /// The results of each check that proves a control of the framework.
    async fn of_checks(
        &self,
        catalogue: &ControlCatalogue,
        framework: &Framework,
        request: &ConfigurationRequest<'_>,
        filter: &EvidenceFilter,
    ) -> Result<BTreeMap<String, OfCheck>> {
        let proving = |id: &str| {
            let check = catalogue.check(id);
            check.is_some_and(|check| framework.is_proven_by(check))
        };

        let mut found: BTreeMap<String, OfCheck> = BTreeMap::new();
        for one in self.evidence.evidence_counts(filter).await? {
            if proving(&one.check) {
                count(
                    &mut found.entry(one.check.clone()).or_default().results,
                    &one,
                );
            }
        }

        let since = request.period.start;
        for one in self.evidence.evidence_changes(filter, since).await? {
            let (was, is) = (
                one.was == Some(CheckAnswer::Fail),
                one.answer == CheckAnswer::Fail,
            );
            if was == is || !proving(&one.check) {
                continue;
            }
            let changes = &mut found.entry(one.check).or_default().changes;
            if is {
                changes.began_failing += one.count;
            } else {
                changes.stopped_failing += one.count;
            }
        }

        let (agents, evidence) = (&*self.agents, &*self.evidence);
        let mut exceptions = BTreeMap::new();
        for one in accepted_results(agents, evidence, filter, request.period.end).await? {
            if let Some(of_check) = found.get_mut(&one.found.result.check) {
                of_check.results.excepted += 1;
            }
            exceptions.insert(one.found.key(), one.exception);
        }

        for (id, of_check) in &mut found {
            if of_check.results.failed > 0 {
                of_check.failing = self.failing(catalogue, id, filter, &exceptions).await?;
            }
        }
        Ok(found)
    }

    async fn failing(
        &self,
        catalogue: &ControlCatalogue,
        check: &str,
        filter: &EvidenceFilter,
        exceptions: &BTreeMap<EvidenceKey, Exclusion>,
    ) -> Result<Vec<FailingResult>> {
        let filter = EvidenceFilter {
            checks: vec![check.to_owned()],
            answer: Some(CheckAnswer::Fail),
            limit: MOST_FAILING as u64,
            ..filter.clone()
        };
        let (failing, _) = self.evidence.evidence_list(&filter).await?;
        let check = catalogue.check(check);
        Ok(failing
            .into_iter()
            .filter_map(|one| {
                let exception = exceptions.get(&one.key());
                Some(failing_result(catalogue, check?, one, exception))
            })
            .collect())
    }

    /// The agents that check a framework.
    async fn checking(
        &self,
        catalogue: &ControlCatalogue,
        framework: &Framework,
    ) -> Result<Vec<CheckingAgent>> {
        let of_type = Some(AgentType::COMPLIANCE_INTELLIGENCE);
        let agents = self.agents.agent_list(of_type).await?;
        let checking = agents.into_iter().filter(|agent| {
            catalogue
                .frameworks_of(&agent.settings)
                .contains(&framework.id)
        });
        Ok(checking
            .map(|agent| CheckingAgent {
                name: agent.name,
                last_run_at: agent.last_run.map(|run| run.finished_at),
            })
            .collect())
    }
}

fn count(counts: &mut CheckedCounts, one: &EvidenceCount) {
    let counted = match one.answer {
        CheckAnswer::Pass => &mut counts.passed,
        CheckAnswer::Fail => &mut counts.failed,
        CheckAnswer::Unknown => &mut counts.unknown,
        CheckAnswer::NotApplicable => &mut counts.not_applicable,
    };
    *counted += one.count;
}

fn control(
    catalogue: &ControlCatalogue,
    control: &Control,
    of_checks: &BTreeMap<String, OfCheck>,
) -> CheckedControl {
    let mut proving: Vec<&ControlCheck> = catalogue.proving(control).map(AsRef::as_ref).collect();
    proving.sort_by_key(|check| check.rank());

    let mut checked = CheckedControl {
        number: control.id.clone(),
        title: control.title.clone(),
        by_hand: Some(control.by_hand.clone()).filter(|text| !text.is_empty()),
        checks: proving.len() as u64,
        ..CheckedControl::default()
    };
    for check in proving {
        if let Some(of_check) = of_checks.get(&check.id) {
            checked.results += of_check.results;
            checked.changes += of_check.changes;
            let room = MOST_FAILING.saturating_sub(checked.failing.len());
            let listed = of_check.failing.iter().take(room).cloned();
            checked.failing.extend(listed);
        }
    }
    checked
}

fn failing_result(
    catalogue: &ControlCatalogue,
    check: &ControlCheck,
    found: JudgementEvidence,
    exception: Option<&Exclusion>,
) -> FailingResult {
    let title = &check.title;
    FailingResult {
        check_title: if catalogue.is_own_check(&check.id) {
            format!("{title} (own check)")
        } else {
            title.clone()
        },
        check: found.result.check,
        severity: check.severity.as_str(),
        resource_id: found.resource.0,
        resource_name: found.name,
        kind: found.kind.as_str().to_owned(),
        account: found.account,
        region: found.region,
        why: found.result.why,
        since: found.since,
        document: found.result.document,
        event_id: found.event_id,
        sequence: None,
        exception: exception.map(|exception| ResultException {
            reason: exception.reason.clone(),
            by: exception.by.clone(),
            at: exception.at,
            ends_at: exception.until,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_framework_that_a_template_names_has_controls_with_checks() {
        for template in reeve_reports::templates() {
            let named = template.checks.as_deref();
            let framework = named.and_then(|name| ControlCatalogue::builtin().framework(name));
            let proven = framework.is_some_and(|framework| {
                let mut checks = ControlCatalogue::builtin().checks();
                checks.any(|check| framework.is_proven_by(check))
            });
            assert!(proven, "{}: {named:?}", template.id);
        }
    }
}
