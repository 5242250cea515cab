//! Compliance templates as data: the controls of a framework, the queries that evidence each, and
//! what no log can show.
//!
//! The reader is strict: an unknown key, a missing text, a control twice, or a query that does not
//! parse refuses the template and names the place.

use std::collections::BTreeSet;

use reeve_audit::query::Query;
use serde::Deserialize;

use crate::source::EventSource;

/// Template that was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// Malformed TOML, or a missing part.
    #[error("{0}")]
    Form(String),
    /// A part of it is wrong.
    #[error("{place}: {message}")]
    Part {
        /// Control and key of the faulty part.
        place: String,
        /// Reason for readers.
        message: String,
    },
}

/// Controls of a framework, with the queries that evidence them.
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    /// Name in requests: `soc2`.
    pub id: String,
    /// Name of the framework for readers.
    pub name: String,
    /// Edition that the numbers follow.
    pub edition: String,
    /// Publisher of the framework.
    pub publisher: String,
    /// Scope of the template.
    pub scope: String,
    /// Framework in the catalogue of checks whose controls are proven by configurations; `None`
    /// where there is none.
    pub checks: Option<String>,
    /// Controls in the framework's order.
    pub controls: Vec<Control>,
}

/// Control of a framework.
#[derive(Debug, Clone, PartialEq)]
pub struct Control {
    /// Number in the framework.
    pub number: String,
    /// Short title, in Reeve's own words.
    pub title: String,
    /// Requirement of the control, in Reeve's own words.
    pub asks: String,
    /// Chapter of the framework that the control stands in.
    pub group: String,
    /// Requirements that no log can show, with the evidence to bring instead.
    pub gaps: Vec<String>,
    /// Queries whose entries evidence it.
    pub evidence: Vec<ControlQuestion>,
    /// Queries whose entries somebody should look at.
    pub exceptions: Vec<ControlQuestion>,
}

