//! `reeve budgets` against a running service.

use reeve_testkit::service::{ADMIN_TOKEN, Service, reeve};
use serde_json::{Value, json};

/// Runs `reeve budgets`, and returns what it printed; it ends with this code.
fn budgets(service: &Service, arguments: &[&str], code: i32) -> String {
    let target = ["--url", service.url(), "--token", ADMIN_TOKEN];
    let output = reeve(&[&["budgets"], arguments, &target[..]].concat()).unwrap();
    let (out, said) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert_eq!(
        output.status.code(),
        Some(code),
        "{arguments:?}: {out}{said}"
    );

    format!("{out}{said}")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn budgets_are_added_listed_changed_and_removed() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(&home.path().join("data"), &[]).unwrap();
    let file = home.path().join("budgets.json");
    let path = file.to_str().unwrap();
    let compute =
        json!({ "name": "Compute", "amount": 1200, "currency": "USD", "period": "month" });
    std::fs::write(
        &file,
        json!([compute, { "name": "All", "amount": 9, "period": "year" }]).to_string(),
    )
    .unwrap();
    let created = budgets(&service, &["create", "-f", path], 0);
    assert!(
        created.contains("1200.00 USD a month") && created.lines().count() == 2,
        "{created}"
    );

    let listed: Value = serde_json::from_str(&budgets(&service, &["list", "--json"], 0)).unwrap();
    assert_eq!(listed["total"], 2);

    let shown: Value = serde_json::from_str(&budgets(&service, &["show", "Compute"], 0)).unwrap();
    assert_eq!(
        (&shown["amount"], &shown["version"]),
        (&json!(1200.0), &json!(1))
    );

    std::fs::write(
        &file,
        json!({ "name": "Compute", "amount": -1, "period": "month" }).to_string(),
    )
    .unwrap();
    let refused = budgets(&service, &["update", "Compute", "-f", path], 2);
    assert!(refused.contains("amount: must be more than 0"), "{refused}");
    std::fs::write(
        &file,
        json!({ "name": "Machines", "amount": 1300, "period": "month" }).to_string(),
    )
    .unwrap();
    let updated = budgets(&service, &["update", "Compute", "-f", path], 0);
    assert!(
        updated.contains("1300.00 USD a month") && updated.contains("Machines"),
        "{updated}"
    );
    budgets(&service, &["alerts"], 1);
    let unknown = budgets(&service, &["delete", "Compute"], 2);
    assert!(
        unknown.contains("there is no budget \"Compute\""),
        "{unknown}"
    );
    budgets(&service, &["delete", "Machines"], 0);
    assert_eq!(budgets(&service, &["list"], 0).lines().count(), 1);
}
