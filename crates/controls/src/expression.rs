//! Expressions: CEL over configuration documents, compiled once, bounded in cost.
//!
//! CEL has neither loops nor recursion; what can be expensive are comprehensions inside each other
//! and long sources. Both are refused when a check is loaded ([`Expression::compile`]), and an
//! inner comprehension over a document with very many elements is "unknown" instead of run, so that
//! no file can hold a thread for long.

mod bounds;
mod functions;
mod policy;
mod reads;
mod scope;

use cel::parser::Expression as Node;
use cel::{ExecutionError, Program};

pub(crate) use scope::Scope;

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
    /// Operands of the outermost `&&`, in order: a failure is explained by those that are false.
    parts: Vec<Part>,
    /// Depth of comprehensions inside each other.
    depth: u32,
    /// `true` if it builds lists or texts, whose size is bounded by the document's.
    grows: bool,
}

/// An operand of the outermost `&&`.
#[derive(Debug)]
struct Part {
    node: Node,
    /// Paths of the document that it reads.
    reads: Vec<String>,
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
        bounds::check_source(source)?;
        let program: Program = functions::environment()
            .compile(source)
            .map_err(|errors| ExpressionError::Syntax(errors.to_string()))?;

        if let Some(name) = reads::unknown_variable(program.expression(), &scope::VARIABLES) {
            return Err(ExpressionError::UnknownVariable(name));
        }

        let cost = bounds::measure(program.expression())?;
        let mut parts = Vec::new();
        conjuncts(program.expression(), &mut parts);

        Ok(Expression {
            source: source.trim().to_owned(),
            depth: cost.depth,
            grows: cost.grows,
            parts,
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
        let mut paths: Vec<&str> = Vec::new();
        for path in self.parts.iter().flat_map(|part| &part.reads) {
            if !paths.contains(&path.as_str()) {
                paths.push(path);
            }
        }
        paths
    }

    /// Returns `true` if it reads the resources that the judged one is related to.
    #[must_use]
    pub fn reads_related(&self) -> bool {
        self.parts
            .iter()
            .any(|part| reads::names_any(&part.node, &scope::RELATED))
    }

    /// Evaluates the expression.
    pub(crate) fn evaluate(&self, scope: &Scope<'_>) -> Evaluated {
        if !bounds::allows(scope, self.depth, self.grows) {
            return Evaluated::Unknown(
                "The configuration has too many elements for this check.".to_owned(),
            );
        }

        let mut unknown = None;
        let mut refuted: Vec<String> = Vec::new();
        let mut is_false = false;

        for part in &self.parts {
            match scope.resolve(&part.node) {
                Ok(cel::Value::Bool(true)) => {}
                Ok(cel::Value::Bool(false)) => {
                    // What was not read is no reason to call anything wrong.
                    if let Some(path) = scope.first_unread(&part.reads) {
                        unknown.get_or_insert_with(|| not_read(path));
                        continue;
                    }
                    is_false = true;
                    refuted.extend(part.reads.iter().cloned());
                }
                Ok(other) => {
                    let kind = other.type_of();
                    unknown.get_or_insert_with(|| {
                        format!("The check answered with a {kind} in place of true or false.")
                    });
                }
                Err(error) => {
                    let reason = match scope.first_unread(&part.reads) {
                        Some(path) => not_read(path),
                        None => reason(&error),
                    };
                    unknown.get_or_insert(reason);
                }
            }
        }

        match unknown {
            // One operand that is false decides, whatever the others would say.
            _ if is_false => Evaluated::False(refuted),
            Some(reason) => Evaluated::Unknown(reason),
            None => match scope.first_unread(&self.reads()) {
                Some(path) => Evaluated::Unknown(not_read(path)),
                None => Evaluated::True,
            },
        }
    }
}

fn not_read(path: &str) -> String {
    format!("`{path}` could not be read: the connection lacks the permission.")
}

fn reason(error: &ExecutionError) -> String {
    match error {
        ExecutionError::NoSuchKey(key) => {
            format!("The configuration has no member `{key}`, which the check needs.")
        }
        other => format!("The check could not be evaluated: {other}."),
    }
}

/// Splits at the outermost `&&`.
fn conjuncts(node: &Node, parts: &mut Vec<Part>) {
    match reads::operands(node, "_&&_") {
        Some(operands) => {
            for operand in operands {
                conjuncts(operand, parts);
            }
        }
        None => parts.push(Part {
            node: node.clone(),
            reads: reads::paths(node),
        }),
    }
}

#[cfg(test)]
mod tests;
