//! Limits of idleness: no cloud reports an exact 0 for a machine that is on, so figures below these
//! count as none.

use reeve_learn::Summary;

/// Mean CPU below this rounds to 0 %.
pub(super) const MEAN_PERCENT: f64 = 0.5;
/// p99 CPU below this, percent.
pub(super) const P99_PERCENT: f64 = 1.0;
/// Network p99 below this, bytes per second: name service, clock and management chatter.
pub(super) const NETWORK_P99: f64 = 5.0 * 1024.0;
/// Network mean below this, bytes per second.
pub(super) const NETWORK_MEAN: f64 = 1024.0;

/// The largest share that any figure takes of its limit of idleness.
pub(super) fn share_of_limits(cpu: &Summary, network: &Summary) -> f64 {
    let of_cpu = (cpu.mean / MEAN_PERCENT).max(cpu.p99 / P99_PERCENT);
    of_cpu
        .max(network.mean / NETWORK_MEAN)
        .max(network.p99 / NETWORK_P99)
}

/// Returns `true` if the CPU rounds to 0 %.
pub(super) fn is_zero(cpu: &Summary) -> bool {
    cpu.mean < MEAN_PERCENT && cpu.p99 < P99_PERCENT
}

/// Returns `true` if the network carries management traffic at most.
pub(super) fn is_quiet(network: &Summary) -> bool {
    network.mean < NETWORK_MEAN && network.p99 < NETWORK_P99
}
