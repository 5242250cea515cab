//! `tape_librarian`: stops machines that hold tapes, and expects afterwards what no cloud will
//! show, so that its change is undone.

use std::sync::Arc;

use jiff::Timestamp;
use reeve_agents::models::Confidence;
use reeve_audit::Json;
use reeve_estate::{
    ActError, Metric, MetricRow, Money, Mutation, Operation, PriceCatalogue, Resource,
    ResourceKind, ResourceState, Unit,
};
use reeve_learn::calibrate::{Example, FEATURES};
use reeve_recommend::agent::contract::AgentDefinition;
use reeve_recommend::agent::needs::Needs;
use reeve_recommend::agent::settings::{AgentSetting, AgentSettings, SettingValue};
use reeve_recommend::agent::type_table::{AgentTypeInfo, FindingSource};
use reeve_recommend::agent::{AgentType, Impact};
use reeve_recommend::change::{
    Change, ChangeType, Expectation, ParameterError, Parameters, Parse, Reversal, Task, TaskReach,
    power, precondition, restore, verify,
};
use reeve_recommend::judgement::activity::Activity;
use reeve_recommend::judgement::open_facts::FactNeed;
use reeve_recommend::judgement::proposal::{Abstention, Proposal};
use reeve_recommend::judgement::trust::{Trust, trust_group};
use reeve_recommend::judgement::{Facts, Judgement};
use reeve_recommend::models::Trainer;
use reeve_recommend::plan::Plan;
use reeve_recommend::plan::procedure::subject;
use reeve_recommend::recommendation::{
    Explanation, FactorKind, Factors, ImpactAssessment, Priority, RecommendationType,
};

const CPU_BELOW: AgentSetting = AgentSetting {
    path: "rewind_tapes.cpu_below",
    description: "CPU below which a tape is rewound",
    default: SettingValue::Percent(10.0),
    range: (0.0, 100.0),
    choices: &[],
};

static SETTINGS: [AgentSetting; 1] = [CPU_BELOW];

static INFO: AgentTypeInfo = AgentTypeInfo {
    agent_type: AgentType::named("tape_librarian"),
    description: "Rewinds tapes.",
    capabilities: &[],
    actions: &[],
    settings: &[],
    findings: Some(FindingSource::Runs),
};

/// Row of the metric that this type judges by: nobody else reads it.
pub(super) const SPEED: MetricRow = MetricRow {
    name: "tape_speed",
    label: "Tape speed",
    is_plural: false,
    unit: Unit::PerSecond,
    kinds: &[ResourceKind::VirtualMachine],
};

fn speed() -> Metric {
    Metric::register(SPEED).unwrap()
}

/// A tape on these machines turns at this share of the CPU, percent.
const TAPE_CPU: f64 = 25.0;

pub(super) struct TapeLibrarian;

impl AgentDefinition for TapeLibrarian {
    fn info(&self) -> &AgentTypeInfo {
        &INFO
    }

    fn settings(&self) -> &[AgentSetting] {
        &SETTINGS
    }

    fn needs(&self, _settings: &AgentSettings) -> Needs {
        let kinds = vec![ResourceKind::VirtualMachine];
        Needs {
            kinds,
            metrics: vec![speed()],
            history_days: 1,
            charge_days: 30,
            facts: vec![FactNeed::of::<Activity>().over_days(7)],
            ..Needs::default()
        }
    }

    fn judge(&self, facts: &Facts<'_>) -> Judgement {
        let mut judgement = Judgement::default();
        let reads = facts
            .get::<Activity>()
            .map_or(0, |activity| activity.count("read_tape"));
        let left = |code, why: &str| Abstention {
            kind: None,
            aspect: None,
            code,
            detail: why.to_owned(),
            decisive: true,
        };

        judgement.take(if TAPE_CPU >= facts.settings.percent(&CPU_BELOW) {
            Err(left("not_rewound", "the tape turns"))
        } else if facts.charges.is_empty() {
            Err(left("not_billed", "no bill names the machine"))
        } else if reads == 0 {
            Err(left("not_read", "nobody has read the tape for a week"))
        } else if let Some(speed) = newest_speed(facts) {
            Ok(rewind(facts, reads, speed))
        } else {
            Err(left("not_measured", "no series has the speed of the tape"))
        });

        judgement
    }

