//! What can be asked, and how it is computed.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray, StructArray};
use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef};
use serde_json::{Map, Value};
use slider_attacks::analysis::Side;
use slider_attacks::{Backend, Slider};
use slider_attacks_arrow::{self as arrow, Integers, Plan, PositionArray, Product};

use crate::Error;

/// The column of positions as text.
pub const FEN: &str = "fen";

/// The column that says why rows are null.
const ERROR: &str = "error";

/// The names of all calls, with what each computes.
pub const CALLS: [(&str, &str); 5] = [
    ("queen_attacks", "The attack set of a queen on each square, with the pieces of each occupancy on the board"),
    ("rook_attacks", "The attack set of a rook on each square, with the pieces of each occupancy on the board"),
    ("bishop_attacks", "The attack set of a bishop on each square, with the pieces of each occupancy on the board"),
    ("attack_sets", "For each board, the union of what all its sliders attack"),
    ("analyze", "Products of positions: maps, counts, mobility, pins, xrays, hanging, threats"),
];

/// A call with its options.
#[derive(Clone, Debug)]
pub struct Call {
    name: &'static str,
    what: What,
    backend: Backend,
    integers: Integers,
}

#[derive(Clone, Debug)]
enum What {
    Attacks(Slider),
    AttackSets,
    Analyze { plan: Plan, on_error: OnError },
}

/// What becomes of a row that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OnError {
    /// It ends the stream.
    Fail,
    /// It is null.
    Null,
    /// It is null, and a last column says why.
    Report,
}

impl Call {
    /// The call of this name with the default options.
    ///
    /// # Errors
    ///
    /// There is no such call.
    pub fn named(name: &str, backend: Backend) -> Result<Call, Error> {
        Call::with_options(name, &Map::new(), backend)
    }

    /// The call of a command: a JSON object with the name in `call`, and options beside it.
    ///
    /// # Errors
    ///
    /// The text is no such object, there is no such call, or an option is not one of the call.
    ///
    /// # Example
    ///
    /// ```
    /// use slider_attacks::Backend;
    /// use slider_attacks_serve::Call;
    ///
    /// let command = br#"{"call": "analyze", "products": ["maps", "pins"]}"#;
    /// let call = Call::of_command(command, Backend::active())?;
    /// assert_eq!((call.name(), call.result().fields().len()), ("analyze", 6));
    ///
    /// let error = Call::of_command(br#"{"call": "rook_attacks", "products": []}"#, Backend::active()).unwrap_err();
    /// assert_eq!(error.to_string(), r#"rook_attacks: there is no option "products""#);
    /// # Ok::<(), slider_attacks_serve::Error>(())
    /// ```
    pub fn of_command(command: &[u8], backend: Backend) -> Result<Call, Error> {
        let expected = "expected a JSON object with the name of the call in \"call\"";
        let value: Value = serde_json::from_slice(command)
            .map_err(|error| Error::Invalid(format!("the command of the descriptor: {expected}: {error}")))?;
        let Value::Object(mut options) = value else {
            return Err(Error::Invalid(format!("the command of the descriptor: {expected}")));
        };
        match options.remove("call") {
            Some(Value::String(name)) => Call::with_options(&name, &options, backend),
            _ => Err(Error::Invalid(format!("the command of the descriptor: {expected}"))),
        }
    }

    fn with_options(name: &str, options: &Map<String, Value>, backend: Backend) -> Result<Call, Error> {
        let Some(&(name, _)) = CALLS.iter().find(|(call, _)| *call == name) else {
            let names = CALLS.map(|(name, _)| name).join(", ");
            return Err(Error::Invalid(format!("expected one of the calls {names}, found {}", quoted(name))));
        };
        let invalid =
            |key: &str, expected: &str| Error::Invalid(format!("{name}: option {key:?}: expected {expected}"));
        let is_analyze = name == "analyze";
        let (mut integers, mut products, mut on_error) =
            (Integers::Unsigned, vec![Product::Maps, Product::Counts], OnError::Fail);
        let (mut through, mut victims) = (Side::Any, Side::Enemy);
        let side = |key: &str, value: &Value| {
            let found = value.as_str().and_then(|name| name.parse::<Side>().ok());
            found.ok_or_else(|| invalid(key, &format!("one of {}", Side::ALL.map(Side::name).join(", "))))
        };
        for (key, value) in options {
            match (key.as_str(), value.as_str()) {
                ("integers", Some("unsigned")) => integers = Integers::Unsigned,
                ("integers", Some("signed")) => integers = Integers::Signed,
                ("integers", _) => return Err(invalid(key, "unsigned or signed")),
                ("products", _) if is_analyze => {
                    let expected =
                        || invalid(key, &format!("a list of {}", Product::ALL.map(Product::name).join(", ")));
                    let names = value.as_array().ok_or_else(expected)?;
                    let product = |name: &Value| name.as_str().and_then(|name| name.parse().ok()).ok_or_else(expected);
                    products = names.iter().map(product).collect::<Result<_, _>>()?;
                }
                ("through", _) if is_analyze => through = side(key, value)?,
                ("victims", _) if is_analyze => victims = side(key, value)?,
                ("on_error", Some("fail")) if is_analyze => on_error = OnError::Fail,
                ("on_error", Some("null")) if is_analyze => on_error = OnError::Null,
                ("on_error", Some("report")) if is_analyze => on_error = OnError::Report,
                ("on_error", _) if is_analyze => return Err(invalid(key, "fail, null or report")),
                _ => return Err(Error::Invalid(format!("{name}: there is no option {}", quoted(key)))),
            }
        }
        let what = match name {
            "queen_attacks" => What::Attacks(Slider::Queen),
            "rook_attacks" => What::Attacks(Slider::Rook),
            "bishop_attacks" => What::Attacks(Slider::Bishop),
            "attack_sets" => What::AttackSets,
            _ => {
                let plan = Plan::new(products).backend(backend).through(through).victims(victims).integers(integers);
                What::Analyze { plan, on_error }
            }
        };
        Ok(Call { name, what, backend, integers })
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What it computes, in one line.
    pub fn description(&self) -> &'static str {
        CALLS.iter().find(|(name, _)| *name == self.name).map_or("", |&(_, description)| description)
    }

