//! From the agents' records to the wire.

use std::collections::BTreeMap;

use reeve_estate::Money;
use reeve_recommend::action::{Action, ActionStatus, Purpose, StepOutcome};
use reeve_recommend::agent::{Agent, RunReport};
use reeve_recommend::approval::{Approval, Delegation, Signed};
use reeve_recommend::caller::Caller;
use reeve_recommend::guardrail::exception::Exception;
use reeve_recommend::judgement::portfolio::PORTFOLIOS;
use reeve_recommend::models::ModelUse;
use reeve_recommend::plan::{Loss, Plan, PlannedChange};
use reeve_recommend::recommendation::applicability::Applicability;
use reeve_recommend::recommendation::origin::Origin;
use reeve_recommend::recommendation::{Explanation, Recommendation, RecommendationSubject};

use crate::routes::intelligence::portfolios;
use crate::time;
use crate::wire::agent::{
    AgentBody, AgentStatusBody, AutoApplyBody, NotificationsBody, RunBody, ScopeBody, SkippedBody,
    SkippedResourceBody,
};
use crate::wire::form::quantity::PercentText;
use crate::wire::guardrail::protection::LossBody;
use crate::wire::recommendation::workflow::{
    ActionRecordBody, ApprovalBody, DelegationBody, ExceptionAskedBody, SignedBody,
    StepOutcomeBody, WatchBody,
};
use crate::wire::recommendation::{
    ApplicabilityBody, ConfidenceRangeBody, DecisionBody, EstimatedImpactBody, ExceptionBody,
    ExplanationBody, FactorsBody, ImpactBody, ModelUseBody, OriginBody, PlanBody,
    PlannedChangeBody, RankingBody, RecommendationBody, SavingsBody, StepBody, SubjectBody,
};

/// An agent with its status.
pub(super) fn agent(
    agent: &Agent,
    settings: serde_json::Value,
    status: AgentStatusBody,
) -> AgentBody {
    AgentBody {
        id: agent.id.0.clone(),
        agent_type: agent.agent_type.as_str().to_owned(),
        name: agent.name.clone(),
        mode: agent.mode.into(),
        scope: ScopeBody {
            accounts: agent.scope.accounts.clone(),
            services: agent.scope.services.clone(),
        },
        learning_period: format!("{}d", agent.learning_period_days),
        confidence_threshold: PercentText::new(agent.confidence_threshold),
        auto_apply: AutoApplyBody {
            enabled: Some(agent.auto_apply.enabled),
            max_impact: Some(agent.auto_apply.max_impact.as_str().to_owned()),
            approval_required: Some(format!("{}_impact", agent.auto_apply.approval_required)),
        },
        notifications: NotificationsBody {
            recommendations: Some(agent.notifications.recommendations.as_str().to_owned()),
            actions_taken: Some(agent.notifications.actions_taken.as_str().to_owned()),
            anomalies: Some(agent.notifications.anomalies.as_str().to_owned()),
        },
        schedule: agent
            .schedule
            .as_ref()
            .map(|schedule| schedule.pattern.clone()),
        schedule_time_zone: agent
            .schedule
            .as_ref()
            .map(|schedule| schedule.time_zone.clone()),
        settings,
        learning_waived: agent.learning_waived.clone(),
        version: agent.version,
        created_at: time::text(agent.created_at),
        status,
    }
}

/// Converts the report of a run.
pub(super) fn run(report: &RunReport) -> RunBody {
    let commitments = report.details.get(&PORTFOLIOS).unwrap_or_default();
    RunBody {
        run_id: report.run_id.clone(),
        extent: report.extent.into(),
        started_at: time::text(report.started_at),
        finished_at: time::text(report.finished_at),
        resources_seen: report.resources_seen,
        resources_judged: report.resources_judged,
        recommendations: report.recommendations,
        applied: report.applied,
        skipped: report
            .skipped
            .iter()
            .flat_map(|(reason, count)| skipped(report, reason, *count))
            .collect(),
        portfolios: commitments.iter().map(portfolios::body).collect(),
        error: report.error.clone(),
    }
}

