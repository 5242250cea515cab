//! The settings of each class, and the lists of indicators.

use jiff::Timestamp;
use reeve_audit::{FieldCode, FieldError, Json};
use reeve_estate::StoreError;
use reeve_recommend::caller::Caller;
use reeve_recommend::error::EngineError;

use super::super::log_entry;
use super::super::record::AnomalyClass;
use super::super::settings::{AnomalySettings, Reaction};
use super::super::threat::{self, ThreatList};
use super::AnomalyService;

impl AnomalyService {
    /// Replaces the settings. `wanted.version` is the version that was read.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] with every failing field; a conflict if they changed since they
    /// were read.
    pub async fn settings_put(
        &self,
        wanted: AnomalySettings,
        caller: &Caller,
    ) -> Result<AnomalySettings, EngineError> {
        let cost = &wanted.cost;
        let mut errors = Vec::new();
        let mut check = |field: &str, holds: bool, message: &str| {
            if !holds {
                errors.push(FieldError::new(field, FieldCode::InvalidValue, message));
            }
        };

        let percent = cost.threshold_percent.is_finite()
            && (1.0..=10_000.0).contains(&cost.threshold_percent);
        check(
            "cost.threshold",
            percent,
            "must be a percentage from 1% to 10000%",
        );

        check(
            "cost.window",
            (1..=744).contains(&cost.window_hours),
            "must be from 1h to 31d",
        );

        check(
            "cost.baseline",
            (7..=365).contains(&cost.baseline_days),
            "must be from 7d_average to 365d_average",
        );

        for (field, class) in [
            ("cost.action", AnomalyClass::Cost),
            ("performance.action", AnomalyClass::Performance),
            ("security.action", AnomalyClass::Security),
        ] {
            let may = Reaction::of_class(class);
            let names: Vec<&str> = may.iter().map(|reaction| reaction.as_str()).collect();
            check(
                field,
                may.contains(&wanted.action(class)),
                &format!("must be one of {}", names.join(", ")),
            );
        }

        if !errors.is_empty() {
            return Err(EngineError::Invalid(errors));
        }

        let before = self.ports.anomalies.anomaly_settings_get().await?;
        if before.version != wanted.version {
            let message = format!(
                "the settings were changed by someone else (version {} is stored, you sent {}); reload them",
                before.version, wanted.version
            );
            return Err(EngineError::Conflict(message));
        }

        let after = AnomalySettings {
            version: before.version + 1,
            ..wanted
        };
        self.change(
            log_entry::policy(described(&before), described(&after), caller),
            self.ports.anomalies.anomaly_settings_put(&after),
        )
        .await?;
        Ok(after)
    }

    /// Adds a list of indicators, or replaces the list of that name.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] with the lines that are wrong; a conflict for a list that is read
    /// from a file, unless the file itself is read (`from_file`).
    pub async fn threat_list_put(
        &self,
        name: &str,
        text: String,
        from_file: Option<Timestamp>,
        caller: &Caller,
    ) -> Result<ThreatList, EngineError> {
        let name = name.trim();
        if !(1..=128).contains(&name.chars().count()) || name.chars().any(char::is_control) {
            let message = "must have 1 to 128 characters without control characters";
            return Err(EngineError::Invalid(vec![FieldError::new(
                "name",
                FieldCode::InvalidValue,
                message,
            )]));
        }

        let indicators = threat::parse(&text).map_err(EngineError::Invalid)?.len() as u64;
        let before = self.threat_list(name).await?;
        if from_file.is_none() {
            refuse_from_file(before.as_ref())?;
        }

        let list = ThreatList {
            name: name.to_owned(),
            from_file: from_file.is_some(),
            updated_at: from_file.unwrap_or_else(|| self.ports.clock.now()),
            by: caller.name.clone(),
            text,
            indicators,
        };

        self.change(
            log_entry::threat_list("threat_list.put", before.as_ref(), Some(&list), caller),
            self.ports.threats.threat_list_put(&list),
        )
        .await?;
        Ok(list)
    }

    /// Removes a list.
    ///
    /// # Errors
    /// A conflict for a list that is read from a file, unless the file was removed (`file_gone`).
    pub async fn threat_list_delete(
        &self,
        name: &str,
        file_gone: bool,
        caller: &Caller,
    ) -> Result<(), EngineError> {
        let before = self.ports.threats.threat_list_get(name).await?;
        if !file_gone {
            refuse_from_file(Some(&before))?;
        }
        self.change(
            log_entry::threat_list("threat_list.delete", Some(&before), None, caller),
            self.ports.threats.threat_list_delete(name),
        )
        .await
    }

    pub(super) async fn threat_list(&self, name: &str) -> Result<Option<ThreatList>, EngineError> {
        match self.ports.threats.threat_list_get(name).await {
            Ok(list) => Ok(Some(list)),
            Err(StoreError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

pub(super) fn refuse_from_file(list: Option<&ThreatList>) -> Result<(), EngineError> {
    match list.filter(|list| list.from_file) {
        Some(list) => {
            let message = format!(
                "list {:?} is read from a file in the data directory; change that file",
                list.name
            );
            Err(EngineError::Conflict(message))
        }
        None => Ok(()),
    }
}

fn described(settings: &AnomalySettings) -> Json {
    let metrics: Vec<String> = settings
        .performance
        .metrics
        .iter()
        .map(|metric| metric.as_str().to_owned())
        .collect();
    Json::object([
        (
            "cost.threshold_percent",
            Json::from(settings.cost.threshold_percent),
        ),
        ("cost.window_hours", Json::from(settings.cost.window_hours)),
        (
            "cost.baseline_days",
            Json::from(settings.cost.baseline_days),
        ),
        ("cost.action", Json::from(settings.cost.action.as_str())),
        ("performance.metrics", Json::from(metrics)),
        (
            "performance.sensitivity",
            Json::from(settings.performance.sensitivity.as_str()),
        ),
        (
            "performance.action",
            Json::from(settings.performance.action.as_str()),
        ),
        (
            "security.behavioral_analysis",
            Json::from(settings.security.behavioral_analysis),
        ),
        (
            "security.threat_intelligence",
            Json::from(settings.security.threat_intelligence),
        ),
        (
            "security.action",
            Json::from(settings.security.action.as_str()),
        ),
        (
            "security.sensitivity",
            Json::from(settings.security.sensitivity.as_str()),
        ),
    ])
}
