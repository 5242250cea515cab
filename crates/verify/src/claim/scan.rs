//! The quick way through canonical bytes: one pass that recognises RFC 8785 form and picks the
//! columns' values out, without a tree and without copies. It accepts less than the strict reader
//! does: what it does not recognise (numbers with a fraction, names beyond ASCII, escapes in a
//! column's value) is left to that, and so is everything wrong.

use reeve_audit::query::QueryColumn;

use super::ClaimFields;

/// Nesting that is left to the strict reader.
const MAX_DEPTH: usize = 32;

/// Object of an entry, as far as its members are columns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Top,
    Actor,
    Resource,
    Action,
    Metadata,
    Submitter,
    Other,
}

/// Meaning of a member's name.
enum Member {
    Column(QueryColumn),
    Section(Section),
    SubmitterType,
}

/// The columns' values, or `None` where the strict reader must look.
pub(super) fn scan(canonical: &[u8]) -> Option<ClaimFields<'_>> {
    if is_plain(canonical) {
        return Scanner::<true>::whole(canonical);
    }
    std::str::from_utf8(canonical).ok()?;
    Scanner::<false>::whole(canonical)
}

/// Returns `true` if all bytes are ASCII without backslashes and control characters, as in nearly
/// every entry, so that strings need no check of their own. Free of branches, so that the compiler
/// vectorises it.
fn is_plain(bytes: &[u8]) -> bool {
    let odd = |byte: u8| u8::from(byte.wrapping_sub(0x20) >= 0x60) | u8::from(byte == b'\\');
    bytes.iter().fold(0, |found, byte| found | odd(*byte)) == 0
}

/// `PLAIN`: the bytes are known to be [`is_plain`].
struct Scanner<'a, const PLAIN: bool> {
    bytes: &'a [u8],
    at: usize,
    fields: ClaimFields<'a>,
}

