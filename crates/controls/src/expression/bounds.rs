//! Bounds on what an expression may cost.
//!
//! The interpreter has no budget of its own: two comprehensions inside each other over a document of
//! a mebibyte run for minutes. So the source, the depth of brackets and of comprehensions are
//! bounded when a check is loaded, and before each evaluation the product of what the document has
//! and what the expression does with it.

use cel::common::ast::{Expr, operators};
use cel::parser::Expression as Node;

use super::reads::children;
use super::{ExpressionError, ExpressionScope, LONGEST_SOURCE};

/// Deepest brackets: the parser recurses.
const DEEPEST_BRACKETS: usize = 24;
/// Most prefix operators, conditions and selections that may follow each other, for the same reason.
const DEEPEST_NODES: usize = 200;
/// Deepest comprehensions inside each other.
const DEEPEST_COMPREHENSIONS: u32 = 2;
/// Most steps of comprehensions in one evaluation, about half a second.
const MOST_STEPS: u64 = 2_000_000;
/// Most bytes that lists and texts built in one evaluation may come to.
const MOST_BYTES: u64 = 256 << 20;

/// Cost of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ExpressionCost {
    /// Depth of comprehensions inside each other.
    pub(super) depth: u32,
    /// `true` if it builds lists or texts.
    pub(super) grows: bool,
}

/// Checks a source before the parser sees it.
pub(super) fn check_source(source: &str) -> Result<(), ExpressionError> {
    if source.len() > LONGEST_SOURCE {
        return Err(ExpressionError::TooLong);
    }

    let mut depth = 0usize;
    let mut prefixes = 0usize;
    for letter in source.chars() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        prefixes = match letter {
            '!' | '-' | '?' => prefixes + 1,
            letter if letter.is_whitespace() => prefixes,
            _ => 0,
        };
        if depth > DEEPEST_BRACKETS || prefixes > DEEPEST_BRACKETS {
            return Err(ExpressionError::TooDeep(DEEPEST_BRACKETS));
        }
    }
    Ok(())
}

/// Measures a syntax tree.
pub(super) fn measure(root: &Node) -> Result<ExpressionCost, ExpressionError> {
    let mut cost = ExpressionCost {
        depth: 0,
        grows: false,
    };
    let mut pending = vec![(root, 0u32, 0usize)];

    while let Some((node, comprehensions, level)) = pending.pop() {
        if level > DEEPEST_NODES {
            return Err(ExpressionError::TooDeep(DEEPEST_NODES));
        }

        let mut inner = comprehensions;
        match &node.expr {
            Expr::Comprehension(_) => {
                inner += 1;
                if inner > DEEPEST_COMPREHENSIONS {
                    return Err(ExpressionError::NestedComprehensions(
                        DEEPEST_COMPREHENSIONS as usize,
                    ));
                }
                cost.depth = cost.depth.max(inner);
            }
            Expr::Call(call) if call.func_name == operators::ADD => cost.grows = true,
            _ => {}
        }
        pending.extend(
            children(node)
                .into_iter()
                .map(|child| (child, inner, level + 1)),
        );
    }

    Ok(cost)
}

/// Returns `true` if an expression may be evaluated in a scope.
pub(super) fn allows(scope: &ExpressionScope<'_>, depth: u32, grows: bool) -> bool {
    let steps = scope.elements().saturating_pow(depth);
    let bytes = if grows && depth > 0 {
        steps.saturating_mul(scope.bytes())
    } else {
        0
    };
    steps <= MOST_STEPS && bytes <= MOST_BYTES
}
