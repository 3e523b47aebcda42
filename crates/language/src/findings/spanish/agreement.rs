//! What was agreed: what is proposed, what the other side says to it, and whether the agent says that it is done.

use std::ops::Range;

use super::{
    super::{
        agreement::{Day, Mention, Moment, SaidHour, Status, Terms},
        finding::{Finding, Topic, statement},
        utterance::Utterance,
    },
    clause::is_condition,
    moment::mentions,
};
use crate::{
    text::{
        phrases::{Phrases, phrases},
        plain::plain,
    },
    transcript::Speaker,
};

/// Looks for what both sides agreed.
pub(super) fn find(call: &[Utterance<'_>], today: Option<Day>, findings: &mut Vec<Finding>) {
    let mut course = Course {
        today,
        open: None,
        change: None,
        findings,
    };
    for utterance in call {
        match utterance.speaker {
            Speaker::Agent => course.hear_agent(utterance),
            Speaker::Caller => course.hear_caller(utterance),
        }
    }
    course.close();
}

/// What may become an agreement.
#[derive(Clone)]
struct Proposal<'c, 'a> {
    utterance: &'c Utterance<'a>,
    /// The places of its words, from what it is about to its time.
    places: Range<usize>,
    /// What it is about; empty when nobody said.
    noun: String,
    /// Its times, as said.
    times: Vec<String>,
    day: Option<Day>,
    /// Whether a day was named, settled or not.
    names_day: bool,
    hour: Option<SaidHour>,
    /// Whether it was read back for the caller to confirm.
    is_read_back: bool,
    is_accepted: bool,
}

/// What the caller wants to be changed.
struct Change<'c, 'a> {
    status: Status,
    proposal: Option<Proposal<'c, 'a>>,
}

struct Course<'f, 'c, 'a> {
    today: Option<Day>,
    open: Option<Proposal<'c, 'a>>,
    change: Option<Change<'c, 'a>>,
    findings: &'f mut Vec<Finding>,
}

/// How agents say that something failed or is not to be had.
const FAILED: &Phrases = phrases![
    "completo",
    "desafortunadamente",
    "imposible",
    "lamentablemente",
    "lo siento",
    "no aparece",
    "no hay",
    "no hemos podido",
    "no me aparece",
    "no podemos",
    "no pude",
    "no pudimos",
    "no se ha podido",
    "no se pudo",
    "no tenemos",
    "no tengo",
    "ocupado",
];

/// What leaves a sentence open: it may yet be so, or is somebody else's.
const LEFT_OPEN: &Phrases = phrases![
    "aun",
    "cuando",
    "desea",
    "en cuanto",
    "necesito",
    "no",
    "otra persona",
    "otro cliente",
    "para confirmar",
    "podria",
    "puede",
    "que le",
    "quiere",
    "quisiera",
    "todavia",
    "una vez",
    "vecina",
    "vecino",
];

/// What tells of days that are gone, or of every week.
const NOT_TO_COME: &Phrases = phrases![
    "abrimos",
    "abren",
    "anteayer",
    "anterior",
    "atendemos",
    "ayer",
    "cerramos",
    "cierran",
    "estaba",
    "fue",
    "fui",
    "horario",
    "llego",
    "los domingos",
    "los jueves",
    "los lunes",
    "los martes",
    "los miercoles",
    "los sabados",
    "los viernes",
    "pasada",
    "quiza",
    "quizas",
    "siempre",
    "tal vez",
    "todos los",
    "tuvo",
    "tuve",
];

/// How agents say of an appointment that it stands, with its time behind.
const STANDS: &Phrases = phrases![
    "la espero",
    "la esperamos",
    "le espero",
    "le esperamos",
    "lo espero",
    "lo esperamos",
    "los esperamos",
    "nos vemos",
    "su cita es",
    "su cita sera",
    "su reserva es",
    "te espero",
    "te esperamos",
    "tiene cita",
];

/// Words before a participle that make it a deed.
const DONE: &[&str] = &[
    "dejo", "esta", "estan", "fue", "ha", "han", "he", "hecho", "hemos", "listo", "queda", "quedan", "quedo", "sido",
    "tengo", "ya",
];

/// How agents have something confirmed.
const READ_BACK: &Phrases = phrases![
    "confirma",
    "confirmo",
    "correcto",
    "entonces",
    "es correcto",
    "le confirmo",
    "verdad"
];

