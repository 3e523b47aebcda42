//! From settings to what is asked outside: the vendors of look-ups, and the language model.

use std::sync::Arc;

use adapters_enrichment::{
    Vendor, pdl::PeopleDataLabs, telnyx::Telnyx, trestle::Trestle, twilio::Twilio, webhook::Webhook,
};
use adapters_llm::{ModelSetupError, OpenAi};
use outgoing::{SetupError, UnusableSecret};

use crate::config::{EnrichmentSettings, LlmSettings, MissingHalf, ServeSettings, TwilioCredentials};

/// Why a vendor or the language model cannot be asked.
#[derive(Debug, thiserror::Error)]
pub enum VendorError {
    /// One half of a pair of settings is missing.
    #[error(transparent)]
    MissingHalf(#[from] MissingHalf),
    /// A key holds characters that no header can carry.
    #[error("{0}: the value holds characters that cannot be sent")]
    Unusable(&'static str),
    /// The HTTP client could not be set up.
    #[error(transparent)]
    Client(#[from] SetupError),
}

/// What is asked outside.
pub(crate) struct OutsideServices {
    /// The vendors of look-ups.
    pub(crate) vendors: Vec<Vendor>,
    /// What writes better summaries.
    pub(crate) language_model: Option<OpenAi>,
}

impl OutsideServices {
    /// Everything that the settings name. Nothing is asked yet.
    ///
    /// # Errors
    /// [`VendorError`] when one half of a pair of settings is missing, or a key cannot be sent.
    pub(crate) fn of(settings: &ServeSettings) -> Result<Self, VendorError> {
        Ok(Self {
            vendors: vendors(&settings.enrichment)?,
            language_model: language_model(&settings.llm)?,
        })
    }
}

/// The language model, when it is set.
///
/// # Errors
/// [`VendorError`] when one half of its settings is missing or the key cannot be sent.
pub(crate) fn language_model(settings: &LlmSettings) -> Result<Option<OpenAi>, VendorError> {
    const BASE_URL: &str = "CALLER_MEMORY_LLM_BASE_URL";
    const MODEL: &str = "CALLER_MEMORY_LLM_MODEL";
    let half = |given, missing| Err(MissingHalf { given, missing }.into());
    let (base, model) = match (&settings.llm_base_url, &settings.llm_model) {
        (None, None) => return Ok(None),
        (Some(_), None) => return half(BASE_URL, MODEL),
        (None, Some(_)) => return half(MODEL, BASE_URL),
        (Some(base), Some(model)) => (base.clone(), model.clone()),
    };
    let made = OpenAi::new(base, model, settings.llm_api_key.as_ref());
    made.map(Some).map_err(|error| match error {
        ModelSetupError::UnusableKey(_) => VendorError::Unusable("CALLER_MEMORY_LLM_API_KEY"),
        ModelSetupError::Client(error) => VendorError::Client(error),
    })
}

/// The vendors whose keys are set.
///
/// # Errors
/// [`VendorError`] when their settings are incomplete or a key cannot be sent.
pub(crate) fn vendors(settings: &EnrichmentSettings) -> Result<Vec<Vendor>, VendorError> {
    const WEBHOOK_SECRET: &str = "CALLER_MEMORY_LOOKUP_WEBHOOK_SECRET";
    let twilio = settings.twilio()?;
    if settings.lookup_webhook_secret.is_some() && settings.lookup_webhook_url.is_none() {
        let missing = "CALLER_MEMORY_LOOKUP_WEBHOOK_URL";
        let given = WEBHOOK_SECRET;
        return Err(MissingHalf { given, missing }.into());
    }
    let mut vendors = Vec::new();
    if settings.paid().next().is_none() && settings.lookup_webhook_url.is_none() {
        // The client needs the system's CA certificates, which a service without vendors can do without.
        return Ok(vendors);
    }
    let client = adapters_enrichment::client()?;
    if let Some(TwilioCredentials {
        user,
        password,
        password_setting,
    }) = twilio
    {
        let twilio = Twilio::new(client.clone(), settings.twilio_base_url.clone(), user, password);
        let twilio = twilio.map_err(|UnusableSecret| VendorError::Unusable(password_setting))?;
        vendors.push(Vendor::paid(Arc::new(twilio), settings.twilio_price_micro_usd));
    }
    if let Some(key) = &settings.trestle_api_key {
        let trestle = Trestle::new(client.clone(), settings.trestle_base_url.clone(), key);
        let trestle = trestle.map_err(|UnusableSecret| VendorError::Unusable("TRESTLE_API_KEY"))?;
        vendors.push(Vendor::paid(Arc::new(trestle), settings.trestle_price_micro_usd));
    }
    if let Some(key) = &settings.telnyx_api_key {
        let telnyx = Telnyx::new(client.clone(), settings.telnyx_base_url.clone(), key);
        let telnyx = telnyx.map_err(|UnusableSecret| VendorError::Unusable("TELNYX_API_KEY"))?;
        vendors.push(Vendor::paid(Arc::new(telnyx), settings.telnyx_price_micro_usd));
    }
    if let Some(key) = &settings.pdl_api_key {
        let base = settings.pdl_base_url.clone();
        let pdl = PeopleDataLabs::new(client.clone(), base, key, PeopleDataLabs::MIN_LIKELIHOOD);
        let pdl = pdl.map_err(|UnusableSecret| VendorError::Unusable("PDL_API_KEY"))?;
        vendors.push(Vendor::paid(Arc::new(pdl), settings.pdl_price_micro_usd));
    }
    if let Some(url) = &settings.lookup_webhook_url {
        let webhook = Webhook::new(client, url.clone(), settings.lookup_webhook_secret.as_ref());
        let webhook = webhook.map_err(|UnusableSecret| VendorError::Unusable(WEBHOOK_SECRET))?;
        vendors.push(Vendor::free(Arc::new(webhook)));
    }
    Ok(vendors)
}
