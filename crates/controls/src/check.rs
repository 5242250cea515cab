//! Checks: what a configuration must be, as data.

use std::collections::BTreeMap;

use jiff::Timestamp;
use reeve_estate::{Kinds, Provider, ResourceKind};
use reeve_recommend::judgement::evidence::CheckAnswer;
use reeve_recommend::recommendation::Priority;
use serde::{Deserialize, Deserializer};

use crate::error::CatalogueError;
use crate::expression::{Evaluated, Expression, ExpressionScope};
use crate::remedy::ControlRemedy;
use crate::sample::ControlSample;
use crate::subject::ControlSubject;
use crate::topic::Topic;
use crate::verdict::ControlVerdict;

/// Check over the configuration documents of one kind of resources.
#[derive(Debug)]
pub struct ControlCheck {
    /// Identifier: cloud, service and name of its file (`aws.s3.blocks_public_access`).
    pub id: String,
    /// Statement that holds if it passes, a sentence without its full stop.
    pub title: String,
    /// Harm that can follow if it fails.
    pub why: String,
    pub severity: Priority,
    pub provider: Provider,
    pub kind: ResourceKind,
    pub topics: Vec<Topic>,
    /// Kinds of which every resource must be known, because a relation that is missing decides.
    pub complete: Vec<ResourceKind>,
    /// Pages of the provider, or of a standard, that the check follows.
    pub sources: Vec<String>,
    /// Answers `true` for resources that the check says something about; `None` if it does about
    /// all of the kind.
    pub applies: Option<Expression>,
    /// Answers `true` if the configuration is as demanded.
    pub expression: Expression,
    pub remediation: Remediation,
    /// The remediation's changes, compiled.
    pub(crate) remedies: Vec<ControlRemedy>,
    /// Documents whose verdicts are known; tests run them.
    pub samples: Vec<ControlSample>,
}

/// Correction of a failure.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Remediation {
    /// Instruction for a person.
    pub text: String,
    /// Names of changes that do it: the first that can be offered is.
    #[serde(default, deserialize_with = "one_or_more")]
    pub change: Vec<String>,
    /// `true` if the cloud cannot do it in place, and the resource is replaced by a copy that has
    /// it: the agent knows how for volumes and databases.
    #[serde(default)]
    pub replaces: bool,
    /// Values of the change that are particular to the check, by name: expressions of CEL.
    #[serde(default)]
    pub parameters: BTreeMap<String, String>,
}

/// Reads a text or a list of texts.
fn one_or_more<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMore {
        One(String),
        More(Vec<String>),
    }
    Ok(match OneOrMore::deserialize(from)? {
        OneOrMore::One(name) => vec![name],
        OneOrMore::More(names) => names,
    })
}

/// A check as its file has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CheckFile {
    title: String,
    why: String,
    severity: Priority,
    kind: String,
    topics: Vec<Topic>,
    #[serde(default)]
    complete: Vec<ResourceKind>,
    sources: Vec<String>,
    applies: Option<String>,
    expression: String,
    remediation: Remediation,
    #[serde(default, rename = "sample")]
    samples: Vec<ControlSample>,
}

impl ControlCheck {
    /// Reads a file.
    ///
    /// # Errors
    /// The text is no TOML, a field is missing or wrong, or an expression does not compile.
    pub(crate) fn read(
        id: String,
        provider: Provider,
        text: &str,
    ) -> Result<ControlCheck, CatalogueError> {
        let fault = |field: &str, reason: String| CatalogueError::field(&id, field, reason);
        let file: CheckFile =
            toml::from_str(text).map_err(|error| CatalogueError::form(&id, text, &error))?;

        let written = [
            ("title", &file.title),
            ("why", &file.why),
            ("remediation.text", &file.remediation.text),
        ];
        for (field, value) in written {
            if value.trim().is_empty() {
                return Err(fault(field, "is empty".to_owned()));
            }
        }
        if file.topics.is_empty() {
            return Err(fault("topics", "name at least one topic".to_owned()));
        }
        if file.sources.is_empty() {
            return Err(fault(
                "sources",
                "name at least one page that the check follows".to_owned(),
            ));
        }
        if let Some(source) = file.sources.iter().find(|one| !one.starts_with("https://")) {
            return Err(fault("sources", format!("{source:?} is no https address")));
        }

        let kind = ResourceKind::named(&file.kind)
            .ok_or_else(|| fault("kind", format!("{:?} is no name of a kind", file.kind)))?;
        let compiled = |field: &str, source: &str| {
            Expression::compile(source).map_err(|error| fault(field, error.to_string()))
        };

        let remedies = ControlRemedy::of(&file.remediation, provider, kind)
            .map_err(|(field, reason)| fault(&field, reason))?;

        Ok(ControlCheck {
            applies: file
                .applies
                .as_deref()
                .map(|source| compiled("applies", source))
                .transpose()?,
            expression: compiled("expression", &file.expression)?,
            title: file.title,
            why: file.why,
            severity: file.severity,
            provider,
            kind,
            topics: file.topics,
            complete: file.complete,
            sources: file.sources,
            remediation: file.remediation,
            remedies,
            samples: file.samples,
            id,
        })
    }

