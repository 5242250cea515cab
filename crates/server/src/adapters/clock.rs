//! The system's clock.

use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use reeve_recommend::ports::Clock;

#[derive(Debug, Clone, Copy)]
pub(crate) struct SystemClock;

#[async_trait]
impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}
