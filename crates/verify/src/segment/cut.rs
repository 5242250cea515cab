//! Puts back what a segment of version 2 has cut out of canonical bytes: `docs/formats/segment.md`, "cut".

use memchr::memmem::Finder;

const EVENT_ID: u8 = 1;
const REQUEST_ID: u8 = 2;

/// Puts values back into members that were emptied.
pub(super) struct Mender {
    event_id: Finder<'static>,
    request_id: Finder<'static>,
    bytes: Vec<u8>,
}

impl Mender {
    pub(super) fn new() -> Mender {
        let (event_id, request_id) = (Finder::new(br#""event_id":"""#), Finder::new(br#""request_id":"""#));
        Mender { event_id, request_id, bytes: Vec::new() }
    }

    /// The canonical bytes; the error says what is wrong with the row.
    pub(super) fn whole<'a>(
        &'a mut self,
        stored: &'a [u8],
        cut: u8,
        event_id: Option<&[u8]>,
        request_id: Option<&[u8]>,
    ) -> Result<&'a [u8], String> {
        if cut == 0 {
            return Ok(stored);
        }
        if cut > EVENT_ID | REQUEST_ID {
            return Err(format!("the column cut has the unknown value {cut}"));
        }
        self.bytes.clear();
        self.bytes.extend_from_slice(stored);
        for (bit, member, value, name) in
            [(REQUEST_ID, &self.request_id, request_id, "request_id"), (EVENT_ID, &self.event_id, event_id, "event_id")]
        {
            if cut & bit == 0 {
                continue;
            }
            let place = member.find(&self.bytes).map(|at| at + member.needle().len() - 1);
            let (Some(at), Some(value)) = (place, value) else {
                return Err(format!("{name} was cut out of the payload, and cannot be put back"));
            };
            let end = self.bytes.len();
            self.bytes.extend_from_slice(value);
            self.bytes.copy_within(at..end, at + value.len());
            self.bytes[at..at + value.len()].copy_from_slice(value);
        }
        Ok(&self.bytes)
    }
}
