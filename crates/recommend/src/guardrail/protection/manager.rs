//! Services and tools that create resources and keep their number: what is stopped or resized
//! behind their back is replaced, and its replacement runs beside it.
//!
//! Terraform, CloudFormation and Pulumi are none of them: nothing of theirs runs between two
//! deployments. A change behind their back is a drift, which the next deployment undoes; such
//! resources are changed by people alone (`ownership`, guardrail `infrastructure_as_code`).
//! CodeDeploy installs on machines and owns none. A group of machines is told apart by its members'
//! group.

use reeve_estate::{Resource, ResourceKind};

/// Form of a tag's key.
#[derive(Debug, Clone, Copy)]
enum Key {
    /// The key is exactly this.
    Is(&'static str),
    /// The beginning of the key.
    Begins(&'static str),
}
use Key::{Begins, Is};

/// Tags that a manager gives its resources, and its name. Keys are compared without regard to case.
const MANAGERS: &[(Key, &str)] = &[
    (Begins("karpenter.sh/"), "Karpenter"),
    (Begins("karpenter.k8s.aws/"), "Karpenter"),
    (Begins("karpenter.azure.com/"), "Karpenter"),
    (Begins("eks:"), "Amazon EKS"),
    (Begins("aws:eks:"), "Amazon EKS"),
    (Begins("aks-managed-"), "Azure Kubernetes Service"),
    (Begins("goog-gke-"), "Google Kubernetes Engine"),
    (Begins("goog-k8s-"), "Google Kubernetes Engine"),
    (Begins("kubernetes.io/"), "Kubernetes"),
    (Begins("kubernetes.io-"), "Kubernetes"),
    (Begins("kubernetes.azure.com/"), "Kubernetes"),
    (Begins("k8s.io/"), "Kubernetes"),
    (Begins("sigs.k8s.io/"), "Kubernetes"),
    (Is("kubernetescluster"), "Kubernetes"),
    (Is("csivolumename"), "Kubernetes"),
    (Begins("ebs.csi.aws.com/"), "Kubernetes"),
    (Begins("elbv2.k8s.aws/"), "Kubernetes"),
    (Begins("service.k8s.aws/"), "Kubernetes"),
    (Begins("ingress.k8s.aws/"), "Kubernetes"),
    (Begins("aws:elasticmapreduce:"), "Amazon EMR"),
    (Begins("goog-dataproc-"), "Dataproc"),
    (Begins("goog-composer-"), "Cloud Composer"),
    (Is("dataflow_job_id"), "Dataflow"),
    (Begins("databricks"), "Databricks"),
    (Begins("aws:batch:"), "AWS Batch"),
    (Is("awsbatchservicetag"), "AWS Batch"),
    (Begins("parallelcluster:"), "AWS ParallelCluster"),
    (Begins("aws-parallelcluster"), "AWS ParallelCluster"),
    (Begins("aws:ecs:"), "Amazon ECS"),
    (Is("amazonecsmanaged"), "Amazon ECS"),
    (Begins("elasticbeanstalk:"), "Elastic Beanstalk"),
    (Begins("opsworks:"), "OpsWorks"),
    (Is("aws:ec2:fleet-id"), "an EC2 Fleet"),
    (Begins("aws:ec2spot:"), "a Spot Fleet"),
    (Begins("aws:cloud9:"), "Cloud9"),
    (Is("ec2imagebuilderarn"), "EC2 Image Builder"),
    (
        Is("awselasticdisasterrecoverymanaged"),
        "Elastic Disaster Recovery",
    ),
    (
        Is("awsapplicationmigrationservicemanaged"),
        "Application Migration Service",
    ),
    (Begins("nomad"), "Nomad"),
    (Begins("spotinst:"), "Spot by Flexera"),
    (Begins("jenkins_"), "Jenkins"),
    (Begins("ghr:"), "GitHub Actions runners"),
];

/// Manager by a tag whose key says nothing without its value.
const BY_VALUE: &[(&str, &str, &str)] = &[
    ("vendor", "databricks", "Databricks"),
    ("createdby", "ec2 image builder", "EC2 Image Builder"),
];

/// Names of all managers.
#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    MANAGERS
        .iter()
        .map(|(_, name)| *name)
        .chain(BY_VALUE.iter().map(|row| row.2))
}

/// Returns the service or tool that owns a resource at run time, and the key of the tag that says
/// so.
#[must_use]
pub fn manager(resource: &Resource) -> Option<(&'static str, &str)> {
    resource.tags.iter().find_map(|(key, value)| {
        let (name, value) = (
            key.trim().to_ascii_lowercase(),
            value.trim().to_ascii_lowercase(),
        );
        // Networks and balancers that a cluster only uses are "shared"; nodes are the cluster's
        // either way.
        let only_used = value == "shared" && resource.kind != ResourceKind::VirtualMachine;
        let fits = |form: &Key| match form {
            Is(whole) => name == *whole,
            Begins(beginning) => name.starts_with(beginning),
        };
        let by_key = MANAGERS
            .iter()
            .find(|(form, _)| fits(form) && !only_used)
            .map(|(_, manager)| *manager);
        let by_value = || {
            BY_VALUE
                .iter()
                .find(|(key, needed, _)| *key == name && *needed == value)
                .map(|row| row.2)
        };
        Some((by_key.or_else(by_value)?, key.as_str()))
    })
}

pub(super) fn reason(resource: &Resource) -> Option<String> {
    let (manager, tag) = manager(resource)?;
    Some(format!(
        "{manager} manages it (its tag {tag}) and replaces what is changed beside it; change it there"
    ))
}
