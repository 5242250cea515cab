//! From the names of what is counted to what the log counts, and back to the wire.

use std::collections::BTreeMap;

use reeve_audit::FieldCode;
use reeve_audit::query::{FieldPath, QueryColumn};
use reeve_ledger::{Aggregation, EntryCounts, GroupBy, TimeUnit};

use crate::error::Problem;
use crate::wire::log::search::{CountBody, CountsBody};

/// Most fields that one request may count.
const MOST: usize = 10;
/// Values told of each at most.
const MOST_VALUES: u32 = 1000;

/// Names of time spans, each with its length.
const UNITS: [(&str, TimeUnit); 12] = [
    ("minute", TimeUnit::Minute),
    ("hour", TimeUnit::Hour),
    ("day", TimeUnit::Day),
    ("week", TimeUnit::Week),
    ("month", TimeUnit::Month),
    ("1m", TimeUnit::Minute),
    ("5m", TimeUnit::FiveMinutes),
    ("15m", TimeUnit::QuarterHour),
    ("1h", TimeUnit::Hour),
    ("1d", TimeUnit::Day),
    ("1w", TimeUnit::Week),
    ("1mo", TimeUnit::Month),
];

/// Hint at the names of spans.
const INTERVALS: &str =
    "intervals are minute, hour, day, week and month, or 1m, 5m, 15m, 1h, 1d, 1w and 1mo";

/// The length of a span of time.
pub(super) fn unit(name: &str) -> Option<TimeUnit> {
    UNITS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, unit)| *unit)
}

/// Reads the names of counts; `field` is the request's field that has them.
pub(super) fn read(
    field: &str,
    names: &[String],
    limit: Option<u32>,
    default: u32,
) -> Result<Vec<Aggregation>, Problem> {
    if names.len() > MOST {
        return Err(Problem::field(
            field,
            FieldCode::TooMany,
            format!("name at most {MOST}, not {}", names.len()),
        ));
    }

    let limit_field = if field == "by" {
        "limit"
    } else {
        "aggregation_limit"
    };

    let limit = limit.unwrap_or(default);
    if limit == 0 || limit > MOST_VALUES {
        return Err(Problem::field(
            limit_field,
            FieldCode::OutOfRange,
            format!("must be 1 to {MOST_VALUES}, not {limit}"),
        ));
    }

    names
        .iter()
        .enumerate()
        .map(|(at, name)| {
            Ok(Aggregation {
                by: group_by(&format!("{field}[{at}]"), name)?,
                limit: limit as usize,
            })
        })
        .collect()
}

/// Returns the counts that the interface's names stand for, for a program that reads the log
/// itself; at most `limit` values of each.
///
/// # Errors
/// A field is unknown, there are more than ten fields, or the limit is not 1 to 1,000; the problem
/// names the parameter.
pub fn named_counts(names: &[String], limit: u32) -> Result<Vec<Aggregation>, Problem> {
    read("aggregations", names, Some(limit), limit)
}

/// A field or a span of time, or two of them with `>` between.
fn group_by(at: &str, name: &str) -> Result<GroupBy, Problem> {
    match name.split_once('>') {
        None => single(at, name),
        Some((outer, inner)) => {
            let of = |name: &str| single(at, name.trim()).map(Box::new);
            Ok(GroupBy::Nested(of(outer)?, of(inner)?))
        }
    }
}

fn single(at: &str, name: &str) -> Result<GroupBy, Problem> {
    let wrong = |message: String, hint: &str| {
        Problem::field(at, FieldCode::UnknownAggregation, message).with_hint(Some(hint.to_owned()))
    };

    if let Some(unit) = unit(name) {
        return Ok(GroupBy::Time {
            column: QueryColumn::Timestamp,
            unit,
        });
    }

    let (field, span) = match name.split_once(':') {
        Some((field @ ("timestamp" | "recorded_at"), span)) => (field, Some(span)),
        _ => (name, None),
    };
    let path: FieldPath = field
        .parse()
        .map_err(|error: reeve_audit::query::QueryError| {
            let hint = error
                .hint
                .unwrap_or_else(|| "name a field of the query language, or hour or day".to_owned());
            wrong(error.message, &hint)
        })?;

    match path {
        FieldPath::Column(column) if column.is_time() => match span.map(unit) {
            Some(Some(unit)) => Ok(GroupBy::Time { column, unit }),
            Some(None) => Err(wrong(format!("`{name}` is not a time interval"), INTERVALS)),
            None => Err(wrong(
                format!("`{name}` is unique in every entry, so it cannot be grouped by"),
                &format!("write {name}:1h"),
            )),
        },
        FieldPath::Column(column) => Ok(GroupBy::Column(column)),
        FieldPath::User => Ok(GroupBy::User),
        FieldPath::Changes => Err(whole(&wrong, name)),
        FieldPath::Before(path) | FieldPath::After(path) if path.is_empty() => {
            Err(whole(&wrong, name))
        }
        field => Ok(GroupBy::Field(field)),
    }
}

