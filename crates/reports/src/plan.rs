//! The questions of a report, ready to be asked of entries, and the one query that finds every
//! entry that may answer one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use reeve_audit::Entry;
use reeve_audit::query::{Expr, Query, ValueList};

use crate::coverage::syncs;
use crate::definition::{GroupField, ReportKind, ReportMetric, ReportRequest};
use crate::period::ReportPeriod;
use crate::source::EventSource;
use crate::template::{ControlQuestion, Template};
use crate::templates::template;

use jiff::Timestamp;

/// Meaning of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuestionKind {
    /// Entries that evidence a control.
    Evidence,
    /// Entries that somebody should look at.
    Exception,
    /// Entries of a custom report.
    Events,
}

impl QuestionKind {
    /// Name of the kind in documents.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            QuestionKind::Evidence => "evidence",
            QuestionKind::Exception => "exception",
            QuestionKind::Events => "events",
        }
    }
}

/// A query whose entries a report counts and cites.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportQuestion {
    /// Identifier within the report, such as `CC6.1.evidence.1`.
    pub id: String,
    /// Index of its control in the template.
    pub control: Option<usize>,
    /// Meaning of the entries that the query finds.
    pub kind: QuestionKind,
    /// Name of the question within its control.
    pub name: String,
    /// Query as its author wrote it.
    pub text: String,
    /// Explanation of the entries found, or of their absence.
    pub explains: String,
    /// Sources that can write an entry that it finds.
    pub sources: Vec<EventSource>,
    /// Days within which evidence has to occur again and again.
    pub every_days: Option<u32>,
    query: Query,
}

/// The questions of a report over a period.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportPlan {
    /// Template of a compliance report.
    pub template: Option<&'static Template>,
    /// Period that the questions are asked of.
    pub period: ReportPeriod,
    /// Questions, in the order in which they are shown.
    pub questions: Vec<ReportQuestion>,
    /// Grouping of a custom report.
    pub group_by: Vec<GroupField>,
    /// Figures of a custom report.
    pub metrics: Vec<ReportMetric>,
    /// Values of the lists that its queries compare with, by name. The report states them, so that
    /// its queries can be asked again when the lists have changed.
    pub lists: BTreeMap<String, Vec<String>>,
    narrowing: Expr,
    now: Timestamp,
}

/// A request that cannot be asked any more: its framework or a query is gone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PlanError(pub String);

impl ReportPlan {
    /// Makes the questions of a request. `now` is what its period and queries count from.
    ///
    /// # Errors
    /// A framework that Reeve does not have, or a query that it no longer reads.
    pub fn new(request: &ReportRequest, now: Timestamp) -> Result<ReportPlan, PlanError> {
        let spares = matches!(request.kind, ReportKind::Compliance { .. });
        let narrowing = request
            .filters
            .condition(spares)
            .map_err(|error| PlanError(error.to_string()))?;
        let period = request.period.resolve(now);
        let plan = |template, questions, group_by, metrics| ReportPlan {
            template,
            period,
            questions,
            group_by,
            metrics,
            lists: BTreeMap::new(),
            narrowing,
            now,
        };

        Ok(match &request.kind {
            ReportKind::Compliance { framework } => {
                let found = template(framework);
                let template = found
                    .ok_or_else(|| PlanError(format!("there is no framework {framework:?}")))?;
                plan(
                    Some(template),
                    of_template(template),
                    Vec::new(),
                    ReportMetric::ALL.to_vec(),
                )
            }
            ReportKind::Custom {
                query,
                group_by,
                metrics,
            } => {
                let read =
                    Query::parse(query).map_err(|error| PlanError(format!("query: {error}")))?;
                // An operation in both spellings, as in the search that a count leads to. The text
                // says so: a verifier counts by it.
                let widened = read.clone().any_spelling();
                let text = if widened == read {
                    query.clone()
                } else {
                    widened.to_string()
                };
                let question = ReportQuestion {
                    id: "events".to_owned(),
                    control: None,
                    kind: QuestionKind::Events,
                    name: "Events".to_owned(),
                    text,
                    explains: String::new(),
                    sources: vec![EventSource::Reeve],
                    every_days: None,
                    query: widened.counting_outcomes(),
                };
                plan(None, vec![question], group_by.clone(), metrics.clone())
            }
        })
    }

    /// Returns the names of the lists that its queries compare with.
    #[must_use]
    pub fn list_names(&self) -> BTreeSet<&str> {
        self.questions
            .iter()
            .flat_map(|question| question.query.expr.lists())
            .collect()
    }

    /// Gives the lists that its queries compare with their values.
    ///
    /// # Errors
    /// A list has no values among those given.
    pub fn with_lists(self, lists: BTreeMap<String, Vec<String>>) -> Result<ReportPlan, PlanError> {
        let values = lists.iter().map(|(name, values)| {
            let values = ValueList::new(values.iter().map(String::as_str));
            (name.clone(), Arc::new(values))
        });
        let values = values.collect();

        let resolved = self.questions.into_iter().map(|question| {
            let query = question.query.with_lists(&values);
            query.map(|query| ReportQuestion { query, ..question })
        });
        let questions = resolved
            .collect::<Result<_, _>>()
            .map_err(|error| PlanError(format!("query: {error}")))?;

        Ok(ReportPlan {
            questions,
            lists,
            ..self
        })
    }

    /// Returns the query of every entry that may answer a question, times resolved.
    #[must_use]
    pub fn query(&self) -> Query {
        let mut texts = BTreeSet::new();
        let any = self
            .questions
            .iter()
            .filter(|question| texts.insert(question.text.as_str()));
        let any = Expr::or(any.map(|question| question.query.expr.clone()));
        let asked = Expr::and([self.narrowing.clone(), any]);

        // A framework's report tells where syncs stopped; a filter does not narrow that.
        let asked = if self.template.is_some() {
            Expr::or([asked, syncs()])
        } else {
            asked
        };

        Query::all()
            .and(self.period.condition())
            .and(asked)
            .resolve(self.now)
    }

    /// Returns the indexes of the questions that an entry answers.
    #[must_use]
    pub fn answered(&self, entry: &Entry, recorded_at: Timestamp) -> Vec<usize> {
        if !self.period.contains(entry.timestamp)
            || !self.narrowing.matches(entry, recorded_at, self.now)
        {
            return Vec::new();
        }

        let answers =
            |question: &ReportQuestion| question.query.matches(entry, recorded_at, self.now);
        self.questions
            .iter()
            .enumerate()
            .filter(|(_, question)| answers(question))
            .map(|(at, _)| at)
            .collect()
    }
}

fn of_template(template: &Template) -> Vec<ReportQuestion> {
    let mut questions = Vec::new();
    for (at, control) in template.controls.iter().enumerate() {
        let kinds = [
            (QuestionKind::Evidence, &control.evidence),
            (QuestionKind::Exception, &control.exceptions),
        ];
        for (kind, asked) in kinds {
            for (number, one) in asked.iter().enumerate() {
                questions.push(question(
                    format!("{}.{}.{}", control.number, kind.as_str(), number + 1),
                    at,
                    kind,
                    one,
                ));
            }
        }
    }

    questions
}

fn question(
    id: String,
    control: usize,
    kind: QuestionKind,
    asked: &ControlQuestion,
) -> ReportQuestion {
    ReportQuestion {
        id,
        control: Some(control),
        kind,
        name: asked.name.clone(),
        text: asked.text.clone(),
        explains: asked.explains.clone(),
        sources: asked.sources.clone(),
        every_days: asked.every_days,
        query: asked.query.clone().counting_outcomes(),
    }
}
