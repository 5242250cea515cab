//! Making and removing exclusions. What is open and excluded is dismissed with the exclusion's
//! reason.

use jiff::Timestamp;
use reeve_audit::{ActionStatus, Entry, FieldCode, FieldError, Json, ResourceRef};
use reeve_recommend::approval::ApprovalStatus;
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::ports::RecommendationFilter;
use reeve_recommend::recommendation::exclusion::{Exclusion, ExclusionId};
use reeve_recommend::recommendation::lifecycle::Status;
use reeve_recommend::recommendation::{Closing, RecommendationType};

use crate::answer::RecommendationService;
use crate::log_entry;
use crate::records::{fresh_id, needed};

/// An exclusion as given.
#[derive(Debug, Clone, Default)]
pub struct ExclusionInput {
    /// The provider's identifier of a resource; `None` is all.
    pub resource: Option<String>,
    /// An account; `None` is all.
    pub account: Option<String>,
    /// A kind of recommendation; `None` is all.
    pub kind: Option<String>,
    /// Part of resources, such as a check; `None` is all.
    pub aspect: Option<String>,
    /// Reason of the exclusion.
    pub reason: String,
    /// End of the exclusion.
    pub until: Option<Timestamp>,
}

impl RecommendationService {
    /// Makes an exclusion, and dismisses what waits and is covered by it. What runs continues.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] with every failing field.
    pub async fn exclude(
        &self,
        input: ExclusionInput,
        caller: &Caller,
    ) -> Result<Exclusion, EngineError> {
        let now = self.records.clock.now();
        let exclusion = Exclusion {
            id: ExclusionId(fresh_id()),
            kind: kind(&input, now)?,
            resource: input.resource,
            account: input.account,
            aspect: input.aspect,
            reason: needed("reason", &input.reason)?,
            until: input.until,
            by: caller.name.clone(),
            at: now,
        };

        let _turn = self.records.turn.lock().await;
        let entry =
            exclusion_entry("exclusion.create", &exclusion, caller).after(described(&exclusion));
        self.records
            .change(entry, self.records.agents.exclusion_insert(&exclusion))
            .await?;
        let reason = format!("excluded: {}", exclusion.reason);
        let filter = RecommendationFilter {
            is_open: true,
            resource: exclusion.resource.clone(),
            kind: exclusion.kind,
            ..RecommendationFilter::default()
        };
        let (open, _) = self.records.agents.recommendation_list(&filter).await?;

        let waits =
            |status: Status| status.may_become(Status::Dismissed) && status != Status::Testing;
        for recommendation in open.iter().filter(|recommendation| {
            waits(recommendation.status)
                && exclusion.covers(&recommendation.subject, recommendation.kind)
        }) {
            self.records
                .close_approvals(recommendation, ApprovalStatus::Rejected, &reason, caller)
                .await?;
            let (dismissed, excluded) = (Status::Dismissed, Some(Closing::Excluded));
            self.records
                .close_at(
                    &recommendation.id,
                    "recommendation.dismiss",
                    dismissed,
                    excluded,
                    Some(&reason),
                    caller,
                )
                .await?;
        }

        Ok(exclusion)
    }

    /// Removes an exclusion; what it covered may be found again at the next run.
    ///
    /// # Errors
    /// [`EngineError::NotFound`].
    pub async fn include(&self, id: &ExclusionId, caller: &Caller) -> Result<(), EngineError> {
        let all = self.records.agents.exclusion_list().await?;
        let Some(exclusion) = all.into_iter().find(|exclusion| exclusion.id == *id) else {
            return Err(EngineError::NotFound {
                what: "exclusion",
                id: id.0.clone(),
            });
        };

        let entry =
            exclusion_entry("exclusion.delete", &exclusion, caller).before(described(&exclusion));
        self.records
            .change(entry, self.records.agents.exclusion_delete(id))
            .await
    }
}

fn kind(input: &ExclusionInput, now: Timestamp) -> Result<Option<RecommendationType>, EngineError> {
    let mut errors = Vec::new();
    let mut wrong =
        |field: &str, code, message: String| errors.push(FieldError::new(field, code, message));

    let parts = [&input.resource, &input.account, &input.kind, &input.aspect];
    if parts.iter().all(|part| part.is_none()) {
        wrong(
            "resource",
            FieldCode::MissingField,
            "name a resource, an account, a type or an aspect: everything cannot be excluded"
                .into(),
        );
    }

    for (field, text) in [
        ("resource", &input.resource),
        ("account", &input.account),
        ("aspect", &input.aspect),
    ] {
        if text
            .as_ref()
            .is_some_and(|text| text.trim().is_empty() || text.len() > 1024)
        {
            wrong(
                field,
                FieldCode::InvalidValue,
                "must have 1 to 1024 bytes".to_owned(),
            );
        }
    }

    if input.until.is_some_and(|until| until <= now) {
        wrong(
            "until",
            FieldCode::InvalidValue,
            "must lie ahead".to_owned(),
        );
    }

    let kind = input.kind.as_deref().map(RecommendationType::parse);
    if kind == Some(None) {
        let names: Vec<&str> = RecommendationType::ALL
            .iter()
            .map(|kind| kind.as_str())
            .collect();
        wrong(
            "type",
            FieldCode::InvalidValue,
            format!("must be one of {}", names.join(", ")),
        );
    }

    if errors.is_empty() {
        Ok(kind.flatten())
    } else {
        Err(EngineError::Invalid(errors))
    }
}

pub(super) fn exclusion_entry(operation: &str, exclusion: &Exclusion, caller: &Caller) -> Entry {
    log_entry::entry(log_entry::POLICY, operation, ActionStatus::Success, caller)
        .on(ResourceRef::new("exclusion", exclusion.id.0.clone()))
        .with_metadata("reason", exclusion.reason.clone())
}

pub(super) fn described(exclusion: &Exclusion) -> Json {
    Json::object([
        ("resource", Json::from(exclusion.resource.clone())),
        ("account", Json::from(exclusion.account.clone())),
        (
            "type",
            Json::from(exclusion.kind.map(|kind| kind.as_str().to_owned())),
        ),
        ("aspect", Json::from(exclusion.aspect.clone())),
        (
            "until",
            Json::from(exclusion.until.map(|until| until.to_string())),
        ),
    ])
}
