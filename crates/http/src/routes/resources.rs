//! Resources, their samples, and what they cost.

mod counts;
mod flows;
mod history;
mod search;
mod workload;

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use jiff::SignedDuration;
use reeve_access::Permission;
use reeve_audit::FieldCode;
use reeve_estate::bucket::access::AGE_BANDS;
use reeve_estate::{
    BucketAccess, BucketContents, GIB, Metric, Money, PriceCatalogue, Resource, ResourceId,
    ResourceKind, ResourceTotal, SampleSeries,
};
use reeve_recommend::guardrail::protection::{Protected, protections};
use utoipa_axum::routes;

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Caller, Params};
use crate::guard::{Access, Guarded};
use crate::paging::window;
use crate::time;
use crate::wire::estate::{
    AgeUseBody, BucketAccessBody, BucketContentsBody, CostsBody, EstateResourceBody,
    ResourceParams, SampleParams, SamplesBody, SeriesBody,
};
use crate::wire::form::list::List;
use crate::wire::form::name::as_name;
use crate::wire::guardrail::protection::ProtectionBody;
use search::Search;

/// Points a metric has in an answer, unless asked otherwise.
const DEFAULT_POINTS: usize = 500;
/// Points a metric may have in an answer.
const MAX_POINTS: usize = 20_000;

pub(super) fn routes(guarded: Guarded) -> Guarded {
    guarded
        .add(Access::Needs(Permission::EstateView), routes!(list))
        .add(Access::Needs(Permission::EstateView), routes!(get))
        .add(
            Access::Needs(Permission::EstateView),
            routes!(history::configuration),
        )
        .add(
            Access::Needs(Permission::EstateView),
            routes!(history::versions),
        )
        .add(
            Access::Needs(Permission::EstateView),
            routes!(history::difference),
        )
        .add(
            Access::Needs(Permission::EstateView),
            routes!(history::relations),
        )
        .add(Access::Needs(Permission::EstateView), routes!(flows::flows))
        .add(
            Access::Needs(Permission::EstateView),
            routes!(history::kinds),
        )
        .add(
            Access::Needs(Permission::EstateView),
            routes!(history::readings),
        )
        .add(
            Access::Needs(Permission::EstateView),
            routes!(counts::counts),
        )
        .add(Access::Needs(Permission::EstateView), routes!(counts::csv))
        .add(
            Access::Needs(Permission::IntelligenceView),
            routes!(workload::get),
        )
        .add(
            Access::Needs(Permission::IntelligenceOperate),
            routes!(workload::put, workload::delete),
        )
        .add(Access::Needs(Permission::EstateView), routes!(samples))
        .add(Access::Needs(Permission::EstateView), routes!(costs))
}

/// Lists resources by identifier.
#[utoipa::path(get, path = "/api/v1/resources", tag = "estate", params(ResourceParams),
    responses((status = 200, body = List<EstateResourceBody>), (status = 422, body = ProblemBody)))]
async fn list(
    State(app): State<Arc<App>>,
    caller: Caller,
    Params(params): Params<ResourceParams>,
) -> Result<Json<List<EstateResourceBody>>, Problem> {
    let window = window(params.limit, params.offset, params.cursor.as_deref())?;
    let visible = app.visible(&caller.principal).await?.connections();
    let search = Search::from_params(&app, &params.filters())
        .await?
        .within(visible);
    let (resources, total) = search.page(&app, window.start(), window.limit).await?;
    let next_cursor = window.next(resources.len(), total);
    Ok(Json(List {
        items: resources.iter().map(body_of).collect(),
        total,
        next_cursor,
    }))
}

/// One resource, by the provider's identifier.
#[utoipa::path(get, path = "/api/v1/resources/{id}", tag = "estate", params(("id" = String, Path)),
    responses((status = 200, body = EstateResourceBody), (status = 404, body = ProblemBody)))]
