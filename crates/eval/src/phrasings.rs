//! How the facts of phrasings are noted, by key: the only measure of keys that nobody annotated.

#[path = "../../language/tests/phrasings/table.rs"]
mod table;

use table::{counts, phrasings};

use crate::share::Share;

/// Prints the precision and the recall of each key.
pub(crate) fn print() {
    let phrasings = phrasings();
    println!("facts of {} phrasings by key, in percent", phrasings.len());
    println!("  {:<26} {:>6} {:>9} {:>6}", "", "found", "precision", "recall");
    for (key, count) in counts(&phrasings) {
        let of = |of| Share { hits: count.right, of };
        println!(
            "  {key:<26} {:>6} {:>9} {:>6}",
            count.noted,
            of(count.noted),
            of(count.wanted)
        );
    }
}
