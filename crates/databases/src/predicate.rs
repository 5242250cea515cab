//! Columns that a statement filters, joins and sorts by.
//!
//! The text of a normalized statement is parsed in the dialect of its engine. Names are resolved
//! against the tables that were read: an unqualified column counts only if one table of the
//! statement has it. Negations, functions of columns and disjunctions name no column, because an
//! ordinary index does not serve them.

use std::ops::ControlFlow;

use sqlparser::ast::{
    BinaryOperator, Expr, FromTable, JoinConstraint, JoinOperator, ObjectName, OrderByKind, Query,
    Select, SetExpr, Statement as SqlStatement, TableFactor, TableWithJoins, Visit, Visitor,
    visit_expressions,
};
use sqlparser::dialect::{Dialect, MySqlDialect, PostgreSqlDialect};
use sqlparser::parser::Parser;

use crate::engine::Engine;
use crate::observation::{DatabaseTable, Observation};

/// Longest text that is parsed, bytes.
const MAX_TEXT: usize = 32 * 1024;
/// Deepest nesting that is parsed.
const MAX_DEPTH: usize = 40;

/// Columns of one table by their use in a statement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TableUse {
    pub(crate) schema: String,
    pub(crate) table: String,
    /// Compared with one value, or with a list of values.
    pub(crate) equal: Vec<String>,
    /// Compared with a bound.
    pub(crate) range: Vec<String>,
    /// Compared with a column of another table.
    pub(crate) joined: Vec<String>,
    /// Sorted by, in this order.
    pub(crate) sorted: Vec<String>,
}

/// Functions that a planner may evaluate while it plans: those of the engine alone. A function of a
/// user would run with the rights of Reeve's user.
const KNOWN_FUNCTIONS: &[&str] = &[
    "abs",
    "avg",
    "ceil",
    "char_length",
    "coalesce",
    "concat",
    "count",
    "date_trunc",
    "floor",
    "greatest",
    "least",
    "length",
    "lower",
    "max",
    "min",
    "mod",
    "now",
    "nullif",
    "round",
    "row_number",
    "rank",
    "substr",
    "substring",
    "sum",
    "trim",
    "upper",
];

/// Returns `true` if a statement may be planned: it is one statement, and calls no function but
/// well-known ones.
#[must_use]
pub fn is_plannable(engine: Engine, text: &str) -> bool {
    let Some(statement) = parse(engine, text) else {
        return false;
    };
    let is_kind = matches!(
        statement,
        SqlStatement::Query(_) | SqlStatement::Update(_) | SqlStatement::Delete(_)
    );
    let is_unknown = |expr: &Expr| match expr {
        Expr::Function(function) => {
            let name = function.name.to_string().to_ascii_lowercase();
            !KNOWN_FUNCTIONS.contains(&name.as_str())
        }
        _ => false,
    };
    let calls = visit_expressions(&statement, |expr| match is_unknown(expr) {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    });
    is_kind && calls.is_continue()
}

fn parse(engine: Engine, text: &str) -> Option<SqlStatement> {
    if text.len() > MAX_TEXT {
        return None;
    }

    let dialect: &dyn Dialect = match engine {
        Engine::Postgresql => &PostgreSqlDialect {},
        Engine::Mariadb | Engine::Mysql => &MySqlDialect {},
    };
    // A digest writes a list of values as three dots.
    let text = match engine.is_mysql_like() {
        true => text.replace("(...)", "(?)").replace("( ... )", "(?)"),
        false => text.to_owned(),
    };

    let mut parser = Parser::new(dialect)
        .with_recursion_limit(MAX_DEPTH)
        .try_with_sql(&text)
        .ok()?;
    let mut statements = parser.parse_statements().ok()?;
    (statements.len() == 1).then(|| statements.remove(0))
}

/// Returns the columns that a statement filters, joins or sorts by, as `schema.table.column`.
#[must_use]
pub fn used_columns(observation: &Observation, text: &str) -> Vec<String> {
    let mut columns = Vec::new();
    for table_use in table_uses(observation, text) {
        let TableUse {
            schema,
            table,
            equal,
            range,
            joined,
            sorted,
        } = table_use;
        let names = equal.into_iter().chain(range).chain(joined).chain(sorted);
        columns.extend(names.map(|name| format!("{schema}.{table}.{name}")));
    }
    columns.sort_unstable();
    columns.dedup();
    columns
}

