//! Paths that an expression reads of the document and of the resources around it, taken from its
//! syntax tree.

use std::collections::HashMap;

use cel::common::ast::{EntryExpr, Expr, IdedEntryExpr, LiteralValue, operators};
use cel::parser::Expression as Node;

/// Name of the variable that holds the document.
const DOCUMENT: &str = "doc";
/// Names of the variables that hold the resources around the judged one.
const TARGETS: &str = "targets";
const SOURCES: &str = "sources";

/// Resources of one relation, as an expression names them: `targets.protected_by`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct RelatedRows<'n> {
    is_target: bool,
    relation: &'n str,
}

/// Members that an expression reads of the resources of a relation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RelatedRead {
    /// `true` for resources that the judged one has the relation to, `false` for those that have it
    /// to the judged one.
    pub(super) is_target: bool,
    /// Name of the relation.
    pub(super) relation: String,
    /// Path in their documents; `None` if the documents are not read.
    pub(super) path: Option<String>,
}

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
    let is_document = |node: &Node| matches!(&node.expr, Expr::Ident(name) if name == DOCUMENT);
    if let Some((segments, ())) = chain(node, &|node| is_document(node).then_some(())) {
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

/// Returns what a node reads of the resources around the judged one, each once, in the order of the
/// source. Variables of comprehensions stand for the resources that they walk:
/// `targets.protected_by.all(g, g.doc.open)` reads `open` of those that protect.
pub(super) fn related(node: &Node) -> Vec<RelatedRead> {
    let mut found = Vec::new();
    collect_related(node, &HashMap::new(), &mut found);
    found
}

fn collect_related<'n>(
    node: &'n Node,
    walked: &HashMap<&'n str, RelatedRows<'n>>,
    found: &mut Vec<RelatedRead>,
) {
    let mut add = |rows: RelatedRows<'_>, path: Option<String>| {
        let read = RelatedRead {
            is_target: rows.is_target,
            relation: rows.relation.to_owned(),
            path,
        };
        if !found.contains(&read) {
            found.push(read);
        }
    };

    if let Some((segments, rows)) = chain(node, &|node| row(node, walked)) {
        let path = segments
            .split_first()
            .filter(|(first, _)| **first == DOCUMENT);
        add(rows, path.map(|(_, rest)| rest.join(".")));
        // What filters the rows is read as well.
        for child in children(node) {
            collect_related(child, walked, found);
        }
        return;
    }
    if let Some(rows) = named_rows(node) {
        add(rows, None);
        return;
    }

    if let Expr::Comprehension(walk) = &node.expr
        && let Some(rows) = rows(&walk.iter_range)
    {
        let mut inner = walked.clone();
        inner.insert(&walk.iter_var, rows);
        collect_related(&walk.iter_range, walked, found);
        for child in [
            &walk.accu_init,
            &walk.loop_cond,
            &walk.loop_step,
            &walk.result,
        ] {
            collect_related(child, &inner, found);
        }
        return;
    }
    for child in children(node) {
        collect_related(child, walked, found);
    }
}

/// Returns the relation whose resources a node is a list of: `targets.logs_to`, or a filter of it.
fn rows(node: &Node) -> Option<RelatedRows<'_>> {
    match &node.expr {
        Expr::Comprehension(walk) => rows(&walk.iter_range),
        _ => named_rows(node),
    }
}

fn named_rows(node: &Node) -> Option<RelatedRows<'_>> {
    let variable = |node: &Node| match &node.expr {
        Expr::Ident(name) if name == TARGETS => Some(true),
        Expr::Ident(name) if name == SOURCES => Some(false),
        _ => None,
    };
    let (segments, is_target) = chain(node, &variable)?;
    match segments.as_slice() {
        [relation] => Some(RelatedRows {
            is_target,
            relation,
        }),
        _ => None,
    }
}

/// Returns the relation that a node is one resource of: an element of the list, or the variable of a
/// comprehension over it.
fn row<'n>(node: &'n Node, walked: &HashMap<&'n str, RelatedRows<'n>>) -> Option<RelatedRows<'n>> {
    match &node.expr {
        Expr::Ident(name) => walked.get(name.as_str()).copied(),
        _ => match operands(node, operators::INDEX)? {
            [list, _] => rows(list),
            _ => None,
        },
    }
}

/// Returns the members that a chain of selections names, and the root that it begins at; `None` if
/// the node is none.
fn chain<'n, R>(
    node: &'n Node,
    root: &impl Fn(&'n Node) -> Option<R>,
) -> Option<(Vec<&'n str>, R)> {
    if let Some(root) = root(node) {
        return Some((Vec::new(), root));
    }
    match &node.expr {
        Expr::Select(select) => {
            let (mut segments, root) = chain(&select.operand, root)?;
            segments.push(&select.field);
            Some((segments, root))
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
            let (mut segments, root) = chain(operand, root)?;
            // The path of an element of a list ends at the list.
            if let Expr::Literal(LiteralValue::String(text)) = &member.expr {
                segments.push(text.inner());
            }
            Some((segments, root))
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
