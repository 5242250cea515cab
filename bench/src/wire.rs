//! HTTP/1.1 spelled by hand over a kept connection: the load generator shares two cores with what
//! it measures.
//!
//! Takes what Reeve sends (a status line, `content-length`, a body) and refuses everything else.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

/// Time limit of an answer.
const PATIENCE: Duration = Duration::from_secs(120);

/// The head of an answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Head {
    pub(crate) status: u16,
    /// Bytes of the head, the empty line included.
    pub(crate) length: usize,
    pub(crate) body: usize,
    /// Seconds of the `Retry-After` header.
    pub(crate) retry_after: Option<u64>,
}

/// The head of a request with everything Reeve asks for.
pub(crate) fn request(method: &str, path: &str, token: &str, kind: &str, body: &[u8]) -> Vec<u8> {
    let mut request = format!(
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    )
    .into_bytes();
    request.extend_from_slice(body);
    request
}

/// Reads the head of an answer; nothing while it is not all there.
pub(crate) fn head(bytes: &[u8]) -> Result<Option<Head>> {
    let Some(end) = memchr::memmem::find(bytes, b"\r\n\r\n") else {
        return Ok(None);
    };

    let text = std::str::from_utf8(&bytes[..end]).context("an answer's head is not text")?;
    let mut lines = text.split("\r\n");
    let status = lines
        .next()
        .and_then(|line| line.split(' ').nth(1))
        .and_then(|status| status.parse().ok());
    let (mut body, mut retry_after) = (None, None);

    for line in lines {
        let Some((name, value)) = line.split_once(':') else {
            continue;
        };
        if name.eq_ignore_ascii_case("content-length") {
            body = value.trim().parse().ok();
        } else if name.eq_ignore_ascii_case("retry-after") {
            retry_after = value.trim().parse().ok();
        }
    }

    match (status, body) {
        (Some(status), Some(body)) => Ok(Some(Head {
            status,
            length: end + 4,
            body,
            retry_after,
        })),
        _ => bail!("an answer without status or content-length: {text}"),
    }
}

pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    pub(crate) fn open(address: SocketAddr) -> Result<Self> {
        Self::open_for(address, PATIENCE)
    }

    /// Opens a connection whose answers may take so long.
    pub(crate) fn open_for(address: SocketAddr, patience: Duration) -> Result<Self> {
        let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(patience))?;
        Ok(Self {
            stream,
            buffer: vec![0; 64 << 10],
        })
    }

    /// Sends a request that is in memory.
    pub(crate) fn send(&mut self, request: &[u8]) -> Result<(Head, &[u8])> {
        self.stream.write_all(request)?;
        self.answer()
    }

    /// Sends `length` bytes of a file from its current position; the kernel copies them.
    pub(crate) fn send_file(&mut self, file: &std::fs::File, length: u64) -> Result<(Head, &[u8])> {
        let sent = std::io::copy(&mut std::io::Read::take(file, length), &mut self.stream)?;
        if sent != length {
            bail!("the file of requests ended early");
        }
        self.answer()
    }

    fn answer(&mut self) -> Result<(Head, &[u8])> {
        let mut filled = 0;
        let head = loop {
            if let Some(head) = head(&self.buffer[..filled])? {
                break head;
            }
            filled += self.read_more(filled)?;
        };
        let end = head.length + head.body;

        if self.buffer.len() < end {
            self.buffer.resize(end, 0);
        }

        while filled < end {
            filled += self.read_more(filled)?;
        }

        if filled > end {
            bail!("more bytes than the answer announced");
        }

        Ok((head, &self.buffer[head.length..end]))
    }

    fn read_more(&mut self, filled: usize) -> Result<usize> {
        if filled == self.buffer.len() {
            self.buffer.resize(filled * 2, 0);
        }
        match self.stream.read(&mut self.buffer[filled..])? {
            0 => bail!("the service closed the connection"),
            read => Ok(read),
        }
    }
}

/// The text between `before` and the next quote.
pub(crate) fn text_after<'a>(bytes: &'a [u8], before: &str) -> Option<&'a str> {
    let start = memchr::memmem::find(bytes, before.as_bytes())? + before.len();
    let end = start + memchr::memchr(b'"', &bytes[start..])?;
    std::str::from_utf8(&bytes[start..end]).ok()
}

/// The number that follows `before`.
pub(crate) fn number_after(bytes: &[u8], before: &str) -> Option<u64> {
    let start = memchr::memmem::find(bytes, before.as_bytes())? + before.len();
    let digits = bytes[start..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    std::str::from_utf8(&bytes[start..start + digits])
        .ok()?
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{head, number_after, text_after};

    #[test]
    fn heads_are_read_when_they_are_whole() {
        let answer =
            b"HTTP/1.1 429 Too Many Requests\r\ncontent-length: 12\r\nRetry-After: 2\r\n\r\n{}";
        assert!(head(&answer[..40]).unwrap().is_none());

        let head = head(answer).unwrap().unwrap();
        assert_eq!(
            (head.status, head.body, head.retry_after, head.length),
            (429, 12, Some(2), answer.len() - 2)
        );
        assert!(super::head(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n").is_err());
    }

    #[test]
    fn values_are_found_in_answers() {
        let body = br#"{"event_id":"a-b","sequence":4711,"total":3}"#;
        assert_eq!(text_after(body, "\"event_id\":\""), Some("a-b"));
        assert_eq!(number_after(body, "\"sequence\":"), Some(4711));
        assert_eq!(number_after(body, "\"absent\":"), None);
    }
}
