//! The queries of a report, asked again of each entry that it lists, and its counts.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use reeve_audit::query::{Expr, FieldPath, Match, Query, QueryColumn, ValueList, filter};
use reeve_audit::{Entry, Obstacle, parse_instant};
use serde_json::Value;

use super::configuration::{ConfigurationFault, EvidenceConfiguration, RECORDED};

/// Difference between the queries that an entry answers and those that it is listed under.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum AnswerFault {
    #[error("it is outside of the report's period")]
    Period,
    #[error("the filters of the report exclude it")]
    Filtered,
    #[error("it answers {0}, and is not listed there")]
    NotListed(String),
    #[error("it is listed under {0}, and does not answer it")]
    NoAnswer(String),
    #[error("no query of the report matches it")]
    NoQuery,
    #[error(transparent)]
    Configuration(#[from] ConfigurationFault),
}

/// Difference between a report's entries and the counts that it states.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum CountFault {
    #[error("the report says that it lists {stated} entries, and lists {found}")]
    Listed { stated: u64, found: u64 },
    #[error("the report lists {listed} entries, and counted {counted}")]
    Counted { listed: u64, counted: u64 },
    #[error("the report says that {stated} entries answer {query}, and lists {listed}")]
    Answers {
        query: String,
        stated: u64,
        listed: u64,
    },
    #[error(transparent)]
    Configuration(#[from] ConfigurationFault),
}

struct Question {
    id: String,
    query: Query,
    found: u64,
    listed: u64,
}

/// Queries and what narrows all of them.
pub(super) struct Questions {
    questions: Vec<Question>,
    period: (Timestamp, Timestamp),
    narrowing: Expr,
    now: Timestamp,
    counted: u64,
    /// Entries that the report says it lists.
    stated: u64,
    /// Entries that it lists.
    listed: u64,
    configuration: EvidenceConfiguration,
}

fn time(value: &Value, name: &str) -> Result<Timestamp, Obstacle> {
    let text = value.as_str().unwrap_or_default();
    parse_instant(text).map_err(|_| format!("{name} is not a time: {text:?}").into())
}

fn number(value: &Value, name: &str) -> Result<u64, Obstacle> {
    value[name]
        .as_u64()
        .ok_or_else(|| format!("{name} is not a number").into())
}

