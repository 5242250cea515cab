//! `tape_inspector`: runs over changes, reads facts of a source of its own, keeps evidence, judges
//! the estate as a whole, gives topics their names by a change that is data, and is woken by an
//! entry of the log.

use std::sync::{Arc, LazyLock};

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_audit::Json;
use reeve_estate::{ConnectionId, Money, Provider, Resource, ResourceKind};
use reeve_recommend::agent::cadence::Cadence;
use reeve_recommend::agent::contract::AgentDefinition;
use reeve_recommend::agent::emergency::{Emergency, Preapproval, WakingEvent};
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::agent::settings::{AgentSetting, AgentSettings, SettingValue};
use reeve_recommend::agent::type_table::{AgentTypeInfo, FindingSource};
use reeve_recommend::agent::{AgentType, Impact};
use reeve_recommend::change::{ChangeType, ConfigurationChange, ConfigurationRow, Parse};
use reeve_recommend::error::EngineError;
use reeve_recommend::judgement::estate::{EstateError, EstateFacts, EstateJudge, EstateJudgement};
use reeve_recommend::judgement::event::JudgementEvent;
use reeve_recommend::judgement::evidence::{CheckAnswer, CheckResult};
use reeve_recommend::judgement::open_facts::{
    ChunkFacts, FactLoader, FactNeed, FactSource, FactType,
};
use reeve_recommend::judgement::proposal::{Abstention, Proposal};
use reeve_recommend::judgement::trust::Trust;
use reeve_recommend::judgement::{Facts, Judgement};
use reeve_recommend::plan::Plan;
use reeve_recommend::plan::procedure::subject;
use reeve_recommend::recommendation::{
    Explanation, FactorKind, Factors, ImpactAssessment, Priority, RecommendationType,
};
use serde_json::{Value, json};

/// Check whose results it keeps.
pub(super) const CHECK: &str = "tape.named";

const PATIENCE: AgentSetting = AgentSetting {
    path: "inspect.patience",
    description: "Time that a topic may be without a name",
    default: SettingValue::Minutes(90),
    range: (1.0, 240.0),
    choices: &[],
};

static SETTINGS: [AgentSetting; 1] = [PATIENCE];

static INFO: AgentTypeInfo = AgentTypeInfo {
    agent_type: AgentType::named("tape_inspector"),
    description: "Names the topics of tapes.",
    capabilities: &[],
    actions: &[],
    settings: &[],
    findings: Some(FindingSource::Runs),
};

/// The emergency: a jam of a tape is told by the name of its topic, at once.
pub(super) const JAMMED: &str = "name_jammed";

const EMERGENCIES: &[Emergency] = &[Emergency {
    rule: JAMMED,
    description: "Tells of a jammed tape by the name of its topic.",
    impact: Impact::Low,
    wakes: &[WakingEvent::Entry {
        event_type: "tape.jam",
        operation: Some("jam"),
        by_reeve: false,
    }],
    preapproval: Preapproval::Standing,
}];

/// The change: a row that no file of the catalogue has.
const ROW: &str = r#"
[[change]]
name = "name_topic"
kind = "topic"
about = "the display name"
step = "Name topic ${doc.TopicArn} ${with.name}"
risk = "low"
permissions = ["sns:SetTopicAttributes"]
after = { "Attributes.DisplayName" = "${with.name}" }

[change.call]
service = "sns"
action = "SetTopicAttributes"
parameters = { TopicArn = "${doc.TopicArn}", AttributeName = "DisplayName", AttributeValue = "${with.name}" }

[[change.inverse]]
[change.inverse.call]
service = "sns"
action = "SetTopicAttributes"
parameters = { TopicArn = "${doc.TopicArn}", AttributeName = "DisplayName", AttributeValue = "" }

[change.sample]
document = '{"TopicArn": "arn:aws:sns:us-east-1:123456789012:tapes", "Attributes": {"DisplayName": ""}}'
with = { name = "Tapes" }
"#;

fn row() -> &'static ConfigurationRow {
    static ROWS: LazyLock<Vec<ConfigurationRow>> =
        LazyLock::new(|| ConfigurationRow::read(Provider::Aws, "made up", ROW).unwrap());
    &ROWS[0]
}

/// Row of the change.
pub(super) fn change() -> ChangeType {
    ChangeType {
        name: row().name,
        permissions: row().permissions,
        parse: Parse::Row(row()),
    }
}

/// The fact of its own: the shelf on which the tape of a topic lies.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Shelf(usize);

struct Shelves;

impl FactSource for Shelves {
    fn fact_type(&self) -> FactType {
        FactType::of::<Shelf>()
    }

    fn begin(&self, _: &Needs, _: &FactNeed) -> Box<dyn FactLoader> {
        Box::new(Shelves)
    }
}

#[async_trait]
impl FactLoader for Shelves {
    async fn load(
        &self,
        _: &ConnectionId,
        resources: &[Resource],
        _: (Timestamp, Timestamp),
        facts: &mut ChunkFacts,
    ) -> Result<(), EngineError> {
        for resource in resources {
            let shelf = Shelf(resource.name.len());
            facts.entry(resource.id.clone()).or_default().put(shelf);
        }
        Ok(())
    }
}

