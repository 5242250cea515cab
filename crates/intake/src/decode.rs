//! Compressed bodies: gzip and Zstandard, with a bound on what they expand to.

use std::io::Read;

/// Bytes that a body may have after it is decompressed.
pub const MAX_EXPANDED_BYTES: usize = 64 << 20;

/// Reason why a body cannot be decompressed.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// The encoding is not known.
    #[error("Content-Encoding {0} is not supported; send gzip, zstd or no encoding")]
    Unsupported(String),
    /// The body expands to more than is read.
    #[error("the body expands to more than {MAX_EXPANDED_BYTES} bytes; send it in parts")]
    TooLarge,
    /// The bytes are not of the encoding.
    #[error("the body is not {encoding}: {source}")]
    Broken {
        encoding: &'static str,
        #[source]
        source: std::io::Error,
    },
}

/// Decompresses a body by the name of its `Content-Encoding`.
///
/// # Errors
/// The encoding is not known, the bytes are not of it, or they expand to too much.
pub fn decode(encoding: Option<&str>, body: &[u8]) -> Result<Option<Vec<u8>>, DecodeError> {
    let name = encoding.unwrap_or_default().trim().to_ascii_lowercase();
    match name.as_str() {
        "" | "identity" => Ok(None),
        "gzip" | "x-gzip" => bounded("gzip", flate2::read::MultiGzDecoder::new(body)).map(Some),
        "zstd" => {
            let broken = |source| DecodeError::Broken {
                encoding: "zstd",
                source,
            };
            let decoder = zstd::stream::read::Decoder::with_buffer(body).map_err(broken)?;
            bounded("zstd", decoder).map(Some)
        }
        _ => Err(DecodeError::Unsupported(name)),
    }
}

fn bounded(encoding: &'static str, decoder: impl Read) -> Result<Vec<u8>, DecodeError> {
    let mut expanded = Vec::new();
    decoder
        .take(MAX_EXPANDED_BYTES as u64 + 1)
        .read_to_end(&mut expanded)
        .map_err(|source| DecodeError::Broken { encoding, source })?;
    if expanded.len() > MAX_EXPANDED_BYTES {
        return Err(DecodeError::TooLarge);
    }
    Ok(expanded)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::io::Write as _;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn bodies_are_expanded_within_the_bound() {
        assert_eq!(
            decode(Some("gzip"), &gzip(b"hello")).unwrap().unwrap(),
            b"hello"
        );
        let zstd = zstd::encode_all(&b"hello"[..], 1).unwrap();
        assert_eq!(decode(Some("zstd"), &zstd).unwrap().unwrap(), b"hello");
        assert_eq!(decode(None, b"hello").unwrap(), None);

        let bomb = gzip(&vec![0; MAX_EXPANDED_BYTES + 1]);
        assert!(bomb.len() < 1 << 20);
        assert!(matches!(
            decode(Some("gzip"), &bomb),
            Err(DecodeError::TooLarge)
        ));
        assert!(matches!(
            decode(Some("gzip"), b"hello"),
            Err(DecodeError::Broken { .. })
        ));
        assert!(matches!(
            decode(Some("br"), b""),
            Err(DecodeError::Unsupported(_))
        ));
    }
}