/// Returns the uses of tables in a statement; empty for a statement that cannot be parsed.
pub(crate) fn table_uses(observation: &Observation, text: &str) -> Vec<TableUse> {
    let Some(statement) = parse(observation.engine, text) else {
        return Vec::new();
    };
    let mut reader = UseReader {
        observation,
        uses: Vec::new(),
    };

    match &statement {
        SqlStatement::Update(update) => {
            reader.read_filter(
                std::slice::from_ref(&update.table),
                update.selection.as_ref(),
            );
        }
        SqlStatement::Delete(delete) => {
            let (FromTable::WithFromKeyword(from) | FromTable::WithoutKeyword(from)) = &delete.from;
            reader.read_filter(from, delete.selection.as_ref());
        }
        _ => {}
    }
    let _: ControlFlow<()> = statement.visit(&mut reader);
    reader.uses
}

/// Reads the uses of each query of a statement, nested ones included.
struct UseReader<'o> {
    observation: &'o Observation,
    uses: Vec<TableUse>,
}

impl Visitor for UseReader<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        if let SetExpr::Select(select) = &*query.body {
            self.read_select(select, query);
        }
        ControlFlow::Continue(())
    }
}

/// Tables of one query, by the names that its columns are qualified with.
struct TablesInScope<'o> {
    tables: Vec<(String, &'o DatabaseTable)>,
}

impl TablesInScope<'_> {
    /// Returns the position of the table that a column belongs to, and the column's name.
    fn resolve(&self, expr: &Expr) -> Option<(usize, String)> {
        match expr {
            Expr::Nested(inner) => self.resolve(inner),
            Expr::Cast { expr, .. } => self.resolve(expr),
            Expr::Identifier(column) => {
                let mut owners =
                    self.tables
                        .iter()
                        .enumerate()
                        .filter_map(|(position, (_, table))| {
                            Some((position, column_of(table, &column.value)?))
                        });
                let owner = owners.next()?;
                owners.next().is_none().then_some(owner)
            }
            Expr::CompoundIdentifier(parts) => {
                let [.., qualifier, column] = parts.as_slice() else {
                    return None;
                };
                let is_it = |(name, _): &(String, _)| name.eq_ignore_ascii_case(&qualifier.value);
                let position = self.tables.iter().position(is_it)?;
                let column = column_of(self.tables[position].1, &column.value)?;
                Some((position, column))
            }
            _ => None,
        }
    }
}

fn column_of(table: &DatabaseTable, name: &str) -> Option<String> {
    let is_it =
        |column: &&crate::observation::DatabaseColumn| column.name.eq_ignore_ascii_case(name);
    table
        .columns
        .iter()
        .find(is_it)
        .map(|column| column.name.clone())
}

impl<'o> UseReader<'o> {
    fn read_select(&mut self, select: &Select, query: &Query) {
        let scope = self.scope(&select.from);
        let mut uses = empty_uses(&scope);
        for from in &select.from {
            read_joins(&scope, from, &mut uses);
        }
        if let Some(selection) = &select.selection {
            read_condition(&scope, selection, &mut uses);
        }
        if let Some(order) = &query.order_by
            && let OrderByKind::Expressions(keys) = &order.kind
        {
            read_order(&scope, keys.iter().map(|key| &key.expr), &mut uses);
        }
        self.keep(uses);
    }

    fn read_filter(&mut self, from: &[TableWithJoins], selection: Option<&Expr>) {
        let scope = self.scope(from);
        let mut uses = empty_uses(&scope);
        if let Some(selection) = selection {
            read_condition(&scope, selection, &mut uses);
        }
        self.keep(uses);
    }

    fn keep(&mut self, uses: Vec<TableUse>) {
        let is_used = |one: &TableUse| {
            let lists = [&one.equal, &one.range, &one.joined, &one.sorted];
            lists.into_iter().any(|list| !list.is_empty())
        };
        self.uses.extend(uses.into_iter().filter(is_used));
    }

    fn scope(&self, from: &[TableWithJoins]) -> TablesInScope<'o> {
        let factors = from.iter().flat_map(|table| {
            std::iter::once(&table.relation).chain(table.joins.iter().map(|join| &join.relation))
        });
        let tables = factors.filter_map(|factor| {
            let TableFactor::Table {
                name,
                alias,
                args: None,
                ..
            } = factor
            else {
                return None;
            };
            let table = self.find(name)?;
            let known_as = alias
                .as_ref()
                .map_or(table.name.clone(), |alias| alias.name.value.clone());
            Some((known_as, table))
        });
        TablesInScope {
            tables: tables.collect(),
        }
    }

    /// Finds a table by its name; without a schema, only a name that one schema has.
    fn find(&self, name: &ObjectName) -> Option<&'o DatabaseTable> {
        let mut parts = name.0.iter().rev().filter_map(|part| part.as_ident());
        let table_name = &parts.next()?.value;
        let schema = parts.next().map(|part| &part.value);
        let mut matching = self.observation.tables.iter().filter(|table| {
            table.name.eq_ignore_ascii_case(table_name)
                && schema.is_none_or(|schema| table.schema.eq_ignore_ascii_case(schema))
        });
        let table = matching.next()?;
        matching.next().is_none().then_some(table)
    }
}

