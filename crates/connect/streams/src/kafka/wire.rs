//! Primitive values of Kafka's protocol (<https://kafka.apache.org/protocol#protocol_types>), in the
//! versions of messages before "flexible" ones: lengths are of fixed size.

/// Message that ends too early, or has a length that cannot be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the broker's answer cannot be read")]
pub(super) struct Malformed;

/// Bytes of a request.
#[derive(Debug, Default)]
pub(super) struct Encoder(pub(super) Vec<u8>);

impl Encoder {
    pub(super) fn i8(&mut self, value: i8) {
        self.0.extend_from_slice(&value.to_be_bytes());
    }

    pub(super) fn i16(&mut self, value: i16) {
        self.0.extend_from_slice(&value.to_be_bytes());
    }

    pub(super) fn i32(&mut self, value: i32) {
        self.0.extend_from_slice(&value.to_be_bytes());
    }

    pub(super) fn i64(&mut self, value: i64) {
        self.0.extend_from_slice(&value.to_be_bytes());
    }

    /// Writes a text: at most 32,767 bytes, which every caller's bounds are far below.
    pub(super) fn text(&mut self, text: &str) {
        self.i16(i16::try_from(text.len()).unwrap_or(i16::MAX));
        self.0.extend_from_slice(text.as_bytes());
    }

    pub(super) fn no_text(&mut self) {
        self.i16(-1);
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.0.extend_from_slice(bytes);
    }

    /// Writes the length of a list or of bytes.
    pub(super) fn count(&mut self, count: usize) {
        self.i32(i32::try_from(count).unwrap_or(i32::MAX));
    }

    /// Writes a number as a zigzag varint, as records have them.
    pub(super) fn varint(&mut self, value: i64) {
        let mut rest = ((value << 1) ^ (value >> 63)).cast_unsigned();
        while rest >= 0x80 {
            self.0.push((rest & 0x7f) as u8 | 0x80);
            rest >>= 7;
        }
        self.0.push(rest as u8);
    }

    /// Writes bytes after their length as a varint.
    pub(super) fn varint_bytes(&mut self, bytes: &[u8]) {
        self.varint(i64::try_from(bytes.len()).unwrap_or(i64::MAX));
        self.0.extend_from_slice(bytes);
    }
}

/// Reader of an answer. Nothing is reserved for a length that the answer does not have.
#[derive(Debug)]
pub(super) struct Decoder<'a>(pub(super) &'a [u8]);

impl<'a> Decoder<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Malformed)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        self.take(N)?.try_into().map_err(|_| Malformed)
    }

    pub(super) fn bool(&mut self) -> Result<bool, Malformed> {
        Ok(self.array::<1>()? != [0])
    }

    pub(super) fn i16(&mut self) -> Result<i16, Malformed> {
        self.array().map(i16::from_be_bytes)
    }

    pub(super) fn i32(&mut self) -> Result<i32, Malformed> {
        self.array().map(i32::from_be_bytes)
    }

    pub(super) fn i64(&mut self) -> Result<i64, Malformed> {
        self.array().map(i64::from_be_bytes)
    }

    /// Reads a text; `None` for null.
    pub(super) fn text(&mut self) -> Result<Option<String>, Malformed> {
        match self.i16()? {
            -1 => Ok(None),
            length => {
                let length = usize::try_from(length).map_err(|_| Malformed)?;
                let text = String::from_utf8_lossy(self.take(length)?);
                Ok(Some(text.into_owned()))
            }
        }
    }

    pub(super) fn bytes(&mut self) -> Result<&'a [u8], Malformed> {
        match self.i32()? {
            -1 => Ok(&[]),
            length => self.take(usize::try_from(length).map_err(|_| Malformed)?),
        }
    }

    /// Reads a list; null is an empty one.
    pub(super) fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T, Malformed>,
    ) -> Result<Vec<T>, Malformed> {
        let count = self.i32()?;
        (0..count).map(|_| item(self)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_are_those_of_the_protocol() {
        let cases: [(i64, &[u8]); 6] = [
            (0, &[0]),
            (-1, &[1]),
            (1, &[2]),
            (63, &[126]),
            (64, &[128, 1]),
            (300, &[216, 4]),
        ];
        for (value, expected) in cases {
            let mut encoder = Encoder::default();
            encoder.varint(value);
            assert_eq!(encoder.0, expected, "{value}");
        }
    }

    #[test]
    fn lengths_that_the_answer_does_not_have_are_refused() {
        let long = [0x7f, 0xff, 0xff, 0xff, 1];
        assert_eq!(Decoder(&long).bytes(), Err(Malformed));
        assert_eq!(Decoder(&long).list(Decoder::i32), Err(Malformed));
        assert_eq!(Decoder(&[0xff, 0xfe]).text(), Err(Malformed));
        assert_eq!(Decoder(&[0xff, 0xff]).text(), Ok(None));
    }
}
