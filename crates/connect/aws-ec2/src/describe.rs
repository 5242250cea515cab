//! Reading EC2: machines, volumes, instance types, launch templates, snapshots. All pages, one region.

use aws_sdk_ec2::Client;
use aws_sdk_ec2::types::{Filter, Instance, SnapshotState};
use aws_smithy_types::retry::RetryConfig;
use aws_types::SdkConfig;
use reeve_estate::{Resource, ResourceKind, ResourceState};

use crate::change::Pace;
use crate::convert;
use crate::cursor::Cursor;
use crate::fault::{At, Fault, FaultKind};
use crate::place::{Listing, Place};

/// EC2 in one region.
#[derive(Debug, Clone)]
pub struct Ec2 {
    client: Client,
    /// For changes: the SDK must not repeat what may have happened, so its retries are off.
    pub(crate) changes: Client,
    pub(crate) place: Place,
    pub(crate) pace: Pace,
    page_size: i32,
}

impl Ec2 {
    /// For a region, whose configuration `config` is. `page_size` is what one page may hold (5 to 1000; volumes take up to 500).
    #[must_use]
    pub fn new(config: &SdkConfig, place: Place, pace: Pace, page_size: i32) -> Self {
        let once = config.clone().into_builder().retry_config(RetryConfig::disabled()).build();
        let own = aws_sdk_ec2::config::Builder::from(config).retry_partition(place.retries("ec2")).build();
        Ec2 { client: Client::from_conf(own), changes: Client::new(&once), place, pace, page_size }
    }

    pub(crate) const fn client(&self) -> &Client {
        &self.client
    }

    /// Every machine that is not gone.
    pub async fn machines(&self) -> Listing {
        let mut listing = Listing::new(ResourceKind::VirtualMachine);
        let outcome = self.read_machines(&mut listing.resources).await;
        listing.resources.retain(|r| r.state != ResourceState::Deleted);
        listing.end(outcome);
        listing
    }

    async fn read_machines(&self, into: &mut Vec<Resource>) -> Result<(), Fault> {
        let call = self.place.call("ec2:DescribeInstances");
        let mut cursor = Cursor::new();
        loop {
            let request = self.client.describe_instances().max_results(self.page_size).set_next_token(cursor.token());
            let page = request.send().await.at(call)?;
            let instances = page.reservations().iter().flat_map(|r| r.instances());
            into.extend(instances.filter_map(|i| convert::machine(&self.place, i)));
            if !cursor.advance(call, page.next_token())? {
                return Ok(());
            }
        }
    }

    /// Every volume.
    pub async fn volumes(&self) -> Listing {
        let mut listing = Listing::new(ResourceKind::Volume);
        let outcome = self.read_volumes(&[], &mut listing.resources).await;
        listing.end(outcome);
        listing
    }

    async fn read_volumes(&self, filters: &[Filter], into: &mut Vec<Resource>) -> Result<(), Fault> {
        let call = self.place.call("ec2:DescribeVolumes");
        let mut cursor = Cursor::new();
        loop {
            let request =
                self.client.describe_volumes().max_results(self.page_size.min(500)).set_next_token(cursor.token());
            let page = request.set_filters(Some(filters.to_vec()).filter(|f| !f.is_empty())).send().await.at(call)?;
            into.extend(page.volumes().iter().filter_map(|v| convert::volume(&self.place, v)));
            if !cursor.advance(call, page.next_token())? {
                return Ok(());
            }
        }
    }

    /// One machine, gone ones included as long as EC2 remembers them.
    ///
    /// # Errors
    /// [`FaultKind::NotFound`] when EC2 does not know it; the call's failure otherwise.
    pub async fn machine(&self, id: &str) -> Result<Resource, Fault> {
        convert::machine(&self.place, &self.instance(id).await?).ok_or_else(|| self.no_instance(id))
    }

