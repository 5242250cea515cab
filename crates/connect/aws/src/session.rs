//! One connection's credentials, endpoint and patience, and the configurations made of them.

use std::sync::Arc;
use std::time::Duration;

use aws_config::identity::IdentityCache;
use aws_config::retry::RetryConfig;
use aws_config::sts::AssumeRoleProvider;
use aws_config::timeout::TimeoutConfig;
use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_credential_types::provider::SharedCredentialsProvider;
use jiff::SignedDuration;
use reeve_connect_aws_ec2::{At, AwsEc2Fault, ChangePace, Ec2, FaultKind, Place};
use reeve_connect_outbound::Outbound;
use reeve_estate::{Connection, ConnectionCredentials, ConnectionId, ObserveError, PriceCatalogue};

use crate::guarded::Guarded;
use crate::inventory::autoscaling::Scaling;
use crate::rds::Rds;
use crate::target_groups::TargetGroups;

/// Timeouts, page sizes and concurrency of a connection.
#[derive(Debug, Clone)]
pub struct Tuning {
    /// To establish a connection.
    pub connect_timeout: Duration,
    /// For one attempt of a call, answer included.
    pub attempt_timeout: Duration,
    /// For the first call, which finds out whether the endpoint and the key are right, with all its
    /// attempts.
    pub identity_timeout: Duration,
    /// Attempts of a call that was throttled or failed in a way that may pass.
    pub attempts: u32,
    /// The wait after the first attempt; it doubles, with jitter.
    pub backoff: Duration,
    /// Longest wait between two attempts.
    pub max_backoff: Duration,
    /// Page size of EC2 listings, 5 to 1000.
    pub page_size: i32,
    /// Time span of one metric request.
    pub sample_window: SignedDuration,
    /// Calls at a time.
    pub parallel: usize,
    /// Time between two readings of a bucket's access logs.
    pub access_every: SignedDuration,
}

impl Tuning {
    /// For an endpoint: AWS's own, or an override.
    ///
    /// A plain `http://` endpoint is an emulator, and emulators look at every stored point for
    /// every period asked for: a window of hours takes them milliseconds where one of weeks takes
    /// minutes. AWS charges by metrics asked for in a request, so there the window is long.
    #[must_use]
    pub fn for_endpoint(endpoint: Option<&str>) -> Self {
        let emulated = endpoint.is_some_and(|url| url.starts_with("http://"));
        Tuning {
            connect_timeout: Duration::from_secs(3),
            attempt_timeout: Duration::from_secs(60),
            identity_timeout: Duration::from_secs(9),
            attempts: 5,
            backoff: Duration::from_millis(500),
            max_backoff: Duration::from_secs(8),
            page_size: 1000,
            sample_window: SignedDuration::from_hours(if emulated { 3 } else { 240 }),
            parallel: 4,
            access_every: SignedDuration::from_hours(23),
        }
    }
}

/// A connection to one AWS account. Cheap to keep, and expires with its credentials' provider only.
#[derive(Debug, Clone)]
pub struct AwsConnection {
    pub(crate) id: ConnectionId,
    pub(crate) regions: Vec<String>,
    pub(crate) endpoint: Option<String>,
    pub(crate) allow_actions: bool,
    pub(crate) tuning: Tuning,
    /// Prices of resources; those that come with the program unless given.
    catalogue: Option<Arc<PriceCatalogue>>,
    /// Target groups that were read a moment ago; shared with other sessions where given.
    pub(crate) target_groups: Arc<TargetGroups>,
    account: String,
    config: SdkConfig,
}

impl AwsConnection {
    /// Opens a connection, whose own endpoint, where it has one, is asked through `outbound` alone.
    /// Nothing is called yet: a wrong key shows on the first call,
    /// [`reeve_estate::Observe::identity`].
    ///
    /// # Errors
    /// The connection is not one to AWS, names no region, or its endpoint is not an http(s) URL.
    pub async fn open(connection: &Connection, outbound: &Outbound) -> Result<Self, ObserveError> {
        Self::open_with(
            connection,
            outbound,
            Tuning::for_endpoint(connection.endpoint.as_deref()),
        )
        .await
    }

