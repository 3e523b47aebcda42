//! Wishes not to be called any more, and what takes them back.

use std::ops::Range;

use super::{
    lead::{NEGATIONS, attitude, commands, completes, denied, is_ensured, unwanted, wants},
    speech::{REACH, Speech},
};
use crate::text::{
    phrases::{Phrases, phrases},
    small::WordList,
};

/// Whose telephone is not to ring: the caller's, named in every way but by a place of work.
#[rustfmt::skip]
const ME: &Phrases = phrases!["here", "me", "my cell", "my cell phone", "my home", "my home number", "my home phone", "my house", "my landline", "my line", "my mobile", "my number", "my phone", "my phone number", "our home", "our house", "our number", "our phone", "this house", "this line", "this number", "this phone", "this phone number", "us"];

/// The number, or whoever stands for it, on a list.
#[rustfmt::skip]
const MY_ENTRY: &Phrases = phrases!["me", "my cell number", "my cell phone number", "my contact info", "my contact information", "my details", "my home number", "my info", "my information", "my name", "my name and number", "my name and phone number", "my number", "my phone number", "my telephone number", "our name", "our number", "our phone number", "that number", "this number", "this phone number", "us"];

/// The number alone.
#[rustfmt::skip]
const MY_NUMBER: &Phrases = phrases!["my cell number", "my cell phone number", "my home number", "my number", "my phone number", "my telephone number", "our number", "our phone number", "this number", "this phone number"];

/// What goes before a list's or a call's name.
#[rustfmt::skip]
static ADJECTIVES: WordList = WordList::of(&["a", "all", "annoying", "another", "any", "automated", "call", "calling", "calls", "cold", "company", "company's", "contact", "customer", "damn", "dialing", "every", "federal", "goddamn", "guys", "internal", "lead", "leads", "marketing", "more", "national", "of", "official", "our", "people's", "phone", "promotional", "robo", "sales", "single", "spam", "state", "stupid", "such", "telemarketing", "telephone", "that", "the", "these", "this", "those", "unwanted", "whatever", "you", "your"]);

/// What numbers to call are kept in.
#[rustfmt::skip]
static LISTS: WordList = WordList::of(&["database", "databases", "dialer", "directory", "files", "list", "lists", "records", "system", "systems"]);

const OFF: &Phrases = phrases!["from", "off", "off from", "off of", "out of"];

/// The place behind the list of numbers that is named at `place`.
pub(super) fn list_at(speech: &Speech<'_>, place: usize) -> Option<usize> {
    let noun = speech.skip(place, &ADJECTIVES);
    if noun > place && matches!(speech.norm(noun - 1), "call") && is_no_call(speech, noun - 1) {
        return None;
    }
    let end = noun + 1;
    let is_list = LISTS.has(speech.next(noun));
    let is_open = matches!(speech.next(end), "for" | "of")
        && !matches!(speech.norm(end + 1), "good" | "people" | "numbers" | "contacts");
    (is_list && !is_open).then_some(end)
}

/// Whether "call" at `place` ends "do not call".
fn is_no_call(speech: &Speech<'_>, place: usize) -> bool {
    matches!(speech.before(place), "not" | "don't" | "no")
}