    /// The schema of what it takes, in the preferred types. Of `analyze`, that with text: it also takes bitboards, in the
    /// columns of [`PositionArray::boards_schema`].
    pub fn takes(&self) -> Schema {
        let number = |name: &str| Field::new(name, DataType::UInt64, true);
        Schema::new(match self.what {
            What::Attacks(_) => vec![Field::new("squares", DataType::UInt8, true), number("occupancies")],
            What::AttackSets => vec![number("orthogonal"), number("diagonal"), number("occupancies")],
            What::Analyze { .. } => vec![Field::new(FEN, DataType::Utf8, true)],
        })
    }

    /// The schema of the result.
    pub fn result(&self) -> SchemaRef {
        match &self.what {
            What::Analyze { plan, on_error: OnError::Report } => {
                let error = Arc::new(Field::new(ERROR, DataType::Utf8, true));
                Arc::new(Schema::new(plan.schema().fields().iter().cloned().chain([error]).collect::<Fields>()))
            }
            What::Analyze { plan, .. } => plan.schema(),
            _ => Arc::new(Schema::new(vec![Field::new("attacks", self.integers.bitboard_type(), true)])),
        }
    }

    /// The schema of the result, with a [description](Call::description) and the columns that are taken as its metadata.
    pub fn described(&self) -> Schema {
        let columns = |schema: &Schema| -> Value {
            let column = |field: &Arc<Field>| (field.name().clone(), Value::from(field.data_type().to_string()));
            Value::Object(schema.fields().iter().map(column).collect())
        };
        let boards = matches!(self.what, What::Analyze { .. })
            .then(|| columns(&PositionArray::boards_schema(Integers::Unsigned)));
        let takes: Vec<Value> = [columns(&self.takes())].into_iter().chain(boards).collect();
        let metadata = [("description", self.description().to_owned()), ("takes", Value::from(takes).to_string())];
        let metadata = metadata.map(|(key, value)| (key.to_owned(), value));
        Schema::clone(&self.result()).with_metadata(metadata.into())
    }

    /// At most so many rows are computed at a time, so that nobody waits long for others.
    pub fn most_rows(&self) -> usize {
        match self.what {
            What::Attacks(_) | What::AttackSets => 64 << 10,
            What::Analyze { .. } => 2 << 10,
        }
    }

    /// A batch of so few rows is computed where it arrives. That takes some ten microseconds, and another thread would
    /// first have to wake up, and to fetch the rows from the cache of another core: a quarter of the time of the whole
    /// request for 64 Ki pairs.
    pub fn few_rows(&self) -> usize {
        let is_slow = [Some(Backend::scalar()), Backend::bmi2()].contains(&Some(self.backend));
        match self.what {
            What::Attacks(_) | What::AttackSets if is_slow => 8 << 10,
            What::Attacks(_) | What::AttackSets => 64 << 10,
            What::Analyze { .. } => 64,
        }
    }

