//! Who asks whom: whether the words before a wish make it one of the caller's to the agent, rather than a report, a
//! condition, a question or its contrary.

use super::speech::Speech;
use crate::text::{phrases::phrases, small::WordList};

/// Whom the caller speaks to.
#[rustfmt::skip]
static ADDRESSEES: WordList = WordList::of(&["all", "folks", "guys", "lot", "people", "y'all", "ya", "you", "you'd", "you'll"]);

/// What may stand before a command and leaves it one.
#[rustfmt::skip]
static POLITE: WordList = WordList::of(&["again", "also", "and", "but", "ever", "immediately", "just", "kindly", "now", "okay", "please", "really", "simply", "so", "then"]);

/// Between a word of negation and its verb.
static BETWEEN: WordList = WordList::of(&["again", "dare", "even", "ever", "just", "please"]);

/// What may stand between a speaker and what the speaker wants.
#[rustfmt::skip]
static ADVERBS: WordList = WordList::of(&["absolutely", "actually", "already", "also", "certainly", "definitely", "do", "even", "ever", "explicitly", "have", "just", "please", "really", "simply", "specifically", "still", "strongly", "would"]);

/// What people say of themselves when they want something or do not.
#[rustfmt::skip]
static WANTS: WordList = WordList::of(&["agree", "agreed", "allow", "appreciate", "ask", "asked", "asking", "authorize", "care", "consent", "consented", "demand", "demanded", "like", "love", "need", "permit", "prefer", "rather", "request", "requested", "requesting", "want", "wanted", "wish"]);

/// What those say who speak for themselves.
#[rustfmt::skip]
static SELVES: WordList = WordList::of(&["am", "i", "i'd", "i'll", "i'm", "i've", "we", "we'd", "we'll", "we're", "we've"]);

/// What turns a verb round.
#[rustfmt::skip]
pub(super) static NEGATIONS: WordList = WordList::of(&["aren't", "can't", "cannot", "couldn't", "didn't", "doesn't", "don't", "dont", "hardly", "haven't", "isn't", "never", "nor", "not", "shouldn't", "wasn't", "without", "won't", "wouldn't"]);

/// Of whom or what something is told rather than asked.
#[rustfmt::skip]
static OTHERS: WordList = WordList::of(&["a", "anyone", "are", "everybody", "everyone", "had", "has", "he", "he'd", "he'll", "her", "him", "i", "if", "is", "let", "me", "nobody", "she", "she'd", "she'll", "somebody", "someone", "the", "them", "they", "they'd", "they'll", "they're", "us", "was", "we", "were", "when", "whenever", "which", "who", "whoever"]);

#[rustfmt::skip]
static AUXILIARIES: WordList = WordList::of(&["better", "can", "could", "must", "shall", "should", "will", "would"]);

/// What makes the rest a thought.
#[rustfmt::skip]
static SUPPOSITIONS: WordList = WordList::of(&["did", "if", "imagine", "suppose", "supposing", "when", "whenever", "whether"]);

static REPORTS: WordList = WordList::of(&["said", "say", "saying", "says", "tells", "told"]);

/// Whether a command that begins at `place` is given by the caller to the agent.
pub(super) fn commands(speech: &Speech<'_>, place: usize) -> bool {
    let start = speech.skip_back(place, &POLITE);
    let before = speech.before(start);
    if REPORTS.has(before) {
        return says(speech, start - 1);
    }
    if speech.pauses(start) {
        return true;
    }
    if before == "to" {
        return is_asked_to(speech, start - 1);
    }
    if ADDRESSEES.has(before) {
        return is_put_to(speech, start);
    }
    if AUXILIARIES.has(before) {
        return ADDRESSEES.has(speech.before(start - 1)) && is_put_to(speech, start - 1);
    }
    if matches!(before, "don't" | "won't") || before == "not" && speech.before(start - 1) == "do" {
        let you = if before == "not" { start - 2 } else { start - 1 };
        let whom = speech.skip_back(you, &ADDRESSEES);
        return whom < you && speech.before(whom) == "if";
    }
    !(OTHERS.has(before) || NEGATIONS.has(before))
}

/// Whether the caller says the words behind `place`, where a verb of saying stands.
fn says(speech: &Speech<'_>, place: usize) -> bool {
    let verb = speech.skip_back(place, &ADVERBS);
    let who = speech.before(verb);
    SELVES.has(who) && {
        let before = speech.before(verb - 1);
        !SUPPOSITIONS.has(before) && !NEGATIONS.has(speech.before(place))
    }
}

