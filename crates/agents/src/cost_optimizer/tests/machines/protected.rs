//! Machines whose load says one thing and whose disks, addresses or owners another: what a stop
//! would destroy, and who would undo it.

use reeve_estate::{Metric, Provider, PublicAddress, ResourceKind};
use reeve_recommend::guardrail::protection::LOCAL_DISKS_TAG;

use super::super::estate::{Case, resource};
use super::load::{CPU, even, resting};
use super::{Expect, Resize, Row, Saves, Stop, left, row};

pub(super) fn rows() -> Vec<Row> {
    local_disks()
        .into_iter()
        .chain(disposable_disks())
        .chain(addresses())
        .chain(managed())
        .chain(owned_by_code())
        .chain(databases())
        .chain(volumes())
        .collect()
}

fn idle(size: &str) -> Case {
    resting(size, |_| None)
}

fn quiet() -> Case {
    even("m5.xlarge", 5.0)
}

fn at(mut case: Case, provider: Provider, region: &str) -> Case {
    case.resource.provider = provider;
    case.resource.region = region.to_owned();
    case
}

fn azure(case: Case) -> Case {
    at(case, Provider::Azure, "westeurope")
}

/// A machine of Google as its description tells of local SSDs; `None` without a description.
fn google(case: Case, local_disks: Option<bool>) -> Case {
    let mut case = at(case, Provider::Gcp, "us-central1");
    case.resource.specification.local_disks = local_disks;
    case
}

fn local_disks() -> Vec<Row> {
    let full = Case::machine("m5d.large")
        .flat(CPU, 30, 97.0)
        .all_else_small();
    let mut booted = idle("m5.large");
    booted.resource.specification.local_disks = Some(true);

    vec![
        left(
            "a Cassandra node with little to do",
            even("i3.xlarge", 5.0),
            "local_disks",
            &["950 GB"],
        ),
        left(
            "a Kafka broker at rest",
            idle("d2.xlarge"),
            "local_disks",
            &["6144 GB"],
        ),
        left(
            "an Elasticsearch node",
            even("i3en.xlarge", 6.0),
            "local_disks",
            &["which a stop erases"],
        ),
        left(
            "a ClickHouse replica",
            even("i4i.2xlarge", 6.0),
            "local_disks",
            &[],
        ),
        left(
            "HDFS on magnetic disks",
            even("h1.2xlarge", 6.0),
            "local_disks",
            &[],
        ),
        left(
            "a quiet m5d, which looks like an m5",
            even("m5d.xlarge", 5.0),
            "local_disks",
            &["150 GB"],
        ),
        left("an idle c5d", idle("c5d.2xlarge"), "local_disks", &[]),
        left("an idle r6gd", idle("r6gd.xlarge"), "local_disks", &[]),
        left("an idle z1d", idle("z1d.large"), "local_disks", &[]),
        left("an idle x1e", idle("x1e.xlarge"), "local_disks", &[]),
        left("an m5d at its limit", full, "local_disks", &[]),
        left(
            "a GPU machine with NVMe disks",
            even("g4dn.2xlarge", 4.0),
            "local_disks",
            &["225 GB"],
        ),
        left(
            "an m5 that boots from an instance store",
            booted,
            "local_disks",
            &["m5.large has local disks"],
        ),
        left(
            "an idle size that nobody has heard of",
            idle("x9z.large"),
            "local_disks_unknown",
            &["x9z.large"],
        ),
        left(
            "Azure, a database on local NVMe disks",
            azure(even("Standard_L8s_v3", 6.0)),
            "local_disks",
            &[],
        ),
        left(
            "Google, a local SSD is attached",
            google(even("n2-standard-8", 8.0), Some(true)),
            "local_disks",
            &["SSDs"],
        ),
        left(
            "Google, a type with local SSDs",
            google(idle("c3-standard-8-lssd"), None),
            "local_disks",
            &[],
        ),
        left(
            "Google, not described",
            google(idle("n2-standard-8"), None),
            "local_disks_unknown",
            &["n2-standard-8"],
        ),
    ]
}

