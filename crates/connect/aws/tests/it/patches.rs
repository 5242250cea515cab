//! Installations of patches: the command is sent once, awaited, and believed only when the patch
//! state shows it. moto has no patch states; the endpoint here refuses what Systems Manager refuses:
//! machines that it does not manage, other documents, and parameters that the document does not
//! have.

use std::sync::Mutex;

use reeve_estate::{Act, Applied, Resource, ResourceId};
use reeve_recommend::change::PatchOperation;
use serde_json::{Value, json};

use crate::strict::{Answers, answering};
use crate::throttle::machine;
use crate::{connection, open};

/// Systems Manager with the machine `i-1`; `missing` patches are left after an installation.
fn systems_manager(missing: u32) -> Answers {
    let sent: Mutex<Vec<(Value, usize)>> = Mutex::new(Vec::new());
    Box::new(move |action, body, _| {
        let body: Value = serde_json::from_str(body).unwrap_or_default();
        let mut sent = sent.lock().unwrap();
        let answer = match action {
            "ListCommands" => {
                let commands: Vec<Value> = sent
                    .iter_mut()
                    .map(|(command, looks)| {
                        *looks += 1;
                        let status = if *looks > 1 { "Success" } else { "InProgress" };
                        json!({ "Comment": command["Comment"], "Status": status, "TargetCount": 1, "CompletedCount": 1, "ErrorCount": 0 })
                    })
                    .collect();
                json!({ "Commands": commands })
            }
            "SendCommand" => {
                let parameters = &body["Parameters"];
                let is_known = body["DocumentName"] == "AWS-RunPatchBaseline"
                    && parameters["Operation"] == json!(["Install"])
                    && [json!(["RebootIfNeeded"]), json!(["NoReboot"])]
                        .contains(&parameters["RebootOption"]);
                if !is_known {
                    return Some(Err((400, "InvalidParameters")));
                }
                if body["InstanceIds"] != json!(["i-1"]) {
                    return Some(Err((400, "InvalidInstanceId")));
                }
                assert!(sent.is_empty(), "the command is sent once");
                sent.push((body, 0));
                json!({ "Command": { "CommandId": "c-1" } })
            }
            "DescribeInstancePatchStates" => json!({ "InstancePatchStates": [{
                "InstanceId": "i-1", "MissingCount": missing, "FailedCount": 0 }] }),
            _ => return None,
        };
        Some(Ok(answer.to_string()))
    })
}

async fn installed(id: &str, missing: u32) -> Result<usize, String> {
    let endpoint = answering(systems_manager(missing)).await;
    let aws = open(&connection(&endpoint, &["us-east-1"])).await;
    let machine = Resource {
        id: ResourceId::new(id),
        ..machine()
    };
    let operation = PatchOperation {
        reboot: true,
        occasion: "5/0/1/3".to_owned(),
    };
    for requests in 1..10 {
        match aws.apply(&machine, &operation).await {
            Ok(Applied::Accepted) => return Ok(requests),
            Ok(_) => {}
            Err(error) => return Err(error.message),
        }
    }
    Err("it is never done".to_owned())
}

#[tokio::test]
async fn patches_are_installed_by_one_command_and_verified_by_the_patch_state() {
    assert_eq!(installed("i-1", 0).await, Ok(3));
    let why = installed("i-1", 2).await.unwrap_err();
    assert!(why.contains("2 patches are missing"), "{why}");
    let why = installed("i-2", 0).await.unwrap_err();
    assert!(why.contains("InvalidInstanceId"), "{why}");
}
