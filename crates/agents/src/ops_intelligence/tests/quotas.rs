//! Quotas of a region that are nearly used up.

use super::*;

/// A region with so many addresses, and the quota that its document has.
fn region(addresses: u64, quota: Value) -> Case {
    let kind = ResourceKind::parse("region").unwrap();
    let mut case = Case::new(kind, "ec2").described(json!({ "QuotaElasticAddresses": quota }));
    let counts = [(ResourceKind::IpAddress, addresses)];
    case.totals = Some(RegionTotals(counts.into()));
    case
}

#[test]
fn a_quota_is_found_before_it_is_used_up() {
    // Service Quotas answers numbers; the reader keeps the first value as a text.
    for quota in [json!("5.0"), json!(5)] {
        let found = region(4, quota).only();
        assert!(found.title.contains("80 %"), "{}", found.title);
        assert_eq!(found.priority, Priority::High);
        assert_eq!(found.subject.aspect.as_deref(), Some("quota.ip_addresses"));
        let change = found.plan.unwrap().change.unwrap();
        assert_eq!(change.name, "request_quota");
        assert_eq!(
            change.parameters.get("to"),
            Some(&reeve_audit::Json::from(8u32)),
            "half as much again, in whole addresses"
        );
    }
    assert_eq!(region(5, json!(5)).only().priority, Priority::Critical);
}

#[test]
fn what_is_enough_or_unknown_is_no_finding() {
    let code = |case: Case| case.prevention_code("quota.ip_addresses");
    assert_eq!(code(region(3, json!(5))), ("quota_is_enough", true));
    assert_eq!(code(region(4, json!(null))), ("quota_not_read", false));
    assert_eq!(code(region(4, json!("0.0"))), ("quota_not_read", false));
    let mut uncounted = region(4, json!(5));
    uncounted.totals = None;
    assert_eq!(code(uncounted), ("not_counted", false));

    let set = |path: &str, value| region(4, json!(5)).set(path, value);
    let used = set("failure_prediction.quota_used", SettingValue::Percent(90.0));
    assert_eq!(code(used), ("quota_is_enough", true));
    let off = set("failure_prediction.enabled", SettingValue::Flag(false));
    assert_eq!(code(off), ("switched_off", true));
}
