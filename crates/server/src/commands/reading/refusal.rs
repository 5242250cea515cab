//! A wrong query, shown as people look for it: the query, a caret under what is wrong, and what to
//! write instead.

use std::fmt;

use serde_json::Value;

use reeve_audit::query::QueryError;
use reeve_http::error::ProblemBody;

use crate::commands::show::{clean, width};

/// A query that was refused.
#[derive(Debug)]
pub(crate) struct WrongQuery {
    query: String,
    message: String,
    /// Characters before the wrong part.
    position: usize,
    part: String,
    hint: Option<String>,
}

impl WrongQuery {
    /// As the language itself refused it.
    pub(super) fn here(query: &str, error: QueryError) -> Self {
        let QueryError {
            position,
            part,
            message,
            hint,
        } = error;
        Self {
            query: query.to_owned(),
            message,
            position,
            part,
            hint,
        }
    }

    /// As a service refused it.
    pub(super) fn there(query: &str, problem: &Value) -> Self {
        let text = |name: &str| problem.get(name).and_then(Value::as_str).map(str::to_owned);
        // Services of earlier releases give the detail alone, which says the position too.
        let message = text("reason")
            .or_else(|| text("detail"))
            .unwrap_or_default();
        let position = problem
            .get("position")
            .and_then(Value::as_u64)
            .and_then(|at| usize::try_from(at).ok());

        Self {
            query: query.to_owned(),
            message,
            position: position.unwrap_or_default(),
            part: text("part").unwrap_or_default(),
            hint: text("hint"),
        }
    }
}

impl fmt::Display for WrongQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let before: String = self.query.chars().take(self.position).collect();
        let carets = width(&clean(&self.part)).max(1);
        writeln!(f, "the query is wrong: {}", clean(&self.message))?;
        writeln!(f, "  {}", clean(&self.query))?;
        write!(
            f,
            "  {}{}",
            " ".repeat(width(&clean(&before))),
            "^".repeat(carets)
        )?;

        match &self.hint {
            Some(hint) => write!(f, "\n  {}", clean(hint)),
            None => Ok(()),
        }
    }
}

impl std::error::Error for WrongQuery {}

/// A problem in words.
pub(super) fn words(problem: &ProblemBody) -> anyhow::Error {
    match &problem.hint {
        Some(hint) => anyhow::anyhow!("{} ({hint})", problem.detail),
        None => anyhow::anyhow!("{}", problem.detail),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use reeve_audit::query::Query;
    use serde_json::json;

    #[test]
    fn the_caret_stands_under_what_is_wrong() {
        let query = "\"漢字\" severtiy:high";
        let shown = WrongQuery::here(query, Query::parse(query).unwrap_err()).to_string();
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[1], "  \"漢字\" severtiy:high");

        let at = lines[2].find('^').unwrap();
        assert_eq!(
            at,
            2 + "\"漢字\" ".chars().count() + 2,
            "two of the characters are two columns wide: {shown}"
        );
        assert!(lines[3].contains("severity"), "{shown}");

        let problem = json!({ "detail": "At character 5: a bracket is missing", "reason": "a bracket is missing", "position": 5 });
        let shown = WrongQuery::there("a AND(", &problem).to_string();
        assert_eq!(
            shown,
            "the query is wrong: a bracket is missing\n  a AND(\n       ^"
        );
    }
}
