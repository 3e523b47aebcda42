//! How much of what two people talked about over many sessions stands in what an agent reads of one of them.
//!
//! Each of the two is the caller in turn, and a recall is read after each session from the third on. `events`: the
//! share of the noted events of the caller of which most content words stand there. `carry-over`: the share of the rare
//! words from before that the next session uses, weighted by how rare they are. `answers`: the share of questions about
//! the caller, asked after the last session, of whose answer all content words stand there.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    iter,
};

use chrono::NaiveDate;
use domain::{
    call::{CallOutcome, Role, Turn},
    summary::SummaryLength,
};
use serde::Deserialize;
use serde_json::Value;

use crate::answer::{self, Ended};

/// What is read of a text at most, in words.
const READ_WORDS: usize = 300;

/// The first session after which a recall is read.
const FIRST_READ: usize = 3;

/// The share of an event's content words that makes it told.
const TOLD: (usize, usize) = (6, 10);

/// Questions of this category have no answer in the sessions.
const UNANSWERABLE: u8 = 5;

/// How far apart the turns of a session are said.
const TURN_MS: i64 = 5_000;

/// Words that carry no content, as the script counts them that measures the running service.
const WITHOUT_CONTENT: &str = "\
    a an the and or but if then so to of in on at for with from by as is are was were be been being am do does did \
    have has had having i you he she it we they me him her us them my your his its our their mine yours this that \
    these those there here what which who whom whose when where why how not no nor yes yeah ok okay oh hey hi hello \
    well just really very too also can could will would shall should may might must than about into over under again \
    more most some any all each other such own same only out up down off s t re ve ll d m don't didn't it's i'm \
    that's let go going get got make made thing things lot know like want think one two great good nice sure thanks \
    thank please";

/// Endings that are no part of a stem, in the order in which they are tried.
const ENDINGS: [&str; 18] = [
    "ational", "fulness", "iveness", "ization", "ingly", "edly", "ness", "ment", "tion", "ions", "ing", "ies", "ied",
    "ed", "es", "ly", "s", "e",
];

/// A conversation of the data set.
#[derive(Deserialize)]
#[expect(clippy::struct_field_names, reason = "the names of the data set")]
pub(crate) struct Conversation {
    /// `speaker_a`, `speaker_b`, and of each session `session_N` and `session_N_date_time`.
    conversation: HashMap<String, Value>,
    qa: Vec<Question>,
    event_summary: HashMap<String, BTreeMap<String, Value>>,
    session_summary: HashMap<String, String>,
    /// Of each session and speaker, sentences with where they were said.
    observation: HashMap<String, HashMap<String, Vec<(String, Value)>>>,
}

#[derive(Deserialize)]
#[expect(clippy::struct_field_names, reason = "the names of the data set")]
struct Question {
    question: String,
    #[serde(default)]
    answer: Value,
    category: u8,
}

#[derive(Deserialize)]
struct Said {
    speaker: String,
    text: String,
}

impl Conversation {
    /// Reads one conversation of the data set.
    pub(crate) fn parse(line: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(line)
    }

    /// The sessions in their order, with the day of each in milliseconds since the epoch.
    fn sessions(&self) -> Result<Vec<(i64, Vec<Said>)>, String> {
        let mut sessions = Vec::new();
        while let Some(turns) = self.conversation.get(&format!("session_{}", sessions.len() + 1)) {
            let name = format!("session_{}_date_time", sessions.len() + 1);
            let day = self.conversation.get(&name).and_then(Value::as_str).and_then(day_ms);
            let day = day.ok_or_else(|| format!("{name} is not a day"))?;
            let turns = Vec::deserialize(turns).map_err(|error| error.to_string())?;
            sessions.push((day, turns));
        }
        Ok(sessions)
    }
}

/// Noon of the day in "1:56 pm on 8 May, 2023".
fn day_ms(text: &str) -> Option<i64> {
    let (_, day) = text.split_once(" on ")?;
    let noon = NaiveDate::parse_from_str(day, "%d %B, %Y")
        .ok()?
        .and_hms_opt(12, 0, 0)?;
    Some(noon.and_utc().timestamp_millis())
}

