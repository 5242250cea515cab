//! The simulated estate of the demo, whose history is long enough to train models on.

use reeve_audit::events;
use reeve_testkit::service::Service;

use super::{Emitted, by_reeve, verify};

pub(super) const EMITTED: &[Emitted] = &[
    by_reeve(&events::MODEL, "scheduled", "model"),
    Emitted {
        actor: "agent",
        ..by_reeve(&events::EVIDENCE, "automation", "agent")
    },
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_demo_does_by_itself_is_recorded() {
    let home = tempfile::tempdir().unwrap();
    let service = Service::demo(home.path()).unwrap();
    verify(&service.admin(), "simulated", EMITTED).await;
}
