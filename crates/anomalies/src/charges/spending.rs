//! Spending over time: the charges of a period by day, grouped by one property of the charges and
//! narrowed by others, beside the period before.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use reeve_estate::charge::{Amount, Charge, PricingCategory};
use reeve_estate::{StoreError, named};

use super::{DAY_MS, is_short, is_usage, spread};

/// Days of the period unless a query names another: whole weeks, so that the period before has the
/// same weekdays.
pub const USUAL_DAYS: i64 = 28;
/// Groups that are named; the rest is one sum.
const MOST_GROUPS: usize = 100;
/// Keys of tags that are named.
const MOST_TAGS: usize = 200;

named!(
    /// Property of a charge that spending is grouped by or narrowed to.
    SpendingProperty {
        /// FOCUS column ServiceName.
        Service => "service",
        /// FOCUS column ServiceCategory.
        ServiceCategory => "service_category",
        /// FOCUS column ProviderName.
        Provider => "provider",
        /// FOCUS column SubAccountId, or BillingAccountId where there is none.
        Account => "account",
        /// FOCUS column RegionId.
        Region => "region",
        /// FOCUS column ResourceId.
        Resource => "resource",
        /// FOCUS column ChargeCategory.
        ChargeCategory => "charge_category",
        /// FOCUS column PricingCategory.
        PricingCategory => "pricing_category",
    }
);

/// Property of charges, or one of their tags.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum SpendingKey {
    Property(SpendingProperty),
    /// A tag, by its key.
    Tag(String),
}

impl SpendingKey {
    /// Reads the name of a property, or `tag:` and a key.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text.strip_prefix("tag:") {
            Some("") => None,
            Some(key) => Some(SpendingKey::Tag(key.to_owned())),
            None => SpendingProperty::parse(text).map(SpendingKey::Property),
        }
    }

    /// Returns the value in a charge; nothing where the bill does not say.
    fn value_in<'c>(&self, charge: &'c Charge) -> &'c str {
        let value = match self {
            SpendingKey::Tag(key) => {
                let mut tags = charge.tags.as_deref().unwrap_or_default().iter();
                tags.find_map(|(name, value)| (name == key).then_some(value.as_str()))
            }
            SpendingKey::Property(property) => match property {
                SpendingProperty::Service => charge.service.as_deref(),
                SpendingProperty::ServiceCategory => charge.service_category.as_deref(),
                SpendingProperty::Provider => charge.provider.as_deref(),
                SpendingProperty::Account => {
                    charge.sub_account.as_deref().or(charge.account.as_deref())
                }
                SpendingProperty::Region => charge.region.as_deref(),
                SpendingProperty::Resource => charge.resource.as_deref(),
                SpendingProperty::ChargeCategory => Some(charge.category.as_str()),
                SpendingProperty::PricingCategory => charge.pricing.map(PricingCategory::as_str),
            },
        };
        value.unwrap_or_default()
    }
}

/// Spending that is asked for. Days are days since the epoch, UTC.
#[derive(Debug, Clone, PartialEq)]
pub struct SpendingQuery {
    /// First day; the 28th before the end unless given.
    pub from: Option<i64>,
    /// First day that no longer counts; the one after the last billed day unless given.
    pub until: Option<i64>,
    /// Currency; the one with the most charges unless given. Amounts of others are never added.
    pub currency: Option<String>,
    pub by: SpendingKey,
    /// Values that charges must have. The empty value is where the bill does not say.
    pub filters: Vec<(SpendingKey, String)>,
}

/// Charges of one value of the property.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SpendingGroup {
    /// Value; empty where the bills do not say.
    pub value: String,
    /// Display name of an account, where the bills have one.
    pub name: Option<Arc<str>>,
    pub total: Amount,
    /// Total of as many days before the period.
    pub previous: Amount,
    /// Amounts of the days of the period.
    pub days: Vec<Amount>,
}

/// Answer to a [`SpendingQuery`]: cost after discounts, with what was prepaid spread over its use,
/// or the invoiced cost where a bill has no other.
#[derive(Debug, Clone, PartialEq)]
pub struct Spending {
    /// Days of the period.
    pub days: Range<i64>,
    /// First day of the bills; `None` without bills.
    pub billed_from: Option<i64>,
    /// Day after the last one that usage was billed for; `None` without bills.
    pub billed_until: Option<i64>,
    pub currency: Arc<str>,
    /// Every currency of the bills.
    pub currencies: BTreeSet<Arc<str>>,
    /// Groups, the most expensive first, 100 at most.
    pub groups: Vec<SpendingGroup>,
    /// Number of groups that are not named.
    pub other_groups: usize,
    /// Sum of those that are not named.
    pub others: SpendingGroup,
    /// Sum of everything that the filters select.
    pub all: SpendingGroup,
    /// Keys of tags in the bills, 200 at most.
    pub tags: BTreeSet<String>,
}