/// The stems of the content words of a text.
fn content(text: &str) -> Vec<String> {
    let text = text.to_lowercase().replace('’', "'");
    let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let without: HashSet<&str> = WITHOUT_CONTENT.split(' ').collect();
    let mut stems = Vec::new();
    let mut rest = text.as_str();
    while let Some(start) = rest.find(is_word) {
        rest = &rest[start..];
        let mut end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        // An apostrophe with letters behind it belongs to the word.
        if let Some(tail) = rest[end..].strip_prefix('\'') {
            let letters = tail.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(tail.len());
            end += if letters > 0 { letters + 1 } else { 0 };
        }
        let word = &rest[..end];
        rest = &rest[end..];
        if word.len() > 1 && !without.contains(word) {
            stems.push(stem(word).to_owned());
        }
    }
    stems
}

fn stem(word: &str) -> &str {
    let word = word.strip_suffix("'s").unwrap_or(word);
    let mut endings = ENDINGS.iter().chain(&["y"]);
    let stem = endings.find_map(|ending| word.strip_suffix(ending).filter(|stem| stem.len() >= 3));
    stem.unwrap_or(word)
}

/// One person's side of a conversation, as a caller.
struct Person {
    calls: Vec<Ended>,
    /// The turns of each session, all of the caller's and of both.
    own: Vec<String>,
    /// Stems of each session.
    stems: Vec<HashSet<String>>,
    /// Stems of each event, by session.
    events: Vec<Vec<Vec<String>>>,
    /// Stems of each answer.
    answers: Vec<Vec<String>>,
    /// What a language model noted of each session, and of this person in it.
    summaries: Vec<String>,
    observations: Vec<String>,
}

impl Person {
    fn of(conversation: &Conversation, sessions: &[(i64, Vec<Said>)], name: &str) -> Self {
        let numbers = 1..=sessions.len();
        let whole = |said: &[Said]| said.iter().map(|said| said.text.as_str()).collect::<Vec<_>>().join(" ");
        let own = |said: &[Said]| {
            let own = said.iter().filter(|said| said.speaker == name);
            own.map(|said| said.text.as_str()).collect::<Vec<_>>().join(" ")
        };
        let events = |number: usize| {
            let noted = conversation.event_summary.get(&format!("events_session_{number}"));
            let noted = noted.and_then(|noted| noted.get(name)).and_then(Value::as_array);
            let stems = noted.into_iter().flatten().filter_map(Value::as_str).map(|event| {
                let mut stems = content(event);
                stems.retain(|word| *word != stem(&name.to_lowercase()));
                stems
            });
            stems.filter(|stems| !stems.is_empty()).collect()
        };
        let questions = conversation.qa.iter();
        let about = questions.filter(|qa| qa.category != UNANSWERABLE && qa.question.contains(name));
        let answers = about.map(|qa| match &qa.answer {
            Value::String(text) => content(text),
            other => content(&other.to_string()),
        });
        let observed = |number: usize| {
            let noted = conversation.observation.get(&format!("session_{number}_observation"));
            let noted = noted.and_then(|noted| noted.get(name)).into_iter().flatten();
            noted.map(|(text, _)| text.as_str()).collect::<Vec<_>>().join(" ")
        };
        let summed = |number: usize| {
            let name = format!("session_{number}_summary");
            conversation.session_summary.get(&name).cloned().unwrap_or_default()
        };
        let numbered = sessions.iter().enumerate();
        Self {
            calls: numbered
                .map(|(place, (day, said))| Ended::of(&turns(said, name, *day), place, *day, CallOutcome::Other))
                .collect(),
            own: sessions.iter().map(|(_, said)| own(said)).collect(),
            stems: sessions
                .iter()
                .map(|(_, said)| content(&whole(said)).into_iter().collect())
                .collect(),
            events: numbers.clone().map(events).collect(),
            answers: answers.filter(|answer| !answer.is_empty()).collect(),
            summaries: numbers.clone().map(summed).collect(),
            observations: numbers.map(observed).collect(),
        }
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "milliseconds of this century are far below 2^53"
)]
fn turns(said: &[Said], caller: &str, started_at_ms: i64) -> Vec<Turn> {
    let times = (0..).map(|place| started_at_ms + place * TURN_MS);
    let turns = said.iter().zip(times).map(|(said, ms)| Turn {
        role: if said.speaker == caller {
            Role::User
        } else {
            Role::Agent
        },
        text: said.text.clone(),
        ts_ms: ms as f64,
    });
    turns.collect()
}

