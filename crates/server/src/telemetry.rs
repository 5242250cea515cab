//! Logs of the service: to stderr, `RUST_LOG` first, then `-v`. Secrets never reach them: nothing
//! logs headers or bodies.

use tracing_subscriber::EnvFilter;

/// An error of the AWS client for each answer after which a connection is not used again, which the
/// HTTP client below it takes care of: nothing is wrong, and nobody can do anything about it.
const NOISE: &str = "aws_smithy_runtime::client::http::connection_poisoning=off";

/// Sets logging up; call once.
pub(crate) fn init(verbose: u8) {
    let default = match verbose {
        0 => "warn,reeve_server=info",
        1 => "info",
        _ => {
            "info,reeve=debug,reeve_server=debug,reeve_http=debug,reeve_engine=debug,reeve_anomalies=debug,reeve_predict=debug,reeve_notify=debug,reeve_ledger=debug,reeve_lake=debug"
        }
    };
    let filter = EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| EnvFilter::new(format!("{default},{NOISE}")));

    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_target(verbose > 0)
        .compact()
        .init();
}
