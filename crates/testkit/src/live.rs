//! A client of a live view: reads server-sent events one at a time, and nothing before it is asked
//! to, so that it can also be the reader who does not read.

use reqwest::Response;
use serde_json::Value;

use crate::http::Api;

/// One server-sent event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Event {
    /// `id` of the event.
    pub id: Option<String>,
    /// Name of the event.
    pub name: String,
    /// Data as JSON; null if it is not JSON.
    pub data: Value,
    /// Comment of the event.
    pub comment: Option<String>,
}

/// Open stream of a live view.
#[derive(Debug)]
pub struct Live {
    response: Response,
    buffer: Vec<u8>,
    /// Text read so far.
    pub read: String,
}

impl Live {
    /// Opens a live view; `path` is below `/api/v1/`.
    ///
    /// # Panics
    /// The service opened no stream.
    pub async fn open(api: &Api, path: &str, headers: &[(&str, &str)]) -> Live {
        let response = api.ask(path, headers).await;
        let response = response.unwrap_or_else(|error| panic!("{path}: {error:?}"));
        let kind = response
            .headers()
            .get("content-type")
            .and_then(|kind| kind.to_str().ok())
            .unwrap_or_default();

        assert_eq!(
            (response.status().as_u16(), kind),
            (200, "text/event-stream"),
            "{path}"
        );

        Live {
            response,
            buffer: Vec::new(),
            read: String::new(),
        }
    }

    /// The next event of any name, comments included; `None` once the stream has ended or broken.
    pub async fn any(&mut self) -> Option<Event> {
        loop {
            if let Some(end) = self.buffer.windows(2).position(|two| two == b"\n\n") {
                let block: Vec<u8> = self.buffer.drain(..end + 2).collect();
                let text = String::from_utf8_lossy(&block).into_owned();
                self.read.push_str(&text);
                return Some(event(&text));
            }
            match self.response.chunk().await {
                Ok(Some(chunk)) => self.buffer.extend_from_slice(&chunk),
                Ok(None) | Err(_) => return None,
            }
        }
    }

    /// The next event that is not a comment alone; `None` once the stream has ended.
    pub async fn next(&mut self) -> Option<Event> {
        loop {
            let event = self.any().await?;
            if !event.name.is_empty() {
                return Some(event);
            }
        }
    }

    /// The next entry.
    ///
    /// # Panics
    /// The stream ended earlier.
    pub async fn entry(&mut self) -> Value {
        match self.next().await {
            Some(Event { id, name, data, .. }) if name == "entry" => {
                assert_eq!(
                    id,
                    Some(data["integrity"]["sequence"].to_string()),
                    "the id is the sequence"
                );
                data
            }
            other => panic!("no entry came, but {other:?}"),
        }
    }

    /// Reads to the end; the reason it gave, if any.
    pub async fn end(&mut self) -> Option<String> {
        let mut reason = None;
        while let Some(event) = self.any().await {
            if event.name == "end" {
                reason = event.data["reason"].as_str().map(str::to_owned);
            }
        }
        reason
    }
}

fn event(block: &str) -> Event {
    let mut event = Event::default();
    let mut data = Vec::new();

    for line in block.lines().filter(|line| !line.is_empty()) {
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "" => event.comment = Some(value.to_owned()),
            "id" => event.id = Some(value.to_owned()),
            "event" => event.name = value.to_owned(),
            "data" => data.push(value),
            _ => {}
        }
    }

    event.data = serde_json::from_str(&data.join("\n")).unwrap_or(Value::Null);
    event
}
