//! Snapshots and images that are shared.

use serde_json::{Value, json};

use crate::documents::{ACCOUNT, Documents};

#[test]
fn shared_copies_are_exposed_to_those_that_they_are_shared_with() {
    let check = |kind: &str, document: Value, expect: &[&str]| {
        let documents = Documents::default().with(kind, "one", document.clone());
        assert_eq!(documents.of("one"), expect, "{kind} {document}");
    };

    check(
        "snapshot",
        json!({ "restorableByAll": true }),
        &["internet direct create volumes"],
    );
    check(
        "snapshot",
        json!({ "restorableByAll": false }),
        &["none stopped by share"],
    );
    check(
        "snapshot",
        json!({ "restorableByAll": "[not read]" }),
        &["unknown stopped by share"],
    );
    check(
        "snapshot",
        json!({ "createVolumePermissions": [{ "userId": "444455556666" }, { "userId": ACCOUNT }] }),
        &["account:444455556666 direct create volumes"],
    );
    check(
        "image",
        json!({ "isPublic": false, "launchPermissions": [
            { "userId": "444455556666" }, { "organizationArn": "arn:aws:organizations::1:organization/o-1" }] }),
        &[
            "organization direct launch machines",
            "account:444455556666 direct launch machines",
        ],
    );
    check(
        "image",
        json!({ "isPublic": true, "launchPermissions": [{ "group": "all" }] }),
        &["internet direct launch machines"],
    );
    check(
        "database_snapshot",
        json!({ "Attributes": [{ "AttributeName": "restore", "AttributeValues": ["all"] }] }),
        &["internet direct restore databases"],
    );
    check(
        "database_snapshot",
        json!({ "Attributes": [{ "AttributeName": "restore", "AttributeValues": [] }] }),
        &["none stopped by share"],
    );
}
