//! Machines that a change would destroy or that others own: no finding, no execution, and a last
//! look before the first step.

use reeve_estate::{PriceCatalogue, PublicAddress, ResourceId};
use reeve_recommend::action::ActionStatus;
use reeve_recommend::agent::Impact;
use reeve_recommend::error::EngineError;
use reeve_recommend::plan::{LossKind, Plan};
use reeve_recommend::ports::AgentStore as _;
use reeve_recommend::recommendation::applicability::Applicability;
use reeve_recommend::recommendation::lifecycle::Status;

use crate::world::{World, operator};

/// Changes the machine in the inventory and in the cloud.
fn everywhere(world: &World, id: &str, change: impl Fn(&mut reeve_estate::Resource)) {
    world.cloud.change(id, &change);
    let changed = world
        .cloud
        .all()
        .into_iter()
        .find(|one| one.id.as_str() == id)
        .unwrap();

    world.put(changed);
}

#[tokio::test]
async fn a_machine_that_karpenter_owns_gets_no_finding_and_an_older_one_expires() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    world.tag("i-1", "karpenter.sh/nodepool", "default");
    let decided = world
        .engine
        .guardrails
        .applicability(std::slice::from_ref(&recommendation))
        .await
        .unwrap()
        .remove(0);

    let Some(Applicability::Blocked {
        by,
        reason,
        exceptable,
    }) = decided
    else {
        panic!("{decided:?}")
    };

    assert!(
        by == "protection" && reason.contains("Karpenter manages it") && !exceptable,
        "{by}: {reason}"
    );

    let refused = world
        .engine
        .execution
        .execute(&recommendation.id, None, None, &operator())
        .await
        .unwrap_err();

    assert!(
        matches!(&refused, EngineError::Conflict(words) if *words == reason),
        "{refused}"
    );
    assert_eq!(world.cloud.calls(), 0);

    let agent = world.memory.agent_list(None).await.unwrap().remove(0);
    let report = world.run(&agent).await;
    assert!(
        report
            .skipped
            .iter()
            .any(|(code, count)| code == "managed" && *count == 1),
        "{:?}",
        report.skipped
    );

    assert_eq!(world.again(&recommendation).await.status, Status::Expired);
}

#[tokio::test]
async fn a_machine_with_local_disks_is_left_as_it_is() {
    let world = World::new();
    world.machine("i-1", "m5d.xlarge", 5.0);
    let agent = world.agent("active", true).await;
    let report = world.run(&agent).await;
    assert!(world.on("i-1").await.is_empty() && world.cloud.calls() == 0);
    assert!(
        report.skipped.iter().any(|(code, _)| code == "local_disks"),
        "{:?}",
        report.skipped
    );
}

#[tokio::test]
async fn an_assigned_address_needs_the_signatures_of_high_impact_and_is_stated() {
    let world = World::new();
    world.machine("i-1", "t3.large", 5.0);
    everywhere(&world, "i-1", |machine| {
        machine.specification.public_address = PublicAddress::Assigned
    });
    let agent = world.agent("active", true).await;
    let report = world.run(&agent).await;
    let found = world.only("i-1").await;
    assert_eq!(
        (report.applied, found.impact_level, found.explanation.risk),
        (0, Impact::High, Impact::High)
    );

    let plan = found.plan.unwrap();
    assert!(
        plan.is_intact()
            && plan
                .losses
                .iter()
                .any(|loss| loss.kind == LossKind::Address && loss.lasting)
    );

    assert_eq!(world.cloud.calls(), 0, "nothing was done by itself");
}

#[tokio::test]
async fn a_loss_that_the_plan_does_not_state_is_noticed_before_the_first_step() {
    let world = World::new();
    let recommendation = world.right_size("i-1", "t3.large").await;
    let plan: &Plan = recommendation.plan.as_ref().unwrap();
    assert!(
        plan.losses.iter().all(|loss| !loss.lasting),
        "{:?}",
        plan.losses
    );

    // The subnet assigned an address since the last sync: the inventory does not know it.
    world.cloud.change("i-1", |machine| {
        machine.specification.public_address = PublicAddress::Assigned
    });
    let action = world.execute(&recommendation).await;
    let words = format!("{action:?}");
    assert!(
        action.status != ActionStatus::Succeeded && words.contains("does not state this loss"),
        "{words}"
    );
    assert_eq!(world.cloud.calls(), 0);

    world.cloud.change("i-1", |machine| {
        machine.specification.public_address = PublicAddress::Absent;
        machine
            .tags
            .insert("kubernetes.io/cluster/prod".to_owned(), "owned".to_owned());
    });

    let machine = world
        .cloud
        .all()
        .into_iter()
        .find(|one| one.id == ResourceId::new("i-1"))
        .unwrap();

    let change = plan.change_name().unwrap();
    let refused = reeve_recommend::guardrail::protection::refusal(
        &machine,
        change,
        PriceCatalogue::builtin(),
    )
    .unwrap();
    assert_eq!(refused.code, "managed");
}