/// The places of the words by which the caller wishes, at `place`, not to be called any more.
pub(super) fn wish(speech: &Speech<'_>, place: usize) -> Option<Range<usize>> {
    let range = |(start, end): (usize, usize)| start..end;
    match speech.norm(place) {
        "stop" | "quit" | "cease" | "discontinue" | "halt" => stop(speech, place).map(|end| place..end),
        "enough" => {
            let is_of_calls = matches!(speech.next(place + 1), "with" | "of") && calls_at(speech, place + 2).is_some();
            is_of_calls.then(|| place..calls_at(speech, place + 2).unwrap_or(place + 2))
        }
        "call" | "phone" | "ring" | "contact" | "dial" | "telephone" => never(speech, place)
            .or_else(|| threat(speech, place))
            .or_else(|| do_not_call(speech, place))
            .or_else(|| another(speech, place))
            .map(range),
        "bother" | "disturb" | "pester" | "harass" => never(speech, place).map(range),
        "calling" | "phoning" | "ringing" | "contacting" | "bothering" | "harassing" => {
            let end = speech
                .behind(place + 1, ME)
                .filter(|_| !speech.begins(place + 1))
                .unwrap_or(place + 1);
            let start = match speech.before(place) {
                "keep" => denied(speech, place - 1)?.start,
                "bother" | "try" => {
                    let again = speech.behind(end, phrases!["again", "anymore", "ever again"]);
                    again.filter(|_| !speech.begins(end))?;
                    denied(speech, place - 1)?.start
                }
                "more" if speech.before(place - 1) == "no" => place - 2,
                _ => unwanted(speech, place)?,
            };
            is_final(speech, end, Firmness::Command).then_some(start..end)
        }
        "called" | "contacted" | "phoned" | "bothered" | "disturbed" => be_called(speech, place).map(range),
        "calls" => no_calls(speech, place)
            .or_else(|| nobody_calls(speech, place))
            .map(range),
        "refrain" => {
            let is_calling = speech.next(place + 1) == "from"
                && matches!(speech.next(place + 2), "calling" | "contacting" | "phoning");
            let end = speech
                .behind(place + 3, ME)
                .filter(|_| !speech.begins(place + 3))
                .unwrap_or(place + 3);
            (is_calling && is_final(speech, end, Firmness::Stop) && commands(speech, place)).then_some(place..end)
        }
        "off" => {
            let (is_so, start) = wants(speech, place)?;
            list_at(speech, place + 1).filter(|_| is_so).map(|end| start..end)
        }
        "taking" | "removing" | "deleting" => {
            let is_asked = speech.before(place) == "mind" && speech.before(place - 1) == "you";
            let entry = speech
                .behind(place + 1, MY_ENTRY)
                .filter(|_| !speech.begins(place + 1))?;
            let end = speech.behind(entry, OFF).and_then(|list| list_at(speech, list))?;
            is_asked.then_some(place..end)
        }
        "hear" => hear(speech, place).map(range),
        "take" | "remove" | "get" | "drop" | "delete" | "strike" | "scratch" | "cross" | "pull" | "erase" | "wipe"
        | "purge" | "discard" | "lose" | "forget" => take_off(speech, place).map(|end| place..end),
        "taken" | "removed" | "deleted" | "erased" | "dropped" => taken_off(speech, place).map(range),
        "leave" => {
            let is_alone = matches!(speech.next(place + 1), "me" | "us") && speech.next(place + 2) == "alone";
            (is_alone && commands(speech, place) && completes(speech, place + 3)).then_some(place..place + 3)
        }
        "unsubscribe" => {
            let whom = place + 1 + usize::from(matches!(speech.next(place + 1), "me" | "us"));
            leaves(speech, place, whom).map(|end| place..end)
        }
        "opt" => {
            let whom = place + 1 + usize::from(matches!(speech.next(place + 1), "me" | "us"));
            (speech.next(whom) == "out").then_some(())?;
            leaves(speech, place, whom + 1).map(|end| place..end)
        }
        "list" | "registry" | "register" | "lists" => on_registry(speech, place).map(range),
        "revoke" | "withdraw" | "revoking" | "withdrawing" => revoked(speech, place).map(|end| place..end),
        _ => None,
    }
}

/// What is said firmly enough to be meant for ever.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Firmness {
    /// "Don't call me": what follows may limit it.
    Command,
    /// "Stop calling me": what is said of the calls behind only describes them.
    Stop,
    /// "Never call me".
    Ever,
}

