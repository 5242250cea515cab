//! The counts of a report as JSON: for `report.json`, for the store, and for pages.

use jiff::Timestamp;
use reeve_audit::format_instant;
use serde_json::{Map, Value, json};

use super::configuration::configuration;
use super::coverage::{coverage, review};

use crate::definition::{GroupField, ReportKind, ReportRequest};
use crate::findings::{
    Cited, ControlStatus, Distinct, GroupRow, ReportAnswer, ReportFindings, Top,
};
use crate::plan::{QuestionKind, ReportPlan, ReportQuestion};
use crate::template::Control;

/// Groups of a brief summary.
const BRIEF_GROUPS: usize = 200;

/// Level of detail of a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SummaryDetail {
    /// Everything that the findings have.
    Full,
    /// Without samples, and with the 200 most frequent groups: what is kept with a run.
    Brief,
}

/// Returns the counts of a report.
#[must_use]
pub fn summary(
    request: &ReportRequest,
    plan: &ReportPlan,
    findings: &ReportFindings,
    detail: SummaryDetail,
) -> Value {
    let framework = plan.template.map(|template| {
        json!({ "id": template.id, "name": template.name, "edition": template.edition,
            "publisher": template.publisher, "scope": template.scope })
    });
    let query = match &request.kind {
        ReportKind::Custom { query, .. } => Some(query),
        ReportKind::Compliance { .. } => None,
    };
    let filters = &request.filters;
    let shown = if detail == SummaryDetail::Brief {
        BRIEF_GROUPS
    } else {
        usize::MAX
    };

    let groups: Vec<_> = findings
        .groups
        .iter()
        .take(shown)
        .map(|row| group(plan, row))
        .collect();

    let bars: Vec<_> = findings
        .by_time
        .iter()
        .map(|(at, count)| json!({ "start": format_instant(*at), "count": count }))
        .collect();
    let questions = plan.questions.iter().zip(&findings.answers);
    let events = questions
        .clone()
        .find(|(question, _)| question.control.is_none());

    json!({
        "kind": request.kind.as_str(),
        "framework": framework,
        "query": query,
        "group_by": plan.group_by.iter().map(|field| field.as_str()).collect::<Vec<_>>(),
        "metrics": plan.metrics.iter().map(|metric| metric.as_str()).collect::<Vec<_>>(),
        "period": { "start": format_instant(findings.period.start), "end": format_instant(findings.period.end) },
        "filters": { "accounts": filters.accounts, "users": filters.users, "resources": filters.resources },
        "lists": lists(plan, detail),
        "coverage": coverage(findings),
        "configuration": findings.configuration.as_ref().map(configuration),
        "entries": findings.entries,
        "entries_listed": findings.listed,
        "unique_users": distinct(findings.users),
        "resources_affected": distinct(findings.resources),
        "by_time": { "unit": findings.bucket.as_str(), "counts": bars },
        "by_event_type": tops(&findings.by_event_type),
        "by_user": tops(&findings.by_user),
        "by_resource": tops(&findings.by_resource),
        "statuses": statuses(plan, findings),
        "controls": controls(plan, findings, detail),
        "events": events.map(|(question, answer)| asked(findings, question, answer, detail)),
        "groups": groups,
        "groups_total": findings.groups.len(),
        "entries_ungrouped": findings.ungrouped,
    })
}

/// The lists that queries compare with. Only the full form has their values.
fn lists(plan: &ReportPlan, detail: SummaryDetail) -> Vec<Value> {
    let list = |(name, values): (&String, &Vec<String>)| {
        let mut list = json!({ "name": name, "size": values.len() });
        if detail == SummaryDetail::Full {
            list["values"] = json!(values);
        }
        list
    };
    plan.lists.iter().map(list).collect()
}

fn distinct(count: Distinct) -> Value {
    json!({ "count": count.count, "at_least": count.at_least })
}

fn tops(values: &[Top]) -> Vec<Value> {
    values
        .iter()
        .map(|top| json!({ "value": top.value, "count": top.count }))
        .collect()
}

