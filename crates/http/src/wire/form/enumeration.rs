//! Enumerations on the wire: a value is answered as its name, read from it, and described as a
//! schema of its own that lists every name.
//!
//! A field that holds an enumeration has one of the types below, so that the dashboard has one union
//! for all fields with the same values and its compiler finds a table that lacks a label. Fields
//! whose values an agent plugin or another system may extend stay texts.

use std::borrow::Cow;
use std::fmt;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, schema::Type};
use utoipa::{PartialSchema, ToSchema};

/// A closed set of names.
pub trait Named: Copy + 'static {
    /// Name of the schema in the description of the interface.
    const SCHEMA: &'static str;
    /// Sentence that describes the schema.
    const DESCRIPTION: &'static str;

    /// Returns every value, in order.
    fn all() -> impl Iterator<Item = Self>;

    /// Returns the name of a value.
    fn name(self) -> &'static str;
}

/// A value of an enumeration, as its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Name<T>(pub T);

impl<T> From<T> for Name<T> {
    fn from(value: T) -> Self {
        Name(value)
    }
}

impl<T: Named> fmt::Display for Name<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name())
    }
}

impl<T: Named> Serialize for Name<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.0.name())
    }
}

impl<'de, T: Named> Deserialize<'de> for Name<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(from)?;
        let found = T::all().find(|value| value.name() == text);

        found.map(Name).ok_or_else(|| {
            let names: Vec<_> = T::all().map(Named::name).collect();
            D::Error::custom(format!("must be one of {}", names.join(", ")))
        })
    }
}

impl<T: Named> PartialSchema for Name<T> {
    fn schema() -> RefOr<Schema> {
        let names = T::all().map(Named::name);
        RefOr::T(Schema::Object(
            ObjectBuilder::new()
                .schema_type(Type::String)
                .description(Some(T::DESCRIPTION))
                .enum_values(Some(names))
                .build(),
        ))
    }
}

impl<T: Named> ToSchema for Name<T> {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed(T::SCHEMA)
    }
}

/// Declares the wire name of enumerations. The alias is the name of the schema, and the type of the
/// field: a generic type there would be described under a name of its own.
macro_rules! enumerations {
    ($($alias:ident = $type:ty, $description:literal;)+) => {$(
        #[doc = $description]
        pub type $alias = Name<$type>;

        impl Named for $type {
            const SCHEMA: &'static str = stringify!($alias);
            const DESCRIPTION: &'static str = $description;

            fn all() -> impl Iterator<Item = Self> {
                <$type>::ALL.iter().copied()
            }

            fn name(self) -> &'static str {
                self.as_str()
            }
        }
    )+};
}