    /// Opens a connection with another patience.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub async fn open_with(
        connection: &Connection,
        outbound: &Outbound,
        tuning: Tuning,
    ) -> Result<Self, ObserveError> {
        let region = connection
            .regions
            .first()
            .ok_or_else(|| invalid("the connection names no region"))?
            .clone();

        if let Some(url) = connection
            .endpoint
            .as_deref()
            .filter(|u| !u.starts_with("http://") && !u.starts_with("https://"))
        {
            return Err(invalid(&format!(
                "the endpoint {url:?} is not an http:// or https:// address"
            )));
        }

        let mut loader = aws_config::defaults(BehaviorVersion::v2026_01_12())
            .region(Region::new(region.clone()))
            .retry_config(retries(&tuning))
            .timeout_config(timeouts(&tuning))
            .identity_cache(IdentityCache::lazy().build());

        if let Some(url) = &connection.endpoint {
            loader = loader.endpoint_url(url);
        }

        match &connection.credentials {
            ConnectionCredentials::AccessKey {
                access_key_id,
                secret_access_key,
                session_token,
            } => {
                let token = session_token.clone();
                loader = loader.credentials_provider(aws_credential_types::Credentials::new(
                    access_key_id,
                    secret_access_key,
                    token,
                    None,
                    "reeve",
                ));
            }
            // They would be sent, signed, to a server that a user chose.
            ConnectionCredentials::Ambient
                if connection
                    .endpoint
                    .as_deref()
                    .is_some_and(|url| !is_of_aws(url)) =>
            {
                return Err(invalid(
                    "a connection with an endpoint that is not of amazonaws.com needs an access key",
                ));
            }
            ConnectionCredentials::Ambient => {}
            ConnectionCredentials::Login { .. } | ConnectionCredentials::Simulated => {
                return Err(invalid("the credentials of the connection are none of AWS"));
            }
        }

        let mut config = loader.load().await;
        if connection.endpoint.is_some() {
            config = config
                .into_builder()
                .http_client(Guarded(outbound.clone()))
                .build();
        }

        if let Some(role) = connection.assume_role.as_deref().filter(|r| !r.is_empty()) {
            config = assume(
                config,
                role,
                connection.external_id.as_deref(),
                &region,
                &tuning,
            )
            .await;
        }

        Ok(AwsConnection {
            id: connection.id.clone(),
            regions: connection.regions.clone(),
            endpoint: connection.endpoint.clone(),
            allow_actions: connection.allow_actions,
            account: connection.account.clone(),
            tuning,
            catalogue: None,
            target_groups: Arc::default(),
            config,
        })
    }

    /// Prices resources by a catalogue that the caller keeps up to date.
    #[must_use]
    pub fn with_catalogue(self, catalogue: Arc<PriceCatalogue>) -> Self {
        AwsConnection {
            catalogue: Some(catalogue),
            ..self
        }
    }

    /// Shares what was read of target groups with other sessions.
    #[must_use]
    pub fn with_target_groups(self, target_groups: Arc<TargetGroups>) -> Self {
        AwsConnection {
            target_groups,
            ..self
        }
    }

    /// The catalogue that resources are priced by.
    pub(crate) fn catalogue(&self) -> &PriceCatalogue {
        self.catalogue
            .as_deref()
            .unwrap_or_else(|| PriceCatalogue::builtin())
    }

    /// The configuration for a region.
    pub(crate) fn config(&self, region: &str) -> SdkConfig {
        self.config
            .to_builder()
            .region(Region::new(region.to_owned()))
            .build()
    }

    /// The configuration of changes in a region: the SDK must not repeat what may have happened.
    pub(crate) fn changing(&self, region: &str) -> SdkConfig {
        self.config(region)
            .into_builder()
            .retry_config(RetryConfig::disabled())
            .build()
    }

    /// A region of the account, for resources and messages.
    pub(crate) fn place(&self, account: &str, region: &str) -> Place {
        Place {
            connection: self.id.clone(),
            account: account.to_owned(),
            region: region.to_owned(),
            endpoint: self.endpoint.clone(),
        }
    }

    pub(crate) fn ec2(&self, place: Place) -> Ec2 {
        Ec2::new(
            &self.config(&place.region),
            place,
            self.pace(),
            self.tuning.page_size,
        )
    }

    pub(crate) fn rds(&self, place: Place) -> Rds {
        Rds::new(&self.config(&place.region), place, self.pace())
    }

    pub(crate) fn scaling(&self, place: Place) -> Scaling {
        Scaling::new(&self.config(&place.region), place, self.pace())
    }

    pub(crate) fn pace(&self) -> ChangePace {
        ChangePace {
            attempts: self.tuning.attempts,
            backoff: self.tuning.backoff,
        }
    }

    /// Returns the account of the credentials, by `sts:GetCallerIdentity`: the cheapest call, which
    /// no policy can deny.
    pub(crate) async fn caller(&self) -> Result<String, AwsEc2Fault> {
        let region = self.regions.first().map_or("", String::as_str);
        let place = self.place(&self.account, region);
        let call = place.call("sts:GetCallerIdentity");
        let config = self
            .config(region)
            .into_builder()
            .timeout_config(first_timeouts(&self.tuning))
            .build();

        let own = aws_sdk_sts::config::Builder::from(&config)
            .retry_partition(place.retries("sts"))
            .build();
        let answer = aws_sdk_sts::Client::from_conf(own)
            .get_caller_identity()
            .send()
            .await
            .at(call)?;

        let nameless = || {
            call.fault(
                FaultKind::Other,
                None,
                "the answer names no account; is this an AWS endpoint?",
            )
        };

        answer.account().map(str::to_owned).ok_or_else(nameless)
    }
}