impl<'a, const PLAIN: bool> Scanner<'a, PLAIN> {
    fn whole(bytes: &'a [u8]) -> Option<ClaimFields<'a>> {
        let mut scanner = Self {
            bytes,
            at: 0,
            fields: ClaimFields::default(),
        };
        scanner.object(Section::Top, 1)?;
        (scanner.at == bytes.len()).then_some(scanner.fields)
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    #[inline]
    fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn object(&mut self, section: Section, depth: usize) -> Option<()> {
        if depth > MAX_DEPTH {
            return None;
        }

        self.take(b'{')?;
        if self.peek()? == b'}' {
            self.at += 1;
            return Some(());
        }

        let mut before: Option<&'a [u8]> = None;
        loop {
            let name = self.plain()?;
            // Among ASCII names the order of UTF-16 units is that of bytes; strictly ascending, so
            // none is there twice.
            if !(PLAIN || name.is_ascii()) || before.is_some_and(|before| !ascends(before, name)) {
                return None;
            }
            before = Some(name);
            self.take(b':')?;
            self.member(section, name, depth)?;
            match self.peek()? {
                b',' => self.at += 1,
                b'}' => break self.at += 1,
                _ => return None,
            }
        }

        Some(())
    }

    #[inline]
    fn member(&mut self, section: Section, name: &[u8], depth: usize) -> Option<()> {
        match member(section, name) {
            Some(Member::Column(column)) if self.peek()? == b'"' => {
                let text = self.plain()?;
                self.fields.set(column, text);
                Some(())
            }
            Some(Member::SubmitterType) if self.peek()? == b'"' => {
                self.fields.submitter = Some(self.plain()?);
                Some(())
            }
            Some(Member::Section(section)) if self.peek()? == b'{' => {
                self.object(section, depth + 1)
            }
            _ => self.value(depth),
        }
    }

    fn value(&mut self, depth: usize) -> Option<()> {
        match self.peek()? {
            b'"' => self.string(),
            b'{' => self.object(Section::Other, depth + 1),
            b'[' => self.array(depth + 1),
            b't' => self.word(b"true"),
            b'f' => self.word(b"false"),
            b'n' => self.word(b"null"),
            _ => self.number(),
        }
    }

    fn word(&mut self, word: &[u8]) -> Option<()> {
        self.bytes[self.at..]
            .starts_with(word)
            .then(|| self.at += word.len())
    }

    fn array(&mut self, depth: usize) -> Option<()> {
        if depth > MAX_DEPTH {
            return None;
        }

        self.take(b'[')?;
        if self.peek()? == b']' {
            self.at += 1;
            return Some(());
        }

        loop {
            self.value(depth)?;
            match self.peek()? {
                b',' => self.at += 1,
                b']' => break self.at += 1,
                _ => return None,
            }
        }

        Some(())
    }

    /// An integer of at most 15 digits, which every double holds and RFC 8785 writes as it is.
    fn number(&mut self) -> Option<()> {
        let negative = self.peek()? == b'-';
        let start = self.at + usize::from(negative);
        let digits = self
            .bytes
            .get(start..)?
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();

        let first = *self.bytes.get(start)?;
        let plain = match first {
            b'0' => digits == 1 && !negative,
            _ => (1..=15).contains(&digits),
        };
        self.at = start + digits;

        (plain && !matches!(self.peek(), Some(b'.' | b'e' | b'E'))).then_some(())
    }

    /// A string without escapes.
    #[inline]
    fn plain(&mut self) -> Option<&'a [u8]> {
        self.take(b'"')?;
        let start = self.at;
        self.run();
        let text = &self.bytes[start..self.at];
        self.take(b'"')?;
        Some(text)
    }

    /// Moves to the next quote, backslash or control character, eight bytes at a time.
    #[inline]
    fn run(&mut self) {
        const ONES: u64 = 0x0101_0101_0101_0101;
        const TOPS: u64 = 0x8080_8080_8080_8080;

        let zero = |word: u64| word.wrapping_sub(ONES) & !word & TOPS;
        while let Some(chunk) = self.bytes[self.at..].first_chunk::<8>() {
            let word = u64::from_le_bytes(*chunk);
            let quote = zero(word ^ (ONES * u64::from(b'"')));
            let escape = zero(word ^ (ONES * u64::from(b'\\')));
            let control = word.wrapping_sub(ONES * 0x20) & !word & TOPS;
            let stop = if PLAIN {
                quote
            } else {
                quote | escape | control
            };
            if stop != 0 {
                // The lowest byte found is exact; borrows make only those above it doubtful.
                self.at += stop.trailing_zeros() as usize / 8;
                return;
            }
            self.at += 8;
        }

        let rest = self.bytes[self.at..].iter();
        self.at += rest
            .take_while(|byte| **byte >= 0x20 && **byte != b'"' && **byte != b'\\')
            .count();
    }

    /// A string, its escapes in the one spelling each character has.
    fn string(&mut self) -> Option<()> {
        self.take(b'"')?;
        loop {
            self.run();
            match self.peek()? {
                b'"' => {
                    self.at += 1;
                    return Some(());
                }
                b'\\' => self.escape()?,
                _ => return None,
            }
        }
    }

    fn escape(&mut self) -> Option<()> {
        match *self.bytes.get(self.at + 1)? {
            b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't' => self.at += 2,
            b'u' => {
                let [
                    b'0',
                    b'0',
                    high @ (b'0' | b'1'),
                    low @ (b'0'..=b'9' | b'a'..=b'f'),
                ] = *self.bytes.get(self.at + 2..)?.first_chunk::<4>()?
                else {
                    return None;
                };
                if high == b'0' && matches!(low, b'8' | b'9' | b'a' | b'c' | b'd') {
                    return None;
                }
                self.at += 6;
            }
            _ => return None,
        }
        Some(())
    }
}

/// Returns `true` if the second name sorts after the first; mostly the first letters decide.
#[inline]
fn ascends(before: &[u8], name: &[u8]) -> bool {
    match (before.first(), name.first()) {
        (Some(first), Some(second)) if first != second => first < second,
        _ => before < name,
    }
}

fn member(section: Section, name: &[u8]) -> Option<Member> {
    use Member::Column as C;
    use Member::Section as S;

    Some(match (section, name) {
        (Section::Top, b"action") => S(Section::Action),
        (Section::Top, b"actor") => S(Section::Actor),
        (Section::Top, b"event_id") => C(QueryColumn::EventId),
        (Section::Top, b"event_type") => C(QueryColumn::EventType),
        (Section::Top, b"metadata") => S(Section::Metadata),
        (Section::Top, b"recorded_at") => C(QueryColumn::RecordedAt),
        (Section::Top, b"resource") => S(Section::Resource),
        (Section::Top, b"severity") => C(QueryColumn::Severity),
        (Section::Top, b"submitted_by") => S(Section::Submitter),
        (Section::Top, b"timestamp") => C(QueryColumn::Timestamp),
        (Section::Actor, b"email") => C(QueryColumn::ActorEmail),
        (Section::Actor, b"id") => C(QueryColumn::ActorId),
        (Section::Actor, b"ip_address") => C(QueryColumn::ActorIpAddress),
        (Section::Actor, b"session_id") => C(QueryColumn::ActorSessionId),
        (Section::Actor, b"type") => C(QueryColumn::ActorType),
        (Section::Actor, b"user_agent") => C(QueryColumn::ActorUserAgent),
        (Section::Resource, b"account_id") => C(QueryColumn::ResourceAccountId),
        (Section::Resource, b"cloud_provider") => C(QueryColumn::ResourceCloudProvider),
        (Section::Resource, b"id") => C(QueryColumn::ResourceId),
        (Section::Resource, b"region") => C(QueryColumn::ResourceRegion),
        (Section::Resource, b"type") => C(QueryColumn::ResourceType),
        (Section::Action, b"method") => C(QueryColumn::ActionMethod),
        (Section::Action, b"operation") => C(QueryColumn::ActionOperation),
        (Section::Action, b"status") => C(QueryColumn::ActionStatus),
        (Section::Metadata, b"request_id") => C(QueryColumn::RequestId),
        (Section::Submitter, b"type") => Member::SubmitterType,
        _ => return None,
    })
}
