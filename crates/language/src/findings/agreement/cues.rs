//! The words by which an agent proposes and settles, and a caller accepts or refuses. Only [`NOUNS`] and [`SUCCEEDED`]
//! name what is booked, by the commonest words for it in any trade.

use crate::text::phrases::{Phrases, phrases};

/// What people say without meaning a time by it.
pub(super) const COURTESIES: &Phrases = phrases![
    "assist you",
    "can i do for you",
    "do for you",
    "doing",
    "have a",
    "help you",
    "help you with",
    "how are you",
    "thank you for",
    "thanks for",
];

/// The agent asks for a confirmation, and can mean nothing else.
pub(super) const CONFIRM: &Phrases = phrases![
    "am i right",
    "can you confirm",
    "confirming",
    "correct",
    "could you confirm",
    "do you confirm",
    "double check",
    "is that right",
    "is this right",
    "just to confirm",
    "let me confirm",
    "let's confirm",
    "please confirm",
    "please verify",
    "to confirm",
    "you confirm",
];

/// The agent reads something back.
pub(super) const READ_BACK: &Phrases = phrases![
    "am i right",
    "confirm",
    "confirmation",
    "confirming",
    "correct",
    "double check",
    "i am booking",
    "i am going to",
    "i am reserving",
    "i have you",
    "i will",
    "i'll",
    "i'm booking",
    "i'm going to",
    "i'm reserving",
    "is everything",
    "is that ok",
    "is that okay",
    "is that right",
    "is this ok",
    "is this okay",
    "is this right",
    "let me",
    "let me see",
    "let's",
    "making a",
    "shall i",
    "should i",
    "so you want",
    "so you would like",
    "so you'd like",
    "to be sure",
    "verify",
    "we are going to",
    "we will",
    "we'll",
    "would you like me to",
    "you are looking",
    "you are trying",
    "you need",
    "you want",
    "you wanted",
    "you wish",
    "you would like to",
    "you'd like",
    "you're looking",
];

/// In front of [`READ_BACK`], these make it a question for something unknown: "what would you like".
pub(super) const ASKING: &[&str] = &[
    "can", "could", "do", "how", "if", "what", "when", "where", "which", "would",
];

/// How an agent names another time.
pub(super) const COUNTERS: &Phrases = phrases!["how about", "what about"];

/// How an agent asks for another time.
pub(super) const ALTERNATIVES: &Phrases = phrases!["do you want", "does", "instead", "would"];

/// How an agent offers another time behind what could not be done.
pub(super) const OFFERS: &Phrases = phrases![
    "available",
    "can offer",
    "do you want",
    "does",
    "how about",
    "there are",
    "there is",
    "there's",
    "what about",
    "would",
];

/// What is done when something is settled.
pub(super) const DONE: &Phrases = phrases![
    "added",
    "arranged",
    "booked",
    "bought",
    "canceled",
    "cancelled",
    "changed",
    "complete",
    "completed",
    "confirmed",
    "created",
    "done",
    "finalized",
    "made",
    "moved",
    "ordered",
    "placed",
    "processed",
    "purchased",
    "rescheduled",
    "reserved",
    "scheduled",
    "secured",
    "set",
    "submitted",
    "success",
    "successful",
    "successfully",
];

/// Those of [`DONE`] that make an agreement, and neither move one nor call it off.
pub(super) const BOOKED: &Phrases = phrases![
    "arranged",
    "booked",
    "bought",
    "ordered",
    "purchased",
    "reserved",
    "scheduled",
    "secured",
];

/// A caller asks for something new.
pub(super) const BOOK: &Phrases = phrases![
    "book",
    "buy",
    "get an appointment",
    "make a booking",
    "make a reservation",
    "make an appointment",
    "order",
    "purchase",
    "reserve",
    "schedule",
];

/// Those of [`DONE`] that are said of anything: something is to be named that they settle.
pub(super) const GENERAL: &[&str] = &[
    "added",
    "complete",
    "completed",
    "created",
    "done",
    "made",
    "placed",
    "processed",
    "submitted",
    "success",
    "successful",
    "successfully",
];

/// How that is named which was just spoken of.
pub(super) const ITS: &[&str] = &[
    "all",
    "everything",
    "everything's",
    "it",
    "it's",
    "that",
    "that's",
    "they",
    "they're",
    "you're",
];

/// Who does something in what follows "and".
pub(super) const SUBJECTS: &[&str] = &[
    "he", "i", "i'll", "it", "it'll", "please", "she", "there", "they", "they'll", "we", "we'll", "you", "you'll",
    "your",
];

