//! Puts back what a segment has cut out of canonical bytes: `docs/formats/segment.md`, "cut".

use memchr::memmem::Finder;

use super::fault::RowFault;

/// Bits of the values that version 2 cuts out.
const EVENT_ID: u8 = 1;
const REQUEST_ID: u8 = 2;
/// Mark of version 3: white space before an empty text gives the column of the missing value.
const PLACED: u8 = 4;
/// Canonical bytes have no byte below this.
const PRINTED: u8 = 0x20;
/// Largest size of restored canonical bytes; a longer text is no entry.
const MOST: usize = 2 << 20;

/// Puts values back into members that were emptied.
pub(super) struct Mender {
    event_id: Finder<'static>,
    request_id: Finder<'static>,
    bytes: Vec<u8>,
}

impl Mender {
    pub(super) fn new() -> Mender {
        let (event_id, request_id) = (
            Finder::new(br#""event_id":"""#),
            Finder::new(br#""request_id":"""#),
        );
        Mender {
            event_id,
            request_id,
            bytes: Vec::new(),
        }
    }

    /// The canonical bytes of a row of version 3, whose values `put` appends by the number of their
    /// column; the error says what is wrong with the row.
    pub(super) fn placed<'a>(
        &'a mut self,
        stored: &[u8],
        put: impl Fn(usize, &mut Vec<u8>) -> Option<()>,
    ) -> Result<&'a [u8], RowFault> {
        self.bytes.clear();
        let mut from = 0;

        while let Some(at) = place(stored, from) {
            self.bytes.extend_from_slice(&stored[from..at]);
            let number = number(&stored[at..]).ok_or(RowFault::WhiteSpace)?;
            self.bytes.push(b'"');
            put(number, &mut self.bytes).ok_or(RowFault::Column(number))?;
            self.bytes.push(b'"');
            if self.bytes.len() > MOST {
                return Err(RowFault::TooLarge);
            }
            from = at + 5;
        }

        self.bytes.extend_from_slice(&stored[from..]);
        Ok(&self.bytes)
    }

    /// The canonical bytes of a row of version 2; the error says what is wrong with the row.
    pub(super) fn whole<'a>(
        &'a mut self,
        stored: &'a [u8],
        cut: u8,
        event_id: Option<&[u8]>,
        request_id: Option<&[u8]>,
    ) -> Result<&'a [u8], RowFault> {
        if cut > EVENT_ID | REQUEST_ID {
            return Err(RowFault::UnknownCut(cut.into()));
        }

        self.bytes.clear();
        self.bytes.extend_from_slice(stored);

        for (bit, member, value, name) in [
            (REQUEST_ID, &self.request_id, request_id, "request_id"),
            (EVENT_ID, &self.event_id, event_id, "event_id"),
        ] {
            if cut & bit == 0 {
                continue;
            }
            let place = member
                .find(&self.bytes)
                .map(|at| at + member.needle().len() - 1);
            let (Some(at), Some(value)) = (place, value) else {
                return Err(RowFault::Member(name));
            };
            let end = self.bytes.len();
            self.bytes.extend_from_slice(value);
            self.bytes.copy_within(at..end, at + value.len());
            self.bytes[at..at + value.len()].copy_from_slice(value);
        }

        Ok(&self.bytes)
    }
}

/// Returns `true` if values are cut out as in version 3.
pub(super) fn is_placed(cut: u8) -> bool {
    cut == PLACED
}

/// The number of the column whose value belongs between the quotation marks: three digits from 0 to
/// 2, written as white space.
fn number(bytes: &[u8]) -> Option<usize> {
    let (digits, texts) = bytes.split_at_checked(3)?;
    let digit = |byte: &u8| b"\t\n\r".iter().position(|digit| digit == byte);
    let number = digits
        .iter()
        .try_fold(0, |number, byte| Some(number * 3 + digit(byte)?))?;
    texts.starts_with(b"\"\"").then_some(number)
}

/// Returns the position of the next byte below 0x20, which canonical bytes do not have. Eight bytes
/// are compared at a time.
fn place(bytes: &[u8], from: usize) -> Option<usize> {
    const LOW: u64 = u64::from_ne_bytes([PRINTED; 8]);
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);

    let rest = &bytes[from..];
    let (words, _) = rest.as_chunks::<8>();
    let free = words.iter().map(|word| u64::from_ne_bytes(*word));
    let free = free
        .take_while(|word| word.wrapping_sub(LOW) & !word & HIGH == 0)
        .count()
        * 8;

    rest[free..]
        .iter()
        .position(|byte| *byte < PRINTED)
        .map(|at| from + free + at)
}
