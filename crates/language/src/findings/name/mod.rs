//! The caller's name, where they introduce themselves.
//!
//! A name is known by where it stands ("my name is ...", "this is ... calling", the answer to "may I have your name"),
//! and ends where ordinary words begin. There is no list of names. Recognised speech mangles names, so what looks
//! mangled (a word that nobody understood beside it, too many words, ordinary words in it, two different names) is left
//! out.

mod shape;

use std::ops::Range;

use super::{
    finding::{Finding, Topic, statement},
    timing::timing,
    utterance::Utterance,
};
use crate::{
    text::{
        numbers::is_number,
        phrases::{Phrases, phrases},
        small::{is_interjection, is_small},
    },
    transcript::Speaker,
};
use shape::{Candidate, MARKERS, TITLES, candidate, is_close, is_letter, is_shouting, spelling};
pub(super) use shape::{is_capital, titled};

/// Looks for introductions in all of a call.
pub(super) fn find(call: &[Utterance<'_>], findings: &mut Vec<Finding>) {
    let mut known: Vec<String> = Vec::new();
    let mut asked = None;
    let mut agent: Option<&Utterance<'_>> = None;
    let mut turns = 0;
    for utterance in call {
        if utterance.words.is_empty() {
            continue;
        }
        if utterance.speaker == Speaker::Agent {
            asked = asks_name(utterance).or(asked.filter(|_| utterance.words.len() < 4));
            agent = Some(utterance);
            continue;
        }
        turns += 1;
        let mut doubt = false;
        let mut stated = introductions(utterance, asked, turns);
        stated.extend(correction(utterance, agent, &known));
        for introduction in stated {
            match introduction {
                Introduction::Doubtful => doubt = true,
                Introduction::Nickname { part, quote, is_sure } => {
                    if !is_sure && known.is_empty() && asked != Some(Part::Whole) {
                        continue;
                    }
                    // "Robert Lund" is called "Bob Lund" then.
                    let family = known.iter().skip(1).cloned();
                    let name: Vec<String> = std::iter::once(part).chain(family).collect();
                    if name != known {
                        findings.push(statement(Topic::Name, name.join(" "), utterance, quote));
                        known = name;
                    }
                }
                Introduction::Name { parts, quote, corrects } => {
                    match name_change(&known, parts, corrects, doubt, asked) {
                        NameChange::New(name) => {
                            doubt = false;
                            findings.push(statement(Topic::Name, name.join(" "), utterance, quote));
                            known = name;
                        }
                        NameChange::Known => {}
                        NameChange::Conflict => doubt = true,
                    }
                }
            }
        }
        if doubt {
            findings.push(Finding::Doubt(Topic::Name));
        }
        // Noise and "yes" do not answer the question yet.
        if utterance.words.iter().any(|word| !is_interjection(&word.norm)) {
            asked = None;
        }
    }
}

/// Which part of the name the agent asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Whole,
    First,
    Last,
}

/// A place that introduces the caller.
enum Introduction {
    Name {
        parts: Vec<String>,
        quote: Range<usize>,
        corrects: bool,
    },
    /// What the caller likes to be called.
    Nickname {
        part: String,
        quote: Range<usize>,
        /// Whether it can be nothing else.
        is_sure: bool,
    },
    Doubtful,
}

const ASKS: &Phrases = phrases![
    "first and last name",
    "name please",
    "was the name",
    "what name",
    "who am i speaking",
    "who am i talking",
    "who do i have",
    "who i am speaking",
    "who i'm speaking",
    "who is calling",
    "who is speaking",
    "who is this",
    "who's calling",
    "who's speaking",
    "who's this",
    "whom am i speaking",
    "your first and last name",
    "your full name",
    "your name",
];

