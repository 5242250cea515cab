//! Totals of the charges: exact sums by currency and dimension.

use std::collections::BTreeMap;
use std::sync::Arc;

use reeve_estate::charge::{Amount, Charge, ChargeCategory, CommitmentStatus, PricingCategory};

use super::{ChargeSpan, DAY_MS, is_usage};

/// The four costs of FOCUS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Costs {
    pub charges: u64,
    /// Amount on the invoice.
    pub billed: Amount,
    /// After discounts and with what was prepaid spread; billed where the file has no effective
    /// cost.
    pub effective: Amount,
    /// At public prices; charges without one are left out.
    pub list: Amount,
    /// At negotiated prices; charges without one are left out.
    pub contracted: Amount,
}

impl Costs {
    fn add(&mut self, charge: &Charge) {
        self.charges += 1;
        self.billed += charge.billed;
        self.effective += charge.cost();
        self.list += charge.list.unwrap_or(Amount::ZERO);
        self.contracted += charge.contracted.unwrap_or(Amount::ZERO);
    }
}

/// Dimension of the sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChargeDimension {
    /// FOCUS column ServiceName.
    Service,
    /// FOCUS column ServiceCategory.
    ServiceCategory,
    /// FOCUS column ProviderName.
    Provider,
    /// FOCUS column BillingAccountId.
    Account,
    /// FOCUS column SubAccountId.
    SubAccount,
    /// FOCUS column RegionId.
    Region,
    /// FOCUS column ChargeCategory.
    ChargeCategory,
    /// FOCUS column PricingCategory.
    PricingCategory,
}

impl ChargeDimension {
    /// Every dimension, in the order of declaration.
    pub const ALL: [ChargeDimension; 8] = [
        ChargeDimension::Service,
        ChargeDimension::ServiceCategory,
        ChargeDimension::Provider,
        ChargeDimension::Account,
        ChargeDimension::SubAccount,
        ChargeDimension::Region,
        ChargeDimension::ChargeCategory,
        ChargeDimension::PricingCategory,
    ];

    fn value_in(self, charge: &Charge) -> Option<&str> {
        match self {
            ChargeDimension::Service => charge.service.as_deref(),
            ChargeDimension::ServiceCategory => charge.service_category.as_deref(),
            ChargeDimension::Provider => charge.provider.as_deref(),
            ChargeDimension::Account => charge.account.as_deref(),
            ChargeDimension::SubAccount => charge.sub_account.as_deref(),
            ChargeDimension::Region => charge.region.as_deref(),
            ChargeDimension::ChargeCategory => Some(charge.category.as_str()),
            ChargeDimension::PricingCategory => charge.pricing.map(PricingCategory::as_str),
        }
    }
}

/// Coverage of usage by tags.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TagCoverage {
    /// Effective cost of usage with at least one tag.
    pub tagged: Amount,
    /// Effective cost of usage without.
    pub untagged: Amount,
    /// The same with each key, by its name.
    pub keys: BTreeMap<String, Amount>,
}

/// Difference between the public price and the invoice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Discounts {
    /// List less contracted cost of usage: what was negotiated.
    pub negotiated: Amount,
    /// Contracted less effective cost of what a commitment paid for.
    pub commitments: Amount,
    /// Effective cost of commitments that nothing used.
    pub commitments_unused: Amount,
    /// Effective cost of what a commitment paid for and was used.
    pub committed: Amount,
    /// Effective cost of usage at standard prices.
    pub on_demand: Amount,
    /// Credits as billed, mostly negative.
    pub credits: Amount,
    /// Negative adjustments and corrections, as billed.
    pub refunds: Amount,
    /// Charges of the category Tax, as billed.
    pub taxes: Amount,
}

