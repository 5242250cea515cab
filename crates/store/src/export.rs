//! Exports, scheduled exports and destinations: the port [`ExportStore`]. Secrets go through the
//! vault into a column of their own.

mod destination;
mod job;
mod schedule;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_access::AccessError;
use reeve_exports::{
    DestinationId, DestinationSecret, Export, ExportDestination, ExportFilter, ExportId,
    ExportStore, ScheduleId, ScheduledExport,
};

use crate::database::Store;
use crate::fault::Fault;

type Result<T> = std::result::Result<T, AccessError>;

#[async_trait]
impl ExportStore for Store {
    async fn export_insert(&self, export: &Export, most: u64) -> Result<()> {
        Ok(job::insert(self, export, most).await?)
    }
    async fn export_update(&self, export: &Export) -> Result<()> {
        Ok(job::update(self, export).await?)
    }
    async fn export_get(&self, id: &ExportId) -> Result<Export> {
        Ok(job::get(self, id).await?)
    }
    async fn export_list(&self, filter: &ExportFilter) -> Result<(Vec<Export>, u64)> {
        Ok(job::list(self, filter).await?)
    }
    async fn export_next(&self, skipped: &[ExportId]) -> Result<Option<Export>> {
        Ok(job::next(self, skipped).await?)
    }
    async fn export_expired(&self, now: Timestamp) -> Result<Vec<Export>> {
        Ok(job::expired(self, now).await?)
    }
    async fn export_schedule_insert(&self, schedule: &ScheduledExport, most: u64) -> Result<()> {
        Ok(schedule::insert(self, schedule, most).await?)
    }
    async fn export_schedule_update(&self, schedule: &ScheduledExport) -> Result<()> {
        Ok(schedule::update(self, schedule).await?)
    }
    async fn export_schedule_delete(&self, id: &ScheduleId) -> Result<()> {
        Ok(schedule::delete(self, id).await?)
    }
    async fn export_schedule_get(&self, id: &ScheduleId) -> Result<ScheduledExport> {
        Ok(schedule::get(self, id).await?)
    }
    async fn export_schedule_list(&self) -> Result<Vec<ScheduledExport>> {
        Ok(schedule::list(self).await?)
    }
    async fn destination_insert(
        &self,
        given: &ExportDestination,
        secret: &DestinationSecret,
        most: u64,
    ) -> Result<()> {
        Ok(destination::insert(self, given, secret, most).await?)
    }
    async fn destination_update(
        &self,
        given: &ExportDestination,
        secret: Option<&DestinationSecret>,
    ) -> Result<()> {
        Ok(destination::update(self, given, secret).await?)
    }
    async fn destination_delete(&self, id: &DestinationId) -> Result<()> {
        Ok(destination::delete(self, id).await?)
    }
    async fn destination_get(&self, id: &DestinationId) -> Result<ExportDestination> {
        Ok(destination::get(self, id).await?)
    }
    async fn destination_secret(&self, id: &DestinationId) -> Result<DestinationSecret> {
        Ok(destination::secret(self, id).await?)
    }
    async fn destination_list(&self) -> Result<Vec<ExportDestination>> {
        Ok(destination::list(self).await?)
    }
}

/// Refuses one more record than a number.
pub(crate) fn room(noun: &str, stored: i64, most: u64) -> std::result::Result<(), Fault> {
    if u64::try_from(stored).unwrap_or_default() < most {
        return Ok(());
    }
    Err(Fault::Conflict(format!(
        "there are {stored} {noun}, and at most {most}"
    )))
}
