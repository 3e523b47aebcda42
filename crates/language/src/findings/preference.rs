//! When and how the caller likes to be reached.

use std::ops::Range;

use super::{
    agreement,
    exchange::Exchange,
    finding::{Finding, Topic, statement},
    timing::{Timing, timing},
    utterance::Utterance,
};
use crate::text::{
    phrases::{Phrases, phrases},
    plain::plain,
};

/// Looks for preferences that callers state.
pub(super) fn find(exchanges: &[Exchange<'_, '_>], findings: &mut Vec<Finding>) {
    for exchange in exchanges {
        times(exchange, findings);
        channels(exchange.answer, findings);
    }
}

/// What stands before the time at which a caller likes to be called.
const CALLED: &Phrases = phrases![
    "best time to call is",
    "best time to call me is",
    "best time to reach me is",
    "call back",
    "call me",
    "call me back",
    "contact me",
    "give me a call",
    "phone me",
    "please call",
    "prefer calls",
    "prefer to be called",
    "reach me",
    "ring me",
    "try me",
];

/// What stands before a time that a caller prefers, for calls or for anything else.
const BEFORE: &Phrases = phrases![
    "best time for me is",
    "best time is",
    "best time would be",
    "better time is",
    "better time would be",
    "i am available",
    "i am free",
    "i am only available",
    "i can only talk",
    "i can talk",
    "i prefer",
    "i would prefer",
    "i'd prefer",
    "i'd rather",
    "i'm available",
    "i'm free",
    "i'm home",
    "i'm only available",
    "i'm only free",
    "i'm only home",
    "i'm reachable",
    "i'm usually available",
    "i'm usually free",
    "i'm usually home",
];

/// What stands behind it.
const BEHIND: &Phrases = phrases![
    "are best",
    "are better",
    "are easiest",
    "are good for me",
    "are ideal",
    "are the best time",
    "is a better time",
    "is a good time",
    "is best",
    "is better",
    "is easiest",
    "is good for me",
    "is ideal",
    "is preferred",
    "is the best time",
    "suit me",
    "suit me best",
    "suits me",
    "suits me best",
    "work best",
    "work better",
    "work for me",
    "works best",
    "works better",
    "works for me",
    "would be best",
    "would be better",
];

/// Words before either that turn it round.
const NOT: &Phrases = phrases![
    "aren't", "can't", "cannot", "did", "didn't", "doesn't", "don't", "he", "if", "instead", "isn't", "never",
    "nobody", "not", "she", "stop", "they", "was", "when", "why", "won't", "you",
];

fn times(exchange: &Exchange<'_, '_>, findings: &mut Vec<Finding>) {
    let utterance = exchange.answer;
    let called = utterance.find(CALLED).map(|cue| (cue, true));
    let mut cues: Vec<(Range<usize>, bool)> = called.chain(utterance.find(BEFORE).map(|cue| (cue, false))).collect();
    cues.sort_by_key(|(cue, _)| cue.start);
    for (cue, is_called) in cues {
        let Some(timing) = timing(utterance, cue.end) else {
            continue;
        };
        if !(is_called || is_lasting(exchange, &timing)) {
            findings.push(Finding::Doubt(Topic::PreferredTime));
            continue;
        }
        if utterance.has_before(cue.start, 4, NOT) && !requested(utterance, cue.start)
            || (utterance.asks(cue.start) && !requested(utterance, cue.start))
        {
            findings.push(Finding::Doubt(Topic::PreferredTime));
            continue;
        }
        let quote = cue.start..timing.places.end;
        keep(utterance, &timing, quote, findings);
        return;
    }
    if !utterance.has(BEHIND) {
        return;
    }
    for place in 0..utterance.words.len() {
        let Some(timing) = timing(utterance, place) else {
            continue;
        };
        let end = timing.places.end;
        let behind = end
            + usize::from(matches!(
                utterance.norm(end),
                "usually" | "always" | "generally" | "probably" | "really"
            ));
        let Some(last) = utterance.behind(behind, BEHIND) else {
            continue;
        };
        let is_turned = utterance.has_before(place, 4, phrases!["don't", "if", "not", "that", "when"]);
        if utterance.asks(place) || is_turned || !is_lasting(exchange, &timing) {
            findings.push(Finding::Doubt(Topic::PreferredTime));
        } else {
            keep(utterance, &timing, place..last, findings);
        }
        return;
    }
}