pub(super) struct TapeInspector;

impl AgentDefinition for TapeInspector {
    fn info(&self) -> &AgentTypeInfo {
        &INFO
    }

    fn settings(&self) -> &[AgentSetting] {
        &SETTINGS
    }

    fn needs(&self, _: &AgentSettings) -> Needs {
        let kinds: Vec<ResourceKind> = ResourceKind::named("topic").into_iter().collect();
        Needs {
            documents: kinds.clone(),
            related: kinds.clone(),
            kinds,
            cadence: Cadence::Changes,
            facts: vec![FactNeed::of::<Shelf>()],
            ..Needs::default()
        }
    }

    fn fact_sources(&self) -> Vec<Arc<dyn FactSource>> {
        vec![Arc::new(Shelves)]
    }

    fn judge(&self, facts: &Facts<'_>) -> Judgement {
        let mut judgement = Judgement::default();
        let (Some(document), Some(Shelf(shelf))) = (facts.document, facts.get::<Shelf>()) else {
            return judgement;
        };

        let name = document.json()["Attributes"]["DisplayName"].as_str();
        let is_named = name.is_some_and(|name| !name.is_empty());
        judgement.evidence.push(CheckResult {
            check: CHECK.to_owned(),
            answer: if is_named {
                CheckAnswer::Pass
            } else {
                CheckAnswer::Fail
            },
            why: format!("Its name is {:?}.", name.unwrap_or_default()),
            values: json!({ "DisplayName": name }),
            document: Some(document.hash()),
        });

        let patience = facts.settings.minutes(&PATIENCE);
        let with = [(
            "name".to_owned(),
            Value::from(format!("Tapes of shelf {shelf}")),
        )];
        let change = ConfigurationChange::on(row(), facts.resource, document, with.into());
        judgement.take(match change {
            Ok(change) if !is_named && patience < 60 => Ok(naming(facts, &change)),
            _ => Err(Abstention {
                kind: None,
                aspect: Some(CHECK.to_owned()),
                code: if is_named { "named" } else { "waits" },
                detail: format!("it may wait {patience} minutes"),
                decisive: true,
            }),
        });
        judgement
    }

    fn emergencies(&self) -> &[Emergency] {
        EMERGENCIES
    }

    fn event_needs(&self, settings: &AgentSettings) -> Needs {
        self.needs(settings)
    }

    fn judge_event(&self, event: &JudgementEvent, facts: &Facts<'_>) -> Judgement {
        let mut judgement = Judgement::default();
        let (Some(document), Some(Shelf(shelf)), Some(_)) =
            (facts.document, facts.get::<Shelf>(), event.entry())
        else {
            return judgement;
        };
        let name = Value::from(format!("Jammed on shelf {shelf}"));
        let with = [("name".to_owned(), name)];
        if let Ok(change) = ConfigurationChange::on(row(), facts.resource, document, with.into()) {
            let mut proposal = naming(facts, &change);
            proposal.rule = JAMMED;
            proposal.subject.aspect = Some("tape.jam".to_owned());
            judgement.proposals.push(proposal);
        }
        judgement
    }

    fn estate_judge(&self) -> Option<Box<dyn EstateJudge>> {
        Some(Box::new(Count(0)))
    }
}

/// Counts the topics of a full run.
struct Count(u64);

impl EstateJudge for Count {
    fn look(&mut self, _: &Facts<'_>, _: &Judgement) {
        self.0 += 1;
    }

    fn judge(self: Box<Self>, _: &EstateFacts<'_>) -> Result<EstateJudgement, EstateError> {
        Ok(EstateJudgement {
            recorded: vec![("tapes_counted", Json::from(self.0))],
            ..EstateJudgement::default()
        })
    }
}

fn naming(facts: &Facts<'_>, change: &ConfigurationChange) -> Proposal {
    let topic = facts.resource;
    let text = |text: &str| text.to_owned();
    let mut about = subject(topic, None);
    about.aspect = Some(text(CHECK));

    Proposal::new(
        RecommendationType::Compliance,
        "name_topics",
        format!("Name {}", topic.name),
        about,
        ImpactAssessment {
            cost_percent: Some(0.0),
            cost: text("none"),
            performance_degradation_percent: Some(0.0),
            performance: text("none"),
            security: text("none"),
        },
        Explanation::new(text("Name the topic"), Impact::Low)
            .with_factors(Factors::from([(
                FactorKind::Measured,
                text("it has no name"),
            )]))
            .with_data_points(1)
            .with_cost_reduction(text("none"))
            .with_performance_impact(text("none")),
    )
    .with_priority(Priority::Low)
    .with_confidence(99.0, Trust::default())
    .with_impact_level(Impact::Low)
    .with_savings(Money::ZERO)
    .with_plan(Plan::new(change, topic.id.as_str()))
    .with_reason_codes(vec![text("nameless")])
}
