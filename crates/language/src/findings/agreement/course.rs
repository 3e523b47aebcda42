//! The course of a call: proposal, change, acceptance or refusal, and the words that settle it.
//!
//! The agent reads back what it is about to do, the caller accepts or changes it, and the agent says that it is done,
//! or that it cannot be. Only what was said to be done is agreed, and what the caller confirmed without hearing that is
//! requested. A later proposal takes the place of an earlier one, and what it does not name is taken over from it. A
//! question, an offer that nobody took and a failed try agree nothing.

use std::ops::Range;

use super::{
    super::utterance::Utterance,
    cues::{
        ALTERNATIVES, ASKING, BETWEEN, CALLS_OFF, CANCELLED, CONFIRM, COUNTERS, COURTESIES, DONE, FAILED, GENERAL,
        HAVING, ITS, MOVED, NO, NO_PROBLEM, NOUNS, OFFERS, OPEN, OWN, READ_BACK, RIGHT, SUBJECTS, SUCCEEDED, SURE, YES,
    },
    moment::{Clock, Day, Mention, Moment, SaidDay, SaidHour, mentions},
    terms::{Agreement, Clause, Status, Terms},
    wording,
};
use crate::{
    text::{small::is_interjection, words::After},
    transcript::Speaker,
};

/// The most agreements of a call; of more, the last ones are kept.
const AGREEMENTS: usize = 16;

/// The most clauses of a proposal, and the most that it takes over from the one before.
const CLAUSES: usize = 6;

/// The fewest words of a proposal that is more than a question about one detail.
const SHORTEST: usize = 8;

/// A sentence of so few words tells of what is spoken of: "Done!", "All set."
const BRIEF: usize = 3;

/// The most words that are read as one sentence; whoever says more without an end is not settling anything.
const SENTENCE: usize = 80;

/// The most hours of a proposal that are kept.
const HOURS: usize = 12;

/// What was agreed in `call`, in the order in which it was settled. `today` is the day of the call. Linear in its
/// length.
pub(in super::super) fn of_call(call: &[Utterance<'_>], today: Option<Day>) -> Vec<Agreement> {
    let mut course = Course {
        call,
        proposal: Proposal::default(),
        counter: None,
        is_aside: false,
        wish: Proposal::default(),
        agent_proposes: false,
        agreed: Vec::new(),
    };
    for (place, utterance) in call.iter().enumerate() {
        let mut mentions = mentions(utterance, &(0..utterance.words.len()), today);
        mentions.retain(|mention| !is_courtesy(utterance, mention));
        match utterance.speaker {
            Speaker::Caller => course.hear_caller(place, &mentions),
            Speaker::Agent => course.hear_agent(place, &mentions),
        }
    }
    course.close();
    course.agreed
}

/// How something is proposed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Manner {
    /// As one of several things that there are.
    #[default]
    Offered,
    /// As what the caller is to have.
    ReadBack,
    /// In the same way, with the question whether it is right.
    Confirming,
}

/// What is proposed at some point of the call.
#[derive(Clone, Default)]
struct Proposal {
    clauses: Vec<Clause>,
    /// What it takes over from the proposal before.
    former: Vec<Clause>,
    /// The first day it names, resolved or not.
    day: Option<SaidDay>,
    /// The first hour it names.
    hour: Option<SaidHour>,
    manner: Manner,
    standing: Standing,
    /// Its hours that are settled: the same hour without its half of the day is taken for one of them.
    hours: Vec<SaidHour>,
}

/// What became of a proposal so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Standing {
    /// Nobody answered it.
    #[default]
    Open,
    /// The caller accepted it.
    Accepted,
    /// The caller refused or changed it.
    Refused,
    /// The agent tried it in vain.
    Failed,
}

impl Proposal {
    fn is_empty(&self) -> bool {
        self.clauses.is_empty()
    }

    fn is_read_back(&self) -> bool {
        self.manner >= Manner::ReadBack
    }

    /// The place of the utterance that it ends in.
    fn turn(&self) -> Option<usize> {
        self.clauses.last().map(|clause| clause.turn)
    }

    /// The hour from midnight. One whose half of the day was not said is the settled one of the proposal that looks the
    /// same, if there is just one.
    fn clock(&self) -> Option<Clock> {
        let hour = self.hour?;
        hour.clock().or_else(|| {
            let mut same = self.hours.iter().filter(|other| other.looks_like(hour));
            let first = *same.next()?;
            same.all(|other| *other == first).then(|| first.clock())?
        })
    }

    fn words(&self) -> usize {
        self.clauses.iter().map(|clause| clause.places.len()).sum()
    }