/// Words that [`DONE`] follows.
pub(super) const HAVING: &[&str] = &[
    "all",
    "am",
    "are",
    "been",
    "everything's",
    "got",
    "has",
    "have",
    "i",
    "i've",
    "is",
    "it's",
    "that's",
    "they're",
    "they've",
    "was",
    "we",
    "we've",
    "went",
    "were",
    "you're",
    "you've",
];

/// Words that may stand between the auxiliary and what was done: "i have just booked".
pub(super) const BETWEEN: &[&str] = &[
    "ahead",
    "all",
    "already",
    "and",
    "been",
    "gone",
    "just",
    "now",
    "officially",
    "successfully",
];

/// Who or what a schedule is the caller's by. A flight is scheduled and an alarm is set without agreeing anything.
pub(super) const OWN: &[&str] = &[
    "all",
    "everything",
    "i",
    "i've",
    "it",
    "it's",
    "we",
    "we've",
    "you",
    "you're",
    "your",
];

/// What is booked, before a verb left out: "appointment confirmed".
pub(super) const NOUNS: &[&str] = &[
    "appointment",
    "booking",
    "car",
    "confirmation",
    "event",
    "order",
    "purchase",
    "reservation",
    "ride",
    "room",
    "seat",
    "seats",
    "table",
    "ticket",
    "tickets",
    "transaction",
    "trip",
    "visit",
];

/// Other ways to say that something is done.
pub(super) const SUCCEEDED: &Phrases = phrases![
    "able to book",
    "able to confirm",
    "able to get",
    "able to make",
    "able to purchase",
    "able to reserve",
    "able to schedule",
    "appointment is now",
    "are on the way",
    "got you down",
    "have secured",
    "have set aside",
    "have you down",
    "i got the",
    "is on its way",
    "is on the way",
    "managed to book",
    "managed to get",
    "managed to reserve",
    "new appointment is",
    "new time is",
    "put you down",
    "put you in",
    "went through",
    "you are down for",
    "you are in",
    "you got a",
    "you got it",
    "you got the",
    "you have a room",
    "you have a table",
    "you have got",
    "you're down for",
    "you're in",
    "you've got a",
    "you've got the",
    "you've got tickets"
];

/// Something was not done.
pub(super) const FAILED: &Phrases = phrases![
    "can't",
    "cannot",
    "could not",
    "couldn't",
    "couldnot",
    "declined",
    "did not",
    "didn't",
    "do not see",
    "does not",
    "doesn't",
    "don't see",
    "error",
    "fail",
    "failed",
    "full",
    "has not",
    "hasn't",
    "have not",
    "haven't",
    "issue",
    "never",
    "no availability",
    "no booking",
    "no longer",
    "not",
    "nothing",
    "problem",
    "sold out",
    "there are no",
    "there is no",
    "there's no",
    "trouble",
    "unable",
    "unavailable",
    "unfortunately",
    "unsuccessful",
    "wasn't",
    "won't",
    "wouldn't",
];

/// Whether it is done is left open.
pub(super) const OPEN: &Phrases = phrases![
    "after",
    "before",
    "can be",
    "could be",
    "if",
    "may",
    "might",
    "once",
    "should be",
    "to be",
    "unless",
    "until",
    "when",
    "will be",
    "would be",
];

/// A caller takes back what they accepted.
pub(super) const CALLS_OFF: &Phrases = phrases!["cancel", "forget it", "never mind", "nevermind"];

/// A caller wants something that was agreed called off.
pub(super) const CANCEL: &Phrases = phrases!["call off", "cancel"];

/// A caller leaves what was agreed as it is.
pub(super) const KEEPING: &Phrases = phrases!["forget it", "keep it", "leave it", "never mind", "nevermind",];

/// A caller wants something that was agreed moved.
pub(super) const MOVE: &Phrases = phrases!["change", "move", "postpone", "push", "reschedule", "switch"];

/// How people say that they want it.
pub(super) const WISHING: &Phrases = phrases![
    "calling to",
    "can i",
    "can we",
    "can you",
    "could i",
    "could we",
    "could you",
    "going to",
    "have to",
    "let's",
    "like to",
    "may i",
    "need to",
    "please",
    "want to",
    "want you to",
    "wanted to",
    "would you",
];

/// In front of it, these turn it round.
pub(super) const NEGATING: &Phrases = phrases!["didn't", "don't", "if", "never", "not"];

