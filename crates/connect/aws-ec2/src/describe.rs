//! Reading EC2: machines, volumes, instance types, launch templates, snapshots. All pages, one
//! region. Names of parameters and elements: Amazon EC2 API reference, version 2016-11-15.

use aws_smithy_types::retry::RetryConfig;
use aws_types::SdkConfig;
use reeve_estate::{InventorySink, Resource, ResourceKind, ResourceState};

use crate::change::{ChangePace, refused_only};
use crate::convert;
use crate::cursor::Cursor;
use crate::fault::{AwsEc2Fault, Call, FaultKind};
use crate::form::Form;
use crate::place::{Listing, Place};
use crate::query::{self, QueryService};
use crate::xml::Element;

const LIST_VOLUMES: &str = "ec2:DescribeVolumes";
/// EC2 as the protocol of forms names it.
pub const EC2: QueryService = QueryService {
    name: "ec2",
    version: "2016-11-15",
};

/// EC2 in one region.
#[derive(Debug, Clone)]
pub struct Ec2 {
    reads: SdkConfig,
    /// For changes: the SDK must not repeat what may have happened, so its retries are off.
    changes: SdkConfig,
    pub(crate) place: Place,
    pub(crate) pace: ChangePace,
    page_size: i32,
}

impl Ec2 {
    /// For a region, whose configuration `config` is. `page_size` is what one page may hold (5 to
    /// 1000; volumes take up to 500).
    #[must_use]
    pub fn new(config: &SdkConfig, place: Place, pace: ChangePace, page_size: i32) -> Self {
        let changes = config
            .clone()
            .into_builder()
            .retry_config(RetryConfig::disabled())
            .build();
        Ec2 {
            reads: config.clone(),
            changes,
            place,
            pace,
            page_size,
        }
    }

    /// Asks for what a failed call may be repeated for.
    pub(crate) async fn read(
        &self,
        call: Call<'_>,
        parameters: Form,
    ) -> Result<Element, AwsEc2Fault> {
        query::ask(&self.reads, call, EC2, parameters).await
    }

    /// Makes a change, which is repeated only where EC2 refused it for the rate.
    pub(crate) async fn change(
        &self,
        call: Call<'_>,
        parameters: Form,
    ) -> Result<Element, AwsEc2Fault> {
        refused_only(self.pace, || {
            query::ask(&self.changes, call, EC2, parameters.clone())
        })
        .await
    }

    /// Every machine that is not gone.
    pub async fn machines(&self) -> Listing {
        let mut listing = Listing::new(ResourceKind::VirtualMachine);
        let outcome = self.read_machines(&mut listing.resources).await;
        listing
            .resources
            .retain(|r| r.state != ResourceState::Deleted);
        listing.end(outcome);
        listing
    }

    async fn read_machines(&self, into: &mut Vec<Resource>) -> Result<(), AwsEc2Fault> {
        let call = self.place.call("ec2:DescribeInstances");
        let mut cursor = Cursor::new();

        loop {
            let parameters = Form::new().with("MaxResults", self.page_size.to_string());
            let page = self
                .read(call, parameters.with_some("NextToken", cursor.token()))
                .await?;
            for instance in page
                .list("reservationSet")
                .flat_map(|reservation| reservation.list("instancesSet"))
            {
                into.extend(
                    convert::machine(&self.place, instance)
                        .map_err(|malformed| malformed.at(call))?,
                );
            }
            if !cursor.advance(call, page.text_of("nextToken"))? {
                return Ok(());
            }
        }
    }

    /// Lists every volume of the region.
    pub async fn volumes(&self) -> Listing {
        let mut listing = Listing::new(ResourceKind::Volume);
        let outcome = self
            .read_volumes(&Form::new(), &mut listing.resources)
            .await;
        listing.end(outcome);
        listing
    }

    /// Hands every volume to a sink, page by page. The listing has none of them; it is not complete
    /// where the sink failed.
    pub async fn volumes_into(&self, sink: &dyn InventorySink) -> Listing {
        let mut listing = Listing::new(ResourceKind::Volume);
        let (unfiltered, mut cursor) = (Form::new(), Cursor::new());
        let outcome = loop {
            let mut page = Vec::new();
            let more = self.volume_page(&unfiltered, &mut cursor, &mut page).await;
            // A page that breaks off has what was read before.
            if let Err(error) = sink.page(page).await {
                break Err(self.place.call(LIST_VOLUMES).fault(
                    FaultKind::Other,
                    None,
                    &error.to_string(),
                ));
            }
            match more {
                Ok(true) => {}
                Ok(false) => break Ok(()),
                Err(fault) => break Err(fault),
            }
        };
        listing.end(outcome);

        listing
    }

    async fn read_volumes(
        &self,
        filter: &Form,
        into: &mut Vec<Resource>,
    ) -> Result<(), AwsEc2Fault> {
        let mut cursor = Cursor::new();
        while self.volume_page(filter, &mut cursor, into).await? {}
        Ok(())
    }

