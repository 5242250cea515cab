//! Steps that most changes share: the check before and the check after.

use reeve_estate::ResourceState;

use crate::change::{Expectation, Task};

/// Checks that the resource is still in its state, and of its size where the change depends on one.
#[must_use]
pub fn precondition(target: &str, state: ResourceState, size: Option<&str>) -> Task {
    let words = size.map_or(String::new(), |size| format!(" and is {size}"));
    let mut expect = vec![Expectation::state(state)];
    expect.extend(size.map(Expectation::size));
    Task::precondition(
        target,
        format!("Check that {target} is still {state}{words}"),
        expect,
    )
}

/// Checks that the resource is what the change was to make of it.
#[must_use]
pub fn verify(target: &str, outcome: &str, expect: Vec<Expectation>) -> Task {
    Task::verify(target, format!("Check that {target} {outcome}"), expect)
}
