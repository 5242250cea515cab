//! Conditions: the logical operators of an expression, evaluated with what was not read in mind.
//!
//! An operand that reads a member which a permission hid is neither true nor false. `||`, `&&`, `!`
//! and `?:` are therefore evaluated here, in the logic of Kleene: a bucket whose own block is on is
//! blocked, though the block of its account was not read. What lies below them is left to CEL.

use cel::ExecutionError;
use cel::common::ast::operators;
use cel::parser::Expression as Node;

use super::reads::{self, RelatedRead, operands};
use super::{Evaluated, ExpressionScope};

/// Condition of an expression.
#[derive(Debug)]
pub(super) enum ExpressionCondition {
    /// `&&`
    All(Vec<ExpressionCondition>),
    /// `||`
    Any(Vec<ExpressionCondition>),
    /// `!`
    Not(Box<ExpressionCondition>),
    /// `?:`: the question, and the conditions that hold if it is true and if it is false.
    Choice(Box<[ExpressionCondition; 3]>),
    Operand(Operand),
}

/// Part of a condition that CEL evaluates as a whole.
#[derive(Debug)]
pub(super) struct Operand {
    node: Node,
    /// Paths of the document that it reads.
    reads: Vec<String>,
    /// Members that it reads of the resources around the judged one.
    related: Vec<RelatedRead>,
}

impl ExpressionCondition {
    /// Takes a syntax tree apart. The depth of trees is bounded before.
    pub(super) fn of(node: &Node) -> ExpressionCondition {
        let each = |nodes: &[Node]| nodes.iter().map(ExpressionCondition::of).collect();

        if let Some(nodes) = operands(node, operators::LOGICAL_AND) {
            ExpressionCondition::All(each(nodes))
        } else if let Some(nodes) = operands(node, operators::LOGICAL_OR) {
            ExpressionCondition::Any(each(nodes))
        } else if let Some([one]) = operands(node, operators::LOGICAL_NOT) {
            ExpressionCondition::Not(Box::new(ExpressionCondition::of(one)))
        } else if let Some([question, then, otherwise]) = operands(node, operators::CONDITIONAL) {
            ExpressionCondition::Choice(Box::new(
                [question, then, otherwise].map(ExpressionCondition::of),
            ))
        } else {
            ExpressionCondition::Operand(Operand {
                node: node.clone(),
                reads: reads::paths(node),
                related: reads::related(node),
            })
        }
    }