/// Skips for one reason: the resources without a recommendation, and the rest, which are
/// recommendations.
fn skipped(report: &RunReport, reason: &str, count: u64) -> impl Iterator<Item = SkippedBody> {
    let passed = report.passed_over.iter().find(|one| one.reason == reason);
    // Older reports do not tell them apart, and counted both as resources.
    let resources = if report.passed_over.is_empty() {
        count
    } else {
        passed.map_or(0, |one| one.count.min(count))
    };
    let named = passed.into_iter().flat_map(|one| &one.resources);

    let named = named
        .map(|(id, name)| SkippedResourceBody {
            id: id.clone(),
            name: name.clone(),
        })
        .collect();

    let body = |of, count, resources| SkippedBody {
        reason: reason.to_owned(),
        count,
        of,
        resources,
    };

    let both = [
        body("resources", resources, named),
        body("recommendations", count - resources, Vec::new()),
    ];
    both.into_iter().filter(|one| one.count > 0)
}

/// A recommendation with its applicability.
pub(super) fn recommendation_with(
    found: &Recommendation,
    applicability: Option<&Applicability>,
) -> RecommendationBody {
    RecommendationBody {
        applicability: applicability.map(self::applicability),
        ..recommendation(found)
    }
}

fn applicability(applicability: &Applicability) -> ApplicabilityBody {
    let (blocked_by, reason, signatures, can_be_excepted) = match applicability {
        Applicability::Ready(signatures) => (None, None, signatures.as_slice(), false),
        Applicability::Blocked {
            by,
            reason,
            exceptable,
        } => (Some(by.clone()), Some(reason.clone()), &[][..], *exceptable),
        Applicability::AdviceOnly(reason) => (None, Some(reason.clone()), &[][..], false),
    };

    let signatures = signatures.iter().copied().map(Into::into).collect();
    let state = applicability.state().into();
    ApplicabilityBody {
        state,
        blocked_by,
        reason,
        signatures,
        can_be_excepted,
    }
}

fn origin(origin: &Origin) -> OriginBody {
    OriginBody {
        agent_type: origin.agent_type.as_str().to_owned(),
        rule: origin.rule.clone(),
        cause: origin.cause.kind().to_owned(),
        cause_id: origin.cause.id().map(str::to_owned),
    }
}

fn exception(exception: &Exception) -> ExceptionBody {
    ExceptionBody {
        guardrail: exception.guardrail.as_str().to_owned(),
        value: tenths(exception.value),
        plan_hash: exception.plan_hash.clone(),
        reason: exception.reason.clone(),
        approval_id: exception.approval.0.clone(),
        granted_by: exception.granted_by.clone(),
        expires_at: time::text(exception.expires_at),
    }
}

pub(super) fn recommendation(found: &Recommendation) -> RecommendationBody {
    RecommendationBody {
        id: found.id.0.clone(),
        agent_id: found.agent_id.as_ref().map(|id| id.0.clone()),
        agent_type: found.origin.agent_type.as_str().to_owned(),
        origin: origin(&found.origin),
        documented_type: found
            .kind
            .is_documented()
            .then(|| found.kind.as_str().to_owned()),
        kind: found.kind.into(),
        rule: found.origin.rule.clone(),
        title: found.title.clone(),
        resource: subject(&found.subject),
        priority: found.priority.into(),
        confidence: tenths(found.confidence),
        impact: ImpactBody {
            cost: found.impact.cost.clone(),
            performance: found.impact.performance.clone(),
            security: found.impact.security.clone(),
        },
        impact_level: found.impact_level.into(),
        effort: found.effort.into(),
        savings: SavingsBody {
            monthly: found.savings_monthly.map(Money::usd_cents),
            expected_monthly: found.expected_savings().map(Money::usd_cents),
            basis: found.savings_basis().map(Into::into),
            currency: "USD".to_owned(),
            monthly_after_discounts: found.savings_after_discounts.map(Money::usd_cents),
            current_monthly_cost: found.monthly_cost.map(Money::usd_cents),
        },
        status: found.status.into(),
        plan: found.plan.as_ref().map(plan),
        reason_codes: found.reason_codes.clone(),
        not_measured: found.not_measured.clone(),
        created_at: time::text(found.created_at),
        updated_at: time::text(found.updated_at),
        expires_at: time::text(found.expires_at),
        scheduled_for: found.scheduled_for.map(time::text),
        snoozed_until: found.snoozed_until.map(time::text),
        status_reason: found.status_reason.clone(),
        blocked: found.blocked.clone(),
        applicability: None,
        exception: found.exception.as_ref().map(exception),
        taken_back_by: found.taken_back_by.clone(),
        ranking: RankingBody {
            expected_value: found.ranking.expected_value,
            weight: (found.ranking.weight * 1000.0).round() / 1000.0,
            in_favour: found.ranking.in_favour,
            against: found.ranking.against,
            explanation: found.ranking.words.clone(),
        },
        explanation: explanation(&found.explanation, found.confidence),
    }
}

