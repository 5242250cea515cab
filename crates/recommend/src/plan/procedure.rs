//! Subjects and plans of findings about one resource.

use reeve_estate::{Provider, Resource, ResourceKind};

use crate::change::{
    DeleteVolume, FailOver, RequestQuota, ResizeDatabase, ResizeMachine, RunDocument, StopDatabase,
    StopMachine,
};
use crate::guardrail::ownership::owned_by_code;
use crate::judgement::proposal::Proposal;
use crate::plan::Plan;
use crate::recommendation::{FactorKind, RecommendationSubject};

/// The subject of a proposal.
pub fn subject(resource: &Resource, target: Option<String>) -> RecommendationSubject {
    RecommendationSubject {
        connection: resource.connection.clone(),
        id: resource.id.clone(),
        name: resource.name.clone(),
        kind: resource.kind,
        provider: resource.provider,
        account: resource.account.clone(),
        region: resource.region.clone(),
        service: resource.service.clone(),
        instance_type: resource.specification.instance_type.clone(),
        target_type: target,
        managed_by_code: owned_by_code(resource).is_some(),
        aspect: None,
    }
}

/// Another size for a machine or a database.
#[must_use]
pub fn resize(resource: &Resource, from: &str, to: &str) -> Plan {
    let (state, from, to) = (resource.state, from.to_owned(), to.to_owned());
    match resource.kind {
        ResourceKind::Database => {
            Plan::new(&ResizeDatabase { state, from, to }, resource.id.as_str())
        }
        _ => Plan::new(&ResizeMachine { state, from, to }, resource.id.as_str()),
    }
}

/// The stop of something idle, which stays off.
#[must_use]
pub fn stop_idle(resource: &Resource, volumes: &[Resource]) -> Plan {
    let (state, size) = (resource.state, resource.specification.instance_type.clone());
    let volumes = volumes.iter().map(|volume| volume.id.0.clone()).collect();

    match resource.kind {
        ResourceKind::Database => Plan::new(&StopDatabase { state, size }, resource.id.as_str()),
        _ => Plan::new(
            &StopMachine {
                state,
                size,
                volumes,
            },
            resource.id.as_str(),
        ),
    }
}

/// The deletion of a volume that nothing is attached to, after a snapshot of it.
#[must_use]
pub fn delete_unattached(volume: &Resource) -> Plan {
    Plan::new(
        &DeleteVolume {
            state: volume.state,
        },
        volume.id.as_str(),
    )
}

/// The standby of a database takes over now.
#[must_use]
pub fn fail_over(database: &Resource, from: &str, to: &str) -> Plan {
    let change = FailOver {
        state: database.state,
        from: from.to_owned(),
        to: to.to_owned(),
    };
    Plan::new(&change, database.id.as_str())
}

/// A quota in the account and region of a resource is requested to be raised.
#[must_use]
pub fn request_quota(resource: &Resource, service: &str, code: &str, from: u32, to: u32) -> Plan {
    let change = RequestQuota {
        state: resource.state,
        service: service.to_owned(),
        quota: code.to_owned(),
        from,
        to,
    };
    Plan::new(&change, resource.id.as_str())
}

/// A document runs on a machine, or on the members of a group.
#[must_use]
pub fn run_document(resource: &Resource, document: &str, members: bool, occasion: &str) -> Plan {
    let change = RunDocument {
        state: resource.state,
        document: document.to_owned(),
        members,
        occasion: occasion.to_owned(),
    };
    Plan::new(&change, resource.id.as_str())
}

/// Says for which reason a finding has no plan.
#[must_use]
pub fn advice_only(reason: &str) -> String {
    format!("Advice only, no automatic change: {reason}")
}

/// Adds to a proposal the manual steps for a resource that infrastructure as code owns.
pub fn iac_note(proposal: &mut Proposal, tag: &str) {
    proposal.reason_codes.push("iac_managed".to_owned());
    let note = format!(
        "It is managed by infrastructure as code ({tag}): change it there, or the tool undoes it"
    );
    proposal
        .explanation
        .factors
        .add(FactorKind::Consequence, note);
}

/// Returns `true` if the cloud restarts the stopped database by itself after a week.
pub fn restarts_by_itself(resource: &Resource) -> bool {
    resource.kind == ResourceKind::Database && resource.provider == Provider::Aws
}