/// Whether the words before `place` ask for a call, as in "can you call me after five".
fn requested(utterance: &Utterance<'_>, place: usize) -> bool {
    const REQUESTS: &Phrases = phrases![
        "can somebody",
        "can someone",
        "can you",
        "can you please",
        "could someone",
        "could you",
        "could you please",
        "would you",
    ];
    (place.saturating_sub(3)..place).any(|start| utterance.behind(start, REQUESTS) == Some(place))
}

/// Whether a time that was stated without saying what for is about being reached: the agent asked for that, or it
/// names hours or days as they come again, and the agent did not ask for another time.
fn is_lasting(exchange: &Exchange<'_, '_>, timing: &Timing) -> bool {
    const REACHED: &Phrases = phrases![
        "call",
        "call you",
        "contact you",
        "get hold of you",
        "phone you",
        "reach you"
    ];
    const ASKS_TIME: &Phrases = phrases![
        "how soon",
        "what day",
        "what hour",
        "what time",
        "when",
        "which day",
        "which time"
    ];
    let utterance = exchange.answer;
    if let Some(agent) = exchange.question {
        if agent.has(REACHED) {
            return true;
        }
        if agent.has(ASKS_TIME) {
            return false;
        }
    }
    timing.places.clone().any(|place| {
        let norm = utterance.norm(place);
        matches!(
            norm,
            "after" | "any" | "anytime" | "before" | "between" | "every" | "from" | "until" | "weekday" | "weekend"
        ) || norm.ends_with('s')
    })
}

fn keep(utterance: &Utterance<'_>, timing: &Timing, quote: Range<usize>, findings: &mut Vec<Finding>) {
    let time = timing.places.clone();
    // "Call me on Friday" is a wish for once.
    let is_bare_day = timing.day && !timing.clock && !timing.part;
    let recurs = |place: usize| {
        utterance.norm(place).ends_with('s') || matches!(utterance.norm(place), "any" | "every" | "weekday" | "weekend")
    };
    if is_bare_day && !time.clone().any(recurs) {
        findings.push(Finding::Doubt(Topic::PreferredTime));
        return;
    }
    // A date is when something happens once; it is no preference by the time it is read.
    let once = |norm: &str| matches!(norm, "coming" | "next" | "this");
    if time.clone().any(|place| once(utterance.norm(place))) || agreement::names_a_date(utterance, &time) {
        findings.push(Finding::Doubt(Topic::PreferredTime));
        return;
    }
    // "at" and "on" only join the time to its verb.
    let start = time.start + usize::from(matches!(utterance.norm(time.start), "at" | "on") && time.len() > 1);
    let value = plain(utterance.quote(start..time.end));
    findings.push(statement(Topic::PreferredTime, value, utterance, quote));
}

/// The words for each channel.
const CHANNELS: &[(&str, &Phrases)] = &[
    (
        "text",
        phrases![
            "a text",
            "a text message",
            "sms",
            "text",
            "text message",
            "text messages",
            "texting",
            "texts",
        ],
    ),
    (
        "email",
        phrases!["an email", "e mail", "e-mail", "e-mails", "email", "emailing", "emails"],
    ),
    (
        "phone",
        phrases![
            "a call",
            "a phone call",
            "calling",
            "calls",
            "phone",
            "phone calls",
            "telephone",
            "the phone",
        ],
    ),
    ("whatsapp", phrases!["a whatsapp", "whatsapp"]),
    (
        "mail",
        phrases!["a letter", "letter", "letters", "mail", "post", "regular mail"],
    ),
];

/// Whether `name` is one of the channels.
pub(crate) fn is_channel(name: &str) -> bool {
    CHANNELS.iter().any(|(channel, _)| *channel == name)
}

