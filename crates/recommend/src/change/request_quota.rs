//! Request of a higher quota at AWS Service Quotas. AWS decides on it, in minutes or days.
//!
//! The request is made once: one that is open or granted already counts, so that a lost answer and
//! a restart of the service ask for nothing twice. AWS takes no request back, and a quota that is
//! higher changes nothing that runs.

use std::sync::Arc;

use reeve_audit::Json;
use reeve_estate::{ActError, ActErrorKind, Operation, PriceCatalogue, Resource, ResourceState};

use crate::change::task::Call;
use crate::change::{
    Change, ChangePermission, ChangeType, EffectEvidence, Expectation, ParameterError, Parameters,
    Parse, Reversal, Task, aws, foreign, precondition, refused, verify,
};

/// Row of the registry.
pub(super) const TYPE: ChangeType = ChangeType {
    name: "request_quota",
    permissions: PERMISSIONS,
    parse: Parse::Typed(parse),
};

/// Request of a higher quota in the account and region of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestQuota {
    /// State the finding saw.
    pub state: ResourceState,
    /// Service code of Service Quotas, such as `ec2`.
    pub service: String,
    /// Quota code, such as `L-1216C47A`.
    pub quota: String,
    /// Quota that the finding reckoned with, in the quota's unit.
    pub from: u32,
    /// Quota to request.
    pub to: u32,
}

/// Operation by which a quota is requested. Accepted once AWS has an open request for as much, or
/// the quota is as high.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuotaOperation {
    pub service: String,
    pub quota: String,
    /// Quota that the finding reckoned with. Another one is refused: the unit may be another, or
    /// the quota was changed since.
    pub from: u32,
    /// Quota to request.
    pub to: u32,
}

impl Operation for QuotaOperation {}

/// Permissions that the steps need.
const PERMISSIONS: &[ChangePermission] = &[
    aws("servicequotas:GetServiceQuota"),
    aws("servicequotas:ListRequestedServiceQuotaChangeHistoryByQuota"),
    aws("servicequotas:RequestServiceQuotaIncrease"),
];

fn parse(parameters: &mut Parameters<'_>) -> Result<Arc<dyn Change>, ParameterError> {
    Ok(Arc::new(RequestQuota {
        state: parameters.state("state")?,
        service: parameters.text("service")?,
        quota: parameters.text("quota")?,
        from: parameters.number("from")?,
        to: parameters.number("to")?,
    }))
}

impl Change for RequestQuota {
    fn name(&self) -> &'static str {
        TYPE.name
    }

    fn parameters(&self) -> Json {
        Json::object([
            ("state", Json::from(self.state.as_str())),
            ("service", Json::from(self.service.as_str())),
            ("quota", Json::from(self.quota.as_str())),
            ("from", Json::from(self.from)),
            ("to", Json::from(self.to)),
        ])
    }

    fn tasks(&self, target: &str) -> Vec<Task> {
        let RequestQuota {
            state,
            service,
            quota,
            from,
            to,
        } = self;
        let operation = QuotaOperation {
            service: service.clone(),
            quota: quota.clone(),
            from: *from,
            to: *to,
        };
        let words = format!("Request quota {quota} of {service} to be raised from {from} to {to}");

        vec![
            precondition(target, *state, None),
            Task::change(target, words, Call::of("the request", operation)),
            verify(
                target,
                &format!("is still {state}"),
                vec![Expectation::state(*state)],
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
        let Some(QuotaOperation { from, to, .. }) = operation.downcast_ref() else {
            return Err(foreign(operation));
        };

        if to <= from {
            return Err(refused(
                ActErrorKind::Other,
                "the requested quota is not higher",
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