/// A query of a control.
#[derive(Debug, Clone, PartialEq)]
pub struct ControlQuestion {
    /// Name of the question within its control.
    pub name: String,
    /// Query as the template file has it.
    pub text: String,
    /// Parsed form of `text`.
    pub query: Query,
    /// Explanation of the entries found, or of their absence.
    pub explains: String,
    /// Sources that can write an entry that it finds; at least one.
    pub sources: Vec<EventSource>,
    /// Days within which evidence of operation has to occur again and again; `None` where it occurs
    /// when there is cause.
    pub every_days: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TemplateText {
    id: String,
    name: String,
    edition: String,
    publisher: String,
    scope: String,
    checks: Option<String>,
    controls: Vec<ControlText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ControlText {
    number: String,
    title: String,
    asks: String,
    group: String,
    #[serde(default)]
    gaps: Vec<String>,
    #[serde(default)]
    evidence: Vec<EvidenceText>,
    #[serde(default)]
    exceptions: Vec<ExceptionText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EvidenceText {
    name: String,
    query: String,
    shows: String,
    sources: Option<Vec<EventSource>>,
    every_days: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExceptionText {
    name: String,
    query: String,
    means: String,
    sources: Option<Vec<EventSource>>,
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// The first part that is wrong.
    pub fn read(text: &str) -> Result<Template, TemplateError> {
        let text: TemplateText =
            toml::from_str(text).map_err(|error| TemplateError::Form(error.to_string()))?;
        let [id, name, edition, publisher, scope] = [
            ("id", text.id),
            ("name", text.name),
            ("edition", text.edition),
            ("publisher", text.publisher),
            ("scope", text.scope),
        ]
        .map(|(key, value)| words(key, value));

        let controls = text
            .controls
            .into_iter()
            .map(control)
            .collect::<Result<Vec<_>, _>>()?;
        let mut numbers = BTreeSet::new();
        if let Some(twice) = controls
            .iter()
            .find(|control| !numbers.insert(&control.number))
        {
            return Err(part(&twice.number, "occurs twice"));
        }

        let checks = text.checks.map(|name| words("checks", name)).transpose()?;

        if controls.is_empty() {
            return Err(part("controls", "has no control"));
        }

        Ok(Template {
            id: id?,
            name: name?,
            edition: edition?,
            publisher: publisher?,
            scope: scope?,
            checks,
            controls,
        })
    }
}

fn control(text: ControlText) -> Result<Control, TemplateError> {
    let number = words("number", text.number)?;
    let place = |key: &str| format!("{number} {key}");
    let evidence = text
        .evidence
        .into_iter()
        .enumerate()
        .map(|(at, one)| question(&place(&format!("evidence {}", at + 1)), one));
    let evidence = evidence.collect::<Result<Vec<_>, _>>()?;
    let exceptions = text
        .exceptions
        .into_iter()
        .enumerate()
        .map(|(at, one)| question(&place(&format!("exception {}", at + 1)), one.into()));
    let exceptions = exceptions.collect::<Result<Vec<_>, _>>()?;
    let gaps = text
        .gaps
        .into_iter()
        .map(|gap| words(&place("gaps"), gap))
        .collect::<Result<Vec<_>, _>>()?;

    if evidence.is_empty() && gaps.is_empty() {
        return Err(part(&number, "has neither evidence nor gaps"));
    }

    if evidence.is_empty() && !exceptions.is_empty() {
        return Err(part(
            &number,
            "has exceptions but no evidence that they would be exceptions to",
        ));
    }

    Ok(Control {
        title: words(&place("title"), text.title)?,
        asks: words(&place("asks"), text.asks)?,
        group: words(&place("group"), text.group)?,
        number,
        gaps,
        evidence,
        exceptions,
    })
}

impl From<ExceptionText> for EvidenceText {
    fn from(text: ExceptionText) -> Self {
        let ExceptionText {
            name,
            query,
            means,
            sources,
        } = text;
        EvidenceText {
            name,
            query,
            shows: means,
            sources,
            every_days: None,
        }
    }
}

fn question(place: &str, text: EvidenceText) -> Result<ControlQuestion, TemplateError> {
    let EvidenceText {
        name,
        query: text,
        shows: explains,
        sources,
        every_days,
    } = text;

    let query = Query::parse(&text).map_err(|error| {
        part(
            place,
            format!(
                "query {text:?}, character {}: {}",
                error.position, error.message
            ),
        )
    })?;

    if text.trim().is_empty() {
        return Err(part(place, "the empty query takes every entry"));
    }

    // Reeve's own entries are there in every installation, so they are what a query rests on unless
    // the template says otherwise.
    let sources = sources.unwrap_or_else(|| vec![EventSource::Reeve]);
    if sources.is_empty() || every_days == Some(0) {
        return Err(part(
            place,
            "sources must name a source, and every_days be at least 1",
        ));
    }

    Ok(ControlQuestion {
        name: words(place, name)?,
        text,
        query,
        explains: words(place, explains)?,
        sources,
        every_days,
    })
}

fn words(place: &str, text: String) -> Result<String, TemplateError> {
    if text.trim().is_empty() || text.contains(char::is_control) {
        return Err(part(place, "must be text on one line"));
    }
    Ok(text)
}

fn part(place: &str, message: impl Into<String>) -> TemplateError {
    TemplateError::Part {
        place: place.to_owned(),
        message: message.into(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const HEAD: &str =
        "id = \"x\"\nname = \"X\"\nedition = \"1\"\npublisher = \"P\"\nscope = \"S\"\n";
    const CONTROL: &str =
        "[[controls]]\nnumber = \"A.1\"\ntitle = \"T\"\nasks = \"A\"\ngroup = \"G\"\n";

    #[test]
    fn faults_are_named() {
        let evidence =
            "[[controls.evidence]]\nname = \"N\"\nquery = \"event_type:a.b\"\nshows = \"S\"\n";
        let check = |text: String| Template::read(&text).unwrap_err().to_string();
        assert!(Template::read(&format!("{HEAD}{CONTROL}{evidence}")).is_ok());
        assert!(check(format!("{HEAD}{CONTROL}")).contains("A.1: has neither evidence nor gaps"));
        assert!(
            check(format!("{HEAD}{CONTROL}{evidence}{CONTROL}{evidence}"))
                .contains("A.1: occurs twice")
        );
        assert!(
            check(format!("{HEAD}{CONTROL}colour = \"red\"\n{evidence}"))
                .contains("unknown field `colour`")
        );

        let query = evidence.replace("event_type:a.b", "actor.emial:x");
        assert!(
            check(format!("{HEAD}{CONTROL}{query}"))
                .contains("A.1 evidence 1: query \"actor.emial:x\"")
        );
        assert!(
            check(format!("{HEAD}{CONTROL}gaps = [\"\"]\n")).contains("A.1 gaps: must be text")
        );
    }
}