impl Spending {
    /// Returns `true` if the bills reach back over as many days before the period.
    #[must_use]
    pub fn is_comparable(&self) -> bool {
        let begins = self.days.start - (self.days.end - self.days.start);
        self.billed_from.is_some_and(|first| first <= begins)
    }
}

/// Reads spending from bills.
#[async_trait]
pub trait SpendingReader: Send + Sync {
    /// Answers a query over all bills.
    async fn spending(&self, query: SpendingQuery) -> Result<Spending, StoreError>;
}

/// Answers a query over charges.
#[must_use]
pub fn spending(charges: &[Charge], query: &SpendingQuery) -> Spending {
    let used = charges
        .iter()
        .filter(|charge| is_usage(charge) && is_short(charge));
    let billed_until = used
        .map(|charge| (charge.end_ms - 1).div_euclid(DAY_MS) + 1)
        .max();
    let until = query.until.or(billed_until).unwrap_or_default();
    let from = query.from.unwrap_or(until - USUAL_DAYS).min(until);

    let mut currencies: BTreeMap<Arc<str>, u64> = BTreeMap::new();
    for charge in charges {
        *currencies.entry(charge.currency.clone()).or_default() += 1;
    }
    let most_used = currencies.iter().max_by_key(|(_, charges)| **charges);
    let usual = most_used.map_or("USD".into(), |(currency, _)| currency.clone());
    let currency = query.currency.as_deref().map_or(usual, Arc::from);

    let mut sums = Sums::new(from..until);
    let mut tags = BTreeSet::new();
    for charge in charges {
        if !sums.covers(charge) {
            continue;
        }
        for (key, _) in charge.tags.as_deref().unwrap_or_default() {
            if tags.len() < MOST_TAGS && !tags.contains(key) {
                tags.insert(key.clone());
            }
        }
        let mut filters = query.filters.iter();
        if charge.currency == currency && filters.all(|(key, value)| key.value_in(charge) == value)
        {
            sums.add(&query.by, charge);
        }
    }

    let (groups, other_groups, others) = sums.ranked();
    Spending {
        days: from..until,
        billed_from: charges
            .iter()
            .map(|charge| charge.start_ms.div_euclid(DAY_MS))
            .min(),
        billed_until,
        currency,
        currencies: currencies.into_keys().collect(),
        groups,
        other_groups,
        others,
        all: sums.all,
        tags,
    }
}

/// Sums of a period, and of as many days before it.
struct Sums<'c> {
    days: Range<i64>,
    groups: HashMap<&'c str, SpendingGroup>,
    all: SpendingGroup,
}

impl<'c> Sums<'c> {
    fn new(days: Range<i64>) -> Self {
        let all = empty(&days);
        Sums {
            days,
            groups: HashMap::new(),
            all,
        }
    }

    fn before(&self) -> Range<i64> {
        let length = self.days.end - self.days.start;
        self.days.start - length..self.days.start
    }

    /// Returns `true` if a charge may be for a day of either period.
    fn covers(&self, charge: &Charge) -> bool {
        let last = (charge.end_ms - 1).max(charge.start_ms);
        last.div_euclid(DAY_MS) >= self.before().start
            && charge.start_ms.div_euclid(DAY_MS) < self.days.end
    }

    fn add(&mut self, by: &SpendingKey, charge: &'c Charge) {
        let (days, before) = (self.days.clone(), self.before());
        let value = by.value_in(charge);
        let group = self.groups.entry(value).or_insert_with(|| SpendingGroup {
            value: value.to_owned(),
            ..empty(&days)
        });
        if *by == SpendingKey::Property(SpendingProperty::Account) {
            let name = charge.sub_account_name.as_ref();
            group.name = name.cloned().or(group.name.take());
        }

        spread(charge, |day, amount| {
            for sum in [&mut *group, &mut self.all] {
                if before.contains(&day) {
                    sum.previous += amount;
                } else if days.contains(&day) {
                    sum.total += amount;
                    let place = usize::try_from(day - days.start).ok();
                    if let Some(of_day) = place.and_then(|place| sum.days.get_mut(place)) {
                        *of_day += amount;
                    }
                }
            }
        });
    }

    /// Groups by their total, the number of those that are not named, and the sum of these.
    fn ranked(&mut self) -> (Vec<SpendingGroup>, usize, SpendingGroup) {
        let mut groups: Vec<SpendingGroup> = self.groups.drain().map(|(_, group)| group).collect();
        groups.sort_by(|a, b| b.total.cmp(&a.total).then_with(|| a.value.cmp(&b.value)));
        let rest = groups.split_off(groups.len().min(MOST_GROUPS));

        let mut others = empty(&self.days);
        for group in &rest {
            others.total += group.total;
            others.previous += group.previous;
            for (sum, amount) in others.days.iter_mut().zip(&group.days) {
                *sum += *amount;
            }
        }
        (groups, rest.len(), others)
    }
}

