//! What the caller was promised: that somebody will call, get in touch or send something.

use super::{
    super::{
        finding::{Finding, Topic, statement},
        utterance::Utterance,
    },
    clause::{is_condition, sentence_start},
};
use crate::{
    text::{
        phrases::{Phrases, phrases},
        plain::plain,
    },
    transcript::Speaker,
};

/// Whom a deed is for.
const OBJECTS: &[&str] = &["la", "las", "le", "les", "lo", "los", "nos", "se", "te"];

/// Deeds to come, by their form alone. Behind "nos" and "me" they are getting in touch.
const TO_COME: &Phrases = phrases![
    "avisaremos",
    "contactaremos",
    "contactara",
    "devolveremos la llamada",
    "devolvere la llamada",
    "enviaremos",
    "enviare",
    "llamara",
    "llamaran",
    "llamare",
    "llamaremos",
    "mandaremos",
    "mandare",
];

/// Deeds to come of those who get in touch.
const IN_TOUCH: &Phrases = phrases![
    "me comunicare con usted",
    "me pondre en contacto con usted",
    "nos comunicaremos con usted",
    "nos contactaremos con usted",
    "nos pondremos en contacto con usted",
    "recibira una llamada",
    "se comunicara con usted",
    "se comunicaran con usted",
    "se pondra en contacto con usted",
    "se pondran en contacto con usted",
    "va a llamarle",
    "vamos a llamarla",
    "vamos a llamarle",
    "vamos a llamarlo",
    "voy a llamarla",
    "voy a llamarle",
    "voy a llamarlo",
];

/// Deeds to come behind their object: "le vamos a llamar".
const GOING_TO: &Phrases = phrases![
    "va a contactar",
    "va a llamar",
    "vamos a contactar",
    "vamos a enviar",
    "vamos a llamar",
    "vamos a mandar",
    "van a llamar",
    "voy a enviar",
    "voy a llamar",
    "voy a mandar",
    "volvemos a llamar",
    "vuelvo a llamar",
];

/// Forms of the present, and of what is past: only a time to come makes them a promise.
const PRESENT: &Phrases = phrases![
    "contacto",
    "devolvemos la llamada",
    "devuelvo la llamada",
    "llama",
    "llamamos",
    "llaman",
    "llamo",
];

/// Times to come.
const LATER: &Phrases = phrases![
    "antes de",
    "apenas",
    "de vuelta",
    "dentro de",
    "despues",
    "en cuanto",
    "en media hora",
    "en un",
    "en una hora",
    "en unos",
    "enseguida",
    "esta misma semana",
    "esta noche",
    "esta semana",
    "esta tarde",
    "hoy mismo",
    "la proxima semana",
    "la semana que viene",
    "luego",
    "manana",
    "mas tarde",
];

/// Words that leave a deed open, deny it, or put it into the past.
const LEFT_OPEN: &Phrases = phrases![
    "caso",
    "cuando podemos",
    "dijeron",
    "dijo",
    "habia",
    "haya",
    "podemos",
    "podria",
    "puede",
    "quiere",
    "quiere que",
    "quizas",
    "tal vez",
    "usted nos",
];

/// The most words of a promise that are kept, and that may stand before its deed.
const LONGEST: usize = 24;
const BEFORE: usize = 7;

