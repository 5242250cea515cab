//! Parts of the interface's description that every operation has alike: its identifier, and the
//! problems that come from the guards in front of it rather than from its handler.
//!
//! Handlers name the answers that are theirs. A missing token, an unreadable body, a full log:
//! those follow from the route's rule, path and parameters, so they are added here and cannot be
//! forgotten. Problems are `application/problem+json` (RFC 9457) throughout.

mod examples;

use std::collections::{BTreeMap, BTreeSet};

use axum::http::StatusCode;
use utoipa::Number;
use utoipa::openapi::path::{Operation, ParameterIn, PathItem};
use utoipa::openapi::response::Response;
use utoipa::openapi::{Content, OpenApi, Ref, RefOr, Required, ResponseBuilder, Schema, header};

use crate::guard::{Access, GuardRule};
use crate::paging::{MAX_LIMIT, MAX_OFFSET};

/// The media type of a problem.
const PROBLEM: &str = "application/problem+json";

/// Problems that any of several operations may answer: status, and what it means.
const SHARED: &[(u16, &str)] = &[
    (400, "The request cannot be read."),
    (401, "No token or session, or one that is not valid."),
    (403, "The caller does not have the permission."),
    (404, "It does not exist, or the caller may not see it."),
    (408, "The body did not arrive in time."),
    (
        409,
        "The request conflicts with the present state: a name is taken, or another user has changed the object.",
    ),
    (413, "The body is larger than the service takes."),
    (415, "The body is of another media type."),
    (422, "Fields or parameters are not valid; each is named."),
    (
        429,
        "Too much at once; `Retry-After` says when to try again.",
    ),
    (500, "Internal error."),
    (
        503,
        "The log cannot be written right now; nothing was done.",
    ),
    (507, "The disk is full; nothing was done."),
];

/// The media type of a stream of events.
const EVENTS: &str = "text/event-stream";

