//! When and how the caller likes to be reached.

use super::{Exchange, FactKey, Finding, fact, heard::Heard, timing::timing};
use crate::text::plain::plain;

/// Looks for preferences that callers state.
pub(super) fn find(exchanges: &[Exchange<'_, '_>], findings: &mut Vec<Finding>) {
    for exchange in exchanges {
        times(exchange.heard, findings);
        channels(exchange.heard, findings);
    }
}

/// What stands before the time that a caller prefers.
const BEFORE: &[&str] = &[
    "best time is",
    "best time to call is",
    "best time to call me is",
    "best time to reach me is",
    "best time for me is",
    "best time would be",
    "better time is",
    "better time would be",
    "i prefer",
    "i'd prefer",
    "i would prefer",
    "i'd rather",
    "i am available",
    "i'm available",
    "i'm only available",
    "i am only available",
    "i'm usually available",
    "i'm free",
    "i'm only free",
    "i am free",
    "i'm usually free",
    "i'm home",
    "i'm only home",
    "i'm usually home",
    "call me",
    "call me back",
    "call back",
    "please call",
    "reach me",
    "ring me",
    "contact me",
    "phone me",
    "give me a call",
    "i'm reachable",
    "i can talk",
    "i can only talk",
    "try me",
    "prefer to be called",
    "prefer calls",
];

/// What stands behind it.
const BEHIND: &[&str] = &[
    "work best",
    "works best",
    "is best",
    "are best",
    "would be best",
    "work better",
    "works better",
    "is better",
    "are better",
    "would be better",
    "suits me best",
    "suit me best",
    "suits me",
    "suit me",
    "is easiest",
    "are easiest",
    "is ideal",
    "are ideal",
    "is preferred",
    "is the best time",
    "are the best time",
    "works for me",
    "work for me",
    "is good for me",
    "are good for me",
    "is a good time",
    "is a better time",
];

/// Words before either that turn it round.
const NOT: &[&str] = &[
    "not", "don't", "never", "can't", "cannot", "won't", "doesn't", "didn't", "isn't", "aren't", "stop", "instead",
    "if", "did", "when", "why", "nobody", "he", "she", "they", "you", "was",
];

fn times(heard: &Heard<'_>, findings: &mut Vec<Finding>) {
    for cue in heard.find(BEFORE) {
        let Some(timing) = timing(heard, cue.end) else { continue };
        if heard.has_before(cue.start, 4, NOT) && !requested(heard, cue.start)
            || (heard.asks(cue.start) && !requested(heard, cue.start))
        {
            findings.push(Finding::Doubt(FactKey::PreferredTime));
            continue;
        }
        keep(heard, timing.places.clone(), cue.start..timing.places.end, findings);
        return;
    }
    for place in 0..heard.words.len() {
        let Some(timing) = timing(heard, place) else { continue };
        let end = timing.places.end;
        let behind = end
            + usize::from(matches!(
                heard.norm(end),
                "usually" | "always" | "generally" | "probably" | "really"
            ));
        let Some(last) = heard.behind_any(behind, BEHIND) else {
            continue;
        };
        if heard.asks(place) || heard.has_before(place, 4, &["not", "don't", "if", "when", "that"]) {
            findings.push(Finding::Doubt(FactKey::PreferredTime));
        } else {
            keep(heard, timing.places, place..last, findings);
        }
        return;
    }
}

/// Whether the words before `place` ask for a call, as in "can you call me after five".
fn requested(heard: &Heard<'_>, place: usize) -> bool {
    [
        "can you",
        "could you",
        "would you",
        "can you please",
        "could you please",
        "can somebody",
        "can someone",
        "could someone",
    ]
    .iter()
    .any(|phrase| {
        place
            .checked_sub(phrase.split(' ').count())
            .is_some_and(|start| heard.behind(start, phrase) == Some(place))
    })
}

fn keep(heard: &Heard<'_>, time: std::ops::Range<usize>, quote: std::ops::Range<usize>, findings: &mut Vec<Finding>) {
    // "at" and "on" only join the time to its verb.
    let start = time.start + usize::from(matches!(heard.norm(time.start), "at" | "on") && time.len() > 1);
    let value = plain(heard.quote(start..time.end));
    findings.push(fact(FactKey::PreferredTime, value, heard, quote));
}

