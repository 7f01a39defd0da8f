//! The calls of the service, and their computation.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;
use std::sync::{Arc, LazyLock};

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, StructArray};
use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef};
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::{Map, Value, json};
use slider_attacks::{Backend, Slider};
use slider_attacks_arrow::{self as arrow, Integers, OnError, Options, Plan, PositionArray, Product};

use crate::Error;

/// The column of positions as text.
pub const FEN: &str = "fen";

/// The most bytes of a command, and of any message that is not part of a stream.
pub const COMMAND_BYTES: usize = 64 << 10;

/// The names of all calls, with what each computes.
pub const CALLS: [(&str, &str); 5] = [
    ("queen_attacks", "The attack set of a queen on each square, with the pieces of each occupancy on the board"),
    ("rook_attacks", "The attack set of a rook on each square, with the pieces of each occupancy on the board"),
    ("bishop_attacks", "The attack set of a bishop on each square, with the pieces of each occupancy on the board"),
    ("attack_sets", "For each board, the union of what all its sliders attack"),
    ("analyze", "Products of positions, one row per position"),
];

/// A call with its options.
#[derive(Clone, Debug)]
pub struct Call {
    name: &'static str,
    what: CallKind,
    backend: Backend,
    integers: Integers,
}

#[derive(Clone, Debug)]
enum CallKind {
    Attacks(Slider),
    AttackSets,
    Analyze(Plan),
}

/// A call by its name, and its options.
#[derive(Default)]
struct CallCommand {
    call: String,
    integers: Option<Named<Integers>>,
    what: Option<Vec<Named<Product>>>,
    options: Options,
    on_error: Option<Named<OnError>>,
    /// The names of those of `analyze` that were given.
    given: Vec<&'static str>,
}

/// The fields of a command: those of every call, then those of `analyze`.
static FIELDS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let options = Options::ALL.iter().map(|option| option.name());
    ["call", "integers", "what"].into_iter().chain(options).chain(["on_error"]).collect()
});

impl<'de> Deserialize<'de> for CallCommand {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<CallCommand, D::Error> {
        deserializer.deserialize_map(ReadFields)
    }
}

/// Reads the fields of a command.
struct ReadFields;

impl<'de> Visitor<'de> for ReadFields {
    type Value = CallCommand;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("a call with its options")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<CallCommand, A::Error> {
        let (mut command, mut found) = (CallCommand::default(), Vec::new());
        while let Some(name) = fields.next_key::<Cow<'_, str>>()? {
            let Some(&name) = FIELDS.iter().find(|field| **field == name) else {
                return Err(A::Error::unknown_field(&name, &FIELDS));
            };
            if found.contains(&name) {
                return Err(A::Error::duplicate_field(name));
            }
            found.push(name);
            // In place of an option, null is none.
            let is_given = match name {
                "call" => {
                    command.call = fields.next_value()?;
                    false
                }
                "integers" => {
                    command.integers = fields.next_value()?;
                    false
                }
                "what" => {
                    command.what = fields.next_value()?;
                    command.what.is_some()
                }
                "on_error" => {
                    command.on_error = fields.next_value()?;
                    command.on_error.is_some()
                }
                _ => match fields.next_value::<Option<Cow<'_, str>>>()? {
                    Some(value) => {
                        let set = command.options.set(name, &value);
                        set.map_err(|error| A::Error::custom(shortened(&error.reason())))?;
                        true
                    }
                    None => false,
                },
            };
            command.given.extend(is_given.then_some(name));
        }
        if found.contains(&"call") { Ok(command) } else { Err(A::Error::missing_field("call")) }
    }
}

/// A value that is identified by its name.
struct Named<T>(T);

impl<'de, T: FromStr<Err: Display>> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Named<T>, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        name.parse().map(Named).map_err(|error| D::Error::custom(shortened(&format!("{error}"))))
    }
}

impl Call {
    /// The call of this name with the default options.
    ///
    /// # Errors
    ///
    /// There is no such call.
    pub fn named(name: &str, backend: Backend) -> Result<Call, Error> {
        Call::with_options(CallCommand { call: name.to_owned(), ..CallCommand::default() }, backend)
    }

