//! Rules added to a bucket's lifecycle configuration. The rules that the bucket has stay as they
//! are, and the way back removes the added ones alone. What a rule deleted meanwhile does not come
//! back.

use std::sync::Arc;

use reeve_audit::Json;
use reeve_estate::{
    ActError, ActErrorKind, Lifecycle, Operation, PriceCatalogue, Resource, ResourceKind,
    ResourceState, named,
};

use crate::change::{
    Change, ChangePermission, ChangeType, EffectEvidence, Expectation, ParameterError, Parameters,
    Parse, Reversal, Task, TaskReach, aws, foreign, precondition, refused, verify,
};

/// Row of the registry.
pub(super) const TYPE: ChangeType = ChangeType {
    name: "put_bucket_lifecycle",
    permissions: PERMISSIONS,
    parse: Parse::Typed(parse),
};

/// Permissions that the steps and the way back need.
const PERMISSIONS: &[ChangePermission] = &[
    aws("s3:GetBucketTagging"),
    aws("s3:GetLifecycleConfiguration"),
    aws("s3:PutLifecycleConfiguration"),
];

named!(
    /// Storage class that a rule moves objects to.
    ColdClass {
        /// Read in milliseconds, retrieval charged.
        StandardIa => "STANDARD_IA",
        /// Read in milliseconds, cheaper storage and dearer retrieval.
        GlacierInstant => "GLACIER_IR",
        /// S3 moves each object between tiers as it is read.
        IntelligentTiering => "INTELLIGENT_TIERING",
    }
);

/// Objects that a rule moves, and the class that it moves them to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tiering {
    /// Days after the object was written.
    pub days: u32,
    pub class: ColdClass,
    /// Beginning of the keys; empty for all objects.
    pub prefix: String,
}

/// Rule that Reeve adds to a bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LifecycleRule {
    /// Uploads in parts that were not completed are aborted after days.
    AbortUploads {
        /// Days after the upload began.
        days: u32,
    },
    /// Versions that are no longer current are deleted after days.
    ExpireVersions {
        /// Days after another version became the current one.
        days: u32,
        /// Newest of them that stay however old they are.
        keep: u32,
    },
    /// Objects of at least 128 KiB are moved to another class.
    TierObjects(Tiering),
}

impl LifecycleRule {
    /// Identifier of the rule that moves objects.
    pub const TIER_ID: &'static str = "reeve-tier-objects";
    /// Identifiers of the rules that Reeve adds.
    pub const IDS: [&'static str; 3] = [
        "reeve-abort-uploads",
        "reeve-expire-versions",
        Self::TIER_ID,
    ];

    /// Identifier in the configuration.
    #[must_use]
    pub const fn id(&self) -> &'static str {
        match self {
            LifecycleRule::AbortUploads { .. } => Self::IDS[0],
            LifecycleRule::ExpireVersions { .. } => Self::IDS[1],
            LifecycleRule::TierObjects(_) => Self::TIER_ID,
        }
    }

    /// Returns the effect as a sentence.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            LifecycleRule::AbortUploads { days } => {
                format!("aborts incomplete uploads after {days} days")
            }
            LifecycleRule::ExpireVersions { days, keep: 0 } => {
                format!("deletes old versions after {days} days")
            }
            LifecycleRule::ExpireVersions { days, keep } => {
                format!("deletes old versions after {days} days, but for the {keep} newest")
            }
            LifecycleRule::TierObjects(Tiering {
                days,
                class,
                prefix,
            }) => {
                let scope = if prefix.is_empty() {
                    String::new()
                } else {
                    format!(" below {prefix}")
                };
                format!("moves objects of at least 128 KiB{scope} to {class} after {days} days")
            }
        }
    }
}

/// Operation on the rules of a bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LifecycleOperation {
    Add(LifecycleRule),
    /// Remove the rule of an identifier.
    Remove(&'static str),
}

impl Operation for LifecycleOperation {}

