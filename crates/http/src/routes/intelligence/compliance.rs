//! Compliance: frameworks, their controls, and the results of checks.

pub(super) mod exceptions;
pub(super) mod own;
pub(super) mod trend;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use reeve_audit::FieldCode;
use reeve_controls::{Control, ControlCatalogue, ControlCheck, ControlState, Framework};
use reeve_engine::{AcceptedResult, accepted_results};
use reeve_estate::ResourceId;
use reeve_recommend::agent::AgentType;
use reeve_recommend::change::ConfigurationRow;
use reeve_recommend::judgement::evidence::{
    CheckAnswer, EvidenceFilter, EvidenceKey, JudgementEvidence,
};
use reeve_recommend::ports::RecommendationFilter;
use reeve_recommend::recommendation::{Priority, RecommendationId};

use crate::app::App;
use crate::error::{Problem, ProblemBody};
use crate::extract::{Caller, Params};
use crate::paging::window;
use crate::routes::resources::parse;
use crate::scope::VisibleEstate;
use crate::time;
use crate::wire::compliance::{
    CheckChangeBody, CheckResultBody, CheckResultParams, CheckedFrameworkBody,
    ConfigurationCheckBody, ControlCountsBody, ControlParams, FrameworkCheckBody,
    FrameworkControlBody, FrameworkControlDetailBody, ResultCountsBody,
};
use crate::wire::form::list::List;
use crate::wire::guardrail::change_control::ExclusionBody;

type Counts = BTreeMap<String, ResultCountsBody>;

/// Frameworks with the state of their controls.
#[utoipa::path(get, path = "/api/v1/intelligence/frameworks", tag = "intelligence",
    responses((status = 200, body = List<CheckedFrameworkBody>)))]
pub(super) async fn frameworks(
    State(app): State<Arc<App>>,
    caller: Caller,
) -> Result<Json<List<CheckedFrameworkBody>>, Problem> {
    let catalogue = app.checks.current();
    let visible = app.visible(&caller.principal).await?;
    let counts = counts(&app, &visible).await?;
    let checked = checked_frameworks(&app, &catalogue).await?;
    let items: Vec<CheckedFrameworkBody> = catalogue
        .frameworks()
        .filter(|framework| visible.has_framework(&framework.id))
        .map(|framework| framework_body(&catalogue, framework, &counts, &checked))
        .collect();

    Ok(Json(List {
        total: items.len() as u64,
        items,
        next_cursor: None,
    }))
}

/// Controls of frameworks, with the results of the checks that prove them.
#[utoipa::path(get, path = "/api/v1/intelligence/controls", tag = "intelligence", params(ControlParams),
    responses((status = 200, body = List<FrameworkControlBody>), (status = 422, body = ProblemBody)))]
pub(super) async fn controls(
    State(app): State<Arc<App>>,
    caller: Caller,
    Params(params): Params<ControlParams>,
) -> Result<Json<List<FrameworkControlBody>>, Problem> {
    let window = window(params.limit, params.offset, params.cursor.as_deref())?;
    let state = parse("state", params.state.as_deref(), ControlState::parse)?;
    let catalogue = app.checks.current();
    let framework = params.framework.as_deref().filter(|name| !name.is_empty());
    let visible = app.visible(&caller.principal).await?;
    if let Some(name) = framework
        && !(visible.has_framework(name) && catalogue.framework(name).is_some())
    {
        let message = format!("{name:?} is not known");
        return Err(Problem::field(
            "framework",
            FieldCode::InvalidValue,
            message,
        ));
    }

    let counts = counts(&app, &visible).await?;
    let all: Vec<FrameworkControlBody> = catalogue
        .frameworks()
        .filter(|one| visible.has_framework(&one.id))
        .filter(|one| framework.is_none_or(|framework| framework == one.id))
        .flat_map(|one| one.controls.iter().map(move |control| (one, control)))
        .map(|(one, control)| control_body(&catalogue, one, control, &counts))
        .filter(|body| state.is_none_or(|state| body.state.0 == state))
        .collect();

    Ok(Json(window.page(all.into_iter(), |body| body)))
}

/// A control, with the checks that prove it.
#[utoipa::path(get, path = "/api/v1/intelligence/controls/{id}", tag = "intelligence",
    params(("id" = String, Path, description = "Framework and number, such as `soc2:CC6.1`")),
    responses((status = 200, body = FrameworkControlDetailBody), (status = 404, body = ProblemBody)))]
