//! The caller's name, where they introduce themselves.
//!
//! A name is known by where it stands ("my name is ...", "this is ... calling", the answer to "may I have your name"), and
//! ends where ordinary words begin. There is no list of names. Recognised speech mangles names, so what looks mangled (a
//! word that nobody understood beside it, too many words, ordinary words in it, two different names) is left out.

mod shape;

use std::ops::Range;

use super::{FactKey, Finding, fact, heard::Heard};
use crate::{
    call::Role,
    text::{
        numbers::is_number,
        phrases::{Phrases, phrases},
        small::{is_interjection, is_small},
    },
};
use shape::{TITLES, Taken, is_capital, is_close, is_letter, spelling, taken, titled};

/// Looks for introductions in all of a call.
pub(super) fn find(call: &[Heard<'_>], findings: &mut Vec<Finding>) {
    let mut known: Vec<String> = Vec::new();
    let mut asked = None;
    let mut agent: Option<&Heard<'_>> = None;
    let mut turns = 0;
    for heard in call {
        if heard.words.is_empty() {
            continue;
        }
        if heard.role == Role::Agent {
            asked = asks_name(heard).or(asked.filter(|_| heard.words.len() < 4));
            agent = Some(heard);
            continue;
        }
        turns += 1;
        let mut doubt = false;
        let mut stated = introductions(heard, asked, turns);
        stated.extend(correction(heard, agent, &known));
        for statement in stated {
            match statement {
                Statement::Doubtful => doubt = true,
                Statement::Name { parts, quote, corrects } => match merged(&known, parts, corrects, doubt, asked) {
                    Merged::New(name) => {
                        doubt = false;
                        findings.push(fact(FactKey::Name, name.join(" "), heard, quote));
                        known = name;
                    }
                    Merged::Known => {}
                    Merged::Conflict => doubt = true,
                },
            }
        }
        if doubt {
            findings.push(Finding::Doubt(FactKey::Name));
        }
        // Noise and "yes" do not answer the question yet.
        if heard.words.iter().any(|word| !is_interjection(&word.norm)) {
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
enum Statement {
    Name {
        parts: Vec<String>,
        quote: Range<usize>,
        corrects: bool,
    },
    Doubtful,
}

const ASKS: &Phrases = phrases![
    "first and last name",
    "name please",
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
fn asks_name(agent: &Heard<'_>) -> Option<Part> {
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

/// Words after a name that prove it.
const MARKERS: &[&str] = &["again", "calling", "here", "speaking"];

/// How many turns of a caller are their opening.
const OPENING: usize = 3;

/// Every introduction of a turn, from left to right.
fn introductions(heard: &Heard<'_>, asked: Option<Part>, turns: usize) -> Vec<Statement> {
    let mut found = Vec::new();
    let mut from = 0;
    while from < heard.words.len() {
        match introduction(heard, from, asked, turns) {
            Some((statement, end)) => {
                let introduced = matches!(statement, Statement::Name { .. });
                found.push(statement);
                from = end.max(from + 1);
                if introduced {
                    found.extend(second_thought(heard, end));
                }
            }
            None => from += 1,
        }
    }
    if found.is_empty()
        && let Some(part) = asked
    {
        found.extend(answer(heard, part));
    }
    found
}

/// The name that takes back the one before `place`: "my name is ana ruiz sorry ana reyes".
fn second_thought(heard: &Heard<'_>, place: usize) -> Option<Statement> {
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
    let start = heard.behind(place, CUES)?;
    match taken(heard, start, true) {
        Taken::Name { parts, end } if parts.len() > 1 && follows(heard, end) => Some(name(parts, start..end, true)),
        _ => None,
    }
}

/// The introduction that begins at `place`, and the place behind it.
fn introduction(heard: &Heard<'_>, place: usize, asked: Option<Part>, turns: usize) -> Option<(Statement, usize)> {
    let (first, opening) = (turns == 1, turns <= OPENING);
    let doubtful = |end| Some((Statement::Doubtful, end));
    if let Some(start) = heard.behind(
        place,
        phrases![
            "my first and last name is",
            "my full name is",
            "my name is",
            "my name's",
        ],
    ) {
        let reported = heard.has_before(place, 2, REPORTED);
        let start = start + usize::from(matches!(heard.norm(start), "actually" | "still" | "really"));
        let corrects = heard.has_before(place, 4, phrases!["actually", "mean", "no", "sorry", "wrong"]);
        return match taken(heard, start, false) {
            Taken::Nothing => None,
            Taken::Doubtful(end) => doubtful(end),
            Taken::Name { end, .. } if reported || heard.asks(place) => doubtful(end),
            Taken::Name { parts, end } => Some((name(parts, place..end, corrects), end)),
        };
    }
    if let Some(start) = heard.behind(place, phrases!["the name is", "the name's"])
        && (asked == Some(Part::Whole) || first)
        && let Taken::Name { parts, end } = taken(heard, start, true)
        && parts.len() > 1
        && follows(heard, end)
    {
        return Some((name(parts, place..end, false), end));
    }
    if let Some(start) = heard.behind(place, phrases!["first name", "first name is", "first name's"])
        && let Taken::Name { parts, end } = taken(heard, start, false)
        && let [first] = &parts[..]
    {
        // "first name Ana, last name Ruiz" in one breath.
        let gap = end + usize::from(matches!(heard.norm(end), "and" | "my"));
        let gap = gap + usize::from(heard.norm(gap) == "my");
        if let Some(start) = heard.behind(
            gap,
            phrases!["last name", "last name is", "last name's", "surname", "surname is"],
        ) && let Taken::Name { parts: last, end } = taken(heard, start, false)
        {
            let parts = std::iter::once(first.clone()).chain(last).collect();
            return Some((name(parts, place..end, false), end));
        }
        return None;
    }
    let clause =
        place == 0 || heard.ends_before(place) || heard.words[..place].iter().all(|word| is_interjection(&word.norm));
    let start = heard.behind(place, phrases!["i am", "i'm", "it is", "it's", "this is"])?;
    let Taken::Name { parts, end } = taken(heard, start, true) else {
        return None;
    };
    if !clause
        && !heard.has_before(
            place,
            1,
            phrases!["afternoon", "evening", "hello", "hey", "hi", "morning", "yeah", "yes"],
        )
    {
        return None;
    }
    let marked = MARKERS.contains(&heard.norm(end)) && !heard.asks(place);
    let cased = is_capital(heard.shown(start)) && place > 0;
    let greeted = place > 0 && heard.words[..place].iter().all(|word| is_interjection(&word.norm));
    let follows = follows(heard, end);
    let full = parts.len() > 1;
    let kept = match heard.norm(place) {
        "this" => marked || (opening && follows && (full || greeted)),
        "i'm" | "i" => {
            (marked && full)
                || (opening && follows && (is_capital(heard.shown(start)) && (full || (cased && greeted))))
                || (opening && follows && full && greeted && !parts.iter().any(|part| is_adjective(part)))
                || (asked == Some(Part::Whole) && follows)
        }
        _ => marked || (asked == Some(Part::Whole) && heard.ends_before(end)),
    };
    if heard.asks(place) || !kept {
        return None;
    }
    let end_of_quote = if marked { end + 1 } else { end };
    Some((name(parts, place..end_of_quote, false), end))
}

/// Whether a name may end before `place`: the sentence does, or goes on with a word that follows names.
fn follows(heard: &Heard<'_>, place: usize) -> bool {
    heard.ends_before(place) || FOLLOWS.contains(&heard.norm(place)) || MARKERS.contains(&heard.norm(place))
}

/// Endings that words after "I'm" have more often than names.
fn is_adjective(part: &str) -> bool {
    part.len() > 5
        && ["able", "ed", "ful", "ic", "ish", "less", "ly", "ous"]
            .iter()
            .any(|ending| part.ends_with(ending))
}

fn name(parts: Vec<String>, quote: Range<usize>, corrects: bool) -> Statement {
    Statement::Name { parts, quote, corrects }
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
fn repeated(heard: &Heard<'_>, place: usize, parts: &[String]) -> Option<(Vec<String>, usize)> {
    match taken(heard, place, true) {
        Taken::Name { parts: fuller, end } if parts.iter().all(|part| fuller.contains(part)) => Some((fuller, end)),
        _ => None,
    }
}

/// The name in the answer to a question for it: nothing else may be in the way.
fn answer(heard: &Heard<'_>, part: Part) -> Option<Statement> {
    let mut start = 0;
    while start < heard.words.len() {
        match heard.behind(start, LEADS) {
            Some(end) => start = end,
            None if is_interjection(heard.norm(start)) && !is_capital_inside(heard, start) => start += 1,
            None => break,
        }
    }
    match taken(heard, start, true) {
        Taken::Nothing => None,
        Taken::Doubtful(_) => Some(Statement::Doubtful),
        Taken::Name { parts, end } => {
            let (parts, end) = repeated(heard, end, &parts).unwrap_or((parts, end));
            let follows = follows(heard, end) || is_letter(heard.norm(end));
            let corrects = part == Part::Last;
            if !follows || heard.asks(start) || (part == Part::Last && parts.len() > 2) {
                return Some(Statement::Doubtful);
            }
            Some(name(parts, start..end, corrects))
        }
    }
}

fn is_capital_inside(heard: &Heard<'_>, place: usize) -> bool {
    place > 0 && is_capital(heard.shown(place))
}

/// A correction of a name: "no, it's Johns with an h", "that's Smyth, S-M-Y-T-H".
fn correction(heard: &Heard<'_>, agent: Option<&Heard<'_>>, known: &[String]) -> Option<Statement> {
    let mut start = 0;
    while start < heard.words.len() && start < 4 && is_interjection(heard.norm(start)) || heard.norm(start) == "not" {
        start += 1;
    }
    let refused = heard.words[..start]
        .iter()
        .any(|word| matches!(word.norm.as_ref(), "no" | "nope" | "actually" | "sorry" | "not"));
    let lead = heard.behind(
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
    if let Some((spelled, end)) = spelling(heard, place) {
        let near = known.iter().any(|part| is_close(part, &spelled)) || named_by(agent, &spelled);
        return near.then(|| name(vec![titled(&spelled)], place..end, true));
    }
    let Taken::Name { parts, end } = taken(heard, place, true) else {
        return None;
    };
    let with_letter = matches!(heard.norm(end), "with" | "without")
        && heard.words.len() <= end + 6
        && (is_letter(heard.norm(end + 1)) || is_letter(heard.norm(end + 2)) || is_number(heard.norm(end + 1)));
    let spelled = end > place + parts.len();
    let near = parts.iter().any(|new| {
        known.iter().any(|part| is_close(part, new)) || named_by(agent, new) || (with_letter && titled_by(agent, new))
    });
    if !(with_letter || spelled || refused && heard.ends_before(end)) || !near {
        return None;
    }
    let end = if with_letter {
        heard.words.len().min(end + 3)
    } else {
        end
    };
    Some(name(parts, place..end, true))
}

/// Whether the agent just said something close to `part`, addressing the caller with it.
fn named_by(agent: Option<&Heard<'_>>, part: &str) -> bool {
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
fn titled_by(agent: Option<&Heard<'_>>, part: &str) -> bool {
    agent.is_some_and(|agent| {
        (1..agent.words.len()).any(|place| {
            TITLES.contains(&agent.norm(place - 1))
                && agent.norm(place).chars().next() == part.to_lowercase().chars().next()
        })
    })
}

/// What a new statement makes of the name known so far.
enum Merged {
    New(Vec<String>),
    Known,
    Conflict,
}

fn merged(known: &[String], new: Vec<String>, corrects: bool, doubt: bool, asked: Option<Part>) -> Merged {
    let same = |a: &String, b: &String| a.to_lowercase() == b.to_lowercase();
    if known.is_empty() {
        // After a mangled introduction only a full name is believed.
        return if doubt && new.len() < 2 {
            Merged::Conflict
        } else {
            Merged::New(new)
        };
    }
    if new.len() <= known.len() && new.iter().all(|part| known.iter().any(|other| same(part, other))) {
        return Merged::Known;
    }
    if known.iter().all(|part| new.iter().any(|other| same(part, other))) {
        return Merged::New(new);
    }
    if let [part] = &new[..] {
        if let ([last], Some(Part::First)) = (known, asked) {
            return Merged::New(vec![part.clone(), last.clone()]);
        }
        if !corrects {
            return Merged::Conflict;
        }
        if let Some(place) = known.iter().rposition(|other| is_close(other, part)) {
            let mut name = known.to_vec();
            name[place].clone_from(part);
            return Merged::New(name);
        }
        // The last name that was asked for after the first.
        if let [first] = known {
            return Merged::New(vec![first.clone(), part.clone()]);
        }
        return Merged::Conflict;
    }
    Merged::New(new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Turn;

    /// What the call tells last; lines of the agent begin with `A: `.
    fn told(call: &[&str]) -> Option<String> {
        let turns: Vec<Turn> = call
            .iter()
            .map(|line| {
                let agent = line.strip_prefix("A: ");
                Turn {
                    role: if agent.is_some() { Role::Agent } else { Role::User },
                    text: agent.unwrap_or(line).to_owned(),
                    ts_ms: 0.0,
                }
            })
            .collect();
        let heard: Vec<Heard<'_>> = turns
            .iter()
            .enumerate()
            .map(|(place, turn)| Heard::new(place, turn))
            .collect();
        let mut findings = Vec::new();
        find(&heard, &mut findings);
        findings.into_iter().rev().find_map(|finding| match finding {
            Finding::Fact(fact) => {
                assert!(turns[fact.turn].text.contains(&fact.quote) && turns[fact.turn].role == Role::User);
                Some(fact.value)
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
            assert_eq!(told(call).as_deref(), Some(expected), "{call:?}");
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
            assert_eq!(told(call).as_deref(), Some(expected), "{call:?}");
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
            assert_eq!(told(call), None, "{call:?}");
        }
    }
}