/// Everybody who calls, and how rare words are.
pub(crate) struct People {
    callers: Vec<Person>,
    /// In how many sessions a stem stands, of how many.
    sessions_with: HashMap<String, usize>,
    sessions: usize,
}

impl People {
    /// The two of each conversation.
    pub(crate) fn of(conversations: &[Conversation]) -> Result<Self, String> {
        let mut people = Vec::new();
        for conversation in conversations {
            let sessions = conversation.sessions()?;
            for side in ["speaker_a", "speaker_b"] {
                let name = conversation.conversation.get(side).and_then(Value::as_str);
                let name = name.ok_or_else(|| format!("no {side}"))?;
                people.push(Person::of(conversation, &sessions, name));
            }
        }
        let mut sessions_with = HashMap::new();
        let mut sessions = 0;
        // Both sides of a conversation have the same sessions.
        for stems in people.iter().step_by(2).flat_map(|person| &person.stems) {
            sessions += 1;
            for stem in stems {
                *sessions_with.entry(stem.clone()).or_default() += 1;
            }
        }
        Ok(Self {
            callers: people,
            sessions_with,
            sessions,
        })
    }

    #[expect(clippy::cast_precision_loss, reason = "counts, far below 2^53")]
    fn rarity(&self, stem: &str) -> f64 {
        (self.sessions as f64 / (1.0 + self.sessions_with[stem] as f64)).ln()
    }

    /// Judges what `text` makes of each person after some sessions; at most `most` words of it are read.
    #[expect(clippy::cast_precision_loss, reason = "counts, far below 2^53")]
    fn judge(&self, most: usize, text: impl Fn(&Person, usize) -> String) -> Score {
        let (mut events, mut answers) = ((0, 0), (0, 0));
        let (mut carried, mut words, mut texts) = ((0.0, 0.0), 0, 0);
        for person in &self.callers {
            let last = person.calls.len();
            for after in FIRST_READ..=last {
                let text = text(person, after);
                let read: Vec<&str> = text.split_whitespace().take(most).collect();
                words += read.len();
                texts += 1;
                let told: HashSet<String> = content(&read.join(" ")).into_iter().collect();
                for event in person.events[..after].iter().flatten() {
                    let hits = event.iter().filter(|stem| told.contains(*stem)).count();
                    events.0 += usize::from(hits * TOLD.1 >= event.len() * TOLD.0);
                    events.1 += 1;
                }
                if let Some(next) = person.stems.get(after) {
                    let was_said = |stem: &String| person.stems[..after].iter().any(|stems| stems.contains(stem));
                    let is_rare = |stem: &String| self.sessions_with[stem] * 10 <= self.sessions;
                    for stem in next.iter().filter(|stem| is_rare(stem) && was_said(stem)) {
                        let weight = self.rarity(stem);
                        carried.0 += if told.contains(stem) { weight } else { 0.0 };
                        carried.1 += weight;
                    }
                } else {
                    let is_told = |answer: &&Vec<String>| answer.iter().all(|stem| told.contains(stem));
                    answers.0 += person.answers.iter().filter(is_told).count();
                    answers.1 += person.answers.len();
                }
            }
        }
        let share = |(hits, of): (usize, usize)| 100.0 * hits as f64 / of.max(1) as f64;
        Score {
            words: words as f64 / f64::from(texts.max(1)),
            shares: [share(events), 100.0 * carried.0 / carried.1, share(answers)],
        }
    }
}

/// How well some texts tell of people.
pub(crate) struct Score {
    /// The mean length of the texts.
    pub(crate) words: f64,
    /// Of events, carry-over and answers, in percent.
    pub(crate) shares: [f64; 3],
}

/// What the shares of a [`Score`] are of.
pub(crate) const SHARES: [&str; 3] = ["events", "carry-over", "answers"];

