//! A refusal before the body: the connection continues, or says that it closes.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::*;

/// Sends a request whose body comes only once the answer's headers are there, then a second one;
/// everything that is answered.
async fn exchange(service: &Service, head: &str, body: &[u8]) -> (String, std::io::Result<String>) {
    let address = service.url().trim_start_matches("http://").to_owned();
    let mut stream = TcpStream::connect(&address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(body).await.unwrap();
    let first = answer(&mut stream).await.unwrap();
    let second = async {
        stream
            .write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")
            .await?;
        answer(&mut stream).await
    };

    (first.to_lowercase(), second.await)
}

/// One answer with its body.
async fn answer(stream: &mut TcpStream) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .to_lowercase()
                .split("content-length: ")
                .nth(1)
                .and_then(|rest| {
                    rest.split("\r\n")
                        .next()
                        .and_then(|number| number.parse::<usize>().ok())
                });
            if length.is_some_and(|length| body.len() >= length) {
                return Ok(text);
            }
        }
        if stream.read_buf(&mut bytes).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
    }
}

#[tokio::test]
async fn a_refusal_before_the_body_is_announced() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::serve(home.path(), &[]).unwrap();
    let post = |path: &str, more: &str| {
        format!("POST {path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n{more}\r\n")
    };

    let entry = br#"{"event_type":"test.deed"}"#;
    let length = format!("content-length: {}\r\n", entry.len());

    // The whole body is there: the connection takes the next request.
    for path in ["/api/v1/audit-logs", "/api/v1/nothing-here"] {
        let (first, second) = exchange(&service, &post(path, &length), entry).await;
        assert!(first.starts_with("http/1.1 40"), "{first}");
        assert!(!first.contains("connection: close"), "{first}");
        assert!(second.unwrap().starts_with("HTTP/1.1 200"), "{path}");
    }

    // It never comes, or only some of it: the answer says that the connection ends.
    let chunked = "transfer-encoding: chunked\r\n";
    for (more, part) in [
        (length.as_str(), &entry[..7]),
        (length.as_str(), b""),
        (chunked, b"5\r\n{\"eve\r\n"),
    ] {
        let (first, second) = exchange(&service, &post("/api/v1/audit-logs", more), part).await;
        assert!(
            first.starts_with("http/1.1 401") && first.contains("connection: close"),
            "{first}"
        );
        assert!(second.is_err());
    }

    // Nobody is asked to send a body that is not wanted.
    let expects = post(
        "/api/v1/audit-logs",
        &format!("{length}expect: 100-continue\r\n"),
    );
    let (first, _) = exchange(&service, &expects, b"").await;
    assert!(
        first.starts_with("http/1.1 401") && first.contains("connection: close"),
        "{first}"
    );
}
