//! The two entries of one change: the intent, written before it is tried, and the outcome, written
//! once it is known.

use super::{ActionStatus, Entry, EntryChanges, EventId};
use crate::instant;

/// Longest reason of a failure that is kept, characters.
const REASON: usize = 500;

impl Entry {
    /// Returns the entry that announces this change: `pending`, under an id of its own.
    #[must_use]
    pub fn intent(&self) -> Entry {
        let mut intent = Entry {
            event_id: EventId::fresh(),
            ..self.clone()
        };
        intent.action.status = Some(ActionStatus::Pending);
        intent
    }

    /// Returns the entry that ends an intent, now: `success`, or `failed` with the reason and
    /// without the states before and after, since nothing changed. `metadata.intent` is the id of
    /// the intent.
    #[must_use]
    pub fn outcome(mut self, intent: &EventId, failure: Option<&str>) -> Entry {
        self.timestamp = instant::now();
        self.action.status = Some(ActionStatus::Success);
        self = self.with_metadata("intent", intent.as_str());

        if let Some(reason) = failure {
            self.action.status = Some(ActionStatus::Failed);
            self.changes = EntryChanges::default();
            self = self.with_metadata("reason", reason.chars().take(REASON).collect::<String>());
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ActionMethod, EventType, Json};

    #[test]
    fn an_intent_and_its_outcome() {
        let change = Entry::new(EventType::from_static("team.create"))
            .with_action("create_team", ActionStatus::Success, ActionMethod::Api)
            .after(Json::from("x"));
        let intent = change.intent();
        assert_eq!(intent.action.status, Some(ActionStatus::Pending));
        assert_ne!(intent.event_id, change.event_id);
        assert_eq!(intent.changes, change.changes);

        let done = change.clone().outcome(&intent.event_id, None);
        assert_eq!(
            (done.action.status, &done.changes),
            (Some(ActionStatus::Success), &change.changes)
        );

        let failed = change.outcome(&intent.event_id, Some("taken"));
        assert_eq!(
            (failed.action.status, failed.changes.is_empty()),
            (Some(ActionStatus::Failed), true)
        );
        assert_eq!(
            failed.metadata.extra.get("intent"),
            Some(&Json::from(intent.event_id.as_str()))
        );
        assert_eq!(
            failed.metadata.extra.get("reason"),
            Some(&Json::from("taken"))
        );
    }
}