/// The sums of one currency.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CurrencyTotals {
    /// Sums over all charges of the currency.
    pub costs: Costs,
    /// By dimension, then by value; the empty value is where the file does not say.
    pub by: BTreeMap<ChargeDimension, BTreeMap<Arc<str>, Costs>>,
    /// By the day (since the epoch, UTC) that charges start on.
    pub by_day: BTreeMap<i64, Costs>,
    /// By the billing month: the first millisecond of the billing period, or of the charge where
    /// the file does not say.
    pub by_month: BTreeMap<(i16, i8), Costs>,
    /// Tags; nothing where the file has no such column.
    pub tags: Option<TagCoverage>,
    pub discounts: Discounts,
}

/// Totals of the charges.
#[derive(Debug, Clone, PartialEq)]
pub struct Totals {
    /// The time it is of.
    pub span: ChargeSpan,
    pub charges: usize,
    pub currencies: BTreeMap<Arc<str>, CurrencyTotals>,
}

/// Adds up the charges of the bill by currency and dimension.
pub(super) fn total(charges: &[Charge], span: ChargeSpan) -> Totals {
    let mut currencies: BTreeMap<Arc<str>, CurrencyTotals> = BTreeMap::new();
    for charge in charges {
        if !currencies.contains_key(&charge.currency) {
            currencies.insert(Arc::clone(&charge.currency), CurrencyTotals::default());
        }
        if let Some(totals) = currencies.get_mut(&charge.currency) {
            totals.add(charge);
        }
    }

    Totals {
        span,
        charges: charges.len(),
        currencies,
    }
}

impl CurrencyTotals {
    fn add(&mut self, charge: &Charge) {
        self.costs.add(charge);
        for dimension in ChargeDimension::ALL {
            let values = self.by.entry(dimension).or_default();
            let value = dimension.value_in(charge).unwrap_or("");
            match values.get_mut(value) {
                Some(costs) => costs.add(charge),
                None => values.entry(Arc::from(value)).or_default().add(charge),
            }
        }

        self.by_day
            .entry(charge.start_ms.div_euclid(DAY_MS))
            .or_default()
            .add(charge);
        let month = month(charge.billing_start_ms.unwrap_or(charge.start_ms));
        self.by_month.entry(month).or_default().add(charge);
        self.discounts.add(charge);

        if let (Some(tags), true) = (&charge.tags, is_usage(charge)) {
            let coverage = self.tags.get_or_insert_default();
            *(if tags.is_empty() {
                &mut coverage.untagged
            } else {
                &mut coverage.tagged
            }) += charge.cost();
            for (key, _) in tags.iter() {
                match coverage.keys.get_mut(key) {
                    Some(cost) => *cost += charge.cost(),
                    None => drop(coverage.keys.insert(key.clone(), charge.cost())),
                }
            }
        }
    }
}

impl Discounts {
    fn add(&mut self, charge: &Charge) {
        match charge.category {
            ChargeCategory::Credit => self.credits += charge.billed,
            ChargeCategory::Tax => self.taxes += charge.billed,
            _ if charge.billed < Amount::ZERO
                && (charge.correction || charge.category == ChargeCategory::Adjustment) =>
            {
                self.refunds += charge.billed;
            }
            _ => {}
        }

        if !is_usage(charge) {
            return;
        }
        if let (Some(list), Some(contracted)) = (charge.list, charge.contracted) {
            self.negotiated += list - contracted;
        }

        match (&charge.commitment, charge.commitment_status) {
            (_, Some(CommitmentStatus::Unused)) => self.commitments_unused += charge.cost(),
            (Some(_), _) => {
                self.committed += charge.cost();
                self.commitments += charge
                    .contracted
                    .map_or(Amount::ZERO, |contracted| contracted - charge.cost());
            }
            (None, _) if matches!(charge.pricing, None | Some(PricingCategory::Standard)) => {
                self.on_demand += charge.cost();
            }
            (None, _) => {}
        }
    }
}

/// The month of a time, UTC.
fn month(at_ms: i64) -> (i16, i8) {
    let at = jiff::Timestamp::from_millisecond(at_ms).unwrap_or_default();
    let date = jiff::tz::TimeZone::UTC.to_datetime(at).date();
    (date.year(), date.month())
}
