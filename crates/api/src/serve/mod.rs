//! `serve`: from the settings to a running service, and from a signal to its orderly end.

mod connection;

use std::{
    future::ready,
    io::{self, IsTerminal as _, Write as _},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use actix_http::{HttpService, KeepAlive, Protocol};
use actix_service::{ServiceFactoryExt, fn_service, map_config};
use actix_web::{
    HttpServer,
    dev::{AppConfig, Server},
    web::Data,
};
use adapters_auth::{ApiKey, GenerateError};
use domain::{
    access::{NewKey, Scopes},
    context::{Deadline, LONGEST_DEADLINE_MS},
    port::{AdminError, Clock, MigrateError, OpenError, Storage},
};
use tokio::{
    net::TcpStream,
    signal::unix::{Signal, SignalKind, signal},
    task::{JoinError, JoinSet},
};

use crate::{
    app,
    clock::SystemClock,
    compose::{ServiceParts, compose},
    config::ServeSettings,
    state::Api,
    storage_parts::{MissingPart, missing_parts},
    storages::{DATABASE_URL, Storages, pending},
    telemetry::{
        Metrics, Traces, TracesError,
        admin::{self, Admin},
        start_logs,
    },
    vendors::{OutsideServices, VendorError},
};
use connection::Connection;

/// The most connections of one worker.
const MOST_CONNECTIONS: usize = 10_000;

/// Connections to the database.
const DATABASE_CONNECTIONS: u32 = 8;

/// How long requests in flight may take to finish after a stop, in seconds.
const DRAIN_S: u64 = 8;

/// How long look-ups in flight may take to land after a stop.
const LAND: Duration = Duration::from_secs(5);

/// How long the database may take to write what is queued after that: both together stay under 10 s.
const FLUSH: Duration = Duration::from_millis(1500);

/// The part of it that receipts may take; the rest is for contacts.
const FLUSH_RECEIPTS: Duration = Duration::from_millis(800);

/// How long the last traces may take to be exported, meanwhile.
const EXPORT: Duration = Duration::from_secs(1);

/// How long tasks may take to end after that.
const LEFT_OVER: Duration = Duration::from_millis(200);

/// How long the preparation of the first key may take.
const BOOTSTRAP: Duration = Duration::from_secs(10);

/// How patient the public listener is with a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// For the head of its first request.
    pub head: Duration,
    /// Between two requests.
    pub keep_alive: Duration,
    /// From the first byte of a request to the first byte of its answer, whatever the client does; longer than any
    /// answer takes.
    pub unanswered: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            head: Duration::from_secs(10),
            keep_alive: Duration::from_secs(75),
            unanswered: Duration::from_millis(LONGEST_DEADLINE_MS + 30_000),
        }
    }
}

