//! Whether two names can be those of one person: a part of a name fits the whole, in any order, and so do short forms,
//! initials and spellings that sound alike. Names that share a given name or a surname alone do not fit: people who
//! share a line often share a surname.

/// The most parts of a name that are compared. People have fewer; texts that have more are not names.
const MOST_PARTS: usize = 6;

/// The most letters of a part that are compared.
const MOST_LETTERS: usize = 32;

/// Whether both can be names of one person.
#[must_use]
pub fn fits(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    let (one, other) = (parts(one), parts(other));
    let (few, many) = if one.len() <= other.len() {
        (one, other)
    } else {
        (other, one)
    };
    let mut free: Vec<&str> = many.iter().map(String::as_str).collect();
    let mut take = |part: &str| {
        let same = free.iter().position(|of| *of == part);
        let place = same.or_else(|| free.iter().position(|of| part_fits(part, of)));
        place.map(|place| free.swap_remove(place)).is_some()
    };
    few.iter().all(|part| take(part))
}

/// How much a name says: the number of its parts, and of names with as many, the letters.
#[must_use]
pub(super) fn weight(name: &str) -> (usize, usize) {
    let parts = parts(name);
    (parts.len(), parts.iter().map(String::len).sum())
}

/// The parts of a name in plain lower-case letters, without titles and suffixes. An initial beside two longer parts
/// says nothing.
fn parts(name: &str) -> Vec<String> {
    let words = name.split(|c: char| c.is_whitespace() || matches!(c, '-' | '.' | ',' | '/'));
    let mut parts: Vec<String> = words
        .map(plain)
        .filter(|part| !part.is_empty() && BESIDE_NAMES.binary_search(&part.as_str()).is_err())
        .take(MOST_PARTS)
        .collect();
    let is_long = |part: &String| part.chars().nth(1).is_some();
    if parts.iter().filter(|part| is_long(part)).count() > 1 {
        parts.retain(is_long);
    }
    parts
}

/// Titles and suffixes, sorted.
const BESIDE_NAMES: &[&str] = &[
    "doctor",
    "dr",
    "ii",
    "iii",
    "iv",
    "jr",
    "junior",
    "madam",
    "miss",
    "mister",
    "mr",
    "mrs",
    "ms",
    "mx",
    "prof",
    "professor",
    "senior",
    "senor",
    "senora",
    "sir",
    "sr",
    "sra",
];

/// The letters of a word in lower case and without their marks.
fn plain(word: &str) -> String {
    let letters = word.chars().take(MOST_LETTERS).flat_map(char::to_lowercase);
    letters.filter(|c| c.is_alphabetic()).map(without_mark).collect()
}

const fn without_mark(letter: char) -> char {
    match letter {
        'à'..='å' | 'ā' | 'ă' | 'ą' => 'a',
        'ç' | 'ć' | 'č' => 'c',
        'ď' | 'đ' => 'd',
        'è'..='ë' | 'ē' | 'ė' | 'ę' | 'ě' => 'e',
        'ğ' => 'g',
        'ì'..='ï' | 'ī' | 'į' | 'ı' => 'i',
        'ł' => 'l',
        'ñ' | 'ń' | 'ň' => 'n',
        'ò'..='ö' | 'ø' | 'ō' | 'ő' => 'o',
        'ř' => 'r',
        'ś' | 'š' | 'ş' | 'ș' => 's',
        'ť' | 'ţ' | 'ț' => 't',
        'ù'..='ü' | 'ū' | 'ů' | 'ű' => 'u',
        'ý' | 'ÿ' => 'y',
        'ź' | 'ž' | 'ż' => 'z',
        other => other,
    }
}

fn part_fits(one: &str, other: &str) -> bool {
    one == other
        || is_beginning(one, other)
        || is_beginning(other, one)
        || is_short_form(one, other)
        || sound(one) == sound(other)
        || is_near(one, other)
}

