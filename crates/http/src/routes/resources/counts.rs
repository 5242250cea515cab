//! Counts of resources by an attribute, and the list as CSV.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderValue, Uri, header};
use axum::response::{IntoResponse as _, Response};
use futures::stream::{self, StreamExt as _};
use reeve_audit::format::push_csv_cell;
use reeve_audit::{FieldCode, ResourceRef, events};
use reeve_estate::{Money, Resource};

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Caller, Params};
use crate::routes::resources::search::{Search, SearchWalk};
use crate::wire::estate::ResourceFilterParams;
use crate::wire::estate::description::{CountParams, ResourceCountBody, ResourceCountsBody};
use crate::{log_entry, time};

/// Columns of the CSV.
const COLUMNS: &str =
    "id,name,type,provider,account,region,service,state,monthly_cost,created_at,observed_at,tags";

/// Number of resources by kind, account, region, state or tag.
#[utoipa::path(get, path = "/api/v1/resource-counts", tag = "estate", params(CountParams),
    responses((status = 200, body = ResourceCountsBody), (status = 422, body = ProblemBody)))]
pub(super) async fn counts(
    State(app): State<Arc<App>>,
    Params(params): Params<CountParams>,
) -> Result<Json<ResourceCountsBody>, Problem> {
    let by = Attribute::parse(&params.by)?;
    let filters = ResourceFilterParams {
        connection: params.connection,
        provider: params.provider,
        account: params.account,
        kind: params.kind,
        service: params.service,
        text: params.text,
        query: params.query,
    };
    let search = Search::from_params(&app, &filters).await?;

    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    search
        .each(&app, |resource| {
            *counts.entry(by.value_in(&resource)).or_default() += 1
        })
        .await?;
    let total = counts.values().sum();
    let mut items: Vec<ResourceCountBody> = counts
        .into_iter()
        .map(|(value, count)| ResourceCountBody { value, count })
        .collect();
    items.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.value.cmp(&b.value)));

    Ok(Json(ResourceCountsBody {
        by: params.by,
        items,
        total,
    }))
}

/// Attribute that is counted by.
enum Attribute {
    Kind,
    Account,
    Region,
    State,
    Tag(String),
}

impl Attribute {
    fn parse(text: &str) -> Result<Self, Problem> {
        match text {
            "type" => Ok(Attribute::Kind),
            "account" => Ok(Attribute::Account),
            "region" => Ok(Attribute::Region),
            "state" => Ok(Attribute::State),
            other => match other.strip_prefix("tag:").filter(|name| !name.is_empty()) {
                Some(name) => Ok(Attribute::Tag(name.to_owned())),
                None => Err(Problem::field(
                    "by",
                    FieldCode::InvalidValue,
                    "must be type, account, region, state or tag:NAME",
                )),
            },
        }
    }

    fn value_in(&self, resource: &Resource) -> String {
        match self {
            Attribute::Kind => resource.kind.as_str().to_owned(),
            Attribute::Account => resource.account.clone(),
            Attribute::Region => resource.region.clone(),
            Attribute::State => resource.state.as_str().to_owned(),
            Attribute::Tag(name) => resource.tag(name).unwrap_or_default().to_owned(),
        }
    }
}

/// Everything that a search of resources finds, as CSV.
#[utoipa::path(get, path = "/api/v1/resources.csv", tag = "estate", params(ResourceFilterParams),
    responses((status = 200, description = "The resources, one a line", content_type = "text/csv", body = String),
        (status = 422, body = ProblemBody)))]
pub(super) async fn csv(
    State(app): State<Arc<App>>,
    caller: Caller,
    uri: Uri,
    Params(params): Params<ResourceFilterParams>,
) -> Result<Response, Problem> {
    let search = Search::from_params(&app, &params).await?;
    let entry = log_entry::did(
        &caller,
        &events::DATA_EXPORT,
        "export_resources",
        ResourceRef::new("inventory", "resources"),
    )
    .with_metadata("request", uri.query().unwrap_or_default());
    app.record_reading(entry).await?;

    let mut walk = SearchWalk::default();
    // The first part is found before the answer begins, so that a failure of the store is answered
    // as one.
    let first = search.next(&app, &mut walk).await?.unwrap_or_default();
    let begin = Bytes::from(format!("{COLUMNS}\r\n{}", lines(&first)));
    let rest = stream::try_unfold((app, search, walk), |(app, search, mut walk)| async move {
        let page = search.next(&app, &mut walk).await;
        let page = page.map_err(|_| io::Error::other("the resources could not be read"))?;
        Ok(page.map(|page| (Bytes::from(lines(&page)), (app, search, walk))))
    });
    let text = Body::from_stream(stream::once(async { Ok::<_, io::Error>(begin) }).chain(rest));
    let kind = HeaderValue::from_static("text/csv; charset=utf-8; header=present");
    let name = HeaderValue::from_static("attachment; filename=\"resources.csv\"");

    Ok((
        [
            (header::CONTENT_TYPE, kind),
            (header::CONTENT_DISPOSITION, name),
        ],
        text,
    )
        .into_response())
}

fn lines(resources: &[Resource]) -> String {
    resources.iter().map(line).collect()
}

fn line(resource: &Resource) -> String {
    let tags: Vec<String> = resource
        .tags
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();

    let cells = [
        resource.id.0.clone(),
        resource.name.clone(),
        resource.kind.as_str().to_owned(),
        resource.provider.as_str().to_owned(),
        resource.account.clone(),
        resource.region.clone(),
        resource.service.clone(),
        resource.state.as_str().to_owned(),
        resource
            .monthly_cost
            .map(Money::usd_cents)
            .map_or_else(String::new, |cost| cost.to_string()),
        resource.created_at.map_or_else(String::new, time::text),
        time::text(resource.observed_at),
        tags.join(";"),
    ];

    let mut line = String::new();
    for (index, text) in cells.iter().enumerate() {
        if index > 0 {
            line.push(',');
        }
        push_csv_cell(text, &mut line);
    }

    line + "\r\n"
}
