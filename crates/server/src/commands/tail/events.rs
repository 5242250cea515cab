//! Server-sent events as the HTML standard reads them ("Interpreting an event stream").

use anyhow::{Result, bail};

/// The longest line that is taken: an entry has at most a mebibyte, and escapes make it longer.
const LONGEST: usize = 16 << 20;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct TailEvent {
    /// Its name; `message` when it has none.
    pub(super) name: String,
    /// The last identifier the stream gave.
    pub(super) id: Option<String>,
    /// Its data, lines joined.
    pub(super) data: String,
}

/// Reads a stream piece by piece.
#[derive(Debug, Default)]
pub(super) struct Events {
    line: Vec<u8>,
    name: String,
    id: Option<String>,
    data: String,
    after_return: bool,
}

impl Events {
    /// The events that end in this piece. One without data only tells how far the stream has come.
    pub(super) fn read(&mut self, part: &[u8]) -> Result<Vec<TailEvent>> {
        let mut events = Vec::new();
        for byte in part {
            let after_return = std::mem::take(&mut self.after_return);
            match byte {
                b'\n' if after_return => {}
                b'\n' | b'\r' => {
                    self.after_return = *byte == b'\r';
                    let line = std::mem::take(&mut self.line);
                    events.extend(self.line(&String::from_utf8_lossy(&line)));
                }
                byte if self.line.len() < LONGEST => self.line.push(*byte),
                _ => bail!("the live view sent a line of more than {LONGEST} bytes"),
            }
        }

        Ok(events)
    }

    fn line(&mut self, line: &str) -> Option<TailEvent> {
        if line.is_empty() {
            let (name, mut data) = (
                std::mem::take(&mut self.name),
                std::mem::take(&mut self.data),
            );
            data.pop();
            let name = if name.is_empty() {
                "message".to_owned()
            } else {
                name
            };
            return Some(TailEvent {
                name,
                id: self.id.clone(),
                data,
            });
        }

        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);

        match field {
            "event" => value.clone_into(&mut self.name),
            "data" => {
                self.data.push_str(value);
                self.data.push('\n');
            }
            "id" if !value.contains('\0') => self.id = Some(value.to_owned()),
            // Comments, `retry` and what later versions add.
            _ => {}
        }

        None
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn events_however_they_are_cut() {
        let stream = "retry: 2000\n: live\n\nevent: entry\nid: 7\ndata: {\"a\":1}\n\r\n: quiet\r\nid: 9\r\n\r\ndata: x\rdata:y\r\r";
        let event = |name: &str, id: Option<&str>, data: &str| TailEvent {
            name: name.to_owned(),
            id: id.map(str::to_owned),
            data: data.to_owned(),
        };
        let expect = [
            event("message", None, ""),
            event("entry", Some("7"), "{\"a\":1}"),
            event("message", Some("9"), ""),
            event("message", Some("9"), "x\ny"),
        ];
        for size in 1..stream.len() {
            let mut events = Events::default();
            let read: Vec<_> = stream
                .as_bytes()
                .chunks(size)
                .flat_map(|part| events.read(part).unwrap())
                .collect();
            assert_eq!(read, expect, "pieces of {size}");
        }
    }
}
