//! Resource of a call: from the record's own `resources`, or from the parameter that names one.

use reeve_audit::Json;
use reeve_audit::json::Object;

/// Kind and id of a resource.
pub(crate) type Named = (Option<String>, String);

/// Kinds that other clouds have too carry Reeve's common name; the key is CloudFormation's.
const COMMON: [(&str, &str); 8] = [
    ("AWS::EC2::Instance", "virtual_machine"),
    ("AWS::EC2::Volume", "volume"),
    ("AWS::RDS::DBInstance", "database"),
    ("AWS::RDS::DBCluster", "database_cluster"),
    ("AWS::S3::Bucket", "bucket"),
    ("AWS::S3::Object", "object"),
    ("AWS::ElasticLoadBalancingV2::LoadBalancer", "load_balancer"),
    ("AWS::AutoScaling::AutoScalingGroup", "scaling_group"),
];

/// Parameters that name the resource of a call, in order of precedence: the service (empty: any),
/// the parameter, the kind.
const PARAMETERS: [(&str, &str, &str); 62] = [
    ("rds", "dBSnapshotIdentifier", "rds_snapshot"),
    ("rds", "dBClusterSnapshotIdentifier", "rds_cluster_snapshot"),
    ("", "instanceId", "virtual_machine"),
    ("", "dBInstanceIdentifier", "database"),
    ("", "dBClusterIdentifier", "database_cluster"),
    ("rds", "globalClusterIdentifier", "database_global_cluster"),
    ("ssm", "target", "virtual_machine"),
    ("ssm", "commandId", "ssm_command"),
    ("ssm", "sessionId", "ssm_session"),
    ("ssm", "documentName", "ssm_document"),
    ("ssm", "name", "ssm_parameter"),
    ("", "snapshotId", "snapshot"),
    ("", "volumeId", "volume"),
    ("", "internetGatewayId", "internet_gateway"),
    ("", "networkAclId", "network_acl"),
    ("", "routeTableId", "route_table"),
    ("", "networkInterfaceId", "network_interface"),
    ("ec2", "groupId", "security_group"),
    ("", "subnetId", "subnet"),
    ("ec2", "groupName", "security_group"),
    ("", "vpcId", "network"),
    ("", "imageId", "image"),
    ("ec2", "keyName", "key_pair"),
    ("", "launchTemplateId", "launch_template"),
    ("iam", "roleName", "iam_role"),
    ("iam", "userName", "iam_user"),
    ("iam", "groupName", "iam_group"),
    ("iam", "instanceProfileName", "iam_instance_profile"),
    ("iam", "policyArn", "iam_policy"),
    ("iam", "policyName", "iam_policy"),
    ("iam", "sAMLProviderArn", "iam_saml_provider"),
    ("sts", "roleArn", "iam_role"),
    ("sts", "name", "federated_user"),
    ("lambda", "functionName", "lambda_function"),
    ("lambda", "layerName", "lambda_layer"),
    ("kms", "keyId", "kms_key"),
    ("secretsmanager", "secretId", "secret"),
    ("secretsmanager", "name", "secret"),
    ("cloudtrail", "trailName", "cloudtrail_trail"),
    ("cloudtrail", "name", "cloudtrail_trail"),
    ("cloudformation", "stackName", "cloudformation_stack"),
    ("dynamodb", "tableName", "dynamodb_table"),
    ("sns", "topicArn", "sns_topic"),
    ("sqs", "queueUrl", "sqs_queue"),
    ("logs", "logGroupName", "log_group"),
    ("ecr", "repositoryName", "ecr_repository"),
    ("eks", "name", "eks_cluster"),
    ("ecs", "cluster", "ecs_cluster"),
    ("kinesis", "streamName", "kinesis_stream"),
    ("autoscaling", "autoScalingGroupName", "scaling_group"),
    ("elasticloadbalancing", "loadBalancerArn", "load_balancer"),
    ("elasticloadbalancing", "loadBalancerName", "load_balancer"),
    ("bedrock", "guardrailIdentifier", "bedrock_guardrail"),
    ("bedrock", "modelId", "bedrock_model"),
    ("route53", "hostedZoneId", "hosted_zone"),
    (
        "route53resolver",
        "resolverQueryLogConfigId",
        "resolver_query_log_config",
    ),
    ("config", "configurationRecorderName", "config_recorder"),
    ("glue", "tableName", "glue_table"),
    ("organizations", "accountId", "account"),
    ("rolesanywhere", "name", "rolesanywhere_resource"),
    ("", "resourceArn", ""),
    ("", "arn", ""),
];

/// The resource of a call of `source` (such as `ec2.amazonaws.com`).
pub(crate) fn resource(
    source: Option<&str>,
    resources: Option<&Json>,
    request: Option<&Json>,
    response: Option<&Json>,
) -> Option<Named> {
    let service = source
        .and_then(|source| source.split('.').next())
        .unwrap_or_default();
    let listed = || resources?.as_array()?.iter().find_map(from_resources);
    listed()
        .or_else(|| {
            request
                .and_then(Json::as_object)
                .and_then(|request| from_parameters(service, request))
        })
        .or_else(|| {
            response
                .and_then(Json::as_object)
                .and_then(|response| from_parameters(service, response))
        })
}

fn text<'a>(object: &'a Object, name: &str) -> Option<&'a str> {
    object
        .get(name)
        .and_then(Json::as_str)
        .filter(|text| !text.is_empty())
}

/// An element of the record's `resources`.
fn from_resources(listed: &Json) -> Option<Named> {
    let listed = listed.as_object()?;
    let arn = ["ARN", "arn", "resourceName"]
        .iter()
        .find_map(|name| text(listed, name))?;
    let kind = ["type", "resourceType"]
        .iter()
        .find_map(|name| text(listed, name));
    Some((kind.map(kind_name), id_of(arn).to_owned()))
}

