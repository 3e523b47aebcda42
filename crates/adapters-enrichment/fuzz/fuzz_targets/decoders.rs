//! No decoder panics, whatever a vendor answers. Seeds: `tests/fixtures`, each with two bytes of status in front.
//!
//! `cargo +nightly fuzz run decoders` from `crates/adapters-enrichment`.
#![no_main]

use adapters_enrichment::{pdl, telnyx, trestle, twilio, webhook};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((status, body)) = data.split_first_chunk::<2>() else {
        return;
    };
    // Most of the code is behind a 200.
    for status in [200, u16::from_le_bytes(*status) % 600] {
        let _ = twilio::decode(status, body);
        let _ = trestle::decode(status, body);
        let _ = telnyx::decode(status, body);
        let _ = pdl::decode(status, body, 6);
        let _ = webhook::decode(status, body);
    }
});
