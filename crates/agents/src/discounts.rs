//! Savings after the discounts that a resource's known cost shows.

use reeve_estate::{Money, Purchase, Resource};

/// A list saving after what is known of discounts: nothing for reserved capacity, which is paid whether used or not;
/// in proportion where the resource's known cost is below its list price; `None` where nothing is known.
pub(crate) fn after_discounts(resource: &Resource, list_now: Option<Money>, saving: Option<Money>) -> Option<Money> {
    if resource.purchase == Some(Purchase::Reserved) {
        return Some(Money::ZERO);
    }
    let (paid, list) = (resource.monthly_cost?.usd(), list_now?.usd());
    let share = paid / list;
    (list > 0.0 && share > 0.0 && share < 0.995).then(|| Money::from_usd(saving.map_or(0.0, Money::usd) * share))
}