    /// Checks that batches of this schema can be computed, and returns the schema by which to read them: text as bytes,
    /// because what is not UTF-8 is no position either.
    ///
    /// # Errors
    ///
    /// A column is missing, or there is one too many, or one has another type.
    pub fn reads(&self, schema: &Schema) -> Result<SchemaRef, Error> {
        let boards = PositionArray::boards_schema(Integers::Unsigned);
        let takes = self.takes();
        let is_boards = matches!(self.what, What::Analyze { .. }) && schema.column_with_name(FEN).is_none();
        let known = if is_boards { boards.fields() } else { takes.fields() };
        let mut names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        if let Some(name) = names.iter().find(|name| !known.iter().any(|field| field.name() == *name)) {
            let names: Vec<&str> = known.iter().map(|field| field.name().as_str()).collect();
            let or_fen = if is_boards { "fen, or " } else { "" };
            let name = quoted(name);
            let (call, names) = (self.name, names.join(", "));
            return Err(Error::Invalid(format!("{call} takes the columns {or_fen}{names}, found {name}")));
        }
        names.sort_unstable();
        if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Error::Invalid(format!("column {} is there twice", twice[0])));
        }
        if !is_boards && let Some(field) = known.iter().find(|field| !names.contains(&field.name().as_str())) {
            return Err(Error::Invalid(format!("column {} is missing", field.name())));
        }
        let flat = |field: &Arc<Field>| -> Result<Field, Error> {
            let kind = match field.data_type() {
                DataType::Utf8 | DataType::Binary => DataType::Binary,
                DataType::LargeUtf8 | DataType::LargeBinary => DataType::LargeBinary,
                DataType::Utf8View | DataType::BinaryView => DataType::BinaryView,
                kind if kind.is_integer() => kind.clone(),
                kind => {
                    let expected = if field.name() == FEN { "strings or bytes" } else { "integers, strings or bytes" };
                    let (name, kind) = (field.name(), kind.to_string().chars().take(100).collect::<String>());
                    return Err(Error::Invalid(format!("column {name}: expected {expected}, found {kind}")));
                }
            };
            if field.name() == FEN && kind.is_integer() {
                return Err(Error::Invalid(format!("column {FEN}: expected strings or bytes, found {kind}")));
            }
            Ok(Field::new(field.name(), kind, true))
        };
        let fields: Result<Fields, Error> = schema.fields().iter().map(flat).collect();
        let schema = Arc::new(Schema::new(fields?));
        // Whatever is wrong with types is wrong without rows as well.
        self.run(&RecordBatch::new_empty(schema.clone())).map_err(|error| Error::Invalid(error.to_string()))?;
        Ok(schema)
    }

    /// The results of these rows, one per row. The batch has a schema that [`reads`](Call::reads) returned.
    ///
    /// # Errors
    ///
    /// A row cannot be read.
    ///
    /// # Panics
    ///
    /// If a column is missing.
    pub fn run(&self, batch: &RecordBatch) -> Result<RecordBatch, arrow::Error> {
        let column = |name: &str| batch.column_by_name(name).expect("the schema was checked");
        let attacks = match &self.what {
            What::Attacks(slider) => {
                arrow::attacks_with(self.backend, *slider, &column("squares"), &column("occupancies"))?
            }
            What::AttackSets => {
                let [orthogonal, diagonal] = ["orthogonal", "diagonal"].map(column);
                arrow::attack_sets_with(self.backend, orthogonal, diagonal, &column("occupancies"))?
            }
            What::Analyze { plan, on_error } => {
                let rows: ArrayRef = match batch.column_by_name(FEN) {
                    Some(fens) => fens.clone(),
                    None => Arc::new(StructArray::from(batch.clone())),
                };
                if *on_error == OnError::Fail {
                    return plan.compute(&rows);
                }
                let (result, errors) = plan.compute_or_null(&rows)?;
                if *on_error == OnError::Null {
                    return Ok(result);
                }
                let mut errors = errors.iter().peekable();
                let reason = |row| errors.next_if(|error| error.row() == Some(row)).map(reason);
                let reasons: StringArray = (0..result.num_rows()).map(reason).collect();
                let columns = result.columns().iter().cloned().chain([Arc::new(reasons) as ArrayRef]).collect();
                return Ok(RecordBatch::try_new(self.result(), columns).expect("the columns have these types"));
            }
        };
        let attacks = self.integers.bitboards(attacks);
        Ok(RecordBatch::try_new(self.result(), vec![attacks]).expect("the column has this type"))
    }

    /// What is wrong with a batch, the rows of which begin with row `first`.
    pub fn failure(&self, batch: u64, first: usize, error: arrow::Error) -> Error {
        let column = match (&self.what, &error) {
            (What::Attacks(_), arrow::Error::Square { .. }) => ", column squares",
            (What::Analyze { .. }, arrow::Error::Square { .. }) => ", column en_passant",
            (What::Analyze { .. }, arrow::Error::Fen { .. }) => ", column fen",
            _ => "",
        };
        Error::Invalid(format!("batch {batch}{column}, {}", error.after(first)))
    }

    /// The number of bytes that the texts of a batch take, each time that a row refers to them.
    pub fn text_bytes(batch: &RecordBatch) -> usize {
        let bytes = |array: &ArrayRef| match array.data_type() {
            DataType::BinaryView => {
                // The lower half of a view is its length.
                array.as_binary_view().views().iter().map(|&view| view as u32 as usize).sum()
            }
            _ => 0,
        };
        batch.columns().iter().map(bytes).sum()
    }
}

/// What is wrong with a row, without the place of the row.
fn reason(error: &arrow::Error) -> String {
    let text = error.to_string();
    let reason = text.splitn(3, ' ').nth(2).unwrap_or_default(); // after "row 7," or "row 7:"
    if matches!(error, arrow::Error::Square { .. }) {
        format!("column en_passant: {reason}")
    } else {
        reason.to_owned()
    }
}

/// The beginning of a name that came from outside.
fn quoted(name: &str) -> String {
    format!("{:?}", name.chars().take(40).collect::<String>())
}
