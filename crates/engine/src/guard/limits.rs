//! Changing the guardrails, throwing the kill switch, resetting the breaker: policy, and recorded
//! as such.

use std::sync::Arc;

use reeve_audit::{ActionStatus, FieldCode, FieldError, Json, ResourceRef, Severity};
use reeve_estate::EstateStore;
use reeve_recommend::approval::matrix::ApprovalMatrix;
use reeve_recommend::caller::Caller;
use reeve_recommend::change::ChangeRegistry;
use reeve_recommend::error::EngineError;
use reeve_recommend::guardrail::Guardrails;
use reeve_recommend::guardrail::change_control::ChangeControl;

use crate::log_entry;
use crate::records::{Records, needed, optional};

/// Guardrails: read, changed, and asked before anything begins.
pub struct GuardrailService {
    pub(crate) records: Arc<Records>,
    pub(crate) estate: Arc<dyn EstateStore>,
    /// Changes by name: limits are asked of what a plan does.
    pub(crate) changes: Arc<ChangeRegistry>,
    /// Guardrails are read and replaced by one at a time. It is held for a moment only, so that the
    /// kill switch never waits.
    policy: tokio::sync::Mutex<()>,
}

impl GuardrailService {
    /// Creates the service over the engine's records, the inventory and the changes that plans
    /// name.
    #[must_use]
    pub fn new(
        records: Arc<Records>,
        estate: Arc<dyn EstateStore>,
        changes: ChangeRegistry,
    ) -> Self {
        GuardrailService {
            records,
            estate,
            changes: Arc::new(changes),
            policy: tokio::sync::Mutex::new(()),
        }
    }

    /// The guardrails.
    ///
    /// # Errors
    /// The store failed.
    pub async fn guardrails_get(&self) -> Result<Guardrails, EngineError> {
        Ok(self.records.agents.guardrails_get().await?)
    }

    /// Replaces the limits. `wanted.version` is the version that was read. The kill switch and the
    /// breaker's reset keep their values: they have calls of their own.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] with every failing field; a conflict if they changed since they
    /// were read.
    pub async fn guardrails_put(
        &self,
        wanted: Guardrails,
        caller: &Caller,
    ) -> Result<Guardrails, EngineError> {
        self.guardrails_put_for(wanted, None, caller).await
    }

    /// Changes the limits for a reason, which the log keeps.
    ///
    /// # Errors
    /// The errors of [`Self::guardrails_put`].
    pub async fn guardrails_put_for(
        &self,
        wanted: Guardrails,
        reason: Option<&str>,
        caller: &Caller,
    ) -> Result<Guardrails, EngineError> {
        let reason = optional("reason", reason)?;
        let errors = invalid_fields(&wanted);
        if !errors.is_empty() {
            return Err(EngineError::Invalid(errors));
        }

        let _policy = self.policy.lock().await;
        let before = self.records.agents.guardrails_get().await?;

        if wanted.version != before.version {
            let message = format!(
                "the guardrails were changed by someone else (version {} is stored, you sent {}); reload them",
                before.version, wanted.version
            );
            return Err(EngineError::Conflict(message));
        }

        let (kill_switch, breaker_reset_at) = (before.kill_switch, before.breaker_reset_at);
        let after = Guardrails {
            kill_switch,
            breaker_reset_at,
            version: before.version + 1,
            ..wanted
        };

        self.guardrails_write("guardrails.put", before, after, reason, caller)
            .await
    }

    /// Stops everything, or lets it continue. Nothing new begins while it is on; what runs stops
    /// within a second and goes back to where it was.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] without a reason.
    pub async fn kill_switch(
        &self,
        on: bool,
        reason: &str,
        caller: &Caller,
    ) -> Result<Guardrails, EngineError> {
        let reason = needed("reason", reason)?;
        let operation = if on {
            "kill_switch.on"
        } else {
            "kill_switch.off"
        };

        let _policy = self.policy.lock().await;
        for _ in 0..5 {
            let before = self.records.agents.guardrails_get().await?;
            let after = Guardrails {
                kill_switch: on,
                version: before.version + 1,
                ..before.clone()
            };
            match self
                .guardrails_write(operation, before, after, Some(reason.clone()), caller)
                .await
            {
                // Another process changed the limits in this moment; that must not keep the switch
                // from being thrown.
                Err(EngineError::Conflict(_)) => {}
                other => return other,
            }
        }

        Err(EngineError::Conflict(
            "another user is changing the guardrails; try again".to_owned(),
        ))
    }

