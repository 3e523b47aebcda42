//! The course of a call: proposal, change, acceptance or refusal, and the words that settle it.
//!
//! The agent reads back what it is about to do, the caller accepts or changes it, and the agent says that it is done,
//! or that it cannot be. Only what was said to be done is agreed, and what the caller confirmed without hearing that is
//! requested. A later proposal takes the place of an earlier one, and what it does not name is taken over from it. A
//! question, an offer that nobody took and a failed try agree nothing.

use std::{collections::HashSet, ops::Range};

use super::{
    super::utterance::Utterance,
    closing::{AgreementView, closed_by, is_name},
    cues::{
        ALTERNATIVES, ASKING, BETWEEN, BOOK, BOOKED, CALLS_OFF, CANCEL, CANCELLED, CANCELLING, CONFIRM, COUNTERS,
        COURTESIES, DEFERRING, DONE, FAILED, GENERAL, HAVING, INSTEAD, ITS, KEEPING, MOVE, MOVED, NEGATING, NO,
        NO_PROBLEM, NOUNS, OFFERS, OPEN, OTHERS, OWN, POLICY, READ_BACK, RIGHT, RIGHT_TAGS, SUBJECTS, SUCCEEDED,
        SUPPOSING, SURE, TAKEN_OFF, WISHING, YES,
    },
    moment::{Day, Mention, Moment, SaidDay, SaidHour, TimeOfDay, mentions, weekday},
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

/// What is called off when nobody says what.
const ANYTHING: &str = "appointment";

/// The most hours of a proposal that are kept.
const HOURS: usize = 12;

/// What was agreed in `call`, in the order in which it was settled. `today` is the day of the call. Linear in its
/// length.
pub(super) fn of_call(call: &[Utterance<'_>], today: Option<Day>) -> Vec<Agreement> {
    let mut course = Course {
        call,
        proposal: Proposal::default(),
        counter: None,
        is_aside: false,
        wish: Proposal::default(),
        agent_proposes: false,
        offers: Vec::new(),
        change: None,
        today,
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
    state: ProposalState,
    /// Its hours that are settled: the same hour without its half of the day is taken for one of them.
    hours: Vec<SaidHour>,
}

/// What became of a proposal so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum ProposalState {
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
    fn clock(&self) -> Option<TimeOfDay> {
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
        self.state == ProposalState::Accepted
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

/// A time that the agent offers beside others.
struct Offer {
    day: Option<SaidDay>,
    hour: Option<SaidHour>,
    /// The words that name it.
    clauses: Vec<Clause>,
}

/// A change of something that was agreed before, which the caller asks for.
struct Change {
    status: Status,
    /// The place of the utterance that asks for it.
    turn: usize,
    /// The place of the word that names what is to be changed, if any does.
    thing: Option<usize>,
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
    /// The times that the agent's last turn offered.
    offers: Vec<Offer>,
    /// What the caller asked to have moved or called off.
    change: Option<Change>,
    today: Option<Day>,
    agreed: Vec<Agreement>,
}

impl Course<'_, '_> {
    fn hear_caller(&mut self, place: usize, mentions: &[Mention]) {
        let utterance = &self.call[place];
        let answer = answer(utterance);
        if let Some(counter) = self.counter.take()
            && answer == Answer::Yes
        {
            self.proposal.state = ProposalState::Open;
            self.propose(counter);
        }
        self.is_aside = answer == Answer::Neither && mentions.is_empty() && utterance.asks(0);
        if let Some(change) = change_asked(place, utterance, !mentions.is_empty())
            && (change.status == Status::Cancelled || self.proposal.is_empty())
        {
            self.change = Some(change);
        } else if self.proposal.is_empty() && !self.agreed.is_empty() && !mentions.is_empty() && utterance.has(INSTEAD)
        {
            self.change = Some(Change {
                status: Status::Moved,
                turn: place,
                thing: None,
            });
        } else if utterance.has(KEEPING) || wishes_to_book(utterance) {
            self.change = None;
        }
        let offers = std::mem::take(&mut self.offers);
        match answer {
            // "Anything else?" – "No." refuses nothing that was agreed before.
            Answer::No if self.agent_proposes || calls_off(utterance) => {
                self.proposal.state = ProposalState::Refused;
                self.wish = Proposal::default();
            }
            Answer::Yes if mentions.is_empty() && self.can_be_accepted(&offers) => {
                self.proposal.state = ProposalState::Accepted;
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
        if answer != Answer::No
            && let Some(offer) = chosen(utterance, mentions, &offers)
        {
            self.wish.clauses.clone_from(&offer.clauses);
            (self.wish.day, self.wish.hour) = (offer.day, offer.hour);
            return;
        }
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

    /// Whether "yes" says what the caller will have: it chooses none of several offers.
    fn can_be_accepted(&self, offers: &[Offer]) -> bool {
        let is_choice = |offer: &Offer| {
            let places = &offer.clauses.first().map(|clause| (clause.turn, clause.places.end));
            places.is_some_and(|(turn, end)| (end..end + 4).any(|place| self.call[turn].norm(place) == "or"))
        };
        let is_one = self.proposal.is_read_back() || !offers.iter().any(is_choice);
        let is_open = matches!(self.proposal.state, ProposalState::Open | ProposalState::Refused);
        is_one && is_open && !self.proposal.is_empty()
    }

    fn hear_agent(&mut self, place: usize, mentions: &[Mention]) {
        let utterance = &self.call[place];
        let sentences: Vec<Range<usize>> = sentences(utterance)
            .flat_map(|sentence| self.deeds(utterance, sentence))
            .collect();
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
            let is_settled = self.is_settled(utterance, sentence) || self.takes_wish(place, sentence, mentions);
            if !counters && is_settled {
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
            // What the agent is yet to find out is not proposed.
            if utterance.has_between(sentence, DEFERRING) {
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
        self.offers = offered(place, mentions);
        let is_left_open = self.proposal.state == ProposalState::Open && self.is_aside;
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
        self.proposal.state = ProposalState::Failed;
        self.wish = Proposal::default();
        self.change = None;
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
        let change = std::mem::take(&mut self.change);
        let status = if utterance.has_between(sentence, CANCELLED) {
            Status::Cancelled
        } else if utterance.has_between(sentence, MOVED) {
            Status::Moved
        } else {
            // "It is done" does what the caller asked for.
            let asked = change.as_ref().map(|change| change.status);
            let calls_off = |clause: &Clause| self.call[clause.turn].has_between(&clause.places, CANCELLING);
            let books = utterance.has_between(sentence, BOOKED);
            match asked {
                _ if books && self.is_beside(utterance, sentence, change.as_ref()) => Status::Agreed,
                _ if proposal.clauses.iter().any(calls_off) => Status::Cancelled,
                Some(Status::Cancelled) if books || !proposal.is_empty() => Status::Agreed,
                asked => asked.unwrap_or(Status::Agreed),
            }
        };
        // Behind "and" comes what is done besides: "it is booked, and we will remind you on Thursday".
        let deed = sentence.start..end_of_deed(utterance, sentence);
        if status == Status::Cancelled {
            let is_named = utterance.has_between(&deed, CANCELLED) || proposal.is_empty();
            if is_named || proposal.state == ProposalState::Refused {
                self.call_off(place, deed, mentions, change.as_ref());
            } else {
                self.agree(&proposal, status, place);
            }
            return;
        }
        if matches!(proposal.state, ProposalState::Refused) && self.is_of_another(utterance, &deed, &proposal) {
            proposal = Proposal::default();
        }
        proposal = match proposal.state {
            ProposalState::Accepted => proposal,
            ProposalState::Open if proposal.is_read_back() => proposal,
            // What the caller changed is done as they said, or it is something else.
            ProposalState::Refused if proposal.is_read_back() && wish.turn() == place.checked_sub(1) => {
                let mut changed = wish.clone();
                changed.take_over(proposal);
                changed
            }
            // One offer among others, or beside the point.
            ProposalState::Open | ProposalState::Refused | ProposalState::Failed => Proposal::default(),
        };
        let names_a_time = within(mentions, &deed).next().is_some();
        let names_what_lacks = within(mentions, &deed).any(|mention| match mention.moment {
            Moment::Day(_) => proposal.day.is_none(),
            Moment::Clock(_) => proposal.hour.is_none(),
        });
        if names_what_lacks || names_a_time && status != Status::Agreed {
            let mut said = Proposal::default();
            // "Moved from Monday to Tuesday at nine."
            let is_new = |mention: &Mention| utterance.norm(mention.places.start.wrapping_sub(1)) == "to";
            let new = within(mentions, &deed).filter(|mention| is_new(mention)).last();
            let from = new
                .filter(|_| status == Status::Moved)
                .map_or(0, |mention| mention.places.start);
            let times = within(mentions, &deed).filter(|mention| mention.places.start >= from);
            said.add(Clause::new(place, deed.clone()), times);
            said.take_over(proposal);
            proposal = said;
        } else if proposal.is_empty() {
            proposal = wish;
        }
        self.agree(&proposal, status, place);
    }

    /// A sentence that says one thing to be done "and" another is two.
    fn deeds(&self, utterance: &Utterance<'_>, sentence: Range<usize>) -> Vec<Range<usize>> {
        let end = end_of_deed(utterance, &sentence);
        let (deed, other) = (sentence.start..end, end + 1..sentence.end);
        if other.is_empty() || !self.is_settled(utterance, &deed) || !is_done(utterance, &other) {
            return vec![sentence];
        }
        vec![deed, other]
    }

    /// Whether the agent says in `sentence` that something was done.
    fn is_settled(&self, utterance: &Utterance<'_>, sentence: &Range<usize>) -> bool {
        is_done(utterance, sentence) || self.is_taken_off(utterance, sentence) || self.is_changed(utterance, sentence)
    }

    /// Whether the agent says in `sentence` that what the caller asked to change has been changed: "the haircut for Ana
    /// has been moved".
    fn is_changed(&self, utterance: &Utterance<'_>, sentence: &Range<usize>) -> bool {
        let Some(change) = &self.change else { return false };
        let changed = match change.status {
            Status::Cancelled => CANCELLED,
            _ => MOVED,
        };
        let is_so = |place: &usize| {
            let before = sentence.start..*place;
            let verb = before.clone().rev().find(|at| !BETWEEN.contains(&utterance.norm(*at)));
            let is_passive = verb.is_some_and(|at| {
                let norm = utterance.norm(at);
                matches!(norm, "are" | "has" | "have" | "is" | "was" | "were") || norm.ends_with("'s")
            });
            utterance.behind(*place, changed).is_some()
                && is_passive
                && !utterance.has_between(&before, OPEN)
                && change.thing.is_none_or(|thing| {
                    let thing = self.call[change.turn].norm(thing);
                    before.clone().any(|at| is_same_noun(utterance.norm(at), thing))
                })
        };
        sentence.clone().any(|place| is_so(&place))
            && !utterance.asks(sentence.start)
            && !is_supposed(utterance, sentence)
            && !is_failed(utterance, sentence)
    }

    /// Whether `sentence` says that some thing is booked, and not what the caller asked to change.
    fn is_beside(&self, utterance: &Utterance<'_>, sentence: &Range<usize>, change: Option<&Change>) -> bool {
        let Some((change, thing)) = change.and_then(|change| Some((change, change.thing?))) else {
            return false;
        };
        let thing = self.call[change.turn].norm(thing);
        let mut booked = utterance.find(BOOKED).filter(|found| sentence.contains(&found.start));
        let booked = booked.next().map_or(sentence.end, |found| found.start);
        // "Your massage is booked", "I've booked a massage"; but not "you're booked with Mia".
        let is_thing = |place: &usize| {
            let norm = utterance.norm(*place);
            let is_told = *place < booked || matches!(utterance.norm(place - 1), "a" | "an" | "the" | "your");
            is_told && is_name(norm) && !is_interjection(norm)
        };
        let deed = sentence.start..end_of_deed(utterance, sentence);
        let others = deed.filter(|place| utterance.behind(*place, DONE).is_none());
        let mut things = others.filter(is_thing).map(|place| utterance.norm(place)).peekable();
        things.peek().is_some() && !things.any(|name| is_same_noun(name, thing))
    }

    /// Whether the agent says in `sentence` that what the caller asked to call off is gone: "I've taken you off the
    /// schedule".
    fn is_taken_off(&self, utterance: &Utterance<'_>, sentence: &Range<usize>) -> bool {
        let is_asked = self
            .change
            .as_ref()
            .is_some_and(|change| change.status == Status::Cancelled);
        is_asked && utterance.has_between(sentence, TAKEN_OFF) && !utterance.has_between(sentence, OPEN)
    }

    /// Something is called off: what the `deed` names, else what the caller asked to call off. Where the same was
    /// agreed in this call, it is told in the same words.
    fn call_off(&mut self, place: usize, deed: Range<usize>, mentions: &[Mention], change: Option<&Change>) {
        let utterance = &self.call[place];
        let clause = Clause::new(place, deed.clone());
        let mut what = String::new();
        if utterance.has_between(&deed, CANCELLED) {
            what = wording::named(utterance, &clause);
        }
        if what.is_empty() {
            let thing = change.and_then(|change| Some(self.call[change.turn].norm(change.thing?)));
            thing.unwrap_or(ANYTHING).clone_into(&mut what);
        }
        let mut called_off = Proposal::default();
        called_off.add(clause, within(mentions, &deed));
        let mut is_timed = called_off.day.is_some() || called_off.hour.is_some();
        let mut terms = Terms {
            day: called_off.day.and_then(|day| day.0),
            clock: called_off.clock(),
            status: Status::Cancelled,
        };
        let closer = AgreementView {
            what: &what,
            day: terms.day,
            status: terms.status,
        };
        let reach: Vec<usize> = (0..self.agreed.len()).collect();
        let meant = closed_by(&closer, &reach, |place| Some(self.agreed[place].view()));
        if !is_timed && let Some(earlier) = meant.first().map(|place| &self.agreed[*place]) {
            (terms.day, terms.clock) = (earlier.terms.day, earlier.terms.clock);
            is_timed = earlier.is_timed;
            what.clone_from(&earlier.what);
        }
        self.push(Agreement {
            what,
            terms,
            is_timed,
            utterance: place,
            places: deed,
            settled_at: place,
        });
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
        let parts = proposal
            .clauses
            .iter()
            .map(|clause| self.parts(clause))
            .find(|parts| !parts.is_empty());
        for part in parts.unwrap_or_else(|| vec![proposal.clone()]) {
            let Some(proof) = part.clauses.first() else {
                return;
            };
            self.push(Agreement {
                what: wording::tell(self.call, &part.clauses, &part.former),
                terms: Terms {
                    day: part.day.and_then(|day| day.0),
                    clock: part.clock(),
                    status,
                },
                is_timed: part.day.is_some() || part.hour.is_some(),
                utterance: proof.turn,
                places: proof.places.clone(),
                settled_at,
            });
        }
    }

    fn push(&mut self, agreement: Agreement) {
        let is_repeated = |last: &Agreement| last.terms == agreement.terms && last.what == agreement.what;
        if agreement.what.is_empty() || self.agreed.last().is_some_and(is_repeated) {
            return;
        }
        if self.agreed.len() == AGREEMENTS {
            self.agreed.remove(0);
        }
        self.agreed.push(agreement);
    }

    /// The parts of a clause that names several things, each with its day and hour: "Pepper on Monday at eleven and
    /// Biscuit on Wednesday at nine". None for any other clause.
    fn parts(&self, clause: &Clause) -> Vec<Proposal> {
        let utterance = &self.call[clause.turn];
        let mentions = mentions(utterance, &clause.places, self.today);
        let pairs: Vec<&[Mention]> = mentions.chunks(2).collect();
        let is_pair = |pair: &&[Mention]| {
            let moments: Vec<Moment> = pair.iter().map(|mention| mention.moment).collect();
            matches!(moments[..], [Moment::Day(_), Moment::Clock(_)])
        };
        if utterance.speaker == Speaker::Caller || pairs.len() < 2 || !pairs.iter().all(is_pair) {
            return Vec::new();
        }
        let mut parts: Vec<Proposal> = Vec::new();
        let mut start = clause.places.start;
        for (place, pair) in pairs.iter().enumerate() {
            let end = match pairs.get(place + 1) {
                None => clause.places.end,
                Some(next) => {
                    let mut between = pair[1].places.end..next[0].places.start;
                    match between.find(|at| utterance.norm(*at) == "and") {
                        Some(and) => and,
                        None => return Vec::new(),
                    }
                }
            };
            let mut part = Proposal::default();
            part.add(Clause::new(clause.turn, start..end), pair.iter());
            parts.push(part);
            start = end + 1;
        }
        parts
    }

    /// Whether the `deed` names something, and nothing that the proposal names.
    fn is_of_another(&self, utterance: &Utterance<'_>, deed: &Range<usize>, proposal: &Proposal) -> bool {
        let proposed: HashSet<&str> = proposal
            .clauses
            .iter()
            .flat_map(|clause| clause.places.clone().map(|place| self.call[clause.turn].norm(place)))
            .collect();
        let mut names = deed
            .clone()
            .filter(|place| utterance.behind(*place, DONE).is_none())
            .map(|place| utterance.norm(place))
            .filter(|norm| is_name(norm) && !is_interjection(norm))
            .peekable();
        names.peek().is_some() && !names.any(|name| proposed.contains(name))
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

/// What the caller asks to have moved or called off, in an utterance that may name a time.
fn change_asked(turn: usize, utterance: &Utterance<'_>, names_a_time: bool) -> Option<Change> {
    sentences(utterance).find_map(|sentence| {
        let (verb, status) = sentence.clone().find_map(|place| {
            let calls_off = utterance
                .behind(place, CANCEL)
                .map(|end| (place..end, Status::Cancelled));
            calls_off.or_else(|| Some((place..utterance.behind(place, MOVE)?, Status::Moved)))
        })?;
        let begins = verb.start == first_word(utterance, &sentence)
            || verb.start > sentence.start && utterance.words[verb.start - 1].after == After::Pause;
        let is_wish = begins || utterance.has_before(verb.start, 6, WISHING);
        let is_negated = utterance.has_before(verb.start, 2, NEGATING);
        if !is_wish || is_negated || utterance.has_between(&sentence, POLICY) {
            return None;
        }
        let thing = (verb.end..sentence.end.min(verb.end + 5)).find(|place| {
            let norm = utterance.norm(*place);
            is_name(norm) && norm.len() > 2 && norm.bytes().all(|byte| byte.is_ascii_lowercase())
        });
        let is_noun = thing.is_some_and(|thing| NOUNS.contains(&utterance.norm(thing)));
        let is_own = matches!(utterance.norm(verb.end), "it" | "my" | "our" | "that");
        let is_change = status == Status::Cancelled
            || utterance.norm(verb.start) == "reschedule"
            || is_noun
            || names_a_time && is_own;
        is_change.then_some(Change { status, turn, thing })
    })
}

/// Whether the caller asks for something new: "I would like to book a massage".
fn wishes_to_book(utterance: &Utterance<'_>) -> bool {
    utterance.find(BOOK).any(|verb| {
        let is_negated = utterance.has_before(verb.start, 2, NEGATING);
        !is_negated && (verb.start == 0 || utterance.has_before(verb.start, 6, WISHING))
    })
}

/// Whether two nouns are one, in the singular or in the plural.
fn is_same_noun(one: &str, other: &str) -> bool {
    let singular = |norm: &'_ str| norm.len() - usize::from(norm.ends_with('s'));
    one[..singular(one)] == other[..singular(other)]
}

/// The times that an agent's utterance names, each with its day.
fn offered(turn: usize, mentions: &[Mention]) -> Vec<Offer> {
    let mut offers: Vec<Offer> = Vec::new();
    for mention in mentions.iter().take(HOURS) {
        let clause = Clause::new(turn, mention.places.clone());
        match (mention.moment, offers.last_mut()) {
            (Moment::Clock(hour), Some(last)) if last.hour.is_none() => {
                last.hour = Some(hour);
                last.clauses.push(clause);
            }
            (Moment::Clock(hour), last) => {
                let day = last.as_ref().and_then(|last| last.day);
                let of_day = last
                    .filter(|_| day.is_some())
                    .and_then(|last| last.clauses.first().cloned());
                offers.push(Offer {
                    day,
                    hour: Some(hour),
                    clauses: of_day.into_iter().chain([clause]).collect(),
                });
            }
            (Moment::Day(day), _) => offers.push(Offer {
                day: Some(day),
                hour: None,
                clauses: vec![clause],
            }),
        }
    }
    offers
}

/// The one of the offered times that the caller names: "the Tuesday is fine".
fn chosen<'o>(utterance: &Utterance<'_>, mentions: &[Mention], offers: &'o [Offer]) -> Option<&'o Offer> {
    let named = |offer: &&Offer| {
        mentions.iter().all(|mention| match mention.moment {
            Moment::Clock(hour) => offer.hour.is_some_and(|offered| offered.looks_like(hour)),
            Moment::Day(day) => offer.day.is_some_and(|offered| {
                offered == day && day.0.is_some()
                    || offered.0.is_some_and(|offered| is_bare(utterance, mention, offered))
            }),
        })
    };
    let mut chosen = offers.iter().filter(named);
    let first = chosen.next()?;
    chosen.next().is_none().then_some(first)
}

/// Whether the mention is nothing but the weekday of `day`.
fn is_bare(utterance: &Utterance<'_>, mention: &Mention, day: Day) -> bool {
    mention.places.len() == 1 && weekday(utterance.norm(mention.places.start)) == Some(day.weekday())
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
    if is_supposed(utterance, sentence) {
        return false;
    }
    // "It is booked, anything else?" asks in its last part only; "it is booked, right?" asks in all.
    let end = if utterance.asks(sentence.start) {
        let last = sentence.clone().rev().find(|place| pauses_before(*place));
        let is_tag = |place: &usize| {
            utterance
                .behind(*place, RIGHT_TAGS)
                .is_some_and(|end| end >= sentence.end)
        };
        last.filter(|last| !is_tag(last)).unwrap_or(sentence.start)
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

/// Whether `sentence` tells what might be.
fn is_supposed(utterance: &Utterance<'_>, sentence: &Range<usize>) -> bool {
    utterance.behind(first_word(utterance, sentence), SUPPOSING).is_some()
}

/// Whether what stands at `place` is supposed, or told of others than the caller or of the past.
pub(super) fn is_of_others(utterance: &Utterance<'_>, place: usize) -> bool {
    let start = (place.saturating_sub(SENTENCE)..=place)
        .rev()
        .find(|place| utterance.stops_before(*place))
        .unwrap_or(place);
    let is_past = (start..place + 2).any(|at| (utterance.norm(at), utterance.norm(at + 1)) == ("you", "were"));
    is_past
        || is_supposed(utterance, &(start..place + 1))
        || (start..place + 3).any(|at| OTHERS.contains(&utterance.norm(at)))
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
        "canceled" | "cancelled" | "changed" | "moved" | "rescheduled" | "scheduled" | "set"
    );
    // "Booked by somebody else", "almost booked", "Dr. Brown is booked", "you were booked last week".
    if utterance.norm(place + 1) == "by" && !matches!(norm, "moved" | "rescheduled")
        || before.clone().any(|at| OTHERS.contains(&utterance.norm(at)))
        || place >= 2 && (utterance.norm(place - 2), utterance.norm(place - 1)) == ("you", "were")
    {
        return false;
    }
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
    fn what_is_booked_is_not_what_was_to_be_changed() {
        let massage = "agreed 2026-10-20 16:00: massage on Tuesday at 4 pm";
        let wish = "I would like to book a massage on Tuesday at 4 pm too.";
        let booked = "A: Your massage on Tuesday at 4 pm is booked.";
        for (asked, answer) in [
            ("Can I cancel my haircut?", "A: There is a fee of 20 dollars."),
            ("Please cancel my haircut.", "A: Sure."),
            (
                "Please cancel my haircut.",
                "A: I am afraid that is not possible any more.",
            ),
            ("Please move my haircut to Friday at 2 pm.", "A: Sure."),
            ("Please move my haircut to Friday at 2 pm.", "A: I can't do that."),
        ] {
            let kept = "Never mind, I will keep it.";
            assert_eq!(agreed(&[asked, answer, wish, booked]), [massage], "{asked} {answer}");
            assert_eq!(
                agreed(&[asked, answer, &format!("{kept} {wish}"), booked]),
                [massage],
                "{asked} {answer} {kept}"
            );
        }
        assert_eq!(
            agreed(&[
                "Please cancel the haircut on Thursday.",
                "A: The haircut has been cancelled.",
                wish,
                booked
            ]),
            ["cancelled ?: haircut", massage]
        );
        assert_eq!(
            agreed(&[
                "Please move my haircut to Friday at 2 pm.",
                "A: The haircut has been moved to Friday at 2 pm.",
                wish,
                booked
            ]),
            [
                "moved 2026-10-16 14:00: haircut has been moved to Friday at 2 pm",
                massage
            ]
        );
        assert_eq!(
            agreed(&[
                "Cancel my haircut and book a massage on Tuesday at 4 pm.",
                "A: Your haircut is cancelled, and your massage on Tuesday at 4 pm is booked."
            ]),
            ["cancelled ?: haircut", massage]
        );
    }

    #[test]
    fn what_the_caller_asked_to_change_may_be_told_as_anybodys() {
        let cancelled = |line: &str| agreed(&["Please cancel my haircut for Ana.", line]);
        for (line, what) in [
            ("A: The haircut for Ana has been cancelled.", "haircut for Ana"),
            ("A: Ana's haircut has been cancelled.", "Ana's haircut"),
            ("A: The haircut is now cancelled.", "haircut"),
            ("A: No problem, the haircut has been cancelled.", "haircut"),
        ] {
            assert_eq!(cancelled(line), [format!("cancelled ?: {what}")], "{line}");
        }
        for line in [
            "A: The flight has been cancelled.",
            "A: Was the haircut cancelled?",
            "A: The haircut will be cancelled when you call again.",
            "A: The haircut was not cancelled.",
        ] {
            assert_eq!(cancelled(line), [""; 0], "{line}");
        }
    }

    #[test]
    fn all_are_called_off_at_once() {
        let booked = |what: &str| format!("A: Your {what} is booked.");
        let both = [
            booked("haircut on Thursday at 5 pm"),
            booked("haircut on Tuesday at 4 pm"),
            "Please cancel both haircuts.".to_owned(),
            "A: Both haircuts have been cancelled.".to_owned(),
        ];
        let both: Vec<&str> = both.iter().map(String::as_str).collect();
        assert_eq!(agreed(&both)[2..], ["cancelled ?: Both haircuts"]);
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
    fn what_was_agreed_in_an_earlier_call_is_called_off() {
        let asked = "Hi, I need to cancel my haircut.";
        for (answer, told) in [
            (
                "A: Okay, that's done. Your haircut is cancelled.",
                "cancelled ?: haircut",
            ),
            ("A: Your appointment has been canceled.", "cancelled ?: appointment"),
            ("A: Done, I've cancelled that for you.", "cancelled ?: haircut"),
            ("A: Okay, I went ahead and cancelled it.", "cancelled ?: haircut"),
            (
                "A: I've taken you off the schedule for Friday.",
                "cancelled 2026-10-16: haircut",
            ),
            (
                "A: You're cancelled for Friday. Anything else?",
                "cancelled 2026-10-16: Friday",
            ),
            (
                "A: All right, I have cancelled your appointment for Friday.",
                "cancelled 2026-10-16: appointment for Friday",
            ),
            ("A: It is cancelled.", "cancelled ?: haircut"),
        ] {
            assert_eq!(agreed(&[asked, answer]), [told], "{answer}");
        }
        assert_eq!(
            agreed(&[
                "I want to cancel my haircut on December 4th.",
                "A: Let me confirm: you want to cancel your haircut on December 4th at 5 pm. Is that right?",
                "Yes.",
                "A: All done.",
            ]),
            ["cancelled 2026-12-04 17:00: haircut on December 4th at 5 pm"]
        );
        for kept in [
            &["Can I cancel later without a fee?", "A: Yes, all done."][..],
            &["Don't cancel my haircut.", "A: Okay, that's done."],
            &["I need to cancel my haircut.", "A: I'm sorry, I can't cancel that."],
            &[
                "Is it too late to cancel my haircut?",
                "A: If you call before noon, it is cancelled for free.",
            ],
        ] {
            assert_eq!(agreed(kept), [""; 0], "{kept:?}");
        }
    }

    #[test]
    fn another_thing_is_called_off_than_wview() {
        let told = agreed(&[
            "A: Confirming a table on Friday at 3 pm. Is that correct?",
            "Yes.",
            "A: It is booked.",
            "Also, cancel my taxi, please.",
            "A: Your taxi has been cancelled.",
        ]);
        assert_eq!(
            told,
            ["agreed 2026-10-16 15:00: table on Friday at 3 pm", "cancelled ?: taxi"]
        );
    }

    #[test]
    fn what_the_caller_asked_to_move_is_moved() {
        let asked = "Can I move my haircut to Monday the 19th at 11?";
        for (answer, told) in [
            (
                "A: I moved your appointment to Monday, October 19th at 11 AM with Mia.",
                "appointment to Monday, October 19th at 11 AM with Mia",
            ),
            (
                "A: All right, I've rescheduled your haircut to Monday the 19th at 11 AM.",
                "haircut to Monday the 19th at 11 AM",
            ),
            (
                "A: Your new appointment is Monday, October 19th at 11 AM.",
                "new appointment is Monday, October 19th at 11 AM",
            ),
            (
                "A: You're now booked for Monday the 19th at 11 AM instead.",
                "Monday the 19th at 11 AM instead",
            ),
            (
                "A: I've moved you to Monday the 19th at 11 AM.",
                "Monday the 19th at 11 AM",
            ),
            (
                "A: Monday the 19th at 11 AM it is. I've updated your appointment.",
                "Monday the 19th at 11 AM",
            ),
        ] {
            assert_eq!(
                agreed(&[asked, answer]),
                [format!("moved 2026-10-19 11:00: {told}")],
                "{answer}"
            );
        }
    }

    #[test]
    fn the_offered_time_that_the_caller_names_is_agreed() {
        let offer = "A: I have Tuesday, December 8th at 3 PM or Wednesday, December 9th at 10 AM.";
        let call = |choice, deed| agreed(&["I need a cleaning.", offer, choice, deed]);
        let tuesday = "agreed 2026-12-08 15:00: Tuesday, December 8th; 3 PM";
        assert_eq!(
            call("The Tuesday is fine.", "A: Wonderful, you're all booked."),
            [tuesday]
        );
        assert_eq!(call("Three works.", "A: Perfect, that's all booked."), [""; 0]);
        assert_eq!(call("3 pm please.", "A: Okay, booked."), [tuesday]);
        assert_eq!(call("No, not on Tuesday.", "A: Okay. Your question is noted."), [""; 0]);
    }

    #[test]
    fn what_is_moved_has_its_new_time() {
        for deed in [
            "A: I have moved your haircut from Friday to December 7th at 3 pm.",
            "A: Your haircut was moved from December 4th at 5 pm to December 7th at 3 pm.",
        ] {
            let told = agreed(&["I can't come.", deed]);
            assert!(
                told.len() == 1 && told[0].starts_with("moved 2026-12-07 15:00: "),
                "{told:?}"
            );
        }
    }

    #[test]
    fn what_the_caller_corrects_afterwards_counts() {
        let booked = "A: I have booked your haircut for December 4th at 5 pm.";
        for (correction, answer, told) in [
            (
                "No, that is wrong, I said December 5th.",
                "A: Sorry, I have changed it to December 5th at 5 pm.",
                "moved 2026-12-05 17:00: ",
            ),
            (
                "Sorry, can we do 6 pm instead?",
                "A: Your appointment is now booked for December 4th at 6 pm.",
                "moved 2026-12-04 18:00: ",
            ),
            (
                "Wait, no, cancel that.",
                "A: Okay, I have removed it.",
                "cancelled 2026-12-04 17:00: haircut for December 4th at 5 pm",
            ),
            (
                "I changed my mind, please cancel.",
                "A: Done. You will not be charged.",
                "cancelled 2026-12-04 17:00: haircut for December 4th at 5 pm",
            ),
        ] {
            let all = agreed(&["A haircut, please.", booked, correction, answer]);
            assert!(all.len() == 2 && all[1].starts_with(told), "{answer} {all:?}");
        }
    }

    #[test]
    fn what_is_told_of_others_or_supposed_is_not_agreed() {
        let asked = "A: Shall I book a table for two on December 4th at 7 pm?";
        for answer in [
            "A: I'm sorry, that time has already been booked by somebody else.",
            "A: All tables are booked on December 4th.",
            "A: Your card was declined, so no booking was made.",
            "A: Nothing was booked, the system is down.",
        ] {
            assert_eq!(agreed(&[asked, "Yes please.", answer]), [""; 0], "{answer}");
        }
        for told in [
            "A: If we have a slot, your appointment is booked for December 4th at 5 pm.",
            "A: Once you have paid, your table is booked for December 4th at 5 pm.",
            "A: As soon as you pay the deposit, you are booked for December 4th at 5 pm.",
            "A: You are booked for December 4th at 5 pm, right?",
            "A: I don't see that you are booked for December 4th at 5 pm.",
            "A: Nobody named Smith is booked for December 4th at 5 pm.",
            "A: For example, you are booked for December 4th at 5 pm.",
            "A: The email you got says you are booked for December 4th at 5 pm, but that email is a scam.",
            "A: Your appointment is almost booked for December 4th at 5 pm.",
            "A: Mrs. Miller has been booked for December 4th at 5 pm.",
            "A: Appointments that are booked on Friday at 5 pm are confirmed by text.",
            "A: I see you were booked for Friday at 5 pm last week and did not show up.",
            "A: Your last appointment was booked on Friday at 5 pm.",
        ] {
            assert_eq!(agreed(&["Hello.", told, "No."]), [""; 0], "{told}");
        }
    }

    #[test]
    fn a_wish_does_not_outlive_its_failure_or_refusal() {
        for call in [
            &[
                "I want two seats on the ferry on Friday at 7:15 am.",
                "A: Please confirm: two seats on the ferry to Orkney on Friday at 7:15 am.",
                "Yes please.",
                "A: Sorry, I couldn't book that. Your request for a callback has been submitted.",
            ][..],
            &[
                "I'd like a room on Friday at 5 pm.",
                "A: Should I book the Marriott Hotel for Friday at 5 pm?",
                "No, get me a taxi home instead.",
                "A: Okay, your taxi is booked.",
            ],
            &[
                "A: So you'd like a table for six at Osteria Nonna on Friday at 7 pm, correct?",
                "Is it quiet there?",
                "A: I have added your phone number to the account.",
            ],
        ] {
            assert_eq!(agreed(call), [""; 0], "{call:?}");
        }
        let told = agreed(&[
            "A: Should I book the Marriott Hotel for Friday at 5 pm?",
            "No, get me a taxi home at 6 pm instead.",
            "A: Okay, your taxi is booked.",
        ]);
        assert!(!told.iter().any(|told| told.contains("Marriott")), "{told:?}");
    }

    #[test]
    fn two_things_of_one_sentence_are_told_apart() {
        let told = agreed(&[
            "A: Okay, so that's Pepper on Monday at 11:20 AM and Biscuit on Wednesday the 21st at 8:45 AM, correct?",
            "Yes.",
            "A: You're all booked.",
        ]);
        assert_eq!(
            told,
            [
                "agreed 2026-10-19 11:20: Pepper on Monday at 11:20 AM",
                "agreed 2026-10-21 08:45: Biscuit on Wednesday the 21st at 8:45 AM",
            ]
        );
    }

    #[test]
    fn plain_words_of_a_deed_are_understood() {
        for (deed, told) in [
            (
                "A: You're down for Wednesday, December 2nd at 8 AM with Dr. Kim for a root canal.",
                "agreed 2026-12-02 08:00: Wednesday, December 2nd at 8 AM with Dr. Kim for a root canal",
            ),
            (
                "A: I've gone ahead and booked that for you: Tuesday, December 1st at 2 PM.",
                "agreed 2026-12-01 14:00: Tuesday, December 1st at 2 PM",
            ),
            (
                "A: I have put you in for two o'clock on Tuesday the first of December.",
                "agreed 2026-12-01: two o'clock on Tuesday the first of December",
            ),
            (
                "A: Great, I've booked you with Dr. Patel on Thursday, November 26th at 10:30 AM. Is there anything else?",
                "agreed 2026-11-26 10:30: with Dr. Patel on Thursday, November 26th at 10:30 AM",
            ),
        ] {
            assert_eq!(agreed(&["I need an appointment.", deed]), [told], "{deed}");
        }
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
            ["agreed 2026-10-16: meeting at our office on Friday with my colleague"]
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
