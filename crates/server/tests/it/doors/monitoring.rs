//! Metrics and cookies: what strangers learn, and what another host of the domain can plant.

use super::*;

#[tokio::test]
async fn metrics_need_a_token_or_a_listener_of_their_own() {
    let home = tempfile::tempdir().unwrap();
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let listen = format!("127.0.0.1:{port}");
    let quoted = format!("\"{listen}\"");
    let token = "a-token-for-prometheus";
    let service = Service::serve(
        home.path(),
        &[
            ("REEVE_METRICS_LISTEN", &quoted),
            ("REEVE_METRICS_TOKEN", token),
        ],
    )
    .unwrap();
    let (admin, nobody) = (service.admin(), service.nobody());

    let _ = nobody.get("/metrics").await.problem(401, "unauthenticated");
    let (_, person) = admin
        .person("ann@acme.example", &["regular_user"], &[])
        .await;
    let _ = person.get("/metrics").await.problem(403, "forbidden");
    let alone = Api::new(&format!("http://{listen}"));

    for answer in [
        admin.get("/metrics").await,
        nobody.with_token(token).get("/metrics").await,
        alone.get("/metrics").await,
    ] {
        assert!(
            answer.status == 200 && answer.text.contains("reeve_log_identifier_conflicts 0"),
            "{}",
            answer.text
        );
    }

    assert_eq!(alone.get("/readyz").await.status, 200);
    assert_eq!(
        alone.get("/api/v1/users").await.status,
        404,
        "nothing else is there"
    );
}

#[tokio::test]
async fn the_cookie_over_tls_belongs_to_this_host_alone() {
    let home = tempfile::tempdir().unwrap();
    let service =
        Service::serve(home.path(), &[("REEVE_TRUSTED_PROXIES", "[\"127.0.0.1\"]")]).unwrap();
    let (nobody, token) = (service.nobody(), service.admin_token().to_owned());
    let sign_in = async |headers: &[(&str, &str)]| {
        let body = json!({ "token": token }).to_string().into_bytes();
        nobody
            .send_with("POST", "sessions", headers, Some("application/json"), body)
            .await
            .expect(201)
    };
    let plain = sign_in(&[]).await;

    assert!(
        plain.headers["set-cookie"]
            .to_str()
            .unwrap()
            .starts_with("reeve_session=")
    );

    let secure = sign_in(&[("x-forwarded-proto", "https")]).await;
    let set = secure.headers["set-cookie"].to_str().unwrap();
    assert!(
        set.starts_with("__Host-reeve_session=")
            && set.contains("; Path=/;")
            && set.ends_with("; Secure"),
        "{set}"
    );

    for answer in [&plain, &secure] {
        let _ = as_page(
            &nobody,
            &cookie(answer),
            "GET",
            "sessions/current",
            Value::Null,
        )
        .await
        .expect(200);
    }

    // The one with the prefix wins over one that another host planted.
    let both = format!("reeve_session=planted; {}", cookie(&secure));
    let _ = as_page(&nobody, &both, "GET", "sessions/current", Value::Null)
        .await
        .expect(200);
    drop(service);

    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[("REEVE_SECURE_COOKIES", "true")]).unwrap();
    let body = json!({ "token": service.admin_token() });
    let answer = service.nobody().post("sessions", body).await.expect(201);
    let planted = cookie(&answer).trim_start_matches("__Host-").to_owned();
    let _ = as_page(
        &service.nobody(),
        &planted,
        "GET",
        "sessions/current",
        Value::Null,
    )
    .await
    .problem(401, "unauthenticated");
}
