//! Callers who do not want to be called any more.

use std::ops::Range;

use super::{
    super::{
        finding::{Finding, statement},
        refusal::Refused,
        utterance::Utterance,
    },
    clause::{is_condition, sentence_start},
};
use crate::{
    text::phrases::{Phrases, phrases},
    transcript::Speaker,
};

/// Wishes that say all.
const WHOLE: &Phrases = phrases![
    "borre mi numero",
    "borren mi numero",
    "elimine mi numero",
    "elimine mi telefono",
    "eliminen mi numero",
    "eliminen mi telefono",
    "lista de no llamar",
    "no deseo mas llamadas",
    "no deseo recibir llamadas",
    "no deseo recibir mas llamadas",
    "no quiero mas llamadas",
    "no quiero recibir llamadas",
    "no quiero recibir mas llamadas",
];

/// What is not to be done, or to be stopped, as the caller says it: "no me llamen", "que no me vuelvan a llamar".
const DENIES: &Phrases = phrases!["no", "no deseo que", "no quiero que", "nunca", "nunca mas"];
const STOPS: &Phrases = phrases![
    "deja de",
    "deja ya de",
    "deje de",
    "deje ya de",
    "dejen de",
    "dejen ya de",
    "pare de",
    "paren de",
    "paren ya de"
];
const AGAIN: &Phrases = phrases!["volver a", "vuelva a", "vuelvan a", "vuelvas a"];
const ON: &Phrases = phrases!["siga", "sigan", "sigas"];

/// Calling, in its forms: "que llame", "llamar", "llamarme", "llamando", "llamándome".
const CALLS: &Phrases = phrases![
    "contacte",
    "contacten",
    "contactes",
    "llame",
    "llamen",
    "llames",
    "marque",
    "marquen",
    "marques",
    "moleste",
    "molesten",
    "molestes"
];
const TO_CALL: &Phrases = phrases!["contactar", "llamar", "marcar", "molestar"];
const TO_CALL_ME: &Phrases = phrases!["contactarme", "llamarme", "llamarnos", "marcarme", "molestarme"];
const CALLING: &Phrases = phrases!["contactando", "llamando", "marcando", "molestando"];
const CALLING_ME: &Phrases = phrases!["contactandome", "llamandome", "marcandome", "molestandome"];

/// Where the calls come in.
const HERE: &Phrases = phrases![
    "a esta casa",
    "a este numero",
    "a este telefono",
    "a mi numero",
    "al numero este",
    "aqui",
    "este numero"
];

/// For ever.
const FOREVER: &Phrases = phrases!["jamas", "mas", "mas nunca", "nunca", "nunca mas", "otra vez"];

/// Wishes to be taken off something.
const TAKE_OFF: &Phrases = phrases![
    "borrarme",
    "borreme",
    "borrenme",
    "darme de baja",
    "deme de baja",
    "denme de baja",
    "eliminarme",
    "elimineme",
    "eliminenme",
    "me borren",
    "me den de baja",
    "me eliminen",
    "me quiten",
    "me saquen",
    "quitarme",
    "quiteme",
    "quitenme",
    "retirarme",
    "retireme",
    "retirenme",
    "sacarme",
    "saqueme",
    "saquenme",
];

/// What one is taken off.
const LISTS: &Phrases = phrases![
    "de la base de datos",
    "de la lista",
    "de la lista de llamadas",
    "de las listas",
    "de su base de datos",
    "de su lista",
    "de su lista de llamadas",
    "de su sistema",
    "de sus listas",
    "de sus llamadas",
];

/// How many words before a wish may deny it.
const DENIAL: usize = 4;