    /// Returns its place in lists: the most severe first, then by title.
    #[must_use]
    pub fn rank(&self) -> (u8, &str, &str) {
        (self.severity as u8, &self.title, &self.id)
    }

    /// Returns `true` if it reads the resources that the judged one is related to.
    #[must_use]
    pub fn reads_related(&self) -> bool {
        let mut expressions = self.applies.iter().chain([&self.expression]);
        expressions.any(Expression::reads_related)
    }

    /// Judges one resource at a time.
    #[must_use]
    pub fn judge(&self, subject: &ControlSubject<'_>, now: Timestamp) -> ControlVerdict {
        self.judge_in(&ExpressionScope::new(subject, now))
    }

    /// Judges a resource that was prepared.
    pub(crate) fn judge_in(&self, scope: &ExpressionScope<'_>) -> ControlVerdict {
        if let Some(kind) = self.complete.iter().find(|kind| !scope.is_complete(**kind)) {
            let plural = Kinds::builtin().get(*kind).plural;
            return ControlVerdict {
                answer: CheckAnswer::Unknown,
                why: format!("{plural} were not all read, and one that is missing would decide."),
                values: Vec::new(),
            };
        }

        if let Some(applies) = &self.applies {
            let answer = match applies.evaluate(scope) {
                Evaluated::True => None,
                Evaluated::False(_) => Some((
                    CheckAnswer::NotApplicable,
                    "The check does not apply to resources of this form.".to_owned(),
                )),
                Evaluated::Unknown(reason) => Some((CheckAnswer::Unknown, reason)),
            };
            if let Some((answer, why)) = answer {
                return ControlVerdict {
                    answer,
                    why,
                    values: scope.seen(&applies.reads()),
                };
            }
        }

        match self.expression.evaluate(scope) {
            Evaluated::True => ControlVerdict {
                answer: CheckAnswer::Pass,
                why: format!("{}.", self.title),
                values: scope.seen(&self.expression.reads()),
            },
            Evaluated::False(paths) => {
                let values = scope.seen(&paths);
                ControlVerdict {
                    answer: CheckAnswer::Fail,
                    why: refutation(&values),
                    values,
                }
            }
            Evaluated::Unknown(why) => ControlVerdict {
                answer: CheckAnswer::Unknown,
                why,
                values: scope.seen(&self.expression.reads()),
            },
        }
    }
}

/// Says which values made a check fail.
fn refutation(values: &[crate::SeenValue]) -> String {
    const MOST_NAMED: usize = 4;
    const LONGEST_VALUE: usize = 60;

    let clauses: Vec<String> = values
        .iter()
        .take(MOST_NAMED)
        .map(|seen| match &seen.value {
            None => format!("`{}` is not set", seen.path),
            Some(value) => {
                let text = value.to_string();
                if text.chars().count() > LONGEST_VALUE {
                    format!("`{}` is not as demanded", seen.path)
                } else {
                    format!("`{}` is {text}", seen.path)
                }
            }
        })
        .collect();

    match clauses.as_slice() {
        [] => "The relations of the resource are not as demanded.".to_owned(),
        [one] => format!("{one}."),
        [rest @ .., last] => format!("{} and {last}.", rest.join(", ")),
    }
}
