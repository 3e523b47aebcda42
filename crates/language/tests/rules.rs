//! Whoever changes what the rules make of a call raises [`language::RULES`], so that old calls are read again.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write;

use language::{
    Speaker, Transcript,
    findings::{self, Day, Finding},
    summary, themes,
};

/// What the rules make of the calls below, as a number.
const DIGEST: u64 = 0x425d_4bd1_ff3c_2b53;

/// Calls of one line each: turns are parted by bars, and an agent's begins with `>`. All of them are of Friday,
/// 1 May 2026.
const CALLS: [&str; 32] = [
    "> Hello, how can I help? | I'd like to book a table for two tomorrow at 7 pm. | > I have booked a table for \
     two tomorrow at 7 pm. | Great, thanks.",
    "> What can I do for you? | hi my name is maren okafor and my boiler is leaking | > I'll send somebody on \
     Monday at 9 am, is that all right? | yes that works",
    "My email is ana dot ruiz at example dot com. | > Thank you, I have noted it.",
    "> What number can we reach you on? | two zero two five five five | > go on | oh one four two",
    "Please text me instead of calling. | > Sure, we will text you.",
    "I live at 12 Orchard Lane in Springfield. | > Thanks.",
    "> Which city are you in? | I live in Lisbon. | > Noted.",
    "> Which city should I search? | Find me something cheap. | > There are 3 places.",
    "My order number is A-4711 and it has not arrived. | > I am sorry. I will send you a replacement today.",
    "Can you cancel my appointment for Tuesday? | > Your appointment for Tuesday is cancelled. | Thank you.",
    "I need to move my appointment from Monday to Wednesday at 3 pm. | > Done, it is on Wednesday at 3 pm now. | \
     Perfect.",
    "Stop calling me. | > I am sorry, I will take you off the list.",
    "I don't want this call to be recorded. | > Understood.",
    "Do you have a table for four on Saturday? | > No, we are fully booked.",
    "If it rains I might come on Sunday. | > All right.",
    "Call me Pete, everybody does. | > Hi Pete.",
    "> Am I speaking with Mr Brown? | No, this is Jane Doe. | > Hello Jane.",
    "I'd like two large pizzas. | > Two large pizzas, that makes 24 dollars. | Yes please. | > Your order is \
     placed.",
    "The best time to reach me is after 5 pm. | > I'll call you back tomorrow after 5 pm.",
    "> Your case number is 20 31 77. | Got it.",
    "My last name is spelled O K A F O R. | > Thank you, Ms Okafor.",
    "um uh yeah so the the thing is it doesn't work anymore | > which thing | the washing machine",
    "> Good morning. | Wrong number, sorry.",
    "",
    "> Hello? | > Is anybody there?",
    "What are your opening hours? | > We are open from 9 to 5 on weekdays.",
    "Hola, me llamo Ana Ruiz. | > Hola Ana, ¿en qué puedo ayudarle? | Quiero una cita para el lunes a las tres \
     de la tarde. | > Su cita es el lunes a las tres de la tarde. | Perfecto, gracias.",
    "Mi correo es ana punto ruiz arroba example punto com. | > Gracias.",
    "No me llamen más. | > De acuerdo, lo siento.",
    "Mi número es el seis uno dos tres cuatro cinco seis siete ocho. | > Anotado.",
    "Vivo en Valencia, en la calle Mayor 5. | > Muy bien. Le llamaremos mañana a las diez.",
    "Ich möchte einen Termin am Montag. | > Gerne, am Montag um zehn.",
];

/// Everything that is kept of what the rules make of a call, as text.
fn made(call: &str) -> String {
    let turns = call.split('|').map(str::trim).filter(|turn| !turn.is_empty());
    let turns = turns.map(|turn| match turn.strip_prefix('>') {
        Some(said) => (Speaker::Agent, said.trim()),
        None => (Speaker::Caller, turn),
    });
    let transcript = Transcript::read(turns);
    let findings = findings::of_call(&transcript, Some(Day(20_574)));
    let mut made = summary::of_call(&transcript, &findings);
    for finding in &findings {
        let Finding::Statement(statement) = finding else {
            continue;
        };
        let terms = statement.terms.map(|terms| (terms.when(), terms.status.as_str()));
        let (topic, value, turn) = (statement.topic, &statement.value, statement.turn);
        let quotes: Vec<&str> = transcript.quotes(statement).collect();
        write!(made, "\n{topic:?} {value} {turn} {quotes:?} {terms:?}").unwrap();
    }
    for theme in themes::of_call(&transcript) {
        write!(made, "\n{} {}", theme.words, theme.weight).unwrap();
    }
    made
}

/// FNV-1a, which is the same everywhere and always.
fn digest(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[test]
fn whoever_changes_the_rules_raises_their_version() {
    let all = CALLS.map(made).join("\n\n");
    let digest = digest(all.bytes());
    assert_eq!(
        digest, DIGEST,
        "the rules make something else of a call: raise RULES, unless that was done since the last release, and \
         renew the digest: {digest:#x}\n\n{all}"
    );
}