/// Whether `short` is an initial or the beginning of `long`; "Richards" and "Johnson" are no longer forms of "Richard"
/// and "John".
fn is_beginning(short: &str, long: &str) -> bool {
    let Some(rest) = long.strip_prefix(short) else {
        return false;
    };
    match short.chars().count() {
        1 => true,
        0 | 2 => false,
        _ => !matches!(rest, "s" | "es" | "son" | "sen" | "ez" | "a" | "o"),
    }
}

/// Whether both are forms of one given name.
fn is_short_form(one: &str, other: &str) -> bool {
    let forms = |short: &str| {
        let from = SHORT_FORMS.partition_point(|(form, _)| *form < short);
        let short = short.to_owned();
        SHORT_FORMS[from..]
            .iter()
            .take_while(move |(form, _)| *form == short)
            .map(|(_, whole)| *whole)
    };
    let is_of = |short, whole| forms(short).any(|form| form == whole);
    is_of(one, other) || is_of(other, one) || forms(one).any(|whole| is_of(other, whole))
}

/// How a name sounds, roughly: letters that are heard alike are one letter, and no letter stands twice in a row.
fn sound(part: &str) -> String {
    let mut sound = String::with_capacity(part.len());
    let mut letters = part.chars().peekable();
    while let Some(letter) = letters.next() {
        let heard = match (letter, letters.peek()) {
            ('p', Some('h')) | ('v', _) => 'f',
            ('c', Some('h')) => 'x',
            ('c', Some('e' | 'i' | 'y')) | ('z', _) => 's',
            ('c' | 'q', _) => 'k',
            ('y' | 'j', _) if !sound.is_empty() => 'i',
            ('h', _) if !sound.is_empty() => continue,
            _ => letter,
        };
        if !sound.ends_with(heard) {
            sound.push(heard);
        }
    }
    // An "e" at the end, and the "i" of "ie", are not heard.
    if let Some(shorter) = sound.strip_suffix('e')
        && shorter.chars().count() > 2
    {
        sound.truncate(shorter.len());
    }
    sound
}

/// Whether two long parts that begin alike differ in one letter, but for the last: "Maria" and "Mario" are two names.
fn is_near(one: &str, other: &str) -> bool {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let (few, many) = if one.len() <= other.len() {
        (&one, &other)
    } else {
        (&other, &one)
    };
    if few.len() < 5 || many.len() > few.len() + 1 {
        return false;
    }
    let alike = few.iter().zip(many).take_while(|(one, other)| one == other).count();
    let rest = |letters: &[char], skipped: usize| letters[(alike + skipped).min(letters.len())..].to_vec();
    if alike == 0 || alike + 1 >= few.len() {
        return false;
    }
    if few.len() < many.len() {
        return rest(few, 0) == rest(many, 1);
    }
    let are_swapped = few[alike] == many[alike + 1] && few[alike + 1] == many[alike];
    rest(few, 1) == rest(many, 1) || are_swapped && rest(few, 2) == rest(many, 2)
}

