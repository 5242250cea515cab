//! Change control, asked with the guardrails: freezes, infrastructure as code, direction,
//! maintenance windows.

use reeve_recommend::guardrail::change_control::{ChangeControl, Direction, IacRule, Until};
use reeve_recommend::guardrail::{GuardrailBlock, GuardrailName};

use crate::guard::{GuardRequest, block};

/// Says no by the first rule that does. Limit and value are hours until a change may begin, where
/// time decides.
pub(super) fn check(
    control: &ChangeControl,
    asked: &GuardRequest<'_>,
) -> Result<(), GuardrailBlock> {
    if let Some(freeze) = control.frozen(&asked.place, asked.now) {
        let message = format!("change freeze {:?} lasts until {}", freeze.name, freeze.at);
        return Err(block(
            GuardrailName::ChangeFreeze,
            0.0,
            hours_until(&freeze, asked),
            message,
        ));
    }

    code_owned(control, asked)?;
    direction(control, asked)?;
    let interrupts = asked
        .recommendation
        .plan
        .as_ref()
        .is_some_and(|plan| plan.restart_needed);

    match control
        .closed(&asked.place, asked.now)
        .filter(|_| interrupts && !asked.emergency)
    {
        None => Ok(()),
        Some(window) => {
            let message = format!(
                "it interrupts the resource, and maintenance window {:?} opens at {}; schedule it for then",
                window.name, window.at
            );
            Err(block(
                GuardrailName::MaintenanceWindow,
                0.0,
                hours_until(&window, asked),
                message,
            ))
        }
    }
}

fn hours_until(until: &Until, asked: &GuardRequest<'_>) -> f64 {
    until.at.duration_since(asked.now).as_secs_f64() / 3600.0
}

fn code_owned(control: &ChangeControl, asked: &GuardRequest<'_>) -> Result<(), GuardrailBlock> {
    let owned = asked.recommendation.subject.managed_by_code;
    if !owned || (control.infrastructure_as_code == IacRule::Allow && !asked.automatic) {
        return Ok(());
    }

    let message = "the resource is managed by infrastructure as code, which would undo the change; apply the patch there instead";
    Err(block(
        GuardrailName::InfrastructureAsCode,
        0.0,
        1.0,
        message.to_owned(),
    ))
}

fn direction(control: &ChangeControl, asked: &GuardRequest<'_>) -> Result<(), GuardrailBlock> {
    let Some(percent) = asked.recommendation.impact.cost_percent else {
        return Ok(());
    };

    let (way, refused) = match control.direction_of(&asked.place) {
        Direction::Both => return Ok(()),
        Direction::UpOnly => ("up", percent < 0.0),
        Direction::DownOnly => ("down", percent > 0.0),
    };

    if !refused {
        return Ok(());
    }

    let message =
        format!("capacity may only go {way} here, and this changes its cost by {percent:+.1} %");
    Err(block(GuardrailName::Direction, 0.0, percent, message))
}
