//! Numbers and texts as bytes: LEB128 for numbers, zigzag for signed ones, texts with their length
//! before them.

use super::StateError;

pub(super) fn put_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    bytes.push(number.to_le_bytes()[0]);
}

pub(super) fn put_signed(bytes: &mut Vec<u8>, number: i64) {
    put_number(bytes, ((number << 1) ^ (number >> 63)).cast_unsigned());
}

pub(super) fn put_text(bytes: &mut Vec<u8>, text: &str) {
    put_number(bytes, text.len() as u64);
    bytes.extend_from_slice(text.as_bytes());
}

/// Reads what the functions of this module have written.
pub(super) struct Bytes<'b> {
    rest: &'b [u8],
    /// Name of what is read, for errors.
    what: &'static str,
}

impl<'b> Bytes<'b> {
    /// Begins after the version, which must be known.
    pub(super) fn new(
        bytes: &'b [u8],
        version: u8,
        what: &'static str,
    ) -> Result<Self, StateError> {
        match bytes.split_first() {
            Some((found, rest)) if *found == version => Ok(Bytes { rest, what }),
            Some((found, _)) if *found > version => Err(StateError::Newer(u32::from(*found))),
            _ => Err(StateError::Malformed(what)),
        }
    }

    pub(super) fn malformed(&self) -> StateError {
        StateError::Malformed(self.what)
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn byte(&mut self) -> Result<u8, StateError> {
        let (first, rest) = self
            .rest
            .split_first()
            .ok_or(StateError::Malformed(self.what))?;
        self.rest = rest;
        Ok(*first)
    }

    pub(super) fn number(&mut self) -> Result<u64, StateError> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(self.malformed())
    }

    pub(super) fn size(&mut self) -> Result<usize, StateError> {
        usize::try_from(self.number()?).map_err(|_| self.malformed())
    }

    pub(super) fn signed(&mut self) -> Result<i64, StateError> {
        let number = self.number()?;
        Ok((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }

    pub(super) fn text(&mut self) -> Result<String, StateError> {
        let length = self.size()?;
        let (text, rest) = self
            .rest
            .split_at_checked(length)
            .ok_or(StateError::Malformed(self.what))?;
        self.rest = rest;
        String::from_utf8(text.to_vec()).map_err(|_| self.malformed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let mut bytes = vec![7];
        let numbers = [0, 1, 127, 128, u64::MAX];
        let signed = [0, -1, 1, i64::MIN, i64::MAX];
        numbers
            .iter()
            .for_each(|number| put_number(&mut bytes, *number));
        signed
            .iter()
            .for_each(|number| put_signed(&mut bytes, *number));
        put_text(&mut bytes, "é");
        let mut read = Bytes::new(&bytes, 7, "a test").unwrap();
        assert_eq!(numbers.map(|_| read.number().unwrap()), numbers);
        assert_eq!(signed.map(|_| read.signed().unwrap()), signed);
        assert_eq!(read.text().unwrap(), "é");
        assert!(read.is_empty() && read.byte().is_err());
        assert!(matches!(
            Bytes::new(&bytes, 6, "a test"),
            Err(StateError::Newer(7))
        ));
        assert!(matches!(
            Bytes::new(&[], 6, "a test"),
            Err(StateError::Malformed("a test"))
        ));

        // A length beyond the end, and a number that does not end.
        assert!(
            Bytes::new(&[7, 200, 1, 0], 7, "a test")
                .unwrap()
                .text()
                .is_err()
        );

        assert!(
            Bytes::new(&[7_u8; 20].map(|byte| byte | 0x80), 0x87, "a test")
                .unwrap()
                .number()
                .is_err()
        );
    }
}