/// The words for each channel.
const CHANNELS: &[(&str, &[&str])] = &[
    (
        "text",
        &[
            "text",
            "texts",
            "texting",
            "a text",
            "text message",
            "text messages",
            "a text message",
            "sms",
        ],
    ),
    (
        "email",
        &["email", "emails", "e-mail", "e-mails", "an email", "e mail", "emailing"],
    ),
    (
        "phone",
        &[
            "phone",
            "the phone",
            "a phone call",
            "phone calls",
            "a call",
            "calls",
            "calling",
            "telephone",
        ],
    ),
    ("whatsapp", &["whatsapp", "a whatsapp"]),
    (
        "mail",
        &["mail", "post", "regular mail", "a letter", "letters", "letter"],
    ),
];

const PREFERS: &[&str] = &[
    "i prefer",
    "i'd prefer",
    "i would prefer",
    "i prefer to get",
    "i prefer getting",
    "i'd prefer to get",
    "i prefer to be contacted by",
    "i prefer to be reached by",
    "i'd rather get",
    "i'd rather have",
    "i would rather get",
    "i'd rather use",
    "i'd prefer to be contacted by",
    "best way to reach me is",
    "best way to reach me is by",
    "best way to reach me is via",
    "best way to contact me is",
    "best way to contact me is by",
    "easiest way to reach me is",
    "easiest way to reach me is by",
    "contact me by",
    "contact me via",
    "contact me only by",
    "reach me by",
    "reach me via",
    "reach out by",
    "reach out via",
    "only contact me by",
    "i only use",
    "communicate by",
    "communicate via",
    "prefer communication by",
    "prefer to communicate by",
    "prefer to communicate via",
    "i prefer to",
    "i'd prefer to",
    "i'd rather",
];

const IS_PREFERRED: &[&str] = &[
    "is best",
    "is better",
    "is easier",
    "is easiest",
    "works best",
    "works better",
    "work best",
    "work better",
    "are best",
    "are better",
    "is preferred",
    "would be best",
    "would be better",
    "is the best way",
    "is my preferred",
];

/// Commands that are a preference when nothing is to be sent with them: "just text me", "email me instead".
const COMMANDS: &[(&str, &[&str])] = &[
    ("text", &["text me"]),
    ("email", &["email me", "e-mail me"]),
    ("phone", &["call me", "phone me"]),
    ("whatsapp", &["whatsapp me", "message me on whatsapp"]),
];

fn channels(heard: &Heard<'_>, findings: &mut Vec<Finding>) {
    for place in 0..heard.words.len() {
        for (channel, words) in CHANNELS {
            if let Some(cue) = heard.behind_any(place, PREFERS)
                && let Some(end) = heard.behind_any(cue, words)
                && heard.behind(cue, "text me").is_none()
            {
                let clear = heard.ends_before(end)
                    || !matches!(heard.norm(end), "number" | "address" | "back" | "tomorrow" | "with");
                return stated(
                    heard,
                    place..end,
                    channel,
                    clear && !heard.has_before(place, 3, NOT_CHANNEL),
                    findings,
                );
            }
            if let Some(end) = heard.behind_any(place, words)
                && let Some(last) = heard.behind_any(end, IS_PREFERRED)
            {
                return stated(
                    heard,
                    place..last,
                    channel,
                    !heard.has_before(place, 3, NOT_CHANNEL),
                    findings,
                );
            }
        }
        for (channel, commands) in COMMANDS {
            let Some(end) = heard.behind_any(place, commands) else {
                continue;
            };
            // In "don't call text me" the refusal is of the call.
            if heard.has_before(place, 1, NOT_CHANNEL) {
                continue;
            }
            let instead = heard.norm(end) == "instead";
            let only = heard.has_before(place, 2, &["just", "only", "always", "rather"]) && heard.ends_before(end);
            let no_calls = *channel != "phone"
                && heard.has(&[
                    "don't call",
                    "do not call",
                    "stop calling",
                    "no calls",
                    "rather than call",
                    "instead of calling",
                    "don't phone",
                    "not call",
                ]);
            let rather = heard.has_before(
                place,
                4,
                &[
                    "rather you",
                    "prefer you",
                    "prefer if you",
                    "prefer that you",
                    "better if you",
                ],
            );
            if instead || only || (no_calls && heard.ends_before(end)) || rather {
                return stated(heard, place..end + usize::from(instead), channel, true, findings);
            }
        }
    }
}

const NOT_CHANNEL: &[&str] = &[
    "not", "don't", "never", "can't", "cannot", "won't", "didn't", "doesn't", "stop", "if", "no", "why", "did",
    "without", "isn't",
];

fn stated(heard: &Heard<'_>, quote: std::ops::Range<usize>, channel: &str, clear: bool, findings: &mut Vec<Finding>) {
    if clear && !heard.asks(quote.start) {
        findings.push(fact(FactKey::PreferredChannel, channel.to_owned(), heard, quote));
    } else {
        findings.push(Finding::Doubt(FactKey::PreferredChannel));
    }
}
