//! HTTP/1.1 of the account: requests with a length, answered one after the other.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

use super::Shared;
use super::answers::{Reply, answer};

/// Answers the requests of one connection until it is closed.
pub(super) async fn serve(stream: TcpStream, shared: &Shared) -> Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    while let Some((target, body)) = request(&mut stream).await? {
        let begun = Instant::now();
        let reply = loop {
            let arrived = shared.arrived.notified();
            match answer(&target, &body, shared) {
                Reply::Later(wait) if begun.elapsed() < wait => {
                    let left = wait.saturating_sub(begun.elapsed());
                    let look = left.min(Duration::from_millis(500));
                    // A message that was hidden appears without a notification.
                    drop(tokio::time::timeout(look, arrived).await);
                }
                reply => break reply,
            }
        };
        let (status, kind, text) = reply.parts();
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
            text.len()
        );
        stream.get_mut().write_all(head.as_bytes()).await?;
        stream.get_mut().write_all(text.as_bytes()).await?;
    }
    Ok(())
}

/// Reads the target header and the body of the next request; `None` at the end of the connection.
async fn request(stream: &mut BufReader<TcpStream>) -> Result<Option<(String, String)>> {
    let (mut length, mut target, mut is_first) = (0, String::new(), true);
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Ok(None);
        }
        let line = line.trim_end();
        if line.is_empty() && !is_first {
            break;
        }
        is_first = false;
        let Some((name, value)) = line.split_once(':') else {
            continue;
        };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().context("a length")?;
        } else if name.eq_ignore_ascii_case("x-amz-target") {
            value.trim().clone_into(&mut target);
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    Ok(Some((target, String::from_utf8(body)?)))
}