    /// The call of a command: a JSON object with the name in `call` and further options.
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
    /// let command = br#"{"call": "analyze", "what": ["maps", "pins"]}"#;
    /// let call = Call::of_command(command, Backend::active())?;
    /// assert_eq!((call.name(), call.result().fields().len()), ("analyze", 6));
    ///
    /// let error = Call::of_command(br#"{"call": "rook_attacks", "what": []}"#, Backend::active()).unwrap_err();
    /// assert_eq!(error.to_string(), r#"rook_attacks: unknown option "what""#);
    /// # Ok::<(), slider_attacks_serve::Error>(())
    /// ```
    pub fn of_command(command: &[u8], backend: Backend) -> Result<Call, Error> {
        let length = command.len();
        if length > COMMAND_BYTES {
            return Err(Error::TooLarge(format!("a command has at most {COMMAND_BYTES} bytes, found {length}")));
        }
        let invalid = |what: &str| Error::Invalid(format!("the command of the descriptor: {}", shortened(what)));
        if command.trim_ascii_start().first() != Some(&b'{') {
            return Err(invalid("expected a JSON object"));
        }
        let command: CallCommand = serde_json::from_slice(command).map_err(|error| invalid(&error.to_string()))?;
        Call::with_options(command, backend)
    }

    fn with_options(command: CallCommand, backend: Backend) -> Result<Call, Error> {
        let CallCommand { call: name, integers, what: products, options, on_error, given } = command;
        let Some(&(name, _)) = CALLS.iter().find(|(call, _)| *call == name) else {
            let names = CALLS.map(|(name, _)| name).join(", ");
            return Err(Error::Invalid(format!("expected one of the calls {names}, found {}", quoted(&name))));
        };
        let integers = integers.map_or(Integers::Unsigned, |Named(integers)| integers);
        let what = match name {
            "queen_attacks" => CallKind::Attacks(Slider::Queen),
            "rook_attacks" => CallKind::Attacks(Slider::Rook),
            "bishop_attacks" => CallKind::Attacks(Slider::Bishop),
            "attack_sets" => CallKind::AttackSets,
            _ => {
                let mut plan = Plan::new([Product::Maps]).backend(backend).integers(integers).options(options);
                if let Some(products) = products {
                    plan = plan.what(products.into_iter().map(|Named(product)| product));
                }
                if let Some(Named(on_error)) = on_error {
                    // None can be left out: the client could not tell which answers are those of which rows.
                    if on_error == OnError::Skip {
                        let expected = "expected fail, null or report, found \"skip\"";
                        return Err(Error::Invalid(format!("{name}: option \"on_error\": {expected}")));
                    }
                    plan = plan.on_error(on_error);
                }
                return Ok(Call { name, what: CallKind::Analyze(plan), backend, integers });
            }
        };
        if let Some(option) = FIELDS.iter().find(|field| given.contains(field)) {
            return Err(Error::Invalid(format!("{name}: unknown option {option:?}")));
        }
        Ok(Call { name, what, backend, integers })
    }

    /// The call `analyze` with these products and their options.
    pub fn of_plan(plan: Plan, backend: Backend, integers: Integers) -> Call {
        Call { name: "analyze", what: CallKind::Analyze(plan.integers(integers)), backend, integers }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Its description, in one line.
    pub fn description(&self) -> &'static str {
        CALLS.iter().find(|(name, _)| *name == self.name).map_or("", |&(_, description)| description)
    }

    /// The schema of what it takes, in the preferred types. Of `analyze`, that with text: it also takes bitboards, in the
    /// columns of [`PositionArray::boards_schema`].
    pub fn takes(&self) -> Schema {
        let number = |name: &str| Field::new(name, DataType::UInt64, true);
        Schema::new(match self.what {
            CallKind::Attacks(_) => vec![Field::new("squares", DataType::UInt8, true), number("occupancies")],
            CallKind::AttackSets => vec![number("orthogonal"), number("diagonal"), number("occupancies")],
            CallKind::Analyze(_) => vec![Field::new(FEN, DataType::Utf8, true)],
        })
    }

    /// The schema of the result.
    pub fn result(&self) -> SchemaRef {
        match &self.what {
            CallKind::Analyze(plan) => plan.schema(),
            _ => Arc::new(Schema::new(vec![Field::new("attacks", self.integers.bitboard_type(), true)])),
        }
    }

