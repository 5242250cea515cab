//! Uses of tables, read from the texts that the engines keep.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::observation::DatabaseColumn;
use crate::testing::{observation, table};

fn uses(engine: Engine, text: &str) -> Vec<TableUse> {
    let orders = table("orders", &["id", "customer_id", "status", "placed_on"]);
    let customers = table("customers", &["id", "email"]);
    let mut observation = observation(engine);
    observation.tables = vec![orders, customers];
    table_uses(&observation, text)
}

#[test]
fn filters_bounds_joins_and_orders_are_told_apart() {
    let found = uses(
        Engine::Postgresql,
        "SELECT o.id FROM orders o JOIN customers c ON c.id = o.customer_id \
         WHERE c.email = $1 AND o.status IN ($2, $3) AND o.placed_on >= $4 ORDER BY o.placed_on LIMIT $5",
    );
    let [orders, customers] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!(orders.equal, ["status"]);
    assert_eq!(orders.range, ["placed_on"]);
    assert_eq!(orders.joined, ["customer_id"]);
    assert_eq!(orders.sorted, ["placed_on"]);
    assert_eq!(
        (customers.equal.as_slice(), customers.joined.as_slice()),
        (&["email".to_owned()][..], &["id".to_owned()][..])
    );
}

#[test]
fn what_an_index_does_not_serve_names_no_column() {
    for text in [
        "SELECT id FROM orders WHERE customer_id = $1 OR status = $2",
        "SELECT id FROM orders WHERE lower(status) = $1",
        "SELECT id FROM orders WHERE status <> $1",
        "SELECT id FROM orders WHERE status NOT IN ($1)",
        "SELECT id FROM orders, customers WHERE id = $1",
        "SELECT id FROM elsewhere.orders WHERE customer_id = $1",
        "SELECT 1; SELECT id FROM orders WHERE customer_id = $1",
        "no statement",
    ] {
        assert_eq!(uses(Engine::Postgresql, text), [], "{text}");
    }
}

#[test]
fn digests_of_mariadb_are_read() {
    let found = uses(
        Engine::Mariadb,
        "SELECT `id` FROM `orders` WHERE `status` IN (...) AND `customer_id` = ?",
    );
    assert_eq!(found[0].equal, ["status", "customer_id"]);
}

#[test]
fn subqueries_updates_and_deletes_are_read() {
    let found = uses(
        Engine::Postgresql,
        "SELECT email FROM customers WHERE id IN (SELECT customer_id FROM orders WHERE status = $1)",
    );
    assert_eq!(found.len(), 2);
    for text in [
        "UPDATE orders SET status = $1 WHERE customer_id = $2",
        "DELETE FROM orders WHERE customer_id = $1",
    ] {
        assert_eq!(
            uses(Engine::Postgresql, text)[0].equal,
            ["customer_id"],
            "{text}"
        );
    }
}

#[test]
fn a_function_of_a_user_is_not_planned() {
    let is_planned = |text: &str| is_plannable(Engine::Postgresql, text);
    assert!(is_planned(
        "SELECT count(*) FROM orders WHERE customer_id = $1"
    ));
    assert!(!is_planned("SELECT evil()"));
    assert!(!is_planned(
        "SELECT id FROM orders WHERE status = public.lower($1)"
    ));
    assert!(!is_planned("SELECT 1; DROP TABLE orders"));
    assert!(!is_planned("DROP TABLE orders"));
    let deep = format!("SELECT {}1{}", "(".repeat(5_000), ")".repeat(5_000));
    assert!(!is_planned(&deep));
}

#[test]
fn a_column_is_found_whatever_its_case() {
    let mut orders = table("orders", &[]);
    orders.columns = vec![DatabaseColumn {
        name: "Status".to_owned(),
        ..DatabaseColumn::default()
    }];
    assert_eq!(column_of(&orders, "status").unwrap(), "Status");
}
