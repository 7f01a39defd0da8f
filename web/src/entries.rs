//! A part of a file for the list of the page, and the moves of a game.

use csv::{ByteRecord, ReaderBuilder};
use serde_json::{Map, Value, json};
use slider_attacks::position::Positions;
use slider_attacks_games::Board;
use slider_attacks_games::pgn::{self, Eval, Ply, Take, Visitor, text as value_text};
use slider_attacks_games::tags::Tags;

use crate::format::Format;
use crate::scan::{MOST_LINE, MOST_PLIES, Place, Places, read_field, start};
use crate::{error, head, place, shown, with_line_ends};

/// The most bytes of a line that are shown.
const MOST_SHOWN: usize = 300;

/// The tags that are told of a game, beside its place.
const TAGS: [&str; 7] = ["White", "Black", "Result", "Event", "Date", "WhiteElo", "BlackElo"];

/// The entries of a part of a file. The first line of the input has the format, and where the part begins: the number of the line,
/// and how many bytes of it are before.
pub fn entries(input: &[u8]) -> Value {
    let (head, text) = head(input);
    let text = &*with_line_ends(text);
    let (format, first) = head.split_once(' ').unwrap_or((head, "1"));
    match format.parse() {
        Ok(format) => read(format, text, place(first)).into(),
        Err(message) => error::<String>(message),
    }
}

fn read(format: Format, text: &[u8], first: Place) -> Vec<Value> {
    match format {
        Format::Lines => {
            let lines = (first.line..).zip(text.split(|&byte| byte == b'\n'));
            let lines = lines.map(|(line, found)| (line, found.trim_ascii()));
            let lines = lines.filter(|(_, found)| !found.is_empty() && !found.starts_with(b"#"));
            lines
                .filter(|(_, found)| found.len() < MOST_LINE)
                .map(|(line, found)| {
                    let mut positions = Positions::new();
                    let is_read = positions.push_fen(found).map_err(|error| error.to_string());
                    entry(line, found, is_read.map(|()| positions))
                })
                .collect()
        }
        Format::Csv { delimiter, column, width } => {
            let mut reader =
                ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(text);
            let (mut record, mut all) = (ByteRecord::new(), Vec::new());
            let mut places = Places::new(first);
            while let Ok(true) = reader.read_byte_record(&mut record) {
                let start = record.position().map_or(0, |position| position.byte() as usize);
                let start = start + text[start..].iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
                let end = (reader.position().byte() as usize).clamp(start, text.len());
                let line = places.at(text, start).line;
                let mut positions = Positions::new();
                let is_read = read_field(&record, column, width, &mut positions);
                all.push(entry(line, text[start..end].trim_ascii(), is_read.map(|()| positions)));
            }
            all
        }
        Format::Games => {
            let text = &*first.within_line(text);
            let shift = usize::from(first.column > 0);
            let places = Places::new(Place { column: first.column - shift, ..first });
            let mut games = Games { text, shift, places, all: Vec::new() };
            pgn::read(text, pgn::Options::default(), &mut games);
            let ends = games.all.iter().skip(1).map(|game| game["start"].clone()).chain([(text.len() - shift).into()]);
            let ends: Vec<Value> = ends.collect();
            for (game, end) in games.all.iter_mut().zip(ends) {
                game["end"] = end;
            }
            games.all
        }
    }
}

fn entry(line: u64, found: &[u8], positions: Result<Positions, String>) -> Value {
    let text = shown(found, MOST_SHOWN);
    match positions {
        Ok(positions) => json!({ "line": line, "text": text, "fen": positions.fen(0) }),
        Err(error) => json!({ "line": line, "text": text, "error": error }),
    }
}

/// Receives games without their positions.
struct Games<'t> {
    text: &'t [u8],
    /// How many bytes it has more than what was given.
    shift: usize,
    places: Places,
    all: Vec<Value>,
}

impl<'t> Visitor<'t> for Games<'t> {
    fn game(&mut self, _: u64, tags: Tags<'t>) -> Take {
        let start = start(tags, self.text);
        let Place { line, column } = self.places.at(self.text, start);
        let of =
            |name: &str| Some((name.to_owned(), shown(value_text(tags.find(name.as_bytes())?).as_bytes(), 80).into()));
        let told: Map<String, Value> = TAGS.iter().filter_map(|&name| of(name)).collect();
        self.all.push(json!({ "line": line, "column": column, "start": start - self.shift, "tags": told }));
        Take::Skip
    }

    fn position(&mut self, _: &Board, _: &Ply<'t>) -> bool {
        false
    }
}

/// The positions of the first game of a text. The first line of the input says where the game begins, as in [`entries`].
pub fn game(input: &[u8]) -> Value {
    let (first, text) = head(input);
    let mut first = place(first);
    let text = with_line_ends(text);
    let text = &*first.within_line(&text);
    first.column = first.column.saturating_sub(1);
    let mut moves = Moves { positions: Positions::new(), plies: Vec::new(), error: None, first };
    pgn::read(text, pgn::Options::default(), &mut moves);
    for (index, ply) in moves.plies.iter_mut().enumerate() {
        ply["fen"] = moves.positions.fen(index).into();
    }
    json!({ "plies": moves.plies, "error": moves.error })
}

/// Receives the positions of one game.
struct Moves {
    positions: Positions,
    plies: Vec<Value>,
    error: Option<String>,
    first: Place,
}

impl<'t> Visitor<'t> for Moves {
    fn game(&mut self, number: u64, _: Tags<'t>) -> Take {
        if number == 1 { Take::Positions } else { Take::Stop }
    }

    fn position(&mut self, board: &Board, ply: &Ply<'t>) -> bool {
        if self.plies.len() == MOST_PLIES as usize {
            self.error = Some(format!("expected at most {MOST_PLIES} positions in a game"));
            return false;
        }
        board.push_to(&mut self.positions);
        let eval = ply.eval().map(|eval| match eval {
            Eval::Centipawns(value) => format!("{:+.2}", f64::from(value) / 100.0),
            Eval::Mate(moves) => format!("#{moves}"),
        });
        let clock = ply.clock().map(|clock| {
            let seconds = clock / 1000;
            format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
        });
        let number = board.fullmove_number();
        self.plies.push(json!({
            "ply": ply.ply,
            "san": shown(ply.text, 20),
            "move": ply.mv.to_string(),
            "number": number,
            "eval": eval,
            "clock": clock,
        }));
        true
    }

    fn end(&mut self, _: Option<&'t [u8]>, error: Option<pgn::Error<'t>>) {
        if let Some(error) = error {
            self.error = Some(self.first.tell(error));
        }
    }
}