/// Whether what follows the addressees before `end` is put to them: "would you", "you guys", but neither "did you" nor
/// "if you".
fn is_put_to(speech: &Speech<'_>, end: usize) -> bool {
    let first = speech.skip_back(end, &ADDRESSEES);
    let before = speech.before(first);
    let said = speech.before(first.saturating_sub(1));
    // "I'd appreciate it if you", "I ask that you".
    if before == "if" && WELCOME.has(said) || before == "that" && WANTS.has(said) || is_ensured(speech, first) {
        return true;
    }
    !matches!(
        before,
        "after"
            | "and"
            | "are"
            | "as"
            | "before"
            | "did"
            | "do"
            | "does"
            | "have"
            | "how"
            | "once"
            | "since"
            | "that"
            | "why"
    ) && !SUPPOSITIONS.has(before)
}

/// What would be welcome: "it would be great if you".
#[rustfmt::skip]
static WELCOME: WordList = WordList::of(&["appreciated", "best", "better", "fantastic", "glad", "good", "grateful", "great", "it", "lovely", "nice", "thankful", "wonderful"]);

/// Whether the words before `place` ask to see to what follows: "make sure that".
pub(super) fn is_ensured(speech: &Speech<'_>, place: usize) -> bool {
    let sure = if speech.before(place) == "that" {
        place - 1
    } else {
        place
    };
    let is_asked = match speech.before(sure) {
        "sure" | "certain" => matches!(speech.before(sure - 1), "be" | "make"),
        "it" => speech.before(sure - 1) == "to" && speech.before(sure - 2) == "see",
        "ensure" => true,
        _ => false,
    };
    is_asked && !(sure.saturating_sub(4)..sure).any(|at| !speech.begins(at + 1) && NEGATIONS.has(speech.norm(at)))
}

/// Who else speaks for the agent's company: "i told the last agent to", "tell your people to".
#[rustfmt::skip]
static COLLEAGUES: WordList = WordList::of(&["agent", "agents", "boss", "bosses", "colleague", "colleagues", "company", "computer", "guy", "lady", "man", "manager", "office", "operator", "people", "person", "rep", "representative", "reps", "robot", "staff", "supervisor", "system", "team", "woman"]);

/// Where "your people" or "the last agent" begins that ends before `place`.
fn colleagues(speech: &Speech<'_>, place: usize) -> Option<usize> {
    if !COLLEAGUES.has(speech.before(place)) {
        return None;
    }
    let noun = place - 1;
    match speech.before(noun) {
        "your" => Some(noun - 1),
        "last" | "other" if matches!(speech.before(noun - 1), "the" | "your") => {
            (!matches!(speech.norm(noun), "company" | "office" | "man" | "woman")).then(|| noun - 2)
        }
        "the" => matches!(speech.norm(noun), "agent" | "rep" | "representative" | "operator").then(|| noun - 1),
        _ => None,
    }
}

/// Whether "to" at `place` stands behind words that ask the agent: "i told you to", "you need to".
fn is_asked_to(speech: &Speech<'_>, place: usize) -> bool {
    let verb = speech.skip_back(speech.skip_back(place, &POLITE), &TIMES);
    match speech.before(verb) {
        "need" | "have" | "got" | "ought" | "supposed" => {
            let who = speech.skip_back(verb - 1, &ADVERBS);
            let who = if speech.before(who) == "are" { who - 1 } else { who };
            matches!(speech.before(who), "you're" | "you've" | "you'll")
                || ADDRESSEES.has(speech.before(who)) && is_put_to(speech, who)
        }
        you if ADDRESSEES.has(you) => match colleagues(speech, verb) {
            Some(whom) => is_told(speech, whom),
            None => is_meant(speech, speech.skip_back(verb, &ADDRESSEES)),
        },
        _ => colleagues(speech, verb).is_some_and(|whom| is_told(speech, whom)),
    }
}

/// Whether somebody before `place` is told or asked by the caller, or is to be told by the agent.
fn is_told(speech: &Speech<'_>, place: usize) -> bool {
    let verb = speech.before(place);
    matches!(
        verb,
        "tell" | "told" | "ask" | "asked" | "want" | "need" | "like" | "get"
    ) && is_meant(speech, place)
}

/// How often, and when, something was asked.
#[rustfmt::skip]
static TIMES: WordList = WordList::of(&["a", "ago", "already", "before", "dozen", "five", "four", "hundred", "last", "many", "month", "multiple", "once", "several", "six", "ten", "thousand", "three", "time", "times", "today", "twice", "two", "week", "weeks", "yesterday"]);

