//! Result of one delivery attempt.

use reeve_notify::delivery::EXCERPT;

/// An answer, or why there was none. Neither carries a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NotifyOutcome {
    pub(crate) ok: bool,
    pub(crate) gone: bool,
    pub(crate) status: Option<u16>,
    pub(crate) answer: String,
    pub(crate) error: Option<String>,
    /// Seconds that the service asked to wait (`Retry-After`).
    pub(crate) retry_after_s: Option<u64>,
}

impl NotifyOutcome {
    pub(crate) fn answered(ok: bool, status: Option<u16>, answer: &str) -> NotifyOutcome {
        let answer = answer
            .chars()
            .filter(|c| !c.is_control())
            .take(EXCERPT / 4)
            .collect();
        NotifyOutcome {
            ok,
            gone: false,
            status,
            answer,
            error: None,
            retry_after_s: None,
        }
    }

    /// Result of an attempt without a response.
    pub(crate) fn failed(error: impl std::fmt::Display) -> NotifyOutcome {
        let error = Some(error.to_string());
        NotifyOutcome {
            ok: false,
            gone: false,
            status: None,
            answer: String::new(),
            error,
            retry_after_s: None,
        }
    }

    /// Trying again will not help.
    pub(crate) fn for_good(self) -> NotifyOutcome {
        NotifyOutcome { gone: true, ..self }
    }
}

/// At most so many characters, with a sign that something was cut.
pub(crate) fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(most.saturating_sub(1)).collect();
    short.push('\u{2026}');
    short
}