/// Completes the description that the handlers gave.
pub(crate) fn completed(mut document: OpenApi, rules: &[GuardRule]) -> OpenApi {
    let components = document.components.get_or_insert_with(Default::default);
    for (status, meaning) in SHARED {
        components
            .responses
            .insert(name_of(*status), RefOr::T(problem(*status, meaning)));
    }

    let lenient = without_needs(&components.schemas);
    let paths = std::mem::take(&mut document.paths.paths);

    for (route, mut item) in paths {
        let path = route.replace("{*", "{");
        for (method, operation) in operations(&mut item) {
            operation.operation_id = Some(identifier(method, &path));
            for answer in operation.responses.responses.values_mut() {
                as_problem(answer);
                as_stream(answer);
            }
            bounded(operation);
            optional(operation, &lenient);
            examples::add(method, &path, operation);
            let rule = rules
                .iter()
                .find(|rule| rule.path == route && rule.method.eq_ignore_ascii_case(method));
            for status in shared(method, &path, operation, rule.map(|rule| rule.access)) {
                let answers = &mut operation.responses.responses;
                let reference = Ref::from_response_name(name_of(status));
                answers
                    .entry(status.to_string())
                    .or_insert(RefOr::Ref(reference));
            }
        }
        document.paths.paths.insert(path, item);
    }

    document
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = (&'static str, &mut Operation)> {
    let all = [
        ("get", &mut item.get),
        ("post", &mut item.post),
        ("put", &mut item.put),
        ("patch", &mut item.patch),
        ("delete", &mut item.delete),
    ];
    all.into_iter()
        .filter_map(|(method, operation)| operation.as_mut().map(|operation| (method, operation)))
}

/// An identifier that no other operation has (`get_audit_logs_event_id`).
fn identifier(method: &str, path: &str) -> String {
    let words = path
        .trim_start_matches("/api/v1/")
        .split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    format!("{method}_{}", words.join("_"))
}

/// The problems that an operation answers whatever its handler does.
fn shared(
    method: &str,
    path: &str,
    operation: &Operation,
    access: Option<Access>,
) -> BTreeSet<u16> {
    let mut found = BTreeSet::from([500]);
    let changes = method != "get";
    let parameters = operation.parameters.iter().flatten();
    let asks = parameters.filter_map(|one| match one {
        RefOr::T(parameter) => Some(&parameter.parameter_in),
        RefOr::Ref(_) => None,
    });
    let (mut in_path, mut in_query) = (false, false);
    for place in asks {
        in_path |= *place == ParameterIn::Path;
        in_query |= matches!(place, ParameterIn::Query | ParameterIn::Header);
    }

    if access != Some(Access::Public) {
        found.insert(401);
        // A cookie alone changes nothing from another site.
        if changes || matches!(access, Some(Access::Needs(_) | Access::NeedsAny(_))) {
            found.insert(403);
        }
    }

    if in_path {
        found.extend([400, 404]);
    }
    if in_query {
        found.insert(422);
    }
    if operation.request_body.is_some() {
        found.extend([400, 408, 413, 415, 422]);
    }

    // Changing anything writes to the log, and so does reading it.
    if changes && (in_path || operation.request_body.is_some()) {
        found.insert(409);
    }
    if changes || path.starts_with("/api/v1/audit-logs") {
        found.extend([429, 503, 507]);
    }

    found
}

fn name_of(status: u16) -> String {
    let reason = StatusCode::from_u16(status)
        .ok()
        .and_then(|status| status.canonical_reason());
    reason.unwrap_or("Problem").split_whitespace().collect()
}

fn problem(status: u16, meaning: &str) -> Response {
    let schema: RefOr<Schema> = Ref::from_schema_name("ProblemBody").into();
    let answer = ResponseBuilder::new()
        .description(meaning)
        .content(PROBLEM, Content::new(Some(schema)));
    if status != 429 {
        return answer.build();
    }

    let seconds =
        utoipa::openapi::ObjectBuilder::new().schema_type(utoipa::openapi::schema::Type::Integer);
    answer
        .header(
            "Retry-After",
            header::HeaderBuilder::new().schema(Some(seconds)).build(),
        )
        .build()
}

/// Gives a problem that a handler named its media type.
fn as_problem(answer: &mut RefOr<Response>) {
    let RefOr::T(response) = answer else { return };
    let is_problem = |content: &RefOr<Content>| match content {
        RefOr::T(content) => {
            matches!(&content.schema, Some(RefOr::Ref(to)) if to.ref_location.ends_with("/ProblemBody"))
        }
        RefOr::Ref(_) => false,
    };

    let Some(content) = response
        .content
        .get("application/json")
        .filter(|content| is_problem(content))
        .cloned()
    else {
        return;
    };

    response.content.clear();
    response.content.insert(PROBLEM.to_owned(), content);
}

/// Takes the schema from a stream of events: it is not the schema of one of them.
fn as_stream(answer: &mut RefOr<Response>) {
    let RefOr::T(response) = answer else { return };
    if let Some(RefOr::T(content)) = response.content.get_mut(EVENTS) {
        content.schema = None;
    }
}

/// Gives paging parameters the bounds that `paging.rs` checks.
fn bounded(operation: &mut Operation) {
    for parameter in operation.parameters.iter_mut().flatten() {
        let RefOr::T(parameter) = parameter else {
            continue;
        };
        let Some(RefOr::T(Schema::Object(schema))) = &mut parameter.schema else {
            continue;
        };
        match parameter.name.as_str() {
            "limit" => {
                schema.minimum = Some(Number::UInt(1));
                schema.maximum = Some(Number::UInt(MAX_LIMIT as usize));
            }
            "offset" => schema.maximum = usize::try_from(MAX_OFFSET).ok().map(Number::UInt),
            _ => {}
        }
    }
}

/// The names of schemas without a member that is needed.
fn without_needs(schemas: &BTreeMap<String, RefOr<Schema>>) -> BTreeSet<String> {
    let lenient = |schema: &RefOr<Schema>| matches!(schema, RefOr::T(Schema::Object(object)) if object.required.is_empty());
    schemas
        .iter()
        .filter(|(_, schema)| lenient(schema))
        .map(|(name, _)| name.clone())
        .collect()
}

/// A body of which nothing is needed may be left out: an empty one reads as `{}`.
fn optional(operation: &mut Operation, lenient: &BTreeSet<String>) {
    let Some(RefOr::T(body)) = &mut operation.request_body else {
        return;
    };

    let schema = match body.content.get("application/json") {
        Some(RefOr::T(content)) => content.schema.as_ref(),
        _ => None,
    };
    if let Some(RefOr::Ref(to)) = schema
        && to
            .ref_location
            .rsplit('/')
            .next()
            .is_some_and(|name| lenient.contains(name))
    {
        body.required = Some(Required::False);
    }
}