pub(super) async fn control(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<FrameworkControlDetailBody>, Problem> {
    let catalogue = app.checks.current();
    let visible = app.visible(&caller.principal).await?;
    let (framework, control) = catalogue
        .control(&id)
        .filter(|(framework, _)| visible.has_framework(&framework.id))
        .ok_or_else(|| Problem::not_found("control", &id))?;
    let counts = counts(&app, &visible).await?;

    Ok(Json(FrameworkControlDetailBody {
        control: control_body(&catalogue, framework, control, &counts),
        framework_title: framework.title.clone(),
        checks: check_bodies(&catalogue, control, &counts),
    }))
}

/// Results of the checks that prove a control, or of one check: the most severe checks first, then
/// by title and resource.
#[utoipa::path(get, path = "/api/v1/intelligence/controls/{id}/results", tag = "intelligence",
    params(("id" = String, Path, description = "A control (`soc2:CC6.1`) or a check (`aws.s3.blocks_public_access`)"), CheckResultParams),
    responses((status = 200, body = List<CheckResultBody>), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub(super) async fn results(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    Params(params): Params<CheckResultParams>,
) -> Result<Json<List<CheckResultBody>>, Problem> {
    let window = window(params.limit, params.offset, params.cursor.as_deref())?;
    let severity = parse("severity", params.severity.as_deref(), Priority::parse)?;
    let catalogue = app.checks.current();
    let visible = app.visible(&caller.principal).await?;
    let checks =
        checks_of(&catalogue, &visible, &id).ok_or_else(|| Problem::not_found("control", &id))?;
    let checks: Vec<String> = checks
        .into_iter()
        .filter(|check| severity.is_none_or(|severity| check.severity == severity))
        .map(|check| check.id.clone())
        .collect();
    if checks.is_empty() {
        return Ok(Json(List {
            items: Vec::new(),
            total: 0,
            next_cursor: None,
        }));
    }

    let is_excepted = params.result.as_deref() == Some("excepted");
    let answer = params.result.as_deref().filter(|_| !is_excepted);
    let filter = EvidenceFilter {
        visible: visible.connections(),
        checks,
        answer: parse("result", answer, CheckAnswer::parse)?,
        resources: params.resource.into_iter().collect(),
        accounts: params.account.into_iter().collect(),
        before: None,
        limit: window.limit,
        offset: window.start(),
    };
    let accepted = accepted(&app, &filter).await?;
    let (found, total) = if is_excepted {
        let place =
            |one: &JudgementEvidence| filter.checks.iter().position(|id| *id == one.result.check);
        let mut all: Vec<JudgementEvidence> =
            accepted.iter().map(|one| one.found.clone()).collect();
        all.sort_by_key(|one| (place(one), one.key()));
        let page = window.page(all.into_iter(), |one| one);
        (page.items, page.total)
    } else {
        app.evidence.evidence_list(&filter).await?
    };

    let next_cursor = window.next(found.len(), total);
    let answers = Answers {
        remedies: remedies(&app, &found).await?,
        exceptions: accepted
            .into_iter()
            .map(|one| {
                (
                    one.found.key(),
                    ExclusionBody::new(&one.exception, app.now()),
                )
            })
            .collect(),
    };
    Ok(Json(List {
        items: found
            .iter()
            .map(|one| result_body(&catalogue, one, &answers))
            .collect(),
        total,
        next_cursor,
    }))
}

/// The failed results of a filter that people accepted.
async fn accepted(app: &App, filter: &EvidenceFilter) -> Result<Vec<AcceptedResult>, Problem> {
    let (agents, evidence) = (&*app.agents, &*app.evidence);
    Ok(accepted_results(agents, evidence, filter, app.now()).await?)
}

/// A check: what it demands, why, and how a failure is mended.
#[utoipa::path(get, path = "/api/v1/intelligence/checks/{id}", tag = "intelligence", params(("id" = String, Path)),
    responses((status = 200, body = ConfigurationCheckBody), (status = 404, body = ProblemBody)))]