    /// Lets actions begin again after the circuit breaker opened.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] without a reason.
    pub async fn breaker_reset(
        &self,
        reason: &str,
        caller: &Caller,
    ) -> Result<Guardrails, EngineError> {
        let reason = needed("reason", reason)?;
        let _policy = self.policy.lock().await;
        let before = self.records.agents.guardrails_get().await?;
        let now = self.records.clock.now();
        let after = Guardrails {
            breaker_reset_at: Some(now),
            version: before.version + 1,
            ..before.clone()
        };

        self.guardrails_write("breaker.reset", before, after, Some(reason), caller)
            .await
    }

    async fn guardrails_write(
        &self,
        operation: &str,
        before: Guardrails,
        after: Guardrails,
        reason: Option<String>,
        caller: &Caller,
    ) -> Result<Guardrails, EngineError> {
        let mut entry =
            log_entry::entry(log_entry::POLICY, operation, ActionStatus::Success, caller)
                .on(ResourceRef::new("guardrails", "guardrails"))
                .with_severity(Severity::Medium)
                .before(log_entry::limits(&before))
                .after(log_entry::limits(&after));

        if let Some(reason) = reason {
            entry = entry.with_metadata("reason", reason);
        }

        let loosened = loosened(&before, &after);
        if !loosened.is_empty() {
            entry = entry.with_metadata("loosened", Json::from(loosened));
        }

        self.records
            .change(entry, self.records.agents.guardrails_put(&after))
            .await?;
        Ok(after)
    }
}

/// Returns the names of limits that allow more than before, for the entry: a rule cannot compare
/// numbers before with those after.
fn loosened(before: &Guardrails, after: &Guardrails) -> Vec<String> {
    let checks = [
        (
            "cost_impact.max_increase",
            after.max_cost_increase_percent > before.max_cost_increase_percent,
        ),
        (
            "cost_impact.max_decrease",
            after.max_cost_decrease_percent > before.max_cost_decrease_percent,
        ),
        (
            "performance_impact.max_degradation",
            after.max_degradation_percent > before.max_degradation_percent,
        ),
        (
            "availability.min_uptime",
            after.min_uptime_percent < before.min_uptime_percent,
        ),
        (
            "rollback.automatic",
            before.rollback_automatic && !after.rollback_automatic,
        ),
        (
            "verification.window_s",
            after.verification_window_s < before.verification_window_s,
        ),
        (
            "blast_radius.max_actions_per_run",
            after.max_actions_per_run > before.max_actions_per_run,
        ),
        (
            "blast_radius.max_actions_per_day",
            after.max_actions_per_day > before.max_actions_per_day,
        ),
        (
            "blast_radius.max_share_per_day",
            after.max_share_per_day_percent > before.max_share_per_day_percent,
        ),
        (
            "blast_radius.rollout_from",
            after.rollout_from > before.rollout_from,
        ),
        ("cool_down_s", after.cool_down_s < before.cool_down_s),
        (
            "breaker_failures",
            after.breaker_failures > before.breaker_failures,
        ),
        (
            "approval_matrix.medium_from",
            after.approval_matrix.medium_from_usd > before.approval_matrix.medium_from_usd,
        ),
        (
            "approval_matrix.high_above",
            after.approval_matrix.high_above_usd > before.approval_matrix.high_above_usd,
        ),
        (
            "approval_matrix.low_impact",
            after.approval_matrix.low.len() < before.approval_matrix.low.len(),
        ),
        (
            "approval_matrix.medium_impact",
            after.approval_matrix.medium.len() < before.approval_matrix.medium.len(),
        ),
        (
            "approval_matrix.high_impact",
            after.approval_matrix.high.len() < before.approval_matrix.high.len(),
        ),
        (
            "change_control.freezes",
            after.change_control.freezes.len() < before.change_control.freezes.len(),
        ),
    ];
    checks
        .into_iter()
        .filter(|(_, is_looser)| *is_looser)
        .map(|(name, _)| name.to_owned())
        .collect()
}