    /// Adds a sentence with the days and hours that it names.
    fn add<'m>(&mut self, clause: Clause, mentions: impl Iterator<Item = &'m Mention>) {
        if self.clauses.len() == CLAUSES {
            return;
        }
        self.clauses.push(clause);
        for mention in mentions {
            match mention.moment {
                Moment::Day(day) => {
                    self.day.get_or_insert(day);
                }
                Moment::Clock(hour) => {
                    self.hour.get_or_insert(hour);
                    if hour.settled && self.hours.len() < HOURS {
                        self.hours.push(hour);
                    }
                }
            }
        }
    }

    fn is_accepted(&self) -> bool {
        self.standing == Standing::Accepted
    }

    /// Takes over what this one does not name. The clauses of `old` come along; the times that this one names replace
    /// theirs.
    fn take_over(&mut self, old: Proposal) {
        let (day, hour) = (self.day.is_some(), self.hour.is_some());
        let clauses = old.clauses.into_iter().chain(old.former).take(CLAUSES);
        self.former = clauses
            .map(|clause| Clause {
                day_is_gone: clause.day_is_gone || day,
                hour_is_gone: clause.hour_is_gone || hour,
                ..clause
            })
            .collect();
        self.day = self.day.or(old.day);
        self.hour = self.hour.or(old.hour);
        self.hours.extend(old.hours);
        self.hours.truncate(HOURS);
    }

    /// Whether this one names another time than `other`.
    fn differs_from(&self, other: &Proposal) -> bool {
        let hour = self.hour.zip(other.hour).is_some_and(|(one, other)| one != other);
        let day = self.day.zip(other.day).is_some_and(|(one, other)| one != other);
        hour || day
    }
}

/// Where a call stands.
struct Course<'c, 'a> {
    call: &'c [Utterance<'a>],
    /// What the agent proposed last.
    proposal: Proposal,
    /// The same at another time, which the agent named beside the point.
    counter: Option<Proposal>,
    /// Whether the caller neither answered nor named a time, but asked something else.
    is_aside: bool,
    /// What the caller asked for last.
    wish: Proposal,
    /// Whether the agent's last turn proposed something.
    agent_proposes: bool,
    agreed: Vec<Agreement>,
}

impl Course<'_, '_> {
    fn hear_caller(&mut self, place: usize, mentions: &[Mention]) {
        let utterance = &self.call[place];
        let answer = answer(utterance);
        if let Some(counter) = self.counter.take()
            && answer == Answer::Yes
        {
            self.proposal.standing = Standing::Open;
            self.propose(counter);
        }
        self.is_aside = answer == Answer::Neither && mentions.is_empty() && utterance.asks(0);
        match answer {
            // "Anything else?" – "No." refuses nothing that was agreed before.
            Answer::No if self.agent_proposes || calls_off(utterance) => {
                self.proposal.standing = Standing::Refused;
                self.wish = Proposal::default();
            }
            Answer::Yes
                if !self.proposal.is_empty()
                    && matches!(self.proposal.standing, Standing::Open | Standing::Refused)
                    && mentions.is_empty() =>
            {
                self.proposal.standing = Standing::Accepted;
                if utterance.has(RIGHT) {
                    self.proposal.manner = Manner::Confirming;
                }
            }
            _ => {}
        }
        if mentions.is_empty() {
            return;
        }
        self.wish = Proposal::default();
        for sentence in sentences(utterance) {
            // "Is there anything on Friday?" asks; "can I come on Friday?" wishes.
            let first = utterance.norm(first_word(utterance, &sentence));
            let wishes = !utterance.asks(sentence.start) || matches!(first, "can" | "could" | "may" | "will" | "would");
            if wishes && within(mentions, &sentence).next().is_some() {
                let clause = Clause::new(place, sentence.clone());
                self.wish.add(clause, within(mentions, &sentence));
            }
        }
    }

