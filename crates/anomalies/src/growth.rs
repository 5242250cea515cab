//! Growth of a security anomaly: further activity replaces the figures, and the cause and the
//! hypothesis that were made of them.

use super::cause::behavior_statement;
use super::finding::Finding;
use super::investigation::HypothesisKind;
use super::likely_cause::LikelyCause;
use super::record::Anomaly;
use super::security_activity::SecurityActivity;

impl Anomaly {
    /// Returns `true` if the finding tells of more activity than the anomaly.
    pub(super) fn grows_by(&self, finding: &Finding) -> bool {
        let attempts = |activity: &Option<SecurityActivity>| {
            activity.as_ref().map_or(0, SecurityActivity::attempts)
        };
        attempts(&finding.activity) > attempts(&self.activity)
    }

    /// Takes further activity, and says the cause anew with its figures.
    pub(super) fn take_activity(&mut self, activity: Option<SecurityActivity>) {
        self.activity = activity;
        let Some(statement) = behavior_statement(self) else {
            return;
        };

        let kind = HypothesisKind::UnusualBehavior;
        let hypotheses = self
            .investigation
            .iter_mut()
            .flat_map(|investigation| &mut investigation.hypotheses);
        for hypothesis in hypotheses.filter(|hypothesis| hypothesis.kind == kind) {
            hypothesis.statement.clone_from(&statement);
        }

        if let Some(LikelyCause::Hypothesis {
            kind: Some(cause),
            statement: told,
        }) = &mut self.cause
            && *cause == kind
        {
            *told = statement;
        }

        if let (Some(activity), Some(_)) = (&self.activity, &self.cause)
            && self
                .remediation
                .as_ref()
                .is_none_or(|remediation| remediation.recommendation.is_none())
        {
            self.advice = activity.advice(&self.place.id);
        }
    }
}