/// What an agreement is about.
const NOUNS: &[&str] = &[
    "cita",
    "clase",
    "consulta",
    "corte",
    "entrega",
    "entrevista",
    "instalacion",
    "limpieza",
    "llamada",
    "mesa",
    "recogida",
    "reparacion",
    "reserva",
    "reservacion",
    "reunion",
    "revision",
    "sesion",
    "turno",
    "visita",
];

/// The status that a participle tells.
fn participle(word: &str) -> Option<Status> {
    let stem = word.strip_suffix('s').unwrap_or(word);
    let stem = stem.strip_suffix(['a', 'o'])?;
    Some(match stem {
        "agendad" | "anotad" | "apuntad" | "confirmad" | "programad" | "registrad" | "reservad" => Status::Agreed,
        "aplazad" | "cambiad" | "movid" | "pospuest" | "reagendad" | "reprogramad" => Status::Moved,
        "anulad" | "cancelad" => Status::Cancelled,
        _ => return None,
    })
}

/// The status that somebody's deed in the first or third person tells.
fn preterite(utterance: &Utterance<'_>, place: usize) -> Option<(usize, Status)> {
    let (phrase, end) = utterance.phrase_at(
        place,
        phrases![
            "le agende",
            "le anote",
            "le apunte",
            "le reserve",
            "se cambio",
            "se cancelo",
            "se la agende",
            "se la cambie",
            "se la reserve",
            "te agende",
            "te reserve",
            "ya agende",
            "ya cancele",
            "ya reserve",
        ],
    )?;
    let is_accented = utterance.shown(end - 1).ends_with(['é', 'ó']);
    let is_behind_ya =
        place > 0 && utterance.norm(place - 1) == "ya" || phrase.starts_with("ya ") || phrase.starts_with("se c");
    (is_accented || is_behind_ya).then(|| {
        let status = match phrase {
            "se cancelo" | "ya cancele" => Status::Cancelled,
            "se cambio" | "se la cambie" => Status::Moved,
            _ => Status::Agreed,
        };
        (end, status)
    })
}

/// The most words beside the time in an answer that names one.
const BESIDE_TIME: usize = 4;

/// The sentences of an utterance.
fn sentences<'u>(utterance: &'u Utterance<'_>) -> impl Iterator<Item = Range<usize>> + 'u {
    let mut start = 0;
    std::iter::from_fn(move || {
        if start >= utterance.words.len() {
            return None;
        }
        let end = (start + 1..utterance.words.len())
            .find(|place| utterance.stops_before(*place))
            .unwrap_or(utterance.words.len());
        let sentence = start..end;
        start = end;
        Some(sentence)
    })
}