/// Words of which "i have asked", "how many times do i have to tell" and the like consist.
#[rustfmt::skip]
static CHAIN: WordList = WordList::of(&["again", "agent", "already", "appreciate", "ask", "asked", "asking", "beg", "begging", "company", "demand", "did", "didn't", "do", "doesn't", "don't", "for", "gonna", "gotta", "guy", "have", "i", "i'd", "i'll", "i'm", "i've", "if", "imagine", "it", "just", "keep", "lady", "last", "like", "love", "man", "many", "must", "need", "never", "not", "person", "prefer", "really", "rep", "representative", "request", "said", "saying", "should", "suppose", "tell", "telling", "the", "times", "to", "told", "tried", "trying", "want", "wanted", "was", "we", "we'd", "we've", "were", "when", "whoever", "woman", "won't", "would", "your"]);

/// Whether the words before `place`, which say that something is asked of the agent, are meant so: no condition, no
/// negation, no "did i".
fn is_meant(speech: &Speech<'_>, place: usize) -> bool {
    let mut at = place;
    while !speech.begins(at) && place - at < REACH_BACK && CHAIN.has(speech.norm(at - 1)) {
        at -= 1;
        if NEGATIONS.has(speech.norm(at)) || SUPPOSITIONS.has(speech.norm(at)) || speech.norm(at) == "should" {
            return false;
        }
    }
    true
}

/// How far the words before a wish are followed.
const REACH_BACK: usize = 8;

/// What the caller wants or does not want, by the verb before `place` ("want to", "consent to"): `Some(true)` when they
/// do, `Some(false)` when they do not, `None` when the words are not about the caller or only supposed.
pub(super) fn wants(speech: &Speech<'_>, place: usize) -> Option<(bool, usize)> {
    let verb = speech.skip_back(place, &POLITE);
    let is_negated_behind = speech.before(verb) == "not";
    let verb = if is_negated_behind { verb - 1 } else { verb };
    if !WANTS.has(speech.before(verb)) {
        return None;
    }
    attitude(speech, verb - 1, !is_negated_behind)
}

/// The same for the verb or adjective at `place`: whether the caller has that attitude.
pub(super) fn attitude(speech: &Speech<'_>, place: usize, is_so: bool) -> Option<(bool, usize)> {
    let mut start = speech.skip_back(place, &ADVERBS);
    let mut is_so = is_so;
    let before = speech.before(start);
    if before == "longer" && speech.before(start - 1) == "no" {
        (start, is_so) = (start - 2, false);
    } else if matches!(
        before,
        "don't" | "dont" | "not" | "never" | "didn't" | "won't" | "wouldn't" | "can't" | "cannot"
    ) {
        (start, is_so) = (start - 1, !is_so);
    }
    start = speech.skip_back(start, &ADVERBS);
    let is_left_out = speech.pauses(start);
    if !is_left_out && !SELVES.has(speech.before(start)) {
        return None;
    }
    while !speech.begins(start) && SELVES.has(speech.before(start)) {
        start -= 1;
    }
    let before = speech.before(start);
    let is_supposed = !speech.pauses(start)
        && (SUPPOSITIONS.has(before) || REPORTS.has(before) || matches!(before, "do" | "why" | "what" | "says"));
    (!is_supposed).then_some((is_so, start))
}

/// What is refused: where the refusal begins, and whether "ever" or "never" is in it.
pub(super) struct Denial {
    pub(super) start: usize,
    pub(super) is_for_ever: bool,
}

