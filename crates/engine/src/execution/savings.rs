//! Savings of a change, measured: first at the prices on which it was predicted, then by the bill
//! once it covers a whole day.
//!
//! A saving stands until the resource leaves the state that the change put it in (Amazon RDS starts
//! a stopped database again after seven days), or until a newer change of the same kind replaces
//! it. Without that, an idle database that is stopped each week would be counted as four full
//! months of saving in one month.

use std::collections::HashSet;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use reeve_audit::{ActionStatus, Json};
use reeve_estate::{Money, PriceCatalogue, Purchase, Resource, ResourceState};
use reeve_recommend::action::{Action, SavingEnd, Watch, WatchVerdict};
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;
use reeve_recommend::recommendation::{Recommendation, SavingsBasis};

use crate::execution::ExecutionService;
use crate::execution::succession::Succession;
use crate::execution::watching::difference;
use crate::log_entry;

mod billed;

/// Standing savings are reviewed this often, and after each verdict.
const EVERY: SignedDuration = SignedDuration::from_hours(1);
/// Standing savings that are read at a time.
const PAGE: u64 = 500;
/// A cost within this share of the list price counts as the list price.
const AT_LIST: f64 = 0.005;

impl ExecutionService {
    /// Ends savings that did not last, and measures those that a bill covers by now. Returns how
    /// many changed.
    pub(crate) async fn review_savings(
        self: &Arc<Self>,
        at_once: bool,
        caller: &Caller,
    ) -> Result<u64, EngineError> {
        let now = self.records.clock.now();
        if !at_once
            && self
                .savings_reviewed_at
                .lock()
                .is_some_and(|last| now.duration_since(last) < EVERY)
        {
            return Ok(0);
        }

        let (mut before, mut changed, mut newest) = (None, 0, HashSet::new());
        loop {
            let page = self.records.agents.standing_savings(before, PAGE).await?;
            let Some((last, _)) = page.last() else { break };
            before = Some((last.updated_at, last.id.clone()));
            for (recommendation, action) in page {
                let subject = &recommendation.subject;
                // The newest comes first: what follows it on the same resource was replaced by it.
                let key = (
                    subject.connection.clone(),
                    subject.id.clone(),
                    recommendation.kind,
                );
                let is_newest = newest.insert(key);
                let Some(action) = action else { continue };
                match self
                    .review(recommendation, action, is_newest, now, caller)
                    .await
                {
                    Ok(one) => changed += u64::from(one),
                    // Somebody undid it meanwhile.
                    Err(EngineError::Conflict(_)) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        *self.savings_reviewed_at.lock() = Some(now);

        Ok(changed)
    }

    async fn review(
        &self,
        recommendation: Recommendation,
        action: Action,
        is_newest: bool,
        now: Timestamp,
        caller: &Caller,
    ) -> Result<bool, EngineError> {
        let Some(watch) = action.watch.clone() else {
            return Ok(false);
        };

        // One under observation has its own verdict to come, and one that was overruled saves
        // nothing.
        if matches!(
            watch.verdict,
            WatchVerdict::Watching | WatchVerdict::Overruled
        ) {
            return Ok(false);
        }

        let reason = if is_newest {
            self.departure(&recommendation, &action).await?
        } else {
            Some("a newer change of the same kind replaced it".to_owned())
        };

        let reviewed = match reason {
            Some(reason) => Some(Watch {
                ended: Some(SavingEnd { at: now, reason }),
                ..watch
            }),
            None => {
                self.measured_by_bill(&recommendation, &action, watch, now)
                    .await?
            }
        };

        let Some(watch) = reviewed else {
            return Ok(false);
        };

        self.keep_saving(action, watch, &recommendation, caller)
            .await?;
        Ok(true)
    }

    /// Describes how the resource left the state that the change put it in; `None` while it is in
    /// it.
    async fn departure(
        &self,
        recommendation: &Recommendation,
        action: &Action,
    ) -> Result<Option<String>, EngineError> {
        let succession = self.succession(recommendation).await?;
        if let Some(reason) = succession.departure() {
            return Ok(Some(reason));
        }
        // A machine that was replaced may end: its successor stands for it.
        if succession.known().is_some() {
            return Ok(None);
        }
        match self.resource_of(recommendation).await {
            Ok(resource) if resource.state == ResourceState::Deleted && !is_removal(action) => {
                Ok(Some("the resource was deleted".to_owned()))
            }
            Ok(resource) => Ok(difference(action, &resource)),
            Err(error) if error.is_outage() => Err(error),
            Err(_) if is_removal(action) => Ok(None),
            Err(_) => Ok(Some(
                "the resource is not in the inventory any more".to_owned(),
            )),
        }
    }

    async fn measured_by_bill(
        &self,
        recommendation: &Recommendation,
        action: &Action,
        watch: Watch,
        now: Timestamp,
    ) -> Result<Option<Watch>, EngineError> {
        let Some(finished_at) = action.finished_at else {
            return Ok(None);
        };

        let change = (action.started_at, finished_at);
        if watch
            .billed_until
            .is_some_and(|until| until >= billed::last_day(finished_at))
        {
            return Ok(None);
        }

        let Some(until) = self
            .ports
            .charges
            .billed_until(&recommendation.subject.account)
            .await?
        else {
            return Ok(None);
        };

        let mut ids = vec![recommendation.subject.id.clone()];
        match self.succession(recommendation).await? {
            Succession::None => {}
            Succession::Known(successor) => ids.push(successor.id),
            // Without its successor's charges the machine would seem to save all that it cost.
            Succession::Unknown => return Ok(None),
        }
        let charges = self
            .ports
            .charges
            .charges(&ids, billed::first_day(change.0), now)
            .await?;
        let measured = billed::saving(&charges, change, until);
        let newer =
            measured.filter(|(_, until)| watch.billed_until.is_none_or(|last| last < *until));

        Ok(newer.map(|(saving, until)| Watch {
            realised_monthly: Some(saving),
            basis: Some(SavingsBasis::Bill),
            billed_until: Some(until),
            ..watch
        }))
    }

    /// Records what was measured, or the end of a saving, and keeps it.
    async fn keep_saving(
        &self,
        action: Action,
        watch: Watch,
        recommendation: &Recommendation,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        let mut after = vec![
            (
                "realised_savings_monthly_usd",
                Json::from(watch.realised_monthly.map(|money| money.usd_cents())),
            ),
            (
                "savings_basis",
                Json::from(watch.basis.map(|basis| basis.as_str())),
            ),
            (
                "billed_until",
                Json::from(watch.billed_until.map(|at| at.to_string())),
            ),
        ];

        if let Some(end) = &watch.ended {
            after.push(("saving_ended_at", Json::from(end.at.to_string())));
            after.push(("reason", Json::from(end.reason.clone())));
        }

        let operation = if watch.ended.is_some() {
            "action.saving_end"
        } else {
            "action.saving_measure"
        };

        let entry = log_entry::action(
            operation,
            ActionStatus::Success,
            &action,
            recommendation,
            caller,
        );

        self.records
            .record(vec![entry.after(Json::object(after))])
            .await?;
        let kept = Action {
            watch: Some(watch),
            version: action.version + 1,
            ..action
        };
        Ok(self.records.agents.action_update(&kept).await?)
    }
}

/// Returns `true` if the change removed its resource: that it is gone is its effect, not another's
/// change.
pub(super) fn is_removal(action: &Action) -> bool {
    let deleted = |(field, value): &(String, String)| {
        field == "state" && value == ResourceState::Deleted.as_str()
    };

    let left = action
        .steps
        .iter()
        .rev()
        .find(|step| !step.rollback && step.ok == Some(true) && !step.after.is_empty());
    left.is_some_and(|step| step.after.iter().any(deleted))
}

/// Cost of a successor a month; on spot capacity at the average price of the region.
fn monthly_of(successor: &Resource, catalogue: &PriceCatalogue) -> Option<Money> {
    if successor.purchase != Some(Purchase::Spot) {
        return successor.monthly_cost;
    }
    let spec = &successor.specification;
    let (size, platform) = (spec.instance_type.as_deref()?, spec.platform.as_deref());
    let price = catalogue.spot_average(successor.provider, &successor.region, size, platform)?;
    Some(Money::per_month(price.usd_per_hour))
}

/// Saving a month by the costs of the resource before and after, on the basis of the prediction.
/// Costs at list price are brought to it by the share that the bill showed when the change was
/// proposed: 60 % of a machine's hours may be paid by a commitment, and only the rest is saved.
/// Costs that the cloud itself gives have the discounts in them.
pub(super) fn realised(
    recommendation: &Recommendation,
    action: &Action,
    (resource, succession): (Option<&Resource>, &Succession),
    catalogue: &PriceCatalogue,
) -> Option<Money> {
    // Of the same source as the cost after it; the recommendation's own may be after discounts.
    let before = action
        .prior
        .as_deref()
        .and_then(|prior| prior.monthly_cost)
        .or(recommendation.monthly_cost)?;

    let after = match resource {
        None => Money::ZERO,
        Some(resource) if resource.state == ResourceState::Deleted => Money::ZERO,
        Some(resource) => resource.monthly_cost?,
    };
    let after = match succession {
        Succession::None => after,
        Succession::Known(successor) => after + monthly_of(successor, catalogue)?,
        Succession::Unknown => return None,
    };

    let list = action
        .prior
        .as_deref()
        .and_then(|prior| catalogue.monthly_cost(prior))
        .map(|month| month.cost.usd());
    let is_at_list = list.is_some_and(|list| (before.usd() - list).abs() <= AT_LIST * list);
    let share = recommendation
        .savings_after_discounts
        .zip(recommendation.savings_monthly)
        .filter(|(_, list)| is_at_list && list.usd() != 0.0)
        .map_or(1.0, |(paid, list)| paid.usd() / list.usd());

    Some(Money::from_usd((before - after).usd() * share))
}
