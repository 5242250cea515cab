//! `reeve demo`: the whole service over a simulated estate that lives.
//!
//! Nothing here is a shortcut: users sign in, connections are synced, the agent runs, and entries
//! arrive through the same ledger as everywhere else. Only the clouds are simulated.

mod activity;
mod audit;
mod bills;
mod people;
mod setup;
mod state;

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use reeve_recommend::change::ChangeRegistry;
use reeve_trail::Log;
use tokio_util::sync::CancellationToken;

use crate::adapters::clouds::CloudRegistry;
use crate::cli::DemoArgs;
use crate::config::Config;
use crate::private;
use crate::service::{Service, bind, stop_on_signal};
use state::DemoState;

/// Time between two changes of the estate.
const BEAT: Duration = Duration::from_secs(3);

/// Serves the demo until it is told to stop.
pub(crate) async fn run(args: &DemoArgs) -> Result<()> {
    let data_dir = match &args.data_dir {
        Some(dir) => dir.clone(),
        None => default_dir(),
    };
    let config = Config {
        data_dir,
        listen: args.listen,
        accept_unsigned: args.accept_unsigned,
        sync_every_s: 60,
        agents_every_s: 300,
        seal_after_s: 120,
        charges_every_s: 15,
        ..Config::default()
    };
    private::make(&config.data_dir)?;

    let state = Arc::new(DemoState::open(&config.data_dir, args.seed)?);
    let clouds = CloudRegistry::with_simulated(state.estate.clone());
    let service = Service::open(
        config,
        clouds,
        ChangeRegistry::builtin(),
        reeve_agents::registry(),
        reeve_estate::Kinds::builtin().clone(),
        true,
    )
    .await?;
    crate::commands::first_rules(&service).await?;
    let sign_in = people::ensure(&service).await?;

    crate::commands::first_administrator(&service, crate::commands::token_from_environment())
        .await?;
    prepare(&service, &state).await?;
    bills::write(&state, &service.config.data_dir).await?;
    let listener = bind(&service.config).await?;
    let address = listener.local_addr()?;
    let stop = stop_on_signal();
    let data_dir = service.config.data_dir.clone();
    let living = tokio::spawn(live(
        service.tasks.log.clone(),
        state.clone(),
        data_dir.clone(),
        stop.clone(),
    ));

    let greeting = async {
        audit::ensure(address, &sign_in).await;
        let mut out = std::io::stdout();
        writeln!(out, "Dashboard: http://{address}")?;
        writeln!(out, "Sign in:   {}", sign_in.email)?;
        writeln!(out, "Password:  {}", sign_in.password)?;
        writeln!(
            out,
            "Others:    {} (same password)",
            people::others().join(", ")
        )?;
        writeln!(out, "Data:      {}", data_dir.display())?;
        Ok(out.flush()?)
    };

    // What is prepared for the pages does not hold up an end.
    let stopped = stop.clone();
    let greeting = async {
        tokio::select! { () = stopped.cancelled() => Ok(()), greeted = greeting => greeted }
    };
    tokio::try_join!(service.serve(listener, stop), greeting)?;
    living.abort();

    state.save()
}

/// Returns the default directory of the demo: in the user's own data folder, so that it continues
/// where it was.
fn default_dir() -> PathBuf {
    let own = std::env::var_os("XDG_DATA_HOME")
        .filter(|dir| !dir.is_empty())
        .map(PathBuf::from);
    let home = || {
        std::env::var_os("HOME")
            .filter(|dir| !dir.is_empty())
            .map(|home| PathBuf::from(home).join(".local/share"))
    };

    own.or_else(home)
        .unwrap_or_else(std::env::temp_dir)
        .join("reeve-demo")
}

/// The first start: connections, 30 days of samples and of activity, objectives, agents and their first runs.
async fn prepare(service: &Service, state: &DemoState) -> Result<()> {
    let steps = ProgressBar::new(4).with_style(ProgressStyle::with_template(
        "{bar:24} {pos}/{len} {msg} {elapsed}",
    )?);
    steps.enable_steady_tick(Duration::from_millis(200));
    steps.set_message("connections");
    setup::workspace(service).await?;
    let connections = setup::connections(service, &state.estate).await?;
    steps.inc(1);
    steps.set_message("30 days of activity");
    activity::catch_up(&service.tasks.log, state).await?;
    steps.inc(1);
    steps.set_message("30 days of samples");

    for id in &connections {
        if let Some(Err(message)) = service.observers.syncer.sync_now(id, "demo").await {
            tracing::warn!(connection = %id, %message, "a sync failed");
        }
        let connection = reeve_estate::EstateStore::connection_get(&*service.store, id).await?;
        if let Err(error) = service.observers.flows.read_now(&connection).await {
            tracing::warn!(connection = %id, %error, "flow logs were not read");
        }
    }

    steps.inc(1);
    steps.set_message("the first run of the agents");
    setup::objectives(service).await?;
    setup::agents(service).await?;
    steps.inc(1);
    steps.finish_and_clear();

    Ok(())
}

/// Keeps the demo alive: people work, and changes of the estate are kept.
async fn live(log: Log, state: Arc<DemoState>, data_dir: PathBuf, stop: CancellationToken) {
    loop {
        tokio::select! { () = stop.cancelled() => return, () = tokio::time::sleep(BEAT) => {} }
        if let Err(error) = activity::catch_up(&log, &state).await {
            tracing::warn!(%error, "activity was not recorded");
        }
        if let Err(error) = bills::write(&state, &data_dir).await {
            tracing::warn!(
                error = format!("{error:#}"),
                "the bills of the simulated estate were not written"
            );
        }
        if let Err(error) = state.save() {
            tracing::warn!(%error, "the simulated estate was not kept");
        }
    }
}
