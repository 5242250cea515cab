//! Observations that ask for a change, and the answers of agent types.
//!
//! Detection (`anomalies`) and forecasting (`predict`) observe: a capacity that is short, a cost
//! that rose, what a predictive rule expects. The change that answers an observation is a rule of
//! one agent type ([`AgentDefinition::answer`](crate::agent::contract::AgentDefinition::answer)).

use jiff::Timestamp;
use reeve_estate::{Money, PriceCatalogue, Resource, SampleSeries};

use crate::approval::matrix::ApprovalMatrix;
use crate::judgement::event::AnomalyReport;
use crate::judgement::proposal::Proposal;
use crate::predictive::{Prediction, PredictiveRule};

/// Observation that a change may answer.
#[derive(Debug, Clone, Copy)]
pub enum Observation<'a> {
    /// An anomaly shows that a capacity is short.
    Shortage(&'a Shortage<'a>),
    /// An anomaly of a bill names a resource that costs more.
    CostIncrease(&'a CostIncrease<'a>),
    /// A predictive rule has fired.
    Foreseen(&'a ForeseenCondition<'a>),
}

/// Capacity that can be short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShortCapacity {
    Processors,
    Memory,
    Storage,
    /// Connections of a database.
    Connections,
    /// More of everything that answers requests.
    Requests,
}

/// Capacity of a resource that is short by one reading of an anomaly.
#[derive(Debug, Clone, Copy)]
pub struct Shortage<'a> {
    pub anomaly: &'a AnomalyReport,
    pub capacity: ShortCapacity,
    /// Measured value as a multiple of the expected one; `None` where nothing was expected.
    pub times: Option<f64>,
    /// The reading in words.
    pub evidence: &'a str,
    pub resource: &'a Resource,
    /// Resources around it: its group, its disks, the machines behind it and their groups.
    pub around: &'a [Resource],
    /// Monthly cost of its account; `None` where no price is known.
    pub account_cost: Option<Money>,
}

/// Points below which the use of CPU is not known.
const LEAST_POINTS: usize = 12;

/// CPU of a resource over a time, percent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CpuUse {
    pub mean: f64,
    pub peak: f64,
}

impl CpuUse {
    /// Use in a series of CPU; `None` where too little was measured.
    #[must_use]
    pub fn from_series(series: &SampleSeries) -> Option<Self> {
        let values: Vec<f64> = series
            .points
            .iter()
            .map(|(_, value)| *value)
            .filter(|value| value.is_finite())
            .collect();
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;

        let peak = values.iter().copied().fold(0.0, f64::max);
        (values.len() >= LEAST_POINTS).then_some(CpuUse { mean, peak })
    }
}

/// Resource whose cost rose in the bill of an anomaly.
#[derive(Debug, Clone, Copy)]
pub struct CostIncrease<'a> {
    pub anomaly: &'a AnomalyReport,
    pub resource: &'a Resource,
    /// Cost in the bill.
    pub observed: f64,
    /// Usual cost, in the same currency.
    pub expected: f64,
    /// Use since the anomaly began; `None` where it was not measured.
    pub cpu: Option<CpuUse>,
    /// Size before the resource was resized, shortly before the anomaly.
    pub former_size: Option<&'a str>,
    /// Volumes attached to it.
    pub volumes: &'a [Resource],
}

/// Condition of a predictive rule that is foreseen for a resource.
#[derive(Debug, Clone, Copy)]
pub struct ForeseenCondition<'a> {
    pub rule: &'a PredictiveRule,
    pub prediction: &'a Prediction,
    /// Resource of the forecast.
    pub measured: &'a Resource,
    /// Resource to change: the measured one, the group behind it, or its only disk.
    pub target: &'a Resource,
    /// Monthly cost of the account at list price, as far as prices are known; `None` until the
    /// whole scope is read.
    pub account_cost: Option<Money>,
}

/// Prices, approvals and time that an answer is made by.
#[derive(Debug, Clone, Copy)]
pub struct AnswerTerms<'a> {
    /// Source of specifications and prices.
    pub catalogue: &'a PriceCatalogue,
    /// Impact levels by the cost of a change.
    pub matrix: &'a ApprovalMatrix,
    pub now: Timestamp,
}

/// Change that answers an observation.
#[derive(Debug, Clone, PartialEq)]
pub struct ObservationAnswer {
    /// Resource that the change applies to.
    pub resource: Resource,
    pub proposal: Proposal,
    /// Reason why there is no plan for it.
    pub by_hand: Option<String>,
}