/// What the agent's turn asks of the caller's name.
fn asks_name(agent: &Utterance<'_>) -> Option<Part> {
    if agent.has(phrases![
        "and last name",
        "and the last name",
        "last name please",
        "your family name",
        "your last name",
        "your surname",
    ]) && !agent.has(phrases!["first and last name", "first name and last name"])
    {
        return Some(Part::Last);
    }
    if agent.has(phrases!["first name please", "your first name"])
        && !agent.has(phrases!["first and last", "first name and last"])
    {
        return Some(Part::First);
    }
    let other = agent.has(phrases![
        "business name",
        "company name",
        "company's name",
        "maiden name",
        "name of the",
        "name on the",
    ]);
    (agent.has(ASKS) && !other).then_some(Part::Whole)
}

/// Words that say of what stands before "my name is" that it is not an introduction.
const REPORTED: &Phrases = phrases![
    "if", "like", "said", "saying", "says", "that", "think", "thinks", "thought", "told", "where", "whether",
];

/// How many turns of a caller are their opening.
const OPENING: usize = 3;

/// Every introduction of a turn, from left to right.
fn introductions(utterance: &Utterance<'_>, asked: Option<Part>, turns: usize) -> Vec<Introduction> {
    let mut found = Vec::new();
    let mut from = 0;
    let greeting = utterance.words.iter().take_while(|word| is_interjection(&word.norm));
    let greeting = greeting.count();
    while from < utterance.words.len() {
        match introduction(utterance, from, greeting, asked, turns) {
            Some((introduction, end)) => {
                let introduced = matches!(introduction, Introduction::Name { .. });
                found.push(introduction);
                from = end.max(from + 1);
                if introduced {
                    found.extend(second_thought(utterance, end));
                }
            }
            None => from += 1,
        }
    }
    let is_answered = found
        .iter()
        .any(|introduction| !matches!(introduction, Introduction::Nickname { .. }));
    if !is_answered && let Some(part) = asked {
        // The name comes before what people make of it.
        found.splice(0..0, answer(utterance, part));
    }
    found
}

/// The name that takes back the one before `place`: "my name is ana ruiz sorry ana reyes".
fn second_thought(utterance: &Utterance<'_>, place: usize) -> Option<Introduction> {
    const CUES: &Phrases = phrases![
        "actually",
        "i mean",
        "i'm sorry",
        "no",
        "no sorry",
        "oh sorry",
        "or rather",
        "sorry",
        "sorry i mean",
        "wait no",
    ];
    let start = utterance.behind(place, CUES)?;
    match candidate(utterance, start, true) {
        Candidate::Name { parts, end } if parts.len() > 1 && follows(utterance, end) => {
            Some(name(parts, start..end, true))
        }
        _ => None,
    }
}

