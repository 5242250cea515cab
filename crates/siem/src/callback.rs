//! Call that closes an alert at its sender: an address, a method and a body with placeholders.

use reeve_audit::{FieldCode, FieldError};
use reeve_estate::named;
use serde::{Deserialize, Serialize};

/// Longest address and body, in bytes.
const MAX_URL: usize = 2_048;
const MAX_BODY: usize = 8_192;
/// Placeholder of the sender's identifier.
const ID: &str = "{id}";
/// Placeholder of the reason of the person who closes.
const COMMENT: &str = "{comment}";

named!(
    /// HTTP method of a call that closes an alert.
    CallbackMethod {
        Post => "POST",
        Put => "PUT",
        Patch => "PATCH",
    }
);

/// Form of the call that closes an alert at its sender.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CloseCallback {
    pub method: CallbackMethod,
    /// Address; `{id}` stands for the sender's identifier.
    pub url: String,
    /// Body; `{id}` and `{comment}` are replaced. A body that begins with `{` is JSON, any other a
    /// form.
    pub body: String,
}

/// The call for one alert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallbackRequest {
    pub method: CallbackMethod,
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl CloseCallback {
    pub(crate) fn check(&self) -> Result<(), FieldError> {
        let invalid = |field: &str, message: String| {
            Err(FieldError::new(field, FieldCode::InvalidValue, message))
        };
        if self.url.len() > MAX_URL {
            return invalid("callback.url", format!("must have at most {MAX_URL} bytes"));
        }
        if self.body.len() > MAX_BODY {
            return invalid(
                "callback.body",
                format!("must have at most {MAX_BODY} bytes"),
            );
        }

        let host = self.url.split("://").nth(1).unwrap_or_default();
        let host = host.split(['/', '?', '#']).next().unwrap_or_default();
        if host.contains(['{', '}']) {
            let message = "must not have a placeholder in its host".to_owned();
            return invalid("callback.url", message);
        }
        if !self.url.contains(ID) && !self.body.contains(ID) {
            let message = format!("must contain {ID}, or the body must");
            return invalid("callback.url", message);
        }
        Ok(())
    }

    /// Returns the address with a harmless identifier, for the judgement of its host.
    #[must_use]
    pub fn sample_url(&self) -> String {
        self.url.replace(ID, "1").replace(COMMENT, "1")
    }

    /// Returns the call for an alert. Values are encoded for the place that they stand in, so that
    /// no identifier can change the address or the structure of the body.
    #[must_use]
    pub fn request(
        &self,
        sender_id: &str,
        comment: &str,
        credentials: Option<&str>,
    ) -> CallbackRequest {
        let is_json = self.body.trim_start().starts_with('{');
        let in_body = if is_json { json_text } else { percent };
        let content = if is_json {
            "application/json"
        } else {
            "application/x-www-form-urlencoded"
        };

        // Kibana refuses calls without its header; other servers pass over it.
        let mut headers = vec![
            ("content-type".to_owned(), content.to_owned()),
            ("kbn-xsrf".to_owned(), "reeve".to_owned()),
        ];
        headers.extend(credentials.map(|value| ("authorization".to_owned(), value.to_owned())));

        CallbackRequest {
            method: self.method,
            url: filled(&self.url, &percent(sender_id), &percent(comment)),
            headers,
            body: filled(&self.body, &in_body(sender_id), &in_body(comment)),
        }
    }
}

/// Replaces the placeholders in one pass: a value that looks like a placeholder stays as it is.
fn filled(template: &str, id: &str, comment: &str) -> String {
    let parts = template
        .split(ID)
        .map(|part| part.replace(COMMENT, comment));
    parts.collect::<Vec<_>>().join(id)
}

fn percent(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

fn json_text(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn callback(url: &str, body: &str) -> CloseCallback {
        CloseCallback {
            method: CallbackMethod::Post,
            url: url.to_owned(),
            body: body.to_owned(),
        }
    }

    #[test]
    fn values_are_encoded_for_their_place() {
        let json = callback(
            "https://siem.example/alerts/{id}/close",
            r#"{"ids":["{id}"],"comment":"{comment}"}"#,
        );
        let request = json.request("a/../b\"", "said {id} \"no\"", Some("ApiKey k"));
        assert_eq!(
            request.url,
            "https://siem.example/alerts/a%2F..%2Fb%22/close"
        );
        let body: serde_json::Value = serde_json::from_str(&request.body).unwrap();
        assert_eq!(body["ids"][0], "a/../b\"");
        assert_eq!(body["comment"], "said {id} \"no\"");
        assert!(
            request
                .headers
                .contains(&("authorization".to_owned(), "ApiKey k".to_owned()))
        );

        let form = callback("https://siem.example/update", "ruleUIDs={id}&status=5");
        assert_eq!(
            form.request("x&status=1", "", None).body,
            "ruleUIDs=x%26status%3D1&status=5"
        );
    }

    #[test]
    fn a_placeholder_does_not_choose_the_host() {
        for (url, body) in [
            ("https://{id}.example/", ""),
            ("https://siem.example/close", "status=5"),
        ] {
            assert!(callback(url, body).check().is_err(), "{url}");
        }
        assert!(callback("https://siem.example/{id}", "").check().is_ok());
    }
}