pub(super) fn tenths(percent: f64) -> f64 {
    (percent * 10.0).round() / 10.0
}

fn subject(subject: &RecommendationSubject) -> SubjectBody {
    SubjectBody {
        id: subject.id.0.clone(),
        name: subject.name.clone(),
        kind: subject.kind.as_str().to_owned(),
        provider: subject.provider.into(),
        account: subject.account.clone(),
        region: subject.region.clone(),
        service: subject.service.clone(),
        connection_id: subject.connection.0.clone(),
        instance_type: subject.instance_type.clone(),
        target_type: subject.target_type.clone(),
        managed_by_code: subject.managed_by_code,
        aspect: subject.aspect.clone(),
    }
}

fn loss(loss: &Loss) -> LossBody {
    LossBody {
        kind: loss.kind.into(),
        detail: loss.detail.clone(),
        lasting: loss.lasting,
    }
}

fn plan(plan: &Plan) -> PlanBody {
    let change = |change: &PlannedChange| PlannedChangeBody {
        name: change.name.clone(),
        parameters: serde_json::to_value(&change.parameters).unwrap_or_default(),
        resource: change.resource.clone(),
    };
    PlanBody {
        change: plan.change.as_ref().map(change),
        hash_version: plan.hash_version(),
        steps: plan
            .steps
            .iter()
            .map(|step| StepBody {
                kind: step.kind.into(),
                description: step.description.clone(),
                resource: step.resource.clone(),
            })
            .collect(),
        hash: plan.hash.clone(),
        reversible: plan.reversible,
        restart_needed: plan.restart_needed,
        losses: plan.losses.iter().map(loss).collect(),
    }
}

/// An explanation, in the shape of requirements.
pub(super) fn explanation(why: &Explanation, confidence: f64) -> ExplanationBody {
    ExplanationBody {
        action: why.action.clone(),
        confidence: tenths(confidence),
        confidence_range: why.confidence_range.map(|range| ConfidenceRangeBody {
            low: tenths(range.low_percent),
            high: tenths(range.high_percent),
        }),
        explanation: FactorsBody {
            factors: why.factors.texts(),
        },
        data_points: why.data_points,
        similar_cases: why.similar_cases,
        success_rate: why.success_rate.map(tenths),
        estimated_impact: EstimatedImpactBody {
            cost_reduction: why.cost_reduction.clone(),
            performance_impact: why.performance_impact.clone(),
        },
        risk_level: why.risk.into(),
        decision_path: why
            .decision_path
            .iter()
            .map(|decision| DecisionBody {
                check: decision.check.clone(),
                answer: match decision.answer {
                    Some(true) => "yes",
                    Some(false) => "no",
                    None => "unknown",
                }
                .to_owned(),
                detail: decision.detail.clone(),
            })
            .collect(),
        models: why.models.iter().map(model_use).collect(),
    }
}