/// Whether the caller asks the agent not to do what the verb at `place` says, in its basic form: "don't ever call",
/// "i asked you not to call", "i don't want anybody to call".
pub(super) fn denied(speech: &Speech<'_>, place: usize) -> Option<Denial> {
    let verb = speech.skip_back(place, &BETWEEN);
    let is_for_ever = (verb..place).any(|at| matches!(speech.norm(at), "ever" | "dare"));
    let denial = |start, is_for_ever| Some(Denial { start, is_for_ever });
    let before = speech.before(verb);
    match before {
        "don't" | "dont" => orders(speech, verb - 1).then_some(())?,
        "never" => {
            let is_told = speech.before(verb - 1) == "to";
            let is_ordered = if is_told {
                is_asked_to(speech, verb - 2)
            } else {
                orders(speech, verb - 1)
            };
            return is_ordered.then(|| Denial {
                start: verb - 1,
                is_for_ever: true,
            });
        }
        "not" if speech.before(verb - 1) == "do" => {
            return orders(speech, verb - 2).then(|| Denial {
                start: verb - 2,
                is_for_ever,
            });
        }
        "not" => {
            let lead = speech.skip_back(verb - 1, &POLITE);
            let before = speech.before(lead);
            let you = if AUXILIARIES.has(before) || before == "may" {
                lead - 1
            } else {
                lead
            };
            let is_put = ADDRESSEES.has(speech.before(you)) && {
                let first = speech.skip_back(you, &ADDRESSEES);
                you < lead
                    || matches!(
                        speech.before(first),
                        "can" | "could" | "prefer" | "rather" | "that" | "will" | "would"
                    )
            };
            return is_put
                .then(|| Denial {
                    start: verb - 1,
                    is_for_ever,
                })
                .filter(|_| !is_supposed(speech, lead));
        }
        you if is_for_ever && ADDRESSEES.has(you) => {
            let dont = speech.skip_back(verb, &ADDRESSEES);
            let is_order = matches!(speech.before(dont), "don't" | "dont") && speech.before(dont - 1) != "why";
            return is_order.then(|| Denial {
                start: dont - 1,
                is_for_ever,
            });
        }
        "didn't" | "wouldn't" | "don't'" => {
            let you = speech.skip_back(verb - 1, &ADDRESSEES);
            let is_wished = you < verb - 1
                && (you.saturating_sub(5)..you).any(|at| {
                    matches!(
                        speech.norm(at),
                        "appreciate" | "grateful" | "prefer" | "rather" | "wish" | "better" | "thank"
                    )
                });
            return is_wished.then(|| Denial {
                start: verb - 1,
                is_for_ever,
            });
        }
        "longer" if speech.before(verb - 1) == "no" => {
            let lead = speech.skip_back(verb - 2, &AUXILIARIES);
            ADDRESSEES.has(speech.before(lead)).then_some(())?;
            return Some(Denial {
                start: verb - 2,
                is_for_ever: true,
            });
        }
        "can't" | "cannot" | "mustn't" | "shouldn't" => {
            let you = speech.skip_back(verb - 1, &ADDRESSEES);
            let is_told = you < verb - 1 && !matches!(speech.before(you), "if" | "why" | "that" | "so");
            is_told.then_some(())?;
            return denial(you, is_for_ever);
        }
        "to" => return denied_to(speech, verb - 1, is_for_ever),
        _ => return None,
    }
    denial(verb - 1, is_for_ever)
}

/// Whether "not" before `place` is only supposed.
fn is_supposed(speech: &Speech<'_>, place: usize) -> bool {
    let you = if AUXILIARIES.has(speech.before(place)) || speech.before(place) == "may" {
        place - 1
    } else {
        place
    };
    let before = speech.before(speech.skip_back(you, &ADDRESSEES));
    SUPPOSITIONS.has(before) || REPORTS.has(before)
}

/// Whether "don't" or "never" at `place` is an order: nobody stands before it of whom it is told.
fn orders(speech: &Speech<'_>, place: usize) -> bool {
    let start = speech.skip_back(place, &POLITE);
    let before = speech.before(start);
    let is_told = ADDRESSEES.has(before) && !speech.pauses(start) || AUXILIARIES.has(before);
    if is_told || matches!(before, "nobody" | "they") {
        return is_ensured(speech, speech.skip_back(start, &ADDRESSEES))
            || before == "they" && is_ensured(speech, start - 1);
    }
    commands(speech, place)
}

/// The same where "to" stands before the verb.
fn denied_to(speech: &Speech<'_>, to: usize, is_for_ever: bool) -> Option<Denial> {
    let lead = speech.skip_back(to, &BETWEEN);
    let found = |start| Some(Denial { start, is_for_ever });
    match speech.before(lead) {
        "not" => {
            let not = lead - 1;
            let asked = speech.skip_back(not, &TIMES);
            let you = speech.skip_back(asked, &ADDRESSEES);
            let before = speech.before(you);
            let is_asked = you < asked && is_meant(speech, you);
            let is_forbidden = before == "you're" || before == "are" && ADDRESSEES.has(speech.before(you - 1));
            (is_asked || is_forbidden).then_some(())?;
            found(not)
        }
        "allowed" | "permitted" | "authorized" | "welcome" => {
            let not = lead - 1;
            (speech.before(not) == "not").then_some(())?;
            let who = speech.before(not - 1);
            let is_you = matches!(who, "you're" | "are" | "you");
            (is_you && !SUPPOSITIONS.has(speech.before(not.saturating_sub(2)))).then_some(())?;
            found(not - 1)
        }
        "permission" | "consent" | "right" | "business" | "authorization" => {
            permission(speech, lead - 1).and_then(found)
        }
        _ => {
            // "I don't want anybody from your company to call": the one who wants stands a few words before.
            let want = (lead.saturating_sub(7)..lead)
                .rev()
                .take_while(|at| !speech.begins(at + 1))
                .find(|at| {
                    matches!(
                        speech.norm(*at),
                        "agree" | "allow" | "authorize" | "consent" | "like" | "need" | "permit" | "want" | "wish"
                    )
                })?;
            let is_agent = (want + 1..lead).any(|at| {
                ADDRESSEES.has(speech.norm(at))
                    || matches!(speech.norm(at), "your" | "anyone" | "anybody" | "nobody" | "someone")
            });
            let (is_so, start) = attitude(speech, want, true)?;
            (is_agent && !is_so).then_some(())?;
            found(start)
        }
    }
}