/// The introduction that begins at `place`, and the place behind it. The first words, as many as `greeting`, are
/// greetings and the like.
fn introduction(
    utterance: &Utterance<'_>,
    place: usize,
    greeting: usize,
    asked: Option<Part>,
    turns: usize,
) -> Option<(Introduction, usize)> {
    let (first, opening) = (turns == 1, turns <= OPENING);
    if let Some(found) = nickname(utterance, place) {
        return Some(found);
    }
    let doubtful = |end| Some((Introduction::Doubtful, end));
    if let Some(start) = utterance.behind(
        place,
        phrases![
            "my first and last name is",
            "my full name is",
            "my name is",
            "my name's",
        ],
    ) {
        let reported = utterance.has_before(place, 2, REPORTED);
        let start = start + usize::from(matches!(utterance.norm(start), "actually" | "still" | "really"));
        let corrects = utterance.has_before(place, 4, phrases!["actually", "mean", "no", "sorry", "wrong"]);
        return match candidate(utterance, start, false) {
            Candidate::Nothing => None,
            Candidate::Doubtful(end) => doubtful(end),
            Candidate::Name { end, .. } if reported || utterance.asks(place) => doubtful(end),
            Candidate::Name { parts, end } => Some((name(parts, place..end, corrects), end)),
        };
    }
    if let Some(start) = utterance.behind(place, phrases!["the name is", "the name's"])
        && (asked == Some(Part::Whole) || first)
        && let Candidate::Name { parts, end } = candidate(utterance, start, true)
        && parts.len() > 1
        && follows(utterance, end)
    {
        return Some((name(parts, place..end, false), end));
    }
    if let Some(start) = utterance.behind(place, phrases!["first name", "first name is", "first name's"])
        && let Candidate::Name { parts, end } = candidate(utterance, start, false)
        && let [first] = &parts[..]
    {
        // "first name Ana, last name Ruiz" in one breath.
        let gap = end + usize::from(matches!(utterance.norm(end), "and" | "my"));
        let gap = gap + usize::from(utterance.norm(gap) == "my");
        if let Some(start) = utterance.behind(
            gap,
            phrases!["last name", "last name is", "last name's", "surname", "surname is"],
        ) && let Candidate::Name { parts: last, end } = candidate(utterance, start, false)
        {
            let parts = std::iter::once(first.clone()).chain(last).collect();
            return Some((name(parts, place..end, false), end));
        }
        return None;
    }
    let clause = place <= greeting || utterance.ends_before(place);
    let start = utterance.behind(place, phrases!["i am", "i'm", "it is", "it's", "this is"])?;
    let Candidate::Name { parts, end } = candidate(utterance, start, true) else {
        return None;
    };
    if !clause
        && !utterance.has_before(
            place,
            1,
            phrases!["afternoon", "evening", "hello", "hey", "hi", "morning", "yeah", "yes"],
        )
    {
        return None;
    }
    let marked = MARKERS.contains(&utterance.norm(end)) && !utterance.asks(place);
    let cased = is_capital(utterance.shown(start)) && place > 0;
    let greeted = place > 0 && place <= greeting;
    let follows = follows(utterance, end);
    let full = parts.len() > 1;
    let kept = match utterance.norm(place) {
        "this" => marked || (opening && follows && (full || greeted)),
        "i'm" | "i" => {
            (marked && full)
                || (opening && follows && (is_capital(utterance.shown(start)) && (full || (cased && greeted))))
                || (opening && follows && full && greeted && !parts.iter().any(|part| is_adjective(part)))
                || (asked == Some(Part::Whole) && follows)
        }
        _ => marked || (asked == Some(Part::Whole) && utterance.ends_before(end)),
    };
    if utterance.asks(place) || !kept {
        return None;
    }
    let end_of_quote = if marked { end + 1 } else { end };
    Some((name(parts, place..end_of_quote, false), end))
}

/// What the caller says at `place` that they are called: "everyone calls me Pete".
fn nickname(utterance: &Utterance<'_>, place: usize) -> Option<(Introduction, usize)> {
    const CUES: &Phrases = phrases![
        "call me",
        "everybody calls me",
        "everyone calls me",
        "friends call me",
        "i go by",
        "just call me",
        "people call me",
        "please call me",
        "you can call me",
        "you can just call me",
        "you may call me",
    ];
    const NOT: &Phrases = phrases![
        "can", "could", "did", "didn't", "do", "don't", "if", "never", "not", "somebody", "someone", "stop", "that",
        "they", "to", "when", "why", "will", "would",
    ];
    let start = utterance.behind(place, CUES)?;
    if utterance.has_before(place, 3, NOT) || utterance.asks(place) || timing(utterance, start).is_some() {
        return None;
    }
    let Candidate::Name { parts, end } = candidate(utterance, start, true) else {
        return None;
    };
    let [part] = &parts[..] else { return None };
    let shown = utterance.shown(start);
    let is_cased = is_capital(shown) && !is_shouting(utterance.text);
    // "Call me ASAP."
    let is_shouted = is_cased && is_shouting(shown);
    let is_word = is_adjective(part) || !is_cased && utterance.norm(end) == "but";
    if !follows(utterance, end) || is_word || is_shouted {
        return None;
    }
    let nickname = Introduction::Nickname {
        part: part.clone(),
        quote: place..end,
        is_sure: is_cased,
    };
    Some((nickname, end))
}