enumerations! {
    ErasureStatus = reeve_retention::ErasureStatus, "Progress of a request to erase a person's entries.";
    // Problems.
    FieldFault = reeve_audit::FieldCode, "Fault of a field that is wrong.";
    // Agents, recommendations and actions.
    AgentMode = reeve_recommend::agent::Mode, "Mode of an agent.";
    AgentFindingSource = reeve_recommend::agent::type_table::FindingSource, "Source of the findings of an agent type.";
    AgentRunExtent = reeve_recommend::agent::RunExtent, "Resources that a run of an agent judged.";
    EmergencyPreapproval = reeve_recommend::agent::emergency::Preapproval, "Permission by which an emergency is applied without a person.";
    StandingApprovalState = reeve_engine::StandingState, "State of a standing approval.";
    ImpactLevel = reeve_recommend::agent::Impact, "Level of impact or risk.";
    NotificationTiming = reeve_recommend::agent::Timing, "Time at which notifications are sent.";
    RecommendationKind = reeve_recommend::recommendation::RecommendationType, "Kind of change that a recommendation proposes.";
    RecommendationStatus = reeve_recommend::recommendation::lifecycle::Status, "Status of a recommendation.";
    FeedbackOutcome = reeve_recommend::recommendation::FeedbackOutcome, "Outcome of a recommendation, as a person reports it.";
    Priority = reeve_recommend::recommendation::Priority, "Priority of a recommendation, severity of an anomaly.";
    Effort = reeve_recommend::recommendation::Effort, "Effort of a change.";
    SavingsBasis = reeve_recommend::recommendation::SavingsBasis, "Prices that savings are computed from.";
    ApplicabilityState = reeve_recommend::recommendation::applicability::ApplicabilityState, "State of a recommendation between its guardrails.";
    StepKind = reeve_recommend::plan::StepKind, "Kind of a step of a plan.";
    LossKind = reeve_recommend::plan::LossKind, "Kind of a loss that a change causes.";
    ActionStatus = reeve_recommend::action::ActionStatus, "Status of an action.";
    ActionPurpose = reeve_recommend::action::Purpose, "Purpose of an action: on the resource, on a twin, or simulated.";
    WatchVerdict = reeve_recommend::action::WatchVerdict, "Verdict on the effect of an action.";
    ApprovalStatus = reeve_recommend::approval::ApprovalStatus, "Status of an approval request.";
    Signature = reeve_recommend::approval::Signature, "Signature of an approval.";
    ChangeDirection = reeve_recommend::guardrail::change_control::Direction, "Direction in which agents may change capacity.";
    IacRule = reeve_recommend::guardrail::change_control::IacRule, "Treatment of resources that infrastructure as code owns.";
    Weekday = reeve_recommend::guardrail::change_control::Day, "Day of the week.";
    PatchTool = reeve_recommend::plan::patch::Tool, "Tool of infrastructure as code.";
    DiagnosisCondition = reeve_recommend::diagnosis::Condition, "Condition of an agent that needs attention.";
    RolloutStatus = reeve_recommend::rollout::RolloutStatus, "Status of a rollout.";
    RolloutStage = reeve_recommend::rollout::Stage, "Stage of a rollout.";
    RolloutMemberState = reeve_recommend::rollout::MemberState, "State of a resource in a rollout.";
    GateVerdict = reeve_recommend::rollout::Verdict, "Verdict of a gate between stages.";
    ModelType = reeve_recommend::models::ModelType, "Type of a model.";
    ModelStatus = reeve_recommend::models::ModelStatus, "Status of a version of a model.";
    RetrainReason = reeve_recommend::models::RetrainCause, "Reason for which a model was trained.";
    CheckAnswer = reeve_recommend::judgement::evidence::CheckAnswer, "Answer of a check about a resource.";
    LastUseCoverage = reeve_recommend::judgement::evidence::UseCoverage, "Part of the last uses of a principal that was read.";
    LastUseState = reeve_recommend::judgement::evidence::UseState, "Use of a principal in the window after which access counts as unused.";
    FlowAction = reeve_flows::FlowAction, "Decision of security groups and network ACLs about a flow.";
    FlowDirection = reeve_flows::FlowDirection, "Direction of a connection, as its interface sees it.";
    FlowSourceState = reeve_flows::SourceState, "State of a flow log as a source.";
    GroupRuleUse = reeve_flows::RuleUse, "Reason why a rule of a security group is kept.";
    CheckTopic = reeve_controls::Topic, "Subject matter of a check.";
    ControlState = reeve_controls::ControlState, "State of a control, by the results of its checks.";
    DriftForm = reeve_recommend::drift::DriftKind, "Form of a difference from a baseline.";
    DriftState = reeve_recommend::drift::DriftState, "State of a drift.";
    DriftResolution = reeve_recommend::drift::Resolution, "Reason why a drift is resolved.";
    EffectUnit = reeve_recommend::recommendation::EffectUnit, "Unit of a figure that a change affects.";
    WorkloadClass = reeve_recommend::judgement::workload::WorkloadClass, "Class of a workload.";

    // Anomalies and budgets.
    AnomalyType = reeve_anomalies::AnomalyClass, "Type of an anomaly.";
    AnomalyStatus = reeve_anomalies::AnomalyStatus, "Status of an anomaly.";
    ResponseStage = reeve_anomalies::Stage, "Stage of the response to an anomaly.";
    AnomalyFeedbackKind = reeve_anomalies::FeedbackKind, "Feedback on an anomaly.";
    LessonKind = reeve_anomalies::LessonKind, "Kind of a lesson that moved a threshold.";
    ThresholdDirection = reeve_anomalies::Direction, "Side of the expected value.";
    HypothesisKind = reeve_anomalies::HypothesisKind, "Kind of a possible cause.";
    HypothesisSupport = reeve_anomalies::Support, "Support of a possible cause by evidence.";
    CauseGrade = reeve_anomalies::CauseGrade, "Certainty of a probable cause.";
    DependencyNodeKind = reeve_dependencies::NodeKind, "Kind of a node of a dependency map.";
    DependencySource = reeve_dependencies::EdgeSource, "Source of a dependency.";
    DependencyStanding = reeve_dependencies::Standing, "Comparison of a declared dependency with observed traffic.";
    DependencyStrength = reeve_dependencies::EdgeStrength, "Strength of the evidence of a dependency.";
    Sensitivity = reeve_anomalies::Sensitivity, "Sensitivity of anomaly detection.";
    BudgetPeriod = reeve_anomalies::budget::Period, "Period of a budget, of the calendar in UTC.";
    BudgetBasis = reeve_anomalies::budget::Basis, "Spending that a threshold is compared with: charges so far, or the forecast of the whole period.";

    // Incidents.
    IncidentStatus = reeve_incidents::IncidentStatus, "Status of an incident.";
    IncidentFindingKind = reeve_incidents::MemberKind, "Kind of a finding of an incident.";
    IncidentMomentKind = reeve_incidents::MomentKind, "Kind of a moment of a timeline.";
    IncidentNodeKind = reeve_incidents::NodeKind, "Kind of a node of the graph of an incident.";
    PlaybookAction = reeve_incidents::StepAction, "Action of a step of a playbook.";
    PlaybookStepState = reeve_incidents::StepState, "State of a step of a playbook.";

    // Runbooks.
    RunbookOutcome = reeve_recommend::runbook::Outcome, "Outcome of a change by a runbook.";

    // Predictive rules.
    PredictionMetric = reeve_predict::Signal, "Metric that a predictive rule watches.";
    MetricDirection = reeve_predict::Worse, "Direction in which a metric becomes a problem.";
    PredictedEvent = reeve_predict::Foreseen, "Event that a predictive rule predicts.";
    PredictionOutcome = reeve_predict::Outcome, "Outcome of a prediction.";
    PreparationKind = reeve_predict::ResponseKind, "Action that a predictive rule proposes.";
    RuleApprovalKind = reeve_predict::ApprovalKind, "Approval that a predictive rule asks for.";
    CalendarKind = reeve_predict::calendar::CalendarKind, "Kind of the events of a calendar.";

    // Estate.
    Provider = reeve_estate::Provider, "Provider of a cloud.";
    Unit = reeve_estate::Unit, "Unit of a metric.";
    ResourceState = reeve_estate::ResourceState, "State of a resource.";
    PurchaseOption = reeve_estate::Purchase, "Purchase option of a machine.";
    ConnectionStatus = reeve_estate::ConnectionStatus, "Status of a connection.";
    KindClass = reeve_estate::KindClass, "Class of a resource type.";
    ReadOutcome = reeve_estate::ReadOutcome, "Outcome of reading the resources of a type.";
    RelationKind = reeve_estate::RelationKind, "Relation between two resources.";
    BucketAccessState = reeve_estate::bucket::access::AccessState, "Completeness of the access figures of a bucket.";
    PriceKind = reeve_estate::PriceKind, "Kind of a price table.";

    // Outbound messages.
    ChannelType = reeve_notify::notification::ChannelKind, "Type of a notification channel.";
    ChannelTopic = reeve_notify::delivery::Topic, "Topic of notifications.";
    DeliveryStatus = reeve_notify::delivery::DeliveryStatus, "Status of a delivery.";
    ChannelFieldForm = reeve_notify::notification::FieldForm, "Form of a setting or secret of a notification channel.";
    WebhookEvent = reeve_notify::webhook::WebhookEvent, "Event that a webhook is called with.";
    ThreatFeedFormat = reeve_anomalies::threat::feed::FeedFormat, "Form of the list at the address of a feed.";
    LogSourceKind = reeve_intake::SourceKind, "Kind of a source of entries: the format of its events.";
    LogSourceHealth = reeve_intake::SourceHealth, "State of a source of entries.";
    AlertSourceFormat = reeve_siem::AlertFormat, "Format of the alerts of a source.";
    InboundAlertStatus = reeve_siem::AlertStatus, "Status of an alert of another tool.";
    InboundAlertVerdict = reeve_siem::AlertVerdict, "Verdict of a person on an alert of another tool.";
    CallbackMethod = reeve_siem::CallbackMethod, "HTTP method of a call that closes an alert.";
    WebhookFormat = reeve_notify::webhook::WebhookFormat, "Format of the messages of a webhook.";

    // The audit log, its alerts, exports and reports.
    Severity = reeve_audit::Severity, "Severity of an entry or firing.";
    ActorType = reeve_audit::ActorType, "Type of an actor.";
    SubmitterType = reeve_audit::SubmitterType, "Way in which an entry came to Reeve.";
    EntryStatus = reeve_audit::ActionStatus, "Outcome of the action that an entry records.";
    EntryMethod = reeve_audit::ActionMethod, "Way in which the recorded action came in.";
    AlertClass = reeve_alerts::AlertClass, "Class of a security alert.";
    AlertRuleState = reeve_alerts::RuleState, "State of an alert rule.";
    FiringStatus = reeve_alerts::FiringStatus, "Status of a firing.";
    ExportFormat = reeve_exports::ExportFormat, "Format of an export.";
    ExportStatus = reeve_exports::ExportState, "Status of an export.";
    ExportFileRole = reeve_exports::FileRole, "Role of a file of an export.";
    ExportFailureCode = reeve_exports::FailureCode, "Reason for which an export failed.";
    ExportDestinationType = reeve_exports::DestinationKind, "Type of an export destination.";
    IntegrationDirection = reeve_streams::Direction, "Direction of an integration, seen from Reeve.";
    IntegrationHealth = reeve_streams::StreamHealth, "Health of a stream.";
    StreamReceiverType = reeve_streams::StreamKind, "Type of the receiver of a stream.";
    StreamEntryFormat = reeve_streams::StreamFormat, "Form of an entry in a stream.";
    StreamBodyForm = reeve_streams::HttpsBody, "Form of the body that an HTTPS endpoint takes.";
    OtlpLogEncoding = reeve_streams::OtlpEncoding, "Encoding of log records of OpenTelemetry.";
    KafkaAuthentication = reeve_streams::KafkaSasl, "Authentication of a client of Kafka.";
    KafkaRecordKey = reeve_streams::KafkaKey, "Key of a record of Kafka, by which its partition is chosen.";
    KafkaBatchCompression = reeve_streams::KafkaCompression, "Compression of a batch of records of Kafka.";
    ReportRunState = reeve_reports::RunState, "State of a run of a report.";
    SavedSearchSharing = reeve_access::SharedWith, "Users that may see a saved search.";
    MetricSourceType = reeve_sources::SourceKind, "Type of a metric source.";
}