fn empty_uses(scope: &TablesInScope<'_>) -> Vec<TableUse> {
    let empty = |(_, table): &(String, &DatabaseTable)| TableUse {
        schema: table.schema.clone(),
        table: table.name.clone(),
        ..TableUse::default()
    };
    scope.tables.iter().map(empty).collect()
}

fn read_joins(scope: &TablesInScope<'_>, from: &TableWithJoins, uses: &mut [TableUse]) {
    for join in &from.joins {
        let (JoinOperator::Join(constraint)
        | JoinOperator::Inner(constraint)
        | JoinOperator::Left(constraint)
        | JoinOperator::LeftOuter(constraint)
        | JoinOperator::Right(constraint)
        | JoinOperator::RightOuter(constraint)) = &join.join_operator
        else {
            continue;
        };
        if let JoinConstraint::On(condition) = constraint {
            read_condition(scope, condition, uses);
        }
    }
}

/// Sorting helps through an index only where all keys are columns of one table.
fn read_order<'e>(
    scope: &TablesInScope<'_>,
    keys: impl Iterator<Item = &'e Expr>,
    uses: &mut [TableUse],
) {
    let Some(keys) = keys
        .map(|key| scope.resolve(key))
        .collect::<Option<Vec<_>>>()
    else {
        return;
    };
    let Some(&(owner, _)) = keys.first() else {
        return;
    };
    if keys.iter().all(|(position, _)| *position == owner) {
        uses[owner].sorted = keys.into_iter().map(|(_, column)| column).collect();
    }
}

fn read_condition(scope: &TablesInScope<'_>, condition: &Expr, uses: &mut [TableUse]) {
    match condition {
        Expr::Nested(inner) => read_condition(scope, inner, uses),
        Expr::BinaryOp {
            left,
            op: BinaryOperator::And,
            right,
        } => {
            read_condition(scope, left, uses);
            read_condition(scope, right, uses);
        }
        Expr::BinaryOp { left, op, right } => read_comparison(scope, left, op, right, uses),
        Expr::Between {
            expr,
            negated: false,
            ..
        } => add(scope, expr, uses, |one| &mut one.range),
        Expr::InList {
            expr,
            negated: false,
            ..
        }
        | Expr::IsNull(expr)
        | Expr::AnyOp {
            left: expr,
            compare_op: BinaryOperator::Eq,
            ..
        } => {
            add(scope, expr, uses, |one| &mut one.equal);
        }
        Expr::InSubquery {
            expr,
            negated: false,
            ..
        } => {
            add(scope, expr, uses, |one| &mut one.joined);
        }
        _ => {}
    }
}

fn read_comparison(
    scope: &TablesInScope<'_>,
    left: &Expr,
    op: &BinaryOperator,
    right: &Expr,
    uses: &mut [TableUse],
) {
    let sides = (scope.resolve(left), scope.resolve(right));
    match (op, sides) {
        (BinaryOperator::Eq, (Some((one, first)), Some((other, second)))) if one != other => {
            push(&mut uses[one].joined, first);
            push(&mut uses[other].joined, second);
        }
        // The other side may be a column of an outer query, whose value is one for each row of it.
        (
            BinaryOperator::Eq,
            (Some((position, column)), None) | (None, Some((position, column))),
        ) => {
            push(&mut uses[position].equal, column);
        }
        (
            BinaryOperator::Lt | BinaryOperator::LtEq | BinaryOperator::Gt | BinaryOperator::GtEq,
            (Some((position, column)), None) | (None, Some((position, column))),
        ) => push(&mut uses[position].range, column),
        _ => {}
    }
}

fn add(
    scope: &TablesInScope<'_>,
    expr: &Expr,
    uses: &mut [TableUse],
    list: impl Fn(&mut TableUse) -> &mut Vec<String>,
) {
    if let Some((position, column)) = scope.resolve(expr) {
        push(list(&mut uses[position]), column);
    }
}

fn push(list: &mut Vec<String>, column: String) {
    if !list.contains(&column) {
        list.push(column);
    }
}

#[cfg(test)]
mod tests;