    /// Returns a machine in EC2's own form.
    pub(crate) async fn instance(&self, id: &str) -> Result<Instance, Fault> {
        let call = self.place.call("ec2:DescribeInstances");
        let page = self.client.describe_instances().instance_ids(id).send().await.at(call)?;
        let mut all = page.reservations().iter().flat_map(|r| r.instances());
        all.find(|i| i.instance_id() == Some(id)).cloned().ok_or_else(|| self.no_instance(id))
    }

    fn no_instance(&self, id: &str) -> Fault {
        self.place.call("ec2:DescribeInstances").fault(FaultKind::NotFound, None, &format!("no instance {id}"))
    }

    /// One volume.
    ///
    /// # Errors
    /// [`FaultKind::NotFound`] when EC2 does not know it; the call's failure otherwise.
    pub async fn volume(&self, id: &str) -> Result<Resource, Fault> {
        let call = self.place.call("ec2:DescribeVolumes");
        let page = self.client.describe_volumes().volume_ids(id).send().await.at(call)?;
        let found = page.volumes().iter().find(|v| v.volume_id() == Some(id));
        found
            .and_then(|v| convert::volume(&self.place, v))
            .ok_or_else(|| call.fault(FaultKind::NotFound, None, &format!("no volume {id}")))
    }

    /// The volumes attached to a machine.
    ///
    /// # Errors
    /// The call's failure.
    pub async fn volumes_of(&self, instance: &str) -> Result<Vec<Resource>, Fault> {
        let filter = Filter::builder().name("attachment.instance-id").values(instance).build();
        let mut volumes = Vec::new();
        self.read_volumes(&[filter], &mut volumes).await?;
        Ok(volumes)
    }

    /// The architectures an instance type runs, as EC2 says in this region.
    ///
    /// # Errors
    /// [`FaultKind::InvalidType`] for a type the region does not have; the call's failure otherwise.
    pub async fn architectures(&self, instance_type: &str) -> Result<Vec<String>, Fault> {
        let call = self.place.call("ec2:DescribeInstanceTypes");
        let page = self.client.describe_instance_types().instance_types(instance_type.into()).send().await.at(call)?;
        let found =
            page.instance_types().iter().find(|t| t.instance_type().is_some_and(|n| n.as_str() == instance_type));
        let processor = found.and_then(|t| t.processor_info());
        let Some(processor) = processor else {
            return Err(call.fault(FaultKind::InvalidType, None, &format!("no instance type {instance_type}")));
        };
        Ok(processor.supported_architectures().iter().map(|a| a.as_str().to_owned()).collect())
    }

    /// The instance type a launch template's version names; `None` when it leaves the type open.
    ///
    /// # Errors
    /// The call's failure.
    pub async fn launch_template_type(&self, template: &str, version: &str) -> Result<Option<String>, Fault> {
        let call = self.place.call("ec2:DescribeLaunchTemplateVersions");
        let request = self.client.describe_launch_template_versions().launch_template_id(template).versions(version);
        let page = request.send().await.at(call)?;
        let data = page.launch_template_versions().first().and_then(|v| v.launch_template_data());
        Ok(data.and_then(|d| d.instance_type()).map(|t| t.as_str().to_owned()))
    }

    /// Returns `true` if the snapshot is complete.
    ///
    /// # Errors
    /// The snapshot failed or does not exist, or the call failed.
    pub async fn snapshot_complete(&self, id: &str) -> Result<bool, Fault> {
        let call = self.place.call("ec2:DescribeSnapshots");
        let page = self.client.describe_snapshots().snapshot_ids(id).send().await.at(call)?;
        let Some(snapshot) = page.snapshots().first() else {
            return Err(call.fault(FaultKind::NotFound, None, &format!("no snapshot {id}")));
        };
        match snapshot.state() {
            Some(SnapshotState::Completed) => Ok(true),
            Some(SnapshotState::Error) => {
                let why = snapshot.state_message().unwrap_or("no reason given");
                Err(call.fault(FaultKind::Other, None, &format!("snapshot {id} failed: {why}")))
            }
            _ => Ok(false),
        }
    }
}
