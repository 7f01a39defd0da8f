//! Options in the query strings of URLs, with the names and values that they have in the command.

use std::fmt::Display;
use std::str::FromStr;
use std::sync::LazyLock;

use serde_json::{Value, json};
use slider_attacks::{Backend, Slider};
use slider_attacks_arrow::{Integers, OnError, OptionKind, Options, Plan, Product, ProductOption};
use slider_attacks_files::moves::USUAL_MOVES;
use slider_attacks_formats::games::{Condition, Games};
use slider_attacks_formats::pairs::{occupancy, square};
use slider_attacks_query::PositionQuery;
use slider_attacks_rows::conditions::RowChoice;
use slider_attacks_rows::sums::keys::Key;

use super::super::refusal::Refusal;
use super::media::Format;

/// An option of a request.
#[derive(Clone, Copy, Debug)]
pub enum Parameter {
    /// Its name, what it means, and which values it has.
    Own(&'static str, &'static str, fn() -> Value),
    /// One that changes products.
    OfProducts(&'static ProductOption),
}

impl Parameter {
    /// The name.
    pub fn name(&self) -> &'static str {
        match self {
            Parameter::Own(name, ..) => name,
            Parameter::OfProducts(option) => option.name(),
        }
    }

    /// What it means.
    pub fn meaning(&self) -> &'static str {
        match self {
            Parameter::Own(_, meaning, _) => meaning,
            Parameter::OfProducts(option) => option.help(),
        }
    }

    /// Which values it has, in the language of OpenAPI.
    pub fn schema(&self) -> Value {
        match self {
            Parameter::Own(.., schema) => schema(),
            Parameter::OfProducts(option) => match option.kind() {
                OptionKind::Choice(choices) => names(choices.iter().copied()),
                OptionKind::PieceValues => {
                    let pattern = "^[0-9]{1,2}(,[0-9]{1,2}){4}$";
                    json!({"type": "string", "pattern": pattern, "examples": [option.default()]})
                }
                _ => text(),
            },
        }
    }
}

fn names<'a>(names: impl IntoIterator<Item = &'a str>) -> Value {
    json!({"type": "string", "enum": names.into_iter().collect::<Vec<_>>()})
}

fn products() -> Value {
    json!({"type": "array", "minItems": 1, "items": names(Product::ALL.iter().map(|product| product.name()))})
}

fn text() -> Value {
    json!({"type": "string"})
}

fn texts() -> Value {
    json!({"type": "array", "items": {"type": "string", "minLength": 1}})
}

fn number() -> Value {
    json!({"type": "integer", "minimum": 0, "maximum": u32::MAX})
}

fn truth() -> Value {
    names(["true", "false"])
}

const WHAT: Parameter =
    Parameter::Own("what", "What to compute: names of products, with commas between them", products);
const ON_ERROR: Parameter = Parameter::Own("on_error", "What to do about a row that is no position", || {
    names(OnError::ALL.iter().map(|on_error| on_error.name()))
});
const FAIL_OR_SKIP: Parameter =
    Parameter::Own("on_error", "What to do about a malformed line", || names(["fail", "skip"]));
const INTEGERS: Parameter = Parameter::Own("integers", "The type of integers in Arrow streams", || {
    names(Integers::ALL.iter().map(|integers| integers.name()))
});
const COLUMN: Parameter = Parameter::Own("column", "The column or field with the positions or games", text);
const KEEP: Parameter = Parameter::Own("keep", "Columns to copy, with commas between them, or all", texts);
const SLIDER: Parameter = Parameter::Own("slider", "The piece", || names(Slider::ALL.map(Slider::name)));
const BY: Parameter = Parameter::Own(
    "by",
    "Keys of groups: side, phase, or columns, with steps for numbers, such as ply:10; with commas between them",
    texts,
);
const ROWS: [Parameter; 9] = [
    Parameter::Own("games", "Of PGN, read only games whose tags fulfil this, such as WhiteElo>=2200", text),
    Parameter::Own(
        "games_where",
        "Read only games with a position for which this condition holds, such as checkmate",
        text,
    ),
    Parameter::Own("variations", "Of games, also read the positions of variations", truth),
    Parameter::Own("from_ply", "Of games, read positions from this ply on", number),
    Parameter::Own("to_ply", "Of games, read positions up to this ply", number),
    Parameter::Own(
        "every",
        "Of games, read one position in so many plies",
        || json!({"type": "integer", "minimum": 1, "maximum": u32::MAX}),
    ),
    Parameter::Own("after_first_move", "Take the position after the first move of the column Moves", truth),
    Parameter::Own("each_move", "Take the positions after each legal move, with the column `move`", truth),
    Parameter::Own(
        "where",
        "Take only positions for which this condition holds, such as white_pinned & white_queens",
        text,
    ),
];