/// Returns the short name of an ARN's resource: the object path, the id after the last colon or
/// slash, or all of it.
fn id_of(arn: &str) -> &str {
    let mut parts = arn.splitn(6, ':');
    let (Some("arn"), Some(_), Some(service), _, _, Some(rest)) = (
        parts.next(),
        parts.next(),
        parts.next(),
        parts.next(),
        parts.next(),
        parts.next(),
    ) else {
        return arn;
    };

    match service {
        "s3" => rest,
        _ => rest.split_once(['/', ':']).map_or(rest, |(_, id)| id),
    }
}

/// Converts `AWS::DynamoDB::Table` to `dynamodb_table`.
fn kind_name(kind: &str) -> String {
    if let Some((_, common)) = COMMON.iter().find(|(known, _)| *known == kind) {
        return (*common).to_owned();
    }

    let mut out = String::new();
    for part in kind
        .split("::")
        .skip(usize::from(kind.starts_with("AWS::")))
    {
        if !out.is_empty() {
            out.push('_');
        }
        snake(part, &mut out);
    }

    out
}

/// Returns `DBInstance` as `db_instance`: a capital begins a word after a small letter or, in a run
/// of capitals, before one.
fn snake(part: &str, out: &mut String) {
    let chars: Vec<char> = part.chars().collect();
    for (at, c) in chars.iter().enumerate() {
        let before = at > 0 && chars[at - 1].is_lowercase();
        let inside = at > 1
            && chars[at - 1].is_uppercase()
            && chars.get(at + 1).is_some_and(|next| next.is_lowercase());
        if c.is_uppercase() && (before || inside) {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
}

fn from_parameters(service: &str, parameters: &Object) -> Option<Named> {
    if let Some(bucket) = text(parameters, "bucketName") {
        return Some(match text(parameters, "key") {
            Some(key) => (Some("object".into()), format!("{bucket}/{key}")),
            None => (Some("bucket".into()), bucket.to_owned()),
        });
    }

    let set = |name: &str, id: &str| {
        text(
            parameters
                .get(name)?
                .get("items")?
                .as_array()?
                .first()?
                .as_object()?,
            id,
        )
        .map(str::to_owned)
    };

    if let Some(instance) =
        set("instancesSet", "instanceId").or_else(|| first(parameters, "instanceIds"))
    {
        return Some((Some("virtual_machine".into()), instance));
    }

    let known = PARAMETERS
        .iter()
        .filter(|(of_service, ..)| of_service.is_empty() || *of_service == service);
    let named = known
        .filter_map(|(_, name, kind)| Some((*kind, text(parameters, name)?)))
        .next()?;
    let (kind, id) = named;

    Some((
        Some(kind)
            .filter(|kind| !kind.is_empty())
            .map(str::to_owned),
        id.to_owned(),
    ))
}

fn first(parameters: &Object, name: &str) -> Option<String> {
    parameters
        .get(name)?
        .as_array()?
        .first()?
        .as_str()
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn kinds_have_plain_names() {
        for (kind, expect) in [
            ("AWS::EC2::Instance", "virtual_machine"),
            ("AWS::S3::Object", "object"),
            ("AWS::IAM::Role", "iam_role"),
            ("AWS::DynamoDB::Table", "dynamo_db_table"),
            ("AWS::RDS::DBSnapshot", "rds_db_snapshot"),
            ("Custom", "custom"),
        ] {
            assert_eq!(kind_name(kind), expect);
        }
    }

    #[test]
    fn resources_are_found() {
        let parse = |text: &str| reeve_audit::json::parse(text.as_bytes()).unwrap();
        for (source, request, expect) in [
            (
                "ec2.amazonaws.com",
                r#"{"instancesSet":{"items":[{"instanceId":"i-1"},{"instanceId":"i-2"}]}}"#,
                "virtual_machine i-1",
            ),
            (
                "ec2.amazonaws.com",
                r#"{"instanceId":"i-1","volumeId":"vol-1"}"#,
                "virtual_machine i-1",
            ),
            (
                "s3.amazonaws.com",
                r#"{"bucketName":"b","key":"a/b.txt"}"#,
                "object b/a/b.txt",
            ),
            (
                "iam.amazonaws.com",
                r#"{"policyArn":"arn:x","roleName":"r"}"#,
                "iam_role r",
            ),
            (
                "ssm.amazonaws.com",
                r#"{"instanceIds":["i-3"],"documentName":"d"}"#,
                "virtual_machine i-3",
            ),
            (
                "autoscaling.amazonaws.com",
                r#"{"autoScalingGroupName":"web"}"#,
                "scaling_group web",
            ),
        ] {
            let (kind, id) = resource(Some(source), None, Some(&parse(request)), None).unwrap();
            assert_eq!(format!("{} {id}", kind.unwrap()), expect);
        }
        let listed = parse(r#"[{"ARN":"arn:aws:iam::1:role/path/admin","type":"AWS::IAM::Role"}]"#);
        assert_eq!(
            resource(None, Some(&listed), None, None),
            Some((Some("iam_role".into()), "path/admin".into()))
        );
        let object = parse(r#"[{"ARN":"arn:aws:s3:::b/k","type":"AWS::S3::Object"}]"#);
        assert_eq!(
            resource(None, Some(&object), None, None),
            Some((Some("object".into()), "b/k".into()))
        );
        assert_eq!(
            resource(Some("ec2.amazonaws.com"), None, Some(&Json::Null), None),
            None
        );
    }
}