/// Words that ask how things could be changed some day.
pub(super) const POLICY: &Phrases = phrases![
    "anytime", "any time", "charge", "fee", "free", "later", "penalty", "policy", "still",
];

/// An agent proposes to call something off.
pub(super) const CANCELLING: &Phrases = phrases!["call off", "calling off", "cancel", "canceling", "cancelling"];

/// It is no longer planned.
pub(super) const TAKEN_OFF: &Phrases = phrases![
    "off the book",
    "off the books",
    "off the calendar",
    "off the schedule",
    "removed",
    "taken care of",
    "taken you off",
    "took you off",
];

/// It was called off.
pub(super) const CANCELLED: &Phrases = phrases!["called off", "canceled", "cancellation", "cancelled"];

/// It was moved.
pub(super) const MOVED: &Phrases = phrases![
    "appointment is now",
    "changed",
    "moved",
    "new appointment is",
    "new time is",
    "rescheduled"
];

/// The caller wants it otherwise than it was just agreed.
pub(super) const INSTEAD: &Phrases = phrases![
    "can we do",
    "could we do",
    "i meant",
    "i said",
    "instead",
    "make it",
    "rather"
];

/// The agent is yet to find out.
pub(super) const DEFERRING: &Phrases = phrases![
    "ask the",
    "check with",
    "find out",
    "get back to you",
    "let you know",
    "look into",
];

/// A sentence that begins so tells what might be.
pub(super) const SUPPOSING: &Phrases = phrases![
    "as long as",
    "as soon as",
    "for example",
    "for instance",
    "i wish",
    "if",
    "imagine",
    "once",
    "provided",
    "say",
    "suppose",
    "supposing",
    "unless",
    "when",
];

/// How a statement is turned into a question.
pub(super) const RIGHT_TAGS: &Phrases = phrases![
    "am i right",
    "aren't you",
    "correct",
    "isn't it",
    "ok",
    "okay",
    "right",
    "yes",
];

/// In front of what is done, these leave it undone, or speak of others than the caller.
pub(super) const OTHERS: &[&str] = &[
    "almost",
    "appointments",
    "bookings",
    "dr",
    "last",
    "mr",
    "mrs",
    "ms",
    "nearly",
    "nobody",
    "previous",
    "says",
    "tables",
    "who",
    "which",
];

/// A caller consents.
pub(super) const YES: &Phrases = phrases![
    "absolutely",
    "agreed",
    "all good",
    "all right",
    "alright",
    "awesome",
    "certainly",
    "confirm",
    "confirmed",
    "cool",
    "correct",
    "definitely",
    "do it",
    "exactly",
    "excellent",
    "fine",
    "go ahead",
    "go for it",
    "good",
    "great",
    "i agree",
    "i confirm",
    "i do",
    "i would",
    "it does",
    "it is",
    "lovely",
    "nice",
    "of course",
    "ok",
    "okay",
    "perfect",
    "perfectly",
    "please",
    "please do",
    "right",
    "sure",
    "that will do",
    "that works",
    "that'll do",
    "wonderful",
    "works",
    "ya",
    "yea",
    "yeah",
    "yep",
    "yes",
    "yup",
];

/// A caller consents, even in a question.
pub(super) const SURE: &Phrases = phrases![
    "absolutely",
    "confirmed",
    "correct",
    "exactly",
    "go ahead",
    "i confirm",
    "of course",
    "perfect",
    "sure",
    "that works",
    "yea",
    "yeah",
    "yep",
    "yes",
    "yup",
];

/// A caller who says so was asked whether it is right.
pub(super) const RIGHT: &Phrases = phrases![
    "correct",
    "exactly",
    "i confirm",
    "it is right",
    "it's right",
    "that is right",
    "that's right",
];

/// A caller refuses or changes.
pub(super) const NO: &Phrases = phrases![
    "actually",
    "but",
    "cancel",
    "change",
    "don't",
    "except",
    "hold off",
    "hold on",
    "i meant",
    "i'd rather",
    "incorrect",
    "instead",
    "isn't",
    "make it",
    "make that",
    "nah",
    "never mind",
    "nevermind",
    "no",
    "nope",
    "not",
    "sorry",
    "wait",
    "won't",
    "wrong",
];

/// These sound like it, and are none.
pub(super) const NO_PROBLEM: &Phrases = phrases!["no issue", "no problem", "no problems", "not a problem"];