/// Returns `true` if a URL leads to AWS itself, such as to a VPC endpoint. Anything that readers of
/// URLs may disagree about does not.
fn is_of_aws(url: &str) -> bool {
    let Some(rest) = url.strip_prefix("https://") else {
        return false;
    };

    let host = rest.split(['/', ':', '?', '#']).next().unwrap_or_default();
    host.ends_with(".amazonaws.com")
        && host
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte))
}

fn invalid(message: &str) -> ObserveError {
    ObserveError {
        kind: reeve_estate::ObserveErrorKind::Other,
        message: message.to_owned(),
    }
}

async fn assume(
    config: SdkConfig,
    role: &str,
    external_id: Option<&str>,
    region: &str,
    tuning: &Tuning,
) -> SdkConfig {
    let hasty = config
        .to_builder()
        .timeout_config(first_timeouts(tuning))
        .build();
    let mut role = AssumeRoleProvider::builder(role)
        .session_name("reeve")
        .region(Region::new(region.to_owned()))
        .configure(&hasty);
    if let Some(id) = external_id.filter(|id| !id.is_empty()) {
        role = role.external_id(id);
    }

    // `build` takes the credentials to assume the role with from the configuration given.
    let provider = SharedCredentialsProvider::new(role.build().await);
    config.into_builder().credentials_provider(provider).build()
}

fn retries(tuning: &Tuning) -> RetryConfig {
    RetryConfig::standard()
        .with_max_attempts(tuning.attempts)
        .with_initial_backoff(tuning.backoff)
        .with_max_backoff(tuning.max_backoff)
}

fn timeouts(tuning: &Tuning) -> TimeoutConfig {
    TimeoutConfig::builder()
        .connect_timeout(tuning.connect_timeout)
        .operation_attempt_timeout(tuning.attempt_timeout)
        .operation_timeout(
            tuning.attempt_timeout * tuning.attempts + tuning.max_backoff * tuning.attempts,
        )
        .build()
}

fn first_timeouts(tuning: &Tuning) -> TimeoutConfig {
    TimeoutConfig::builder()
        .connect_timeout(tuning.connect_timeout)
        .operation_attempt_timeout(tuning.identity_timeout)
        .operation_timeout(tuning.identity_timeout)
        .build()
}
