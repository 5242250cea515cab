//! The right to append and nothing else, the event types of a token, and identifiers that others
//! have.

use reeve_testkit::service::{ADMIN_TOKEN, reeve_command};

use super::*;

/// A user who only appends, and their token for some event types.
async fn source(admin: &Api, event_types: &[&str]) -> (String, Api) {
    let (user, _) = admin
        .person("shipper@acme.example", &["log_source"], &[])
        .await;
    let wanted = json!({ "name": "firewall", "user_id": user, "event_types": event_types });
    let token = admin.post("tokens", wanted).await.expect(201);
    assert_eq!(token.body["event_types"], json!(event_types));

    (
        token.text_at("/id"),
        admin.with_token(&token.text_at("/secret")),
    )
}

#[tokio::test]
async fn a_log_source_appends_its_event_types_and_reads_nothing() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let (id, shipper) = source(&admin, &["network.*", "authentication.login"]).await;
    let sent = json!([{ "event_type": "network.deny", "event_id": "fw-1" }, { "event_type": "authentication.login" }]);
    let _ = shipper.post("audit-logs", sent).await.expect(201);
    let kept = admin.get("audit-logs/fw-1").await.expect(200);
    assert_eq!(
        (
            kept.text_at("/submitted_by/token_id"),
            kept.text_at("/submitted_by/token_name")
        ),
        (id, "firewall".into())
    );

    let size = admin.size().await;
    let wrong = json!([{ "event_type": "network.deny" }, { "event_type": "policy.modify" }]);
    let refused = shipper
        .post("audit-logs", wrong)
        .await
        .problem(403, "forbidden");
    assert_eq!(
        (
            refused.text_at("/errors/0/field"),
            refused.text_at("/errors/0/code"),
            &refused.body["errors"][0]["index"]
        ),
        ("event_type".into(), "not_allowed".into(), &json!(1))
    );

    assert_eq!(admin.size().await, size + 1, "only the refusal was written");

    for path in [
        "audit-logs",
        "audit-logs/fw-1",
        "connections",
        "users",
        "intelligence/agents",
        "audit-logs/alerts",
    ] {
        let _ = shipper.get(path).await.problem(403, "forbidden");
    }

    // Neither a session nor a token made with it has more.
    let _ = shipper
        .post(
            "tokens",
            json!({ "name": "wider", "event_types": ["policy.*"] }),
        )
        .await
        .problem(422, "invalid_fields");

    let child = shipper
        .post("tokens", json!({ "name": "child" }))
        .await
        .expect(201);
    assert_eq!(
        child.body["event_types"],
        json!(["network.*", "authentication.login"])
    );

    let child = admin.with_token(&child.text_at("/secret"));
    let _ = child
        .post("audit-logs", json!({ "event_type": "policy.modify" }))
        .await
        .problem(403, "forbidden");

    for (wanted, code) in [("audit.*", "reserved"), ("*", "invalid_value")] {
        let wanted = json!({ "name": "wrong", "event_types": [wanted] });
        let refused = admin
            .post("tokens", wanted)
            .await
            .problem(422, "invalid_fields");
        assert_eq!(
            (
                refused.text_at("/errors/0/field"),
                refused.text_at("/errors/0/code")
            ),
            ("event_types".into(), code.into())
        );
    }
}

/// Entries of the type that the batch below has; Reeve's own entries do not count.
async fn appended(admin: &Api) -> usize {
    let path = "audit-logs?query=event_type:test.deed&limit=1000";
    admin.get(path).await.expect(200).items().len()
}

#[tokio::test]
async fn a_taken_identifier_is_reported_and_does_not_block_the_batch() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let (_, shipper) = source(&admin, &[]).await;

    for number in [7, 150] {
        let squatted =
            json!({ "event_id": format!("shipper-{number}"), "event_type": "test.squat" });
        let _ = admin.post("audit-logs", squatted).await.expect(201);
    }

    let batch: Vec<Value> = (0..200)
        .map(|n| json!({ "event_id": format!("shipper-{n}"), "event_type": "test.deed" }))
        .collect();
    let _ = shipper
        .post("audit-logs", json!(batch))
        .await
        .problem(409, "event_id_conflict");
    assert_eq!(
        appended(&admin).await,
        0,
        "all or none unless asked otherwise"
    );

    let path = "audit-logs?on_conflict=report";
    let answer = shipper.post(path, json!(batch)).await.expect(201);
    assert_eq!(answer.items().len(), 198);

    let refused: Vec<_> = answer.body["refused"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (&one["index"], &one["code"]))
        .collect();

    assert_eq!(
        refused,
        [
            (&json!(7), &json!("event_id_conflict")),
            (&json!(150), &json!("event_id_conflict"))
        ]
    );

    assert_eq!(appended(&admin).await, 198);

    // Sent again, the answer is the same and nothing is added.
    let again = shipper.post(path, json!(batch)).await.expect(201);
    assert_eq!((again.items().len(), appended(&admin).await), (198, 198));

    let alone = shipper.post(path, batch[7].clone()).await.expect(200);
    assert_eq!(
        (
            alone.items().len(),
            alone.body["refused"].as_array().unwrap().len()
        ),
        (0, 1)
    );

    let _ = shipper
        .post("audit-logs?on_conflict=maybe", json!(batch))
        .await
        .problem(422, "invalid_fields");
}

#[tokio::test]
async fn identifiers_of_reeve_are_out_of_reach() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let admin = service.admin();
    let batch = json!([{ "event_type": "test.deed" }, { "event_type": "test.deed", "event_id": "reeve:fir_0123456789abcdef" }]);
    let refused = admin
        .post("audit-logs", batch)
        .await
        .problem(422, "invalid_fields");
    assert_eq!(
        (
            refused.text_at("/errors/0/field"),
            refused.text_at("/errors/0/code"),
            &refused.body["errors"][0]["index"]
        ),
        ("event_id".into(), "reserved".into(), &json!(1))
    );
}

/// The rule holds for imports too, over a data directory and over a service; and the entry about an
/// import that a token makes is none of Reeve's own.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn imports_cannot_take_identifiers_of_reeve() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    let file = home.path().join("in.jsonl");
    let lines = [
        r#"{"event_type":"test.deed","event_id":"reeve:import-0123456789abcdef"}"#,
        r#"{"event_type":"test.deed","event_id":"mine"}"#,
    ];
    std::fs::write(&file, lines.join("\n")).unwrap();
    let import = |target: [&str; 2]| {
        let mut command = reeve_command().unwrap();
        command.args(["audit", "import", "--format", "jsonl"]);
        command.args(target).arg(&file);
        command.env("REEVE_TOKEN", ADMIN_TOKEN);
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(
            said.contains("line 1") && said.contains("given by Reeve alone"),
            "{said}"
        );
    };

    import(["--data-dir", data.to_str().unwrap()]);
    let service = Service::serve(&data, &[]).unwrap();
    let admin = service.admin();
    std::fs::write(&file, lines.join("\n").replace("mine", "of the token")).unwrap();
    import(["--url", service.url()]);

    let found = admin
        .get("audit-logs?query=event_type:(test.deed%20OR%20ingestion.import)")
        .await
        .expect(200);
    let ids: Vec<(&str, &str)> = found
        .items()
        .iter()
        .map(|entry| {
            let submitter = entry["submitted_by"]["type"].as_str().unwrap();
            (entry["event_id"].as_str().unwrap(), submitter)
        })
        .collect();
    assert_eq!(ids.len(), 4, "{ids:?}");
    for (id, submitter) in ids {
        assert_eq!(id.starts_with("reeve:"), submitter == "reeve", "{id}");
    }
}
