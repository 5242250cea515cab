//! Versions of launch templates: reading them, and making one with another instance type. A version
//! that Reeve made is known again by its description, so that a lost answer makes no second one.
//! EC2 API reference, `CreateLaunchTemplateVersion`.

use crate::describe::Ec2;
use crate::fault::{AwsEc2Fault, FaultKind};
use crate::form::Form;
use crate::xml::Element;

/// Versions in an answer, the most there may be.
const PAGE: u32 = 200;

/// A version of a launch template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateVersion {
    /// Number of the version.
    pub number: u64,
    /// Instance type; `None` where the version leaves it open.
    pub instance_type: Option<String>,
    /// `true` if Reeve made the version, by its description.
    pub is_own: bool,
}

/// Beginning of the descriptions of versions that Reeve makes.
const OWN: &str = "reeve: ";

fn version(found: &Element) -> Option<TemplateVersion> {
    let data = found.child("launchTemplateData");
    let instance_type = data
        .and_then(|data| data.text_of("instanceType"))
        .map(str::to_owned);
    let is_own = found
        .text_of("versionDescription")
        .is_some_and(|description| description.strip_prefix(OWN).is_some());

    Some(TemplateVersion {
        number: found.text_of("versionNumber")?.parse().ok()?,
        instance_type,
        is_own,
    })
}

impl Ec2 {
    /// Returns a version of a launch template: a number, `$Default` or `$Latest`.
    ///
    /// # Errors
    /// The call's failure.
    pub async fn template_version(
        &self,
        template: &str,
        named: &str,
    ) -> Result<Option<TemplateVersion>, AwsEc2Fault> {
        let call = self.place.call("ec2:DescribeLaunchTemplateVersions");
        let parameters = Form::new().with("LaunchTemplateId", template);
        let page = self
            .read(call, parameters.with_list("LaunchTemplateVersion", [named]))
            .await?;
        Ok(page
            .list("launchTemplateVersionSet")
            .next()
            .and_then(version))
    }

    /// Returns the number of a version that has an instance type and is a copy of another version
    /// in everything else. One that was made before is found again.
    ///
    /// # Errors
    /// [`FaultKind::InvalidType`] for a type that the region does not have, [`FaultKind::NotFound`]
    /// if the version is gone; the call's failure otherwise.
    pub async fn version_with_type(
        &self,
        template: &str,
        from: &str,
        instance_type: &str,
    ) -> Result<u64, AwsEc2Fault> {
        let call = self.place.call("ec2:CreateLaunchTemplateVersion");
        let missing = || {
            call.fault(
                FaultKind::NotFound,
                None,
                &format!("no version {from} of {template}"),
            )
        };

        let source = self
            .template_version(template, from)
            .await?
            .ok_or_else(missing)?
            .number;
        let description = format!("{OWN}{instance_type}, otherwise version {source}");
        if let Some(number) = self
            .described_as(template, source + 1, &description)
            .await?
        {
            return Ok(number);
        }

        match self.architectures(instance_type).await {
            Ok(_) => {}
            // The account need not be allowed to list types; EC2 then refuses an unknown one when a
            // member starts.
            Err(fault) if fault.kind == FaultKind::Denied => {}
            Err(fault) => return Err(fault),
        }

        let parameters = Form::new()
            .with("LaunchTemplateId", template)
            .with("SourceVersion", source.to_string())
            .with("VersionDescription", &description)
            .with(
                "ClientToken",
                format!("reeve-{template}-{source}-{instance_type}"),
            )
            .with("LaunchTemplateData.InstanceType", instance_type);
        let made = self.change(call, parameters).await?;

        let number = made
            .child("launchTemplateVersion")
            .and_then(version)
            .map(|made| made.number);
        number.ok_or_else(|| {
            call.fault(
                FaultKind::Broken,
                None,
                "EC2 answered without the number of the version",
            )
        })
    }

    async fn described_as(
        &self,
        template: &str,
        least: u64,
        description: &str,
    ) -> Result<Option<u64>, AwsEc2Fault> {
        let call = self.place.call("ec2:DescribeLaunchTemplateVersions");
        let parameters = Form::new()
            .with("LaunchTemplateId", template)
            .with("MinVersion", least.to_string());
        let page = self
            .read(call, parameters.with("MaxResults", PAGE.to_string()))
            .await?;
        let own = |found: &&Element| found.text_of("versionDescription") == Some(description);

        Ok(page
            .list("launchTemplateVersionSet")
            .find(own)
            .and_then(version)
            .map(|found| found.number))
    }
}
