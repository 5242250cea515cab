//! Scores of a framework over time. The results of today are walked back by what came into force
//! and what ended each day.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use reeve_audit::FieldCode;
use reeve_controls::{ControlCatalogue, ControlCheck, Framework};
use reeve_recommend::judgement::evidence::{CheckAnswer, EvidenceFilter, EvidenceTurnover};

use super::{accepted, answered, score, sum};
use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Caller, Params};
use crate::wire::compliance::{FrameworkDayBody, ResultCountsBody, TrendParams};
use crate::wire::form::list::List;

/// Longest trend, days.
const LONGEST: u32 = 365;
const DAY_S: i64 = 86_400;

/// Score of a framework at the end of each day.
#[utoipa::path(get, path = "/api/v1/intelligence/frameworks/{id}/trend", tag = "intelligence",
    params(("id" = String, Path, description = "Name of a framework, such as `soc2`"), TrendParams),
    responses((status = 200, body = List<FrameworkDayBody>), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(in crate::routes::intelligence) async fn trend(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Params(params): Params<TrendParams>,
) -> Result<Json<List<FrameworkDayBody>>, Problem> {
    let catalogue = app.checks.current();
    let visible = app.visible(&caller.principal).await?;
    let framework = catalogue
        .framework(&id)
        .filter(|framework| visible.has_framework(&framework.id))
        .ok_or_else(|| Problem::not_found("framework", &id))?;
    let days = params.days.unwrap_or(30);
    if !(1..=LONGEST).contains(&days) {
        let message = format!("must be a number from 1 to {LONGEST}");
        return Err(Problem::field("days", FieldCode::InvalidValue, message));
    }

    let today = app.clock.now().as_second().div_euclid(DAY_S);
    let since = Timestamp::from_second((today - i64::from(days) + 1) * DAY_S);
    let since = since.unwrap_or(Timestamp::UNIX_EPOCH);
    let checks: Vec<&ControlCheck> = checks_of(&catalogue, framework).collect();
    let filter = EvidenceFilter {
        visible: visible.connections(),
        ..EvidenceFilter::default()
    };
    let now = sum(checks.iter().copied(), &answered(&app, &filter).await?);
    let turnover = app.evidence.evidence_turnover(&filter, since).await?;

    let names: HashSet<&str> = checks.iter().map(|check| check.id.as_str()).collect();
    let of_framework = turnover
        .iter()
        .filter(|one| names.contains(one.check.as_str()));
    let mut items = walked_back(now, of_framework, today, days);
    let begun = excepted_since(&app, &filter, &names).await?;
    for (body, day) in items.iter_mut().zip(today - i64::from(days) + 1..) {
        let excepted = begun.iter().filter(|begun| **begun <= day).count() as u64;
        body.results.excepted = excepted.min(body.results.fail);
        body.score = score(&body.results);
    }
    Ok(Json(List {
        total: items.len() as u64,
        items,
        next_cursor: None,
    }))
}

/// Returns the day from which each exception in force counts: that of the failure or of its acceptance,
/// whichever is later. Exceptions that ended are failures on the days before.
async fn excepted_since(
    app: &App,
    filter: &EvidenceFilter,
    checks: &HashSet<&str>,
) -> Result<Vec<i64>, Problem> {
    let accepted = accepted(app, filter).await?;
    let of_framework = accepted
        .iter()
        .filter(|one| checks.contains(one.found.result.check.as_str()));
    let begun = of_framework.map(|one| one.exception.at.max(one.found.since));
    Ok(begun
        .map(|begun| begun.as_second().div_euclid(DAY_S))
        .collect())
}

fn checks_of<'c>(
    catalogue: &'c ControlCatalogue,
    framework: &'c Framework,
) -> impl Iterator<Item = &'c ControlCheck> {
    let all = catalogue.checks().map(AsRef::as_ref);
    all.filter(|check| framework.is_proven_by(check))
}

/// Returns the counts at the end of each day, the oldest first.
fn walked_back<'t>(
    now: ResultCountsBody,
    turnover: impl Iterator<Item = &'t EvidenceTurnover>,
    today: i64,
    days: u32,
) -> Vec<FrameworkDayBody> {
    let mut by_day: BTreeMap<i64, Vec<&EvidenceTurnover>> = BTreeMap::new();
    for one in turnover {
        by_day.entry(one.day).or_default().push(one);
    }

    let mut results = now;
    let mut found = Vec::new();
    for day in (0..i64::from(days)).map(|back| today - back) {
        found.push(FrameworkDayBody {
            day: date(day).to_string(),
            results,
            score: score(&results),
        });
        for one in by_day.get(&day).into_iter().flatten() {
            let count = match one.answer {
                CheckAnswer::Pass => &mut results.pass,
                CheckAnswer::Fail => &mut results.fail,
                CheckAnswer::Unknown => &mut results.unknown,
                CheckAnswer::NotApplicable => &mut results.not_applicable,
            };
            *count = (*count + one.ended).saturating_sub(one.begun);
        }
    }

    found.reverse();
    found
}

/// The date of a number of days since 1970.
fn date(day: i64) -> Date {
    let begin = Timestamp::UNIX_EPOCH.to_zoned(TimeZone::UTC).date();
    begin.checked_add(day.days()).unwrap_or(begin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_ends_with_what_began_before_and_has_not_ended() {
        let of = |day, answer, begun, ended| EvidenceTurnover {
            day,
            check: "c".to_owned(),
            answer,
            begun,
            ended,
        };
        let turnover = [
            of(20_000, CheckAnswer::Fail, 3, 0),
            of(20_001, CheckAnswer::Fail, 0, 2),
            of(20_001, CheckAnswer::Pass, 2, 0),
        ];
        let now = ResultCountsBody {
            pass: 2,
            fail: 1,
            ..ResultCountsBody::default()
        };

        let days = walked_back(now, turnover.iter(), 20_002, 4);
        let seen: Vec<(&str, u64, u64, Option<f64>)> = days
            .iter()
            .map(|one| {
                (
                    one.day.as_str(),
                    one.results.pass,
                    one.results.fail,
                    one.score,
                )
            })
            .collect();
        assert_eq!(
            seen,
            [
                ("2024-10-03", 0, 0, None),
                ("2024-10-04", 0, 3, Some(0.0)),
                ("2024-10-05", 2, 1, Some(66.6)),
                ("2024-10-06", 2, 1, Some(66.6)),
            ]
        );
    }
}
