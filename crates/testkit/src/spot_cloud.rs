//! An AWS account with very many spot machines, their target groups and a queue of notices, over
//! HTTP on loopback: EC2, Elastic Load Balancing, SQS and STS as far as a replacement of machines
//! asks them.
//!
//! It is as strict as AWS where a storm matters: launches take tokens from a bucket and are
//! throttled without one (`RequestLimitExceeded`), a client token launches one machine however often
//! it is sent, a message that is not deleted comes again after its visibility ends, a batch of
//! deletions has ten entries at most, and what it does not know is refused. A launched machine is
//! pending for a time before it runs.

mod answers;
mod http;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;
use jiff::{SignedDuration, Timestamp};
use tokio::net::TcpListener;
use tokio::sync::Notify;

/// Region of the machines.
pub const REGION: &str = "us-east-1";
/// Account of the machines.
pub const ACCOUNT: &str = "123456789012";
/// Instance type of the machines.
const SIZE: &str = "m5.large";
/// Time for which a received message is hidden.
const HIDDEN: Duration = Duration::from_secs(30);

/// Size and limits of a [`SpotCloud`].
#[derive(Debug, Clone, Copy)]
pub struct SpotCloudSize {
    pub machines: usize,
    /// Target groups that the machines are spread over.
    pub target_groups: usize,
    /// Launches that may be requested at once, and how many more each second.
    pub launches: (f64, f64),
    /// Time until a launched machine runs.
    pub starts_in: Duration,
}

/// The account; it serves until its runtime ends.
#[derive(Debug, Clone)]
pub struct SpotCloud {
    endpoint: String,
    shared: Arc<Shared>,
}

/// Launch of a successor.
#[derive(Debug, Clone)]
pub struct Launch {
    /// Machine whose place it takes.
    pub replaces: String,
    pub successor: String,
    pub at: Instant,
}

#[derive(Debug)]
struct Shared {
    account: Mutex<Account>,
    arrived: Notify,
    port: u16,
}

#[derive(Debug)]
struct Account {
    machines: BTreeMap<String, Machine>,
    /// Successors by the machine whose place they take.
    successors: BTreeMap<String, Vec<String>>,
    tokens: BTreeMap<String, String>,
    groups: Vec<BTreeSet<String>>,
    launches: Vec<Launch>,
    /// Times at which successors were registered in the target group.
    served: BTreeMap<String, Instant>,
    bucket: (f64, Instant),
    size: SpotCloudSize,
    messages: VecDeque<Message>,
    calls: BTreeMap<String, u64>,
    throttled: u64,
    next: u64,
}

#[derive(Debug, Clone)]
struct Machine {
    is_spot: bool,
    zone: char,
    launched_at: Timestamp,
    runs_from: Instant,
    is_ended: bool,
    tags: Vec<(String, String)>,
}

#[derive(Debug)]
struct Message {
    body: String,
    receipt: u64,
    hidden_until: Instant,
}

impl SpotCloud {
    /// Serves an account of a size.
    ///
    /// # Errors
    /// No port is free.
    pub async fn serve(size: SpotCloudSize) -> Result<SpotCloud> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            account: Mutex::new(Account::new(size)),
            arrived: Notify::new(),
            port: address.port(),
        });
        let serving = Arc::clone(&shared);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let shared = Arc::clone(&serving);
                // The service may close a connection at any time.
                tokio::spawn(async move { drop(http::serve(stream, &shared).await) });
            }
        });
        Ok(SpotCloud {
            endpoint: format!("http://{address}"),
            shared,
        })
    }

    /// Address of every service of the account.
    #[must_use]
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// Address of the queue.
    #[must_use]
    pub fn queue(&self) -> String {
        format!("{}/{ACCOUNT}/reeve-spot", self.endpoint)
    }

    /// Identifier of a machine by its number.
    #[must_use]
    pub fn machine(number: usize) -> String {
        format!("i-{number:017x}")
    }

    /// Announces that machines are taken back, each by an event of its own.
    pub fn interrupt(&self, numbers: impl IntoIterator<Item = usize>) {
        let mut account = self.shared.lock();
        for number in numbers {
            let machine = SpotCloud::machine(number);
            let body = serde_json::json!({
                "version": "0", "id": format!("e-{machine}"),
                "detail-type": "EC2 Spot Instance Interruption Warning", "source": "aws.ec2",
                "account": ACCOUNT, "time": Timestamp::now().to_string(), "region": REGION,
                "resources": [],
                "detail": { "instance-id": machine, "instance-action": "terminate" },
            });
            let receipt = account.number();
            account.messages.push_back(Message {
                body: body.to_string(),
                receipt,
                hidden_until: Instant::now(),
            });
        }
        drop(account);
        self.shared.arrived.notify_waiters();
    }

    /// Launches of successors so far.
    #[must_use]
    pub fn launches(&self) -> Vec<Launch> {
        self.shared.lock().launches.clone()
    }

    /// Time at which the successor of a machine was registered in the target group.
    #[must_use]
    pub fn served_at(&self, successor: &str) -> Option<Instant> {
        self.shared.lock().served.get(successor).copied()
    }

    /// Calls by action so far, and how many launches were throttled.
    #[must_use]
    pub fn calls(&self) -> (BTreeMap<String, u64>, u64) {
        let account = self.shared.lock();
        (account.calls.clone(), account.throttled)
    }

    /// Messages that are not deleted yet.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.shared.lock().messages.len()
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Account> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Account {
    fn new(size: SpotCloudSize) -> Self {
        let launched_at = Timestamp::now() - SignedDuration::from_hours(30);
        let now = Instant::now();
        let mut groups = vec![BTreeSet::new(); size.target_groups];
        let machines = (0..size.machines).map(|number| {
            let id = SpotCloud::machine(number);
            if let Some(group) = groups.get_mut(number % size.target_groups.max(1)) {
                group.insert(id.clone());
            }
            let machine = Machine {
                is_spot: true,
                zone: if number % 2 == 0 { 'a' } else { 'b' },
                launched_at,
                runs_from: now,
                is_ended: false,
                tags: vec![("Name".to_owned(), format!("worker-{number}"))],
            };
            (id, machine)
        });
        let machines = machines.collect();
        Account {
            machines,
            successors: BTreeMap::new(),
            tokens: BTreeMap::new(),
            groups,
            launches: Vec::new(),
            served: BTreeMap::new(),
            bucket: (size.launches.0, now),
            size,
            messages: VecDeque::new(),
            calls: BTreeMap::new(),
            throttled: 0,
            next: 1 << 40,
        }
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Takes a token of the bucket of launches; `false` where there is none.
    fn may_launch(&mut self, now: Instant) -> bool {
        let (tokens, since) = self.bucket;
        let (most, each_second) = self.size.launches;
        let passed = now.duration_since(since).as_secs_f64();
        let tokens = (tokens + passed * each_second).min(most);
        let is_there = tokens >= 1.0;
        self.bucket = (if is_there { tokens - 1.0 } else { tokens }, now);
        is_there
    }
}
