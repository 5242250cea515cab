//! Plans as trees, from the JSON of `EXPLAIN (FORMAT JSON)`. Literals of conditions are masked.

use reeve_databases::without_literals;
use reeve_estate::database_load::{PlanDetail, PlanNode};
use serde_json::Value;

/// Steps deeper than this are left out, so that no plan of a server exhausts the stack.
const MOST_DEPTH: usize = 60;
/// Names of conditions and keys that are kept.
const DETAILS: [&str; 12] = [
    "Join Type",
    "Index Cond",
    "Recheck Cond",
    "Filter",
    "Hash Cond",
    "Merge Cond",
    "Join Filter",
    "Sort Key",
    "Group Key",
    "Strategy",
    "Scan Direction",
    "Workers Planned",
];

/// Reads the first plan of an answer; `None` if the text is none.
pub(super) fn read(text: &str) -> Option<PlanNode> {
    let answer: Value = serde_json::from_str(text).ok()?;
    node(answer.pointer("/0/Plan")?, 0)
}

fn node(step: &Value, depth: usize) -> Option<PlanNode> {
    let text = |name: &str| step.get(name).and_then(Value::as_str).map(str::to_owned);
    let number = |name: &str| step.get(name).and_then(Value::as_f64).unwrap_or_default();
    let below = step.get("Plans").and_then(Value::as_array);
    let below = below.filter(|_| depth < MOST_DEPTH);

    Some(PlanNode {
        operation: text("Node Type")?,
        table: table(text("Relation Name"), text("Alias")),
        index: text("Index Name"),
        details: DETAILS
            .into_iter()
            .filter_map(|name| detail(name, step.get(name)?))
            .collect(),
        startup_cost: number("Startup Cost"),
        total_cost: number("Total Cost"),
        rows: number("Plan Rows"),
        width_bytes: number("Plan Width"),
        children: below
            .into_iter()
            .flatten()
            .filter_map(|step| node(step, depth + 1))
            .collect(),
    })
}

fn table(name: Option<String>, alias: Option<String>) -> Option<String> {
    let name = name?;
    Some(match alias.filter(|alias| *alias != name) {
        Some(alias) => format!("{name} {alias}"),
        None => name,
    })
}

fn detail(name: &str, value: &Value) -> Option<PlanDetail> {
    let text = match value {
        // A count of workers is no literal of a statement.
        Value::Number(number) => number.to_string(),
        Value::String(text) => without_literals(text),
        Value::Array(keys) => {
            let keys: Vec<String> = keys
                .iter()
                .filter_map(Value::as_str)
                .map(without_literals)
                .collect();
            keys.join(", ")
        }
        _ => return None,
    };
    Some(PlanDetail {
        name: name.to_owned(),
        text,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_plan_is_a_tree_without_literals() {
        let text = r#"[{"Plan": {"Node Type": "Limit", "Total Cost": 9.5, "Plan Rows": 10, "Plans": [
            {"Node Type": "Index Scan", "Relation Name": "orders", "Alias": "o", "Index Name": "orders_status",
             "Index Cond": "(status = 'paid'::text)", "Startup Cost": 0.3, "Total Cost": 90.25, "Plan Rows": 40,
             "Plan Width": 68, "Filter": "(customer_id = $1)"}]}}]"#;
        let plan = read(text).unwrap();
        assert_eq!((plan.operation.as_str(), plan.rows), ("Limit", 10.0));
        let scan = &plan.children[0];
        assert_eq!(scan.table.as_deref(), Some("orders o"));
        assert_eq!(scan.index.as_deref(), Some("orders_status"));
        let details: Vec<&str> = scan.details.iter().map(|one| one.text.as_str()).collect();
        assert_eq!(details, ["(status = ?::text)", "(customer_id = $1)"]);
        assert_eq!(read("[]"), None);
    }
}