/// A text that is made of a person's sessions up to one, the newest first.
type Method = (&'static str, fn(&Person) -> &[String]);

const METHODS: [Method; 3] = [
    ("caller's turns, newest first", |person| &person.own),
    ("a model's summaries of sessions", |person| &person.summaries),
    ("a model's observations", |person| &person.observations),
];

fn newest_first(texts: &[String]) -> String {
    texts.iter().rev().map(String::as_str).collect::<Vec<_>>().join(" ")
}

/// The answer an hour after the last session.
fn ours(person: &Person, after: usize, length: SummaryLength) -> String {
    let calls = &person.calls[..after];
    let now_ms = calls.last().map_or(0, |ended| ended.started_at_ms() + 3_600_000);
    answer::answer(calls, length, now_ms).text
}

/// Prints the table for `people`.
pub(crate) fn print(people: &People) {
    println!(
        "{} sessions of {} people, in percent",
        people.sessions,
        people.callers.len()
    );
    let [events, carried, answers] = SHARES;
    println!(
        "  {:<32} {events:>8} {carried:>11} {answers:>8} {:>11}",
        "", "mean words"
    );
    let card = |person: &Person, after| ours(person, after, SummaryLength::default());
    print_row("caller-memory", &people.judge(READ_WORDS, card));
    for (name, texts) in METHODS {
        let score = people.judge(READ_WORDS, |person, after| newest_first(&texts(person)[..after]));
        print_row(name, &score);
    }
}

fn print_row(name: &str, score: &Score) {
    let [events, carried, answers] = score.shares;
    println!(
        "  {name:<32} {events:>8.1} {carried:>11.1} {answers:>8.1} {:>11.1}",
        score.words
    );
}

/// The scores of each method at several lengths. Ours is as long as the operator allows the caller's summary to be; of
/// the others so many words are read.
pub(crate) fn curves(people: &People) -> Vec<(&'static str, Vec<Score>)> {
    let summaries = [40, 80, 120, 160, 200, 300, 400].map(SummaryLength::of_words);
    let of_length = |length| people.judge(usize::MAX, |person, after| ours(person, after, length));
    let own = ("caller-memory", summaries.map(of_length).into_iter().collect());
    let others = METHODS.map(|(name, texts)| {
        let scores =
            (1..=10).map(|step| people.judge(step * 50, |person, after| newest_first(&texts(person)[..after])));
        (name, scores.collect())
    });
    iter::once(own).chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_what_the_script_counts() {
        for (text, expected) in [
            (
                "The kids' painting of Oliver's cat!",
                &["kid", "paint", "oliver", "cat"][..],
            ),
            ("We don't know; 7 May 2023", &["2023"]),
            ("easily moving stories, educational", &["easi", "mov", "stor", "educ"]),
        ] {
            assert_eq!(content(text), expected, "{text}");
        }
    }

    #[test]
    fn days_are_read() {
        assert_eq!(day_ms("1:56 pm on 8 May, 2023"), Some(1_683_547_200_000));
        assert_eq!(day_ms("yesterday"), None);
    }

    fn people() -> People {
        let conversation = r#"{
            "conversation": {"speaker_a": "Ana", "speaker_b": "Ben",
                "session_1_date_time": "1:00 pm on 1 May, 2023",
                "session_1": [{"speaker": "Ana", "text": "I bought a telescope."}, {"speaker": "Ben", "text": "Oh."}],
                "session_2_date_time": "1:00 pm on 2 May, 2023",
                "session_2": [{"speaker": "Ben", "text": "My canoe leaks."}],
                "session_3_date_time": "1:00 pm on 3 May, 2023",
                "session_3": [{"speaker": "Ana", "text": "The telescope broke."}]},
            "qa": [{"question": "What did Ana buy?", "answer": "a telescope", "category": 4},
                {"question": "What did Ana sell?", "category": 5}],
            "event_summary": {"events_session_1": {"Ana": ["Ana bought a telescope."], "date": "1 May, 2023"}},
            "session_summary": {"session_1_summary": "Ana has a telescope."},
            "observation": {"session_2_observation": {"Ben": [["Ben has a canoe.", "D2:1"]]}}
        }"#;
        People::of(&[Conversation::parse(conversation).unwrap()]).unwrap()
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "the shares of one or none are exact")]
    fn texts_are_judged_by_what_was_noted() {
        let people = people();
        let score = people.judge(READ_WORDS, |person, after| newest_first(&person.own[..after]));
        assert_eq!([score.shares[0], score.shares[2]], [100.0, 100.0]);
        let score = people.judge(1, |_, _| "The canoe of Ben".to_owned());
        assert_eq!([score.shares[0], score.shares[2], score.words], [0.0, 0.0, 1.0]);
        let score = people.judge(READ_WORDS, |person, after| newest_first(&person.observations[..after]));
        assert_eq!([score.shares[0], score.words], [0.0, 2.0]);
    }
}