fn model_use(one: &ModelUse) -> ModelUseBody {
    ModelUseBody {
        kind: one.model.kind.into(),
        name: one.model.name.clone(),
        id: one.model.id.0.clone(),
        version: one.model.version,
        trained_at: time::text(one.model.trained_at),
        statement: one.statement.clone(),
    }
}

/// An action with what it was about.
pub(super) fn action(action: &Action, recommendation: &Recommendation) -> ActionRecordBody {
    ActionRecordBody {
        id: action.id.0.clone(),
        recommendation_id: action.recommendation.0.clone(),
        title: recommendation.title.clone(),
        purpose: action.purpose.into(),
        simulated: action.purpose == Purpose::Simulate,
        resource_id: action.resource.0.clone(),
        plan_hash: action.plan_hash.clone(),
        by: action.by.clone(),
        by_agent: Caller::agent_named(&action.by).map(|id| id.0),
        status: action.status.into(),
        steps: action.steps.iter().map(step).collect(),
        steps_total: action.steps_total,
        started_at: time::text(action.started_at),
        finished_at: action.finished_at.map(time::text),
        reason: action.reason.clone(),
        undone_by: action.undone_by.clone(),
        watch: action.watch.as_ref().map(|watch| WatchBody {
            until: time::text(watch.until),
            verdict: watch.verdict.into(),
            detail: watch.detail.clone(),
            predicted_savings_monthly: recommendation.expected_savings().map(Money::usd_cents),
            realised_savings_monthly: watch.realised_monthly.map(Money::usd_cents),
            savings_basis: watch.basis.map(Into::into),
            billed_until: watch.billed_until.map(time::text),
            saving_ended_at: watch.ended.as_ref().map(|end| time::text(end.at)),
            saving_ended_reason: watch.ended.as_ref().map(|end| end.reason.clone()),
        }),
        can_roll_back: action.status == ActionStatus::Succeeded || action.waits(),
        waits: action.waits(),
    }
}

fn step(step: &StepOutcome) -> StepOutcomeBody {
    let fields = |state: &[(String, String)]| state.iter().cloned().collect::<BTreeMap<_, _>>();
    StepOutcomeBody {
        index: step.index,
        kind: step.kind.into(),
        description: step.description.clone(),
        rollback: step.rollback,
        started_at: time::text(step.started_at),
        finished_at: step.finished_at.map(time::text),
        ok: step.ok,
        detail: step.detail.clone(),
        before: fields(&step.before),
        after: fields(&step.after),
    }
}

/// An approval request, with what the caller could sign.
pub(super) fn approval(approval: &Approval, title: &str, can_sign: Vec<String>) -> ApprovalBody {
    ApprovalBody {
        id: approval.id.0.clone(),
        recommendation_id: approval.recommendation.0.clone(),
        title: title.to_owned(),
        plan_hash: approval.plan_hash.clone(),
        impact: approval.impact.into(),
        needed: approval.needed.iter().copied().map(Into::into).collect(),
        signed: approval.signed.iter().map(signed).collect(),
        delegated: approval.delegated.iter().map(delegated).collect(),
        can_sign,
        requested_by: approval.requested_by.clone(),
        requested_at: time::text(approval.requested_at),
        expires_at: time::text(approval.expires_at),
        status: approval.status.into(),
        reason: approval.reason.clone(),
        exception: approval.exception.as_ref().map(|asked| ExceptionAskedBody {
            guardrail: asked.guardrail.as_str().to_owned(),
            limit: tenths(asked.limit),
            value: tenths(asked.value),
            used_by: asked.used_by.as_ref().map(|action| action.0.clone()),
        }),
    }
}

fn delegated(delegation: &Delegation) -> DelegationBody {
    DelegationBody {
        signature: delegation.signature.into(),
        from: delegation.from.clone(),
        to: delegation.to.clone(),
        at: time::text(delegation.at),
    }
}

pub(crate) fn signed(signed: &Signed) -> SignedBody {
    SignedBody {
        signature: signed.signature.into(),
        by: signed.by.clone(),
        at: time::text(signed.at),
        comment: signed.comment.clone(),
    }
}
