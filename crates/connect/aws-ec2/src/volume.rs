//! Changing volumes: size, type and performance, and deleting them. EBS never shrinks one, and
//! takes no change until the last one is completed; some emulators do either, so both are refused
//! first. EBS user guide, "Modify a volume using Elastic Volumes operations".

use reeve_estate::{Resource, ResourceState};

use crate::describe::Ec2;
use crate::fault::{AwsEc2Fault, FaultKind};
use crate::form::Form;

impl Ec2 {
    /// One volume, `Changing` while EBS is giving it another size: only after that does it have it.
    ///
    /// # Errors
    /// The call's failure. What the account may not ask of changes under way is taken as none.
    pub async fn settled_volume(&self, id: &str) -> Result<Resource, AwsEc2Fault> {
        let mut volume = self.volume(id).await?;
        if self.modification(id).await?.as_deref() == Some("modifying") {
            volume.state = ResourceState::Changing;
        }
        Ok(volume)
    }

    /// Returns the stage of a volume's last modification; `None` if there was none, or the account
    /// may not ask.
    async fn modification(&self, id: &str) -> Result<Option<String>, AwsEc2Fault> {
        let call = self.place.call("ec2:DescribeVolumesModifications");
        let page = match self
            .read(call, Form::new().with_list("VolumeId", [id]))
            .await
        {
            Ok(page) => page,
            Err(fault)
                if matches!(
                    fault.kind,
                    FaultKind::Denied | FaultKind::NotFound | FaultKind::Other
                ) =>
            {
                return Ok(None);
            }
            Err(fault) => return Err(fault),
        };

        let mut newest = (i64::MIN, None);
        for modification in page.list("volumeModificationSet") {
            let begun_at = modification
                .time_of("startTime")
                .map_err(|malformed| malformed.at(call))?;
            let second = begun_at.map_or(0, |at| at.as_second());
            if second >= newest.0 {
                newest = (second, modification.text_of("modificationState"));
            }
        }

        Ok(newest.1.map(str::to_owned))
    }

    /// Gives a volume more storage.
    ///
    /// # Errors
    /// [`FaultKind::InvalidType`] for a size that is not larger, [`FaultKind::Other`] while an
    /// earlier change is not completed; the call's failure otherwise.
    pub async fn grow(&self, id: &str, storage_gib: u32) -> Result<(), AwsEc2Fault> {
        let call = self.place.call("ec2:ModifyVolume");
        let now = self
            .volume(id)
            .await?
            .specification
            .storage_gib
            .unwrap_or(0.0);

        if f64::from(storage_gib) <= now {
            let message =
                format!("{id} has {now:.0} GiB, and EBS makes no volume smaller or the same");
            return Err(call.fault(FaultKind::InvalidType, None, &message));
        }

        self.require_completed(id).await?;
        let size = i32::try_from(storage_gib).map_err(|_| {
            call.fault(
                FaultKind::InvalidType,
                None,
                &format!("no volume has {storage_gib} GiB"),
            )
        })?;

        self.change(
            call,
            Form::new()
                .with("VolumeId", id)
                .with("Size", size.to_string()),
        )
        .await
        .map(|_| ())
    }

    /// Gives a volume another type, IOPS and throughput, in MiB/s. What is `None` is left to the
    /// type.
    ///
    /// # Errors
    /// [`FaultKind::Other`] while an earlier change is not completed; the call's failure otherwise.
    pub async fn modify_volume(
        &self,
        id: &str,
        volume_type: &str,
        iops: Option<u32>,
        throughput_mibps: Option<u32>,
    ) -> Result<(), AwsEc2Fault> {
        let call = self.place.call("ec2:ModifyVolume");
        self.require_completed(id).await?;
        let number = |name: &str, value: Option<u32>| {
            let wrong = |_| {
                call.fault(
                    FaultKind::InvalidType,
                    None,
                    &format!("no volume has that much {name}"),
                )
            };
            value.map(i32::try_from).transpose().map_err(wrong)
        };

        let parameters = Form::new()
            .with("VolumeId", id)
            .with("VolumeType", volume_type)
            .with_some("Iops", number("IOPS", iops)?)
            .with_some("Throughput", number("throughput", throughput_mibps)?);
        self.change(call, parameters).await.map(|_| ())
    }

    /// Deletes a volume that nothing is attached to.
    ///
    /// # Errors
    /// [`FaultKind::WrongState`] while something has it; the call's failure otherwise.
    pub async fn delete_volume(&self, id: &str) -> Result<(), AwsEc2Fault> {
        let call = self.place.call("ec2:DeleteVolume");
        if self.volume(id).await?.state != ResourceState::Unattached {
            let message =
                format!("{id} is in use; only a volume that nothing is attached to can be deleted");
            return Err(call.fault(FaultKind::WrongState, None, &message));
        }
        self.change(call, Form::new().with("VolumeId", id))
            .await
            .map(|_| ())
    }

    /// Refuses a change of a volume whose last change is not completed.
    async fn require_completed(&self, id: &str) -> Result<(), AwsEc2Fault> {
        let stage = self.modification(id).await?;
        let Some(stage @ ("modifying" | "optimizing")) = stage.as_deref() else {
            return Ok(());
        };

        let message =
            format!("the last change of {id} is still {stage}; EBS takes the next one after it");
        let call = self.place.call("ec2:ModifyVolume");
        Err(call.fault(
            FaultKind::Other,
            Some("IncorrectModificationState"),
            &message,
        ))
    }
}