fn empty(days: &Range<i64>) -> SpendingGroup {
    SpendingGroup {
        days: vec![Amount::ZERO; usize::try_from(days.end - days.start).unwrap_or_default()],
        ..SpendingGroup::default()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reeve_estate::charge::ChargeCategory;

    use super::*;
    use crate::charges::tests::usage;

    fn of(service: &str, day: i64, days: i64, cost: &str) -> Charge {
        Charge {
            sub_account: Some("111122223333".into()),
            sub_account_name: Some("shop".into()),
            start_ms: day * DAY_MS,
            end_ms: (day + days) * DAY_MS,
            tags: Some(Arc::from([("team".to_owned(), service.to_lowercase())])),
            ..usage(0, service, cost)
        }
    }

    fn asked(by: &str) -> SpendingQuery {
        SpendingQuery {
            from: Some(100),
            until: Some(110),
            currency: None,
            by: SpendingKey::parse(by).unwrap(),
            filters: Vec::new(),
        }
    }

    fn totals(found: &Spending) -> Vec<(String, String, String)> {
        let groups = found.groups.iter();
        groups
            .map(|one| {
                (
                    one.value.clone(),
                    one.total.to_string(),
                    one.previous.to_string(),
                )
            })
            .collect()
    }

    #[test]
    fn a_charge_of_many_days_is_spread_and_the_period_before_stands_beside() {
        let charges = [
            of("EC2", 109, 1, "4"),
            of("RDS", 95, 10, "10"),
            of("EC2", 90, 1, "7"),
            of("EC2", 89, 1, "100"),
            of("EC2", 110, 1, "100"),
        ];
        let found = spending(&charges, &asked("service"));
        let expected = [("RDS", "5", "5"), ("EC2", "4", "7")];
        assert_eq!(
            totals(&found),
            expected.map(|(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned()))
        );
        assert_eq!(found.all.total.to_string(), "9");
        assert_eq!(found.all.days.len(), 10);
        assert_eq!(found.all.days[0].to_string(), "1");
        assert_eq!(found.all.days[9].to_string(), "4");
        assert_eq!(found.billed_until, Some(111));
        assert!(found.is_comparable());
    }

    #[test]
    fn without_a_period_it_is_the_last_four_billed_weeks() {
        let query = SpendingQuery {
            from: None,
            until: None,
            ..asked("service")
        };
        let found = spending(&[of("EC2", 200, 1, "1")], &query);
        assert_eq!(found.days, 173..201);
        assert!(!found.is_comparable(), "the bills begin later");
        assert_eq!(spending(&[], &query).all.total, Amount::ZERO);
    }

    #[test]
    fn filters_narrow_and_an_empty_value_is_what_the_bill_does_not_say() {
        let charges = [
            of("EC2", 101, 1, "4"),
            of("RDS", 101, 1, "5"),
            Charge {
                tags: None,
                ..of("Tax", 101, 1, "1")
            },
        ];
        let found = spending(&charges, &asked("tag:team"));
        let values: Vec<&str> = found.groups.iter().map(|one| one.value.as_str()).collect();
        assert_eq!(values, ["rds", "ec2", ""]);
        assert_eq!(found.tags, BTreeSet::from(["team".to_owned()]));

        let account = SpendingQuery {
            filters: vec![(SpendingKey::parse("tag:team").unwrap(), String::new())],
            ..asked("account")
        };
        let found = spending(&charges, &account);
        assert_eq!(found.all.total.to_string(), "1");
        assert_eq!(found.groups[0].name.as_deref(), Some("shop"));
    }

    #[test]
    fn currencies_are_never_added_and_the_rest_is_one_sum() {
        let mut charges: Vec<Charge> = (0..103)
            .map(|number| of(&format!("s-{number:03}"), 101, 1, "1"))
            .collect();
        charges.push(Charge {
            currency: "EUR".into(),
            ..of("EC2", 101, 1, "50")
        });
        let found = spending(&charges, &asked("service"));
        assert_eq!(&*found.currency, "USD");
        assert_eq!(found.currencies.len(), 2);
        assert_eq!(found.all.total.to_string(), "103");
        assert_eq!((found.groups.len(), found.other_groups), (100, 3));
        assert_eq!(found.others.total.to_string(), "3");

        let euros = SpendingQuery {
            currency: Some("EUR".to_owned()),
            ..asked("charge_category")
        };
        let found = spending(&charges, &euros);
        assert_eq!(found.groups[0].value, ChargeCategory::Usage.as_str());
        assert_eq!(found.all.total.to_string(), "50");
    }
}
