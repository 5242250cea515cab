//! Reasons why a rule predicts nothing for a resource.

use reeve_learn::forecast::ForecastAbstention;
use reeve_learn::grid::GridError;

use reeve_recommend::predictive::Signal;

/// Reason why there is no prediction. Its text is the reason that people read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unpredictable {
    #[error("the rule watches no resource")]
    NoSignal,
    #[error("the rule has no value")]
    NoValue,
    #[error("{0} was not measured")]
    Unmeasured(Signal),
    #[error("nothing was measured in two weeks")]
    NothingLately,
    #[error("the newest sample is {minutes} minutes old")]
    Stale { minutes: i64 },
    /// A spike is a percentage above the usual level.
    #[error("the usual level is zero, so that a percentage of it has no meaning")]
    UsuallyZero,
    /// The rule has no value, and nothing else gives the capacity.
    #[error("{capacity} is not known: give the rule a value")]
    CapacityUnknown { capacity: String },
    /// The same where a tag of the resource may give it.
    #[error("{capacity} is not known: give the rule a value, or tag the resource with {tag}")]
    CapacityUntagged { capacity: String, tag: &'static str },
    #[error("The size of its disk is not known, or smaller than the free bytes of the rule")]
    DiskSize,
    #[error("it is attached to no machine that measures it")]
    Detached,
    /// The file systems of a machine are measured together.
    #[error("{machine} has several disks, and which one fills is not measured")]
    SeveralDisks { machine: String },
    #[error(transparent)]
    Series(#[from] GridError),
    #[error(transparent)]
    Forecast(#[from] ForecastAbstention),
}