impl Questions {
    /// Reads the queries of a report.
    pub(super) fn read(
        version: u64,
        report: &Value,
        summary: &Value,
    ) -> Result<Questions, Obstacle> {
        // Version 1 counted an intent beside its outcome, and narrowed every query.
        let lists = lists(&summary["lists"])?;
        let question = |asked: &Value| question(asked, version >= 2, &lists);
        let spares = version >= 2 && summary["kind"] == "compliance";
        let mut questions = Vec::new();

        for control in summary["controls"].as_array().into_iter().flatten() {
            for list in ["evidence", "exceptions"] {
                for asked in control[list].as_array().into_iter().flatten() {
                    questions.push(question(asked)?);
                }
            }
        }

        if !summary["events"].is_null() {
            questions.push(question(&summary["events"])?);
        }

        let period = &summary["period"];
        let period = (
            time(&period["start"], "summary.period.start")?,
            time(&period["end"], "summary.period.end")?,
        );
        Ok(Questions {
            questions,
            period,
            narrowing: narrowing(&summary["filters"], spares)?,
            now: time(&report["asked_at"], "report.asked_at")?,
            counted: number(summary, "entries")?,
            stated: number(summary, "entries_listed")?,
            listed: 0,
            configuration: EvidenceConfiguration::read(version, &summary["configuration"])?,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.questions.len()
    }

    /// Entries that the report counted.
    pub(super) fn counted(&self) -> u64 {
        self.counted
    }

    /// Entries that answer a query.
    pub(super) fn listed(&self) -> u64 {
        self.listed
    }

    /// Results of checks that an entry recorded as the report says.
    pub(super) fn results(&self) -> u64 {
        self.configuration.proven()
    }

    /// Asks every query of an entry, and holds the answers against those that the report lists, and
    /// the results that it recorded against those that the report names.
    pub(super) fn answer(
        &mut self,
        sequence: u64,
        entry: &Entry,
        recorded_at: Timestamp,
        listed: &[String],
    ) -> Result<(), AnswerFault> {
        let queries = match listed.split_last() {
            Some((last, queries)) if last == RECORDED => {
                self.configuration.recorded(sequence, entry)?;
                // Older than the period, excluded by a filter or not asked for: cited for its
                // results alone.
                if queries.is_empty() && !self.is_asked(entry, recorded_at) {
                    return Ok(());
                }
                queries
            }
            _ => listed,
        };

        self.listed += 1;
        self.asked(entry, recorded_at, queries)
    }

    /// Returns `true` if a query of the report finds an entry.
    fn is_asked(&self, entry: &Entry, recorded_at: Timestamp) -> bool {
        let (start, end) = self.period;
        let matches = |question: &Question| question.query.matches(entry, recorded_at, self.now);
        (start..end).contains(&entry.timestamp)
            && self.narrowing.matches(entry, recorded_at, self.now)
            && self.questions.iter().any(matches)
    }

    fn asked(
        &mut self,
        entry: &Entry,
        recorded_at: Timestamp,
        listed: &[String],
    ) -> Result<(), AnswerFault> {
        let (start, end) = self.period;
        if entry.timestamp < start || entry.timestamp >= end {
            return Err(AnswerFault::Period);
        }
        if !self.narrowing.matches(entry, recorded_at, self.now) {
            return Err(AnswerFault::Filtered);
        }

        let mut rest = listed.iter();
        for question in &mut self.questions {
            if question.query.matches(entry, recorded_at, self.now) {
                question.listed += 1;
                match rest.next() {
                    Some(id) if *id == question.id => {}
                    _ => {
                        return Err(AnswerFault::NotListed(question.id.clone()));
                    }
                }
            }
        }

        match rest.next() {
            Some(id) => Err(AnswerFault::NoAnswer(id.clone())),
            None if listed.is_empty() => Err(AnswerFault::NoQuery),
            None => Ok(()),
        }
    }

    /// Holds the counts against the entries.
    pub(super) fn finish(&self) -> Result<(), CountFault> {
        self.configuration.finish()?;
        if self.listed != self.stated {
            return Err(CountFault::Listed {
                stated: self.stated,
                found: self.listed,
            });
        }

        if self.listed > self.counted {
            return Err(CountFault::Counted {
                listed: self.listed,
                counted: self.counted,
            });
        }

        let whole = self.listed == self.counted;
        for Question {
            id, found, listed, ..
        } in &self.questions
        {
            if listed > found || (whole && listed != found) {
                return Err(CountFault::Answers {
                    query: id.clone(),
                    stated: *found,
                    listed: *listed,
                });
            }
        }

        Ok(())
    }
}

/// Values of the lists that queries compare with, as the report states them.
type Lists = BTreeMap<String, Arc<ValueList>>;

fn lists(given: &Value) -> Result<Lists, Obstacle> {
    let mut lists = Lists::new();
    for list in given.as_array().into_iter().flatten() {
        let name = list["name"].as_str().ok_or("a list has no name")?;
        let values = list["values"]
            .as_array()
            .ok_or_else(|| format!("the list {name} has no values"))?;
        let texts = values.iter().filter_map(Value::as_str);
        lists.insert(name.to_owned(), Arc::new(ValueList::new(texts)));
    }

    Ok(lists)
}

fn question(asked: &Value, outcomes: bool, lists: &Lists) -> Result<Question, Obstacle> {
    let text = |name: &str| {
        asked[name]
            .as_str()
            .ok_or_else(|| format!("a query of the report has no {name}"))
    };
    let id = text("id")?.to_owned();

    let query = Query::parse(text("query")?)
        .map_err(|error| format!("the query of {id}: {}", error.message))?
        .with_lists(lists)
        .map_err(|error| format!("the query of {id}: {error}"))?;
    let query = if outcomes {
        query.counting_outcomes()
    } else {
        query
    };

    Ok(Question {
        query,
        found: number(asked, "found").map_err(|error| format!("{id}: {error}"))?,
        listed: 0,
        id,
    })
}

/// The condition of a report's filters. Where `spares` is set, accounts and resources narrow only
/// entries that name an account: sign-ins, verifications and changes of Reeve's own state have
/// none.
fn narrowing(filters: &Value, spares: bool) -> Result<Expr, Obstacle> {
    let mut all = Vec::new();
    for (list, field) in [
        ("accounts", "account_id"),
        ("users", "user"),
        ("resources", "resource_id"),
    ] {
        let values: Vec<_> = filters[list]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        if values.is_empty() {
            continue;
        }
        let any = values
            .into_iter()
            .map(|value| filter(field, value).map_err(|error| error.message));
        let mut any = any.collect::<Result<Vec<_>, _>>()?;
        if spares && list != "users" {
            let account = FieldPath::Column(QueryColumn::ResourceAccountId);
            any.push(Expr::negate(Expr::field(account, Match::Exists)));
        }
        all.push(Expr::or(any));
    }

    Ok(Expr::and(all))
}