/// Whether a wish that ends before `place` is meant for ever: neither a time nor another number is named behind it.
fn is_final(speech: &Speech<'_>, place: usize, firmness: Firmness) -> bool {
    #[rustfmt::skip]
    const AGAIN: &Phrases = phrases!["again", "any longer", "any more", "anymore", "at all", "ever", "ever again", "for any reason", "in the future"];
    #[rustfmt::skip]
    const HERE: &Phrases = phrases!["at this address", "at this number", "by anybody", "by anyone", "by you", "by you guys", "by you people", "by your company", "here", "on this number", "on this phone", "please", "to this number"];
    #[rustfmt::skip]
    const OTHER_NUMBER: &Phrases = phrases!["call my", "call the house", "call the landline", "call the number", "call the office", "call the one", "call the other", "contact my", "i can call", "i will call back", "i will call you", "i will come", "i will contact", "i'll be", "i'll call back", "i'll call if", "i'll call in", "i'll call later", "i'll call tomorrow", "i'll call when", "i'll call you", "i'll check", "i'll come", "i'll contact", "i'll get back", "i'll go", "i'll reach", "i'll ring", "i'll stop", "i'll try", "i'm going to call you", "try my", "use my", "use the", "use this"];
    #[rustfmt::skip]
    const OTHER_CHANNEL: &Phrases = phrases!["call me", "contact me by", "contact me through", "contact me via", "e-mail me", "email me", "just e-mail", "just email", "just text", "just write", "message me", "reach me", "send a", "send an", "send it", "send me", "text me", "whatsapp me", "write me", "write to me"];
    #[rustfmt::skip]
    const LIMITS: &Phrases = phrases!["about it", "after", "at", "before", "between", "during", "if", "in", "next", "on", "so", "this", "till", "today", "tomorrow", "tonight", "too", "unless", "until", "when", "while"];
    #[rustfmt::skip]
    const TROUBLE: &Phrases = phrases!["about", "again and again", "all", "at this number", "constantly", "day and night", "every", "for", "from", "on this number", "right now", "with"];
    let mut end = speech
        .behind(place, HERE)
        .filter(|_| !speech.begins(place))
        .unwrap_or(place);
    let again = speech.behind(end, AGAIN).filter(|_| !speech.pauses(end));
    let mut is_firm = firmness != Firmness::Command;
    if let Some(behind) = again {
        (end, is_firm) = (behind, true);
        end = speech.behind(end, HERE).filter(|_| !speech.pauses(end)).unwrap_or(end);
        if !speech.pauses(end) && speech.behind(end, LIMITS).is_some() {
            return false;
        }
    } else if end == place && !completes(speech, end) {
        let describes = firmness == Firmness::Stop && speech.behind(end, TROUBLE).is_some();
        let is_back = firmness == Firmness::Ever && speech.next(end) == "back" && completes(speech, end + 1);
        if !(describes || is_back) {
            return false;
        }
    } else if end > place && !completes(speech, end) {
        return false;
    }
    let ahead = end..end + REACH;
    !speech.has(ahead.clone(), OTHER_NUMBER) && (is_firm || !speech.has(ahead, OTHER_CHANNEL))
}

/// Where "stop calling me" and its like at `place` end.
fn stop(speech: &Speech<'_>, place: usize) -> Option<usize> {
    #[rustfmt::skip]
    const DISTURBING: &Phrases = phrases!["bothering", "disturbing", "harassing", "hounding", "pestering", "spamming"];
    #[rustfmt::skip]
    const CALLING: &Phrases = phrases!["calling", "contacting", "dialing", "dialling", "phoning", "ringing", "telephoning"];
    // "I want these calls to stop", "the calls have to stop".
    if let Some(start) = calls_to_stop(speech, place) {
        return completes(speech, place + 1).then_some(start);
    }
    let is_desisted = speech.next(place + 1) == "and" && speech.next(place + 2) == "desist";
    let verb = if is_desisted { place + 3 } else { place + 1 };
    let end = if let Some(behind) = speech.behind(verb, CALLING).filter(|_| !speech.begins(verb)) {
        let object = speech.behind(behind, ME).filter(|_| !speech.begins(behind));
        let end = object.unwrap_or(behind);
        is_final(speech, end, Firmness::Stop).then_some(end)?
    } else if let Some(behind) = speech.behind(verb, DISTURBING).filter(|_| !speech.begins(verb)) {
        let end = speech.behind(behind, phrases!["me", "my family", "us"])?;
        is_final(speech, end, Firmness::Stop).then_some(end)?
    } else if let Some(end) = speech.behind(verb, phrases!["blowing my phone up", "blowing up my phone"]) {
        end
    } else {
        let calls = if speech.next(verb) == "with" { verb + 1 } else { verb };
        let end = calls_at(speech, calls)?;
        (calls > verb || end > calls + 1 || speech.next(calls) == "calls").then_some(())?;
        is_final(speech, end, Firmness::Stop).then_some(end)?
    };
    commands(speech, place).then_some(end)
}

