//! One call of a row: from parameters to a request, from the answer to JSON.

use aws_config::SdkConfig;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use reeve_connect_aws_ec2::query::FORM;
use reeve_connect_aws_ec2::signed::{self, ACCOUNT_HEADER, SignedRequest};
use reeve_connect_aws_ec2::{AwsEc2Fault, FaultKind, Form, Place};
use reeve_recommend::change::ConfigurationOperation;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::row::{Ask, DescribeService, Protocol};
use super::rows;
use super::xml;

/// Asks a service; parameters are filled in already.
pub(super) async fn ask(
    config: &SdkConfig,
    place: &Place,
    service: DescribeService,
    ask: Ask,
    path: &str,
    parameters: &[(&str, String)],
) -> Result<Value, AwsEc2Fault> {
    let call = place.call(ask.permission);
    let request = request(service, ask, path, parameters, &place.account);
    let body = signed::send(config, call, request).await?;
    let answer = read(&body, service, ask.action);

    answer.ok_or_else(|| {
        call.fault(
            FaultKind::Broken,
            None,
            "the answer is neither JSON nor XML",
        )
    })
}

/// Sends a call that changes a configuration; `None` for a service that no row reads.
pub(crate) async fn change(
    config: &SdkConfig,
    place: &Place,
    operation: &ConfigurationOperation,
) -> Option<Result<(), AwsEc2Fault>> {
    let service = service(operation.service)?;
    let call = place.call(operation.permission);
    let answer = signed::send(config, call, changing(service, operation, &place.account)).await;
    Some(answer.map(|_| ()))
}

/// The service of a name, as rows call it.
fn service(name: &str) -> Option<DescribeService> {
    rows::all()
        .map(|row| row.service)
        .find(|service| service.name == name)
}

/// Fault in the form of a call; `None` if the service takes it.
#[cfg(test)]
pub(crate) fn fault_of(call: &reeve_recommend::change::CallRow) -> Option<&'static str> {
    let Some(service) = service(&call.service) else {
        return Some("no such service");
    };
    match service.protocol {
        Protocol::Query { .. } if call.body.is_some() || call.path.is_some() => {
            Some("the service is called by forms")
        }
        Protocol::Json { .. } if call.body.is_none() || call.path.is_some() => {
            Some("the service is called by JSON documents")
        }
        Protocol::Rest if call.path.is_none() || !call.parameters.is_empty() => {
            Some("the service is called by paths")
        }
        _ => None,
    }
}

/// Request of a call that changes a configuration.
fn changing(
    service: DescribeService,
    operation: &ConfigurationOperation,
    account: &str,
) -> SignedRequest {
    let body = operation.body.clone().unwrap_or_default();
    let parts = match service.protocol {
        Protocol::Query { version } => Parts::Form {
            version,
            fields: borrowed(&operation.fields).collect(),
        },
        Protocol::Json { target, version } => Parts::Json {
            target,
            version,
            body,
        },
        Protocol::Rest => {
            let (method, path) = operation.target.clone().unwrap_or(("POST", "/".to_owned()));
            Parts::Path { method, path, body }
        }
    };
    built(service, operation.action, parts, account)
}

/// Request of a call that reads.
fn request(
    service: DescribeService,
    ask: Ask,
    path: &str,
    parameters: &[(&str, String)],
    account: &str,
) -> SignedRequest {
    let parts = match service.protocol {
        Protocol::Query { version } => Parts::Form {
            version,
            fields: borrowed(parameters).collect(),
        },
        Protocol::Json { target, version } => Parts::Json {
            target,
            version,
            body: members(parameters).to_string(),
        },
        Protocol::Rest => {
            let query = Form::from_iter(borrowed(parameters)).into_text();
            let joint = if query.is_empty() {
                ""
            } else if path.contains('?') {
                "&"
            } else {
                "?"
            };
            Parts::Path {
                method: "GET",
                path: format!("{path}{joint}{query}"),
                body: String::new(),
            }
        }
    };
    built(service, ask.action, parts, account)
}

/// Parts of a request in which the protocols differ.
enum Parts<'p> {
    Form {
        version: &'static str,
        fields: Vec<(&'p str, &'p str)>,
    },
    Json {
        target: &'static str,
        version: &'static str,
        body: String,
    },
    Path {
        method: &'static str,
        path: String,
        body: String,
    },
}