/// These, then the options that change products, then others.
fn with_products(before: &[Parameter], after: &[Parameter]) -> Vec<Parameter> {
    let of_products = Options::ALL.iter().map(Parameter::OfProducts);
    before.iter().copied().chain(of_products).chain(after.iter().copied()).collect()
}

/// The options of `GET /v1/attacks`.
pub static GET_ATTACKS: &[Parameter] = &[
    SLIDER,
    Parameter::Own(
        "square",
        "The square of the piece, such as d4 or 27",
        || json!({"type": "string", "examples": ["d4"]}),
    ),
    Parameter::Own(
        "occ",
        "The pieces on the board: 0x and hexadecimal digits, or a decimal number",
        || json!({"type": "string", "examples": ["0xffff00000000ffff"]}),
    ),
];
/// The options of `POST /v1/attacks`.
pub static POST_ATTACKS: &[Parameter] = &[SLIDER, FAIL_OR_SKIP, INTEGERS];
/// The options of `GET /v1/analyze`.
pub static GET_ANALYZE: LazyLock<Vec<Parameter>> = LazyLock::new(|| {
    let fen = Parameter::Own(
        "fen",
        "The position; underscores may stand for blanks",
        || json!({"type": "string", "examples": ["4k3/8/8/8/8/8/8/R3K3_w_Q_-"]}),
    );
    with_products(&[fen, WHAT], &[])
});
/// The options of `POST /v1/analyze`.
pub static POST_ANALYZE: LazyLock<Vec<Parameter>> =
    LazyLock::new(|| with_products(&[WHAT, ON_ERROR, INTEGERS, KEEP, COLUMN], &ROWS));
/// The options of `POST /v1/summarize`.
pub static SUMMARIZE: LazyLock<Vec<Parameter>> =
    LazyLock::new(|| with_products(&[WHAT, BY, FAIL_OR_SKIP, INTEGERS, COLUMN], &ROWS));

/// About how many nanoseconds a condition may take for a position that is read, so that a block is done in a turn.
const MOST_COST: u64 = 100_000;

/// The most keys of groups.
const MOST_KEYS: usize = 16;