/// Short forms that are not the beginning of the whole, with the whole; sorted.
const SHORT_FORMS: &[(&str, &str)] = &[
    ("abby", "abigail"),
    ("al", "alan"),
    ("al", "albert"),
    ("al", "alexander"),
    ("al", "alfred"),
    ("alex", "alejandro"),
    ("andy", "andrew"),
    ("angie", "angela"),
    ("anne", "anna"),
    ("annie", "ann"),
    ("annie", "anna"),
    ("annie", "anne"),
    ("art", "arthur"),
    ("barb", "barbara"),
    ("becky", "rebecca"),
    ("bella", "isabella"),
    ("bert", "albert"),
    ("bert", "robert"),
    ("beth", "elizabeth"),
    ("betsy", "elizabeth"),
    ("betty", "elizabeth"),
    ("bill", "william"),
    ("billy", "william"),
    ("bob", "robert"),
    ("bobby", "robert"),
    ("cathy", "catherine"),
    ("cathy", "katherine"),
    ("charlie", "charles"),
    ("charlie", "charlotte"),
    ("chip", "charles"),
    ("chris", "christina"),
    ("chris", "christopher"),
    ("chuck", "charles"),
    ("cindy", "cynthia"),
    ("danny", "daniel"),
    ("dave", "david"),
    ("davy", "david"),
    ("deb", "deborah"),
    ("debbie", "deborah"),
    ("dick", "richard"),
    ("don", "donald"),
    ("dot", "dorothy"),
    ("drew", "andrew"),
    ("ed", "edgar"),
    ("ed", "edmund"),
    ("ed", "edward"),
    ("ed", "edwin"),
    ("eddie", "edward"),
    ("eddie", "edwin"),
    ("ernie", "ernest"),
    ("frankie", "francis"),
    ("frankie", "frank"),
    ("fred", "alfred"),
    ("gabby", "gabriela"),
    ("gabby", "gabrielle"),
    ("gabe", "gabriel"),
    ("gene", "eugene"),
    ("ginny", "virginia"),
    ("hal", "harold"),
    ("hank", "henry"),
    ("harry", "harold"),
    ("harry", "henry"),
    ("izzy", "isabel"),
    ("izzy", "isabella"),
    ("jack", "john"),
    ("jake", "jacob"),
    ("jamie", "james"),
    ("jeff", "geoffrey"),
    ("jerry", "gerald"),
    ("jerry", "jerome"),
    ("jim", "james"),
    ("jimmy", "james"),
    ("jo", "joanna"),
    ("jo", "josephine"),
    ("joe", "joseph"),
    ("joey", "joseph"),
    ("john", "jonathan"),
    ("johnny", "john"),
    ("jon", "john"),
    ("jon", "jonathan"),
    ("josie", "josephine"),
    ("kate", "catherine"),
    ("kate", "katherine"),
    ("kathy", "catherine"),
    ("kathy", "katherine"),
    ("katie", "catherine"),
    ("katie", "katherine"),
    ("kenny", "kenneth"),
    ("larry", "lawrence"),
    ("lenny", "leonard"),
    ("liz", "elizabeth"),
    ("lizzie", "elizabeth"),
    ("lou", "louis"),
    ("lou", "louise"),
    ("lupe", "guadalupe"),
    ("maggie", "margaret"),
    ("mandy", "amanda"),
    ("marge", "margaret"),
    ("marty", "martin"),
    ("meg", "margaret"),
    ("meg", "megan"),
    ("memo", "guillermo"),
    ("mick", "michael"),
    ("mickey", "michael"),
    ("mike", "michael"),
    ("mindy", "melinda"),
    ("molly", "mary"),
    ("nacho", "ignacio"),
    ("nan", "nancy"),
    ("ned", "edward"),
    ("nell", "eleanor"),
    ("nellie", "eleanor"),
    ("nick", "nicholas"),
    ("nicky", "nicholas"),
    ("nicky", "nicole"),
    ("nora", "eleanor"),
    ("paco", "francisco"),
    ("pam", "pamela"),
    ("pancho", "francisco"),
    ("pat", "patricia"),
    ("pat", "patrick"),
    ("patty", "patricia"),
    ("peg", "margaret"),
    ("peggy", "margaret"),
    ("penny", "penelope"),
    ("pepe", "jose"),
    ("pete", "peter"),
    ("phil", "philip"),
    ("polly", "mary"),
    ("randy", "randall"),
    ("ray", "raymond"),
    ("rick", "eric"),
    ("rick", "richard"),
    ("ricky", "richard"),
    ("rob", "robert"),
    ("robbie", "robert"),
    ("ron", "ronald"),
    ("ronnie", "ronald"),
    ("sally", "sarah"),
    ("sam", "samantha"),
    ("sam", "samuel"),
    ("sandy", "alexandra"),
    ("sandy", "sandra"),
    ("stan", "stanley"),
    ("steve", "stephen"),
    ("steve", "steven"),
    ("sue", "susan"),
    ("susie", "susan"),
    ("suzy", "susan"),
    ("ted", "edward"),
    ("ted", "theodore"),
    ("teddy", "theodore"),
    ("terry", "terence"),
    ("terry", "teresa"),
    ("tina", "christina"),
    ("tom", "thomas"),
    ("tommy", "thomas"),
    ("toni", "antonia"),
    ("tony", "anthony"),
    ("tony", "antonio"),
    ("tricia", "patricia"),
    ("trish", "patricia"),
    ("vicky", "victoria"),
    ("vince", "vincent"),
    ("walt", "walter"),
    ("wendy", "gwendolyn"),
    ("will", "william"),
    ("willie", "william"),
    ("zach", "zachary"),
    ("zack", "zachary"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted() {
        assert!(SHORT_FORMS.is_sorted() && BESIDE_NAMES.is_sorted());
    }

    #[test]
    fn names_of_one_person_fit() {
        for (one, other) in [
            ("Peter Miller", "Pete"),
            ("Pete", "Peter Miller"),
            ("Miller", "Peter Miller"),
            ("Mr. Miller", "Peter Miller"),
            ("MILLER PETER", "Peter Miller"),
            ("Miller, Peter", "Peter Miller"),
            ("Peter J. Miller", "Peter Miller"),
            ("Peter James Miller", "Peter Miller"),
            ("P. Miller", "Peter Miller"),
            ("Peter Miller Jr.", "Peter Miller"),
            ("Jon", "John"),
            ("Jon Smith", "John Smith"),
            ("John", "Jonathan"),
            ("Sara", "Sarah"),
            ("Catherine", "Katherine"),
            ("Kate", "Catherine"),
            ("Kathy Jones", "Katherine Jones"),
            ("Steven", "Stephen"),
            ("Ann", "Anne"),
            ("Anne", "Anna"),
            ("Philip", "Phillip"),
            ("Bob", "Robert Chen"),
            ("Bob", "Rob"),
            ("Bill", "Will"),
            ("Liz Taylor", "Elizabeth Taylor"),
            ("Ben", "Benjamin"),
            ("Alex", "Alexandra"),
            ("José Núñez", "Jose Nunez"),
            ("Müller", "Muller"),
            ("Mary-Jane Watson", "Mary Jane Watson"),
            ("Maren Okafor", "Marin Okafor"),
            ("Okafor", "Okaffor"),
            ("Thompson", "Thomson"),
            ("Ana Ruiz", "ana ruiz"),
            ("Ana Ruiz", "Ana Ruiz Lopez"),
            ("Dr Ruiz", "Ana Ruiz"),
            ("O'Brien", "OBrien"),
            ("Miguel", "Migeul"),
        ] {
            assert!(fits(one, other) && fits(other, one), "{one} / {other}");
        }
    }

    #[test]
    fn names_of_two_people_do_not_fit() {
        for (one, other) in [
            ("Ana Ruiz", "Tom Baker"),
            ("Ana", "Tom"),
            ("Ana Ruiz", "Tom Ruiz"),
            ("Ana Ruiz", "Ana Baker"),
            ("John", "Joan"),
            ("John", "Jane"),
            ("John", "Juan"),
            ("Jane", "June"),
            ("Mark", "Mary"),
            ("Maria", "Mario"),
            ("Daniel", "Daniela"),
            ("Paul", "Paula"),
            ("Terry", "Kerry"),
            ("Ryan", "Brian"),
            ("Eric", "Erin"),
            ("John", "Johnson"),
            ("John", "Tom Johnson"),
            ("Richard", "Ann Richards"),
            ("Mary Jones", "Mary Johnson"),
            ("Linda Jones", "Mary Jones"),
            ("Smith", "Schmidt"),
            ("Lee", "Li Wei"),
            ("Chen", "Cho"),
            ("Robert", "Roberto Diaz Vega Sanz"),
            ("Jennifer", "Jessica"),
            ("Michael Davis", "Michelle Davis"),
            ("James Brown", "Jamie-Lee Green"),
        ] {
            assert!(!fits(one, other) && !fits(other, one), "{one} / {other}");
        }
    }

    #[test]
    fn what_says_nothing_fits_everything_and_length_is_no_trouble() {
        assert!(fits("", "Ana Ruiz") && fits("Mr.", "Ana Ruiz"));
        let long = "abcdefghij ".repeat(10_000);
        assert!(!fits(&long, "Ana Ruiz"));
    }
}
