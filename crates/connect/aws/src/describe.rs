//! Descriptions of an account's resources, by a table: a row says how a kind is listed and where
//! its attributes stand.
//!
//! Kinds and regions are read side by side, each page handed over as it arrives. What is denied,
//! throttled or fails is said by kind and region, and the rest goes on.

mod call;
mod item;
mod last_access;
#[cfg(test)]
mod paging;
mod path;
mod read;
mod report;
mod row;
mod rows;
mod shared;
mod single;
mod xml;

#[cfg(test)]
pub(crate) use call::fault_of;
pub(crate) use call::{body_headers, change, rest_answer};
pub(crate) use xml::value as document_of;

use futures::future::BoxFuture;
use futures::stream::{self, StreamExt};
use reeve_estate::{DescriptionSink, ObserveError, ObserveErrorKind, ResourceKind, StoreError};

use crate::session::AwsConnection;
use last_access::LastAccess;
use read::DescribeReader;

impl AwsConnection {
    /// Reads all kinds of the table in all regions.
    pub(crate) async fn describe_all(
        &self,
        sink: &dyn DescriptionSink,
    ) -> Result<(), ObserveError> {
        let account = self.caller().await?;
        let first = self.regions.first().map_or("us-east-1", String::as_str);
        let mut work: Vec<BoxFuture<'_, Result<(), StoreError>>> = Vec::new();

        for row in rows::all() {
            let Some(kind) = ResourceKind::parse(row.kind) else {
                continue;
            };
            // Global services are signed for the region of their partition. Buckets are listed by
            // any region, also where only some regions may be asked.
            let global = if row.service.name == "s3" {
                first
            } else {
                global_region(first)
            };
            let regions = if row.service.is_global {
                vec![global]
            } else {
                self.regions.iter().map(String::as_str).collect()
            };
            for region in regions {
                let place = self.place(&account, region);
                let reader = DescribeReader {
                    aws: self,
                    row,
                    kind,
                    place,
                    sink,
                    seen: 0,
                    denied: None,
                    left_out: None,
                    only: None,
                    shared: Vec::new(),
                    asked: 0,
                };
                work.push(Box::pin(reader.run()));
            }
        }

        if let Some(kind) = ResourceKind::parse(last_access::KIND) {
            let reader = LastAccess {
                aws: self,
                kind,
                place: self.place(&account, global_region(first)),
                sink,
            };
            work.push(Box::pin(reader.run()));
        }

        let mut ended = stream::iter(work).buffer_unordered(self.tuning.parallel);
        while let Some(outcome) = ended.next().await {
            let failed = |error: StoreError| ObserveError {
                kind: ObserveErrorKind::Other,
                message: error.to_string(),
            };
            outcome.map_err(failed)?;
        }

        Ok(())
    }

    pub(crate) fn regions(&self) -> &[String] {
        &self.regions
    }
}

/// Returns `true` if the table has a row of a kind.
pub(crate) fn is_described(kind: ResourceKind) -> bool {
    rows::all().any(|row| row.kind == kind.as_str())
}

fn global_region(region: &str) -> &'static str {
    match region {
        region if region.starts_with("cn-") => "cn-north-1",
        region if region.starts_with("us-gov-") => "us-gov-west-1",
        _ => "us-east-1",
    }
}

/// Permissions that the table and the report of last uses ask for, without repetition.
pub(crate) fn permissions() -> Vec<&'static str> {
    let of_row = |row: &'static row::KindRow| {
        let details = row.details.iter().map(|detail| detail.ask.permission);
        let prepare = row.prepare.map(|ask| ask.permission);
        let shared = row.shared.iter().map(|shared| shared.ask.permission);
        std::iter::once(row.list.permission)
            .chain(prepare)
            .chain(shared)
            .chain(details)
    };
    let mut permissions: Vec<&str> = rows::all().flat_map(of_row).collect();
    permissions.extend(last_access::permissions());
    permissions.sort_unstable();

    permissions.dedup();
    permissions
}
