//! A tag on a resource: its value is set, and set back or removed when undone. The resource serves
//! meanwhile.

use std::sync::Arc;

use reeve_audit::Json;
use reeve_estate::{ActError, Operation, PriceCatalogue, Resource, ResourceState};

use crate::change::{
    Change, ChangePermission, ChangeType, EffectEvidence, Expectation, ParameterError, Parameters,
    Parse, Reversal, Task, TaskReach, aws, foreign, precondition, verify,
};
use crate::plan::StepKind;

/// Row of the registry.
pub(super) const TYPE: ChangeType = ChangeType {
    name: "tag_resource",
    permissions: PERMISSIONS,
    parse: Parse::Typed(parse),
};

/// Permissions that the steps and the way back need.
const PERMISSIONS: &[ChangePermission] = &[aws("ec2:CreateTags"), aws("ec2:DeleteTags")];

/// Operation on one tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TagOperation {
    /// Gives it a value; the tag is made where there is none.
    Set {
        key: String,
        value: String,
    },
    Remove {
        key: String,
    },
}

impl Operation for TagOperation {}

/// Value of one tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagResource {
    /// State the finding saw.
    pub state: ResourceState,
    pub key: String,
    /// Value before; `None` where the resource had no such tag.
    pub from: Option<String>,
    pub to: String,
}

fn parse(parameters: &mut Parameters<'_>) -> Result<Arc<dyn Change>, ParameterError> {
    let (state, key) = (parameters.state("state")?, parameters.text("key")?);
    // Keys of the cloud's own cannot be set by anybody.
    if key.starts_with("aws:") {
        return Err(ParameterError::Wrong {
            name: "key".to_owned(),
            expected: "a key that does not begin with aws:",
        });
    }

    Ok(Arc::new(TagResource {
        state,
        key,
        from: parameters.text_or_null("from")?,
        to: parameters.text("to")?,
    }))
}

/// The tag in words, as both sides of a comparison.
fn words(key: &str, value: Option<&str>) -> String {
    value.map_or_else(|| format!("no {key}"), |value| format!("{key}={value}"))
}

fn tagged(key: &str, value: Option<&str>) -> Expectation {
    let key = key.to_owned();
    Expectation::new("tag", words(&key, value), move |resource| {
        Some(words(&key, resource.tag(&key)))
    })
}

fn step(target: &str, key: &str, value: Option<&str>) -> Task {
    let key = key.to_owned();
    let (description, operation) = match value {
        Some(value) => {
            let value = value.to_owned();
            (
                format!("Tag {target} with {key}={value}"),
                TagOperation::Set {
                    key: key.clone(),
                    value,
                },
            )
        }
        None => (
            format!("Remove the tag {key} of {target}"),
            TagOperation::Remove { key: key.clone() },
        ),
    };

    let expect = vec![tagged(&key, value)];
    let goal = TaskReach::by("the tag", operation, expect.clone());
    Task::of_kind(StepKind::Tag, target, description, goal).expecting(expect)
}

impl Change for TagResource {
    fn name(&self) -> &'static str {
        TYPE.name
    }

    fn parameters(&self) -> Json {
        Json::object([
            ("state", Json::from(self.state.as_str())),
            ("key", Json::from(self.key.as_str())),
            ("from", Json::from(self.from.clone())),
            ("to", Json::from(self.to.as_str())),
        ])
    }

    fn tasks(&self, target: &str) -> Vec<Task> {
        let mut check = precondition(target, self.state, None);
        check.expect.push(tagged(&self.key, self.from.as_deref()));
        let outcome = format!("has the tag {}={}", self.key, self.to);
        let done = vec![tagged(&self.key, Some(&self.to))];
        vec![
            check,
            step(target, &self.key, Some(&self.to)),
            verify(target, &outcome, done),
        ]
    }

    fn changes_load(&self) -> bool {
        false
    }

    fn reversal(&self) -> Reversal {
        Reversal::Inverse
    }

    fn undo(&self, prior: &Resource, seen: &Resource) -> Option<Task> {
        let before = prior.tag(&self.key);
        (seen.tag(&self.key) != before).then(|| step(seen.id.as_str(), &self.key, before))
    }

    fn simulate(
        &self,
        operation: &dyn Operation,
        twin: &mut Resource,
        _: &PriceCatalogue,
    ) -> Result<(), ActError> {
        match operation.downcast_ref() {
            Some(TagOperation::Set { key, value }) => {
                _ = twin.tags.insert(key.clone(), value.clone())
            }
            Some(TagOperation::Remove { key }) => _ = twin.tags.remove(key),
            None => return Err(foreign(operation)),
        }
        Ok(())
    }

    fn notes(&self, seen: &Resource) -> Vec<(&'static str, Option<String>)> {
        vec![("tag", Some(words(&self.key, seen.tag(&self.key))))]
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
