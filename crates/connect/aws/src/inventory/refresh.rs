//! Launch template and instance refreshes of one scaling group. Amazon EC2 Auto Scaling API
//! reference, `StartInstanceRefresh`, `DescribeInstanceRefreshes`, `CancelInstanceRefresh`.

use reeve_connect_aws_ec2::query;
use reeve_connect_aws_ec2::{AwsEc2Fault, Ec2, Element, FaultKind, Form, refused_only};
use reeve_estate::GroupTemplate;
use reeve_recommend::change::{GroupSizeOperation, HEALTHY_PERCENT};

use super::autoscaling::{AUTO_SCALING, Scaling};

/// States of a refresh that still replaces members.
const RUNNING: &[&str] = &[
    "Pending",
    "InProgress",
    "Cancelling",
    "RollbackInProgress",
    "Baking",
];

/// Template, version and types of the members of a group; `None` for a group without a launch
/// template of its own.
pub(super) fn named(group: &Element) -> Option<GroupTemplate> {
    let template = group.child("LaunchTemplate")?;
    let mut member_types: Vec<String> = group
        .list("Instances")
        .filter_map(|member| member.text_of("InstanceType"))
        .map(str::to_owned)
        .collect();
    member_types.sort_unstable();
    member_types.dedup();

    Some(GroupTemplate {
        id: template.text_of("LaunchTemplateId")?.to_owned(),
        version: template.text_of("Version").unwrap_or("$Default").to_owned(),
        instance_type: None,
        member_types,
        refreshing: None,
    })
}

impl Scaling {
    /// Adds what other calls know of a template. What may not be read stays unknown: a group that
    /// is only scaled needs none of it.
    pub(super) async fn complete(&self, ec2: &Ec2, name: &str, template: &mut GroupTemplate) {
        if let Ok(named) = ec2
            .launch_template_type(&template.id, &template.version)
            .await
        {
            template.instance_type = named;
        }
        template.refreshing = self.is_refreshing(name).await.ok();
    }

    async fn is_refreshing(&self, name: &str) -> Result<bool, AwsEc2Fault> {
        let call = self.place.call("autoscaling:DescribeInstanceRefreshes");
        let parameters = Form::new()
            .with("AutoScalingGroupName", name)
            .with("MaxRecords", "10");

        // Without the SDK's retries: an emulator that lacks the call fails for good.
        let page = query::ask(&self.changes, call, AUTO_SCALING, parameters).await?;
        let runs = |refresh: &Element| {
            refresh
                .text_of("Status")
                .is_some_and(|status| RUNNING.contains(&status))
        };

        Ok(page.list("InstanceRefreshes").any(runs))
    }

    /// Changes the template's version or the members of a group.
    pub(crate) async fn change_size(
        &self,
        ec2: &Ec2,
        name: &str,
        operation: &GroupSizeOperation,
    ) -> Result<(), AwsEc2Fault> {
        match operation {
            GroupSizeOperation::NewVersion {
                template,
                from_version,
                instance_type,
            } => {
                let call = self.place.call("autoscaling:UpdateAutoScalingGroup");
                let now = self.group(name).await?.specification.template;
                if now.is_none_or(|now| now.id != *template || now.version != *from_version) {
                    let message = format!(
                        "{name} does not use version {from_version} of {template} any more"
                    );
                    return Err(call.fault(FaultKind::WrongState, None, &message));
                }
                let number = ec2
                    .version_with_type(template, from_version, instance_type)
                    .await?;
                self.use_version(name, template, &number.to_string()).await
            }
            GroupSizeOperation::UseVersion { template, version } => {
                let call = self.place.call("autoscaling:UpdateAutoScalingGroup");
                let now = self
                    .group(name)
                    .await?
                    .specification
                    .template
                    .map(|now| now.version)
                    .unwrap_or_default();
                if !ec2
                    .template_version(template, &now)
                    .await?
                    .is_some_and(|now| now.is_own)
                {
                    let message = format!(
                        "{name} uses version {now} of {template} now, which Reeve did not make"
                    );
                    return Err(call.fault(FaultKind::Other, None, &message));
                }
                self.use_version(name, template, version).await
            }
            GroupSizeOperation::Refresh => {
                let (least, most) = HEALTHY_PERCENT;
                let parameters = Form::new()
                    .with("Strategy", "Rolling")
                    .with("Preferences.MinHealthyPercentage", least.to_string())
                    .with("Preferences.MaxHealthyPercentage", most.to_string())
                    .with("Preferences.SkipMatching", "true");
                self.ask_unless(
                    "autoscaling:StartInstanceRefresh",
                    name,
                    parameters,
                    "InstanceRefreshInProgress",
                )
                .await
            }
            GroupSizeOperation::CancelRefresh => {
                let done = "ActiveInstanceRefreshNotFound";
                self.ask_unless("autoscaling:CancelInstanceRefresh", name, Form::new(), done)
                    .await
            }
        }
    }

    async fn use_version(
        &self,
        name: &str,
        template: &str,
        version: &str,
    ) -> Result<(), AwsEc2Fault> {
        let parameters = Form::new()
            .with("LaunchTemplate.LaunchTemplateId", template)
            .with("LaunchTemplate.Version", version);
        self.ask_unless("autoscaling:UpdateAutoScalingGroup", name, parameters, "")
            .await
    }

    /// Asks for a change of a group; the code of an answer that says that it came about already is
    /// no failure.
    async fn ask_unless(
        &self,
        operation: &'static str,
        name: &str,
        more: Form,
        done: &str,
    ) -> Result<(), AwsEc2Fault> {
        let call = self.place.call(operation);
        let parameters = Form::new()
            .with("AutoScalingGroupName", name)
            .with_all(more);
        let asked = || query::ask(&self.changes, call, AUTO_SCALING, parameters.clone());
        match refused_only(self.pace, asked).await {
            Err(fault) if fault.code.as_deref().is_some_and(|code| code == done) => Ok(()),
            outcome => outcome.map(|_| ()),
        }
    }
}