const PREFERS: &Phrases = phrases![
    "best way to contact me is",
    "best way to contact me is by",
    "best way to reach me is",
    "best way to reach me is by",
    "best way to reach me is via",
    "communicate by",
    "communicate via",
    "contact me by",
    "contact me only by",
    "contact me via",
    "easiest way to reach me is",
    "easiest way to reach me is by",
    "i only use",
    "i prefer",
    "i prefer getting",
    "i prefer to",
    "i prefer to be contacted by",
    "i prefer to be reached by",
    "i prefer to get",
    "i would prefer",
    "i would rather get",
    "i'd prefer",
    "i'd prefer to",
    "i'd prefer to be contacted by",
    "i'd prefer to get",
    "i'd rather",
    "i'd rather get",
    "i'd rather have",
    "i'd rather use",
    "only contact me by",
    "prefer communication by",
    "prefer to communicate by",
    "prefer to communicate via",
    "reach me by",
    "reach me via",
    "reach out by",
    "reach out via",
];

const IS_PREFERRED: &Phrases = phrases![
    "are best",
    "are better",
    "is best",
    "is better",
    "is easier",
    "is easiest",
    "is my preferred",
    "is preferred",
    "is the best way",
    "work best",
    "work better",
    "works best",
    "works better",
    "would be best",
    "would be better",
];

/// Commands that are a preference when nothing is to be sent with them: "just text me", "email me instead".
const COMMANDS: &[(&str, &Phrases)] = &[
    ("text", phrases!["text me"]),
    ("email", phrases!["e-mail me", "email me"]),
    ("phone", phrases!["call me", "phone me"]),
    ("whatsapp", phrases!["message me on whatsapp", "whatsapp me"]),
];

fn channels(utterance: &Utterance<'_>, findings: &mut Vec<Finding>) {
    let has_preferred = utterance.has(IS_PREFERRED);
    for place in 0..utterance.words.len() {
        if let Some(cue) = utterance.behind(place, PREFERS)
            && let Some((channel, end)) = channel_at(utterance, cue)
            && utterance.behind(cue, phrases!["text me"]).is_none()
        {
            let clear = utterance.ends_before(end)
                || !matches!(utterance.norm(end), "number" | "address" | "back" | "tomorrow" | "with");
            let clear = clear && !utterance.has_before(place, 3, NOT_CHANNEL);
            return stated(utterance, place..end, channel, clear, findings);
        }
        if has_preferred
            && let Some((channel, end)) = channel_at(utterance, place)
            && let Some(last) = utterance.behind(end, IS_PREFERRED)
        {
            let clear = !utterance.has_before(place, 3, NOT_CHANNEL);
            return stated(utterance, place..last, channel, clear, findings);
        }
        for (channel, commands) in COMMANDS {
            let Some(end) = utterance.behind(place, commands) else {
                continue;
            };
            // In "don't call text me" the refusal is of the call.
            if utterance.has_before(place, 1, NOT_CHANNEL) {
                continue;
            }
            let instead = utterance.norm(end) == "instead";
            let only = utterance.has_before(place, 2, phrases!["always", "just", "only", "rather"])
                && utterance.ends_before(end);
            let no_calls = *channel != "phone"
                && utterance.has(phrases![
                    "do not call",
                    "don't call",
                    "don't phone",
                    "instead of calling",
                    "no calls",
                    "not call",
                    "rather than call",
                    "stop calling",
                ]);
            let rather = utterance.has_before(
                place,
                4,
                phrases![
                    "better if you",
                    "prefer if you",
                    "prefer that you",
                    "prefer you",
                    "rather you",
                ],
            );
            if instead || only || (no_calls && utterance.ends_before(end)) || rather {
                return stated(utterance, place..end + usize::from(instead), channel, true, findings);
            }
        }
    }
}

/// The channel that is named at `place`, and the place behind.
fn channel_at(utterance: &Utterance<'_>, place: usize) -> Option<(&'static str, usize)> {
    CHANNELS
        .iter()
        .find_map(|(channel, words)| Some((*channel, utterance.behind(place, words)?)))
}

const NOT_CHANNEL: &Phrases = phrases![
    "can't", "cannot", "did", "didn't", "doesn't", "don't", "if", "isn't", "never", "no", "not", "stop", "why",
    "without", "won't",
];

fn stated(utterance: &Utterance<'_>, quote: Range<usize>, channel: &str, clear: bool, findings: &mut Vec<Finding>) {
    if clear && !utterance.asks(quote.start) {
        findings.push(statement(Topic::PreferredChannel, channel.to_owned(), utterance, quote));
    } else {
        findings.push(Finding::Doubt(Topic::PreferredChannel));
    }
}
