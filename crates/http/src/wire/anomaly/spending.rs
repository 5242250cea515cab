//! Spending on the wire.

use std::collections::HashMap;

use reeve_anomalies::charges::{Spending, SpendingGroup};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::budget::cents;

/// Spending that is asked for. A filter with an empty value selects charges for which the bill names
/// none.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct SpendingParams {
    /// `service` (the default), `service_category`, `provider`, `account`, `region`, `resource`,
    /// `charge_category`, `pricing_category`, or `tag:` and the key of a tag.
    #[param(example = "service")]
    pub by: Option<String>,
    /// First day, UTC; 27 days before the last unless given.
    #[param(format = Date)]
    pub first_day: Option<String>,
    /// Last day, UTC; the last one that usage was billed for unless given. At most 1100 days.
    #[param(format = Date)]
    pub last_day: Option<String>,
    /// Currency as bills write it; the one with the most charges unless given.
    pub currency: Option<String>,
    pub service: Option<String>,
    pub service_category: Option<String>,
    pub provider: Option<String>,
    /// Sub-account, or billing account where there is none.
    pub account: Option<String>,
    pub region: Option<String>,
    /// Resource by its identifier in bills.
    pub resource: Option<String>,
    pub charge_category: Option<String>,
    pub pricing_category: Option<String>,
    /// Tag as `key=value`; `key=` selects charges without it.
    pub tag: Option<String>,
}

/// Charges of one value, or the sum of several.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SpendingGroupBody {
    /// Value as the bills write it; empty where they do not say.
    pub value: String,
    /// Name of the account, or of the resource in the inventory.
    pub name: Option<String>,
    /// Resource of the inventory, where it has it.
    pub resource_id: Option<String>,
    pub total: f64,
    /// Total of as many days before the period; `null` where the bills do not reach back that far.
    pub previous_total: Option<f64>,
    /// Amounts of the days of the period, from the first.
    pub days: Vec<f64>,
}

impl SpendingGroupBody {
    /// A group of an answer; `resource` is the identifier and the name in the inventory.
    fn new(of: &Spending, group: &SpendingGroup, resource: Option<&(String, String)>) -> Self {
        let own_name = group.name.as_deref().map(str::to_owned);
        SpendingGroupBody {
            value: group.value.clone(),
            name: own_name.or(resource.map(|(_, name)| name.clone())),
            resource_id: resource.map(|(id, _)| id.clone()),
            total: cents(group.total),
            previous_total: of.is_comparable().then(|| cents(group.previous)),
            days: group.days.iter().copied().map(cents).collect(),
        }
    }
}

/// Spending of a period by the bills: cost after discounts, with what was prepaid spread over its
/// use; the invoiced cost where a bill has no other.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SpendingBody {
    /// Currency of all amounts.
    pub currency: String,
    /// Currencies of the bills. Amounts of different currencies are never added.
    pub currencies: Vec<String>,
    #[schema(format = Date)]
    pub first_day: String,
    /// Last day of the period; it counts.
    #[schema(format = Date)]
    pub last_day: String,
    /// First day of the bills; `null` without bills.
    #[schema(format = Date)]
    pub billed_from: Option<String>,
    /// Last day that usage was billed for; `null` without bills.
    #[schema(format = Date)]
    pub billed_until: Option<String>,
    /// Everything that the filters select.
    pub all: SpendingGroupBody,
    /// Groups, the most expensive first; 100 at most.
    pub groups: Vec<SpendingGroupBody>,
    /// Number of groups that are not named.
    pub other_groups: u64,
    /// Sum of the groups that are not named.
    pub others: SpendingGroupBody,
    /// Keys of tags in the bills of the period, 200 at most.
    pub tags: Vec<String>,
}

impl SpendingBody {
    /// An answer with the resources of the inventory by their value in bills.
    pub(crate) fn new(found: &Spending, resources: &HashMap<String, (String, String)>) -> Self {
        let group =
            |one: &SpendingGroup| SpendingGroupBody::new(found, one, resources.get(&one.value));
        SpendingBody {
            currency: found.currency.to_string(),
            currencies: found.currencies.iter().map(ToString::to_string).collect(),
            first_day: date(found.days.start),
            last_day: date(found.days.end - 1),
            billed_from: found.billed_from.map(date),
            billed_until: found.billed_until.map(|end| date(end - 1)),
            all: SpendingGroupBody::new(found, &found.all, None),
            groups: found.groups.iter().map(group).collect(),
            other_groups: found.other_groups as u64,
            others: SpendingGroupBody::new(found, &found.others, None),
            tags: found.tags.iter().cloned().collect(),
        }
    }
}

fn date(day: i64) -> String {
    i32::try_from(day)
        .map(crate::time::date_of_day)
        .unwrap_or_default()
}
