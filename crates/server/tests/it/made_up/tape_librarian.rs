//! `tape_librarian`: stops machines that hold tapes, and expects afterwards what no cloud will show, so that its change is undone.

use std::sync::Arc;

use reeve_audit::Json;
use reeve_estate::{ActError, Catalogue, Money, Mutation, Operation, Resource, ResourceKind, ResourceState};
use reeve_recommend::change::{
    ChangeType, Expectation, ParameterError, Parameters, Reach, Reversal, Task, power, precondition, restore, verify,
};
use reeve_recommend::recommendation::{Effort, Explanation, ImpactAssessment};
use reeve_recommend::{
    Abstention, AgentDefinition, AgentType, AgentTypeInfo, Change, Facts, FindingSource, Impact, Judgement, Needs,
    Plan, Priority, Proposal, RecommendationType, Setting, SettingValue, Settings, Trust, subject,
};

const CPU_BELOW: Setting = Setting {
    path: "rewind_tapes.cpu_below",
    description: "CPU below which a tape is rewound",
    default: SettingValue::Percent(10.0),
    range: (0.0, 100.0),
};

static SETTINGS: [Setting; 1] = [CPU_BELOW];

static INFO: AgentTypeInfo = AgentTypeInfo {
    agent_type: AgentType::named("tape_librarian"),
    description: "Rewinds tapes.",
    capabilities: &[],
    actions: &[],
    settings: &[],
    findings: Some(FindingSource::Runs),
};

/// A tape on these machines turns at this share of the CPU, percent.
const TAPE_CPU: f64 = 25.0;

/// The agent type.
pub(super) struct TapeLibrarian;

impl AgentDefinition for TapeLibrarian {
    fn info(&self) -> &AgentTypeInfo {
        &INFO
    }

    fn settings(&self) -> &[Setting] {
        &SETTINGS
    }

    fn needs(&self, _settings: &Settings) -> Needs {
        Needs { kinds: vec![ResourceKind::VirtualMachine], history_days: 1, ..Needs::default() }
    }

    fn judge(&self, facts: &Facts<'_>) -> Judgement {
        let mut judgement = Judgement::default();
        judgement.take(if TAPE_CPU < facts.settings.percent(&CPU_BELOW) {
            Ok(rewind(facts))
        } else {
            Err(Abstention { kind: None, code: "not_rewound", detail: "the tape turns".to_owned(), decisive: true })
        });
        judgement
    }
}

fn rewind(facts: &Facts<'_>) -> Proposal {
    let machine = facts.resource;
    let text = |text: &str| text.to_owned();
    let plan = Plan::of(&RewindTape, machine.id.as_str());
    Proposal {
        kind: RecommendationType::IdleResourceCleanup,
        rule: "rewind_tapes",
        title: format!("Rewind the tape of {}", machine.name),
        subject: subject(machine, None),
        priority: Priority::Low,
        confidence: 99.0,
        trust: Trust { raw: 0.99, features: Vec::new(), cap_percent: None },
        impact_level: Impact::Low,
        impact: ImpactAssessment {
            cost_percent: Some(0.0),
            cost: text("none"),
            performance_degradation_percent: Some(0.0),
            performance: text("none"),
            security: text("none"),
        },
        effort: Effort::Low,
        savings_monthly: Some(Money::ZERO),
        savings_after_discounts: None,
        monthly_cost: None,
        plan: Some(plan),
        reason_codes: vec![text("tape_at_its_end")],
        not_measured: Vec::new(),
        explanation: Explanation {
            action: text("Rewind the tape"),
            factors: vec![format!("the tape turns at {TAPE_CPU} % CPU")],
            data_points: 1,
            similar_cases: 0,
            success_rate: None,
            risk: Impact::Low,
            cost_reduction: text("none"),
            performance_impact: text("none"),
            decision_path: Vec::new(),
            models: Vec::new(),
        },
    }
}

/// The change: the machine stops, and its tape is never rewound.
#[derive(Debug, Clone)]
struct RewindTape;

/// Row of the change.
pub(super) const CHANGE: ChangeType = ChangeType { name: "rewind_tape", permissions: &[], parse };

fn parse(_: &mut Parameters<'_>) -> Result<Arc<dyn Change>, ParameterError> {
    Ok(Arc::new(RewindTape))
}

impl Change for RewindTape {
    fn name(&self) -> &'static str {
        CHANGE.name
    }

    fn parameters(&self) -> Json {
        Json::object(Vec::<(String, Json)>::new())
    }

    fn tasks(&self, target: &str) -> Vec<Task> {
        let stopped = vec![Expectation::state(ResourceState::Stopped)];
        let stop = Reach::by("the stop", Mutation::Stop, stopped.clone());
        vec![
            precondition(target, ResourceState::Running, None),
            Task::change(target, format!("Stop {target} to rewind its tape"), stop).expecting(stopped),
            verify(target, "is rewound", vec![Expectation::size("tape.rewound")]),
        ]
    }

    fn reversal(&self) -> Reversal {
        Reversal::Inverse
    }

    fn undo(&self, prior: &Resource, seen: &Resource) -> Option<Task> {
        restore(prior, seen)
    }

    fn simulate(&self, operation: &dyn Operation, twin: &mut Resource, catalogue: &Catalogue) -> Result<(), ActError> {
        power(operation, twin, catalogue)
    }

    fn retarget(&self, _: &dyn Fn(&str) -> Option<String>) -> Arc<dyn Change> {
        Arc::new(self.clone())
    }
}
