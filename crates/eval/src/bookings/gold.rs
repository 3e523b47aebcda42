//! Dialogues of the Schema-Guided Dialogue set, and what was booked in them.

use std::collections::{BTreeMap, BTreeSet};

use domain::call::{Role, Turn};
use serde::Deserialize;

/// Services that book something when their call succeeds.
const BOOKING_METHODS: &[&str] = &[
    "BookAppointment",
    "ReserveRestaurant",
    "ReserveHotel",
    "ReserveCar",
    "ScheduleVisit",
    "BuyBusTicket",
    "GetTrainTickets",
    "BookHouse",
    "BuyEventTickets",
    "BuyMovieTickets",
];

/// How far apart the turns of a dialogue are said.
const TURN_MS: i32 = 4_000;

/// A dialogue with what people noted of it.
#[derive(Deserialize)]
pub(crate) struct Dialogue {
    turns: Vec<Said>,
    calls: Vec<ServiceCall>,
}

#[derive(Deserialize)]
struct Said {
    role: String,
    text: String,
    /// Slot, first character, and the character behind the last one.
    spans: Vec<(String, usize, usize)>,
    /// Act, slot, values as they were said, and values as the service takes them, where they differ.
    acts: Vec<(String, String, Vec<String>, Vec<String>)>,
}

#[derive(Deserialize)]
struct ServiceCall {
    turn: usize,
    method: String,
    params: BTreeMap<String, String>,
    ok: bool,
}

impl ServiceCall {
    fn has_moment(&self) -> bool {
        let is_moment = |slot: &String| matches!(Kind::of(slot), Some(Kind::Date | Kind::Time));
        self.params.keys().any(is_moment)
    }
}

/// What a slot holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Date,
    Time,
    Name,
    Place,
}

impl Kind {
    fn of(slot: &str) -> Option<Self> {
        let has = |parts: &[&str]| parts.iter().any(|part| slot.contains(part));
        if has(&["date"]) {
            Some(Self::Date)
        } else if has(&["time"]) {
            Some(Self::Time)
        } else if has(&["name", "title", "movie", "track"]) {
            Some(Self::Name)
        } else if has(&[
            "city",
            "location",
            "address",
            "to_",
            "from_",
            "where",
            "area",
            "station",
            "destination",
        ]) || slot.ends_with("to")
            || slot.ends_with("from")
        {
            Some(Self::Place)
        } else {
            None
        }
    }
}

/// A value that was booked.
pub(crate) struct Item {
    /// What it is.
    pub(crate) kind: Kind,
    /// The value as the service takes it: `YYYY-MM-DD` for a date, `HH:MM` for a time.
    pub(crate) value: String,
    /// The turn of the booking, which tells the bookings of a dialogue apart.
    pub(crate) turn: usize,
    /// Every form in which somebody said it, as [`tokens`].
    pub(crate) forms: BTreeSet<String>,
}

impl Item {
    /// Whether a text that was read as `tokens` says it.
    pub(crate) fn stands_in(&self, tokens: &str) -> bool {
        self.forms.iter().any(|form| tokens.contains(form))
    }
}

impl Dialogue {
    /// Reads one dialogue of the data set.
    pub(crate) fn parse(line: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(line)
    }

    /// What each turn says.
    pub(crate) fn texts(&self) -> Vec<&str> {
        self.turns.iter().map(|said| said.text.as_str()).collect()
    }

    /// The transcript of a call that began at `start_ms`, in milliseconds since the epoch.
    pub(crate) fn transcript(&self, start_ms: f64) -> Vec<Turn> {
        let times = (0..).map(|place| start_ms + f64::from(TURN_MS * place));
        let turn = |(said, ts_ms): (&Said, f64)| Turn {
            role: if said.role == "user" { Role::User } else { Role::Agent },
            text: said.text.clone(),
            ts_ms,
        };
        self.turns.iter().zip(times).map(turn).collect()
    }

    /// The dates, times, names and places of the bookings that succeeded, as far as somebody said them.
    pub(crate) fn gold(&self) -> Vec<Item> {
        let mut gold = Vec::new();
        let booked = |call: &&ServiceCall| call.ok && BOOKING_METHODS.contains(&call.method.as_str());
        for call in self.calls.iter().filter(booked) {
            for (slot, value) in &call.params {
                let Some(kind) = Kind::of(slot) else { continue };
                if matches!(value.as_str(), "True" | "False" | "dontcare") {
                    continue;
                }
                let forms = self.forms(slot, value);
                if !forms.is_empty() {
                    gold.push(Item {
                        kind,
                        value: value.clone(),
                        turn: call.turn,
                        forms,
                    });
                }
            }
        }
        gold
    }

    fn forms(&self, slot: &str, value: &str) -> BTreeSet<String> {
        let acts = self.turns.iter().flat_map(|said| &said.acts);
        acts.filter(|(_, of, ..)| of == slot)
            .flat_map(|(_, _, said, taken)| said.iter().zip(if taken.is_empty() { said } else { taken }))
            .filter(|(_, taken)| *taken == value)
            .map(|(said, _)| tokens(said))
            .collect()
    }

    /// Whether a service succeeded, of whatever kind, that was given a date or a time.
    pub(crate) fn has_moment(&self) -> bool {
        self.calls.iter().any(|call| call.ok && call.has_moment())
    }

    /// Whether a service succeeded that was given neither date nor time.
    pub(crate) fn has_order(&self) -> bool {
        self.calls.iter().any(|call| call.ok && !call.has_moment())
    }

    /// What was said of `kind`, as [`tokens`].
    pub(crate) fn spans(&self, kind: Kind) -> BTreeSet<String> {
        let of_turn = |said: &Said| -> Vec<String> {
            let wanted = said.spans.iter().filter(|(slot, ..)| Kind::of(slot) == Some(kind));
            wanted
                .map(|(_, from, to)| said.text.chars().take(*to).skip(*from).collect::<String>())
                .map(|words| tokens(&words))
                .collect()
        };
        self.turns.iter().flat_map(of_turn).collect()
    }
}

/// The words and figures of a text in lower case, a space before and behind each, so that one text contains another
/// only by whole words.
pub(crate) fn tokens(text: &str) -> String {
    let lower = text.to_lowercase();
    let words = lower
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty());
    format!(" {} ", words.collect::<Vec<_>>().join(" "))
}