/// The place behind calls that are named at `place`: "these calls", "all of your phone calls".
fn calls_at(speech: &Speech<'_>, place: usize) -> Option<usize> {
    // The noun is among the words that may go before a noun.
    let end = speech.skip(place, &ADJECTIVES);
    let noun = (place..end)
        .rev()
        .find(|at| matches!(speech.norm(*at), "calls" | "calling"));
    noun.map(|noun| noun + 1)
        .filter(|behind| *behind == end || *behind > place)
}

/// Where "stop" at `place` says that the calls are to stop, the place behind it.
fn calls_to_stop(speech: &Speech<'_>, place: usize) -> Option<usize> {
    let calls = match speech.before(place) {
        "to" if speech.before(place - 1) == "calls" => place - 2,
        "to" if matches!(speech.before(place - 1), "have" | "need") && speech.before(place - 2) == "calls" => {
            return is_this(speech, place - 3).then_some(place + 1);
        }
        "to" if matches!(speech.before(place - 1), "them" | "it" | "this") => {
            #[rustfmt::skip]
            const THEIRS: &Phrases = phrases!["all these calls", "calls from you", "these calls", "you keep calling", "your calls"];
            let is_theirs = speech.has(place.saturating_sub(16)..place, THEIRS);
            return (is_theirs && wants(speech, place - 2)?.0).then_some(place + 1);
        }
        "must" if speech.before(place - 1) == "calls" => return is_this(speech, place - 2).then_some(place + 1),
        _ => return None,
    };
    let first = speech.skip_back(calls, &ADJECTIVES);
    is_this(speech, calls).then_some(())?;
    (wants(speech, first)?.0).then_some(place + 1)
}

/// Whether "calls" at `place` are those of the agent: "these calls", "your calls".
fn is_this(speech: &Speech<'_>, place: usize) -> bool {
    let first = speech.skip_back(place, &ADJECTIVES);
    (first..place).any(|at| matches!(speech.norm(at), "these" | "your" | "the" | "all" | "this" | "those"))
}

/// "Do not call me again", "i don't want anyone to call this number".
fn never(speech: &Speech<'_>, place: usize) -> Option<(usize, usize)> {
    const NO_INTEREST: &Phrases = phrases!["no thank you", "no thanks", "not interested", "wrong number"];
    let denial = denied(speech, place)?;
    let object = speech
        .behind(place + 1, ME)
        .filter(|_| !speech.begins(place + 1))
        .or_else(|| its_number(speech, place + 1));
    // "Please don't call back, I'm not interested."
    let is_dismissed = denial.is_for_ever || speech.has(denial.start.saturating_sub(REACH)..denial.start, NO_INTEREST);
    let behind = object.unwrap_or(place + 1);
    let is_back = speech.next(behind) == "back";
    let is_again = speech
        .behind(
            behind + 1,
            phrases!["again", "any more", "anymore", "ever", "ever again"],
        )
        .is_some();
    let end = if is_back && (is_dismissed || is_again) {
        behind + 1
    } else {
        behind
    };
    let is_bare = object.is_none() && !(is_dismissed && (speech.pauses(end) || is_back && end > behind));
    let is_again = speech
        .behind(
            end,
            phrases!["again", "any longer", "any more", "anymore", "ever again"],
        )
        .is_some();
    if is_bare && !is_again {
        return None;
    }
    let firmness = if denial.is_for_ever {
        Firmness::Ever
    } else {
        Firmness::Command
    };
    is_final(speech, end, firmness).then_some((denial.start, end))
}

/// The place behind "it" at `place` where a number was named shortly before.
fn its_number(speech: &Speech<'_>, place: usize) -> Option<usize> {
    let is_number = speech.next(place) == "it"
        && speech.has(
            place.saturating_sub(REACH)..place,
            phrases!["my number", "this number", "wrong number"],
        );
    is_number.then_some(place + 1)
}

/// "If you call me again i'm going to report you."
fn threat(speech: &Speech<'_>, place: usize) -> Option<(usize, usize)> {
    const ONCE_MORE: &Phrases = phrases!["again", "once more", "one more time"];
    #[rustfmt::skip]
    const THREATS: &Phrases = phrases!["a complaint", "attorney", "authorities", "block", "complain", "ftc", "lawsuit", "lawyer", "legal action", "police", "press charges", "report", "reporting", "sue", "suing"];
    let end = speech.behind(place + 1, ME).filter(|_| !speech.begins(place + 1))?;
    let behind = speech.behind(end, ONCE_MORE).filter(|_| !speech.begins(end))?;
    let start = speech.skip_back(place, &WordList::of(&["even", "ever"]));
    let start = if speech.before(start) == "you" && speech.before(start - 1) == "if" {
        start - 2
    } else if speech.before(start).is_empty() && speech.next(behind) == "and" {
        start
    } else {
        return None;
    };
    speech.has(behind..behind + REACH, THREATS).then_some((start, behind))
}

