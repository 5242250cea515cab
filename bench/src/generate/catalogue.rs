//! Catalogue of the generated estate: clouds, kinds of resources, and the clouds' names of
//! operations.

/// A cloud and what is named after its manners.
pub(crate) struct Cloud {
    /// Value of `resource.cloud_provider`.
    pub(crate) name: &'static str,
    /// Regions, the busiest first.
    pub(crate) regions: &'static [&'static str],
    /// Kinds of resources that the cloud has.
    pub(crate) kinds: &'static [Kind],
}

/// A kind of resource.
pub(crate) struct Kind {
    /// Value of `resource.type`.
    pub(crate) name: &'static str,
    /// Share of this kind among the resources of its cloud.
    pub(crate) share: usize,
    /// The noun in the cloud's operations.
    pub(crate) noun: &'static str,
    /// Prefix of the identifiers.
    pub(crate) prefix: &'static str,
    /// The pair of states that a change takes such a resource between.
    pub(crate) change: Change,
}

/// Attribute that a modification changes.
#[derive(Clone, Copy)]
pub(crate) enum Change {
    /// Size of a machine.
    Size,
    /// Capacity of a storage.
    Capacity,
    /// A rule of a firewall.
    Rule,
    /// Statement of a policy.
    Policy,
    /// Settings of a service.
    Settings,
}

const fn kind(
    name: &'static str,
    share: usize,
    noun: &'static str,
    prefix: &'static str,
    change: Change,
) -> Kind {
    Kind {
        name,
        share,
        noun,
        prefix,
        change,
    }
}

/// The clouds, the busiest first.
pub(crate) static CLOUDS: [Cloud; 3] = [
    Cloud {
        name: "aws",
        regions: &[
            "eu-central-1",
            "us-east-1",
            "eu-west-1",
            "us-west-2",
            "ap-south-1",
            "ap-southeast-2",
            "sa-east-1",
        ],
        kinds: &[
            kind("ec2_instance", 34, "Instances", "i-", Change::Size),
            kind("ebs_volume", 26, "Volume", "vol-", Change::Capacity),
            kind("s3_bucket", 8, "Bucket", "acme-", Change::Settings),
            kind("rds_instance", 5, "DBInstance", "db-", Change::Size),
            kind("lambda_function", 12, "Function", "fn-", Change::Settings),
            kind("iam_role", 7, "RolePolicy", "role-", Change::Policy),
            kind(
                "security_group",
                8,
                "SecurityGroupRules",
                "sg-",
                Change::Rule,
            ),
        ],
    },
    Cloud {
        name: "azure",
        regions: &["westeurope", "germanywestcentral", "eastus2", "uksouth"],
        kinds: &[
            kind(
                "virtual_machine",
                40,
                "Microsoft.Compute/virtualMachines",
                "vm-",
                Change::Size,
            ),
            kind(
                "managed_disk",
                30,
                "Microsoft.Compute/disks",
                "disk-",
                Change::Capacity,
            ),
            kind(
                "storage_account",
                10,
                "Microsoft.Storage/storageAccounts",
                "st",
                Change::Settings,
            ),
            kind(
                "sql_database",
                8,
                "Microsoft.Sql/servers/databases",
                "sql-",
                Change::Capacity,
            ),
            kind(
                "network_security_group",
                12,
                "Microsoft.Network/networkSecurityGroups",
                "nsg-",
                Change::Rule,
            ),
        ],
    },
    Cloud {
        name: "gcp",
        regions: &["europe-west3", "us-central1", "europe-west1", "asia-east1"],
        kinds: &[
            kind(
                "compute_instance",
                42,
                "compute.instances",
                "gce-",
                Change::Size,
            ),
            kind(
                "persistent_disk",
                28,
                "compute.disks",
                "pd-",
                Change::Capacity,
            ),
            kind(
                "storage_bucket",
                12,
                "storage.buckets",
                "gcs-",
                Change::Settings,
            ),
            kind(
                "cloud_sql_instance",
                6,
                "cloudsql.instances",
                "csql-",
                Change::Size,
            ),
            kind(
                "service_account",
                12,
                "iam.serviceAccounts",
                "sa-",
                Change::Policy,
            ),
        ],
    },
];

/// Kind of event, with its share in a thousand.
pub(crate) struct Happening {
    /// Value of `event_type`.
    pub(crate) event_type: &'static str,
    /// Share, in a thousand.
    pub(crate) share: usize,
    /// Operation on a resource; `None` for sign-ins and the like.
    pub(crate) verb: Option<Verb>,
}

/// Operation on a resource.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    Describe,
    Modify,
    Create,
    Delete,
    Start,
    Stop,
    Tag,
    Policy,
    Read,
}