/// Looks for what the agent promises in `call`.
pub(super) fn find(call: &[Utterance<'_>], findings: &mut Vec<Finding>) {
    for utterance in call.iter().filter(|utterance| utterance.speaker == Speaker::Agent) {
        let mut behind = 0;
        for place in 0..utterance.words.len() {
            if place < behind {
                continue;
            }
            let Some((start, deed_end, is_sure)) = deed(utterance, place) else {
                continue;
            };
            let last = utterance.words.len().min(start + LONGEST);
            let end = (deed_end..last)
                .find(|at| utterance.ends_before(*at) || matches!(utterance.norm(*at), "gracias" | "algo" | "hasta"))
                .unwrap_or(last);
            behind = end;
            if !is_sure && !utterance.has_between(&(deed_end..end), LATER) && !names_next_day(utterance, deed_end, end)
            {
                continue;
            }
            if is_open(utterance, start, end) {
                findings.push(Finding::Doubt(Topic::Promise));
                continue;
            }
            let value = plain(utterance.quote(start..end));
            findings.push(statement(Topic::Promise, value, utterance, start..end));
        }
    }
}

/// The deed at `place`: the place where its clause begins, the one behind its verb, and whether its form alone says
/// that it is to come.
fn deed(utterance: &Utterance<'_>, place: usize) -> Option<(usize, usize, bool)> {
    if let Some(end) = utterance.behind(place, IN_TOUCH) {
        let is_of_self = matches!(utterance.norm(place), "me" | "nos" | "recibira" | "vamos" | "voy");
        return Some((
            if is_of_self {
                place
            } else {
                clause_start(utterance, place)
            },
            end,
            true,
        ));
    }
    if !OBJECTS.contains(&utterance.norm(place)) {
        return None;
    }
    // "Nos llamará" is a call of somebody else; "se llamará" is a name.
    if matches!(utterance.norm(place), "nos" | "se") {
        return None;
    }
    if let Some(end) = utterance
        .behind(place + 1, TO_COME)
        .or_else(|| utterance.behind(place + 1, GOING_TO))
    {
        // Without accents "le llamare" may be what somebody wished.
        let is_name = utterance.shown(place + 1).ends_with("llamaré") && is_capital(utterance, end);
        return (!is_name).then(|| (clause_start(utterance, place), end, true));
    }
    let end = utterance.behind(place + 1, PRESENT)?;
    Some((place, end, false))
}

fn is_capital(utterance: &Utterance<'_>, place: usize) -> bool {
    utterance.shown(place).starts_with(char::is_uppercase)
}

/// Where the clause begins whose object stands at `place`: with who does it.
fn clause_start(utterance: &Utterance<'_>, place: usize) -> usize {
    const DOERS: &Phrases = phrases!["alguien", "el", "la", "mi", "nuestra", "nuestro", "un", "una", "yo"];
    let first = (0..=place.min(BEFORE))
        .map(|back| place - back)
        .take_while(|at| *at == place || !utterance.ends_before(at + 1))
        .filter(|at| utterance.behind(*at, DOERS).is_some() && *at < place)
        .last();
    first.unwrap_or(place)
}

/// Whether a day of the week to come is named behind a form of the present: "le llamo el lunes".
fn names_next_day(utterance: &Utterance<'_>, start: usize, end: usize) -> bool {
    let is_preterite = utterance.norm(start - 1) == "llamamos";
    !is_preterite
        && (start..end).any(|place| {
            matches!(
                utterance.norm(place),
                "lunes" | "martes" | "miercoles" | "jueves" | "viernes" | "sabado" | "domingo"
            ) && utterance.norm(place + 1) != "pasado"
        })
}

/// Whether the promise at these places is asked, supposed, denied or past.
fn is_open(utterance: &Utterance<'_>, start: usize, end: usize) -> bool {
    let first = sentence_start(utterance, start);
    let mut clause = start;
    while clause > first && !utterance.ends_before(clause) {
        clause -= 1;
    }
    utterance.asks(start)
        || utterance.has_between(&(clause..start), phrases!["no", "nunca"])
        || utterance.has_between(&(first..start), LEFT_OPEN)
        || utterance.has_between(&(start..end), phrases!["ayer", "no", "pasada", "pasado"])
            && !utterance.has_between(&(start..end), phrases!["pasado manana"])
        || (first..end).any(|place| is_condition(utterance, place) || utterance.lost(place))
        || start > 0 && utterance.norm(start - 1) == "que"
}