/// A rule more in a bucket's lifecycle configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PutBucketLifecycle {
    /// State the finding saw.
    pub state: ResourceState,
    /// Configuration the finding saw.
    pub from: Lifecycle,
    pub rule: LifecycleRule,
}

fn parse(parameters: &mut Parameters<'_>) -> Result<Arc<dyn Change>, ParameterError> {
    let state = parameters.state("state")?;
    let from = Lifecycle {
        fingerprint: parameters.text("from")?,
        own_rules: parameters.texts("own_rules")?,
    };

    if parameters.has("tier_objects_after_days") {
        let rule = LifecycleRule::TierObjects(Tiering {
            days: parameters.number("tier_objects_after_days")?,
            class: class(parameters.text("storage_class")?.as_str())?,
            prefix: parameters.text_or_null("prefix")?.unwrap_or_default(),
        });
        return Ok(Arc::new(PutBucketLifecycle { state, from, rule }));
    }

    let abort = parameters.number_or_null("abort_uploads_after_days")?;
    let expire = parameters.number_or_null("expire_versions_after_days")?;
    let keep = parameters.number("keep_versions")?;
    let rule = match (abort, expire) {
        (Some(days), None) => LifecycleRule::AbortUploads { days },
        (None, Some(days)) => LifecycleRule::ExpireVersions { days, keep },
        _ => {
            return Err(ParameterError::Wrong {
                name: "expire_versions_after_days".to_owned(),
                expected: "days of one rule: abort_uploads_after_days or expire_versions_after_days",
            });
        }
    };

    Ok(Arc::new(PutBucketLifecycle { state, from, rule }))
}

fn class(name: &str) -> Result<ColdClass, ParameterError> {
    let wrong = || ParameterError::Wrong {
        name: "storage_class".to_owned(),
        expected: "a storage class, such as STANDARD_IA",
    };
    ColdClass::parse(name).ok_or_else(wrong)
}

/// The rules of Reeve in order, `none` for none.
fn own(lifecycle: &Lifecycle) -> String {
    if lifecycle.own_rules.is_empty() {
        "none".to_owned()
    } else {
        lifecycle.own_rules.join(", ")
    }
}

fn has_own(wanted: &Lifecycle) -> Expectation {
    Expectation::new("rules of Reeve", own(wanted), |bucket| {
        bucket.specification.lifecycle.as_ref().map(own)
    })
}

fn has_configuration(wanted: &Lifecycle) -> Expectation {
    Expectation::new("lifecycle", wanted.fingerprint.clone(), |bucket| {
        bucket
            .specification
            .lifecycle
            .as_ref()
            .map(|lifecycle| lifecycle.fingerprint.clone())
    })
}

impl PutBucketLifecycle {
    /// The configuration as the change leaves it; its fingerprint is the simulated twin's.
    fn after(&self) -> Lifecycle {
        let mut own_rules = self.from.own_rules.clone();
        own_rules.push(self.rule.id().to_owned());
        own_rules.sort_unstable();
        own_rules.dedup();
        Lifecycle {
            fingerprint: format!("{} and {}", self.from.fingerprint, self.rule.id()),
            own_rules,
        }
    }
}

