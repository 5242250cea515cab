//! `wall_inspector`: an agent type of this test. Each group must be closed, and each network must
//! have no open group in it.

use std::collections::BTreeMap;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_estate::{ConnectionId, RelationKind, Resource, ResourceKind};
use reeve_recommend::agent::contract::AgentDefinition;
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::agent::settings::AgentSettings;
use reeve_recommend::agent::type_table::{AgentTypeInfo, FindingSource};
use reeve_recommend::agent::{AgentType, Cadence, Impact, RunReportDetail};
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::estate::{EstateError, EstateFacts, EstateJudge, EstateJudgement};
use reeve_recommend::judgement::evidence::{CheckAnswer, CheckResult};
use reeve_recommend::judgement::open_facts::{
    ChunkFacts, FactLoader, FactNeed, FactSource, FactType,
};
use reeve_recommend::judgement::proposal::{Abstention, Proposal};
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::judgement::{Facts, Judgement};
use reeve_recommend::plan::procedure::subject;
use reeve_recommend::recommendation::{
    Explanation, FactorKind, Factors, ImpactAssessment, Priority, RecommendationType,
};
use serde_json::json;

/// Check of every resource.
pub(crate) const CHECK: &str = "is_closed";
const KIND: RecommendationType = RecommendationType::Compliance;

static INFO: AgentTypeInfo = AgentTypeInfo {
    agent_type: AgentType::named("wall_inspector"),
    description: "Looks for open groups.",
    capabilities: &[],
    actions: &[],
    settings: &[],
    findings: Some(FindingSource::Runs),
};

/// Fact of this test: number of the inspector who was at a group.
struct Inspection(u32);

/// Source of [`Inspection`]s: one of each group.
pub(crate) struct Inspections;

impl FactSource for Inspections {
    fn fact_type(&self) -> FactType {
        FactType::of::<Inspection>()
    }

    fn begin(&self, _: &Needs, _: &FactNeed) -> Box<dyn FactLoader> {
        Box::new(Inspections)
    }
}

#[async_trait]
impl FactLoader for Inspections {
    async fn load(
        &self,
        _: &ConnectionId,
        resources: &[Resource],
        _: (Timestamp, Timestamp),
        facts: &mut ChunkFacts,
    ) -> Result<(), EngineError> {
        for resource in resources {
            let number = resource.id.as_str().strip_prefix("sg-");
            if let Some(number) = number.and_then(|number| number.parse().ok()) {
                let own = facts.entry(resource.id.clone()).or_default();
                own.put(Inspection(number));
            }
        }
        Ok(())
    }
}

pub(crate) struct WallInspector;

pub(crate) fn network() -> ResourceKind {
    ResourceKind::named("network").unwrap()
}

impl AgentDefinition for WallInspector {
    fn info(&self) -> &AgentTypeInfo {
        &INFO
    }

    fn needs(&self, _: &AgentSettings) -> Needs {
        let kinds = vec![ResourceKind::SecurityGroup, network()];
        Needs {
            cadence: Cadence::Changes,
            looks_around: vec![network()],
            facts: vec![FactNeed::of::<Inspection>()],
            documents: kinds.clone(),
            related: kinds.clone(),
            related_documents: kinds.clone(),
            kinds,
            ..Needs::default()
        }
    }

    fn judge(&self, facts: &Facts<'_>) -> Judgement {
        let is_open = |document: Option<&reeve_estate::Document>| {
            document.is_some_and(|document| document.json()["open"] == json!(true))
        };
        let inside = facts.relations.neighbours(facts.resource, false);
        let open = inside
            .filter(|one| one.relation == RelationKind::LocatedIn && is_open(one.document))
            .count();
        let is_closed = !is_open(facts.document) && open == 0;

        let mut judgement = Judgement::default();
        judgement.take(if is_closed {
            Err(Abstention::decided(KIND, "closed", "it is closed"))
        } else {
            Ok(advice(KIND, facts.resource))
        });
        judgement.evidence.push(CheckResult {
            check: CHECK.to_owned(),
            answer: if is_closed {
                CheckAnswer::Pass
            } else {
                CheckAnswer::Fail
            },
            why: match facts.get::<Inspection>() {
                Some(Inspection(by)) => {
                    format!("{open} groups in it are open; inspected by inspector {by}")
                }
                None => format!("{open} groups in it are open"),
            },
            values: json!({}),
            document: facts.document.map(reeve_estate::Document::hash),
        });
        judgement
    }

    fn estate_judge(&self) -> Option<Box<dyn EstateJudge>> {
        Some(Box::new(Survey::default()))
    }
}

/// Number of open groups, as the document of each says.
pub(crate) const OPEN_GROUPS: RunReportDetail<u64> = RunReportDetail::named("open_groups");

/// Advises about each network that an open group is in.
#[derive(Default)]
struct Survey {
    groups: Vec<Resource>,
}

impl EstateJudge for Survey {
    fn look(&mut self, facts: &Facts<'_>, judgement: &Judgement) {
        if facts.resource.kind == ResourceKind::SecurityGroup && !judgement.proposals.is_empty() {
            self.groups.push(facts.resource.clone());
        }
    }

    fn judge(self: Box<Self>, facts: &EstateFacts<'_>) -> Result<EstateJudgement, EstateError> {
        let groups: Vec<&Resource> = self.groups.iter().collect();
        let documents = facts.documents.documents(&groups)?;
        let open = documents.iter().flatten();
        let open = open.filter(|one| one.json()["open"] == json!(true)).count() as u64;

        let mut found = EstateJudgement::default();
        let around = groups
            .iter()
            .flat_map(|group| facts.relations.neighbours(group, true));
        let networks: BTreeMap<_, _> = around
            .filter_map(|network| Some((network.id, network.resource?)))
            .collect();
        for network in networks.into_values() {
            let mut judgement = Judgement::default();
            judgement.take(Ok(advice(SURVEYED, network)));
            found.judged.push((network.clone(), judgement));
        }
        found.details.put(&OPEN_GROUPS, &open)?;
        found.recorded.push(("open_groups", open.into()));
        Ok(found)
    }
}

/// Kind of the survey's advice.
pub(crate) const SURVEYED: RecommendationType = RecommendationType::SecurityGroup;

fn advice(kind: RecommendationType, resource: &Resource) -> Proposal {
    let words = |text: &str| text.to_owned();
    Proposal::new(
        kind,
        "open_wall",
        format!("{} is open", resource.name),
        subject(resource, None),
        ImpactAssessment {
            cost_percent: None,
            cost: words("none"),
            performance_degradation_percent: None,
            performance: words("none"),
            security: words("open"),
        },
        Explanation::new(words("Close it"), Impact::High)
            .with_factors(Factors::from([(FactorKind::Measured, "It is open")]))
            .with_data_points(1)
            .with_cost_reduction(words("none"))
            .with_performance_impact(words("none")),
    )
    .with_priority(Priority::High)
    .with_confidence(99.0, Trust::default())
    .with_impact_level(Impact::High)
    .with_reason_codes(vec![words("open")])
}