impl<'c, 'a> Course<'_, 'c, 'a> {
    fn hear_agent(&mut self, utterance: &'c Utterance<'a>) {
        for sentence in sentences(utterance) {
            if utterance.has_between(&sentence, FAILED) {
                self.open = None;
                self.change = None;
                continue;
            }
            if utterance.has_between(&sentence, NOT_TO_COME) {
                continue;
            }
            let named = self.proposal(utterance, &sentence);
            let is_open = utterance.asks(sentence.start)
                || utterance.has_between(&sentence, LEFT_OPEN)
                || sentence.clone().any(|place| is_condition(utterance, place));
            match done(utterance, &sentence).filter(|_| !is_open) {
                Some((place, status)) => self.settle(utterance, place, status, named),
                None if !is_open && utterance.has_between(&sentence, STANDS) => {
                    if let Some(named) = named {
                        self.agree(named, Status::Agreed);
                        self.open = None;
                    }
                }
                None => self.propose(named, is_open && !utterance.asks(sentence.start)),
            }
        }
    }

    fn hear_caller(&mut self, utterance: &'c Utterance<'a>) {
        let whole = 0..utterance.words.len();
        if utterance.words.is_empty() || utterance.has_between(&whole, NOT_TO_COME) {
            return;
        }
        let named = self.proposal(utterance, &whole);
        if let Some(status) = change_asked(utterance, &whole) {
            self.change = Some(Change {
                status,
                proposal: named,
            });
            self.open = None;
            return;
        }
        if refuses(utterance) {
            self.open = None;
            self.change = None;
            // "No, mejor el martes."
            self.open = named.filter(|_| utterance.has(phrases!["mejor"]));
            return;
        }
        if utterance.asks(0) {
            // A question about a time is no wish for it, but "¿puede ser el lunes?" is one.
            if utterance.has(phrases!["podria ser", "puede ser", "seria posible"]) {
                self.propose(named, false);
            }
            return;
        }
        if accepts(utterance)
            && let Some(open) = &mut self.open
        {
            open.is_accepted = true;
        }
        let is_wish = utterance.has(phrases![
            "gustaria",
            "mejor",
            "necesitaria",
            "necesito",
            "pido",
            "prefiero",
            "queria",
            "quiero",
            "quisiera",
            "reservar",
            "una cita",
        ]);
        let in_times = named.as_ref().map_or(0, |named| named.places.len());
        if is_wish || utterance.words.len() <= in_times + BESIDE_TIME {
            self.propose(named, false);
        }
    }

    /// What the words of `places` name, when they name one time.
    fn proposal(&self, utterance: &'c Utterance<'a>, places: &Range<usize>) -> Option<Proposal<'c, 'a>> {
        let found = mentions(utterance, places, self.today);
        let is_target = |mention: &&Mention| {
            let start = mention.places.start;
            utterance.norm(start) != "del" && !(start > 0 && utterance.norm(start - 1) == "del")
        };
        // "Del lunes al viernes" of a change ends on friday.
        let targets: Vec<&Mention> = found.iter().filter(is_target).collect();
        let targets = if targets.is_empty() {
            found.iter().collect()
        } else {
            targets
        };
        let first = targets.first()?;
        let last = targets.last()?;
        let (mut day, mut hour) = (None, None);
        let mut times = Vec::new();
        for mention in &targets {
            let is_other = match mention.moment {
                Moment::Day(said) => *day.get_or_insert(said) != said,
                Moment::Clock(said) => *hour.get_or_insert(said) != said,
            };
            if is_other {
                return None;
            }
            let time = utterance.quote(mention.places.clone()).to_owned();
            if !times.contains(&time) {
                times.push(time);
            }
        }
        let noun = (places.start..first.places.start).find(|place| NOUNS.contains(&utterance.norm(*place)));
        Some(Proposal {
            utterance,
            places: noun.unwrap_or(first.places.start)..last.places.end,
            noun: noun
                .map(|place| utterance.quote(place..end_of_noun(utterance, place)).to_owned())
                .unwrap_or_default(),
            times,
            day: day.and_then(|said| said.0),
            names_day: day.is_some(),
            hour,
            is_read_back: utterance.has_between(places, READ_BACK),
            is_accepted: false,
        })
    }

    /// Takes a new time; one that names only a day or an hour goes with what is open.
    fn propose(&mut self, named: Option<Proposal<'c, 'a>>, is_supposed: bool) {
        let Some(mut new) = named.filter(|_| !is_supposed) else {
            return;
        };
        if let Some(open) = self.open.take() {
            complete(&mut new, &open);
        }
        self.open = Some(new);
    }

    /// The agent says that something is done.
    fn settle(&mut self, utterance: &'c Utterance<'a>, place: usize, status: Status, named: Option<Proposal<'c, 'a>>) {
        let change = self.change.take();
        let status = match (&change, status) {
            (Some(change), Status::Agreed) if change.status == Status::Moved => Status::Moved,
            _ => status,
        };
        let open = self.open.take();
        let asked = change.and_then(|change| change.proposal);
        let former = match status {
            Status::Agreed | Status::Requested => open,
            Status::Moved => open.or(asked),
            Status::Cancelled => asked,
        };
        let agreed = match (named, former) {
            (Some(mut named), Some(former)) => {
                complete(&mut named, &former);
                named
            }
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) if status == Status::Cancelled => Proposal {
                utterance,
                places: place..place + 1,
                noun: noun_of(utterance),
                times: Vec::new(),
                day: None,
                names_day: false,
                hour: None,
                is_read_back: false,
                is_accepted: false,
            },
            (None, None) => return,
        };
        self.agree(agreed, status);
    }

    fn agree(&mut self, agreed: Proposal<'c, 'a>, status: Status) {
        let mut what = agreed.noun;
        for time in agreed.times {
            if !what.is_empty() {
                what.push(' ');
            }
            what.push_str(&time);
        }
        let mut finding = statement(Topic::Appointment, plain(&what), agreed.utterance, agreed.places);
        if let Finding::Statement(statement) = &mut finding {
            statement.terms = Some(Terms {
                day: agreed.day,
                clock: agreed.hour.and_then(SaidHour::clock),
                status,
            });
        }
        self.findings.push(finding);
    }

    /// What was read back and confirmed, and never said to be done, is asked for.
    fn close(mut self) {
        if let Some(open) = self.open.take().filter(|open| open.is_read_back && open.is_accepted) {
            self.agree(open, Status::Requested);
        }
    }
}

