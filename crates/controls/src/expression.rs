//! Expressions: CEL over configuration documents, compiled once, bounded in cost.
//!
//! CEL has neither loops nor recursion; what can be expensive are comprehensions inside each other
//! and long sources. Both are refused when a check is loaded ([`Expression::compile`]), and an
//! inner comprehension over a document with very many elements is "unknown" instead of run, so that
//! no file can hold a thread for long.

mod bounds;
mod condition;
mod functions;
mod grants;
mod policy;
mod reads;
mod remedies;
mod scope;
mod values;

use cel::Program;

use condition::ExpressionCondition;

pub(crate) use scope::ExpressionScope;

/// Longest source of an expression, bytes.
const LONGEST_SOURCE: usize = 4096;

/// Reason for which a text is no expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExpressionError {
    /// The source is longer than 4096 bytes.
    #[error("the expression is longer than {LONGEST_SOURCE} bytes")]
    TooLong,
    /// Brackets or operators stand too deep inside each other.
    #[error("brackets stand more than {0} deep inside each other")]
    TooDeep(usize),
    /// A comprehension (`all`, `exists`, `filter`, `map`) stands too deep inside others.
    #[error("comprehensions stand more than {0} deep inside each other")]
    NestedComprehensions(usize),
    /// The text is not CEL.
    #[error("{0}")]
    Syntax(String),
    /// A variable that expressions do not have.
    #[error("there is no variable {0:?}; there are doc, resource, targets, sources and now")]
    UnknownVariable(String),
}

/// A compiled expression that answers `true` or `false`.
#[derive(Debug)]
pub struct Expression {
    source: String,
    condition: ExpressionCondition,
    /// Depth of comprehensions inside each other.
    depth: u32,
    /// `true` if it builds lists or texts, whose size is bounded by the document's.
    grows: bool,
}

/// Outcome of evaluating an expression.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Evaluated {
    True,
    /// Paths that the false operands read.
    False(Vec<String>),
    /// Reason for which there is no answer, as a sentence.
    Unknown(String),
}

impl Expression {
    /// Compiles a text.
    ///
    /// # Errors
    /// The text is no CEL, or its cost is not bounded well enough.
    pub fn compile(source: &str) -> Result<Expression, ExpressionError> {
        Expression::of_variables(source, &scope::VARIABLES)
    }

    /// Compiles the text of a value of a change, which may name the values before it as `with`.
    ///
    /// # Errors
    /// Those of [`Expression::compile`].
    pub(crate) fn compile_value(source: &str) -> Result<Expression, ExpressionError> {
        Expression::of_variables(source, &scope::VARIABLES_OF_VALUES)
    }

    fn of_variables(source: &str, variables: &[&str]) -> Result<Expression, ExpressionError> {
        bounds::check_source(source)?;
        let program: Program = functions::environment()
            .compile(source)
            .map_err(|errors| ExpressionError::Syntax(errors.to_string()))?;

        if let Some(name) = reads::unknown_variable(program.expression(), variables) {
            return Err(ExpressionError::UnknownVariable(name));
        }

        let cost = bounds::measure(program.expression())?;
        Ok(Expression {
            source: source.trim().to_owned(),
            depth: cost.depth,
            grows: cost.grows,
            condition: ExpressionCondition::of(program.expression()),
        })
    }

    /// Returns the source.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns the paths of the document that it reads, each once, in the order of the source.
    #[must_use]
    pub fn reads(&self) -> Vec<&str> {
        let mut paths = Vec::new();
        self.condition.add_reads(&mut paths);
        paths
    }

    /// Returns the value of an expression that answers with something else than `true` or `false`;
    /// `None` if it has none here, or a permission hid what it reads.
    pub(crate) fn value(&self, scope: &ExpressionScope<'_>) -> Option<serde_json::Value> {
        let value = bounds::allows(scope, self.depth, self.grows)
            .then(|| self.condition.value(scope))
            .flatten()?;
        Some(values::as_json(&value))
    }

    /// Returns `true` if it reads the resources that the judged one is related to.
    #[must_use]
    pub fn reads_related(&self) -> bool {
        self.condition.names_any(&scope::RELATED)
    }

    /// Evaluates the expression.
    pub(crate) fn evaluate(&self, scope: &ExpressionScope<'_>) -> Evaluated {
        if !bounds::allows(scope, self.depth, self.grows) {
            return Evaluated::Unknown(
                "The configuration has too many elements for this check.".to_owned(),
            );
        }

        match self.condition.evaluate(scope) {
            Evaluated::False(paths) => {
                let mut once: Vec<String> = Vec::new();
                for path in paths {
                    if !once.contains(&path) {
                        once.push(path);
                    }
                }
                Evaluated::False(once)
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests;