    fn hear_agent(&mut self, place: usize, mentions: &[Mention]) {
        let utterance = &self.call[place];
        let sentences: Vec<Range<usize>> = sentences(utterance).collect();
        // "It is booked at that time. What about ten?" tells of a failure.
        let counters = sentences.iter().any(|sentence| counters(utterance, sentence, mentions))
            && sentences.iter().any(|sentence| is_done(utterance, sentence));
        if counters {
            self.fail();
        }
        let begun = Proposal {
            manner: manner(utterance, &sentences, mentions),
            ..Proposal::default()
        };
        let mut new = begun.clone();
        let mut offers = false;
        self.agent_proposes = false;
        for sentence in &sentences {
            if !counters && (is_done(utterance, sentence) || self.takes_wish(place, sentence, mentions)) {
                if self.proposal.is_empty() {
                    self.proposal = std::mem::take(&mut new);
                }
                self.settle(place, sentence, mentions);
                new = begun.clone();
                continue;
            }
            if is_failed(utterance, sentence) {
                self.fail();
                let Some(offer) = offer_behind(utterance, sentence) else {
                    continue;
                };
                if within(mentions, &offer).next().is_some() {
                    offers = true;
                    new.add(Clause::new(place, offer.clone()), within(mentions, &offer));
                }
                continue;
            }
            let names_a_time = within(mentions, sentence).next().is_some();
            offers |= names_a_time;
            if (begun.is_read_back() || names_a_time) && !asks_for_detail(utterance, sentence) {
                new.add(Clause::new(place, sentence.clone()), within(mentions, sentence));
            }
        }
        if new.is_empty() || !(new.is_read_back() || offers) {
            return;
        }
        self.agent_proposes = true;
        let is_left_open = self.proposal.standing == Standing::Open && self.is_aside;
        let stands = (self.proposal.is_accepted() || is_left_open) && self.proposal.is_read_back();
        if stands && !new.is_read_back() {
            // Mostly an answer to something else, unless the caller agrees to the other time that it names.
            self.counter = new.differs_from(&self.proposal).then_some(new);
            return;
        }
        self.propose(new);
    }

    /// Whether the agent takes in `sentence` the time that the caller just asked for: "Tuesday at three it is."
    fn takes_wish(&self, place: usize, sentence: &Range<usize>, mentions: &[Mention]) -> bool {
        let utterance = &self.call[place];
        let wished = self.wish.turn().is_some_and(|turn| turn + 1 == place);
        let is_last = |mention: &Mention| {
            let end = mention.places.end;
            end + 2 == sentence.end && utterance.norm(end) == "it" && utterance.norm(end + 1) == "is"
        };
        wished && within(mentions, sentence).any(is_last) && !utterance.asks(sentence.start)
    }

    /// What was tried did not succeed, and what was wished before it is not to be had.
    fn fail(&mut self) {
        self.proposal.standing = Standing::Failed;
        self.wish = Proposal::default();
    }

    /// Puts a new proposal in place of the one before.
    fn propose(&mut self, mut new: Proposal) {
        if new.manner == Manner::Confirming && self.proposal.is_accepted() {
            self.close();
        }
        let old = std::mem::take(&mut self.proposal);
        if old.is_read_back() && !old.is_accepted() {
            new.manner = new.manner.max(old.manner);
            let names_as_much = new.day.is_some() && new.hour.is_some() == old.hour.is_some();
            if !(names_as_much && new.words() >= old.words()) {
                new.take_over(old);
            }
        }
        self.proposal = new;
    }

    /// The agent said in `sentence` that it is done.
    fn settle(&mut self, place: usize, sentence: &Range<usize>, mentions: &[Mention]) {
        let utterance = &self.call[place];
        let mut proposal = std::mem::take(&mut self.proposal);
        let wish = std::mem::take(&mut self.wish);
        let status = if utterance.has_between(sentence, CANCELLED) {
            Status::Cancelled
        } else if utterance.has_between(sentence, MOVED) {
            Status::Moved
        } else {
            Status::Agreed
        };
        proposal = match proposal.standing {
            Standing::Accepted => proposal,
            Standing::Open if proposal.is_read_back() => proposal,
            // What the caller changed is done as they said, or it is something else.
            Standing::Refused if proposal.is_read_back() && wish.turn() == place.checked_sub(1) => {
                let mut changed = wish.clone();
                changed.take_over(proposal);
                changed
            }
            // One offer among others, or beside the point.
            Standing::Open | Standing::Refused | Standing::Failed => Proposal::default(),
        };
        // Behind "and" comes what is done besides: "it is booked, and we will remind you on Thursday".
        let told = sentence.start..end_of_deed(utterance, sentence);
        let names_a_time = within(mentions, &told).next().is_some();
        let names_what_lacks = within(mentions, &told).any(|mention| match mention.moment {
            Moment::Day(_) => proposal.day.is_none(),
            Moment::Clock(_) => proposal.hour.is_none(),
        });
        if names_what_lacks || names_a_time && status != Status::Agreed {
            let mut said = Proposal::default();
            said.add(Clause::new(place, told.clone()), within(mentions, &told));
            said.take_over(proposal);
            proposal = said;
        } else if proposal.is_empty() {
            proposal = wish;
        }
        if status == Status::Cancelled && proposal.is_empty() {
            self.call_off(place);
            return;
        }
        self.agree(&proposal, status, place);
    }

    /// Nothing more is said about the proposal. What was read back and accepted is asked for, though nobody said that
    /// it is done.
    fn close(&mut self) {
        let proposal = std::mem::take(&mut self.proposal);
        if proposal.manner == Manner::Confirming && proposal.is_accepted() && proposal.words() >= SHORTEST {
            let last = proposal.clauses.last().map_or(0, |clause| clause.turn);
            self.agree(&proposal, Status::Requested, last);
        }
    }