/// "I don't want to be called again", "we prefer not to be contacted".
fn be_called(speech: &Speech<'_>, place: usize) -> Option<(usize, usize)> {
    let be = speech.skip_back(place, &WordList::of(&["ever", "getting"]));
    (speech.before(be) == "be").then_some(())?;
    let start = unwanted_infinitive(speech, be - 1)?;
    is_final(speech, place + 1, Firmness::Command).then_some((start, place + 1))
}

/// Where the caller says that they do not want what the infinitive at `place` says: "don't want to ...".
fn unwanted_infinitive(speech: &Speech<'_>, place: usize) -> Option<usize> {
    (speech.before(place) == "to").then_some(())?;
    let (is_so, start) = wants(speech, place - 1)?;
    (!is_so).then_some(start)
}

/// "No more calls", "i don't want any more calls from you".
fn no_calls(speech: &Speech<'_>, place: usize) -> Option<(usize, usize)> {
    #[rustfmt::skip]
    const FROM: &Phrases = phrases!["from anybody", "from anyone", "from this company", "from you", "from you guys", "from you people", "from your company", "on this number", "to this number"];
    let first = speech.skip_back(place, &ADJECTIVES);
    let behind = speech
        .behind(place + 1, FROM)
        .filter(|_| !speech.begins(place + 1))
        .unwrap_or(place + 1);
    is_final(speech, behind, Firmness::Command).then_some(())?;
    let is_further = speech.before(first) == "further" && speech.before(first - 1) == "no";
    let is_none = speech.before(first) == "no" && (first..place).any(|at| speech.norm(at) == "more") || is_further;
    if is_none {
        let start = first - if is_further { 2 } else { 1 };
        let before = speech.before(start);
        let is_wished = matches!(
            before,
            "" | "and" | "just" | "okay" | "ok" | "please" | "said" | "so" | "want"
        );
        return (is_wished || speech.pauses(start)).then_some((start, behind));
    }
    let got = speech.before(first);
    if matches!(got, "get" | "receive" | "take") {
        let verb = first - 1;
        let i = verb.saturating_sub(2);
        let is_spared = speech.before(verb) == "don't" && matches!(speech.norm(i), "i" | "we") && is_ensured(speech, i);
        return unwanted_infinitive(speech, verb)
            .or(is_spared.then_some(i))
            .map(|start| (start, behind));
    }
    if matches!(got, "getting" | "receiving") && is_this(speech, place) {
        // "How do i stop getting these calls?"
        let stop = first.saturating_sub(2);
        let is_sought = speech.before(first - 1) == "stop"
            && speech.before(stop) == "i"
            && matches!(speech.before(stop - 1), "can" | "do");
        return is_sought.then_some((stop, behind));
    }
    // A sentence without "any", "these", "your" or the like may be about calls of others.
    let (is_so, start) = wants(speech, first)?;
    (!is_so && first < place + 1).then_some((start, behind))
}

/// "I don't want another call from you."
fn another(speech: &Speech<'_>, place: usize) -> Option<(usize, usize)> {
    matches!(speech.before(place), "another" | "single").then(|| no_calls(speech, place))?
}

/// "Make sure nobody calls me again."
fn nobody_calls(speech: &Speech<'_>, place: usize) -> Option<(usize, usize)> {
    let start = match speech.before(place) {
        "nobody" => place - 1,
        "one" if speech.before(place - 1) == "no" => place - 2,
        _ => return None,
    };
    let end = speech.behind(place + 1, ME).filter(|_| !speech.begins(place + 1))?;
    (is_ensured(speech, start) && is_final(speech, end, Firmness::Command)).then_some((start, end))
}