fn invalid_fields(guardrails: &Guardrails) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut check = |field: &str, holds: bool, message: &str| {
        if !holds {
            errors.push(FieldError::new(field, FieldCode::InvalidValue, message));
        }
    };

    let between =
        |value: f64, low: f64, high: f64| value.is_finite() && (low..=high).contains(&value);
    let increase = between(guardrails.max_cost_increase_percent, 0.0, 10_000.0);
    check(
        "cost_impact.max_increase",
        increase,
        "must be a percentage from 0% to 10000%",
    );

    check(
        "cost_impact.max_decrease",
        between(guardrails.max_cost_decrease_percent, 0.0, 100.0),
        "must be a percentage from 0% to 100%",
    );

    let degradation = between(guardrails.max_degradation_percent, 0.0, 100.0);
    check(
        "performance_impact.max_degradation",
        degradation,
        "must be a percentage from 0% to 100%",
    );

    check(
        "availability.min_uptime",
        between(guardrails.min_uptime_percent, 0.0, 100.0),
        "must be a percentage from 0% to 100%",
    );

    check(
        "rollback.timeout",
        (10..=86_400).contains(&guardrails.rollback_timeout_s),
        "must be from 10s to 24h",
    );

    check(
        "verification.window",
        guardrails.verification_window_s <= 30 * 86_400,
        "must be at most 30d",
    );

    check(
        "blast_radius.max_actions_per_run",
        guardrails.max_actions_per_run <= 1000,
        "must be at most 1000",
    );

    check(
        "blast_radius.max_actions_per_day",
        guardrails.max_actions_per_day <= 100_000,
        "must be at most 100000",
    );

    let share = between(guardrails.max_share_per_day_percent, 0.0, 100.0);
    check(
        "blast_radius.max_share_per_day",
        share,
        "must be a percentage from 0% to 100%",
    );

    check(
        "cool_down",
        guardrails.cool_down_s <= 365 * 86_400,
        "must be at most 365d",
    );
    invalid_control_fields(&guardrails.change_control, &mut check);
    invalid_matrix_fields(&guardrails.approval_matrix, &mut check);
    check(
        "breaker_failures",
        (1..=100).contains(&guardrails.breaker_failures),
        "must be from 1 to 100",
    );

    errors
}

fn invalid_matrix_fields(matrix: &ApprovalMatrix, check: &mut impl FnMut(&str, bool, &str)) {
    let amount = |usd: f64| usd.is_finite() && (0.0..=1e9).contains(&usd);
    let (from, above) = (matrix.medium_from_usd, matrix.high_above_usd);
    check(
        "approval_matrix.medium_from",
        amount(from),
        "must be an amount from 0 to 1000000000",
    );

    let ordered = amount(above) && above >= from;
    check(
        "approval_matrix.high_above",
        ordered,
        "must be an amount of at least `medium_from`",
    );

    let signed = !matrix.high.is_empty();
    check(
        "approval_matrix.high_impact.approval",
        signed,
        "high impact needs at least one signature",
    );
}

/// Largest number of windows or freezes in a policy; evaluation is linear in it.
const MOST: usize = 200;

fn invalid_control_fields(control: &ChangeControl, check: &mut impl FnMut(&str, bool, &str)) {
    let name = |name: &str| {
        (1..=200).contains(&name.chars().count()) && !name.chars().any(char::is_control)
    };

    check(
        "change_control.maintenance_windows",
        control.windows.len() <= MOST,
        "at most 200 windows are taken",
    );

    check(
        "change_control.freezes",
        control.freezes.len() <= MOST,
        "at most 200 freezes are taken",
    );

    for (at, window) in control.windows.iter().enumerate().take(MOST) {
        let path = |field: &str| format!("change_control.maintenance_windows[{at}].{field}");
        check(
            &path("name"),
            name(&window.name),
            "must have 1 to 200 characters",
        );
        let minutes = (1..=24 * 60).contains(&window.duration_minutes);
        check(
            &path("duration_minutes"),
            minutes,
            "must be from 1 to 1440 minutes",
        );
    }

    for (at, freeze) in control.freezes.iter().enumerate().take(MOST) {
        let path = |field: &str| format!("change_control.freezes[{at}].{field}");
        check(
            &path("name"),
            name(&freeze.name),
            "must have 1 to 200 characters",
        );
        check(
            &path("until"),
            freeze.from < freeze.until,
            "must be after `from`",
        );
    }
}
