//! Advice on a database, with the numbers that decided.

use serde::{Deserialize, Serialize};

use crate::engine::Engine;

/// Area of the database that advice is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Area {
    Index,
    Parameter,
    Query,
    Health,
    Replica,
}

impl Area {
    /// Name, as in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Area::Index => "index",
            Area::Parameter => "parameter",
            Area::Query => "query",
            Area::Health => "health",
            Area::Replica => "replica",
        }
    }
}

/// Urgency of advice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    Low,
    Medium,
    High,
    /// Data or the service is at risk.
    Critical,
}

/// Unit of a cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CostUnit {
    /// Cost of the planner, summed over the calls since the counters were reset.
    PlannerCost,
    /// Rows read, summed over the calls since the counters were reset.
    RowsExamined,
    Bytes,
    Milliseconds,
    /// The setting's own unit: a number, or bytes for a size.
    Value,
    Percent,
    Count,
    Seconds,
}

/// Cost before and after the advice was followed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct AdviceCost {
    pub before: f64,
    /// Expected cost; `None` where no figure can be given.
    pub after: Option<f64>,
    pub unit: CostUnit,
}

/// Change that follows advice, where Reeve can make it: without a restart, and with a way back.
#[derive(Debug, Clone, PartialEq)]
pub enum DatabaseChange {
    CreateIndex {
        schema: String,
        table: String,
        name: String,
        columns: Vec<String>,
    },
    DropIndex {
        schema: String,
        table: String,
        name: String,
        /// Statement that creates it, as the server writes it.
        definition: String,
        /// `true` if no scan of it was counted.
        is_unused: bool,
    },
    SetParameter {
        name: String,
        /// Number, in bytes where the parameter is a size.
        from: f64,
        to: f64,
        /// `true` if the value stays after a restart of the server.
        is_lasting: bool,
    },
}

/// One item of advice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DatabaseAdvice {
    pub area: Area,
    /// Rule that gave it, such as `missing_index`.
    pub rule: String,
    /// Name of the index, statement, setting, table or session.
    pub object: String,
    /// Sentence of at most 70 characters.
    pub title: String,
    pub severity: Severity,
    /// Statements that follow the advice; none where a person has to decide how.
    pub statements: Vec<String>,
    /// Statements that undo it.
    pub undo: Vec<String>,
    pub cost: AdviceCost,
    /// The numbers that decided, and the arithmetic.
    pub reasons: Vec<String>,
    /// `true` if it takes effect after a restart of the server.
    pub needs_restart: bool,
    /// The same as a change; `None` where people alone can follow the advice.
    #[serde(skip)]
    pub change: Option<DatabaseChange>,
}

/// A rule that could not judge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unjudged {
    pub area: Area,
    pub rule: String,
    /// Object, or empty for the database as a whole.
    pub object: String,
    pub reason: String,
    /// Step that makes the judgement possible; empty where there is none.
    pub remedy: String,
}

impl Unjudged {
    pub(crate) fn new(
        area: Area,
        rule: &str,
        reason: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Unjudged {
            area,
            rule: rule.to_owned(),
            object: String::new(),
            reason: reason.into(),
            remedy: remedy.into(),
        }
    }

    pub(crate) fn about(self, object: impl Into<String>) -> Self {
        Unjudged {
            object: object.into(),
            ..self
        }
    }
}

impl DatabaseAdvice {
    /// Advice that no statement follows: a person does, in the application or the machine.
    pub(crate) fn for_people(
        area: Area,
        rule: &str,
        object: impl Into<String>,
        title: &str,
        severity: Severity,
        cost: AdviceCost,
        reasons: Vec<String>,
    ) -> DatabaseAdvice {
        DatabaseAdvice {
            area,
            rule: rule.to_owned(),
            object: object.into(),
            title: titled(title),
            severity,
            statements: Vec::new(),
            undo: Vec::new(),
            cost,
            reasons,
            needs_restart: false,
            change: None,
        }
    }
}

/// Judgement of a database.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DatabaseReport {
    pub engine: Engine,
    pub version: String,
    pub database: String,
    /// Advice, the most urgent first.
    pub advice: Vec<DatabaseAdvice>,
    pub unjudged: Vec<Unjudged>,
}

/// Shortens a title to the 70 characters that lists have room for.
pub(crate) fn titled(text: &str) -> String {
    if text.chars().count() <= 70 {
        return text.to_owned();
    }
    let kept: String = text.chars().take(67).collect();
    format!("{kept}...")
}
