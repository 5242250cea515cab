//! Spending by the bills: a period by day, grouped by a property of the charges and narrowed by
//! others.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use jiff::civil::Date;
use reeve_access::Permission;
use reeve_anomalies::charges::{
    Spending, SpendingKey, SpendingProperty, SpendingQuery, USUAL_DAYS,
};
use reeve_audit::FieldCode;
use reeve_estate::charge::resource_key;
use reeve_estate::{ResourceFilter, ResourceId};
use utoipa_axum::routes;

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::Params;
use crate::guard::{Access, Guarded};
use crate::wire::anomaly::spending::{SpendingBody, SpendingParams};

/// Longest period, days.
const LONGEST: i64 = 1100;
/// Last day that is taken, since the epoch: in the year 2243.
const LAST_DAY: i64 = 100_000;

pub(super) fn routes(guarded: Guarded) -> Guarded {
    guarded.add(Access::Needs(Permission::EstateView), routes!(spending))
}

/// Spending of a period by the bills, by day and by group.
#[utoipa::path(get, path = "/api/v1/costs/spending", tag = "estate", params(SpendingParams),
    responses((status = 200, body = SpendingBody), (status = 422, body = ProblemBody)))]
async fn spending(
    State(app): State<Arc<App>>,
    Params(params): Params<SpendingParams>,
) -> Result<Json<SpendingBody>, Problem> {
    let query = read(&params)?;
    let by_resource = query.by == SpendingKey::Property(SpendingProperty::Resource);
    let found = app.spending.spending(query).await?;
    let resources = if by_resource {
        resources(&app, &found).await?
    } else {
        HashMap::new()
    };
    Ok(Json(SpendingBody::new(&found, &resources)))
}

fn read(params: &SpendingParams) -> Result<SpendingQuery, Problem> {
    let by = params.by.as_deref().unwrap_or("service");
    let by = SpendingKey::parse(by).ok_or_else(|| {
        let names = SpendingProperty::ALL.iter().map(|one| one.as_str());
        let names: Vec<&str> = names.collect();
        Problem::field(
            "by",
            FieldCode::InvalidValue,
            format!("must be one of {}, or tag:KEY", names.join(", ")),
        )
    })?;

    let from = day("first_day", params.first_day.as_deref())?;
    let until = day("last_day", params.last_day.as_deref())?.map(|last| last + 1);
    if let (Some(from), Some(until)) = (from, until)
        && !(1..=LONGEST).contains(&(until - from))
    {
        return Err(Problem::field(
            "last_day",
            FieldCode::OutOfRange,
            format!("must be at most {LONGEST} days after first_day, and not before it"),
        ));
    }

    Ok(SpendingQuery {
        from,
        until: until.or(from.map(|from| from + USUAL_DAYS)),
        currency: params.currency.clone(),
        by,
        filters: filters(params)?,
    })
}

fn filters(params: &SpendingParams) -> Result<Vec<(SpendingKey, String)>, Problem> {
    let given = [
        (SpendingProperty::Service, &params.service),
        (SpendingProperty::ServiceCategory, &params.service_category),
        (SpendingProperty::Provider, &params.provider),
        (SpendingProperty::Account, &params.account),
        (SpendingProperty::Region, &params.region),
        (SpendingProperty::Resource, &params.resource),
        (SpendingProperty::ChargeCategory, &params.charge_category),
        (SpendingProperty::PricingCategory, &params.pricing_category),
    ];
    let mut filters: Vec<(SpendingKey, String)> = given
        .into_iter()
        .filter_map(|(property, value)| {
            Some((SpendingKey::Property(property), value.as_ref()?.clone()))
        })
        .collect();

    if let Some(tag) = &params.tag {
        let (key, value) = tag
            .split_once('=')
            .filter(|(key, _)| !key.is_empty())
            .ok_or_else(|| {
                Problem::field(
                    "tag",
                    FieldCode::InvalidValue,
                    "must have the form key=value",
                )
            })?;
        filters.push((SpendingKey::Tag(key.to_owned()), value.to_owned()));
    }
    Ok(filters)
}

/// Reads a date as days since the epoch.
fn day(field: &str, given: Option<&str>) -> Result<Option<i64>, Problem> {
    let Some(text) = given else {
        return Ok(None);
    };
    let date: Date = text.parse().map_err(|_| {
        Problem::field(
            field,
            FieldCode::InvalidTime,
            format!("{text:?} is not a date such as 2026-11-20"),
        )
    })?;
    let since = date.since((jiff::Unit::Day, Date::constant(1970, 1, 1)));
    let day = since.ok().map(|span| i64::from(span.get_days()));
    match day.filter(|day| (0..=LAST_DAY).contains(day)) {
        Some(day) => Ok(Some(day)),
        None => Err(Problem::field(
            field,
            FieldCode::OutOfRange,
            "must lie between 1970 and 2243",
        )),
    }
}

/// Resources of the inventory by their value in bills: identifier and name.
async fn resources(
    app: &App,
    found: &Spending,
) -> Result<HashMap<String, (String, String)>, Problem> {
    let values = found.groups.iter().map(|group| &group.value);
    let named = values.filter(|value| !value.is_empty());
    let ids: Vec<ResourceId> = named
        .flat_map(|value| [value.clone(), resource_key(value)])
        .map(ResourceId::new)
        .collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }

    let filter = ResourceFilter {
        ids,
        ..ResourceFilter::default()
    };
    let (listed, _) = app.estate.resource_list(&filter).await?;
    let by_key: HashMap<String, (String, String)> = listed
        .into_iter()
        .map(|one| (resource_key(one.id.as_str()), (one.id.0, one.name)))
        .collect();
    let groups = found.groups.iter();
    Ok(groups
        .filter_map(|group| {
            let known = by_key.get(&resource_key(&group.value))?;
            Some((group.value.clone(), known.clone()))
        })
        .collect())
}