pub(super) async fn check(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<ConfigurationCheckBody>, Problem> {
    let catalogue = app.checks.current();
    let visible = app.visible(&caller.principal).await?;
    let check = catalogue
        .check(&id)
        .filter(|check| visible.has_check(&catalogue, check))
        .ok_or_else(|| Problem::not_found("check", &id))?;
    let counts = counts(&app, &visible).await?;
    let controls = catalogue
        .frameworks()
        .filter(|framework| visible.has_framework(&framework.id))
        .flat_map(|framework| framework.controls.iter().map(move |one| (framework, one)))
        .filter(|(_, control)| control.is_proven_by(check))
        .map(|(framework, control)| control_id(framework, control));

    Ok(Json(ConfigurationCheckBody {
        id: check.id.clone(),
        is_own: catalogue.is_own_check(&check.id),
        title: check.title.clone(),
        why: check.why.clone(),
        severity: check.severity.into(),
        provider: check.provider.into(),
        kind: check.kind.as_str().to_owned(),
        topics: check.topics.iter().map(|topic| (*topic).into()).collect(),
        applies: check
            .applies
            .as_ref()
            .map(|applies| applies.source().to_owned()),
        expression: check.expression.source().to_owned(),
        remediation: check.remediation.text.clone(),
        changes: check.changes().map(change_body).collect(),
        sources: check.sources.clone(),
        controls: controls.collect(),
        results: counts.get(&check.id).copied().unwrap_or_default(),
    }))
}

/// Results by check, accepted ones counted.
async fn counts(app: &App, visible: &VisibleEstate<'_>) -> Result<Counts, Problem> {
    let filter = EvidenceFilter {
        visible: visible.connections(),
        ..EvidenceFilter::default()
    };
    let mut found = answered(app, &filter).await?;
    for one in accepted(app, &filter).await? {
        found.entry(one.found.result.check).or_default().excepted += 1;
    }
    Ok(found)
}

/// Results by check and answer.
async fn answered(app: &App, filter: &EvidenceFilter) -> Result<Counts, Problem> {
    let mut found = Counts::new();
    for one in app.evidence.evidence_counts(filter).await? {
        let counts = found.entry(one.check).or_default();
        match one.answer {
            CheckAnswer::Pass => counts.pass += one.count,
            CheckAnswer::Fail => counts.fail += one.count,
            CheckAnswer::Unknown => counts.unknown += one.count,
            CheckAnswer::NotApplicable => counts.not_applicable += one.count,
        }
    }
    Ok(found)
}

/// Frameworks that an agent checks.
async fn checked_frameworks(
    app: &App,
    catalogue: &ControlCatalogue,
) -> Result<BTreeSet<String>, Problem> {
    let of_type = Some(AgentType::COMPLIANCE_INTELLIGENCE);
    let mut checked = BTreeSet::new();
    for agent in app.agents.agent_list(of_type).await? {
        checked.extend(catalogue.frameworks_of(&agent.settings));
    }
    Ok(checked)
}

fn control_id(framework: &Framework, control: &Control) -> String {
    format!("{}:{}", framework.id, control.id)
}

/// The checks of a control or a check by its identifier, the most severe first; `None` if there is
/// neither.
fn checks_of<'c>(
    catalogue: &'c ControlCatalogue,
    visible: &VisibleEstate<'_>,
    id: &str,
) -> Option<Vec<&'c ControlCheck>> {
    if let Some(check) = catalogue.check(id) {
        return visible.has_check(catalogue, check).then(|| vec![&**check]);
    }

    let (framework, control) = catalogue.control(id)?;
    if !visible.has_framework(&framework.id) {
        return None;
    }
    Some(proving(catalogue, control))
}

fn sum<'a>(checks: impl Iterator<Item = &'a ControlCheck>, counts: &Counts) -> ResultCountsBody {
    checks.filter_map(|check| counts.get(&check.id)).fold(
        ResultCountsBody::default(),
        |all, one| ResultCountsBody {
            pass: all.pass + one.pass,
            fail: all.fail + one.fail,
            excepted: all.excepted + one.excepted,
            unknown: all.unknown + one.unknown,
            not_applicable: all.not_applicable + one.not_applicable,
        },
    )
}

fn state(is_proven: bool, results: &ResultCountsBody) -> ControlState {
    if !is_proven {
        ControlState::ByHand
    } else if results.fail > results.excepted {
        ControlState::Failed
    } else if results.excepted > 0 {
        ControlState::Excepted
    } else if results.pass > 0 {
        ControlState::Passed
    } else if results.unknown > 0 {
        ControlState::Unknown
    } else {
        ControlState::NotChecked
    }
}

fn framework_body(
    catalogue: &ControlCatalogue,
    framework: &Framework,
    counts: &Counts,
    checked: &BTreeSet<String>,
) -> CheckedFrameworkBody {
    let mut controls = ControlCountsBody::default();
    for control in &framework.controls {
        let proving = proving(catalogue, control);
        let results = sum(proving.iter().copied(), counts);
        let counted = match state(!proving.is_empty(), &results) {
            ControlState::Failed => &mut controls.failed,
            ControlState::Excepted => &mut controls.excepted,
            ControlState::Passed => &mut controls.passed,
            ControlState::Unknown => &mut controls.unknown,
            ControlState::NotChecked => &mut controls.not_checked,
            ControlState::ByHand => &mut controls.by_hand,
        };
        *counted += 1;
    }

    let all = catalogue.checks().map(AsRef::as_ref);
    let results = sum(all.filter(|check| framework.is_proven_by(check)), counts);

    CheckedFrameworkBody {
        id: framework.id.clone(),
        title: framework.title.clone(),
        edition: framework.edition.clone(),
        source: framework.source.clone(),
        is_own: catalogue.is_own_framework(&framework.id),
        is_checked: checked.contains(&framework.id),
        controls,
        score: score(&results),
        results,
    }
}