fn group(plan: &ReportPlan, row: &GroupRow) -> Value {
    let values: Map<String, Value> = plan
        .group_by
        .iter()
        .zip(&row.values)
        .map(|(field, value): (&GroupField, _)| (field.as_str().to_owned(), json!(value)))
        .collect();
    json!({ "values": values, "events": row.events, "unique_users": distinct(row.users),
        "resources_affected": distinct(row.resources) })
}

fn statuses(plan: &ReportPlan, findings: &ReportFindings) -> Value {
    let statuses: Vec<_> = plan
        .template
        .iter()
        .flat_map(|template| template.controls.iter().enumerate())
        .map(|(at, control)| findings.status(plan, at, control))
        .collect();
    let count = |status: ControlStatus| statuses.iter().filter(|found| **found == status).count();

    ControlStatus::ALL
        .iter()
        .map(|status| (status.as_str().to_owned(), json!(count(*status))))
        .collect::<Map<_, _>>()
        .into()
}

fn controls(plan: &ReportPlan, findings: &ReportFindings, detail: SummaryDetail) -> Vec<Value> {
    let Some(template) = plan.template else {
        return Vec::new();
    };

    let answers = |at: usize, kind: QuestionKind| -> Vec<Value> {
        findings
            .of_control(plan, at, kind)
            .map(|(question, answer)| asked(findings, question, answer, detail))
            .collect()
    };

    let control = |(at, control): (usize, &Control)| {
        json!({
            "number": control.number,
            "title": control.title,
            "asks": control.asks,
            "group": control.group,
            "status": findings.status(plan, at, control).as_str(),
            "gaps": control.gaps,
            "evidence": answers(at, QuestionKind::Evidence),
            "exceptions": answers(at, QuestionKind::Exception),
        })
    };

    template.controls.iter().enumerate().map(control).collect()
}

fn asked(
    findings: &ReportFindings,
    question: &ReportQuestion,
    answer: &ReportAnswer,
    detail: SummaryDetail,
) -> Value {
    let at = |at: Option<Timestamp>| at.map(format_instant);
    let mut value = json!({
        "id": question.id,
        "name": question.name,
        "query": question.text,
        "explains": question.explains,
        "found": answer.found,
        "unique_users": distinct(answer.users),
        "resources_affected": distinct(answer.resources),
        "first_at": at(answer.first_at),
        "last_at": at(answer.last_at),
        "days": answer.days,
        "longest_gap_days": answer.longest_gap_days,
        "every_days": question.every_days,
        "often_enough": ReportFindings::is_often_enough(question, answer),
        "sources": question.sources.iter().map(|source| source.words()).collect::<Vec<_>>(),
        "has_source": findings.has_source(question, answer),
        "review": findings.review_of(&question.id).map(review),
    });

    if detail == SummaryDetail::Full {
        value["sample"] = answer.sample.iter().map(cited).collect();
    }

    value
}

fn cited(entry: &Cited) -> Value {
    json!({ "sequence": entry.sequence, "event_id": entry.event_id })
}

impl ReportFindings {
    /// Returns the questions of one kind of a control, with their answers.
    pub fn of_control<'a>(
        &'a self,
        plan: &'a ReportPlan,
        control: usize,
        kind: QuestionKind,
    ) -> impl Iterator<Item = (&'a ReportQuestion, &'a ReportAnswer)> {
        let all = plan.questions.iter().zip(&self.answers);
        all.filter(move |(question, _)| question.control == Some(control) && question.kind == kind)
    }

    /// Returns the status of a control.
    #[must_use]
    pub fn status(&self, plan: &ReportPlan, at: usize, control: &Control) -> ControlStatus {
        let asked = |kind| self.of_control(plan, at, kind).collect::<Vec<_>>();
        debug_assert_eq!(
            control.evidence.len(),
            asked(QuestionKind::Evidence).len(),
            "{}",
            control.number
        );

        ControlStatus::of_answers(
            self,
            &asked(QuestionKind::Evidence),
            &asked(QuestionKind::Exception),
        )
    }
}
