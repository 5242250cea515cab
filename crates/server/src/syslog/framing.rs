//! Frames of syslog over TCP: octet counting and lines (RFC 6587, sections 3.4.1 and 3.4.2).

use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _};

/// Bytes of a frame that are kept. A longer one is cut there, which the reader of lines refuses.
pub(super) const MAX_FRAME: usize = (64 << 10) + 1;
/// Digits of a length at most.
const MAX_DIGITS: usize = 9;

/// Reads the next frame; `None` at the end of the stream.
///
/// # Errors
/// The connection broke, or a length is none.
pub(super) async fn next<R: AsyncBufRead + Unpin>(
    input: &mut R,
) -> std::io::Result<Option<Vec<u8>>> {
    loop {
        let Some(first) = input.fill_buf().await?.first().copied() else {
            return Ok(None);
        };
        match first {
            b'\n' | b'\r' | 0 => input.consume(1),
            b'1'..=b'9' => return counted(input).await.map(Some),
            _ => return line(input).await.map(Some),
        }
    }
}

async fn counted<R: AsyncBufRead + Unpin>(input: &mut R) -> std::io::Result<Vec<u8>> {
    let mut length = 0_u64;
    for _ in 0..=MAX_DIGITS {
        match input.read_u8().await? {
            b' ' => {
                let kept = length.min(MAX_FRAME as u64);
                let mut frame = Vec::new();
                let read = (&mut *input).take(kept).read_to_end(&mut frame).await?;
                if (read as u64) < kept {
                    return Err(std::io::ErrorKind::UnexpectedEof.into());
                }
                let mut rest = (&mut *input).take(length - kept);
                tokio::io::copy(&mut rest, &mut tokio::io::sink()).await?;
                return Ok(frame);
            }
            digit @ b'0'..=b'9' => length = length * 10 + u64::from(digit - b'0'),
            _ => break,
        }
    }
    let message = "a frame begins with a digit and has no length";
    Err(std::io::Error::new(
        std::io::ErrorKind::InvalidData,
        message,
    ))
}

async fn line<R: AsyncBufRead + Unpin>(input: &mut R) -> std::io::Result<Vec<u8>> {
    let mut frame = Vec::new();
    loop {
        let chunk = input.fill_buf().await?;
        if chunk.is_empty() {
            return Ok(frame);
        }
        let end = chunk.iter().position(|byte| matches!(byte, b'\n' | 0));
        let part = &chunk[..end.unwrap_or(chunk.len())];
        let room = MAX_FRAME - frame.len();
        frame.extend_from_slice(&part[..part.len().min(room)]);
        let used = end.map_or(chunk.len(), |end| end + 1);
        input.consume(used);
        if end.is_some() {
            return Ok(frame);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use tokio::io::BufReader;

    use super::*;

    async fn frames(bytes: &[u8], capacity: usize) -> Vec<String> {
        let mut input = BufReader::with_capacity(capacity, bytes);
        let mut found = Vec::new();
        while let Ok(Some(frame)) = next(&mut input).await {
            found.push(String::from_utf8(frame).unwrap());
        }
        found
    }

    #[tokio::test]
    async fn both_framings_are_read_in_pieces_of_any_size() {
        for capacity in [1, 2, 7, 100] {
            let lines = frames(b"<1>a\n<2>b\r\n\n<3>c", capacity).await;
            assert_eq!(lines, ["<1>a", "<2>b\r", "<3>c"]);
            let counted = frames(b"5 <1>\na4 <2>b\n6 <3>", capacity).await;
            assert_eq!(counted, ["<1>\na", "<2>b"]);
        }
        assert!(frames(b"12x", 8).await.is_empty());
    }

    #[tokio::test]
    async fn a_long_frame_is_cut_and_the_next_one_is_whole() {
        let long = "x".repeat(3 * MAX_FRAME);
        for text in [
            format!("<1>{long}\n<2>b\n"),
            format!("{} <1>{long}4 <2>b", long.len() + 3),
        ] {
            let found = frames(text.as_bytes(), 100).await;
            assert_eq!((found[0].len(), found[1].as_str()), (MAX_FRAME, "<2>b"));
        }
    }
}
