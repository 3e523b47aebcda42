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
    "deje de llamarme",
    "dejen de llamarme",
    "dejen de molestarme",
    "deme de baja de sus llamadas",
    "denme de baja de sus llamadas",
    "elimine mi numero",
    "elimine mi telefono",
    "eliminen mi numero",
    "eliminen mi telefono",
    "lista de no llamar",
    "no deseo recibir llamadas",
    "no deseo recibir mas llamadas",
    "no llame mas a este numero",
    "no llamen mas a este numero",
    "no me vuelva a llamar",
    "no me vuelvan a llamar",
    "no me vuelvas a llamar",
    "no quiero mas llamadas",
    "no quiero recibir llamadas",
    "no quiero recibir mas llamadas",
    "no siga llamandome",
    "no sigan llamandome",
    "no vuelva a llamarme",
    "no vuelvan a llamarme",
    "no vuelvas a llamarme",
    "nunca mas me llame",
    "nunca mas me llamen",
    "pare de llamarme",
    "paren de llamarme",
];

/// Wishes that what follows may limit: "no me llamen los domingos".
const CALLS: &Phrases = phrases![
    "no me llame",
    "no me llamen",
    "no me llames",
    "no me sigan llamando",
    "no quiero que me llame",
    "no quiero que me llamen",
    "no me siga llamando"
];

/// Wishes to be taken off something.
const TAKE_OFF: &Phrases = phrases![
    "borrarme",
    "borreme",
    "borrenme",
    "eliminarme",
    "elimineme",
    "eliminenme",
    "me borren",
    "me eliminen",
    "me quiten",
    "me saquen",
    "quitarme",
    "quiteme",
    "quitenme",
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
];

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
    let end = utterance
        .behind(place, WHOLE)
        .or_else(|| {
            let end = utterance.behind(place, CALLS)?;
            let mas = matches!(utterance.norm(end), "mas" | "nunca") || place > 0 && utterance.norm(place - 1) == "ya";
            let behind = end + usize::from(mas && matches!(utterance.norm(end), "mas" | "nunca"));
            (mas || utterance.ends_before(end))
                .then_some(behind)
                .filter(|end| is_unlimited(utterance, *end, mas))
        })
        .or_else(|| {
            let taken = utterance.behind(place, TAKE_OFF)?;
            let list = utterance.behind(taken, LISTS)?;
            // "De la lista de espera" is another one.
            (utterance.norm(list) != "de").then_some(list)
        })?;
    (!is_open(utterance, place)).then_some(place..end)
}

/// Whether nothing behind `place` limits the wish to a time, or says what else to do.
fn is_unlimited(utterance: &Utterance<'_>, place: usize, is_forever: bool) -> bool {
    if is_forever {
        return true;
    }
    // "No me llame, ya paso yo": nothing but courtesy may follow.
    (place..utterance.words.len()).all(|at| {
        matches!(
            utterance.norm(at),
            "por" | "favor" | "gracias" | "adios" | "ya" | "mas" | "nunca"
        )
    }) && utterance.norm(place) != "ya"
}

/// Whether the wish at `place` is asked, supposed or told of others.
fn is_open(utterance: &Utterance<'_>, place: usize) -> bool {
    let first = sentence_start(utterance, place);
    utterance.asks(place)
        || (first..place).any(|at| is_condition(utterance, at))
        || utterance.has_between(
            &(first..place),
            phrases![
                "dice", "dicen", "dije", "dijeron", "dijo", "hermana", "hermano", "ladrar", "no", "pedire", "por que",
                "pregunta", "siguen"
            ],
        )
}