fn disposable_disks() -> Vec<Row> {
    let disposable = |case: Case| case.tag(LOCAL_DISKS_TAG, "disposable");
    vec![
        row(
            "an m5d whose disks hold a cache",
            disposable(even("m5d.xlarge", 5.0)),
            Resize("m5d.large"),
            Saves,
            &["erased"],
        ),
        row(
            "an idle i3 whose disks hold scratch files",
            disposable(idle("i3.xlarge")),
            Stop,
            Saves,
            &["950 GB"],
        ),
        row(
            "a GPU machine, models are copied anew",
            disposable(even("g4dn.2xlarge", 4.0)),
            Resize("g4dn.xlarge"),
            Saves,
            &[],
        ),
        row(
            "Azure, a temporary disk",
            azure(idle("Standard_D4ds_v5")),
            Stop,
            Saves,
            &["temporary disk"],
        ),
        row(
            "Azure, resized beside its temporary disk",
            azure(even("Standard_E8ds_v5", 8.0)),
            Resize("Standard_E4ds_v5"),
            Saves,
            &["temporary disk"],
        ),
    ]
}

fn addresses() -> Vec<Row> {
    let with = |mut case: Case, address| {
        case.resource.specification.public_address = address;
        case
    };

    let (assigned, kept) = (PublicAddress::Assigned, PublicAddress::Kept);
    vec![
        row(
            "an assigned address, quiet",
            with(quiet(), assigned),
            Resize("m5.large"),
            Saves,
            &["impact high", "address changes"],
        ),
        row(
            "an assigned address, idle",
            with(idle("m5.large"), assigned),
            Stop,
            Saves,
            &["impact high", "goes back to the cloud"],
        ),
        row(
            "an Elastic IP, quiet",
            with(quiet(), kept),
            Resize("m5.large"),
            Saves,
            &["none: image, private addresses"],
        ),
        row(
            "an Elastic IP, idle",
            with(idle("m5.large"), kept),
            Stop,
            Saves,
            &["impact low"],
        ),
        row(
            "an address that was not read",
            with(quiet(), PublicAddress::NotRead),
            Resize("m5.large"),
            Saves,
            &["impact high", "may change"],
        ),
        row(
            "a t2 that has saved credits",
            idle("t2.large"),
            Stop,
            Saves,
            &["lost at the stop"],
        ),
        row(
            "a t3 that has saved credits",
            even("t3.medium", 15.0),
            Resize("t3.small"),
            Saves,
            &["CPU credits may be lost"],
        ),
        row(
            "caches are cold after any stop",
            quiet(),
            Resize("m5.large"),
            Saves,
            &["caches are cold"],
        ),
    ]
}

fn managed() -> Vec<Row> {
    [
        ("a node of Karpenter", "karpenter.sh/nodepool", "default"),
        (
            "a node of Karpenter's first releases",
            "karpenter.sh/provisioner-name",
            "default",
        ),
        (
            "a node of a managed node group",
            "eks:nodegroup-name",
            "web",
        ),
        ("a node of EKS Auto Mode", "eks:eks-cluster-name", "prod"),
        ("a node of kOps", "k8s.io/role/node", "1"),
        (
            "a node of OpenShift",
            "kubernetes.io/cluster/prod-x7f2",
            "owned",
        ),
        (
            "a node of Rancher",
            "kubernetes.io/cluster/c-m-abc",
            "shared",
        ),
        (
            "a node of Cluster API",
            "sigs.k8s.io/cluster-api-provider-aws/cluster/prod",
            "owned",
        ),
        (
            "an EMR core node",
            "aws:elasticmapreduce:instance-group-role",
            "CORE",
        ),
        (
            "a machine of a Batch environment",
            "aws:batch:compute-environment",
            "render",
        ),
        (
            "the head node of a ParallelCluster",
            "parallelcluster:node-type",
            "HeadNode",
        ),
        ("a client of Nomad", "nomad_role", "client"),
        ("a container instance of ECS", "AmazonECSManaged", ""),
        (
            "a machine of Elastic Beanstalk",
            "elasticbeanstalk:environment-name",
            "shop",
        ),
        ("a machine that OpsWorks heals", "opsworks:stack", "shop"),
        ("a machine of a fleet", "aws:ec2:fleet-id", "fleet-1"),
        ("a Databricks worker", "Vendor", "Databricks"),
        ("a build agent of Jenkins", "jenkins_slave_type", "demand"),
        (
            "a replication server",
            "AWSElasticDisasterRecoveryManaged",
            "true",
        ),
    ]
    .into_iter()
    .enumerate()
    .map(|(place, (name, key, value))| {
        // One is quiet and the next one idle: neither is a reason to touch it.
        let case = if place % 2 == 0 {
            quiet()
        } else {
            idle("m5.large")
        };
        left(
            name,
            case.tag(key, value),
            "managed",
            &["manages it", "change it there"],
        )
    })
    .collect()
}

