//! Run of a document of AWS Systems Manager on machines: what belongs into a cache, and how it gets
//! there, only the owner of an application knows, and a document is where AWS keeps that.
//!
//! Documents run as an administrator on the machines. Reeve therefore runs those alone whose names
//! begin with [`DOCUMENT_PREFIX`]: whoever may write such a document in the account has that power
//! already, and the policy that Reeve is given reaches no other.

use std::sync::Arc;

use reeve_audit::Json;
use reeve_estate::{ActError, ActErrorKind, Operation, PriceCatalogue, Resource, ResourceState};

use crate::change::task::Call;
use crate::change::{
    Change, ChangePermission, ChangeType, EffectEvidence, Expectation, ParameterError, Parameters,
    Parse, Reversal, Task, aws, aws_on, foreign, precondition, refused, verify,
};

/// Beginning of the names of documents that Reeve may run.
pub const DOCUMENT_PREFIX: &str = "reeve-";

/// Row of the registry.
pub(super) const TYPE: ChangeType = ChangeType {
    name: "run_document",
    permissions: PERMISSIONS,
    parse: Parse::Typed(parse),
};

/// Machines on which a document runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentTargets {
    /// The resource itself, a machine.
    Machine,
    /// The members of the resource, a scaling group.
    Members,
}

/// Run of a document on a machine or on the members of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunDocument {
    /// State the finding saw.
    pub state: ResourceState,
    /// Name of the document.
    pub document: String,
    /// `true` for the members of a group, `false` for a machine.
    pub members: bool,
    /// Occasion of the run, such as the hour of the expected peak. A document runs once on a
    /// resource for an occasion.
    pub occasion: String,
}

/// Operation by which a document is run. Pending while it runs, accepted once it succeeded on every
/// machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentOperation {
    /// Name of the document.
    pub document: String,
    /// Machines on which it runs.
    pub targets: DocumentTargets,
    /// Occasion of the run.
    pub occasion: String,
}

impl Operation for DocumentOperation {}

/// Permissions that the steps need.
const PERMISSIONS: &[ChangePermission] = &[
    aws("ssm:ListCommands"),
    aws_on(
        "ssm:SendCommand",
        &[
            "arn:aws:ssm:*:*:document/reeve-*",
            "arn:aws:ec2:*:*:instance/*",
        ],
    ),
];

fn parse(parameters: &mut Parameters<'_>) -> Result<Arc<dyn Change>, ParameterError> {
    Ok(Arc::new(RunDocument {
        state: parameters.state("state")?,
        document: parameters.text("document")?,
        members: parameters.boolean("members")?,
        occasion: parameters.text("occasion")?,
    }))
}

impl Change for RunDocument {
    fn name(&self) -> &'static str {
        TYPE.name
    }

    fn parameters(&self) -> Json {
        Json::object([
            ("state", Json::from(self.state.as_str())),
            ("document", Json::from(self.document.as_str())),
            ("members", Json::from(self.members)),
            ("occasion", Json::from(self.occasion.as_str())),
        ])
    }

    fn tasks(&self, target: &str) -> Vec<Task> {
        let (document, state) = (&self.document, self.state);
        let operation = DocumentOperation {
            document: document.clone(),
            targets: if self.members {
                DocumentTargets::Members
            } else {
                DocumentTargets::Machine
            },
            occasion: self.occasion.clone(),
        };
        let place = if self.members {
            format!("the members of {target}")
        } else {
            target.to_owned()
        };

        vec![
            precondition(target, state, None),
            Task::change(
                target,
                format!("Run the document {document} on {place}"),
                Call::of("the run", operation),
            ),
            verify(
                target,
                &format!("is still {state}"),
                vec![Expectation::state(state)],
            ),
        ]
    }

    fn changes_load(&self) -> bool {
        false
    }

    fn reversal(&self) -> Reversal {
        Reversal::NotNeeded
    }

    fn undo(&self, _: &Resource, _: &Resource) -> Option<Task> {
        None
    }

    fn simulate(
        &self,
        operation: &dyn Operation,
        _: &mut Resource,
        _: &PriceCatalogue,
    ) -> Result<(), ActError> {
        let Some(DocumentOperation { document, .. }) = operation.downcast_ref() else {
            return Err(foreign(operation));
        };

        if !document.starts_with(DOCUMENT_PREFIX) {
            return Err(refused(
                ActErrorKind::Denied,
                "Reeve runs documents whose names begin with reeve- alone",
            ));
        }
        Ok(())
    }

    fn effect_evidence(&self) -> EffectEvidence {
        EffectEvidence::State
    }

    fn may_take_capacity(&self) -> bool {
        false
    }

    fn retarget(&self, _: &dyn Fn(&str) -> Option<String>) -> Arc<dyn Change> {
        Arc::new(self.clone())
    }
}