    /// Reads the next page of volumes, and returns `true` if there are more.
    async fn volume_page(
        &self,
        filter: &Form,
        cursor: &mut Cursor,
        into: &mut Vec<Resource>,
    ) -> Result<bool, AwsEc2Fault> {
        let call = self.place.call(LIST_VOLUMES);
        let parameters = filter
            .clone()
            .with("MaxResults", self.page_size.min(500).to_string());
        let page = self
            .read(call, parameters.with_some("NextToken", cursor.token()))
            .await?;

        for volume in page.list("volumeSet") {
            into.extend(
                convert::volume(&self.place, volume).map_err(|malformed| malformed.at(call))?,
            );
        }

        cursor.advance(call, page.text_of("nextToken"))
    }

    /// One machine, gone ones included as long as EC2 remembers them.
    ///
    /// # Errors
    /// [`FaultKind::NotFound`] when EC2 does not know it; the call's failure otherwise.
    pub async fn machine(&self, id: &str) -> Result<Resource, AwsEc2Fault> {
        let machine = convert::machine(&self.place, &self.instance(id).await?);
        let machine =
            machine.map_err(|malformed| malformed.at(self.place.call("ec2:DescribeInstances")))?;
        machine.ok_or_else(|| self.no_instance(id))
    }

    /// Returns a machine in EC2's own form.
    pub(crate) async fn instance(&self, id: &str) -> Result<Element, AwsEc2Fault> {
        let call = self.place.call("ec2:DescribeInstances");
        let page = self
            .read(call, Form::new().with_list("InstanceId", [id]))
            .await?;
        let mut all = page
            .list("reservationSet")
            .flat_map(|reservation| reservation.list("instancesSet"));
        let found = all.find(|instance| instance.text_of("instanceId") == Some(id));
        found.cloned().ok_or_else(|| self.no_instance(id))
    }

    fn no_instance(&self, id: &str) -> AwsEc2Fault {
        self.place.call("ec2:DescribeInstances").fault(
            FaultKind::NotFound,
            None,
            &format!("no instance {id}"),
        )
    }

    /// One volume.
    ///
    /// # Errors
    /// [`FaultKind::NotFound`] when EC2 does not know it; the call's failure otherwise.
    pub async fn volume(&self, id: &str) -> Result<Resource, AwsEc2Fault> {
        let call = self.place.call("ec2:DescribeVolumes");
        let page = self
            .read(call, Form::new().with_list("VolumeId", [id]))
            .await?;
        let found = page
            .list("volumeSet")
            .find(|volume| volume.text_of("volumeId") == Some(id));
        let volume = found
            .map(|volume| convert::volume(&self.place, volume))
            .transpose();
        let volume = volume.map_err(|malformed| malformed.at(call))?.flatten();

        volume.ok_or_else(|| call.fault(FaultKind::NotFound, None, &format!("no volume {id}")))
    }

    /// The volumes attached to a machine.
    ///
    /// # Errors
    /// The call's failure.
    pub async fn volumes_of(&self, instance: &str) -> Result<Vec<Resource>, AwsEc2Fault> {
        let mut volumes = Vec::new();
        self.read_volumes(
            &Form::new().with_filter("attachment.instance-id", [instance]),
            &mut volumes,
        )
        .await?;
        Ok(volumes)
    }

    /// The architectures an instance type runs, as EC2 says in this region.
    ///
    /// # Errors
    /// [`FaultKind::InvalidType`] for a type the region does not have; the call's failure
    /// otherwise.
    pub async fn architectures(&self, instance_type: &str) -> Result<Vec<String>, AwsEc2Fault> {
        let call = self.place.call("ec2:DescribeInstanceTypes");
        let page = self
            .read(call, Form::new().with_list("InstanceType", [instance_type]))
            .await?;
        let found = page
            .list("instanceTypeSet")
            .find(|known| known.text_of("instanceType") == Some(instance_type));
        let Some(processor) = found.and_then(|known| known.child("processorInfo")) else {
            return Err(call.fault(
                FaultKind::InvalidType,
                None,
                &format!("no instance type {instance_type}"),
            ));
        };

        Ok(processor
            .list("supportedArchitectures")
            .map(|architecture| architecture.text.clone())
            .collect())
    }

    /// The instance type a launch template's version names; `None` when it leaves the type open.
    ///
    /// # Errors
    /// The call's failure.
    pub async fn launch_template_type(
        &self,
        template: &str,
        version: &str,
    ) -> Result<Option<String>, AwsEc2Fault> {
        Ok(self
            .template_version(template, version)
            .await?
            .and_then(|found| found.instance_type))
    }

    /// Returns `true` if the snapshot is complete.
    ///
    /// # Errors
    /// The snapshot failed or does not exist, or the call failed.
    pub async fn snapshot_complete(&self, id: &str) -> Result<bool, AwsEc2Fault> {
        let call = self.place.call("ec2:DescribeSnapshots");
        let page = self
            .read(call, Form::new().with_list("SnapshotId", [id]))
            .await?;
        let Some(snapshot) = page.list("snapshotSet").next() else {
            return Err(call.fault(FaultKind::NotFound, None, &format!("no snapshot {id}")));
        };

        match snapshot.text_of("status") {
            Some("completed") => Ok(true),
            Some("error") => {
                let why = snapshot
                    .text_of("statusMessage")
                    .unwrap_or("no reason given");
                Err(call.fault(
                    FaultKind::Other,
                    None,
                    &format!("snapshot {id} failed: {why}"),
                ))
            }
            _ => Ok(false),
        }
    }
}