/// Puts a request together.
fn built(
    service: DescribeService,
    action: &'static str,
    parts: Parts<'_>,
    account: &str,
) -> SignedRequest {
    let root = || "/".to_owned();
    let (method, path, headers, body) = match parts {
        Parts::Form { version, fields } => {
            let own = [("Action", action), ("Version", version)];
            let form = Form::from_iter(own.into_iter().chain(fields));
            let headers = vec![("content-type", FORM.to_owned())];
            ("POST", root(), headers, form.into_text())
        }
        Parts::Json {
            target,
            version,
            body,
        } => {
            let headers = vec![
                ("content-type", format!("application/x-amz-json-{version}")),
                ("x-amz-target", format!("{target}.{action}")),
            ];
            ("POST", root(), headers, body)
        }
        Parts::Path { method, path, body } => {
            let mut headers = rest_headers(service, account);
            headers.extend(body_headers(service.name, &body));
            (method, path, headers, body)
        }
    };

    SignedRequest {
        signing_name: service.name,
        host: service.host,
        operation: action,
        method,
        path,
        headers,
        body,
        is_global: service.is_global,
    }
}

/// Returns the headers that a body demands, in XML if it begins with `<` and else in JSON. S3
/// requires a checksum of a configuration.
pub(crate) fn body_headers(service: &str, body: &str) -> Vec<(&'static str, String)> {
    if body.is_empty() {
        return Vec::new();
    }
    let content = if body.trim_start().starts_with('<') {
        "application/xml"
    } else {
        "application/json"
    };

    let mut headers = vec![("content-type", content.to_owned())];
    if service == "s3" {
        let sum = BASE64_STANDARD.encode(Sha256::digest(body));
        headers.push(("x-amz-checksum-sha256", sum));
    }
    headers
}

/// Returns the headers that a service demands. API Gateway answers in HAL, whose items stand elsewhere,
/// unless it is asked for plain JSON; S3 Control answers for the account that a request names.
fn rest_headers(service: DescribeService, account: &str) -> Vec<(&'static str, String)> {
    match service.host {
        "apigateway" => vec![("accept", "application/json".to_owned())],
        "s3-control" => vec![(ACCOUNT_HEADER, account.to_owned())],
        _ => Vec::new(),
    }
}

fn borrowed<N: AsRef<str>>(parameters: &[(N, String)]) -> impl Iterator<Item = (&str, &str)> {
    parameters
        .iter()
        .map(|(name, value)| (name.as_ref(), value.as_str()))
}

/// The parameters as the object that is the body of a call in JSON.
pub(super) fn members(parameters: &[(&str, String)]) -> Value {
    let mut members = Map::new();
    for (name, value) in parameters {
        let value = match value.as_str() {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            // Services refuse a page size that is text. Other digits, such as account numbers, are
            // text.
            size if *name == "MaxResults" => size.parse::<u32>().map_or(Value::Null, Value::from),
            text => Value::String(text.to_owned()),
        };
        set(&mut members, name, value);
    }
    Value::Object(members)
}

/// Sets the member at a path; `[]` at its end adds to a list.
fn set(members: &mut Map<String, Value>, path: &str, value: Value) {
    if let Some((outer, rest)) = path.split_once('.') {
        let inner = members
            .entry(outer)
            .or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(inner) = inner {
            set(inner, rest, value);
        }
    } else if let Some(name) = path.strip_suffix("[]") {
        let list = members
            .entry(name)
            .or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(list) = list {
            list.push(value);
        }
    } else {
        members.insert(path.to_owned(), value);
    }
}

/// Reads an answer of S3 as descriptions do.
pub(crate) fn rest_answer(text: &str) -> Option<Value> {
    let service = DescribeService {
        name: "s3",
        host: "s3",
        protocol: Protocol::Rest,
        is_global: true,
    };
    read(text.as_bytes(), service, "")
}

/// Reads an answer, without the wrapping of the query protocol, and with documents inside texts
/// unfolded.
fn read(body: &[u8], service: DescribeService, action: &str) -> Option<Value> {
    let mut answer = match serde_json::from_slice(body) {
        Ok(answer) => answer,
        Err(_) => {
            let text = std::str::from_utf8(body).ok()?;
            if text.trim().is_empty() {
                Value::Object(Map::new())
            } else {
                xml::read(text)?
            }
        }
    };
    if let (Protocol::Query { .. }, Value::Object(members)) = (service.protocol, &mut answer)
        && let Some(result) = members.remove(&format!("{action}Result"))
    {
        answer = result;
    }

    // S3's location is the text of the root itself; a root without content is a configuration
    // without members.
    if let Value::String(text) = &answer {
        let is_location = action.ends_with("?location");
        answer = if is_location {
            serde_json::json!({ "LocationConstraint": text })
        } else {
            Value::Object(Map::new())
        };
    }

    unfold(&mut answer);
    Some(answer)
}