async fn get(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<EstateResourceBody>, Problem> {
    let visible = app.visible(&caller.principal).await?;
    Ok(Json(body_of(&visible.resource(&ResourceId(id)).await?)))
}

/// Metric samples of a resource.
#[utoipa::path(get, path = "/api/v1/resources/{id}/samples", tag = "estate", params(("id" = String, Path), SampleParams),
    responses((status = 200, body = SamplesBody), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
async fn samples(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Params(params): Params<SampleParams>,
) -> Result<Json<SamplesBody>, Problem> {
    let resource = app.estate.resource_get(&ResourceId(id)).await?;
    let end =
        time::parse_option("end_time", params.end_time.as_deref())?.unwrap_or_else(|| app.now());
    let start =
        time::parse_option("start_time", params.start_time.as_deref())?.unwrap_or_else(|| {
            end.checked_sub(SignedDuration::from_hours(7 * 24))
                .unwrap_or(end)
        });

    if start >= end {
        return Err(Problem::field(
            "start_time",
            FieldCode::OutOfRange,
            "must lie before end_time",
        ));
    }

    let metrics = match params.metrics.as_deref().filter(|text| !text.is_empty()) {
        None => Metric::all(),
        Some(names) => names
            .split(',')
            .filter_map(|name| parse("metrics", Some(name.trim()), Metric::parse).transpose())
            .collect::<Result<Vec<_>, _>>()?,
    };

    let max_points = params
        .max_points
        .map_or(DEFAULT_POINTS, |max| (max as usize).clamp(2, MAX_POINTS));
    let ids = std::slice::from_ref(&resource.id);
    let series = app
        .samples
        .sample_series(&resource.connection, ids, &metrics, start, end)
        .await?;
    let series = series
        .iter()
        .map(|series| series_body(series, max_points))
        .collect();

    Ok(Json(SamplesBody {
        resource_id: resource.id.0,
        series,
    }))
}

/// Monthly cost of the estate, by the catalogue and the bill.
#[utoipa::path(get, path = "/api/v1/costs", tag = "estate", responses((status = 200, body = CostsBody)))]
async fn costs(State(app): State<Arc<App>>) -> Result<Json<CostsBody>, Problem> {
    let totals = app.estate.resource_totals().await?;
    let sum_by = |key: fn(&ResourceTotal) -> String| {
        let mut sums: BTreeMap<String, Money> = BTreeMap::new();
        for total in totals
            .iter()
            .filter(|total| total.resources > total.unpriced)
        {
            let sum = sums.entry(key(total)).or_default();
            *sum = *sum + total.monthly_cost;
        }
        sums.into_iter()
            .map(|(name, sum)| (name, sum.usd_cents()))
            .collect()
    };

    Ok(Json(CostsBody {
        monthly: totals
            .iter()
            .map(|total| total.monthly_cost)
            .sum::<Money>()
            .usd_cents(),
        currency: "USD".to_owned(),
        not_priced: totals
            .iter()
            .filter(|total| is_priced(total.kind))
            .map(|total| total.unpriced)
            .sum(),
        by_provider: sum_by(|total| total.provider.as_str().to_owned()),
        by_account: sum_by(|total| total.account.clone()),
        by_service: sum_by(|total| total.service.clone()),
    }))
}

/// Kinds that have a price. Others (a group, a role) cost nothing themselves.
fn is_priced(kind: ResourceKind) -> bool {
    ResourceKind::SPECIFIED.contains(&kind)
}

/// Names of a closed set in a parameter, separated by commas.
pub(super) fn parse_several<T>(
    field: &str,
    names: Option<&str>,
    read: fn(&str) -> Option<T>,
) -> Result<Vec<T>, Problem> {
    let names = names.unwrap_or_default().split(',').map(str::trim);
    let mut found = Vec::new();
    for name in names {
        found.extend(parse(field, Some(name), read)?);
    }
    Ok(found)
}

/// A name of a closed set in a parameter.
pub(super) fn parse<T>(
    field: &str,
    value: Option<&str>,
    read: fn(&str) -> Option<T>,
) -> Result<Option<T>, Problem> {
    match value.filter(|value| !value.is_empty()) {
        None => Ok(None),
        Some(value) => {
            let found = read(value).or_else(|| read(&as_name(value)));
            found.map(Some).ok_or_else(|| {
                Problem::field(
                    field,
                    FieldCode::InvalidValue,
                    format!("{value:?} is not known"),
                )
            })
        }
    }
}

fn series_body(series: &SampleSeries, max_points: usize) -> SeriesBody {
    SeriesBody {
        metric: series.metric.into(),
        unit: series.metric.unit().into(),
        points: averaged(series, max_points),
        data_points: series.points.len() as u64,
    }
}

/// At most `max` points: neighbours are averaged, times are the first of each group.
fn averaged(series: &SampleSeries, max: usize) -> Vec<(i64, f64)> {
    let group = series.points.len().div_ceil(max).max(1);
    series
        .points
        .chunks(group)
        .map(|chunk| {
            (
                chunk[0].0.as_millisecond(),
                chunk.iter().map(|(_, value)| value).sum::<f64>() / chunk.len() as f64,
            )
        })
        .collect()
}

fn contents_body(contents: &BucketContents) -> BucketContentsBody {
    BucketContentsBody {
        measured_at: time::text(contents.measured_at),
        objects: contents.objects,
        total_gib: contents.total_gib(),
        gib: contents.gib.clone(),
    }
}

fn access_body(access: &BucketAccess) -> BucketAccessBody {
    let total = access.total();
    let ages = AGE_BANDS
        .into_iter()
        .zip(total.bands())
        .map(|(from_days, band)| AgeUseBody {
            from_days,
            objects: band.objects,
            gib: band.bytes as f64 / GIB,
            reads: band.reads,
            read_gib: band.read_bytes as f64 / GIB,
        });

    BucketAccessBody {
        state: access.state.into(),
        read_at: time::text(access.read_at),
        days: access.window_days(),
        records: access.records,
        last_read: total.last_read.map(time::text),
        ages: ages.collect(),
    }
}

fn protection_body((protected, changes): (Protected, Vec<&str>)) -> ProtectionBody {
    let changes = changes.into_iter().map(str::to_owned).collect();
    ProtectionBody {
        code: protected.code.to_owned(),
        reason: protected.reason,
        changes,
    }
}

fn body_of(resource: &Resource) -> EstateResourceBody {
    EstateResourceBody {
        id: resource.id.0.clone(),
        name: resource.name.clone(),
        kind: resource.kind.as_str().to_owned(),
        provider: resource.provider.into(),
        account: resource.account.clone(),
        region: resource.region.clone(),
        service: resource.service.clone(),
        connection_id: resource.connection.0.clone(),
        state: resource.state.into(),
        instance_type: resource.specification.instance_type.clone(),
        storage_gib: resource.specification.storage_gib,
        contents: resource.specification.contents.as_ref().map(contents_body),
        access: resource.specification.access.as_ref().map(access_body),
        purchase: resource.purchase.map(Into::into),
        group: resource.group.as_ref().map(|group| group.0.clone()),
        protections: protections(resource, PriceCatalogue::builtin())
            .map(protection_body)
            .collect(),
        tags: resource.tags.clone(),
        monthly_cost: resource.monthly_cost.map(Money::usd_cents),
        created_at: resource.created_at.map(time::text),
        observed_at: time::text(resource.observed_at),
    }
}
