//! Tells in which language each turn of a call was said, by its small words.
//!
//! Names, numbers and "okay" are of no language: such a turn is taken for one of the language around it. A turn that is
//! sure of its own is read by itself, so that a call may change between two languages.

use super::{
    numbers::is_number,
    ordinary::is_ordinary,
    small::{WordList, is_small},
    words::{Sound, Word},
};

/// A language as far as it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    English,
    Spanish,
    /// Any other one. Nothing is read in it.
    Other,
}

/// Words of a turn beyond these do not matter.
const LOOKED_AT: usize = 48;

/// One of the commonest English words among so many first ones settles it: most turns are told at a glance.
const AT_A_GLANCE: usize = 8;

/// What the words of a turn tell.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Sure(Language),
    /// English calls have hardly any of the words, and nothing tells what they are.
    Strange,
    /// So many words that Spanish shares with others, and nothing else.
    Shared(usize),
}

/// The languages of a call's turns, which are given with whether the caller said them.
pub(crate) fn of_turns<'w>(turns: impl Iterator<Item = (bool, &'w [Word<'w>])>) -> Vec<Language> {
    let mut signs: Vec<(bool, Sign)> = turns.map(|(is_caller, words)| (is_caller, sign(words))).collect();
    // Many names in a row are strange too; whoever speaks English otherwise goes on with it.
    let speaks_english = [false, true].map(|speaker| signs.contains(&(speaker, Sign::Sure(Language::English))));
    for (is_caller, sign) in &mut signs {
        if *sign == Sign::Strange {
            let is_english = speaks_english[usize::from(*is_caller)];
            *sign = if is_english {
                Sign::Shared(0)
            } else {
                Sign::Sure(Language::Other)
            };
        }
    }
    let sure = |(_, sign): &(bool, Sign)| match sign {
        Sign::Sure(language) => Some(*language),
        Sign::Strange | Sign::Shared(_) => None,
    };
    let shared = |(_, sign): &(bool, Sign)| if let Sign::Shared(words) = sign { *words } else { 0 };
    let mut language = signs.iter().find_map(sure).unwrap_or_else(|| {
        if signs.iter().map(shared).sum::<usize>() > 1 {
            Language::Spanish
        } else {
            Language::English
        }
    });
    let in_order = signs.iter().map(|sign| {
        language = sure(sign).unwrap_or(language);
        language
    });
    in_order.collect()
}

