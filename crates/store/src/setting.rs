//! Settings: names and JSON values.

use serde_json::Value;
use sqlx::Row as _;

use crate::database::Store;
use crate::fault::{Fault, SettingError};

impl Store {
    /// A setting; `None` when it was never set.
    ///
    /// # Errors
    /// The store failed or the value is not JSON.
    pub async fn setting_get(&self, name: &str) -> Result<Option<Value>, SettingError> {
        let row = sqlx::query("SELECT document FROM settings WHERE name = $1")
            .bind(name)
            .fetch_optional(self.read())
            .await
            .map_err(Fault::from)?;
        row.map(|row| value(name, row.try_get(0))).transpose()
    }

    /// Sets a setting.
    ///
    /// # Errors
    /// The store failed.
    pub async fn setting_put(&self, name: &str, value: &Value) -> Result<(), SettingError> {
        sqlx::query(
            "INSERT INTO settings (name, document) VALUES ($1, $2)
             ON CONFLICT (name) DO UPDATE SET document = excluded.document",
        )
        .bind(name)
        .bind(value.to_string())
        .execute(self.write())
        .await
        .map_err(Fault::from)?;
        Ok(())
    }
}

fn value(name: &str, text: Result<String, sqlx::Error>) -> Result<Value, SettingError> {
    serde_json::from_str(&text.map_err(Fault::from)?)
        .map_err(|error| SettingError(format!("the setting {name} is not JSON: {error}")))
}
