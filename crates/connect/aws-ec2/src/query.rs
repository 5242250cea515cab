//! Calls in AWS's query protocol: a form with `Action` and `Version`, answered by an element
//! `ActionResponse`.

use aws_types::SdkConfig;

use crate::fault::{AwsEc2Fault, Call, FaultKind};
use crate::form::Form;
use crate::signed::{self, SignedRequest};
use crate::xml::Element;

/// Type of the body of a call.
pub const FORM: &str = "application/x-www-form-urlencoded; charset=utf-8";

/// A service of the protocol.
#[derive(Debug, Clone, Copy)]
pub struct QueryService {
    /// Name that requests are signed for, and first label of its address.
    pub name: &'static str,
    /// `Version` of the API that the service speaks.
    pub version: &'static str,
}

/// Makes a call. Its action has the name of the permission that it needs.
///
/// # Errors
/// The call's failure, classified; [`FaultKind::Broken`] for a success that is not the action's
/// answer: a change may have happened.
pub async fn ask(
    config: &SdkConfig,
    call: Call<'_>,
    service: QueryService,
    parameters: Form,
) -> Result<Element, AwsEc2Fault> {
    let action = call
        .operation
        .split_once(':')
        .map_or(call.operation, |(_, action)| action);
    let form = Form::new()
        .with("Action", action)
        .with("Version", service.version)
        .with_all(parameters);
    let request = SignedRequest {
        signing_name: service.name,
        host: service.name,
        operation: action,
        method: "POST",
        path: "/".to_owned(),
        headers: vec![("content-type", FORM.to_owned())],
        body: form.into_text(),
        is_global: false,
    };
    let body = signed::send(config, call, request).await?;

    answer(&body, action).ok_or_else(|| {
        call.fault(
            FaultKind::Broken,
            None,
            "the answer is not that of the action; is this an AWS endpoint?",
        )
    })
}

/// Reads the answer to an action, without the element `ActionResult` that services other than EC2
/// put around it; `None` for anything else.
fn answer(body: &[u8], action: &str) -> Option<Element> {
    let mut root = Element::read(std::str::from_utf8(body).ok()?)?;
    if root.name.strip_suffix("Response") != Some(action) {
        return None;
    }

    let result = root
        .children
        .iter()
        .position(|child| child.name.strip_suffix("Result") == Some(action));
    Some(
        result
            .map(|place| root.children.swap_remove(place))
            .unwrap_or(root),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_answer_to_the_action_is_taken() {
        let stopped = "<?xml version=\"1.0\"?><StopInstancesResponse xmlns=\"x\"><instancesSet/></StopInstancesResponse>";
        assert!(answer(stopped.as_bytes(), "StopInstances").is_some());
        assert_eq!(answer(stopped.as_bytes(), "StartInstances"), None);

        for odd in [
            "",
            "<html><body>Sign in</body></html>",
            "<StopInstancesResponse>",
            "{}",
            "<Response/>",
        ] {
            assert_eq!(answer(odd.as_bytes(), "StopInstances"), None, "{odd}");
        }

        assert_eq!(answer(b"\xff", "StopInstances"), None);

        let wrapped = "<DescribeXResponse><DescribeXResult><a>1</a></DescribeXResult><Metadata/></DescribeXResponse>";
        assert_eq!(
            answer(wrapped.as_bytes(), "DescribeX")
                .and_then(|found| found.text_of("a").map(str::to_owned)),
            Some("1".into())
        );
    }
}
