//! Installations of patches: the command is sent once, awaited, and believed only when the patch
//! state shows it. Systems Manager refuses machines that it does not manage, other documents, and
//! parameters that the document does not have; so do the endpoint here and the moto of the kit.

use std::sync::Mutex;

use reeve_estate::{Act, Applied, Observe, Resource, ResourceId};
use reeve_recommend::change::PatchOperation;
use reeve_testkit::moto::Moto;
use serde_json::{Value, json};

use crate::strict::{Answers, answering};
use crate::throttle::machine;
use crate::{by_id, connection, open};

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

#[tokio::test]
async fn a_managed_machine_is_patched_on_moto() {
    let moto = Moto::patching().await.unwrap();
    let outcome = async |tags: &[(&str, &str)]| {
        let ids = moto.machines("us-east-1", "m5.large", 1, tags).await;
        let id = ids.unwrap().remove(0);
        let aws = open(&connection(moto.endpoint(), &["us-east-1"])).await;
        let machine = by_id(&aws.inventory().await.unwrap(), &id).clone();
        let operation = PatchOperation {
            reboot: true,
            occasion: "3/0/0/3".to_owned(),
        };
        for _ in 0..5 {
            match aws.apply(&machine, &operation).await {
                Ok(Applied::Pending) => {}
                Ok(applied) => return Ok(applied),
                Err(error) => return Err(error.message),
            }
        }
        Err("it is never done".to_owned())
    };

    let managed = ("missing-patches", "3");
    assert_eq!(outcome(&[managed]).await, Ok(Applied::Accepted));
    let why = outcome(&[managed, ("patches-fail", "true")]).await;
    assert!(why.unwrap_err().contains("3 patches are missing"));
    let why = outcome(&[]).await.unwrap_err();
    assert!(why.contains("InvalidInstanceId"), "{why}");
}
