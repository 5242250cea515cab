//! Changing EC2. Each change is one call that the SDK does not repeat: only what EC2 says it
//! refused for the rate alone is tried again. EC2 refuses to resize a running machine and unknown
//! types; some emulators do not, so we refuse them first.

use std::future::Future;
use std::time::Duration;

use reeve_estate::{MADE_BY, PriceCatalogue, Provider, ResourceState};

use crate::describe::Ec2;
use crate::fault::{AwsEc2Fault, FaultKind};
use crate::form::Form;

/// Retries of a throttled change: their number and the first delay.
#[derive(Debug, Clone, Copy)]
pub struct ChangePace {
    /// Attempts in all, the first included.
    pub attempts: u32,
    /// The first wait; it doubles each time.
    pub backoff: Duration,
}

/// Repeats a change as long as the service says that it refused it for the rate. Every other
/// failure comes back at once: the change may have happened.
///
/// # Errors
/// The last failure.
pub async fn refused_only<T, F>(
    pace: ChangePace,
    mut change: impl FnMut() -> F,
) -> Result<T, AwsEc2Fault>
where
    F: Future<Output = Result<T, AwsEc2Fault>>,
{
    let mut wait = pace.backoff;
    for _ in 1..pace.attempts {
        match change().await {
            Err(fault) if fault.kind == FaultKind::Throttled => tokio::time::sleep(wait).await,
            outcome => return outcome,
        }
        wait = wait.saturating_mul(2);
    }
    change().await
}

impl Ec2 {
    /// Stops a machine.
    ///
    /// # Errors
    /// The call's failure.
    pub async fn stop(&self, id: &str) -> Result<(), AwsEc2Fault> {
        let call = self.place.call("ec2:StopInstances");
        self.change(call, Form::new().with_list("InstanceId", [id]))
            .await
            .map(|_| ())
    }

    /// Starts a machine.
    ///
    /// # Errors
    /// The call's failure; [`FaultKind::NoCapacity`] when there is none for its size.
    pub async fn start(&self, id: &str) -> Result<(), AwsEc2Fault> {
        let call = self.place.call("ec2:StartInstances");
        self.change(call, Form::new().with_list("InstanceId", [id]))
            .await
            .map(|_| ())
    }

    /// Changes the size of a stopped machine.
    ///
    /// # Errors
    /// [`FaultKind::WrongState`] unless it is stopped, [`FaultKind::InvalidType`] for a type that
    /// does not exist or has another architecture; the call's failure otherwise.
    pub async fn resize(&self, id: &str, instance_type: &str) -> Result<(), AwsEc2Fault> {
        let call = self.place.call("ec2:ModifyInstanceAttribute");
        let machine = self.machine(id).await?;

        if machine.state != ResourceState::Stopped {
            let message = format!(
                "{id} is {}; it must be stopped to be resized",
                machine.state
            );
            return Err(call.fault(FaultKind::WrongState, None, &message));
        }

        let runs = self.architectures_or_catalogue(instance_type).await?;
        let has = machine
            .specification
            .architecture
            .as_deref()
            .unwrap_or("x86_64");

        if !runs.iter().any(|a| a == has) {
            let message = format!(
                "{instance_type} runs {}, and {id} is {has}",
                runs.join(", ")
            );
            return Err(call.fault(FaultKind::InvalidType, None, &message));
        }

        let parameters = Form::new()
            .with("InstanceId", id)
            .with("InstanceType.Value", instance_type);
        self.change(call, parameters).await.map(|_| ())
    }

    /// Returns the architectures of an instance type as EC2 lists them, or as the catalogue does if
    /// the account may not ask.
    async fn architectures_or_catalogue(
        &self,
        instance_type: &str,
    ) -> Result<Vec<String>, AwsEc2Fault> {
        match self.architectures(instance_type).await {
            Err(fault) if fault.kind == FaultKind::Denied => {
                let known = PriceCatalogue::builtin().instance(Provider::Aws, instance_type);
                let missing = || {
                    let message = format!("no instance type {instance_type} in the catalogue");
                    self.place.call("ec2:ModifyInstanceAttribute").fault(
                        FaultKind::InvalidType,
                        None,
                        &message,
                    )
                };
                known
                    .map(|spec| spec.architectures.clone())
                    .ok_or_else(missing)
            }
            outcome => outcome,
        }
    }

    /// Begins a snapshot of a volume, and returns its identifier.
    ///
    /// # Errors
    /// The call's failure.
    pub async fn snapshot(&self, volume: &str, description: &str) -> Result<String, AwsEc2Fault> {
        let call = self.place.call("ec2:CreateSnapshot");
        let name = format!("reeve {volume}");
        let tags = [("Name", name.as_str()), MADE_BY, ("reeve:volume", volume)];

        // EC2 takes descriptions of up to 255 characters.
        let description: String = description.chars().take(255).collect();
        let parameters = Form::new()
            .with("VolumeId", volume)
            .with("Description", description);
        let made = self
            .change(call, parameters.with_tags_of_new("snapshot", &tags))
            .await?;
        let nameless = || {
            call.fault(
                FaultKind::Broken,
                None,
                "EC2 answered without a snapshot identifier",
            )
        };

        made.text_of("snapshotId")
            .map(str::to_owned)
            .ok_or_else(nameless)
    }
}