/// "I don't want to hear from you again."
fn hear(speech: &Speech<'_>, place: usize) -> Option<(usize, usize)> {
    let end = speech.behind(
        place + 1,
        phrases![
            "from you",
            "from you all",
            "from you guys",
            "from you people",
            "from your company"
        ],
    )?;
    let verb = speech.skip_back(place, &WordList::of(&["ever"]));
    let start = unwanted_infinitive(speech, verb)?;
    is_final(speech, end, Firmness::Command).then_some((start, end))
}

/// Where "take me off your list" and its like at `place` end.
fn take_off(speech: &Speech<'_>, place: usize) -> Option<usize> {
    let verb = speech.norm(place);
    // "How do i get off this list".
    if verb == "get"
        && let Some(list) = speech.behind(place + 1, OFF).filter(|_| !speech.begins(place + 1))
    {
        let end = list_at(speech, list)?;
        let is_asked = speech.before(place) == "i" && matches!(speech.before(place - 1), "do" | "can" | "could");
        let is_wanted = speech.before(place) == "to"
            && (wants(speech, place - 1).is_some_and(|(is_so, _)| is_so) || is_sought(speech, place - 1));
        return (is_asked || is_wanted).then_some(end);
    }
    let entry = speech
        .behind(place + 1, MY_ENTRY)
        .filter(|_| !speech.begins(place + 1))
        .or_else(|| its_number(speech, place + 1))?;
    let listed = speech
        .behind(entry, OFF)
        .filter(|_| !speech.begins(entry))
        .and_then(|list| list_at(speech, list));
    let end = listed.or_else(|| {
        // "Please remove me."
        let me = speech.behind(place + 1, phrases!["me", "us"]);
        let me = me.map(|me| {
            if verb == "take" && speech.next(me) == "off" {
                me + 1
            } else {
                me
            }
        });
        if let Some(me) = me
            && (verb == "remove" || verb == "take" && speech.norm(me - 1) == "off")
            && (speech.pauses(me) || matches!(speech.norm(me), "please" | "immediately" | "now"))
        {
            return Some(me);
        }
        let number = speech.behind(place + 1, MY_NUMBER)?;
        let is_told_apart =
            speech.next(number) == "i" && matches!(speech.norm(number + 1), "gave" | "had" | "have" | "told" | "used");
        let behind = match verb {
            _ if is_told_apart => return None,
            "remove" | "delete" | "erase" | "lose" | "forget" | "purge" | "discard" => number,
            "take" if speech.next(number) == "off" => number + 1,
            _ => return None,
        };
        completes(speech, behind).then_some(behind)
    })?;
    let is_said = commands(speech, place)
        || speech.before(place) == "to" && wants(speech, place - 1).is_some_and(|(is_so, _)| is_so) && verb == "get";
    is_said.then_some(end)
}

/// Whether "to" at `place` follows a question for the way: "what do i have to do to", "would it be possible to".
fn is_sought(speech: &Speech<'_>, place: usize) -> bool {
    matches!(speech.before(place), "do" | "how" | "possible" | "take" | "way")
}

/// "I'd like to be taken off your list", "i want my number removed".
fn taken_off(speech: &Speech<'_>, place: usize) -> Option<(usize, usize)> {
    let verb = speech.norm(place);
    let listed = speech
        .behind(place + 1, OFF)
        .filter(|_| !speech.begins(place + 1))
        .and_then(|list| list_at(speech, list));
    if matches!(speech.before(place), "be" | "get") {
        let end = listed?;
        let be = place - 1;
        if speech.before(be) == "to" {
            if is_sought(speech, be - 1) {
                return Some((be - 1, end));
            }
            // "I want my number to be removed."
            let to = number_before(speech, be - 1).unwrap_or(be - 1);
            let (is_so, start) = wants(speech, to)?;
            return is_so.then_some((start, end));
        }
        let who = number_before(speech, be).or_else(|| matches!(speech.before(be), "i" | "we").then(|| be - 1))?;
        let is_asked = matches!(speech.before(who), "can" | "could" | "may" | "must" | "should" | "do");
        return is_asked.then_some((who - 1, end));
    }
    if speech.before(place) == "being" {
        let (is_so, start) = wants(speech, place - 1)?;
        return is_so.then_some((start, listed?));
    }
    if matches!(speech.before(place), "i'm" | "we're") && is_ensured(speech, place - 1) {
        return Some((place - 1, listed?));
    }
    if speech.before(place) == "is" {
        let number = number_before(speech, place - 1)?;
        return is_ensured(speech, number).then_some((number, listed.unwrap_or(place + 1)));
    }
    let number = number_before(speech, place)?;
    let end = match listed {
        Some(end) => end,
        None if verb != "taken" && completes(speech, place + 1) => place + 1,
        None => return None,
    };
    if matches!(speech.before(number), "have" | "get") {
        return commands(speech, number - 1).then_some((number - 1, end)).or_else(|| {
            let (is_so, start) = (speech.before(number - 1) == "to").then(|| wants(speech, number - 2))??;
            is_so.then_some((start, end))
        });
    }
    let (is_so, start) = wants(speech, number)?;
    is_so.then_some((start, end))
}