/// Why the service did not start, or could not go on.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A listener's address cannot be used.
    #[error("{setting}: cannot listen on {address}; choose a port that is free and that this user may listen on")]
    Listen {
        /// The setting that holds the address.
        setting: &'static str,
        /// The address.
        address: SocketAddr,
        /// What the operating system said.
        #[source]
        source: io::Error,
    },
    /// The database cannot be opened.
    #[error("{DATABASE_URL}: cannot open the database")]
    Open(#[source] OpenError),
    /// The database cannot be migrated.
    #[error("{DATABASE_URL}: cannot migrate the database")]
    Migrate(#[source] MigrateError),
    /// Migrations are pending and must not be applied.
    #[error(
        "CALLER_MEMORY_AUTO_MIGRATE is false and the database lacks migrations ({0} pending); run `caller-memory migrate \
         up`"
    )]
    Pending(usize),
    /// The storage leaves out what a setting needs.
    #[error(transparent)]
    Storage(#[from] MissingPart),
    /// A vendor or the language model cannot be asked as the settings say.
    #[error(transparent)]
    Vendor(#[from] VendorError),
    /// Traces cannot be exported as the settings say.
    #[error(transparent)]
    Traces(#[from] TracesError),
    /// No key could be made.
    #[error("cannot make the first API key")]
    Key(#[from] GenerateError),
    /// The tenant `default` and its key could not be made sure of.
    #[error("{DATABASE_URL}: cannot prepare the tenant `default` and its API key")]
    Bootstrap(#[source] AdminError),
    /// The first API key could not be printed, and nobody knows it.
    #[error(
        "the first API key was made but cannot be shown; make another with `caller-memory key create`, and revoke this \
         one, which `caller-memory key list` shows"
    )]
    Show(#[source] io::Error),
    /// The runtime, a signal or a server failed.
    #[error("the service cannot run")]
    Run(#[from] io::Error),
    /// A task of the service itself ended unexpectedly.
    #[error("a part of the service ended unexpectedly")]
    Task(#[from] JoinError),
    /// A listener ended without being told to.
    #[error("a listener ended unexpectedly")]
    Ended,
}

/// Serves until SIGTERM or SIGINT, then drains and returns.
///
/// # Errors
/// [`StartError`], whose text names the setting that is to blame.
pub(crate) fn run(settings: ServeSettings, storages: &Storages) -> Result<(), StartError> {
    greet();
    let _logs = start_logs(&settings.log, settings.log_format, storages.log_targets());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let traces = settings
        .otlp_endpoint()
        .map(|endpoint| Traces::to(endpoint, runtime.handle()))
        .transpose()?
        .map(Arc::new);
    let ended = runtime.block_on(serve(settings, traces.clone()));
    // A task that still hangs does not hold up the end.
    runtime.shutdown_timeout(LEFT_OVER);
    ended
}

/// Says on a terminal how to go on. Where nobody reads, standard error has the log alone.
fn greet() {
    let mut terminal = io::stderr();
    if terminal.is_terminal() {
        // A terminal that cannot be written to is no reason not to serve.
        let _ = writeln!(
            terminal,
            "caller-memory {}: `caller-memory --help` shows the commands, `caller-memory serve --help` the settings; \
             Ctrl-C stops",
            env!("CARGO_PKG_VERSION")
        );
    }
}

async fn serve(settings: ServeSettings, traces: Option<Arc<Traces>>) -> Result<(), StartError> {
    let mut signals = Signals::catch()?;
    // Whatever is wrong with the settings is told before anything is created.
    let outside = OutsideServices::of(&settings)?;
    let listener = listen("CALLER_MEMORY_LISTEN", settings.listen)?;
    let admin_listener = listen("CALLER_MEMORY_ADMIN_LISTEN", settings.admin_listen)?;
    let address = listener.local_addr()?;
    let storage = tokio::select! {
        prepared = prepare(&settings, address) => prepared?,
        () = signals.next() => return Ok(()),
    };

    let metrics = Arc::new(Metrics::new());
    let draining = Arc::new(AtomicBool::new(false));
    let ServiceParts {
        api,
        look_ups,
        open_calls,
        reread,
        receipts,
        rewriter,
    } = compose(&settings, &storage, outside, &metrics, traces.clone());
    let counting = open_calls.map(|gauge| tokio::spawn(gauge.run()));
    let rereading = reread.map(|sweep| tokio::spawn(sweep.run()));
    let api = Data::new(api);
    let admin = Data::new(Admin {
        metrics,
        storage: Arc::clone(&storage),
        draining: Arc::clone(&draining),
    });
    let public = public_server(listener, api, Patience::default())?;
    let admin = HttpServer::new(move || admin::app(&admin))
        .workers(1)
        .disable_signals()
        .listen(admin_listener)?
        .run();
    let (public_handle, admin_handle) = (public.handle(), admin.handle());
    let mut servers = JoinSet::from_iter([public, admin]);
    tracing::info!(%address, admin = %settings.admin_listen, docs = settings.docs.then_some("/docs"), "serving");

    let outcome = tokio::select! {
        () = signals.next() => Ok(()),
        Some(ended) = servers.join_next() => Err(match ended {
            Ok(Ok(())) => StartError::Ended,
            Ok(Err(error)) => error.into(),
            Err(error) => error.into(),
        }),
    };
    draining.store(true, Ordering::Relaxed);
    for task in [counting, rereading].into_iter().flatten() {
        task.abort();
    }
    tracing::info!("stopping: requests in flight may finish");
    if let Some(rewriter) = rewriter {
        rewriter.stop().await;
    }
    tokio::select! {
        // Look-ups that have begun may land while the requests finish.
        _ = async { tokio::join!(public_handle.stop(true), look_ups.close(LAND)) } => {}
        () = signals.next() => tracing::warn!("a second signal cuts off the requests in flight"),
    }
    // The admin listener tells until now that the service is draining.
    drop(admin_handle.stop(false));
    let exported = tokio::task::spawn_blocking(move || {
        if let Some(traces) = traces {
            traces.stop(EXPORT);
        }
    });
    let stopped = Instant::now();
    let closed = async {
        if let Some(receipts) = receipts {
            receipts.close(Deadline(stopped + FLUSH_RECEIPTS)).await;
        }
        storage.close(Deadline(stopped + FLUSH)).await;
    };
    tokio::join!(closed, exported).1?;
    tracing::info!("stopped");
    outcome
}

/// SIGXFSZ, which a file that reaches the process's size limit raises; the same number on every Linux architecture that
/// is built for. See <https://man7.org/linux/man-pages/man7/signal.7.html>.
const FILE_SIZE_LIMIT: i32 = 25;

/// SIGTERM and SIGINT. SIGXFSZ is caught with them, because by default it ends the process: the write then fails like
/// one on a full disk.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
    _file_size_limit: Signal,
}

impl Signals {
    fn catch() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            _file_size_limit: signal(SignalKind::from_raw(FILE_SIZE_LIMIT))?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

fn listen(setting: &'static str, address: SocketAddr) -> Result<TcpListener, StartError> {
    TcpListener::bind(address).map_err(|source| StartError::Listen {
        setting,
        address,
        source,
    })
}

/// The storage, ready to be served, with a first key that is shown.
async fn prepare(settings: &ServeSettings, address: SocketAddr) -> Result<Arc<dyn Storage>, StartError> {
    let storage = open(settings).await?;
    if let Some(key) = first_key(settings, storage.as_ref()).await? {
        print_first_key(&key, address, settings.docs).map_err(StartError::Show)?;
    }
    Ok(storage)
}

/// The storage, with its schema up to date.
async fn open(settings: &ServeSettings) -> Result<Arc<dyn Storage>, StartError> {
    let opening = settings.database.database_url.open(DATABASE_CONNECTIONS);
    let storage = opening.await.map_err(StartError::Open)?;
    if let Some(missing) = missing_parts(settings, storage.as_ref()).into_iter().next() {
        return Err(missing.into());
    }
    if settings.database.auto_migrate {
        let applied = storage.migrate_up().await.map_err(StartError::Migrate)?;
        if !applied.is_empty() {
            tracing::info!(migrations = applied.len(), "migrated the database");
        }
    } else {
        let pending = pending(storage.as_ref()).await.map_err(StartError::Migrate)?;
        if pending > 0 {
            return Err(StartError::Pending(pending));
        }
    }
    Ok(storage)
}

/// Makes sure that the tenant `default` has the key of the settings or, when the tenant is new, one of its own; returns
/// a key that was made now and that nobody knows yet.
async fn first_key(settings: &ServeSettings, storage: &dyn Storage) -> Result<Option<ApiKey>, StartError> {
    let given = settings.bootstrap_key.as_ref();
    let key = given.map_or_else(ApiKey::generate, |key| Ok(key.clone()))?;
    let new_key = NewKey {
        hash: key.hash(),
        shown: key.shown().to_owned(),
        scopes: Scopes::all(),
        label: Some("first start".to_owned()),
        expires_at_ms: None,
    };
    let deadline = Deadline(Instant::now() + BOOTSTRAP);
    let is_new = storage
        .access()
        .bootstrap(&new_key, given.is_some(), SystemClock.now_ms(), deadline)
        .await
        .map_err(StartError::Bootstrap)?;
    Ok((is_new && given.is_none()).then_some(key))
}

/// Shows the first key to whoever started the service, once, with a line to try it.
fn print_first_key(key: &ApiKey, address: SocketAddr, docs: bool) -> io::Result<()> {
    let host = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    let url = SocketAddr::new(host, address.port());
    let key = key.as_str();
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "The first API key, shown only this once:\n\n  {key}\n\nTry it:\n\n  \
         curl -sS http://{url}/v1/recall_and_enrich -H 'Authorization: Bearer {key}' \
         -H 'Content-Type: application/json' -d '{{\"phone_number\": \"+12025550142\"}}'\n"
    )?;
    if docs {
        writeln!(out, "Or on the API page: http://{url}/docs\n")?;
    }
    out.flush()
}

/// The public server on a bound listener. It is put together here rather than by actix's `HttpServer`, so that each
/// connection can be wrapped. It does nothing until it is polled, within a tokio runtime.
///
/// # Errors
/// What the operating system says about the listener.
pub fn public_server(listener: TcpListener, api: Data<Api>, patience: Patience) -> io::Result<Server> {
    let builder = Server::build()
        .disable_signals()
        .shutdown_timeout(DRAIN_S)
        .max_concurrent_connections(MOST_CONNECTIONS);
    let stopping = builder.graceful_shutdown_signal();
    let server = builder.listen("public", listener, move || {
        let app = map_config(app(&api), |()| AppConfig::default());
        let stopping = stopping.clone();
        let http = HttpService::build()
            .keep_alive(KeepAlive::Timeout(patience.keep_alive))
            .client_request_timeout(patience.head)
            .tcp_nodelay(true)
            .graceful_shutdown_signal(move || {
                let stopping = stopping.clone();
                async move { stopping.notified().await }
            })
            .finish(app);
        fn_service(move |stream: TcpStream| {
            let peer = stream.peer_addr().ok();
            ready(Ok((
                Connection::new(stream, patience.unanswered),
                Protocol::Http1,
                peer,
            )))
        })
        .and_then(http)
    })?;
    Ok(server.run())
}