/// Adds to `new` what only `former` has.
fn complete(new: &mut Proposal<'_, '_>, former: &Proposal<'_, '_>) {
    if new.noun.is_empty() {
        new.noun.clone_from(&former.noun);
    }
    let of_day = usize::from(former.names_day);
    match (new.hour, former.hour) {
        (None, Some(_)) if new.day == former.day || !former.names_day => {
            new.hour = former.hour;
            new.times.extend(former.times.iter().skip(of_day).cloned());
        }
        (Some(said), Some(settled)) if !said.settled && settled.settled && said.looks_like(settled) => {
            new.hour = Some(settled);
        }
        _ => {}
    }
    if !new.names_day && former.names_day {
        (new.day, new.names_day) = (former.day, true);
        new.times.splice(0..0, former.times.first().cloned());
    }
}

/// The place behind what a noun is about: "mesa para dos", "cita de limpieza".
fn end_of_noun(utterance: &Utterance<'_>, place: usize) -> usize {
    let what = utterance.norm(place + 2);
    let is_people = utterance.norm(place + 1) == "para" && super::numbers::is_number(what);
    if is_people && !utterance.ends_before(place + 1) {
        place + 3 + usize::from(utterance.norm(place + 3) == "personas")
    } else {
        place + 1
    }
}

fn noun_of(utterance: &Utterance<'_>) -> String {
    let noun = (0..utterance.words.len()).find(|place| NOUNS.contains(&utterance.norm(*place)));
    noun.map_or_else(|| "cita".to_owned(), |place| utterance.shown(place).to_owned())
}

/// Where the sentence says that something is done, and what came of it.
fn done(utterance: &Utterance<'_>, sentence: &Range<usize>) -> Option<(usize, Status)> {
    sentence.clone().find_map(|place| {
        if let Some((_, status)) = preterite(utterance, place) {
            return Some((place, status));
        }
        let status = participle(utterance.norm(place))?;
        let first = place.saturating_sub(4).max(sentence.start);
        let is_done = (first..place).any(|before| DONE.contains(&utterance.norm(before)));
        is_done.then_some((place, status))
    })
}

/// What the caller asks to be done with what they have.
fn change_asked(utterance: &Utterance<'_>, places: &Range<usize>) -> Option<Status> {
    let deed = places.clone().find_map(|place| {
        let status = match utterance.norm(place) {
            "anular" | "cancelar" => Status::Cancelled,
            "aplazar" | "cambiar" | "mover" | "pasar" | "posponer" | "reprogramar" => Status::Moved,
            _ => return None,
        };
        Some((place, status))
    });
    let (place, status) = deed?;
    let is_of_appointment = places.clone().any(|place| NOUNS.contains(&utterance.norm(place)));
    (is_of_appointment && !utterance.has_before(place, 3, phrases!["no"])).then_some(status)
}

fn refuses(utterance: &Utterance<'_>) -> bool {
    const REFUSES: &Phrases = phrases![
        "consultarlo",
        "imposible",
        "lo pienso",
        "me va mal",
        "me viene mal",
        "no me va bien",
        "no me viene bien",
        "no puedo",
        "tengo que consultar",
    ];
    let is_no = utterance.norm(0) == "no" && !matches!(utterance.norm(1), "hay" | "importa" | "pasa");
    is_no || utterance.has(REFUSES)
}

fn accepts(utterance: &Utterance<'_>) -> bool {
    const ACCEPTS: &Phrases = phrases![
        "claro",
        "correcto",
        "de acuerdo",
        "ese me va bien",
        "esta bien",
        "exacto",
        "me parece bien",
        "me parece perfecto",
        "me va bien",
        "me viene bien",
        "muy bien",
        "ok",
        "okay",
        "perfecto",
        "si",
        "vale",
    ];
    utterance.behind(0, ACCEPTS).is_some() && !utterance.has(phrases!["pero"])
}