/// Metric of a resource.
pub type Metric = Name<reeve_estate::Metric>;

/// The table of metrics, which a program may have added rows to.
impl Named for reeve_estate::Metric {
    const SCHEMA: &'static str = "Metric";
    const DESCRIPTION: &'static str = "Metric of a resource.";

    fn all() -> impl Iterator<Item = Self> {
        reeve_estate::Metric::all().into_iter()
    }

    fn name(self) -> &'static str {
        self.as_str()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn names_are_answered_and_read() {
        let status: ActionStatus = serde_json::from_str("\"rolling_back\"").unwrap();
        assert_eq!(status.0, reeve_recommend::action::ActionStatus::RollingBack);
        assert_eq!(serde_json::to_string(&status).unwrap(), "\"rolling_back\"");
    }

    #[test]
    fn a_refusal_lists_the_names() {
        for wrong in ["\"normal\"", "\"High\"", "\"\""] {
            let error = serde_json::from_str::<Sensitivity>(wrong).unwrap_err();
            assert!(
                error
                    .to_string()
                    .starts_with("must be one of low, medium, high"),
                "{wrong}: {error}"
            );
        }

        let error = serde_json::from_str::<Sensitivity>("7").unwrap_err();
        assert!(error.to_string().starts_with("invalid type"), "{error}");
    }

    #[test]
    fn the_schema_lists_every_name() {
        let schema = serde_json::to_value(ChannelTopic::schema()).unwrap();
        let names: Vec<_> = reeve_notify::delivery::Topic::ALL
            .iter()
            .map(|topic| topic.as_str())
            .collect();

        assert_eq!(schema["type"], "string");
        assert_eq!(schema["enum"], serde_json::json!(names));
        assert!(names.contains(&"reports"));
        assert_eq!(<ChannelTopic as ToSchema>::name(), "ChannelTopic");
    }
}