impl Change for PutBucketLifecycle {
    fn name(&self) -> &'static str {
        TYPE.name
    }

    fn parameters(&self) -> Json {
        let found = [
            ("state", Json::from(self.state.as_str())),
            ("from", Json::from(self.from.fingerprint.as_str())),
            ("own_rules", Json::from(self.from.own_rules.clone())),
        ];

        let (abort, expire, keep) = match &self.rule {
            LifecycleRule::AbortUploads { days } => (Some(*days), None, 0),
            LifecycleRule::ExpireVersions { days, keep } => (None, Some(*days), *keep),
            LifecycleRule::TierObjects(Tiering {
                days,
                class,
                prefix,
            }) => {
                let rule = [
                    ("tier_objects_after_days", Json::from(*days)),
                    ("storage_class", Json::from(class.as_str())),
                    (
                        "prefix",
                        Json::from(Some(prefix.clone()).filter(|prefix| !prefix.is_empty())),
                    ),
                ];
                return Json::object(found.into_iter().chain(rule));
            }
        };

        Json::object(found.into_iter().chain([
            ("abort_uploads_after_days", Json::from(abort)),
            ("expire_versions_after_days", Json::from(expire)),
            ("keep_versions", Json::from(keep)),
        ]))
    }

    fn tasks(&self, target: &str) -> Vec<Task> {
        let mut check = precondition(target, self.state, None);
        check.description = format!(
            "{} and its lifecycle rules are those of the finding",
            check.description
        );
        check.expect.push(has_configuration(&self.from));
        let done = vec![has_own(&self.after())];
        let goal = TaskReach::by(
            "the new rule",
            LifecycleOperation::Add(self.rule.clone()),
            done.clone(),
        );

        let words = format!(
            "Add to bucket {target} the lifecycle rule {}, which {}",
            self.rule.id(),
            self.rule.words()
        );

        vec![
            check,
            Task::change(target, words, goal).expecting(done.clone()),
            verify(target, "has the rule", done),
        ]
    }

    fn changes_load(&self) -> bool {
        false
    }

    fn reversal(&self) -> Reversal {
        match self.rule {
            LifecycleRule::AbortUploads { .. } => Reversal::Inverse,
            LifecycleRule::TierObjects(_) => Reversal::Impossible(
                "objects that the rule moved stay in their class, and each transition was charged; remove the rule in S3 to keep the \
                 others where they are",
            ),
            LifecycleRule::ExpireVersions { .. } => Reversal::Impossible(
                "the versions that the rule deletes do not come back; remove the rule in S3 to keep the others",
            ),
        }
    }

    fn undo(&self, _: &Resource, seen: &Resource) -> Option<Task> {
        let id = self.rule.id();
        let is_there = seen
            .specification
            .lifecycle
            .as_ref()?
            .own_rules
            .iter()
            .any(|own| own == id);

        let before = vec![has_own(&self.from)];
        let goal = TaskReach::by(
            "the removal of the rule",
            LifecycleOperation::Remove(id),
            before.clone(),
        );
        let words = format!("Remove the lifecycle rule {id} from bucket {}", seen.id);

        is_there.then(|| Task::change(seen.id.as_str(), words, goal).expecting(before))
    }

    fn as_found(&self, twin: &mut Resource) {
        twin.specification.lifecycle = Some(self.from.clone());
    }

    fn simulate(
        &self,
        operation: &dyn Operation,
        twin: &mut Resource,
        _: &PriceCatalogue,
    ) -> Result<(), ActError> {
        let Some(operation) = operation.downcast_ref::<LifecycleOperation>() else {
            return Err(foreign(operation));
        };

        if twin.kind != ResourceKind::Bucket {
            return Err(refused(
                ActErrorKind::InvalidType,
                format_args!("it is a {}", twin.kind),
            ));
        }

        twin.specification.lifecycle = Some(match operation {
            LifecycleOperation::Add(_) => self.after(),
            LifecycleOperation::Remove(_) => self.from.clone(),
        });
        Ok(())
    }

    fn notes(&self, seen: &Resource) -> Vec<(&'static str, Option<String>)> {
        let lifecycle = seen.specification.lifecycle.as_ref();
        vec![
            (
                "lifecycle",
                lifecycle.map(|lifecycle| lifecycle.fingerprint.clone()),
            ),
            ("lifecycle_rules", lifecycle.map(own)),
        ]
    }

    fn effect_evidence(&self) -> EffectEvidence {
        EffectEvidence::State
    }

    fn may_take_capacity(&self) -> bool {
        false
    }

    fn ends_cost(&self) -> bool {
        true
    }

    fn retarget(&self, _: &dyn Fn(&str) -> Option<String>) -> Arc<dyn Change> {
        Arc::new(self.clone())
    }
}
