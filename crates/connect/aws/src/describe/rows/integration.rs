//! Kinds that connect applications: streams, brokers, workflows and logs.

use reeve_estate::RelationKind::{EncryptedWith, LocatedIn, LogsTo, MayAssume, ProtectedBy};

use super::{CAPITAL_TOKEN, TOKEN};
use crate::describe::row::{DescribeService, KindRow, Protocol, ask, detail, list, row};

const LOGS: DescribeService = DescribeService {
    name: "logs",
    host: "logs",
    protocol: Protocol::Json {
        target: "Logs_20140328",
        version: "1.1",
    },
    is_global: false,
};
const STREAMS: DescribeService = DescribeService {
    name: "kinesis",
    host: "kinesis",
    protocol: Protocol::Json {
        target: "Kinesis_20131202",
        version: "1.1",
    },
    is_global: false,
};
const STATE_MACHINES: DescribeService = DescribeService {
    name: "states",
    host: "states",
    protocol: Protocol::Json {
        target: "AWSStepFunctions",
        version: "1.0",
    },
    is_global: false,
};
const BROKERS: DescribeService = DescribeService {
    name: "mq",
    host: "mq",
    protocol: Protocol::Rest,
    is_global: false,
};

pub(super) const ROWS: &[KindRow] = &[
    KindRow {
        next: TOKEN,
        name: "logGroupName",
        relations: &[(EncryptedWith, "kmsKeyId", "")],
        volatile: &["storedBytes"],
        ..row(
            "log_group",
            LOGS,
            ask("logs:DescribeLogGroups", "DescribeLogGroups", &[]),
            "logGroups",
            "{logGroupArn}",
        )
    },
    KindRow {
        next: CAPITAL_TOKEN,
        item_name: "StreamName",
        name: "StreamName",
        tags: "Tags",
        state: "StreamStatus",
        created: "StreamCreationTimestamp",
        details: &[
            detail(
                "",
                ask(
                    "kinesis:DescribeStreamSummary",
                    "DescribeStreamSummary",
                    &[("StreamName", "{StreamName}")],
                ),
                "StreamDescriptionSummary",
                &["ResourceNotFoundException"],
            ),
            detail(
                "Policy",
                ask(
                    "kinesis:GetResourcePolicy",
                    "GetResourcePolicy",
                    &[("ResourceARN", "{StreamARN}")],
                ),
                "Policy",
                &["ResourceNotFoundException"],
            ),
            list(
                "Tags",
                ask(
                    "kinesis:ListTagsForStream",
                    "ListTagsForStream",
                    &[("StreamName", "{StreamName}")],
                ),
                "Tags",
                &["ResourceNotFoundException"],
            ),
        ],
        relations: &[(EncryptedWith, "KeyId", "")],
        volatile: &["OpenShardCount", "WarmThroughput.CurrentMiBps"],
        ..row(
            "stream",
            STREAMS,
            ask("kinesis:ListStreams", "ListStreams", &[]),
            "StreamNames",
            "{StreamARN}",
        )
    },
    KindRow {
        next: TOKEN,
        name: "name",
        tags: "tags",
        state: "status",
        created: "creationDate",
        details: &[
            detail(
                "",
                ask(
                    "states:DescribeStateMachine",
                    "DescribeStateMachine",
                    &[("stateMachineArn", "{stateMachineArn}")],
                ),
                "",
                &["StateMachineDoesNotExist"],
            ),
            list(
                "tags",
                ask(
                    "states:ListTagsForResource",
                    "ListTagsForResource",
                    &[("resourceArn", "{stateMachineArn}")],
                ),
                "tags",
                &["ResourceNotFound"],
            ),
        ],
        relations: &[
            (MayAssume, "roleArn", ""),
            (EncryptedWith, "encryptionConfiguration.kmsKeyId", ""),
            (
                LogsTo,
                "loggingConfiguration.destinations.cloudWatchLogsLogGroup.logGroupArn",
                "",
            ),
        ],
        ..row(
            "state_machine",
            STATE_MACHINES,
            ask("states:ListStateMachines", "ListStateMachines", &[]),
            "stateMachines",
            "{stateMachineArn}",
        )
    },
    KindRow {
        next: TOKEN,
        name: "brokerName",
        tags: "tags",
        state: "brokerState",
        created: "created",
        details: &[detail(
            "",
            ask("mq:DescribeBroker", "/v1/brokers/{brokerId}", &[]),
            "",
            &["NotFoundException"],
        )],
        relations: &[
            (ProtectedBy, "securityGroups", ""),
            (LocatedIn, "subnetIds", ""),
            (EncryptedWith, "encryptionOptions.kmsKeyId", ""),
            (
                LogsTo,
                "logs.generalLogGroup",
                "arn:aws:logs:{region}:{account}:log-group:{value}",
            ),
        ],
        ..row(
            "message_broker",
            BROKERS,
            ask("mq:ListBrokers", "/v1/brokers", &[]),
            "brokerSummaries",
            "{brokerArn}",
        )
    },
];
