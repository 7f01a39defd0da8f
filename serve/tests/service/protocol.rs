//! What is answered.

use arrow_array::types::*;
use arrow_array::{BinaryArray, LargeStringArray, PrimitiveArray, StringViewArray};
use arrow_flight::{Action, Criteria, Empty};
use arrow_schema::{DataType, Field, Schema};
use slider_attacks_arrow::{Integers, OnError, PositionArray};

use super::*;

#[tokio::test]
async fn each_call_answers_what_the_library_computes() {
    let server = Running::start(&[]).await;
    let mut client = server.client().await;
    let mut random = Random(1);
    let mut rows = 0;
    let works = Slider::ALL.map(Work::Attacks).into_iter().chain([
        Work::Sets,
        Work::Analyze(vec![]),
        Work::Analyze(vec![Product::Maps]),
        Work::Analyze(Product::ALL.to_vec()),
    ]);
    for work in works {
        // Around the numbers of rows at which other threads compute, and at which batches are cut.
        let lengths: &[usize] = match work {
            Work::Analyze(_) => &[0, 1, 63, 64, 65, 2047, 2048, 2049, 4100],
            _ => &[0, 1, 8191, 8192, 8193, 65_535, 65_536, 65_537, 140_000],
        };
        let batches: Vec<RecordBatch> = lengths.iter().map(|&length| work.batch(&mut random, length)).collect();
        let answer = work.ask(&mut client, batches.clone()).await.unwrap();
        let all = arrow_select::concat::concat_batches(&batches[0].schema(), &batches).unwrap();
        assert_eq!(answer, work.expected(&all), "{work:?}");
        rows += answer.num_rows();
        // No rows at all: only the schema comes back.
        let nothing = batches[0].clone();
        assert_eq!(work.ask(&mut client, vec![nothing.clone()]).await.unwrap(), work.expected(&nothing), "{work:?}");
    }
    common::say(format_args!("calls: {rows} answers compared"));
    assert!(server.stop().await);
}

#[tokio::test]
async fn columns_of_other_types_are_taken() {
    let server = Running::start(&[]).await;
    let mut client = server.client().await;
    let work = Work::Attacks(Slider::Rook);
    let batch = work.batch(&mut Random(2), 1000);
    let expected = work.expected(&batch);
    let squares = batch.column(0).as_any().downcast_ref::<UInt8Array>().unwrap();
    let occs = batch.column(1).as_any().downcast_ref::<UInt64Array>().unwrap();
    fn cast<T: ArrowPrimitiveType>(squares: &UInt8Array, to: impl Fn(u8) -> T::Native) -> ArrayRef {
        Arc::new(squares.iter().map(|square| square.map(&to)).collect::<PrimitiveArray<T>>())
    }
    let others = [
        cast::<Int8Type>(squares, |square| square as i8),
        cast::<Int32Type>(squares, i32::from),
        cast::<Int64Type>(squares, i64::from),
    ];
    let signed = Integers::Signed.bitboards(occs.clone());
    for squares in others {
        // In another order as well.
        let batch = [("occupancies", signed.clone(), true), ("squares", squares, true)];
        let batch = RecordBatch::try_from_iter_with_nullable(batch).unwrap();
        assert_eq!(work.ask(&mut client, vec![batch]).await.unwrap(), expected);
    }

    let work = Work::Analyze(vec![Product::Maps, Product::Threats]);
    let batch = work.batch(&mut Random(3), 300);
    let expected = work.expected(&batch);
    let fens = batch.column(0).as_any().downcast_ref::<StringArray>().unwrap();
    let others: [ArrayRef; 2] =
        [Arc::new(fens.iter().collect::<LargeStringArray>()), Arc::new(fens.iter().collect::<StringViewArray>())];
    for fens in others {
        let batch = RecordBatch::try_from_iter_with_nullable([("fen", fens, true)]).unwrap();
        assert_eq!(work.ask(&mut client, vec![batch]).await.unwrap(), expected);
    }
    for integers in [Integers::Unsigned, Integers::Signed] {
        let boards = PositionArray::read(fens).unwrap().boards(integers);
        assert_eq!(work.ask(&mut client, vec![boards]).await.unwrap(), expected);
    }
}

