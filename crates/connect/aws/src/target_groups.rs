//! Target groups as they were read a moment ago. No call tells the groups of one machine, so that
//! each look at a replacement reads all of them: in a storm of notices hundreds look at once.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use reeve_connect_aws_ec2::{AwsEc2Fault, Place};
use tokio::sync::Mutex as AsyncMutex;

/// Time for which groups that were read are used again.
const FRESH: Duration = Duration::from_secs(3);

/// Machines that are registered in each target group, by its ARN.
type Groups = BTreeMap<String, BTreeSet<String>>;
/// Groups of a region with the time at which they were read; `None` before that.
type Known = Arc<AsyncMutex<Option<(Instant, Arc<Groups>)>>>;

/// Target groups of regions of connections.
#[derive(Debug, Default)]
pub struct TargetGroups(Mutex<HashMap<(String, String), Known>>);

impl TargetGroups {
    /// Returns the groups of a region; `read` is asked where those that are known are too old.
    /// Several that ask at once wait for one reading.
    pub(crate) async fn of(
        &self,
        place: &Place,
        read: impl Future<Output = Result<Groups, AwsEc2Fault>>,
    ) -> Result<Arc<Groups>, AwsEc2Fault> {
        let known = self.known(place);
        let mut kept = known.lock().await;
        if let Some((at, groups)) = &*kept
            && at.elapsed() < FRESH
        {
            return Ok(Arc::clone(groups));
        }
        let groups = Arc::new(read.await?);
        *kept = Some((Instant::now(), Arc::clone(&groups)));
        Ok(groups)
    }

    /// Notes that a machine was registered in a group, or taken out of it.
    pub(crate) async fn note(
        &self,
        place: &Place,
        group: &str,
        (machine, is_registered): (&str, bool),
    ) {
        let known = self.known(place);
        let mut kept = known.lock().await;
        let Some((_, groups)) = &mut *kept else {
            return;
        };
        let own = Arc::make_mut(groups).entry(group.to_owned()).or_default();
        match is_registered {
            true => own.insert(machine.to_owned()),
            false => own.remove(machine),
        };
    }

    fn known(&self, place: &Place) -> Known {
        let key = (place.connection.0.clone(), place.region.clone());
        Arc::clone(self.0.lock().entry(key).or_default())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reeve_estate::ConnectionId;

    use super::*;

    #[tokio::test]
    async fn groups_are_read_once_and_kept_up_to_date() {
        let place = Place {
            connection: ConnectionId("c".to_owned()),
            account: String::new(),
            region: "us-east-1".to_owned(),
            endpoint: None,
        };
        let groups = TargetGroups::default();
        let first = BTreeSet::from(["i-1".to_owned()]);
        let read = async { Ok(Groups::from([("front".to_owned(), first)])) };
        assert_eq!(groups.of(&place, read).await.unwrap()["front"].len(), 1);

        groups.note(&place, "front", ("i-2", true)).await;
        groups.note(&place, "front", ("i-1", false)).await;
        let again = async { Ok(Groups::default()) };
        let known = groups.of(&place, again).await.unwrap();
        assert_eq!(known["front"], BTreeSet::from(["i-2".to_owned()]));
    }
}
