//! Settings of a report: from what was sent to what can be run. Every failing field is named.

use jiff::Timestamp;
use reeve_audit::query::Query;
use reeve_audit::{FieldCode, FieldError, is_email_address};
use reeve_schedule::{Schedule, ScheduleError};

use crate::definition::{Filters, GroupField, ReportKind, ReportMetric, ReportRequest};
use crate::period::{LONGEST_DAYS, PeriodChoice, ReportPeriod};
use crate::templates::{template, templates};

const MAX_NAME: usize = 100;
const MAX_VALUES: usize = 100;
const MAX_VALUE: usize = 500;
const MAX_CHANNELS: usize = 20;
const MAX_RECIPIENTS: usize = 50;

/// A request as sent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RequestDraft {
    /// Framework of a compliance report.
    pub framework: Option<String>,
    /// Query of a custom report.
    pub query: Option<String>,
    /// Grouping of a custom report.
    pub group_by: Vec<String>,
    /// Figures of a custom report; none for all.
    pub metrics: Vec<String>,
    /// Period by name or length.
    pub period: Option<String>,
    /// First instant of a period between two times.
    pub start_time: Option<Timestamp>,
    /// First instant after it.
    pub end_time: Option<Timestamp>,
    /// Restrictions to accounts, users and resources.
    pub filters: Filters,
}

/// A definition as sent, its request aside.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DefinitionDraft {
    /// Name, 1 to 100 characters on one line.
    pub name: String,
    /// Cron pattern and time zone.
    pub schedule: Option<(String, String)>,
    /// Names of notification channels.
    pub channels: Vec<String>,
    pub recipients: Vec<String>,
}

/// Checks a request.
///
/// # Errors
/// Every failing field with a code and a reason.
pub fn read_request(draft: RequestDraft) -> Result<ReportRequest, Vec<FieldError>> {
    let mut errors = Vec::new();
    let period = period(&draft).map_err(|error| errors.push(error)).ok();
    check_filters(&draft.filters, &mut errors);
    let kind = kind(&draft, &mut errors);

    match (kind, period) {
        (Some(kind), Some(period)) if errors.is_empty() => Ok(ReportRequest {
            kind,
            period,
            filters: draft.filters,
        }),
        _ => Err(errors),
    }
}

fn kind(draft: &RequestDraft, errors: &mut Vec<FieldError>) -> Option<ReportKind> {
    if let Some(framework) = &draft.framework {
        for (field, given) in [
            ("query", draft.query.is_some()),
            ("group_by", !draft.group_by.is_empty()),
            ("metrics", !draft.metrics.is_empty()),
        ] {
            if given {
                errors.push(invalid(
                    field,
                    "is only for custom reports, and this one has a framework",
                ));
            }
        }
        let Some(template) = template(framework) else {
            let known = templates()
                .iter()
                .map(|template| template.id.as_str())
                .collect::<Vec<_>>()
                .join(", ");
            errors.push(invalid("framework", format!("must be one of {known}")));
            return None;
        };
        return Some(ReportKind::Compliance {
            framework: template.id.clone(),
        });
    }

    let query = draft.query.clone().unwrap_or_default();
    if let Err(error) = Query::parse(&query) {
        let hint = error
            .hint
            .map(|hint| format!(": {hint}"))
            .unwrap_or_default();
        let message = format!("{} (at position {}){hint}", error.message, error.position);
        errors.push(FieldError {
            offset: Some(error.position),
            ..FieldError::new("query", FieldCode::InvalidQuery, message)
        });
    }

    let group_by = named(
        "group_by",
        &draft.group_by,
        GroupField::parse,
        "user, resource or event_type",
        errors,
    );

    let known = "event_counts, unique_users or resources_affected";
    let mut metrics = named(
        "metrics",
        &draft.metrics,
        ReportMetric::parse,
        known,
        errors,
    );
    if metrics.is_empty() {
        metrics = ReportMetric::ALL.to_vec();
    }

    Some(ReportKind::Custom {
        query,
        group_by,
        metrics,
    })
}