/// Where the caller's number is named that ends before `place`.
fn number_before(speech: &Speech<'_>, place: usize) -> Option<usize> {
    (2..=4).find_map(|length| {
        let start = place.checked_sub(length)?;
        (speech.behind(start, MY_NUMBER) == Some(place)).then_some(start)
    })
}

/// Where what begins at `place`, as "unsubscribe me", ends if calls or a list of numbers follow at `behind`, or
/// nothing.
fn leaves(speech: &Speech<'_>, place: usize, behind: usize) -> Option<usize> {
    let is_said = commands(speech, place)
        || speech.before(place) == "i" && matches!(speech.before(place - 1), "can" | "could" | "do")
        || speech.before(place) == "to"
            && (wants(speech, place - 1).is_some_and(|(is_so, _)| is_so) || is_sought(speech, place - 1));
    is_said.then_some(())?;
    if matches!(speech.next(behind), "from" | "of") {
        let from = behind + 1;
        let from = if speech.norm(from) == "all" && speech.norm(from + 1) == "of" {
            from + 2
        } else {
            from
        };
        let calls = calls_at(speech, from).filter(|end| !LISTS.has(speech.next(*end)));
        return calls.or_else(|| list_at(speech, from));
    }
    completes(speech, behind).then_some(behind)
}

/// "Put me on your do not call list", "my number is on the do not call registry".
fn on_registry(speech: &Speech<'_>, place: usize) -> Option<(usize, usize)> {
    let noun = match speech.before(place) {
        "do-not-call" | "donotcall" | "dnc" | "no-call" => place - 1,
        "call" if speech.before(place - 1) == "not" && speech.before(place - 2) == "do" => place - 3,
        "call" if matches!(speech.before(place - 1), "don't" | "no") => place - 2,
        _ => return None,
    };
    let end = place + 1;
    if speech.begins(noun) && speech.next(end) == "please" {
        return Some((noun, end));
    }
    entered(speech, noun, end)
}

/// Where the caller asks to be entered, or is, in the list that the words from `noun` to `end` name.
fn entered(speech: &Speech<'_>, noun: usize, end: usize) -> Option<(usize, usize)> {
    static PREPOSITIONS: WordList = WordList::of(&["as", "for", "in", "on", "onto", "to", "with"]);
    #[rustfmt::skip]
    static PARTICIPLES: WordList = WordList::of(&["added", "already", "also", "both", "listed", "placed", "put", "registered"]);
    let place = end - 1;
    let on = speech.skip_back(noun, &ADJECTIVES);
    PREPOSITIONS.has(speech.before(on)).then_some(())?;
    let on = on - 1;
    let listed = speech.skip_back(on, &PARTICIPLES);
    // "Put me on": the entry stands between verb and list.
    if let Some(verb) = verb_of_entry(speech, on) {
        let is_done = matches!(speech.before(verb), "i" | "i've" | "we" | "we've");
        return (is_done || commands(speech, verb)).then_some((verb, end)).or_else(|| {
            let (is_so, start) = (speech.before(verb) == "to").then(|| wants(speech, verb - 1))??;
            is_so.then_some((start, end))
        });
    }
    let is = speech.before(listed);
    if matches!(is, "be" | "get" | "go") {
        let be = listed - 1;
        let asked = matches!(speech.before(be), "i" | "we") && matches!(speech.before(be - 1), "can" | "could" | "may");
        if asked {
            return Some((be - 2, end));
        }
        (speech.before(be) == "to").then_some(())?;
        let (is_so, start) = wants(speech, be - 1)?;
        return is_so.then_some((start, end));
    }
    let start = match is {
        "i'm" | "we're" | "it's" => listed - 1,
        "number's" => listed - 1 - usize::from(speech.before(listed - 1) == "my"),
        "am" | "are" if matches!(speech.before(listed - 1), "i" | "we") => listed - 2,
        "is" if speech.before(listed - 1) == "it" => listed - 2,
        "is" => number_before(speech, listed - 1)?,
        _ => return None,
    };
    let before = speech.before(start);
    let is_supposed = matches!(before, "if" | "whether" | "when" | "said" | "says" | "is") || NEGATIONS.has(before);
    (!is_supposed && !speech.asks(place)).then_some((start, end))
}

