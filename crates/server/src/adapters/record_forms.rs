//! Records in webhooks, in the form in which the HTTP interface answers them.

use reeve_alerts::Firing;
use reeve_anomalies::Anomaly;
use reeve_anomalies::budget::BudgetAlert;
use reeve_incidents::Incident;
use reeve_notify::notification::Attachment;
use reeve_notify::sources::RecordForms;
use reeve_recommend::action::Action;
use reeve_recommend::recommendation::Recommendation;
use reeve_reports::ReportRun;
use serde_json::Value;

use super::attachments;

/// The forms of the HTTP interface.
pub(crate) struct HttpForms;

impl RecordForms for HttpForms {
    fn recommendation(&self, recommendation: &Recommendation) -> Value {
        reeve_http::recommendation_record(recommendation)
    }

    fn action(&self, action: &Action, recommendation: &Recommendation) -> Value {
        reeve_http::action_record(action, recommendation)
    }

    fn anomaly(&self, anomaly: &Anomaly) -> Value {
        reeve_http::anomaly_record(anomaly)
    }

    fn incident(&self, incident: &Incident) -> Value {
        reeve_http::incident_record(incident)
    }

    fn firing(&self, firing: &Firing) -> Value {
        reeve_http::firing_record(firing)
    }

    fn budget_alert(&self, alert: &BudgetAlert) -> Value {
        reeve_http::budget_alert_record(alert)
    }

    fn report_file(&self, run: &ReportRun) -> Attachment {
        attachments::report(run)
    }
}