/// Nothing of such a tool runs between two deployments: the finding stands, with the advice to
/// change the code.
fn owned_by_code() -> Vec<Row> {
    let code = &["infrastructure as code"];
    vec![
        row(
            "quiet, by Terraform",
            quiet().tag("terraform", "true"),
            Resize("m5.large"),
            Saves,
            code,
        ),
        row(
            "idle, by Pulumi",
            idle("m5.large").tag("managed-by", "pulumi"),
            Stop,
            Saves,
            code,
        ),
        row(
            "idle, by a stack",
            idle("m5.large").tag("aws:cloudformation:stack-name", "shop"),
            Stop,
            Saves,
            code,
        ),
        row(
            "CodeDeploy installs on it",
            quiet().tag("CodeDeployGroup", "web"),
            Resize("m5.large"),
            Saves,
            &[],
        ),
        row(
            "named after a cluster, and in none",
            quiet().tag("team", "kubernetes"),
            Resize("m5.large"),
            Saves,
            &[],
        ),
    ]
}

fn databases() -> Vec<Row> {
    let idle = |engine: &str| {
        let mut case = Case::database("db.r6g.large")
            .flat(CPU, 30, 2.0)
            // Full enough that no smaller class is an answer either.
            .flat(Metric::MemoryUtilization, 30, 60.0)
            .flat(Metric::DatabaseConnections, 30, 0.0);
        case.resource.specification.platform = Some(engine.to_owned());
        case
    };
    let mut multi_az = idle("postgres");
    multi_az.resource.specification.cluster = Some("orders".to_owned());

    let mut source = idle("mysql");
    source.resource.specification.replicas = vec!["orders-2".to_owned()];
    let mut standby = idle("sqlserver-se");
    standby.resource.specification.multi_az = Some(true);

    vec![
        left(
            "an idle reader of Aurora",
            idle("aurora-postgresql"),
            "cluster_member",
            &["stops, stores and replicates"],
        ),
        left(
            "an idle member of a Multi-AZ cluster",
            multi_az,
            "cluster_member",
            &["the cluster orders"],
        ),
        left(
            "an idle instance of DocumentDB",
            idle("docdb"),
            "cluster_member",
            &[],
        ),
        left(
            "an idle source of a replica",
            source,
            "cannot_stop",
            &["orders-2"],
        ),
        left(
            "an idle SQL Server with a standby",
            standby,
            "cannot_stop",
            &[],
        ),
    ]
}

fn volumes() -> Vec<Row> {
    let volume = |key: &str, value: &str| {
        let mut case = Case::machine("x");
        case.resource = resource("vol-9", ResourceKind::Volume, "ebs", None);
        case.resource.specification.storage_gib = Some(500.0);
        case.resource.specification.storage_type = Some("gp3".to_owned());
        case.tag(key, value)
    };
    let claim = volume("kubernetes.io/created-for/pvc/name", "data-postgres-0");

    vec![
        left(
            "the volume of a StatefulSet scaled to zero",
            claim,
            "managed",
            &["Kubernetes"],
        ),
        left(
            "a volume of the EBS driver",
            volume("ebs.csi.aws.com/cluster", "true"),
            "managed",
            &[],
        ),
        row(
            "a volume attached to nothing",
            volume("team", "data"),
            Expect::Delete,
            Saves,
            &["risk high"],
        ),
    ]
}