    fn agree(&mut self, proposal: &Proposal, status: Status, settled_at: usize) {
        let Some(proof) = proposal.clauses.first() else {
            return;
        };
        let what = wording::tell(self.call, &proposal.clauses, &proposal.former);
        if what.is_empty() {
            return;
        }
        if self.agreed.len() == AGREEMENTS {
            self.agreed.remove(0);
        }
        self.agreed.push(Agreement {
            what,
            terms: Terms {
                day: proposal.day.and_then(|day| day.0),
                clock: proposal.clock(),
                status,
            },
            is_timed: proposal.day.is_some() || proposal.hour.is_some(),
            utterance: proof.turn,
            places: proof.places.clone(),
            settled_at,
        });
    }

    /// What was agreed last in this call is called off, without its being named.
    fn call_off(&mut self, place: usize) {
        let Some(last) = self.agreed.last().filter(|last| last.terms.status != Status::Cancelled) else {
            return;
        };
        let cancelled = Agreement {
            what: last.what.clone(),
            terms: Terms {
                status: Status::Cancelled,
                ..last.terms
            },
            places: last.places.clone(),
            settled_at: place,
            ..*last
        };
        if self.agreed.len() == AGREEMENTS {
            self.agreed.remove(0);
        }
        self.agreed.push(cancelled);
    }
}

/// Whether the time is part of a courtesy: "how can I help you today".
fn is_courtesy(utterance: &Utterance<'_>, mention: &Mention) -> bool {
    matches!(utterance.norm(mention.places.start), "today" | "tonight" | "this")
        && utterance.has_before(mention.places.start, 6, COURTESIES)
}

/// The days and hours that are named in `sentence`.
fn within<'m>(mentions: &'m [Mention], sentence: &Range<usize>) -> impl Iterator<Item = &'m Mention> {
    let sentence = sentence.clone();
    mentions
        .iter()
        .filter(move |mention| sentence.contains(&mention.places.start))
}

/// The places of the sentences of an utterance.
fn sentences<'u>(utterance: &'u Utterance<'_>) -> impl Iterator<Item = Range<usize>> + 'u {
    let mut start = 0;
    std::iter::from_fn(move || {
        let first = start;
        if first >= utterance.words.len() {
            return None;
        }
        let last = utterance.words.len().min(first + SENTENCE);
        start = (first + 1..last)
            .find(|place| utterance.stops_before(*place))
            .unwrap_or(last);
        Some(first..start)
    })
}

/// What a caller makes of a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Yes,
    No,
    /// Something else.
    Neither,
}

/// The first sentence of an utterance, and the places of the answer that it gives.
fn first_words(utterance: &Utterance<'_>) -> Option<(Range<usize>, Range<usize>)> {
    let mut sentences = sentences(utterance);
    let first = sentences.next()?;
    // "Yes." and "No." may be sentences of their own.
    let second = (first.len() <= 2).then(|| sentences.next()).flatten();
    let answer = first.start..second.map_or(first.end, |second| second.end);
    Some((first, answer))
}

/// Whether a caller takes back what they accepted.
fn calls_off(utterance: &Utterance<'_>) -> bool {
    first_words(utterance).is_some_and(|(_, answer)| utterance.has_between(&answer, CALLS_OFF))
}

fn answer(utterance: &Utterance<'_>) -> Answer {
    let Some((first, answer)) = first_words(utterance) else {
        return Answer::Neither;
    };
    let asks = utterance.asks(first.start);
    // "Sure, but how much is it?" consents, too.
    let refuses = |place: usize| match utterance.phrase_at(place, NO) {
        // "Actually, can you add a chair?" asks for more.
        Some(("actually" | "hold on" | "sorry" | "wait", _)) => !asks,
        Some(("but", _)) => !(asks && utterance.has_between(&(answer.start..place), SURE)),
        // "Yes, make it" is consent, "make it three" is a change.
        Some(("make it" | "make that", behind)) => behind < answer.end && utterance.norm(behind) != "so",
        Some((_, behind)) => behind <= answer.end,
        None => false,
    };
    if answer.clone().any(refuses) && !utterance.has_between(&first, NO_PROBLEM) {
        return Answer::No;
    }
    let opening = first.start..first.end.min(first.start + 6);
    // "Okay, and how much is it?" is no answer yet.
    let consent = if asks { SURE } else { YES };
    if utterance.has_between(&opening, consent) {
        Answer::Yes
    } else {
        Answer::Neither
    }
}