/// Share of results that passed among those that passed or failed without an exception, percent,
/// rounded down; `None` without any.
fn score(results: &ResultCountsBody) -> Option<f64> {
    let decided = results.pass + results.fail.saturating_sub(results.excepted);
    (decided > 0).then(|| {
        let share = results.pass as f64 / decided as f64 * 100.0;
        (share * 10.0).floor() / 10.0
    })
}

/// The checks that prove a control, the most severe first.
fn proving<'c>(catalogue: &'c ControlCatalogue, control: &'c Control) -> Vec<&'c ControlCheck> {
    let mut proving: Vec<&ControlCheck> = catalogue.proving(control).map(AsRef::as_ref).collect();
    proving.sort_by_key(|check| check.rank());
    proving
}

fn control_body(
    catalogue: &ControlCatalogue,
    framework: &Framework,
    control: &Control,
    counts: &Counts,
) -> FrameworkControlBody {
    let proving = proving(catalogue, control);
    let results = sum(proving.iter().copied(), counts);
    FrameworkControlBody {
        id: control_id(framework, control),
        framework: framework.id.clone(),
        number: control.id.clone(),
        title: control.title.clone(),
        state: state(!proving.is_empty(), &results).into(),
        by_hand: Some(control.by_hand.clone()).filter(|text| !text.is_empty()),
        results,
        checks_total: proving.len() as u64,
    }
}

fn check_bodies(
    catalogue: &ControlCatalogue,
    control: &Control,
    counts: &Counts,
) -> Vec<FrameworkCheckBody> {
    let proving = proving(catalogue, control).into_iter();
    let checks = proving.map(|check| FrameworkCheckBody {
        id: check.id.clone(),
        is_own: catalogue.is_own_check(&check.id),
        title: check.title.clone(),
        severity: check.severity.into(),
        results: counts.get(&check.id).copied().unwrap_or_default(),
    });
    checks.collect()
}

/// Open recommendations by connection, resource and check.
type Remedies = HashMap<EvidenceKey, RecommendationId>;

/// Answers to failures: what mends them, and what accepts them.
struct Answers {
    remedies: Remedies,
    exceptions: HashMap<EvidenceKey, ExclusionBody>,
}

/// Returns the open recommendations about failures among results.
async fn remedies(app: &App, found: &[JudgementEvidence]) -> Result<Remedies, Problem> {
    let failed = found
        .iter()
        .filter(|one| one.result.answer == CheckAnswer::Fail);
    let resources: BTreeSet<ResourceId> = failed.map(|one| one.resource.clone()).collect();
    if resources.is_empty() {
        return Ok(Remedies::new());
    }

    let filter = RecommendationFilter {
        resources: resources.into_iter().collect(),
        is_open: true,
        ..RecommendationFilter::default()
    };
    let (open, _) = app.agents.recommendation_list(&filter).await?;
    let keyed = open.into_iter().filter_map(|one| {
        let subject = one.subject;
        Some(((subject.connection, subject.id, subject.aspect?), one.id))
    });
    Ok(keyed.collect())
}

fn change_body(row: &ConfigurationRow) -> CheckChangeBody {
    CheckChangeBody {
        name: row.name.to_owned(),
        about: row.about.to_owned(),
        risk: row.risk.into(),
        loses: row.loses.map(str::to_owned),
        billed: row.billed.map(str::to_owned),
        reversible: row.irreversible.is_none(),
        permissions: row
            .permissions
            .iter()
            .map(|permission| permission.name.to_owned())
            .collect(),
    }
}

fn result_body(
    catalogue: &ControlCatalogue,
    found: &JudgementEvidence,
    answers: &Answers,
) -> CheckResultBody {
    let key = found.key();
    let check = catalogue.check(&found.result.check);
    CheckResultBody {
        check: found.result.check.clone(),
        is_own: catalogue.is_own_check(&found.result.check),
        title: check.map_or_else(String::new, |check| check.title.clone()),
        severity: check.map_or(Priority::Low, |check| check.severity).into(),
        result: found.result.answer.into(),
        why: found.result.why.clone(),
        values: found.result.values.clone(),
        remediation: check.map_or_else(String::new, |check| check.remediation.text.clone()),
        resource_id: found.resource.0.clone(),
        resource_name: found.name.clone(),
        kind: found.kind.as_str().to_owned(),
        account: found.account.clone(),
        region: found.region.clone(),
        connection_id: found.connection.0.clone(),
        document_hash: found.result.document.clone(),
        since: time::text(found.since),
        recorded_at: time::text(found.at),
        event_id: found.event_id.clone(),
        recommendation_id: answers.remedies.get(&key).map(|id| id.0.clone()),
        exception: answers.exceptions.get(&key).cloned(),
    }
}