/// "Put me on do not call": the list's name alone.
fn do_not_call(speech: &Speech<'_>, place: usize) -> Option<(usize, usize)> {
    let is_name = speech.before(place) == "not" && speech.before(place - 1) == "do" && speech.pauses(place + 1);
    is_name.then(|| entered(speech, place - 2, place + 1))?
}

/// The verb of "put me" that ends before `on`.
fn verb_of_entry(speech: &Speech<'_>, on: usize) -> Option<usize> {
    let on = if speech.before(on) == "down" { on - 1 } else { on };
    (2..=6).filter_map(|length| on.checked_sub(length)).find(|verb| {
        matches!(
            speech.norm(*verb),
            "put"
                | "place"
                | "add"
                | "get"
                | "register"
                | "include"
                | "mark"
                | "list"
                | "registered"
                | "added"
                | "listed"
        ) && speech.behind(verb + 1, MY_ENTRY) == Some(on)
    })
}

/// Where "i revoke my consent to be called" at `place` ends.
fn revoked(speech: &Speech<'_>, place: usize) -> Option<usize> {
    let end = speech.behind(
        place + 1,
        phrases![
            "any consent to be called",
            "any consent to be contacted",
            "my consent to be called",
            "my consent to be contacted",
            "my consent to receive calls",
            "my consent to these calls",
            "my consent to your calls",
            "my permission to be called",
            "my permission to call me",
            "permission to call me"
        ],
    )?;
    let is_mine = attitude(speech, place, true).is_some_and(|(is_so, _)| is_so)
        || speech.before(place) == "to" && wants(speech, place - 1).is_some_and(|(is_so, _)| is_so)
        || matches!(speech.before(place), "i'm" | "am" | "hereby");
    is_mine.then_some(end)
}

/// Whether the caller takes such a wish back at `place`: "you can keep calling", "leave me on the list".
pub(super) fn takes_back(speech: &Speech<'_>, place: usize) -> bool {
    const MAY: &Phrases = phrases!["you can", "you can all", "you could", "you guys can", "you may"];
    #[rustfmt::skip]
    const CALL: &Phrases = phrases!["call here", "call me", "call this number", "call us", "contact me", "continue calling", "continue calling me", "continue to call me", "go ahead and call me", "go on calling", "keep calling", "keep calling here", "keep calling me", "keep calling us", "keep contacting me", "still call", "still call me", "still contact me"];
    #[rustfmt::skip]
    const KEPT: &Phrases = phrases!["me on", "my name on", "my number in", "my number on", "this number on", "us on"];
    let is_denied = NEGATIONS.has(speech.before(place)) || SUPPOSED.has(speech.before(place));
    match speech.norm(place) {
        "you" => speech
            .behind(place, MAY)
            .and_then(|can| speech.behind(can, CALL))
            .is_some_and(|end| {
                let is_whenever = matches!(speech.next(end), "any" | "anytime" | "again" | "whenever" | "still");
                !is_denied && (is_whenever || completes(speech, end))
            }),
        "keep" | "leave" => {
            let on = speech.behind(place + 1, KEPT).filter(|_| !speech.begins(place + 1));
            on.is_some_and(|on| !is_denied && (completes(speech, on) || list_at(speech, on).is_some()))
        }
        "don't" => speech
            .behind(
                place + 1,
                phrases![
                    "delete my number",
                    "remove me",
                    "remove my number",
                    "take me off",
                    "take my number off"
                ],
            )
            .is_some_and(|_| commands(speech, place)),
        _ => false,
    }
}

static SUPPOSED: WordList = WordList::of(&["if", "told", "whether"]);
