//! A drawing of quality against words, as SVG.

use std::fmt::Write as _;

use crate::sessions::{SHARES, Score};

/// The size of a diagram in pixels, and the room beside it for numbers.
const WIDTH: f64 = 240.0;
const HEIGHT: f64 = 200.0;
const MARGIN: f64 = 40.0;

/// The ends of the axes: words, and percent.
const MOST_WORDS: f64 = 500.0;
const MOST_PERCENT: f64 = 40.0;

/// Of each method; they can be told apart in print, too, by their dashes.
const STROKES: [(&str, &str); 4] = [
    ("#0b6e4f", ""),
    ("#c05621", "6 3"),
    ("#2b6cb0", "2 3"),
    ("#6b46c1", "8 3 2 3"),
];

/// A diagram for each of [`SHARES`], with a line for each method.
pub(crate) fn svg(curves: &[(&str, Vec<Score>)]) -> String {
    let diagrams = SHARES
        .iter()
        .enumerate()
        .map(|(share, title)| diagram(share, title, curves));
    let legend = curves
        .iter()
        .zip(STROKES)
        .enumerate()
        .map(|(row, ((name, _), (colour, dashes)))| {
            #[expect(clippy::cast_precision_loss, reason = "a handful of rows")]
            let (x, y) = (
                MARGIN + (row % 2) as f64 * 300.0,
                HEIGHT + 75.0 + (row / 2) as f64 * 20.0,
            );
            format!(
                "<path d=\"M{x} {y}h30\" stroke=\"{colour}\" stroke-dasharray=\"{dashes}\"/>\
             <text x=\"{}\" y=\"{}\">{name}</text>\n",
                x + 38.0,
                y + 4.0
            )
        });
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <title>Quality against words</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <g fill=\"none\" stroke-width=\"2\">\n{}</g>\n</svg>\n",
        3.0 * (WIDTH + MARGIN) + MARGIN,
        HEIGHT + 110.0,
        diagrams
            .chain(legend)
            .collect::<String>()
            .replace("<text ", "<text fill=\"#222\" ")
    )
}

fn diagram(share: usize, title: &str, curves: &[(&str, Vec<Score>)]) -> String {
    #[expect(clippy::cast_precision_loss, reason = "one of three")]
    let left = MARGIN + share as f64 * (WIDTH + MARGIN);
    let (top, bottom) = (30.0, 30.0 + HEIGHT);
    let x = |words: f64| left + WIDTH * words / MOST_WORDS;
    let y = |percent: f64| bottom - HEIGHT * percent / MOST_PERCENT;
    let mut drawn = format!(
        "<text x=\"{left}\" y=\"20\">{title}, %</text>\n\
         <path d=\"M{left} {top}V{bottom}H{}\" stroke=\"#888\" stroke-width=\"1\"/>\n",
        left + WIDTH
    );
    for percent in [0.0, 10.0, 20.0, 30.0, 40.0] {
        let (x, y) = (left - 6.0, y(percent) + 4.0);
        let _ = writeln!(drawn, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"end\">{percent}</text>");
    }
    for words in [100.0, 200.0, 300.0, 400.0, 500.0] {
        let (x, y) = (x(words), bottom + 16.0);
        let _ = writeln!(drawn, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{words}</text>");
    }
    for ((_, scores), (colour, dashes)) in curves.iter().zip(STROKES) {
        let point = |score: &Score| {
            let percent = score.shares[share].min(MOST_PERCENT);
            format!("{:.1},{:.1}", x(score.words.min(MOST_WORDS)), y(percent))
        };
        let points: Vec<String> = scores.iter().map(point).collect();
        let _ = writeln!(
            drawn,
            "<polyline points=\"{}\" stroke=\"{colour}\" stroke-dasharray=\"{dashes}\"/>",
            points.join(" ")
        );
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_has_a_line_in_every_diagram() {
        let score = |words| Score {
            words,
            shares: [10.0, 20.0, 400.0],
        };
        let drawn = svg(&[("ours", vec![score(50.0), score(900.0)]), ("theirs", vec![score(80.0)])]);
        assert_eq!(drawn.matches("<polyline").count(), 6);
        assert!(
            drawn.contains(">theirs</text>") && drawn.contains("64.0,180.0 280.0,180.0"),
            "{drawn}"
        );
        assert_eq!(drawn.matches('<').count(), drawn.matches('>').count());
    }
}
