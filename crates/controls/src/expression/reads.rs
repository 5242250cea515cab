//! Paths of the document that an expression reads, taken from its syntax tree.

use cel::common::ast::{EntryExpr, Expr, IdedEntryExpr, LiteralValue, operators};
use cel::parser::Expression as Node;

/// Name of the variable that holds the document.
const DOCUMENT: &str = "doc";

/// Returns the operands of a call of an operator.
pub(super) fn operands<'n>(node: &'n Node, operator: &str) -> Option<&'n [Node]> {
    match &node.expr {
        Expr::Call(call) if call.func_name == operator => Some(&call.args),
        _ => None,
    }
}

/// Returns the paths that a node reads, each once, in the order of the source. A path ends where a
/// list is walked: `doc.rules.exists(r, r.open)` reads `rules`.
pub(super) fn paths(node: &Node) -> Vec<String> {
    let mut found = Vec::new();
    collect(node, &mut found);
    found
}

fn collect(node: &Node, found: &mut Vec<String>) {
    if let Some(segments) = chain(node) {
        let path = segments.join(".");
        if !path.is_empty() && !found.contains(&path) {
            found.push(path);
        }
        return;
    }
    for child in children(node) {
        collect(child, found);
    }
}

/// Returns the members that a chain of selections from the document names; `None` if the node is
/// none.
fn chain(node: &Node) -> Option<Vec<&str>> {
    match &node.expr {
        Expr::Ident(name) if name == DOCUMENT => Some(Vec::new()),
        Expr::Select(select) => {
            let mut segments = chain(&select.operand)?;
            segments.push(&select.field);
            Some(segments)
        }
        Expr::Call(call) => {
            let selects = [
                operators::OPT_SELECT,
                operators::OPT_INDEX,
                operators::INDEX,
            ];
            let [operand, member] = call.args.as_slice() else {
                return None;
            };
            if !selects.contains(&call.func_name.as_str()) {
                return None;
            }
            let mut segments = chain(operand)?;
            // The path of an element of a list ends at the list.
            if let Expr::Literal(LiteralValue::String(text)) = &member.expr {
                segments.push(text.inner());
            }
            Some(segments)
        }
        _ => None,
    }
}

/// Returns a variable that a node names and that is neither among the known ones nor bound by a
/// comprehension around it.
pub(super) fn unknown_variable(node: &Node, known: &[&str]) -> Option<String> {
    match &node.expr {
        Expr::Ident(name) if known.contains(&name.as_str()) => None,
        Expr::Ident(name) => Some(name.clone()),
        Expr::Comprehension(walk) => {
            let mut inner = known.to_vec();
            inner.extend([walk.iter_var.as_str(), walk.accu_var.as_str()]);
            inner.extend(walk.iter_var2.as_deref());
            let outside = [&walk.iter_range, &walk.accu_init];
            let inside = [&walk.loop_cond, &walk.loop_step, &walk.result];
            outside
                .into_iter()
                .find_map(|child| unknown_variable(child, known))
                .or_else(|| {
                    inside
                        .into_iter()
                        .find_map(|child| unknown_variable(child, &inner))
                })
        }
        _ => children(node)
            .into_iter()
            .find_map(|child| unknown_variable(child, known)),
    }
}

/// Returns `true` if a node names one of these variables.
pub(super) fn names_any(node: &Node, variables: &[&str]) -> bool {
    match &node.expr {
        Expr::Ident(name) => variables.contains(&name.as_str()),
        _ => children(node)
            .into_iter()
            .any(|child| names_any(child, variables)),
    }
}

/// Returns the nodes directly below a node.
pub(super) fn children(node: &Node) -> Vec<&Node> {
    match &node.expr {
        Expr::Call(call) => call
            .target
            .as_deref()
            .into_iter()
            .chain(&call.args)
            .collect(),
        Expr::Comprehension(walk) => vec![
            &walk.iter_range,
            &walk.accu_init,
            &walk.loop_cond,
            &walk.loop_step,
            &walk.result,
        ],
        Expr::List(list) => list.elements.iter().collect(),
        Expr::Select(select) => vec![&*select.operand],
        Expr::Map(map) => map.entries.iter().flat_map(entry_nodes).collect(),
        Expr::Struct(made) => made.entries.iter().flat_map(entry_nodes).collect(),
        Expr::Ident(_) | Expr::Literal(_) | Expr::Unspecified => Vec::new(),
    }
}

fn entry_nodes(entry: &IdedEntryExpr) -> Vec<&Node> {
    match &entry.expr {
        EntryExpr::StructField(field) => vec![&field.value],
        EntryExpr::MapEntry(pair) => vec![&pair.key, &pair.value],
    }
}