fn named<T: PartialEq>(
    field: &str,
    given: &[String],
    parse: impl Fn(&str) -> Option<T>,
    known: &str,
    errors: &mut Vec<FieldError>,
) -> Vec<T> {
    let mut read = Vec::new();
    for (at, name) in given.iter().enumerate() {
        // `event type` and `Unique users` as they are printed, beside `event_type` and
        // `unique_users`.
        match parse(&name.trim().to_ascii_lowercase().replace([' ', '-'], "_")) {
            Some(value) if read.contains(&value) => {
                errors.push(invalid(format!("{field}[{at}]"), "occurs twice"))
            }
            Some(value) => read.push(value),
            None => errors.push(invalid(
                format!("{field}[{at}]"),
                format!("must be {known}"),
            )),
        }
    }

    read
}

fn period(draft: &RequestDraft) -> Result<PeriodChoice, FieldError> {
    match (draft.period.as_deref(), draft.start_time, draft.end_time) {
        (Some(text), None, None) => PeriodChoice::parse(text).ok_or_else(|| {
            let known = "previous_week, previous_month, previous_quarter or previous_year";
            invalid(
                "period",
                format!(
                    "must be a length such as 24h, 30d or 12w (at most {LONGEST_DAYS}d), or {known}"
                ),
            )
        }),
        (None, Some(start), Some(end)) => {
            let period = ReportPeriod { start, end };
            if start >= end {
                Err(invalid("start_time", "must lie before end_time"))
            } else if period.days() > LONGEST_DAYS {
                Err(invalid(
                    "start_time",
                    format!("is more than {LONGEST_DAYS} days before end_time"),
                ))
            } else {
                Ok(PeriodChoice::Between(period))
            }
        }
        (Some(_), _, _) => Err(invalid(
            "period",
            "cannot be combined with start_time and end_time",
        )),
        (None, None, None) => Err(FieldError::new(
            "period",
            FieldCode::MissingField,
            "must be given, or start_time and end_time",
        )),
        (None, None, _) => Err(FieldError::new(
            "start_time",
            FieldCode::MissingField,
            "must be given with end_time",
        )),
        (None, _, None) => Err(FieldError::new(
            "end_time",
            FieldCode::MissingField,
            "must be given with start_time",
        )),
    }
}

fn check_filters(filters: &Filters, errors: &mut Vec<FieldError>) {
    for (name, field, values) in filters.lists() {
        if values.len() > MAX_VALUES {
            errors.push(invalid(
                format!("filters.{name}"),
                format!("may name at most {MAX_VALUES}"),
            ));
        }
        for (at, value) in values.iter().enumerate() {
            let path = format!("filters.{name}[{at}]");
            if value.trim().is_empty()
                || value.len() > MAX_VALUE
                || value.contains(char::is_control)
            {
                errors.push(invalid(
                    path,
                    format!("must be text of at most {MAX_VALUE} bytes on one line"),
                ));
            } else if let Err(error) = reeve_audit::query::filter(field, value) {
                errors.push(invalid(path, error.message));
            }
        }
    }
}