fn whole(wrong: &impl Fn(String, &str) -> Problem, name: &str) -> Problem {
    wrong(
        format!("`{name}` is a whole state and has no values to count"),
        "name a member, such as changes.after.size",
    )
}

/// Counts on the wire, under the names they were asked for with.
pub(super) fn named(names: Vec<String>, counts: Vec<EntryCounts>) -> BTreeMap<String, CountsBody> {
    names
        .into_iter()
        .zip(counts.into_iter().map(body))
        .collect()
}

fn body(counts: EntryCounts) -> CountsBody {
    let EntryCounts {
        values,
        nested,
        distinct,
        other,
        missing,
    } = counts;
    CountsBody {
        buckets: buckets(values, nested),
        distinct,
        other,
        missing,
    }
}

/// Values with their counts on the wire, and the counts of a second field for each of them if there
/// are any.
pub(super) fn buckets(values: Vec<(String, u64)>, nested: Vec<EntryCounts>) -> Vec<CountBody> {
    let nested = nested
        .into_iter()
        .map(|counts| Some(body(counts)))
        .chain(std::iter::repeat_with(|| None));
    values
        .into_iter()
        .zip(nested)
        .map(|((value, count), nested)| CountBody {
            value,
            count,
            nested,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn names_and_what_they_count() {
        let time = |column, unit| GroupBy::Time { column, unit };
        for (name, expect) in [
            ("event_type", GroupBy::Column(QueryColumn::EventType)),
            ("resource_type", GroupBy::Column(QueryColumn::ResourceType)),
            ("resource.id", GroupBy::Column(QueryColumn::ResourceId)),
            ("status", GroupBy::Column(QueryColumn::ActionStatus)),
            ("user", GroupBy::User),
            ("hour", time(QueryColumn::Timestamp, TimeUnit::Hour)),
            ("timestamp:1h", time(QueryColumn::Timestamp, TimeUnit::Hour)),
            (
                "timestamp:1mo",
                time(QueryColumn::Timestamp, TimeUnit::Month),
            ),
            (
                "recorded_at:week",
                time(QueryColumn::RecordedAt, TimeUnit::Week),
            ),
            (
                "timestamp:15m",
                time(QueryColumn::Timestamp, TimeUnit::QuarterHour),
            ),
            (
                "5m > user",
                GroupBy::Nested(
                    Box::new(time(QueryColumn::Timestamp, TimeUnit::FiveMinutes)),
                    Box::new(GroupBy::User),
                ),
            ),
            ("tags", GroupBy::Field(FieldPath::Tags)),
            (
                "resource.tags.env",
                GroupBy::Field(FieldPath::ResourceTag("env".into())),
            ),
            (
                "metadata.team",
                GroupBy::Field(FieldPath::Metadata(vec!["team".into()])),
            ),
            (
                "changes.after.size",
                GroupBy::Field(FieldPath::After(vec!["size".into()])),
            ),
        ] {
            assert_eq!(group_by("aggregations[0]", name).unwrap(), expect, "{name}");
        }
    }

    #[test]
    fn wrong_names_are_named() {
        for (name, hint) in [
            ("usr", "did you mean user?"),
            ("actor.emial", "did you mean actor.email?"),
            ("timestamp", "write timestamp:1h"),
            ("timestamp:2h", INTERVALS),
            ("day>usr", "did you mean user?"),
            (
                "a>b>c",
                "to search for the text itself, put it in double quotes",
            ),
            ("changes.after", "name a member, such as changes.after.size"),
            (
                "severity:high",
                "name a field of the query language, or hour or day",
            ),
            ("", "name a field of the query language, or hour or day"),
        ] {
            let names = ["event_type".to_owned(), "user".to_owned(), name.to_owned()];
            let problem = read("aggregations", &names, None, 100).unwrap_err();
            assert_eq!(problem.body().errors[0].field, "aggregations[2]", "{name}");
            assert_eq!(problem.body().hint.as_deref(), Some(hint), "{name}");
        }

        let many: Vec<_> = (0..11).map(|n| format!("metadata.m{n}")).collect();
        assert_eq!(
            read("aggregations", &many, None, 100)
                .unwrap_err()
                .body()
                .errors[0]
                .field,
            "aggregations"
        );

        for limit in [0, 1001] {
            let wrong = read("by", &many[..1], Some(limit), 10).unwrap_err();
            assert_eq!(wrong.body().errors[0].field, "limit");
        }
    }
}