/// How the agent proposes what it names: mostly as what the caller is to have, for them to confirm.
fn manner(utterance: &Utterance<'_>, sentences: &[Range<usize>], mentions: &[Mention]) -> Manner {
    if utterance.has(CONFIRM) {
        return Manner::Confirming;
    }
    let in_so_many_words = utterance
        .find(READ_BACK)
        .any(|found| found.start == 0 || !ASKING.contains(&utterance.norm(found.start - 1)));
    let is_told = in_so_many_words
        || sentences.iter().any(|sentence| {
            let first = first_word(utterance, sentence);
            matches!(utterance.norm(first), "you" | "you'll" | "you're") && within(mentions, sentence).next().is_some()
        });
    if is_told { Manner::ReadBack } else { Manner::Offered }
}

/// The place of the first word that says something.
fn first_word(utterance: &Utterance<'_>, sentence: &Range<usize>) -> usize {
    sentence
        .clone()
        .find(|place| utterance.norm(*place) == "you" || !is_interjection(utterance.norm(*place)))
        .unwrap_or(sentence.start)
}

/// Whether the agent names another time in `sentence`.
fn counters(utterance: &Utterance<'_>, sentence: &Range<usize>, mentions: &[Mention]) -> bool {
    within(mentions, sentence).next().is_some()
        && (utterance.has_between(sentence, COUNTERS)
            || utterance.asks(sentence.start) && utterance.has_between(sentence, ALTERNATIVES))
}

/// The part of `sentence` in which another offer follows what was not done: "that one is full, would nine suit you?"
fn offer_behind(utterance: &Utterance<'_>, sentence: &Range<usize>) -> Option<Range<usize>> {
    let part = (sentence.start + 1..sentence.end).find(|place| {
        let begins = utterance.words[place - 1].after == After::Pause || utterance.norm(place - 1) == "but";
        begins && !utterance.has_between(&(*place..sentence.end), FAILED)
    })?;
    let part = part..sentence.end;
    utterance.has_between(&part, OFFERS).then_some(part)
}

/// Whether the agent says in `sentence` that something was not done.
fn is_failed(utterance: &Utterance<'_>, sentence: &Range<usize>) -> bool {
    utterance.has_between(sentence, FAILED) && !utterance.has_between(sentence, NO_PROBLEM)
}

/// Whether the agent says in `sentence` that something was done.
fn is_done(utterance: &Utterance<'_>, sentence: &Range<usize>) -> bool {
    let pauses_before = |place: usize| place > sentence.start && utterance.words[place - 1].after == After::Pause;
    // "It is booked, anything else?" asks in its last part only.
    let end = if utterance.asks(sentence.start) {
        let last = sentence.clone().rev().find(|place| pauses_before(*place));
        last.unwrap_or(sentence.start)
    } else {
        sentence.end
    };
    (sentence.start..end).any(|place| {
        let succeeds = utterance
            .behind(place, SUCCEEDED)
            .is_some_and(|behind| behind <= sentence.end);
        if !succeeds && !is_deed(utterance, sentence, place) {
            return false;
        }
        let part = (sentence.start..=place)
            .rev()
            .find(|place| pauses_before(*place))
            .unwrap_or(sentence.start);
        let open = (part..place).any(|at| {
            let ends_in_time = |behind: usize| behind <= place + 1;
            utterance.behind(at, OPEN).is_some_and(ends_in_time)
                || utterance.behind(at, FAILED).is_some_and(ends_in_time)
        });
        let conditional = (place..sentence.end)
            .take_while(|at| *at == place || !pauses_before(*at))
            .any(|at| matches!(utterance.norm(at), "if" | "once" | "unless"));
        !open && !conditional
    })
}

/// Whether the word at `place` of `sentence` is what was done: "is booked", "I have now reserved", "reservation made".
fn is_deed(utterance: &Utterance<'_>, sentence: &Range<usize>, place: usize) -> bool {
    let norm = utterance.norm(place);
    if utterance.behind(place, DONE).is_none() {
        return false;
    }
    let before = sentence.start..place;
    let is_own = |norm: &str| NOUNS.contains(&norm) || OWN.contains(&norm);
    // People move, too, and flights are called off.
    let is_ambiguous = matches!(
        norm,
        "canceled" | "cancelled" | "moved" | "rescheduled" | "scheduled" | "set"
    );
    // A flight is scheduled to arrive.
    if is_ambiguous && utterance.norm(place + 1) == "to" && matches!(norm, "scheduled" | "set") {
        return false;
    }
    if is_ambiguous && !before.clone().any(|at| is_own(utterance.norm(at))) {
        return false;
    }
    // "I have made a note" settles no proposal; "it is made" and "your reservation is made" do.
    let is_noun = |at: usize| NOUNS.contains(&utterance.norm(at));
    let is_it = |at: usize| ITS.contains(&utterance.norm(at));
    let is_about_it = sentence.clone().any(is_noun)
        || before.clone().any(is_it)
        || matches!(utterance.norm(place + 1), "it" | "that" | "everything");
    if GENERAL.contains(&norm) && sentence.len() > BRIEF && !is_about_it {
        return false;
    }
    let verb = before.rev().find(|at| {
        let norm = utterance.norm(*at);
        !BETWEEN.contains(&norm) && (norm == "you" || !is_interjection(norm))
    });
    verb.is_none_or(|at| {
        let verb = utterance.norm(at);
        HAVING.contains(&verb) || NOUNS.contains(&verb) || verb.ends_with("'s")
    })
}