#[tokio::test]
async fn options_are_those_of_the_library() {
    let server = Running::start(&[]).await;
    let mut client = server.client().await;
    let fens: ArrayRef = Arc::new(StringArray::from(vec![Some("4k3/8/8/8/8/8/8/R3K3 w Q -"), None, Some("nonsense")]));
    let batch = RecordBatch::try_from_iter_with_nullable([("fen", fens.clone(), true)]).unwrap();
    let side = |name: &str| name.parse().unwrap();
    for (options, plan) in [
        (
            r#""what": ["pins", "maps"], "integers": "signed""#,
            Plan::new([Product::Maps, Product::Pins]).integers(Integers::Signed),
        ),
        (
            r#""what": ["xrays", "threats"], "through": "own", "victims": "any""#,
            Plan::new([Product::Xrays, Product::Threats]).through(side("own")).victims(side("any")),
        ),
        (
            r#""what": ["exchanges"], "values": "2,6,7,10,19", "pinned": "stay""#,
            Plan::new([Product::Exchanges])
                .piece_values("2,6,7,10,19".parse().unwrap())
                .pinned("stay".parse().unwrap()),
        ),
    ] {
        let command = format!(r#"{{"call": "analyze", "on_error": "null", {options}}}"#);
        let answer = ask(&mut client, FlightDescriptor::new_cmd(command), vec![batch.clone()]).await.unwrap();
        assert_eq!(answer, plan.clone().on_error(OnError::Null).compute(&fens).unwrap());
        assert!(answer.column(0).is_null(2));
    }
    let work = Work::Sets;
    let batch = work.batch(&mut Random(4), 10);
    let command = FlightDescriptor::new_cmd(r#"{"call": "attack_sets", "integers": "signed"}"#);
    let answer = ask(&mut client, command, vec![batch.clone()]).await.unwrap();
    let expected = work.expected(&batch);
    let expected = expected.column(0).as_any().downcast_ref::<UInt64Array>().unwrap();
    assert_eq!(answer.column(0), &Integers::Signed.bitboards(expected.clone()));
}

/// With `"on_error": "report"`, the last column has what the failure of the row alone would say, and the columns before
/// it are those of `null`.
#[tokio::test]
async fn rows_that_cannot_be_read_say_why() {
    let server = Running::start(&[]).await;
    let mut client = server.client().await;
    let command = |on_error: &str| {
        FlightDescriptor::new_cmd(format!(
            r#"{{"call": "analyze", "what": ["maps", "threats"], "on_error": "{on_error}"}}"#
        ))
    };
    let schema: Schema = (&client.get_schema(command("report")).await.unwrap().into_inner()).try_into().unwrap();
    assert_eq!(schema.fields().last().unwrap().as_ref(), &Field::new("error", DataType::Utf8, true));

    // Texts with bytes changed or left out, some of them not UTF-8, among good ones and nulls.
    let mut random = Random(20);
    let sample = Work::Analyze(vec![]);
    let mut batches = Vec::new();
    for length in [0, 1, 64, 65, 2049, 4100] {
        let good = sample.batch(&mut random, length);
        let good = good.column(0).as_any().downcast_ref::<StringArray>().unwrap();
        let mut changed = |text: &str| {
            let mut text = text.as_bytes().to_vec();
            match random.below(4) {
                0 => text.truncate(random.below(text.len())),
                1 | 2 => {
                    let at = random.below(text.len());
                    text[at] = [random.next() as u8, b"wkKQ/- 18x"[random.below(10)]][random.below(2)];
                }
                _ => {}
            }
            text
        };
        let fens: BinaryArray = good.iter().map(|text| text.map(&mut changed)).collect();
        batches.push(RecordBatch::try_from_iter_with_nullable([("fen", Arc::new(fens) as ArrayRef, true)]).unwrap());
    }
    let all = arrow_select::concat::concat_batches(&batches[0].schema(), &batches).unwrap();
    let reported = ask(&mut client, command("report"), batches.clone()).await.unwrap();
    assert_eq!(reported.schema().fields(), schema.fields());
    let products: Vec<usize> = (0..reported.num_columns() - 1).collect();
    assert_eq!(reported.project(&products).unwrap(), ask(&mut client, command("null"), batches.clone()).await.unwrap());
    let errors = reported.column(products.len()).as_any().downcast_ref::<StringArray>().unwrap();
    let mut told = std::collections::BTreeSet::new();
    for row in 0..all.num_rows() {
        let (is_null, is_read) = (all.column(0).is_null(row), reported.column(0).is_valid(row));
        assert_eq!(errors.is_null(row), is_null || is_read, "row {row}");
        if errors.is_valid(row) && told.len() < 300 && told.insert(errors.value(row)) {
            let (_, alone) = failed(ask(&mut client, command("fail"), vec![all.slice(row, 1)]).await);
            // What stands in the row follows: the client may have put many rows together.
            let text = all.column(0).as_any().downcast_ref::<BinaryArray>().unwrap().value(row);
            let text = String::from_utf8_lossy(text);
            let mut shown: String = text.chars().take(80).collect();
            shown += if shown.len() < text.len() { "…" } else { "" };
            assert_eq!(alone, format!("batch 0, column fen, row 0, {}: {shown:?}", errors.value(row)));
            assert!(alone.len() < 300, "{alone}");
        }
    }
    let nulls = errors.null_count();
    assert!(told.len() == 300 && nulls > 1000 && errors.len() - nulls > 1000, "{} {nulls}", told.len());
    common::say(format_args!("reports: {} of {} rows, {} sent again", errors.len() - nulls, errors.len(), told.len()));

    // No product at all, and bitboards: each kind of what can be wrong.
    let good = PositionArray::read(&StringArray::from(vec!["4k3/8/8/8/8/8/8/R3K3 w Q -"; 6])).unwrap();
    let boards = good.boards(Integers::Unsigned);
    let replaced = [
        ("white_pawn", Arc::new(UInt64Array::from(vec![0, 1, 0, 0, 0, 0])) as ArrayRef),
        ("side_to_move", Arc::new(StringArray::from(vec!["w", "w", "z", "w", "w", "w"]))),
        ("castling", Arc::new(StringArray::from(vec![Some("-"), Some("-"), Some("-"), Some("x"), Some("-"), None]))),
        ("en_passant", Arc::new(UInt8Array::from(vec![None, None, None, None, Some(64), Some(64)]))),
    ];
    let column = |field: &Arc<Field>| {
        let other = replaced.iter().find(|(name, _)| *name == field.name());
        let array = other.map_or_else(|| boards[field.name().as_str()].clone(), |(_, array)| array.clone());
        (field.name().clone(), array, true)
    };
    let boards = RecordBatch::try_from_iter_with_nullable(boards.schema().fields().iter().map(column)).unwrap();
    let only = FlightDescriptor::new_cmd(r#"{"call": "analyze", "what": [], "on_error": "report"}"#);
    let reported = ask(&mut client, only, vec![boards.clone()]).await.unwrap();
    let expected = StringArray::from(vec![
        None,
        Some("expected at most one piece on a1, found several"),
        Some("column side_to_move: expected w or b, found \"z\""),
        Some("column castling: expected - or letters of KQkq, A-H and a-h, none twice, found \"x\""),
        Some("column en_passant: square 64 is not on the board"),
        None,
    ]);
    assert_eq!((reported.num_columns(), reported.column(0).as_ref()), (1, &expected as &dyn Array));
    for row in 1..5 {
        let (_, alone) = failed(ask(&mut client, command("fail"), vec![boards.slice(row, 1)]).await);
        let places = ["batch 0, row 0: ", "batch 0, row 0, ", "batch 0, "];
        let reason = places.into_iter().find_map(|place| alone.strip_prefix(place)).unwrap();
        assert_eq!(reason.replace(", row 0", ""), expected.value(row));
    }
    server.is_well().await;
}

#[tokio::test]
async fn calls_are_described_as_they_are() {
    let server = Running::start(&[]).await;
    let mut client = server.client().await;
    let infos = client.list_flights(Criteria::default()).await.unwrap().into_inner();
    let infos: Vec<_> = infos.try_collect().await.unwrap();
    assert_eq!(infos.len(), 5);
    for info in infos {
        let descriptor = info.flight_descriptor.clone().unwrap();
        let same = client.get_flight_info(descriptor.clone()).await.unwrap().into_inner();
        assert_eq!(info, same);
        let name = descriptor.path[0].clone();
        let work = match name.as_str() {
            "attack_sets" => Work::Sets,
            "analyze" => Work::Analyze(vec![Product::Maps]),
            _ => Work::Attacks(name.strip_suffix("_attacks").unwrap().parse().unwrap()),
        };
        let described = info.try_decode_schema().unwrap();
        let schema: Schema = (&client.get_schema(descriptor).await.unwrap().into_inner()).try_into().unwrap();
        assert_eq!(described, schema);
        let batch = work.batch(&mut Random(5), 5);
        let answer = work.ask(&mut client, vec![batch.clone()]).await.unwrap();
        assert_eq!(described.fields(), answer.schema().fields(), "{name}");
        // What it says that it takes is what was sent.
        let takes: serde_json::Value = serde_json::from_str(&described.metadata()["takes"]).unwrap();
        for field in batch.schema().fields() {
            assert_eq!(takes[0][field.name()], field.data_type().to_string());
        }
        assert!(described.metadata()["description"].len() > 20);
        assert_eq!(described.metadata().contains_key("what"), name == "analyze");
        if let Some(what) = described.metadata().get("what") {
            let what: serde_json::Value = serde_json::from_str(what).unwrap();
            assert_eq!(what.as_object().unwrap().len(), Product::ALL.len());
            for product in Product::ALL {
                assert_eq!(what[product.name()]["definition"], product.definition());
                for column in product.columns() {
                    assert_eq!(what[product.name()]["columns"][column.name()], column.meaning());
                }
            }
        }
    }
}

#[tokio::test]
async fn actions_are_answered() {
    let server = Running::start(&["--backend", "scalar"]).await;
    let mut client = server.client().await;
    let actions: Vec<_> = client.list_actions(Empty {}).await.unwrap().into_inner().try_collect().await.unwrap();
    let names: Vec<&str> = actions.iter().map(|action| action.r#type.as_str()).collect();
    assert_eq!(names, ["cpu", "health"]);
    let mut ask = async |name: &str| {
        let answers = client.do_action(Action::new(name, "")).await?.into_inner();
        let answers: Vec<_> = answers.try_collect().await?;
        assert_eq!(answers.len(), 1);
        Ok::<_, Status>(String::from_utf8(answers[0].body.to_vec()).unwrap())
    };
    assert_eq!(ask("health").await.unwrap(), "serving");
    let cpu = ask("cpu").await.unwrap();
    assert!(cpu.contains("available") && cpu.ends_with("computing scalar\n"), "{cpu}");
    assert_eq!(failed(ask("reboot").await), (Code::InvalidArgument, "expected one of the actions cpu, health".into()));
}

/// An error names its place, and the other streams go on.
#[tokio::test]
async fn failures_name_the_place_and_end_their_stream_alone() {
    let server = Running::start(&[]).await;
    let mut client = server.client().await;
    let column = |name: &'static str, array: ArrayRef| (name, array, true);
    let batch =
        |columns: Vec<(&'static str, ArrayRef, bool)>| RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    let squares = |squares: Vec<i64>| -> ArrayRef { Arc::new(arrow_array::Int64Array::from(squares)) };
    let occs = |count: usize| -> ArrayRef { Arc::new(UInt64Array::from(vec![0; count])) };
    let pairs = |numbers: Vec<i64>| {
        let count = numbers.len();
        batch(vec![column("squares", squares(numbers)), column("occupancies", occs(count))])
    };
    let fens = |texts: Vec<&str>| batch(vec![column("fen", Arc::new(StringArray::from(texts)))]);
    let good = "4k3/8/8/8/8/8/8/R3K3 w Q -";
    // Far enough that it is in the second piece.
    let mut far = vec![0; 70_000];
    far[69_999] = -1;
    let path = |name: &str| FlightDescriptor::new_path(vec![name.to_owned()]);
    let command = |text: &str| FlightDescriptor::new_cmd(text.to_owned());
    let two = pairs(vec![0, 1]);
    let names = Product::ALL.iter().map(|product| product.name()).collect::<Vec<_>>().join(", ");
    let no_map = format!("the command of the descriptor: expected one of {names}, found \"map\"");
    let cases: Vec<(FlightDescriptor, Vec<RecordBatch>, &str)> = vec![
        (
            path("queen_attacks"),
            vec![two.clone(), pairs(vec![1, 64])],
            "batch 1, column squares, row 1: square 64 is not on the board",
        ),
        (path("queen_attacks"), vec![pairs(far)], "batch 0, column squares, row 69999: square -1 is not on the board"),
        (
            path("analyze"),
            vec![fens(vec![good; 5000]), fens(vec![good, good, "4k3/8/8/8/8/8/8/R3K3 x Q -"])],
            "batch 1, column fen, row 2, column 22: expected w or b as the side to move, found 'x': \"4k3/8/8/8/8/8/8/R3K3 x Q -\"",
        ),
        (path("analyze"), vec![two.clone()], "analyze takes the columns fen, or white_pawn"),
        (
            path("analyze"),
            vec![batch(vec![column("fen", occs(1))])],
            "column fen: expected strings or bytes, found UInt64",
        ),
        (path("analyze"), vec![batch(vec![column("white_pawn", occs(1))])], "column white_knight is missing"),
        (
            path("attack_sets"),
            vec![two.clone()],
            r#"attack_sets takes the columns orthogonal, diagonal, occupancies, found "squares""#,
        ),
        (path("rook_attacks"), vec![batch(vec![column("squares", squares(vec![1]))])], "column occupancies is missing"),
        (
            path("rook_attacks"),
            vec![batch(vec![
                column("squares", Arc::new(StringArray::from(vec!["a1"]))),
                column("occupancies", occs(1)),
            ])],
            "column squares: expected integers, found Binary",
        ),
        (
            path("rook_attacks"),
            vec![batch(vec![
                column("squares", occs(1)),
                column("occupancies", Arc::new(arrow_array::Float64Array::from(vec![0.0]))),
            ])],
            "column occupancies: expected integers, strings or bytes, found Float64",
        ),
        (path("king_attacks"), vec![two.clone()], "expected one of the calls queen_attacks"),
        (
            FlightDescriptor::new_path(vec![]),
            vec![two.clone()],
            "the descriptor: expected a path of one name, or a command",
        ),
        (command("queen_attacks"), vec![two.clone()], "the command of the descriptor: expected a JSON object"),
        (
            command("{"),
            vec![two.clone()],
            "the command of the descriptor: EOF while parsing an object at line 1 column 1",
        ),
        (command("{}"), vec![two.clone()], "the command of the descriptor: missing field `call`"),
        (command("[]"), vec![two.clone()], "the command of the descriptor: expected a JSON object"),
        (
            command(r#"{"call": 1}"#),
            vec![two.clone()],
            "the command of the descriptor: invalid type: integer `1`, expected a string at line 1 column 10",
        ),
        (
            command(r#"{"call": "analyze", "depth": 1}"#),
            vec![two.clone()],
            "the command of the descriptor: unknown field `depth`, expected one of `call`, `integers`, `what`",
        ),
        (
            command(r#"{"call": "analyze", "what": [], "what": []}"#),
            vec![two.clone()],
            "the command of the descriptor: duplicate field `what` at line 1 column 38",
        ),
        (
            command(r#"{"call": "rook_attacks", "what": []}"#),
            vec![two.clone()],
            r#"rook_attacks: unknown option "what""#,
        ),
        (
            command(r#"{"call": "analyze", "what": "maps"}"#),
            vec![two.clone()],
            r#"the command of the descriptor: invalid type: string "maps", expected a sequence at line 1 column 34"#,
        ),
        (command(r#"{"call": "analyze", "what": ["map"]}"#), vec![two.clone()], &no_map),
        (
            command(r#"{"call": "analyze", "through": "none"}"#),
            vec![two.clone()],
            "the command of the descriptor: expected one of own, enemy, any at line 1 column 38",
        ),
        (
            command(r#"{"call": "analyze", "on_error": "skip"}"#),
            vec![two.clone()],
            r#"analyze: option "on_error": expected fail, null or report"#,
        ),
        (
            command(r#"{"call": "attack_sets", "integers": "big"}"#),
            vec![two.clone()],
            r#"the command of the descriptor: expected one of unsigned, signed, found "big" at line 1 column 42"#,
        ),
    ];
    // On the same connection, a stream that began before them and ends after them.
    let work = Work::Attacks(Slider::Queen);
    let beside = work.batch(&mut Random(6), 50);
    let (more, mut rest) = tokio::sync::mpsc::channel(1);
    let mut sent = messages(work.descriptor(), vec![beside.clone(); 2]);
    let sending = tokio::spawn(async move {
        let first: Vec<FlightData> = sent.by_ref().take(2).collect().await;
        for data in first {
            more.send(data).await.unwrap();
        }
        (more, sent.next().await.unwrap())
    });
    let mut going =
        answers(&mut client.clone(), stream::poll_fn(move |context| rest.poll_recv(context))).await.unwrap();
    assert_eq!(going.next().await.unwrap().unwrap(), work.expected(&beside));
    let (more, last) = sending.await.unwrap();
    let count = cases.len();
    for (descriptor, batches, message) in cases {
        let (code, found) = failed(ask(&mut client, descriptor, batches).await);
        assert_eq!(code, Code::InvalidArgument, "{found}");
        assert!(found.starts_with(message), "{found}\nexpected: {message}");
        assert!(found.len() < 400, "{found}");
    }
    more.send(last).await.unwrap();
    drop(more);
    assert_eq!(going.next().await.unwrap().unwrap(), work.expected(&beside));
    assert!(going.next().await.is_none());
    let refused = r#"requests_total{call="queen_attacks",status="InvalidArgument"}"#;
    assert_eq!(server.metric(refused).await, 2.0);
    common::say(format_args!("failures: {count} told with their place"));
    server.is_well().await;
}

/// What comes before a bad batch is answered.
#[tokio::test]
async fn batches_before_a_bad_one_are_answered() {
    let server = Running::start(&[]).await;
    let work = Work::Attacks(Slider::Bishop);
    let good = work.batch(&mut Random(8), 70_000);
    let bad: [(&str, ArrayRef, bool); 2] = [
        ("squares", Arc::new(UInt8Array::from(vec![64])), true),
        ("occupancies", Arc::new(UInt64Array::from(vec![0])), true),
    ];
    let bad = RecordBatch::try_from_iter_with_nullable(bad).unwrap();
    let mut answers =
        answers(&mut server.client().await, messages(work.descriptor(), vec![good.clone(), bad])).await.unwrap();
    let mut found = Vec::new();
    let status = loop {
        match answers.next().await.unwrap() {
            Ok(batch) => found.push(batch),
            Err(status) => break status,
        }
    };
    assert_eq!(arrow_select::concat::concat_batches(&found[0].schema(), &found).unwrap(), work.expected(&good));
    assert_eq!(status.message(), "batch 1, column squares, row 0: square 64 is not on the board");
}

#[tokio::test]
async fn dictionaries_are_refused() {
    let server = Running::start(&[]).await;
    let kind = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    let schema = Schema::new(vec![Field::new("fen", kind, true)]);
    let mut data: FlightData = arrow_flight::SchemaAsIpc::new(&schema, &Default::default()).into();
    data.flight_descriptor = Some(FlightDescriptor::new_path(vec!["analyze".into()]));
    let answers = answers(&mut server.client().await, stream::iter([data])).await.unwrap();
    let (code, message) = failed(answers.try_collect::<Vec<_>>().await);
    assert_eq!(code, Code::InvalidArgument);
    assert!(message.starts_with("column fen: expected strings or bytes, found Dictionary"), "{message}");
}

/// The rows per second of a stream do not depend on how far the client is ahead: the answers come while it still sends.
#[tokio::test]
async fn answers_come_while_batches_are_sent() {
    let server = Running::start(&[]).await;
    let work = Work::Attacks(Slider::Queen);
    let batch = work.batch(&mut Random(9), 3);
    let (sender, mut receiver) = tokio::sync::mpsc::channel(1);
    let mut sent = messages(work.descriptor(), vec![batch.clone(); 20]);
    sender.send(sent.next().await.unwrap()).await.unwrap();
    let mut answers =
        answers(&mut server.client().await, stream::poll_fn(move |context| receiver.poll_recv(context))).await.unwrap();
    while let Some(data) = sent.next().await {
        sender.send(data).await.unwrap();
        assert_eq!(answers.next().await.unwrap().unwrap(), work.expected(&batch));
    }
}

/// Tools that ask by reflection learn of the calls, if that is wanted.
#[tokio::test]
async fn reflection() {
    use tonic_reflection::pb::v1::ServerReflectionRequest;
    use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
    use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
    use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;
    for args in [&[][..], &["--reflection"]] {
        let server = Running::start(args).await;
        let endpoint = Endpoint::from_shared(format!("http://{}", server.address)).unwrap();
        let mut client = ServerReflectionClient::new(endpoint.connect().await.unwrap());
        let requests = [
            MessageRequest::ListServices(String::new()),
            MessageRequest::FileContainingSymbol("arrow.flight.protocol.FlightService.DoExchange".into()),
        ]
        .map(|request| ServerReflectionRequest { host: String::new(), message_request: Some(request) });
        let answers = client.server_reflection_info(stream::iter(requests)).await;
        if args.is_empty() {
            assert_eq!(answers.err().unwrap().code(), Code::Unimplemented);
            continue;
        }
        let answers: Vec<_> = answers.unwrap().into_inner().try_collect().await.unwrap();
        let Some(MessageResponse::ListServicesResponse(services)) = &answers[0].message_response else { panic!() };
        let names: Vec<&str> = services.service.iter().map(|service| service.name.as_str()).collect();
        assert!(names.contains(&"arrow.flight.protocol.FlightService") && names.contains(&"grpc.health.v1.Health"));
        let Some(MessageResponse::FileDescriptorResponse(files)) = &answers[1].message_response else { panic!() };
        assert_eq!(files.file_descriptor_proto.len(), 1);
    }
}