    fn backtest(&self, facts: &Facts<'_>, times: &[Timestamp]) -> Vec<Example> {
        let held = |at: &Timestamp| {
            let after = facts
                .series
                .iter()
                .flat_map(|series| &series.points)
                .filter(|(time, _)| time > at);
            after.map(|(_, cpu)| *cpu).fold(0.0, f64::max) < TAPE_CPU
        };

        let example = |at: &Timestamp| Example {
            at_ms: at.as_millisecond(),
            group: trust_group(INFO.agent_type, RecommendationType::IdleResourceCleanup),
            raw: 0.99,
            features: vec![0.0; FEATURES.len()],
            held: held(at),
            weight: 1.0,
        };

        times.iter().map(example).collect()
    }

    fn trainers(&self) -> Vec<Arc<dyn Trainer>> {
        vec![Arc::new(Confidence::new(
            Arc::new(TapeLibrarian),
            &[Metric::CpuUtilization],
        ))]
    }
}

/// Newest speed of the tape of a machine.
fn newest_speed(facts: &Facts<'_>) -> Option<f64> {
    let mut series = facts.series.iter();
    let own = series.find(|series| series.metric == speed())?;
    own.points.last().map(|(_, value)| *value)
}

fn rewind(facts: &Facts<'_>, reads: u64, turns: f64) -> Proposal {
    let cost: f64 = facts
        .charges
        .iter()
        .map(|charge| charge.cost().as_f64())
        .sum();
    let machine = facts.resource;
    let text = |text: &str| text.to_owned();
    let plan = Plan::new(&RewindTape, machine.id.as_str());

    Proposal::new(
        RecommendationType::IdleResourceCleanup,
        "rewind_tapes",
        format!("Rewind the tape of {}", machine.name),
        subject(machine, None),
        ImpactAssessment {
            cost_percent: Some(0.0),
            cost: text("none"),
            performance_degradation_percent: Some(0.0),
            performance: text("none"),
            security: text("none"),
        },
        Explanation::new(text("Rewind the tape"), Impact::Low)
            .with_factors(Factors::from([
                (
                    FactorKind::Measured,
                    format!("the tape turns at {TAPE_CPU} % CPU"),
                ),
                (
                    FactorKind::Measured,
                    format!("{} was {turns} per second", speed().row().label),
                ),
                (
                    FactorKind::Measured,
                    format!("it was billed {cost:.2} in 30 days and read {reads} times in 7 days"),
                ),
            ]))
            .with_data_points(1)
            .with_cost_reduction(text("none"))
            .with_performance_impact(text("none")),
    )
    .with_priority(Priority::Low)
    .with_confidence(
        99.0,
        Trust {
            raw: 0.99,
            features: Vec::new(),
            cap_percent: None,
        },
    )
    .with_impact_level(Impact::Low)
    .with_savings(Money::ZERO)
    .with_plan(plan)
    .with_reason_codes(vec![text("tape_at_its_end")])
}

/// The change: the machine stops, and its tape is never rewound.
#[derive(Debug, Clone)]
struct RewindTape;

/// Row of the change.
pub(super) const CHANGE: ChangeType = ChangeType {
    name: "rewind_tape",
    permissions: &[],
    parse: Parse::Typed(parse),
};

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
        let stop = TaskReach::by("the stop", Mutation::Stop, stopped.clone());
        vec![
            precondition(target, ResourceState::Running, None),
            Task::change(target, format!("Stop {target} to rewind its tape"), stop)
                .expecting(stopped),
            verify(
                target,
                "is rewound",
                vec![Expectation::size("tape.rewound")],
            ),
        ]
    }

    fn reversal(&self) -> Reversal {
        Reversal::Inverse
    }

    fn undo(&self, prior: &Resource, seen: &Resource) -> Option<Task> {
        restore(prior, seen)
    }

    fn simulate(
        &self,
        operation: &dyn Operation,
        twin: &mut Resource,
        catalogue: &PriceCatalogue,
    ) -> Result<(), ActError> {
        power(operation, twin, catalogue)
    }

    fn retarget(&self, _: &dyn Fn(&str) -> Option<String>) -> Arc<dyn Change> {
        Arc::new(self.clone())
    }
}