/// Whether the permission at `place` is one that the agent does not have; where that is said from.
fn permission(speech: &Speech<'_>, place: usize) -> Option<usize> {
    static ARTICLES: WordList = WordList::of(&["any", "have", "my", "our", "permission", "the"]);
    let start = speech.skip_back(place, &ARTICLES);
    let before = speech.before(start);
    let is_put = |who: usize| {
        let who = if speech.before(who) == "have" { who - 1 } else { who };
        ADDRESSEES.has(speech.before(who)) && !SUPPOSITIONS.has(speech.before(who - 1))
    };
    match before {
        "no" => is_put(start - 1).then(|| start - 1),
        "has" => {
            let who = start - 1;
            let is_nobody =
                speech.before(who) == "nobody" || speech.before(who) == "one" && speech.before(who - 1) == "no";
            is_nobody.then(|| who - 1)
        }
        "don't" | "never" => is_put(start - 1).then(|| start - 2),
        "not" if speech.before(start - 1) == "do" => is_put(start - 2).then(|| start - 3),
        "you" => {
            // "I don't give you permission".
            let give = start - 1;
            matches!(
                speech.before(give),
                "give" | "gave" | "given" | "giving" | "grant" | "granting"
            )
            .then_some(())?;
            attitude(speech, give - 1, true).and_then(|(is_so, start)| (!is_so).then_some(start))
        }
        "give" | "gave" | "given" | "giving" | "grant" | "granting" => {
            attitude(speech, start - 1, true).and_then(|(is_so, start)| (!is_so).then_some(start))
        }
        _ => None,
    }
}

/// Whether the caller does not want what the gerund at `place` says the agent does: "i don't want you calling".
pub(super) fn unwanted(speech: &Speech<'_>, place: usize) -> Option<usize> {
    let you = speech.skip_back(place, &ADDRESSEES);
    if you == place {
        return None;
    }
    let verb = if matches!(speech.before(you), "to" | "with") {
        you - 1
    } else {
        you
    };
    let want = speech.before(verb);
    let is_attitude = WANTS.has(want) || matches!(want, "okay" | "ok" | "fine" | "comfortable" | "happy");
    is_attitude.then_some(())?;
    attitude(speech, verb - 1, true).and_then(|(is_so, start)| (!is_so).then_some(start))
}

/// Whether the words that follow `place` begin something new, or nothing follows: what was said before is complete.
pub(super) fn completes(speech: &Speech<'_>, place: usize) -> bool {
    speech.pauses(place)
        || speech
            .behind(
                place,
                phrases![
                    "again",
                    "all",
                    "already",
                    "alright",
                    "altogether",
                    "and",
                    "any longer",
                    "any more",
                    "anymore",
                    "as soon as",
                    "asap",
                    "because",
                    "but",
                    "bye",
                    "cause",
                    "completely",
                    "cuz",
                    "do you",
                    "don't",
                    "entirely",
                    "ever",
                    "for ever",
                    "for good",
                    "forever",
                    "from now on",
                    "goodbye",
                    "he's",
                    "how",
                    "i",
                    "i'd",
                    "i'll",
                    "i'm",
                    "i've",
                    "immediately",
                    "in the future",
                    "is that",
                    "it's",
                    "just",
                    "leave",
                    "lose",
                    "no",
                    "ok",
                    "okay",
                    "or",
                    "period",
                    "permanently",
                    "please",
                    "put",
                    "quit",
                    "remove",
                    "right away",
                    "she's",
                    "so don't",
                    "so i",
                    "so please",
                    "so stop",
                    "so that",
                    "so you",
                    "stop",
                    "take",
                    "thank",
                    "thanks",
                    "that's",
                    "then",
                    "they",
                    "this is",
                    "we",
                    "we're",
                    "we've",
                    "what",
                    "why",
                    "will you",
                    "would you",
                    "yeah",
                    "you"
                ],
            )
            .is_some()
}