    /// Adds the paths of the document that it reads, each once, in the order of the source.
    pub(super) fn add_reads<'c>(&'c self, paths: &mut Vec<&'c str>) {
        match self {
            ExpressionCondition::All(conditions) | ExpressionCondition::Any(conditions) => {
                conditions.iter().for_each(|one| one.add_reads(paths));
            }
            ExpressionCondition::Not(one) => one.add_reads(paths),
            ExpressionCondition::Choice(three) => three.iter().for_each(|one| one.add_reads(paths)),
            ExpressionCondition::Operand(operand) => {
                for path in &operand.reads {
                    if !paths.contains(&path.as_str()) {
                        paths.push(path);
                    }
                }
            }
        }
    }

    /// Returns `true` if an operand names one of these variables.
    pub(super) fn names_any(&self, variables: &[&str]) -> bool {
        match self {
            ExpressionCondition::All(conditions) | ExpressionCondition::Any(conditions) => {
                conditions.iter().any(|one| one.names_any(variables))
            }
            ExpressionCondition::Not(one) => one.names_any(variables),
            ExpressionCondition::Choice(three) => three.iter().any(|one| one.names_any(variables)),
            ExpressionCondition::Operand(operand) => reads::names_any(&operand.node, variables),
        }
    }

    pub(super) fn evaluate(&self, scope: &ExpressionScope<'_>) -> Evaluated {
        match self {
            ExpressionCondition::All(conditions) => {
                // Every operand is asked, so that a failure names the members of all that are false.
                let mut unknown = None;
                let mut refuted: Option<Vec<String>> = None;
                for one in conditions {
                    match one.evaluate(scope) {
                        Evaluated::True => {}
                        Evaluated::False(paths) => refuted.get_or_insert_default().extend(paths),
                        Evaluated::Unknown(reason) => _ = unknown.get_or_insert(reason),
                    }
                }

                // One operand that is false decides, whatever the others would say.
                match (refuted, unknown) {
                    (Some(paths), _) => Evaluated::False(paths),
                    (None, Some(reason)) => Evaluated::Unknown(reason),
                    (None, None) => Evaluated::True,
                }
            }
            ExpressionCondition::Any(conditions) => {
                let mut unknown = None;
                let mut refuted = Vec::new();
                for one in conditions {
                    match one.evaluate(scope) {
                        Evaluated::True => return Evaluated::True,
                        Evaluated::False(paths) => refuted.extend(paths),
                        Evaluated::Unknown(reason) => _ = unknown.get_or_insert(reason),
                    }
                }
                unknown.map_or(Evaluated::False(refuted), Evaluated::Unknown)
            }
            ExpressionCondition::Not(one) => match one.evaluate(scope) {
                Evaluated::True => Evaluated::False(one.reads()),
                Evaluated::False(_) => Evaluated::True,
                unknown @ Evaluated::Unknown(_) => unknown,
            },
            ExpressionCondition::Choice(three) => {
                let [question, then, otherwise] = &**three;
                let chosen = match question.evaluate(scope) {
                    Evaluated::True => then.evaluate(scope),
                    Evaluated::False(_) => otherwise.evaluate(scope),
                    unknown @ Evaluated::Unknown(_) => return unknown,
                };
                match chosen {
                    Evaluated::False(paths) => Evaluated::False([question.reads(), paths].concat()),
                    other => other,
                }
            }
            ExpressionCondition::Operand(operand) => operand.evaluate(scope),
        }
    }

    /// Returns the value of a condition that is none; `None` if it has none here, or if what decides
    /// was not read.
    pub(super) fn value(&self, scope: &ExpressionScope<'_>) -> Option<cel::Value> {
        match self {
            ExpressionCondition::Choice(three) => {
                let [question, then, otherwise] = &**three;
                match question.evaluate(scope) {
                    Evaluated::True => then.value(scope),
                    Evaluated::False(_) => otherwise.value(scope),
                    Evaluated::Unknown(_) => None,
                }
            }
            ExpressionCondition::Operand(operand) => {
                let value = scope.resolve(&operand.node).ok();
                value.filter(|_| operand.unread(scope).is_none())
            }
            ExpressionCondition::All(_)
            | ExpressionCondition::Any(_)
            | ExpressionCondition::Not(_) => match self.evaluate(scope) {
                Evaluated::True => Some(true.into()),
                Evaluated::False(_) => Some(false.into()),
                Evaluated::Unknown(_) => None,
            },
        }
    }

    fn reads(&self) -> Vec<String> {
        let mut paths = Vec::new();
        self.add_reads(&mut paths);
        paths.into_iter().map(str::to_owned).collect()
    }
}

impl Operand {
    fn evaluate(&self, scope: &ExpressionScope<'_>) -> Evaluated {
        let answer = scope.resolve(&self.node);
        // What was not read is no reason to call anything right or wrong.
        if let Some(reason) = self.unread(scope) {
            return Evaluated::Unknown(reason);
        }

        match answer {
            Ok(cel::Value::Bool(true)) => Evaluated::True,
            Ok(cel::Value::Bool(false)) => Evaluated::False(self.reads.clone()),
            Ok(other) => Evaluated::Unknown(format!(
                "The check answered with a {} in place of true or false.",
                other.type_of()
            )),
            Err(error) => Evaluated::Unknown(self.failure(scope, &error)),
        }
    }

    /// Returns the reason, as a sentence, if a permission hid a member that it reads.
    fn unread(&self, scope: &ExpressionScope<'_>) -> Option<String> {
        let own = scope
            .first_unread(&self.reads)
            .map(|path| format!("`{path}`"));
        let hidden = own.or_else(|| {
            let (path, id) = scope.first_unread_related(&self.related)?;
            Some(format!("`{path}` of {id}"))
        })?;
        Some(format!(
            "{hidden} could not be read: the connection lacks the permission."
        ))
    }

    /// Returns the reason, as a sentence, for which its evaluation failed.
    fn failure(&self, scope: &ExpressionScope<'_>, error: &ExecutionError) -> String {
        match error {
            ExecutionError::NoSuchKey(key) => {
                format!("The configuration has no member `{key}`, which the check needs.")
            }
            ExecutionError::IndexOutOfBounds(_) => {
                match scope.first_without_resources(&self.related) {
                    Some(relation) => format!(
                        "No resource is known that the relation `{relation}` names, and the check needs one."
                    ),
                    None => {
                        "A list of the configuration is shorter than the check needs.".to_owned()
                    }
                }
            }
            other => format!("The check could not be evaluated: {other}."),
        }
    }
}
