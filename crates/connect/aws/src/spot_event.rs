//! Events of EventBridge about spot capacity, as a queue delivers them. The form is of the EC2 user
//! guide ("Spot Instance interruption notices", "EC2 instance rebalance recommendations", "Instance
//! state changes").

use jiff::Timestamp;
use reeve_estate::ResourceId;
use reeve_recommend::judgement::spot::{NoticeKind, SpotNotice};
use serde_json::Value;

/// Detail types of events that are kept, with the member of the detail that tells more.
const KINDS: [(&str, NoticeKind, &str); 3] = [
    (
        "EC2 Spot Instance Interruption Warning",
        NoticeKind::Interruption,
        "instance-action",
    ),
    (
        "EC2 Instance Rebalance Recommendation",
        NoticeKind::Rebalance,
        "",
    ),
    (
        "EC2 Instance State-change Notification",
        NoticeKind::StateChange,
        "state",
    ),
];
/// Longest name of an event that is counted.
const LONGEST_NAME: usize = 120;

/// Message that is no notice.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoNotice {
    /// An event of another kind.
    #[error("an event of the kind {0:?}")]
    OtherEvent(String),
    /// No event, or one without what its kind must have.
    #[error("no event: {0}")]
    Unreadable(&'static str),
}

/// Reads the body of a message.
///
/// # Errors
/// It is an event of another kind, or none.
pub fn read_spot_event(body: &str, now: Timestamp) -> Result<SpotNotice, NoNotice> {
    let event: Value =
        serde_json::from_str(body).map_err(|_| NoNotice::Unreadable("it is not JSON"))?;
    let text = |name: &str| event.get(name).and_then(Value::as_str);
    let kind = text("detail-type").ok_or(NoNotice::Unreadable("it has no detail-type"))?;
    let row = KINDS.iter().find(|(name, ..)| *name == kind);
    let (Some((_, kind, more)), Some("aws.ec2")) = (row, text("source")) else {
        return Err(NoNotice::OtherEvent(
            kind.chars().take(LONGEST_NAME).collect(),
        ));
    };

    let detail = event.get("detail").unwrap_or(&Value::Null);
    let of_detail = |name: &str| detail.get(name).and_then(Value::as_str);
    let at = text("time").and_then(|time| time.parse().ok());
    let is_id = |id: &&str| {
        let tail = id.strip_prefix("i-");
        tail.is_some_and(|tail| !tail.is_empty() && tail.bytes().all(|b| b.is_ascii_hexdigit()))
    };
    Ok(SpotNotice {
        event: text("id")
            .filter(|id| !id.is_empty() && id.len() <= 128)
            .ok_or(NoNotice::Unreadable("it has no identifier"))?
            .to_owned(),
        kind: *kind,
        resource: of_detail("instance-id")
            .filter(is_id)
            .map(ResourceId::new)
            .ok_or(NoNotice::Unreadable("its detail names no instance"))?,
        at: at.ok_or(NoNotice::Unreadable("it has no time"))?,
        received_at: now,
        detail: of_detail(more).map(str::to_owned),
        life: None,
        group: None,
        successor: None,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;

    fn event(kind: &str, detail: &Value) -> String {
        json!({
            "version": "0", "id": "12345678-1234-1234-1234-123456789012", "detail-type": kind,
            "source": "aws.ec2", "account": "123456789012", "time": "2026-11-28T12:00:00Z",
            "region": "us-east-2", "resources": [], "detail": detail,
        })
        .to_string()
    }

    #[test]
    fn notices_are_read_and_other_events_named() {
        let own = json!({ "instance-id": "i-1234567890abcdef0", "instance-action": "terminate" });
        let now = Timestamp::UNIX_EPOCH;
        let read = |kind: &str, detail: &Value| read_spot_event(&event(kind, detail), now);
        let found = read("EC2 Spot Instance Interruption Warning", &own).unwrap();
        assert_eq!(
            (found.kind, found.detail.as_deref(), found.resource.as_str()),
            (
                NoticeKind::Interruption,
                Some("terminate"),
                "i-1234567890abcdef0"
            )
        );
        assert_eq!(
            read("EC2 Instance Rebalance Recommendation", &own)
                .unwrap()
                .kind,
            NoticeKind::Rebalance
        );

        let other = read("EBS Volume Notification", &own).unwrap_err();
        assert_eq!(
            other,
            NoNotice::OtherEvent("EBS Volume Notification".to_owned())
        );
        let odd = json!({ "instance-id": "i-1; drop" });
        assert!(matches!(
            read("EC2 Instance Rebalance Recommendation", &odd),
            Err(NoNotice::Unreadable(_))
        ));
        assert!(matches!(
            read_spot_event("{", now),
            Err(NoNotice::Unreadable(_))
        ));
    }
}
