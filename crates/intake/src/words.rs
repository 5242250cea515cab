//! Words of other systems for severities, outcomes and event types.

use reeve_audit::{ActionStatus, EventType, Severity};

/// Returns the severity that a word means.
pub(crate) fn severity(word: &str) -> Option<Severity> {
    let word = word.trim().to_ascii_lowercase();
    Some(match word.as_str() {
        "info" | "information" | "informational" | "debug" | "trace" | "verbose" | "default"
        | "unknown" => Severity::Info,
        "low" | "notice" => Severity::Low,
        "medium" | "moderate" | "warn" | "warning" => Severity::Medium,
        "high" | "major" | "error" | "err" => Severity::High,
        "critical" | "crit" | "fatal" | "alert" | "emerg" | "emergency" | "panic" => {
            Severity::Critical
        }
        _ => return None,
    })
}

/// Returns the outcome that a word means.
pub(crate) fn status(word: &str) -> Option<ActionStatus> {
    let word = word.trim().to_ascii_lowercase();
    Some(match word.as_str() {
        "success" | "succeeded" | "successful" | "ok" | "allow" | "allowed" | "accept"
        | "accepted" | "true" | "pass" | "passed" | "completed" => ActionStatus::Success,
        "fail" | "failed" | "failure" | "error" | "false" | "invalid" => ActionStatus::Failed,
        "deny" | "denied" | "forbid" | "forbidden" | "block" | "blocked" | "reject"
        | "rejected" | "unauthorized" => ActionStatus::Denied,
        "pending" | "started" | "start" | "in_progress" | "challenge" => ActionStatus::Pending,
        _ => return None,
    })
}

/// Returns a name as an event type: lower case, other characters as `_`. One of a single part, and
/// one that only Reeve writes, gets the prefix before it.
pub(crate) fn event_type(prefix: &str, name: &str) -> Option<String> {
    let parts: Vec<String> = name
        .split(['.', '/', ':'])
        .map(clean)
        .filter(|part| !part.is_empty())
        .collect();
    let plain = parts.join(".");
    let is_own = |name: &str| EventType::new(name).is_ok_and(|found| !found.is_reserved());
    if parts.len() > 1 && is_own(&plain) {
        return Some(plain);
    }
    let name = format!("{prefix}.{plain}");
    is_own(&name).then_some(name)
}

fn clean(part: &str) -> String {
    let cleaned: String = part
        .trim()
        .chars()
        .map(|c| c.to_ascii_lowercase())
        .map(|c| {
            if c.is_ascii_lowercase() || c.is_ascii_digit() {
                c
            } else {
                '_'
            }
        })
        .collect();
    cleaned.trim_matches('_').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_event_types_that_are_not_reeves() {
        for (name, expected) in [
            ("user.session.start", Some("user.session.start")),
            ("User Login", Some("x.user_login")),
            ("audit.search", Some("x.audit.search")),
            (
                "Microsoft.Compute/virtualMachines/write",
                Some("microsoft.compute.virtualmachines.write"),
            ),
            ("...", None),
        ] {
            assert_eq!(event_type("x", name).as_deref(), expected, "{name}");
        }
    }
}