/// All verbs, in the order of [`Verb`].
pub(crate) const VERBS: [Verb; 9] = [
    Verb::Describe,
    Verb::Modify,
    Verb::Create,
    Verb::Delete,
    Verb::Start,
    Verb::Stop,
    Verb::Tag,
    Verb::Policy,
    Verb::Read,
];

const fn happening(event_type: &'static str, share: usize, verb: Option<Verb>) -> Happening {
    Happening {
        event_type,
        share,
        verb,
    }
}

/// Events of an estate; the shares add up to a thousand.
pub(crate) static HAPPENINGS: [Happening; 18] = [
    happening("resource.view", 250, Some(Verb::Describe)),
    happening("resource.modify", 150, Some(Verb::Modify)),
    happening("data.read", 120, Some(Verb::Read)),
    happening("authentication.login", 85, None),
    happening("authentication.token_refresh", 110, None),
    happening("resource.create", 50, Some(Verb::Create)),
    happening("resource.tag", 40, Some(Verb::Tag)),
    happening("authentication.logout", 35, None),
    happening("resource.start", 30, Some(Verb::Start)),
    happening("resource.stop", 28, Some(Verb::Stop)),
    happening("resource.delete", 26, Some(Verb::Delete)),
    happening("policy.modify", 20, Some(Verb::Policy)),
    happening("network.modify", 16, Some(Verb::Modify)),
    happening("authentication.failed", 14, None),
    happening("policy.view", 12, Some(Verb::Policy)),
    happening("authentication.mfa_challenge", 10, None),
    happening("data.export", 3, Some(Verb::Read)),
    happening("authentication.password_change", 1, None),
];

/// Returns the name by which the cloud with the index `cloud` calls `verb` on `noun`.
pub(crate) fn operation(cloud: usize, noun: &str, verb: Verb) -> String {
    let names: [&str; 3] = match verb {
        Verb::Describe => ["Describe", "read", "get"],
        Verb::Modify => ["Modify", "write", "update"],
        Verb::Create => ["Create", "write", "insert"],
        Verb::Delete => ["Delete", "delete", "delete"],
        Verb::Start => ["Start", "start/action", "start"],
        Verb::Stop => ["Stop", "deallocate/action", "stop"],
        Verb::Tag => ["Tag", "tags/write", "setLabels"],
        Verb::Policy => ["Put", "roleAssignments/write", "setIamPolicy"],
        Verb::Read => ["Get", "listKeys/action", "list"],
    };
    match cloud {
        0 => format!("{}{noun}", names[0]),
        1 => format!("{noun}/{}", names[1]),
        _ => format!("v1.{noun}.{}", names[2]),
    }
}

/// User agents, the most common first, with the access method of each.
pub(crate) static AGENTS: [(&str, &str); 12] = [
    (
        "Mozilla/5.0 (Windows NT 10.0; rv:143.0) Firefox/143.0",
        "console",
    ),
    ("aws-cli/2.31.3 os/linux#6.1 lang/python#3.13.7", "cli"),
    (
        "HashiCorp Terraform/1.13.3 terraform-provider-aws/6.14.1",
        "automation",
    ),
    ("Boto3/1.40.40 os/linux#6.8 lang/python#3.12.3", "api"),
    (
        "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Safari/605.1.15",
        "console",
    ),
    ("aws-sdk-go-v2/1.39.2 os/linux lang/go#1.25.1", "api"),
    ("azsdk-net-ResourceManager/1.13.2 (.NET 8.0.20)", "api"),
    ("google-cloud-sdk gcloud/540.0.0", "cli"),
    ("kubernetes/v1.33.4 cluster-autoscaler", "automation"),
    ("Mozilla/5.0 (X11; Linux x86_64) Firefox/143.0", "console"),
    ("ansible-httpget/2.19.2", "automation"),
    ("curl/8.14.1", "api"),
];

/// Sizes of machines, small to large, a cloud a row.
pub(crate) static SIZES: [[&str; 6]; 3] = [
    [
        "t3.medium",
        "m5.large",
        "m5.xlarge",
        "m5.2xlarge",
        "r5.4xlarge",
        "c6i.8xlarge",
    ],
    [
        "Standard_B2s",
        "Standard_D2s_v5",
        "Standard_D4s_v5",
        "Standard_D8s_v5",
        "Standard_E16s_v5",
        "Standard_F32s_v2",
    ],
    [
        "e2-medium",
        "n2-standard-2",
        "n2-standard-4",
        "n2-standard-8",
        "n2-highmem-16",
        "c3-standard-22",
    ],
];
