//! Kinds that workloads are built from and run as: images, tasks, builds and notebooks.

use reeve_estate::RelationKind::{AttachedTo, EncryptedWith, LocatedIn, MayAssume, ProtectedBy};

use super::{CAPITAL_TOKEN, TOKEN};
use crate::describe::row::{DescribeService, KindRow, Protocol, ask, detail, list, row};

const REGISTRIES: DescribeService = DescribeService {
    name: "ecr",
    host: "api.ecr",
    protocol: Protocol::Json {
        target: "AmazonEC2ContainerRegistry_V20150921",
        version: "1.1",
    },
    is_global: false,
};
const CONTAINERS: DescribeService = DescribeService {
    name: "ecs",
    host: "ecs",
    protocol: Protocol::Json {
        target: "AmazonEC2ContainerServiceV20141113",
        version: "1.1",
    },
    is_global: false,
};
const BUILDS: DescribeService = DescribeService {
    name: "codebuild",
    host: "codebuild",
    protocol: Protocol::Json {
        target: "CodeBuild_20161006",
        version: "1.1",
    },
    is_global: false,
};
const NOTEBOOKS: DescribeService = DescribeService {
    name: "sagemaker",
    host: "api.sagemaker",
    protocol: Protocol::Json {
        target: "SageMaker",
        version: "1.1",
    },
    is_global: false,
};

const NO_REPOSITORY: &[&str] = &[
    "LifecyclePolicyNotFoundException",
    "RepositoryNotFoundException",
    "RepositoryPolicyNotFoundException",
];

pub(super) const ROWS: &[KindRow] = &[
    KindRow {
        next: TOKEN,
        name: "repositoryName",
        tags: "tags",
        created: "createdAt",
        details: &[
            // Scanning is set for the whole registry: what applies to a repository is said by this
            // call alone.
            detail(
                "scanningConfiguration",
                ask(
                    "ecr:BatchGetRepositoryScanningConfiguration",
                    "BatchGetRepositoryScanningConfiguration",
                    &[("repositoryNames[]", "{repositoryName}")],
                ),
                "scanningConfigurations",
                NO_REPOSITORY,
            ),
            detail(
                "policy",
                ask(
                    "ecr:GetRepositoryPolicy",
                    "GetRepositoryPolicy",
                    &[("repositoryName", "{repositoryName}")],
                ),
                "policyText",
                NO_REPOSITORY,
            ),
            detail(
                "lifecyclePolicy",
                ask(
                    "ecr:GetLifecyclePolicy",
                    "GetLifecyclePolicy",
                    &[("repositoryName", "{repositoryName}")],
                ),
                "lifecyclePolicyText",
                NO_REPOSITORY,
            ),
            list(
                "tags",
                ask(
                    "ecr:ListTagsForResource",
                    "ListTagsForResource",
                    &[("resourceArn", "{repositoryArn}")],
                ),
                "tags",
                NO_REPOSITORY,
            ),
        ],
        relations: &[(EncryptedWith, "encryptionConfiguration.kmsKey", "")],
        ..row(
            "container_registry",
            REGISTRIES,
            ask("ecr:DescribeRepositories", "DescribeRepositories", &[]),
            "repositories",
            "{repositoryArn}",
        )
    },
    // The listing returns active revisions unless it is asked for others.
    KindRow {
        next: TOKEN,
        item_name: "taskDefinitionArn",
        name: "taskDefinition.family",
        tags: "tags",
        state: "taskDefinition.status",
        created: "taskDefinition.registeredAt",
        details: &[detail(
            "",
            ask(
                "ecs:DescribeTaskDefinition",
                "DescribeTaskDefinition",
                &[
                    ("taskDefinition", "{taskDefinitionArn}"),
                    ("include[]", "TAGS"),
                ],
            ),
            "",
            &[],
        )],
        relations: &[
            (MayAssume, "taskDefinition.taskRoleArn", ""),
            (MayAssume, "taskDefinition.executionRoleArn", ""),
            (
                AttachedTo,
                "taskDefinition.volumes.efsVolumeConfiguration.fileSystemId",
                "arn:aws:elasticfilesystem:{region}:{account}:file-system/{value}",
            ),
        ],
        // Values of variables are secrets more often than not; their names stay.
        volatile: &[
            "taskDefinition.containerDefinitions.environment.value",
            "taskDefinition.containerDefinitions.logConfiguration.options.splunk-token",
        ],
        ..row(
            "task_definition",
            CONTAINERS,
            ask("ecs:ListTaskDefinitions", "ListTaskDefinitions", &[]),
            "taskDefinitionArns",
            "{taskDefinitionArn}",
        )
    },
    KindRow {
        next: TOKEN,
        item_name: "name",
        name: "name",
        tags: "tags",
        created: "created",
        details: &[detail(
            "",
            ask(
                "codebuild:BatchGetProjects",
                "BatchGetProjects",
                &[("names[]", "{name}")],
            ),
            "projects",
            &[],
        )],
        relations: &[
            (MayAssume, "serviceRole", ""),
            (EncryptedWith, "encryptionKey", ""),
            (ProtectedBy, "vpcConfig.securityGroupIds", ""),
            (LocatedIn, "vpcConfig.subnets", ""),
        ],
        volatile: &["webhook.secret"],
        ..row(
            "build_project",
            BUILDS,
            ask("codebuild:ListProjects", "ListProjects", &[]),
            "projects",
            "{arn}",
        )
    },
    KindRow {
        next: CAPITAL_TOKEN,
        name: "NotebookInstanceName",
        tags: "Tags",
        state: "NotebookInstanceStatus",
        created: "CreationTime",
        details: &[
            detail(
                "",
                ask(
                    "sagemaker:DescribeNotebookInstance",
                    "DescribeNotebookInstance",
                    &[("NotebookInstanceName", "{NotebookInstanceName}")],
                ),
                "",
                &["ResourceNotFound"],
            ),
            list(
                "Tags",
                ask(
                    "sagemaker:ListTags",
                    "ListTags",
                    &[("ResourceArn", "{NotebookInstanceArn}")],
                ),
                "Tags",
                &["ResourceNotFound"],
            ),
        ],
        relations: &[
            (MayAssume, "RoleArn", ""),
            (ProtectedBy, "SecurityGroups", ""),
            (LocatedIn, "SubnetId", ""),
            (EncryptedWith, "KmsKeyId", ""),
        ],
        ..row(
            "notebook",
            NOTEBOOKS,
            ask(
                "sagemaker:ListNotebookInstances",
                "ListNotebookInstances",
                &[],
            ),
            "NotebookInstances",
            "{NotebookInstanceArn}",
        )
    },
];