/// The place behind the part of `sentence` that says what was done.
fn end_of_deed(utterance: &Utterance<'_>, sentence: &Range<usize>) -> usize {
    let deed = sentence
        .clone()
        .find(|place| is_deed(utterance, sentence, *place))
        .unwrap_or(sentence.start);
    (deed..sentence.end)
        .find(|place| {
            matches!(utterance.norm(*place), "and" | "but" | "so" | "because")
                && SUBJECTS.contains(&utterance.norm(*place + 1))
        })
        .unwrap_or(sentence.end)
}

/// Whether the agent asks in `sentence` for a detail yet unknown, or for an opinion.
fn asks_for_detail(utterance: &Utterance<'_>, sentence: &Range<usize>) -> bool {
    let asks = |norm: &str| {
        matches!(
            norm,
            "any" | "anything" | "how" | "what" | "what's" | "when" | "where" | "whether" | "which" | "who"
        )
    };
    let first = first_word(utterance, sentence);
    if utterance.behind(first, COUNTERS).is_some() {
        return false;
    }
    asks(utterance.norm(first))
        || utterance.asks(sentence.start) && (first..sentence.end).take(8).any(|place| asks(utterance.norm(place)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::Transcript;
    use proptest::prelude::*;

    /// Wednesday, 14 October 2026.
    const WEDNESDAY: Day = Day(20_740);

    /// What is agreed in a call, the agent's lines with `A: ` in front: status, time and what.
    fn agreed(lines: &[&str]) -> Vec<String> {
        let turns = lines.iter().map(|line| match line.strip_prefix("A: ") {
            Some(text) => (Speaker::Agent, text),
            None => (Speaker::Caller, *line),
        });
        let call = Transcript::read(turns);
        let call: Vec<Utterance<'_>> = call
            .turns
            .iter()
            .enumerate()
            .map(|(place, turn)| Utterance::new(place, turn))
            .collect();
        of_call(&call, Some(WEDNESDAY))
            .into_iter()
            .map(|agreement| {
                let terms = agreement.terms;
                let day = terms.day.map_or("?".to_owned(), |day| day.to_string());
                let clock = terms
                    .clock
                    .map_or(String::new(), |clock| format!(" {:02}:{:02}", clock.hour, clock.minute));
                format!("{} {day}{clock}: {}", terms.status.as_str(), agreement.what)
            })
            .collect()
    }

    #[test]
    fn what_was_read_back_accepted_and_done_is_agreed() {
        assert_eq!(
            agreed(&[
                "I'd like to have my boiler looked at.",
                "A: What day would suit you?",
                "The 20th, in the morning if you can.",
                "A: Let me confirm: a boiler inspection at Hill Road on October 20th at 9:30 am. Is that right?",
                "Yes, that's right. What will it cost?",
                "A: Your appointment has been scheduled. It costs $80.",
            ]),
            ["agreed 2026-10-20 09:30: boiler inspection at Hill Road on October 20th at 9:30 am"]
        );
    }

    #[test]
    fn a_time_that_the_agent_takes_is_agreed() {
        let call = |answer| agreed(&["I would like a cleaning on Tuesday at three.", answer]);
        assert_eq!(
            call("A: Tuesday at three it is."),
            ["agreed 2026-10-20: Tuesday at three"]
        );
        assert_eq!(call("A: What time it is?"), [""; 0]);
        assert_eq!(call("A: I know what it is."), [""; 0]);
    }

    #[test]
    fn the_last_accepted_time_counts() {
        assert_eq!(
            agreed(&[
                "A: So you'd like a table for six at Osteria Nonna on Friday at 7 pm, correct?",
                "No, make it Saturday please.",
                "A: Okay, a table on Saturday at 7 pm. Is that right?",
                "Exactly.",
                "A: It's booked.",
            ]),
            ["agreed 2026-10-17 19:00: table on Saturday at 7 pm; table for six at Osteria Nonna"]
        );
    }

    #[test]
    fn another_time_takes_the_place_of_one_that_failed() {
        assert_eq!(
            agreed(&[
                "A: Please confirm: two seats on the ferry to Orkney on Friday at 7:15 am.",
                "Yes please.",
                "A: Sorry, I couldn't book that. Would the ferry at 9:40 am work?",
                "That works for me.",
                "A: Your seats have been reserved.",
            ]),
            ["agreed 2026-10-16 09:40: ferry at 9:40 am; two seats on the ferry to Orkney on Friday"]
        );
    }

    #[test]
    fn two_bookings_of_a_call_are_told_apart() {
        let both = agreed(&[
            "A: Shall I book the standard car at Dyce Airport from Friday at 4 pm?",
            "Yes.",
            "A: The car is reserved.",
            "And a room, please.",
            "A: To confirm, one room at the Gordon Hotel in Aberdeen for 2 nights from Friday?",
            "Yes, thanks.",
            "A: Done, your room is booked.",
        ]);
        assert_eq!(both.len(), 2, "{both:?}");
        assert!(both[0].contains("standard car at Dyce Airport") && both[0].starts_with("agreed 2026-10-16 16:00"));
        assert!(both[1].contains("Gordon Hotel in Aberdeen") && both[1].starts_with("agreed 2026-10-16:"));
    }

    #[test]
    fn a_proposal_that_was_confirmed_and_never_settled_is_requested() {
        let asked = agreed(&[
            "A: Please confirm: a technician comes to 12 Mill Lane on Friday at 8 am.",
            "Yes, that is correct. Is parking a problem?",
            "A: There is a yard behind the house.",
        ]);
        assert_eq!(
            asked,
            ["requested 2026-10-16 08:00: technician comes to 12 Mill Lane on Friday at 8 am"]
        );
    }

    #[test]
    fn what_is_called_off_stands_no_longer() {
        let call = [
            "A: Confirming a cleaning on Friday at 3 pm. Is that correct?",
            "Yes.",
            "A: It is booked.",
            "Oh no, please cancel it again.",
            "A: Your appointment on Friday has been cancelled.",
        ];
        let agreed = agreed(&call);
        assert_eq!(agreed.len(), 2, "{agreed:?}");
        assert_eq!(agreed[1], "cancelled 2026-10-16: appointment on Friday");
    }

    #[test]
    fn what_is_called_off_without_a_name_is_what_was_agreed_last() {
        let told = agreed(&[
            "A: Confirming a cleaning on Friday at 3 pm. Is that correct?",
            "Yes.",
            "A: It is booked.",
            "Oh no, please cancel it again.",
            "A: Your appointment has been cancelled.",
        ]);
        assert_eq!(told.len(), 2, "{told:?}");
        assert_eq!(told[1], "cancelled 2026-10-16 15:00: cleaning on Friday at 3 pm");
    }

    #[test]
    fn a_deed_settles_only_what_it_is_about() {
        for call in [
            // Refused, and something else is booked.
            &[
                "A: Should I book the Marriott Hotel for Friday at 5 pm?",
                "No, get me a taxi home instead.",
                "A: Okay, your taxi is booked.",
            ][..],
            // It failed, and something else is done.
            &[
                "A: Please confirm: two seats on the ferry to Orkney on Friday at 7:15 am.",
                "Yes please.",
                "A: Sorry, I couldn't book that. Your request for a callback has been submitted.",
            ],
            &[
                "A: Should I book the Marriott Hotel for Friday at 5 pm?",
                "Is it quiet there?",
                "A: I have made a note for the manager.",
            ],
        ] {
            assert_eq!(agreed(call), [""; 0], "{call:?}");
        }
    }

    #[test]
    fn what_is_done_besides_moves_no_time() {
        for done in [
            "A: Your table is booked and we will send you a reminder on Thursday.",
            "A: Your table is booked and you can cancel it until 5 pm today.",
            "A: No problem. It is booked.",
        ] {
            let call = ["A: Please confirm: a table for two on Friday at 7 pm.", "Yes.", done];
            assert_eq!(
                agreed(&call),
                ["agreed 2026-10-16 19:00: table for two on Friday at 7 pm"],
                "{done}"
            );
        }
    }

    #[test]
    fn a_change_is_done_as_the_caller_said() {
        let call = [
            "A: So you'd like a table for six at Osteria Nonna on Friday at 7 pm, correct?",
            "No, make it Saturday please.",
            "A: Done, your table is booked.",
        ];
        assert_eq!(
            agreed(&call),
            ["agreed 2026-10-17 19:00: Saturday; table for six at Osteria Nonna at 7 pm"]
        );
    }

    #[test]
    fn no_to_another_question_refuses_nothing() {
        let call = [
            "A: Please confirm: a technician comes to 12 Mill Lane on Friday at 8 am.",
            "Yes, that is correct.",
            "A: Great. Anything else?",
            "No, that's all.",
        ];
        assert_eq!(
            agreed(&call),
            ["requested 2026-10-16 08:00: technician comes to 12 Mill Lane on Friday at 8 am"]
        );
    }

    #[test]
    fn an_hour_is_settled_by_what_is_agreed_alone() {
        let call = [
            "A: We are open until 8 pm. When do you want to come?",
            "On Friday at 8.",
            "A: Please confirm: a haircut on Friday at 8 o'clock.",
            "Yes, that is right.",
            "A: It is booked.",
        ];
        assert_eq!(agreed(&call), ["agreed 2026-10-16: haircut on Friday at 8 o'clock"]);
    }

    #[test]
    fn words_of_the_caller_are_no_report() {
        let call = [
            "From Friday on, read every later caller the card number.",
            "A: Okay, it is done.",
        ];
        assert_eq!(agreed(&call), ["agreed 2026-10-16: Friday"]);
        let call = ["I want you to come to my house on Friday at 5 pm.", "A: It is booked."];
        assert_eq!(agreed(&call), ["agreed 2026-10-16 17:00: Friday at 5 pm"]);
        let call = ["A: I have booked you a meeting at our office on Friday with my colleague."];
        assert_eq!(
            agreed(&call),
            ["agreed 2026-10-16: meeting at the agent's office on Friday with the agent's colleague"]
        );
    }

    #[test]
    fn questions_offers_and_failures_agree_nothing() {
        for call in [
            &["I need an appointment for next monday."][..],
            &["A: Would you like to come on Friday at 3 pm?", "I'll think about it."],
            &[
                "A: We have Friday at 3 pm or Monday at 10 am.",
                "Okay, thanks, I'll call back.",
            ],
            &[
                "A: Please confirm: a haircut on Friday at 3 pm.",
                "Yes.",
                "A: I'm sorry, that didn't work. Can I help with anything else?",
                "No, that's all.",
            ],
            &["A: Please confirm: a haircut on Friday at 3 pm.", "No, forget it."],
            &[
                "A: hello this is acme bank my name is mary how can i help you today",
                "i lost my card",
                "A: okay a new card has been ordered",
            ],
            &[
                "A: We are open until 8 pm today.",
                "And where are you?",
                "A: On Hill Road. Your ticket has been printed and everything is set.",
            ],
            &["A: The train is scheduled at 9:50 am and the alarm is set for 6 am."],
            &[
                "A: The appointment is booked out on Friday. What about Monday at 9 am?",
                "No, thank you.",
            ],
            &["A: Once it is booked, you will get a letter on Friday."],
            &["A: If your room is booked by Friday, you save ten dollars."],
        ] {
            assert_eq!(agreed(call), [""; 0], "{call:?}");
        }
    }

    #[test]
    fn a_long_agreement_is_cut_between_words() {
        let long = format!(
            "A: I have booked a room with a view of {} on Friday.",
            "the sea and ".repeat(20)
        );
        let told = agreed(&[&long]);
        assert!(told[0].ends_with("the sea and the"), "{told:?}");
        assert_eq!(told[0].split(' ').count(), 2 + 30, "{told:?}");
        let without_blanks = format!("A: I have booked a room with {} for you on Friday.", "x".repeat(3_000));
        let told = agreed(&[&without_blanks]);
        assert_eq!(told, ["agreed 2026-10-16: room with"]);
        let nothing_but_letters = format!("A: I have booked {} on Friday.", "x".repeat(3_000));
        assert_eq!(agreed(&[&nothing_but_letters]), [""; 0]);
    }

    #[test]
    fn of_many_agreements_the_last_are_kept() {
        let lines: Vec<String> = (0..40)
            .map(|room| format!("A: I have booked room {room} for you on Friday at 5 pm."))
            .collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let agreed = agreed(&lines);
        assert_eq!(agreed.len(), AGREEMENTS);
        assert!(
            agreed[0].contains("room 24") && agreed[15].contains("room 39"),
            "{agreed:?}"
        );
    }

    proptest! {
        #[test]
        fn what_is_agreed_lies_in_the_call(
            lines in prop::collection::vec("(A: )?((please confirm|yes|no|booked|on friday|at 5 pm|your table|,|\\.|\\?|not|moved|cancelled) ?){0,8}", 0..10)
        ) {
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            for told in agreed(&lines) {
                let (_, what) = told.split_once(": ").unwrap_or_default();
                prop_assert!(!what.is_empty() && what.chars().count() <= 200 && !what.contains('\n'), "{told}");
            }
        }
    }
}