/// The options of a request.
#[derive(Debug)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Reads them. Each is one of those that are known, and is there once.
    pub fn parse(query: Option<&str>, known: &[Parameter]) -> Result<Query, Refusal> {
        check_encoding(query.unwrap_or_default())?;
        let mut options: Vec<(String, String)> = Vec::new();
        for (name, value) in form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
            let problem = if !known.iter().any(|known| known.name() == name) {
                let names: Vec<&str> = known.iter().map(Parameter::name).collect();
                let names = if names.is_empty() { "no options".to_owned() } else { names.join(", ") };
                format!("unknown option {}: expected {names}", quoted(&name))
            } else if options.iter().any(|(other, _)| *other == name) {
                format!("duplicate option {}", quoted(&name))
            } else {
                options.push((name.into_owned(), value.into_owned()));
                continue;
            };
            return Err(Refusal::invalid(problem).at("option", shortened(&name)));
        }
        Ok(Query(options))
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// The value of an option that must be there.
    pub fn needed(&self, name: &str) -> Result<&str, Refusal> {
        self.text(name).ok_or_else(|| Refusal::invalid(format!("option {name:?} is missing")).at("option", name))
    }

    fn read<T, E: Display>(&self, name: &str, read: impl Fn(&str) -> Result<T, E>) -> Result<Option<T>, Refusal> {
        let Some(value) = self.text(name) else { return Ok(None) };
        read(value).map(Some).map_err(|error| {
            let found = quoted(value);
            let error: String = error.to_string().chars().take(400).collect();
            // Some errors repeat it.
            let message = if error.contains("found") { error } else { format!("{error}, found {found}") };
            Refusal::invalid(format!("option {name:?}: {message}")).at("option", name).at("value", shortened(value))
        })
    }

    fn get<T: FromStr<Err: Display>>(&self, name: &str) -> Result<Option<T>, Refusal> {
        self.read(name, str::parse)
    }

    fn list<T: FromStr<Err: Display>>(&self, name: &str) -> Result<Option<Vec<T>>, Refusal> {
        self.read(name, |list| {
            list.split(',').filter(|_| !list.is_empty()).map(str::parse).collect::<Result<_, T::Err>>()
        })
    }

    fn truth(&self, name: &str) -> Result<bool, Refusal> {
        let read = |text: &str| match text {
            "true" | "" => Ok(true),
            "false" => Ok(false),
            _ => Err("expected true or false"),
        };
        Ok(self.read(name, read)?.unwrap_or(false))
    }

    fn number(&self, name: &str) -> Result<Option<u32>, Refusal> {
        self.read(name, |text| text.parse::<u32>().map_err(|_| "expected a number from 0 to 4294967295"))
    }

    /// The products, with the options that change them.
    pub fn plan(&self, default: Product, backend: Backend) -> Result<Plan, Refusal> {
        // Without any, a row would be nothing.
        let what = self.read("what", |list| list.split(',').map(str::parse).collect::<Result<Vec<Product>, _>>())?;
        let mut options = Options::default();
        for name in Options::ALL.iter().map(|option| option.name()) {
            let set = |value: &str| {
                let mut options = options;
                options.set(name, value).map(|()| options).map_err(|error| error.reason())
            };
            options = self.read(name, set)?.unwrap_or(options);
        }
        Ok(Plan::new(what.unwrap_or_else(|| vec![default])).backend(backend).options(options))
    }

    /// How to handle malformed rows.
    pub fn on_error(&self, taken: &[OnError]) -> Result<OnError, Refusal> {
        let read = |text: &str| {
            let found = taken.iter().copied().find(|on_error| on_error.name() == text);
            let names = || taken.iter().map(|on_error| on_error.name()).collect::<Vec<_>>().join(", ");
            found.ok_or_else(|| format!("expected one of {}", names()))
        };
        Ok(self.read("on_error", read)?.unwrap_or_default())
    }

    /// The integers of an answer in this format.
    pub fn integers(&self, format: Format) -> Result<Integers, Refusal> {
        let integers = self.get::<Integers>("integers")?.unwrap_or_default();
        if integers == Integers::Signed && format != Format::Arrow {
            let message =
                "option \"integers\": only Arrow streams have signed ones: text shows the bits of a set of squares";
            return Err(Refusal::invalid(message).at("option", "integers"));
        }
        Ok(integers)
    }

    /// The slider.
    pub fn slider(&self) -> Result<Slider, Refusal> {
        self.needed("slider")?;
        let names = || Slider::ALL.map(Slider::name).join(", ");
        let find = |text: &str| Slider::ALL.into_iter().find(|slider| slider.name() == text);
        let slider = self.read("slider", |text| find(text).ok_or_else(|| format!("expected one of {}", names())))?;
        slider.ok_or_else(|| Refusal::unknown("slider"))
    }

    /// A square and the pieces on the board.
    pub fn pair(&self) -> Result<(slider_attacks::Square, u64), Refusal> {
        self.needed("square")?;
        self.needed("occ")?;
        let pair = self.read("square", square)?.zip(self.read("occ", occupancy)?);
        pair.ok_or_else(|| Refusal::unknown("pair"))
    }

    /// The position, with underscores for spaces.
    pub fn fen(&self) -> Result<String, Refusal> {
        Ok(self.needed("fen")?.replace('_', " "))
    }

    /// The columns to keep.
    pub fn keep(&self) -> Result<Vec<String>, Refusal> {
        Ok(self.list("keep")?.unwrap_or_default())
    }

    /// The keys of groups.
    pub fn by(&self) -> Result<Vec<Key>, Refusal> {
        let by: Vec<Key> = self.list("by")?.unwrap_or_default();
        if by.len() > MOST_KEYS {
            let message = format!("option \"by\": expected at most {MOST_KEYS} keys, found {}", by.len());
            return Err(Refusal::invalid(message).at("option", "by"));
        }
        let twice = by.iter().enumerate().find(|(at, key)| by[..*at].iter().any(|other| other.name == key.name));
        match twice {
            Some((_, key)) => {
                Err(Refusal::invalid(format!("option \"by\": it names {} twice", quoted(&key.name))).at("option", "by"))
            }
            None => Ok(by),
        }
    }

    /// The column with the positions.
    pub fn column(&self) -> String {
        self.text("column").unwrap_or("fen").to_owned()
    }

    /// Which games, and which of their positions.
    pub fn games(&self) -> Result<Games, Refusal> {
        let every = self.read("every", |text| match text.parse::<u32>() {
            Ok(every @ 1..) => Ok(every),
            _ => Err("expected a number from 1 to 4294967295"),
        })?;
        let (from_ply, to_ply) = (self.number("from_ply")?.unwrap_or(0), self.number("to_ply")?.unwrap_or(u32::MAX));
        if to_ply < from_ply {
            return Err(Refusal::invalid("option \"to_ply\": it is before from_ply").at("option", "to_ply"));
        }
        Ok(Games {
            variations: self.truth("variations")?,
            from_ply,
            to_ply,
            every: every.unwrap_or(1),
            conditions: self.read("games", Condition::list)?.unwrap_or_default(),
            by_positions: self.text("games_where").is_some(),
        })
    }

    /// Whether the positions after first moves are wanted.
    pub fn after_first_move(&self) -> Result<bool, Refusal> {
        self.truth("after_first_move")
    }

    /// Whether the positions after each legal move are wanted.
    pub fn each_move(&self) -> Result<bool, Refusal> {
        self.truth("each_move")
    }

    /// Which rows are taken.
    pub fn choice(&self, each_move: bool) -> Result<RowChoice, Refusal> {
        let most = if each_move { MOST_COST / USUAL_MOVES as u64 } else { MOST_COST };
        let (condition, games) = (self.condition("where", most)?, self.condition("games_where", most)?);
        Ok(RowChoice { condition, games, selection: None })
    }

    /// A condition that takes at most this many nanoseconds for a position.
    fn condition(&self, name: &'static str, most: u64) -> Result<Option<PositionQuery>, Refusal> {
        let query = self.get::<PositionQuery>(name)?;
        match query.as_ref().map(PositionQuery::cost).filter(|&cost| cost > most) {
            Some(cost) => {
                let message =
                    format!("option {name:?}: the condition takes about {cost} ns for a position, and may take {most}");
                Err(Refusal::invalid(message).at("option", name))
            }
            None => Ok(query),
        }
    }

    /// Refuses those of these options that are there, because `what` has none of them.
    pub fn none_of(&self, names: &[&str], what: &str) -> Result<(), Refusal> {
        match names.iter().find(|name| self.text(name).is_some()) {
            Some(name) => Err(Refusal::invalid(format!("{what} has no option {name:?}")).at("option", *name)),
            None => Ok(()),
        }
    }
}

/// Checks what the parser would pass over: a percent sign that stands for nothing would stand for itself, and bytes that are not
/// UTF-8 would become something else.
fn check_encoding(query: &str) -> Result<(), Refusal> {
    let mut parts = query.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let digits = part.get(..2).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) else {
            let found = quoted(&part.chars().take(2).collect::<String>());
            let message =
                format!("the query: expected two hexadecimal digits after %, found {found}; %25 stands for %");
            return Err(Refusal::invalid(message));
        };
        bytes.push(byte);
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    let text = str::from_utf8(&bytes).map_err(|error| bytes[error.valid_up_to()]);
    text.map(drop).map_err(|byte| Refusal::invalid(format!("the query: expected UTF-8 text, found byte {byte:#04x}")))
}

fn shortened(text: &str) -> String {
    text.chars().take(80).collect()
}

fn quoted(text: &str) -> String {
    format!("{:?}", text.chars().take(40).collect::<String>())
}