fn sign(words: &[Word<'_>]) -> Sign {
    let mut common = words.iter().take(AT_A_GLANCE);
    if common.any(|word| is_plainly_english(&word.norm)) {
        return Sign::Sure(Language::English);
    }
    let mut english = 0;
    let (mut spanish, mut shared, mut foreign) = (0, 0, 0);
    // Those of the shared words that no English sentence has.
    let mut telling = 0;
    for word in words.iter().take(LOOKED_AT) {
        let word = word.norm.as_ref();
        if ENGLISH.has(word) {
            english += 1;
        } else if SHARED.has(word) {
            shared += 1;
            telling += usize::from(!is_small(word) && !is_ordinary(word));
        } else if SPANISH.has(word) {
            spanish += 1;
        } else if FOREIGN.has(word) {
            foreign += 1;
        }
    }
    // One word may be a name, and what is nearly as much of another language as it is Spanish is not read.
    let weight = if spanish > 0 { 2 * spanish + shared } else { 0 };
    if weight > 2 && weight > 3 * english && weight > 4 * foreign {
        Sign::Sure(Language::Spanish)
    } else if foreign > 1 && foreign > english || english == 0 && is_of_another_script(words) {
        Sign::Sure(Language::Other)
    } else if english < 2 && spanish + shared == 0 && are_strange(words) {
        Sign::Strange
    } else if english > foreign {
        Sign::Sure(Language::English)
    } else {
        Sign::Shared(telling)
    }
}

/// Whether a word is one of the commonest of English, and of no other language.
fn is_plainly_english(word: &str) -> bool {
    matches!(
        word,
        "and"
            | "are"
            | "can"
            | "don't"
            | "have"
            | "how"
            | "i'd"
            | "i'm"
            | "it"
            | "it's"
            | "my"
            | "need"
            | "that"
            | "that's"
            | "the"
            | "there"
            | "this"
            | "want"
            | "what"
            | "with"
            | "would"
            | "you"
            | "your"
    )
}

/// Whether more than half of the words are not in Latin letters.
fn is_of_another_script(words: &[Word<'_>]) -> bool {
    let words = &words[..words.len().min(LOOKED_AT)];
    let is_other = |word: &&Word<'_>| word.norm.starts_with(|c: char| c.is_alphabetic() && c > LAST_LATIN);
    words.iter().filter(is_other).count() * 2 > words.len()
}

/// The last letter of the Latin script in the order of Unicode, but for rare ones.
const LAST_LATIN: char = '\u{24f}';

/// The fewest words that can be told to be of no language that is read.
const FEWEST_STRANGE: usize = 5;

/// Whether English calls have hardly any of the words.
fn are_strange(words: &[Word<'_>]) -> bool {
    if words.len() < FEWEST_STRANGE {
        return false;
    }
    let words = words.iter().take(LOOKED_AT).filter(|word| word.sound == Sound::Word);
    let (mut all, mut known) = (0, 0);
    for word in words {
        let word = word.norm.as_ref();
        let is_known = word.len() == 1 || is_number(word) || is_small(word) || is_ordinary(word);
        all += 1;
        known += usize::from(is_known);
    }
    all >= FEWEST_STRANGE && known * FEWEST_STRANGE <= all
}

/// Words of English that its neighbours have not, nor does anybody borrow them.
#[rustfmt::skip]
const ENGLISH_WORDS: &[&str] = &[
    "about", "and", "any", "are", "back", "because", "been", "but", "call", "calling", "can", "can't", "could",
    "did", "didn't", "does", "doesn't", "don't", "every", "for", "from", "get", "give", "good", "got", "had",
    "have", "help", "her", "here", "his", "how", "i", "i'd", "i'll", "i'm", "i've", "if", "is", "it", "it's",
    "just", "know", "let", "like", "looking", "make", "my", "name", "need", "never", "not", "now", "of", "off",
    "one", "only", "our", "right", "see", "she", "some", "stop", "take", "thank", "that", "that's", "the", "their",
    "them", "then", "there", "there's", "they", "this", "today", "tomorrow", "want", "we", "we'll", "we're", "were",
    "what", "what's", "when", "where", "which", "who", "why", "with", "would", "yeah", "yes", "you", "you're",
    "your",
];

/// Words of Spanish that neither English nor, for the most part, its neighbours have, with and without accents.
#[rustfmt::skip]
const SPANISH_WORDS: &[&str] = &[
    "agendada", "agendar", "ahora", "apellido", "apellidos", "apunte", "aquí", "arroba", "ayer", "borre", "borren",
    "borrenme", "buenas", "bueno", "buenos", "bórreme", "bórrenme", "catorce", "celular", "cero", "cincuenta",
    "cita", "claro", "cliente", "contactar", "contacten", "correo", "cual", "cuales", "cuando", "cuanto",
    "cuarenta", "cuatro", "cuál", "cuáles", "cuándo", "cuánto", "cuénteme", "cómo", "decirme", "deja", "deje",
    "dejen", "deme", "diciembre", "dieciseis", "dieciséis", "digame", "dinero", "direccion", "dirección",
    "disculpe", "doce", "déme", "días", "dígame", "electronico", "electrónico", "ellos", "enero", "entonces",
    "enviar", "escribame", "escribanme", "escríbame", "escríbanme", "esposa", "esposo", "estamos", "estan", "estoy",
    "está", "están", "febrero", "gracias", "guion", "guión", "gustaria", "gustaría", "gusto", "habia", "habla",
    "hablo", "había", "hace", "hacer", "han", "hasta", "hay", "hemos", "hermana", "hermano", "hija", "hijo", "hola",
    "hoy", "interesa", "jueves", "llama", "llamada", "llamadas", "llamamos", "llaman", "llamandome", "llamar",
    "llamaremos", "llamarle", "llamarme", "llamaron", "llamará", "llamarán", "llamaré", "llame", "llamen",
    "llamenme", "llames", "llamo", "llamándome", "llamó", "llámeme", "llámenme", "lunes", "manana", "mandar",
    "marcar", "marque", "marquen", "martes", "mañana", "mañanas", "miercoles", "miércoles", "molesten", "mucho",
    "muy", "más", "mío", "móvil", "necesitaba", "necesito", "noche", "noches", "nombre", "nosotros", "noventa",
    "noviembre", "nuestra", "nuestro", "nueva", "nueve", "número", "ochenta", "ocho", "octubre", "pero", "podria",
    "podrian", "podría", "podrían", "puede", "pueden", "puedo", "pues", "queria", "quería", "quien", "quiere",
    "quieren", "quiero", "quince", "quinientos", "quisiera", "quitenme", "quién", "qué", "quíteme", "quítenme",
    "reservar", "retireme", "retíreme", "sabado", "saquenme", "seiscientos", "septiembre", "sería", "sesenta",
    "setenta", "señor", "señora", "sido", "siempre", "siete", "soy", "sábado", "sáquenme", "sí", "sólo", "tambien",
    "también", "tardes", "teléfono", "tenemos", "tengo", "tiene", "tienen", "trece", "treinta", "usted", "ustedes",
    "vale", "veinte", "veintiuno", "viernes", "vuelva", "vuelvan", "yo",
];

/// Words of Spanish that stand in names of places and people everywhere, or that its neighbours have too.
#[rustfmt::skip]
const SHARED_WORDS: &[&str] = &[
    "al", "aqui", "bien", "cinco", "como", "con", "correcto", "de", "del", "dia", "dias", "domingo", "dos", "el",
    "en", "es", "esa", "ese", "eso", "esta", "este", "esto", "fue", "la", "las", "le", "les", "lista", "lo", "los",
    "mas", "me", "mi", "mis", "muchas", "nada", "no", "nos", "numero", "para", "perfecto", "por", "porque", "que",
    "se", "seis", "si", "sin", "son", "su", "sus", "tarde", "te", "telefono", "todo", "tres", "tu", "un", "una",
    "uno", "va", "y", "ya",
];

/// Small words of other languages that neither English nor Spanish has.
#[rustfmt::skip]
const FOREIGN_WORDS: &[&str] = &[
    "aap", "aber", "amanha", "amanhã", "amb", "anche", "ao", "au", "auch", "auf", "aur", "avec", "ben", "bitte",
    "boa", "bom", "bonjour", "buona", "buongiorno", "c'est", "ce", "cette", "chahiye", "che", "chiamo", "ciao",
    "com", "d'accord", "danke", "dans", "das", "dat", "della", "dem", "demain", "der", "des", "dic", "dobry",
    "domani", "du", "dzień", "een", "ein", "eine", "einen", "ela", "ele", "em", "entao", "então", "est", "estou",
    "et", "eu", "für", "giorno", "gli", "goed", "graag", "grazie", "guten", "haan", "habe", "haben", "hai", "heet",
    "heiße", "het", "heures", "ho", "hoon", "ich", "ihre", "ik", "il", "isso", "ist", "j'ai", "ja", "je", "jest",
    "jestem", "kann", "kya", "lei", "ligar", "ligue", "m'appelle", "madame", "mais", "mein", "meine", "mera",
    "merci", "meri", "meu", "meva", "mia", "mijn", "minha", "mit", "monsieur", "morgen", "muito", "mujhe", "möchte",
    "na", "naam", "nahi", "nao", "ne", "nein", "nel", "nicht", "nie", "niet", "noch", "nome", "non", "nous", "não",
    "obrigada", "obrigado", "oi", "olá", "os", "oui", "pas", "perché", "pode", "posso", "pour", "pra", "proszę",
    "quando", "quero", "questo", "qui", "rendez-vous", "s'il", "sie", "sim", "się", "sono", "sou", "suis", "sur",
    "são", "sì", "telefone", "tenho", "terca", "termin", "terça", "très", "tudo", "uhr", "um", "uma", "und", "une",
    "voce", "voces", "você", "vocês", "voor", "vorrei", "votre", "vou", "vous", "wie", "wir", "zu", "à", "às", "è",
    "é", "és",
];

static ENGLISH: WordList = WordList::of(ENGLISH_WORDS);
static SPANISH: WordList = WordList::of(SPANISH_WORDS);
static SHARED: WordList = WordList::of(SHARED_WORDS);
static FOREIGN: WordList = WordList::of(FOREIGN_WORDS);

#[cfg(test)]
mod tests {
    use super::{Language::*, *};
    use crate::text::words::words;

    #[test]
    fn searched_lists_are_sorted() {
        for list in [ENGLISH_WORDS, SPANISH_WORDS, SHARED_WORDS, FOREIGN_WORDS] {
            assert!(list.is_sorted_by(|a, b| a < b));
        }
    }

    fn languages(turns: &[&str]) -> Vec<Language> {
        let turns: Vec<Vec<Word<'_>>> = turns.iter().map(|turn| words(turn)).collect();
        of_turns(turns.iter().map(|turn| (true, turn.as_slice())))
    }

    #[test]
    fn a_turn_is_told_by_its_small_words() {
        for (text, language) in [
            ("Hi, my name is Juan de la Cruz and I live in Los Angeles.", English),
            ("las vegas", English),
            ("two oh two five five five", English),
            ("a table at El Toro de los Andes for Friday", English),
            ("yes tacos al pastor con queso", English),
            ("hola me llamo ana y quiero una cita", Spanish),
            ("Sí, el martes a las tres de la tarde, por favor.", Spanish),
            ("quítenme de su lista", Spanish),
            ("mi email es ana@example.com", Spanish),
            ("si tengo un voicemail en el office", Spanish),
            ("mi numero es seis uno dos", Spanish),
            ("Guten Tag, mein Name ist Anna und ich bin am Freitag da", Other),
            ("ich bin am freitag da", Other),
            ("je m'appelle marie et je voudrais un rendez-vous", Other),
            ("olá meu nome é joão e eu quero marcar uma consulta para amanhã", Other),
            ("mi chiamo paolo e vorrei un appuntamento per domani alle tre", Other),
            ("hello mera naam rahul hai aur main kal aaunga", Other),
            ("ik heet jan en ik wil graag een afspraak", Other),
            ("nazywam się jan kowalski i chciałbym umówić wizytę", Other),
            ("merhaba benim adım ayşe yarın gelmek istiyorum", Other),
            ("здравствуйте меня зовут анна я хочу записаться", Other),
        ] {
            assert_eq!(languages(&[text]), [language], "{text}");
        }
    }

    #[test]
    fn a_turn_without_a_language_has_that_of_the_call() {
        assert_eq!(languages(&["¿Cuál es su nombre?", "ana ruiz", "ok"]), [Spanish; 3]);
        assert_eq!(languages(&["ok", "what is your name", "maria claro"]), [English; 3]);
        assert_eq!(
            languages(&[
                "how can i help you",
                "hola quiero una cita",
                "vale",
                "sorry i don't know"
            ]),
            [English, Spanish, Spanish, English]
        );
        assert_eq!(languages(&["wie ist ihr name bitte", "anna schmidt"]), [Other; 2]);
        assert_eq!(languages(&[]), []);
    }
}
