//! Links in messages: to the public address that the configuration or an administrator names, and
//! to no address that a request names. Without one a message says where to look.

use std::time::Duration;

use reeve_testkit::http::until;
use reeve_testkit::service::Service;
use serde_json::{Value, json};

use crate::mail::MailServer;

const REPORTS: &str = "audit-logs/reports";
const ADDRESS: &str = "https://reeve.acme.example";

/// A service with a channel to a mail server, and a report that anybody may run.
struct Mailing {
    mail: MailServer,
    service: Service,
    report: String,
    _home: tempfile::TempDir,
}

impl Mailing {
    async fn serve(variables: &[(&str, &str)]) -> Mailing {
        let (home, mail) = (tempfile::tempdir().unwrap(), MailServer::start().await);
        let outbound = mail.outbound(home.path());
        let mut all = vec![("REEVE_OUTBOUND", outbound.as_str())];
        all.extend(variables);
        let service = Service::serve(&home.path().join("data"), &all).unwrap();
        let admin = service.admin();
        let _ = admin
            .post(
                "intelligence/notification-channels",
                mail.channel("Mail", "hunter2"),
            )
            .await
            .expect(201);

        let report = json!({ "name": "Who did what?", "query": "event_type:test.export", "period": "24h", "channels": ["Mail"] });
        let report = admin.post(REPORTS, report).await.expect(201).text_at("/id");
        Mailing {
            mail,
            service,
            report,
            _home: home,
        }
    }

    /// Runs the report; both parts of the mail about it. The request claims to be for another host.
    async fn run(&mut self) -> [String; 2] {
        let path = format!("{REPORTS}/{}/run", self.report);
        let forged = [
            ("host", "evil.example"),
            ("x-forwarded-host", "evil.example"),
            ("forwarded", "host=evil.example"),
        ];
        let body = json!({}).to_string().into_bytes();
        let answer = self
            .service
            .admin()
            .send_with("POST", &path, &forged, Some("application/json"), body)
            .await;
        let _ = answer.expect(202);
        let sent = self.mail.mail().await;

        [0, 1].map(|part| {
            let content = sent["parts"][part]["content"].as_str().unwrap().to_owned();
            assert!(!content.contains("evil.example"), "{content}");
            content
        })
    }
}

fn has_link(parts: &[String; 2], address: &str) {
    for part in parts {
        assert!(
            part.contains(&format!("{address}/audit/reports?run="))
                && part.contains("Open in Reeve"),
            "{part}"
        );
        assert!(!part.contains("In Reeve:"), "{part}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_has_words_without_a_public_address_and_a_link_with_one() {
    let mut mailing = Mailing::serve(&[]).await;
    let admin = mailing.service.admin();
    assert_eq!(
        admin.get("settings").await.expect(200).body["public_url"],
        Value::Null
    );

    let [plain, html] = mailing.run().await;
    assert!(
        plain.contains("In Reeve: Audit Logging > Reports > Who did what?"),
        "{plain}"
    );
    assert!(
        html.contains("Audit Logging &gt; Reports &gt; Who did what?"),
        "{html}"
    );
    assert!(
        !plain.contains("Open in Reeve") && !html.contains("href="),
        "{plain}\n{html}"
    );

    for refused in [
        "reeve.acme.example",
        "javascript:alert(1)",
        "https://ann@acme.example",
        "https://acme.example/?a=b",
    ] {
        let answer = admin
            .put("settings", json!({ "public_url": refused }))
            .await
            .problem(422, "invalid_fields");
        assert_eq!(answer.body["errors"][0]["field"], "public_url", "{refused}");
    }

    let (_, operator) = admin.person("ann@acme.example", &["operator"], &[]).await;
    let _ = operator
        .put("settings", json!({ "public_url": ADDRESS }))
        .await
        .problem(403, "forbidden");
    let saved = admin
        .put("settings", json!({ "public_url": format!("{ADDRESS}/") }))
        .await
        .expect(200)
        .body;

    assert_eq!(
        (&saved["public_url"], &saved["public_url_configured"]),
        (&json!(ADDRESS), &json!(false))
    );
    has_link(&mailing.run().await, ADDRESS);
    let recorded = admin
        .get("audit-logs?query=event_type:settings.modify%20AND%20status:success")
        .await
        .expect(200);
    assert_eq!(
        recorded.items()[0]["changes"]["after"]["public_url"],
        ADDRESS
    );

    let removed = admin
        .put("settings", json!({ "public_url": "" }))
        .await
        .expect(200)
        .body;
    assert_eq!(removed["public_url"], Value::Null);
    assert!(mailing.run().await[0].contains("In Reeve: "));

    // The start says it too, to who reads the service's own log.
    let Mailing {
        mail,
        service,
        _home: home,
        ..
    } = mailing;

    assert!(service.stop().unwrap().0.success());

    let outbound = mail.outbound(home.path());
    let again = Service::serve(
        &home.path().join("data"),
        &[("REEVE_OUTBOUND", outbound.as_str())],
    )
    .unwrap();

    until("the warning", Duration::from_secs(30), || async {
        again
            .said()
            .contains("notifications have no links")
            .then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_configured_public_address_is_not_changed_by_a_setting() {
    let mut mailing =
        Mailing::serve(&[("REEVE_PUBLIC_URL", "https://reeve.acme.example/ops/")]).await;
    let admin = mailing.service.admin();
    let shown = admin.get("settings").await.expect(200).body;
    let expected = json!("https://reeve.acme.example/ops");
    assert_eq!(
        (&shown["public_url"], &shown["public_url_configured"]),
        (&expected, &json!(true))
    );

    let other = json!({ "public_url": "https://elsewhere.example" });
    let refused = admin
        .put("settings", other)
        .await
        .problem(422, "invalid_fields");
    assert_eq!(refused.body["errors"][0]["field"], "public_url");
    has_link(&mailing.run().await, "https://reeve.acme.example/ops");
}
