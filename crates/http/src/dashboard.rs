//! The dashboard's files, embedded in the program. Paths that are no file and no API answer with
//! the page itself, which routes on its own.

use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[folder = "../../web/dist"]
#[allow_missing = true]
struct Files;

/// One of the dashboard's files; where the browser takes Brotli and the build has compressed the
/// file, as it was compressed.
pub(crate) async fn file(uri: Uri, asked: HeaderMap) -> Response {
    let path = uri.path().trim_start_matches('/');
    let (path, file) = match Files::get(path) {
        Some(file) if !path.is_empty() => (path, file),
        _ if path.starts_with("assets/") => {
            return (StatusCode::NOT_FOUND, "no such file\n").into_response();
        }
        _ => match Files::get("index.html") {
            Some(file) => ("index.html", file),
            None => {
                return (
                    StatusCode::NOT_FOUND,
                    "the dashboard is not built into this program\n",
                )
                    .into_response();
            }
        },
    };

    let kind = mime_guess::from_path(path).first_or_octet_stream();
    let cache = if path.starts_with("assets/") {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };

    let compressed = takes_brotli(&asked)
        .then(|| Files::get(&format!("{path}.br")))
        .flatten();
    let encoded = compressed.is_some();
    let mut response = compressed.unwrap_or(file).data.into_response();
    let headers = response.headers_mut();
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if encoded {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("br"));
    }
    if let Ok(kind) = HeaderValue::from_str(kind.as_ref()) {
        headers.insert(header::CONTENT_TYPE, kind);
    }

    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    response
}

/// Returns `true` if the client accepts Brotli; a weight of 0 refuses it.
fn takes_brotli(asked: &HeaderMap) -> bool {
    let accepted = asked
        .get_all(header::ACCEPT_ENCODING)
        .iter()
        .filter_map(|value| value.to_str().ok());
    accepted.flat_map(|value| value.split(',')).any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let refused = |part: &str| {
            part.strip_prefix("q=")
                .and_then(|weight| weight.parse().ok())
                == Some(0.0)
        };
        parts.next() == Some("br") && !parts.any(refused)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(accept: &str, expected: bool) {
        let asked = HeaderMap::from_iter([(
            header::ACCEPT_ENCODING,
            HeaderValue::from_str(accept).unwrap(),
        )]);
        assert_eq!(takes_brotli(&asked), expected, "{accept}");
    }

    #[test]
    fn brotli_is_sent_to_those_who_take_it() {
        check("gzip, deflate, br, zstd", true);
        check("br;q=0.5", true);
        check("br;q=0", false);
        check("gzip, br; q=0.0", false);
        check("gzip", false);
        check("brotli", false);
    }
}