/// Whether a name may end before `place`: the sentence does, or goes on with a word that follows names.
fn follows(utterance: &Utterance<'_>, place: usize) -> bool {
    utterance.ends_before(place) || FOLLOWS.contains(&utterance.norm(place)) || MARKERS.contains(&utterance.norm(place))
}

/// Endings that words after "I'm" have more often than names.
fn is_adjective(part: &str) -> bool {
    part.len() > 5
        && ["able", "ed", "ful", "ic", "ish", "less", "ly", "ous"]
            .iter()
            .any(|ending| part.ends_with(ending))
}

fn name(parts: Vec<String>, quote: Range<usize>, corrects: bool) -> Introduction {
    Introduction::Name { parts, quote, corrects }
}

/// What may stand before the name in an answer.
const LEADS: &Phrases = phrases![
    "first name",
    "first name is",
    "i am",
    "i'm",
    "it is",
    "it would be",
    "it's",
    "last name",
    "last name is",
    "my name",
    "name is",
    "name's",
    "that is",
    "that would be",
    "that'd be",
    "that's",
    "the name is",
    "the name's",
    "this is",
    "yes",
    "you can call me",
];

/// Words that may follow the name in an answer.
const FOLLOWS: &[&str] = &[
    "and", "but", "can", "could", "from", "i", "i'd", "i'm", "i've", "is", "ma'am", "my", "please", "sir", "so",
    "thank", "thanks", "that's", "what", "what's", "with",
];

/// The fuller name that follows `parts`, as in "Ruiz. Ana Ruiz."
fn repeated(utterance: &Utterance<'_>, place: usize, parts: &[String]) -> Option<(Vec<String>, usize)> {
    match candidate(utterance, place, true) {
        Candidate::Name { parts: fuller, end } if parts.iter().all(|part| fuller.contains(part)) => Some((fuller, end)),
        _ => None,
    }
}

/// The name in the answer to a question for it: nothing else may be in the way.
fn answer(utterance: &Utterance<'_>, part: Part) -> Option<Introduction> {
    let mut start = 0;
    while start < utterance.words.len() {
        match utterance.behind(start, LEADS) {
            Some(end) => start = end,
            None if is_interjection(utterance.norm(start)) && !is_capital_inside(utterance, start) => start += 1,
            None => break,
        }
    }
    // A name of three letters and more, spelled and not said.
    if let Some((spelled, end)) = spelling(utterance, start)
        && utterance.ends_before(end)
        && !is_small(&spelled)
    {
        return Some(name(vec![titled(&spelled)], start..end, part == Part::Last));
    }
    match candidate(utterance, start, true) {
        Candidate::Nothing => None,
        Candidate::Doubtful(_) => Some(Introduction::Doubtful),
        Candidate::Name { parts, end } => {
            let (parts, end) = repeated(utterance, end, &parts).unwrap_or((parts, end));
            let follows = follows(utterance, end) || is_letter(utterance.norm(end));
            let corrects = part == Part::Last;
            if !follows || utterance.asks(start) || (part == Part::Last && parts.len() > 2) {
                return Some(Introduction::Doubtful);
            }
            Some(name(parts, start..end, corrects))
        }
    }
}

fn is_capital_inside(utterance: &Utterance<'_>, place: usize) -> bool {
    place > 0 && is_capital(utterance.shown(place))
}

