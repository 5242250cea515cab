//! The description of one resource, read again before and after it is changed.

use async_trait::async_trait;
use parking_lot::Mutex;
use reeve_connect_aws_ec2::{AwsEc2Fault, FaultKind};
use reeve_estate::{
    Described, DescriptionReading, DescriptionSink, Resource, ResourceId, StoreError,
};

use super::read::{DescribeHalt, DescribeReader};
use super::{global_region, rows};
use crate::session::AwsConnection;

/// Keeps the description of one resource.
struct Single {
    wanted: ResourceId,
    found: Mutex<Option<Described>>,
}

#[async_trait]
impl DescriptionSink for Single {
    async fn page(&self, page: Vec<Described>) -> Result<(), StoreError> {
        let found = page
            .into_iter()
            .find(|described| described.resource.id == self.wanted);
        if found.is_some() {
            *self.found.lock() = found;
        }
        Ok(())
    }

    async fn end(&self, _: DescriptionReading) -> Result<(), StoreError> {
        Ok(())
    }
}

impl AwsConnection {
    /// Reads the description of one resource as a sync does.
    ///
    /// # Errors
    /// A call failed, or the account has no such resource any more.
    pub(crate) async fn describe_one(&self, resource: &Resource) -> Result<Described, AwsEc2Fault> {
        let region = self.region_for(resource);
        let place = self.place(&resource.account, &region);
        let sink = Single {
            wanted: resource.id.clone(),
            found: Mutex::new(None),
        };

        let mut permission = "";
        for row in rows::all().filter(|row| row.kind == resource.kind.as_str()) {
            permission = row.list.permission;
            let mut reader = DescribeReader {
                aws: self,
                row,
                kind: resource.kind,
                place: place.clone(),
                sink: &sink,
                seen: 0,
                denied: None,
                left_out: None,
                only: Some(&resource.id),
                shared: Vec::new(),
                asked: 0,
            };
            match reader.pages().await {
                Ok(()) => {}
                Err(DescribeHalt::Fault(fault)) => return Err(fault),
                Err(DescribeHalt::Store(error)) => {
                    let call = place.call(row.list.permission);
                    return Err(call.fault(FaultKind::Broken, None, &error.to_string()));
                }
            }
            // What may not be read is left as a mark, and the precondition then differs; the reason
            // is said here.
            if let Some(fault) = reader.denied {
                return Err(fault);
            }
            if let Some(found) = sink.found.lock().take() {
                return Ok(found);
            }
        }

        let call = place.call(permission);
        Err(call.fault(
            FaultKind::NotFound,
            None,
            &format!("the account has no {} {}", resource.kind, resource.id),
        ))
    }

    /// Region in which calls about a resource are made.
    pub(crate) fn region_for(&self, resource: &Resource) -> String {
        if resource.region != "global" {
            return resource.region.clone();
        }
        let first = self.regions().first().map_or("us-east-1", String::as_str);
        global_region(first).to_owned()
    }
}