/// Looks for wishes not to be called.
pub(super) fn find(call: &[Utterance<'_>], findings: &mut Vec<Finding>) {
    for utterance in call.iter().filter(|utterance| utterance.speaker == Speaker::Caller) {
        let wish = (0..utterance.words.len()).find_map(|place| wish(utterance, place));
        if let Some(words) = wish {
            findings.push(statement(
                Refused::Calls.topic(),
                Refused::Calls.value().to_owned(),
                utterance,
                words,
            ));
        }
    }
}

/// The wish that begins at `place`.
fn wish(utterance: &Utterance<'_>, place: usize) -> Option<Range<usize>> {
    let end = if let Some(end) = utterance.behind(place, WHOLE) {
        // "No quiero más llamadas perdidas."
        let is_of_any = utterance.norm(end - 1) == "llamadas" && !utterance.ends_before(end);
        (!is_of_any || matches!(utterance.norm(end), "comerciales" | "de" | "por" | "suyas")).then_some(end)?
    } else if let Some(taken) = utterance.behind(place, TAKE_OFF) {
        let list = utterance.behind(taken, LISTS)?;
        // "De la lista de espera" is another one.
        (utterance.norm(list) != "de").then_some(list)?
    } else {
        no_calls(utterance, place)?
    };
    (!is_open(utterance, place)).then_some(place..end)
}

/// The place behind a wish that begins at `place` and says of calls that there are to be no more.
fn no_calls(utterance: &Utterance<'_>, place: usize) -> Option<usize> {
    let (start, mut is_final) = match utterance.behind(place, STOPS) {
        Some(start) => (start, true),
        None => (utterance.behind(place, DENIES)?, utterance.norm(place) == "nunca"),
    };
    let me = usize::from(utterance.norm(start) == "me");
    let mut at = start + me;
    if let Some(behind) = utterance.behind(at, AGAIN) {
        (at, is_final) = (behind, true);
    }
    let on = utterance.behind(at, ON);
    is_final |= on.is_some();
    at = on.unwrap_or(at);
    let is_mine = me == 1;
    let of_me = || {
        utterance
            .behind(at, TO_CALL_ME)
            .or_else(|| utterance.behind(at, CALLING_ME))
    };
    let by_form = || {
        utterance
            .behind(at, CALLS)
            .or_else(|| utterance.behind(at, TO_CALL))
            .or_else(|| utterance.behind(at, CALLING))
    };
    let (mut end, mut is_mine) = match of_me() {
        Some(end) => (end, true),
        None => (by_form()?, is_mine),
    };
    let forever = utterance.behind(end, FOREVER);
    is_final |= forever.is_some() || place > 0 && utterance.norm(place - 1) == "ya";
    end = forever.unwrap_or(end);
    if let Some(behind) = utterance.behind(end, HERE) {
        (end, is_mine) = (behind, true);
        let forever = utterance.behind(end, FOREVER);
        is_final |= forever.is_some();
        end = forever.unwrap_or(end);
    }
    let is_whole = if is_final {
        !is_limited(utterance, end)
    } else {
        is_all(utterance, end)
    };
    // "No llamen más" without an object says it only where it ends.
    (is_whole && (is_mine || is_final && utterance.ends_before(end))).then_some(end)
}

/// Whether what follows limits the wish to a time or a place: "no me llamen más tarde de las ocho".
fn is_limited(utterance: &Utterance<'_>, place: usize) -> bool {
    !utterance.ends_before(place)
        && matches!(
            utterance.norm(place),
            "a" | "al" | "antes" | "de" | "despues" | "en" | "hasta" | "las" | "los" | "que" | "tarde" | "temprano"
        )
}

/// Whether nothing but courtesy follows: "no me llamen los domingos" and "no me llame, ya paso yo" say something else.
fn is_all(utterance: &Utterance<'_>, place: usize) -> bool {
    (place..utterance.words.len()).all(|at| matches!(utterance.norm(at), "adios" | "favor" | "gracias" | "por"))
}

/// Words before a wish that tell it of others, or only suppose it.
const TOLD: &Phrases = phrases![
    "dice", "dicen", "dije", "dijeron", "dijo", "hermana", "hermano", "para que", "pedire", "pide", "pidio", "por que",
    "pregunta", "siguen"
];

/// Whether the wish at `place` is asked, supposed, denied or told of others.
fn is_open(utterance: &Utterance<'_>, place: usize) -> bool {
    let first = sentence_start(utterance, place);
    let mut clause = place;
    while clause > first && !utterance.ends_before(clause) {
        clause -= 1;
    }
    // "No dejen de llamarme", but not "no, dejen de llamarme".
    let denied = place.saturating_sub(DENIAL).max(clause)..place;
    utterance.asks(place)
        || utterance.has_between(&denied, phrases!["no"])
        || utterance.has_between(&(clause..place), TOLD)
        || (first..place).any(|at| is_condition(utterance, at))
}