/// Checks name, schedule and receivers.
///
/// # Errors
/// Every failing field with a code and a reason.
pub fn read_definition(
    draft: &DefinitionDraft,
    now: Timestamp,
) -> Result<Option<Schedule>, Vec<FieldError>> {
    let mut errors = Vec::new();
    let name = draft.name.trim();

    if name.is_empty() || name.chars().count() > MAX_NAME || name.contains(char::is_control) {
        errors.push(invalid(
            "name",
            format!("must have 1 to {MAX_NAME} characters on one line"),
        ));
    }

    let schedule = draft
        .schedule
        .as_ref()
        .map(|(pattern, zone)| Schedule::new(pattern, zone, now))
        .transpose();

    if let Err(error) = &schedule {
        let field = if matches!(error, ScheduleError::Zone(_)) {
            "schedule.time_zone"
        } else {
            "schedule.cron"
        };
        errors.push(invalid(field, error.to_string()));
    }

    if draft.channels.len() > MAX_CHANNELS {
        errors.push(invalid(
            "channels",
            format!("may name at most {MAX_CHANNELS}"),
        ));
    }

    if draft.recipients.len() > MAX_RECIPIENTS {
        errors.push(invalid(
            "recipients",
            format!("may name at most {MAX_RECIPIENTS}"),
        ));
    }

    for (at, address) in draft.recipients.iter().enumerate() {
        if !is_email_address(address) {
            errors.push(invalid(
                format!("recipients[{at}]"),
                "must be an e-mail address",
            ));
        }
    }

    match schedule {
        Ok(schedule) if errors.is_empty() => Ok(schedule),
        _ => Err(errors),
    }
}

fn invalid(path: impl Into<String>, message: impl Into<String>) -> FieldError {
    FieldError::new(path, FieldCode::InvalidValue, message)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn fields(draft: RequestDraft) -> Vec<String> {
        read_request(draft)
            .unwrap_err()
            .into_iter()
            .map(|error| error.path)
            .collect()
    }

    #[test]
    fn every_failing_field_of_a_request_is_named() {
        let custom = RequestDraft {
            period: Some("30d".into()),
            ..RequestDraft::default()
        };
        assert!(read_request(custom.clone()).is_ok());

        let wrong = RequestDraft {
            query: Some("actor.emial:x".into()),
            group_by: vec!["user".into(), "user".into(), "colour".into()],
            metrics: vec!["cost".into()],
            period: Some("forever".into()),
            filters: Filters {
                users: vec![String::new()],
                ..Filters::default()
            },
            ..RequestDraft::default()
        };

        assert_eq!(
            fields(wrong),
            [
                "period",
                "filters.users[0]",
                "query",
                "group_by[1]",
                "group_by[2]",
                "metrics[0]"
            ]
        );

        let framework = Some("nothing".to_owned());
        assert_eq!(
            fields(RequestDraft {
                framework,
                query: Some(String::new()),
                ..custom
            }),
            ["query", "framework"]
        );
    }

    #[test]
    fn two_times_are_a_period_and_half_a_period_is_none() {
        let at = |text: &str| Some(text.parse::<Timestamp>().unwrap());
        let check = |period: Option<&str>, start, end| {
            let period = period.map(str::to_owned);
            read_request(RequestDraft {
                period,
                start_time: start,
                end_time: end,
                ..RequestDraft::default()
            })
            .map_err(|errors| errors[0].path.clone())
            .map(|request| request.period)
        };

        let (start, end) = (at("2026-01-01T00:00:00Z"), at("2026-02-01T00:00:00Z"));
        assert!(matches!(
            check(None, start, end),
            Ok(PeriodChoice::Between(_))
        ));
        assert_eq!(check(None, end, start), Err("start_time".to_owned()));
        assert_eq!(
            check(None, at("2019-01-01T00:00:00Z"), end),
            Err("start_time".to_owned())
        );
        assert_eq!(check(None, start, None), Err("end_time".to_owned()));
        assert_eq!(check(Some("30d"), start, end), Err("period".to_owned()));
        assert_eq!(check(None, None, None), Err("period".to_owned()));
    }

    #[test]
    fn name_schedule_and_recipients_are_checked() {
        let now = "2026-11-20T00:00:00Z".parse().unwrap();
        let draft = DefinitionDraft {
            name: " ".into(),
            schedule: Some(("* * * * *".into(), "UTC".into())),
            recipients: vec!["nobody".into()],
            ..DefinitionDraft::default()
        };
        let errors = read_definition(&draft, now).unwrap_err();
        let paths: Vec<_> = errors.iter().map(|error| error.path.as_str()).collect();

        assert_eq!(paths, ["name", "schedule.cron", "recipients[0]"]);
    }
}
