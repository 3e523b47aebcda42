//! What a card is written on: rows of a label and a text, as wide as the terminal, in colour where that is welcome.

use console::{Style, Term, measure_text_width, truncate_str};

/// The columns of an output whose width is not known.
const WIDTH: usize = 80;

/// Wider lines are hard to read, narrower ones hold no text beside the labels.
const WIDTHS: std::ops::RangeInclusive<usize> = 30..=100;

/// The columns before a text: two spaces, a label, a space.
const INDENT: usize = 13;

/// A card in the making.
pub(super) struct Sheet {
    width: usize,
    colours: bool,
    text: String,
}

/// A stretch of a bar.
pub(super) struct Part {
    pub(super) name: &'static str,
    pub(super) ms: f64,
    /// What it is drawn with where there are no colours.
    pub(super) mark: &'static str,
    pub(super) style: Style,
}

impl Sheet {
    /// A sheet for standard output. Colours are for terminals, and not for those who set `NO_COLOR`.
    pub(super) fn of_stdout() -> Self {
        let stdout = Term::stdout();
        let width = stdout.size_checked().map_or(WIDTH, |(_, columns)| usize::from(columns));
        Self::new(width, stdout.features().colors_supported())
    }

    pub(super) fn new(width: usize, colours: bool) -> Self {
        Self {
            width: width.clamp(*WIDTHS.start(), *WIDTHS.end()),
            colours,
            text: String::new(),
        }
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// The first line: who it is and, where it fits, how well known.
    pub(super) fn headline(&mut self, who: &str, state: &str, style: &Style) {
        let bold = Style::new().bold();
        if measure_text_width(who) + 2 + measure_text_width(state) <= self.width {
            let line = format!("{}  {}", self.painted(who, &bold), self.painted(state, style));
            return self.line(&line);
        }
        for (text, style) in [(who, &bold), (state, style)] {
            for line in wrapped(text, self.width) {
                self.line(&self.painted(&line, style));
            }
        }
    }

    /// A text beside its label.
    pub(super) fn row(&mut self, label: &str, text: &str, style: &Style) {
        let mut label = label;
        for line in wrapped(text, self.room()) {
            let line = self.painted(&line, style);
            self.labelled(label, &line);
            label = "";
        }
    }

    /// How much of `limit` the parts took together, which is `total`: a bar, and beneath it each part in figures.
    pub(super) fn bar(&mut self, label: &str, parts: &[Part], total: f64, limit: f64) {
        let caption = format!("{total:.1} of {limit:.0} ms");
        let cells = self.room().saturating_sub(caption.len() + 4).clamp(5, 40);
        let mark = |part: &Part| if self.colours { "█" } else { part.mark };
        let mut bar = String::new();
        let (mut taken, mut drawn) = (0.0, 0);
        for part in parts {
            taken += part.ms;
            // The end is rounded up, so that what took any time is seen.
            let end = cells_of(taken / limit.max(total), cells);
            bar += &self.painted(&mark(part).repeat(end - drawn), &part.style);
            drawn = end;
        }
        bar += &" ".repeat(cells - drawn);
        let legend = parts.iter().map(|part| {
            let figures = format!("{} {:.1} ms", part.name, part.ms);
            (
                mark(part).chars().count() + 1 + figures.len(),
                format!("{} {figures}", self.painted(mark(part), &part.style)),
            )
        });
        let (widths, legend): (Vec<_>, Vec<_>) = legend.unzip();
        self.labelled(label, &format!("[{bar}]  {caption}"));
        if widths.iter().sum::<usize>() + 2 * (parts.len() - 1) <= self.room() {
            self.labelled("", &legend.join("  "));
        } else {
            for part in legend {
                self.labelled("", &part);
            }
        }
    }

    /// The columns for a text beside its label.
    fn room(&self) -> usize {
        self.width - INDENT
    }

    fn labelled(&mut self, label: &str, text: &str) {
        let label = self.painted(&format!("{label:<10}"), &Style::new().dim());
        self.line(&format!("  {label} {text}"));
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    fn painted(&self, text: &str, style: &Style) -> String {
        if self.colours && !text.trim().is_empty() {
            style.clone().force_styling(true).apply_to(text).to_string()
        } else {
            text.to_owned()
        }
    }
}

/// The cells of a bar of `cells` that a share of it fills.
fn cells_of(share: f64, cells: usize) -> usize {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a few dozen cells; a float saturates"
    )]
    let filled = (share * cells as f64).ceil() as usize;
    filled.min(cells)
}

/// The text in lines of at most `room` columns, broken between words, and within those that are longer than a line.
fn wrapped(text: &str, room: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for mut word in text.split_whitespace() {
        let fits = measure_text_width(&line) + 1 + measure_text_width(word) <= room;
        if !line.is_empty() && !fits {
            lines.push(std::mem::take(&mut line));
        }
        while measure_text_width(word) > room {
            let head = truncate_str(word, room, "").len();
            let (head, tail) = word.split_at(head);
            lines.push(head.to_owned());
            word = tail;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_wrapped() {
        assert_eq!(wrapped("one two  three", 7), ["one two", "three"]);
        assert_eq!(wrapped("one two three", 80), ["one two three"]);
        assert_eq!(wrapped("", 10), [""]);
        assert_eq!(wrapped("a abcdefghij k", 4), ["a", "abcd", "efgh", "ij k"]);
        // Each of these takes two columns.
        assert_eq!(wrapped("予約を変更", 5), ["予約", "を変", "更"]);
    }

    #[test]
    fn a_bar_fills_as_far_as_time_was_taken() {
        for (share, filled) in [(0.0, 0), (0.001, 1), (0.5, 20), (1.0, 40), (7.0, 40), (f64::NAN, 0)] {
            assert_eq!(cells_of(share, 40), filled, "{share}");
        }
    }
}