/// A correction of a name: "no, it's Johns with an h", "that's Smyth, S-M-Y-T-H".
fn correction(utterance: &Utterance<'_>, agent: Option<&Utterance<'_>>, known: &[String]) -> Option<Introduction> {
    let mut start = 0;
    while start < utterance.words.len() && start < 4 && is_interjection(utterance.norm(start))
        || utterance.norm(start) == "not"
    {
        start += 1;
    }
    let refused = utterance.words[..start]
        .iter()
        .any(|word| matches!(word.norm.as_ref(), "no" | "nope" | "actually" | "sorry" | "not"));
    let lead = utterance.behind(
        start,
        phrases![
            "it is",
            "it's",
            "last name is",
            "that is",
            "that's",
            "the last name is",
            "the name is",
            "the name's",
        ],
    );
    let place = lead.unwrap_or(start);
    let spells = agent.is_some_and(|agent| agent.has(phrases!["spell", "spelled", "spelling"]));
    if lead.is_none() && !refused && !spells {
        return None;
    }
    if let Some((spelled, end)) = spelling(utterance, place) {
        let near = known.iter().any(|part| is_close(part, &spelled)) || named_by(agent, &spelled);
        return near.then(|| name(vec![titled(&spelled)], place..end, true));
    }
    let Candidate::Name { parts, end } = candidate(utterance, place, true) else {
        return None;
    };
    let with_letter = matches!(utterance.norm(end), "with" | "without")
        && utterance.words.len() <= end + 6
        && (is_letter(utterance.norm(end + 1))
            || is_letter(utterance.norm(end + 2))
            || is_number(utterance.norm(end + 1)));
    let spelled = end > place + parts.len();
    let near = parts.iter().any(|new| {
        known.iter().any(|part| is_close(part, new)) || named_by(agent, new) || (with_letter && titled_by(agent, new))
    });
    if !(with_letter || spelled || refused && utterance.ends_before(end)) || !near {
        return None;
    }
    let end = if with_letter {
        utterance.words.len().min(end + 3)
    } else {
        end
    };
    Some(name(parts, place..end, true))
}

/// Whether the agent just said something close to `part`, addressing the caller with it.
fn named_by(agent: Option<&Utterance<'_>>, part: &str) -> bool {
    agent.is_some_and(|agent| {
        let addressed = agent.words.len() <= 8 || agent.words.iter().any(|word| TITLES.contains(&word.norm.as_ref()));
        addressed
            && agent
                .words
                .iter()
                .any(|word| !is_small(&word.norm) && is_close(&word.norm, part))
    })
}

/// Whether the agent just called somebody by a title and a name with the same first letter: "miss leigh" for "Lee".
fn titled_by(agent: Option<&Utterance<'_>>, part: &str) -> bool {
    agent.is_some_and(|agent| {
        (1..agent.words.len()).any(|place| {
            TITLES.contains(&agent.norm(place - 1))
                && agent.norm(place).chars().next() == part.to_lowercase().chars().next()
        })
    })
}

/// What a new statement makes of the name known so far.
enum NameChange {
    New(Vec<String>),
    Known,
    Conflict,
}