    /// The schema of the result. Its metadata are the [description](Call::description), the columns that are taken, and, of
    /// `analyze`, all products with their columns.
    pub fn described(&self) -> Schema {
        let columns = |schema: &Schema| -> Value {
            let column = |field: &Arc<Field>| (field.name().clone(), Value::from(field.data_type().to_string()));
            Value::Object(schema.fields().iter().map(column).collect())
        };
        let boards = matches!(self.what, CallKind::Analyze(_))
            .then(|| columns(&PositionArray::boards_schema(Integers::Unsigned)));
        let takes: Vec<Value> = [columns(&self.takes())].into_iter().chain(boards).collect();
        let what = matches!(self.what, CallKind::Analyze(_)).then(|| ("what", all_products().to_string()));
        let metadata = [("description", self.description().to_owned()), ("takes", Value::from(takes).to_string())];
        let metadata = metadata.into_iter().chain(what).map(|(key, value)| (key.to_owned(), value));
        Schema::clone(&self.result()).with_metadata(metadata.collect())
    }

    /// At most this many rows are computed at a time, so that no client waits long for others.
    pub fn most_rows(&self) -> usize {
        match self.what {
            CallKind::Attacks(_) | CallKind::AttackSets => 64 << 10,
            CallKind::Analyze(_) => 2 << 10,
        }
    }

    /// A batch of at most this many rows is computed where it arrives. That takes some ten microseconds, and another thread would
    /// first have to wake up, and to fetch the rows from the cache of another core: a quarter of the time of the whole
    /// request for 64 Ki pairs.
    pub fn few_rows(&self) -> usize {
        let is_slow = [Some(Backend::scalar()), Backend::bmi2()].contains(&Some(self.backend));
        match self.what {
            CallKind::Attacks(_) | CallKind::AttackSets if is_slow => 8 << 10,
            CallKind::Attacks(_) | CallKind::AttackSets => 64 << 10,
            CallKind::Analyze(_) => 64,
        }
    }

    /// A message of at most this many bytes is read where it arrives: to wake another thread would cost more than to copy it. Of
    /// numbers, that takes some ten microseconds; of texts, which are all read, at most a hundred.
    pub fn few_bytes(&self) -> usize {
        match self.what {
            CallKind::Attacks(_) | CallKind::AttackSets => 1 << 20,
            CallKind::Analyze(_) => 256 << 10,
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
        let is_boards = matches!(self.what, CallKind::Analyze(_)) && schema.column_with_name(FEN).is_none();
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
            return Err(Error::Invalid(format!("duplicate column {}", twice[0])));
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
            CallKind::Attacks(slider) => {
                arrow::attacks_with(self.backend, *slider, &column("squares"), &column("occupancies"))?
            }
            CallKind::AttackSets => {
                let [orthogonal, diagonal] = ["orthogonal", "diagonal"].map(column);
                arrow::attack_sets_with(self.backend, orthogonal, diagonal, &column("occupancies"))?
            }
            CallKind::Analyze(plan) => {
                let rows: ArrayRef = match batch.column_by_name(FEN) {
                    Some(fens) => fens.clone(),
                    None => Arc::new(StructArray::from(batch.clone())),
                };
                return plan.compute(&rows);
            }
        };
        let attacks = self.integers.bitboards(attacks);
        Ok(RecordBatch::try_new(self.result(), vec![attacks]).expect("the column has this type"))
    }

    /// The error of a batch whose first row is `first`.
    pub fn failure(&self, batch: u64, first: usize, error: arrow::Error) -> Error {
        let column = match error {
            arrow::Error::Square { column, .. } => format!(", column {column}"),
            arrow::Error::Fen { .. } | arrow::Error::LineEnd { .. } => format!(", column {FEN}"),
            _ => String::new(),
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

/// All products: of each, what it is, the options that it heeds, and its columns with what they hold.
pub fn all_products() -> Value {
    let product = |product: &Product| {
        let columns = product.columns().iter().map(|column| (column.name().to_owned(), column.meaning().into()));
        let (definition, columns) = (product.definition(), columns.collect::<Map<_, Value>>());
        let entry = json!({"definition": definition, "columns": columns, "options": product.options()});
        (product.name().to_owned(), entry)
    };
    Value::Object(Product::ALL.iter().map(product).collect())
}

/// The beginning of a name that came from outside.
fn quoted(name: &str) -> String {
    format!("{:?}", name.chars().take(40).collect::<String>())
}

/// The beginning of a message that may repeat what came from outside.
fn shortened(message: &str) -> String {
    message.chars().take(300).collect()
}
