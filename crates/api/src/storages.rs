//! The kinds of storage that a program knows, each by the scheme of its URLs.

use std::{fmt, path::PathBuf, sync::Arc};

use clap::builder::TypedValueParser as _;
use domain::port::{MigrateError, OpenError, Storage, StorageDriver, StorageOptions};

/// The setting that says where the storage is.
pub(crate) const DATABASE_URL: &str = "CALLER_MEMORY_DATABASE_URL";

/// The storages that a program can run over. Its `main` fills this and hands it to [`crate::main`].
#[derive(Clone)]
pub struct Storages {
    default_url: &'static str,
    registered: Vec<Registration>,
    log_targets: Vec<&'static str>,
}

/// One kind of storage, as `main` registered it.
#[derive(Clone)]
struct Registration {
    scheme: &'static str,
    form: &'static str,
    driver: Arc<dyn StorageDriver>,
}

impl Storages {
    /// No kind of storage yet. Without `CALLER_MEMORY_DATABASE_URL`, the program will use the storage at `default_url`.
    #[must_use]
    pub const fn new(default_url: &'static str) -> Self {
        Self {
            default_url,
            registered: Vec::new(),
            log_targets: Vec::new(),
        }
    }

    /// Lets the log filter show what the crate `target` of a driver logs below warnings, as it does for the program's
    /// own crates. It must log nothing that is secret or a caller's.
    #[must_use]
    pub fn with_log_target(mut self, target: &'static str) -> Self {
        self.log_targets.push(target);
        self
    }

    /// The crates that [`Self::with_log_target`] named.
    pub(crate) fn log_targets(&self) -> Vec<&'static str> {
        self.log_targets.clone()
    }

    /// Whether a driver is registered for the URL.
    pub(crate) fn has_driver_for(&self, url: &str) -> bool {
        self.parse(url).is_ok()
    }

    /// Has `driver` open every URL that begins with `scheme` and a colon. Help and errors show the URL's `form`, for
    /// example `sqlite://PATH`. A scheme that is registered again gets the later driver.
    #[must_use]
    pub fn with(mut self, scheme: &'static str, form: &'static str, driver: impl StorageDriver + 'static) -> Self {
        self.registered.retain(|other| other.scheme != scheme);
        self.registered.push(Registration {
            scheme,
            form,
            driver: Arc::new(driver),
        });
        self
    }

    /// The URL, when its scheme is registered, in letters of any case
    /// ([RFC 3986, section 3.1](https://www.rfc-editor.org/rfc/rfc3986#section-3.1)), and something follows it. Its
    /// driver gets the scheme as it is registered.
    fn parse(&self, url: &str) -> Result<DatabaseUrl, UnknownDatabase> {
        let unknown = || UnknownDatabase(self.forms(""));
        let (scheme, place) = url.split_once(':').ok_or_else(unknown)?;
        let named = self
            .registered
            .iter()
            .find(|one| one.scheme.eq_ignore_ascii_case(scheme));
        let found = named.filter(|_| place != "//").ok_or_else(unknown)?;
        Ok(DatabaseUrl {
            url: format!("{}:{place}", found.scheme),
            scheme: found.scheme,
            driver: Arc::clone(&found.driver),
        })
    }

    /// Every form once, in the order of registration, between quotes.
    fn forms(&self, quote: &str) -> String {
        let mut forms = Vec::new();
        for one in &self.registered {
            let form = format!("{quote}{}{quote}", one.form);
            if !forms.contains(&form) {
                forms.push(form);
            }
        }
        forms.join(" or ")
    }

    /// Makes every argument that takes a database URL take those of these storages.
    pub(crate) fn teach(&self, argument: clap::Arg) -> clap::Arg {
        if argument.get_env().is_none_or(|variable| variable != DATABASE_URL) {
            return argument;
        }
        let storages = self.clone();
        let parser = clap::builder::StringValueParser::new().try_map(move |url| storages.parse(&url));
        argument
            .value_parser(parser)
            .required(false)
            .default_value(self.default_url)
            .help(format!(
                "The database: {}; a file is created when it is missing",
                self.forms("`")
            ))
    }
}

/// How many schema steps are not applied yet; 0 for a storage without a schema.
///
/// # Errors
/// As for [`Storage::migrations`].
pub(crate) async fn pending(storage: &dyn Storage) -> Result<usize, MigrateError> {
    let migrations = storage.migrations().await?;
    Ok(migrations.iter().filter(|migration| !migration.applied).count())
}

/// The URL of a storage, and who can open it. It may hold a password, so `Debug` shows its scheme only.
#[derive(Clone)]
pub struct DatabaseUrl {
    url: String,
    scheme: &'static str,
    driver: Arc<dyn StorageDriver>,
}

impl DatabaseUrl {
    /// The kind of database, as the URL names it.
    #[must_use]
    pub fn scheme(&self) -> &'static str {
        self.scheme
    }

    /// The storage's file or folder, when opening it would create one.
    #[must_use]
    pub fn file(&self) -> Option<PathBuf> {
        self.driver.file(&self.url)
    }

    /// Opens the storage.
    ///
    /// # Errors
    /// [`OpenError`] when the URL is wrong or the storage cannot be reached.
    pub async fn open(&self, connections: u32) -> Result<Arc<dyn Storage>, OpenError> {
        let url = self.url.clone();
        self.driver.open(StorageOptions { url, connections }).await
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DatabaseUrl({})", self.scheme)
    }
}

/// The text is not a URL of a storage that the program knows. The text itself is left out: it may hold a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected {0}")]
struct UnknownDatabase(String);

#[cfg(test)]
mod tests {
    use domain::async_trait;

    use super::*;

    /// Opens nothing.
    struct Nothing;

    #[async_trait]
    impl StorageDriver for Nothing {
        async fn open(&self, _: StorageOptions) -> Result<Arc<dyn Storage>, OpenError> {
            Err(OpenError::new("there is nothing"))
        }
    }

    #[test]
    fn a_url_is_one_of_a_registered_scheme() {
        let storages = Storages::new("shelf:")
            .with("shelf", "shelf:[NAME]", Nothing)
            .with("box", "box://NAME", Nothing)
            .with("crate", "box://NAME", Nothing)
            .with("rack", "shelf:[NAME]", Nothing);
        for (url, scheme) in [
            ("shelf:", "shelf"),
            ("shelf:a", "shelf"),
            ("box://b", "box"),
            ("crate://b", "crate"),
        ] {
            let parsed = storages.parse(url).expect(url);
            assert_eq!((parsed.scheme(), parsed.url.as_str()), (scheme, url));
            assert_eq!(format!("{parsed:?}"), format!("DatabaseUrl({scheme})"));
        }
        let parsed = storages.parse("Box://Hall:B").expect("a scheme in any case");
        assert_eq!((parsed.scheme(), parsed.url.as_str()), ("box", "box://Hall:B"));
        for url in ["", "shelf", "box://", "boxes://b", "sqlite://hunter2", "://"] {
            let error = storages.parse(url).expect_err(url).to_string();
            assert_eq!(error, "expected shelf:[NAME] or box://NAME", "{url}");
        }
    }

    #[test]
    fn a_scheme_that_is_registered_again_is_shown_once() {
        let storages = Storages::new("box:")
            .with("box", "box:OLD", Nothing)
            .with("box", "box:NEW", Nothing);
        assert_eq!(storages.forms("`"), "`box:NEW`");
    }
}