fn name_change(known: &[String], new: Vec<String>, corrects: bool, doubt: bool, asked: Option<Part>) -> NameChange {
    let same = |a: &String, b: &String| a.to_lowercase() == b.to_lowercase();
    if known.is_empty() {
        // After a mangled introduction only a full name is believed.
        return if doubt && new.len() < 2 {
            NameChange::Conflict
        } else {
            NameChange::New(new)
        };
    }
    if new.len() <= known.len() && new.iter().all(|part| known.iter().any(|other| same(part, other))) {
        return NameChange::Known;
    }
    if known.iter().all(|part| new.iter().any(|other| same(part, other))) {
        return NameChange::New(new);
    }
    if let [part] = &new[..] {
        if let ([last], Some(Part::First)) = (known, asked) {
            return NameChange::New(vec![part.clone(), last.clone()]);
        }
        if !corrects {
            return NameChange::Conflict;
        }
        if let Some(place) = known.iter().rposition(|other| is_close(other, part)) {
            let mut name = known.to_vec();
            name[place].clone_from(part);
            return NameChange::New(name);
        }
        // The last name that was asked for after the first.
        if let [first] = known {
            return NameChange::New(vec![first.clone(), part.clone()]);
        }
        return NameChange::Conflict;
    }
    NameChange::New(new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::Transcript;

    /// What the call tells last; lines of the agent begin with `A: `.
    fn name_in(call: &[&str]) -> Option<String> {
        let transcript = Transcript::read(call.iter().map(|line| match line.strip_prefix("A: ") {
            Some(text) => (Speaker::Agent, text),
            None => (Speaker::Caller, *line),
        }));
        let turns = transcript.turns.iter().enumerate();
        let utterances: Vec<Utterance<'_>> = turns.map(|(place, turn)| Utterance::new(place, turn)).collect();
        let mut findings = Vec::new();
        find(&utterances, &mut findings);
        findings.into_iter().rev().find_map(|finding| match finding {
            Finding::Statement(statement) => {
                assert_eq!(transcript.turns[statement.turn].speaker, Speaker::Caller);
                assert!(!transcript.quote(&statement).is_empty());
                Some(statement.value)
            }
            Finding::Doubt(_) => None,
        })
    }

    #[test]
    fn introductions_are_names() {
        for (call, expected) in [
            (
                &["hi my name is maren okafor i would like to pay a bill"][..],
                "Maren Okafor",
            ),
            (&["Hello, my name's Jean-Luc O'Brien."], "Jean-Luc O'Brien"),
            (
                &["hi this is priya natarajan calling about my order"],
                "Priya Natarajan",
            ),
            (&["Yeah, hi, it's Tomasz here."], "Tomasz"),
            (&["This is Ludwig van der Berg speaking."], "Ludwig van der Berg"),
            (&["my name is uh ana uh ruiz"], "Ana Ruiz"),
            (
                &["A: may i have your name", "[noise]", "sure it's will turner"],
                "Will Turner",
            ),
            (&["A: Who am I speaking with?", "Dmitri."], "Dmitri"),
            (&["my name is jim <unk> my name is maren okafor"], "Maren Okafor"),
            (&["my first name is ana last name ruiz"], "Ana Ruiz"),
            (
                &["A: your first name", "ana", "A: and your last name", "ruiz"],
                "Ana Ruiz",
            ),
            (&["hi i'm maren okafor and i lost my card"], "Maren Okafor"),
            (&["hi the name is maren okafor"], "Maren Okafor"),
            (&["hi this is maren okafor can you help me"], "Maren Okafor"),
            (&["MY NAME IS ANA RUIZ AND I NEED HELP"], "Ana Ruiz"),
        ] {
            assert_eq!(name_in(call).as_deref(), Some(expected), "{call:?}");
        }
    }

    #[test]
    fn corrections_supersede() {
        for (call, expected) in [
            (
                &[
                    "my name is peter jones",
                    "A: thank you mr jones",
                    "no it's johns with an h",
                ][..],
                "Peter Johns",
            ),
            (
                &["My name is Ana Smith.", "A: Smith, right.", "That's Smyth, S-M-Y-T-H."],
                "Ana Smyth",
            ),
            (&["my name is jon smith that's s m y t h e"], "Jon Smythe"),
            (
                &["my name is ana", "A: hello anna", "sorry my name is hannah ruiz"],
                "Hannah Ruiz",
            ),
        ] {
            assert_eq!(name_in(call).as_deref(), Some(expected), "{call:?}");
        }
    }

    #[test]
    fn what_is_no_introduction_is_no_name() {
        for call in [
            &["A: hello my name is john how can i help you"][..],
            &["my name is on the list"],
            &["this is ridiculous"],
            &["hi this is my first time calling"],
            &["my name is <unk> smith"],
            &["my name is michael rock regret"],
            &["my name is jim <unk> my name is jamila"],
            &["my wife's name is ana ruiz"],
            &["i'm super upset"],
            &["hi i'm hopelessly stranded and need help"],
            &["hi", "A: what is the company name", "the name is fossil gas"],
            &["i'm calling for ana ruiz"],
            &["this is ana's mother calling"],
            &["A: what is the company name", "fossil gas"],
            &["A: and your name please", "why do you need that"],
            &["is my name ana ruiz in your system"],
            &["it's johns with an h"],
            &[""],
        ] {
            assert_eq!(name_in(call), None, "{call:?}");
        }
    }
}