/// Replaces texts that are JSON objects by these: policies come as text, in IAM percent-encoded.
fn unfold(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(unfold),
        Value::Object(members) => {
            // Attributes of messaging services are entries of keys and values.
            members.values_mut().for_each(unfold);
        }
        Value::String(text) => {
            let decoded = if text.starts_with("%7B") {
                decoded(text)
            } else {
                Some(text.clone())
            };
            let object = decoded
                .filter(|text| text.starts_with('{'))
                .and_then(|text| serde_json::from_str(&text).ok());
            if let Some(object @ Value::Object(_)) = object {
                *value = object;
            }
        }
        _ => {}
    }
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();

    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let pair = [rest.next()?, rest.next()?];
                bytes.push(u8::from_str_radix(std::str::from_utf8(&pair).ok()?, 16).ok()?);
            }
            b'+' => bytes.push(b' '),
            other => bytes.push(other),
        }
    }

    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    const QUERY: DescribeService = DescribeService {
        name: "iam",
        host: "iam",
        protocol: Protocol::Query { version: "1" },
        is_global: true,
    };

    #[test]
    fn wrappings_go_and_policies_are_unfolded() {
        let body = "<R><GetXResult><P>%7B%22a%22%3A%5B1%5D%7D</P><q>{\"b\": true}</q><t>{no</t></GetXResult><M/></R>";
        let expect = json!({ "P": { "a": [1] }, "q": { "b": true }, "t": "{no" });
        assert_eq!(read(body.as_bytes(), QUERY, "GetX"), Some(expect));
        assert_eq!(read(b"\xff", QUERY, "GetX"), None);

        let rest = DescribeService {
            protocol: Protocol::Rest,
            ..QUERY
        };
        let root = |body: &str, action: &str| read(body.as_bytes(), rest, action);
        let location = "<LocationConstraint>eu-west-1</LocationConstraint>";
        assert_eq!(
            root(location, "/b?location"),
            Some(json!({ "LocationConstraint": "eu-west-1" }))
        );
        assert_eq!(
            root("<LocationConstraint/>", "/b?location"),
            Some(json!({ "LocationConstraint": "" }))
        );
        assert_eq!(
            root("<BucketLoggingStatus/>", "/b?logging"),
            Some(json!({}))
        );
    }

    #[test]
    fn values_cannot_leave_their_place() {
        let ask = Ask {
            permission: "x:Y",
            action: "Y",
            parameters: &[],
        };
        let parameters = [("Name", "a&Action=Z".to_owned())];
        assert_eq!(
            request(QUERY, ask, "/", &parameters, "1").body,
            "Action=Y&Version=1&Name=a%26Action%3DZ"
        );

        let json = DescribeService {
            protocol: Protocol::Json {
                target: "T",
                version: "1.1",
            },
            ..QUERY
        };

        assert_eq!(
            request(json, ask, "/", &[("a[]", "x\"".to_owned())], "1").body,
            r#"{"a":["x\""]}"#
        );
        let nested = [("a.b[]", "x"), ("a.b[]", "y"), ("c", "true")];
        let nested = nested.map(|(name, value)| (name, value.to_owned()));
        assert_eq!(
            request(json, ask, "/", &nested, "1").body,
            r#"{"a":{"b":["x","y"]},"c":true}"#
        );

        let rest = DescribeService {
            protocol: Protocol::Rest,
            ..QUERY
        };
        assert_eq!(
            request(rest, ask, "/b?acl", &[("Marker", "é".to_owned())], "1").path,
            "/b?acl&Marker=%C3%A9"
        );
        assert_eq!(request(rest, ask, "/", &[], "1").headers, []);
        for (host, header) in [
            ("apigateway", ("accept", "application/json".to_owned())),
            (
                "s3-control",
                ("x-amz-account-id", "123456789012".to_owned()),
            ),
        ] {
            let service = DescribeService { host, ..rest };
            let sent = request(service, ask, "/", &[], "123456789012");
            assert_eq!(sent.headers, [header]);
        }
    }
}
