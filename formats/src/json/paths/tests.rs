use std::cell::RefCell;
use std::time::{Duration, Instant};

use serde::de::Deserializer;

use super::super::Object;
use super::*;
use crate::testing::Random;

type Warned = Vec<(String, String, String)>;

fn object(text: &str) -> JsonFields<'_> {
    let mut fields = Vec::new();
    serde_json::Deserializer::from_str(text).deserialize_map(Object(&|_: &str| true, &mut fields)).unwrap();
    fields
}

/// FieldPaths and their values by both ways.
fn check(paths: &[String], text: &str) {
    let (object, (steps, ends)) = (object(text), FieldPaths::new(paths));
    let mut found = FoundValues::new(&steps);
    for _ in 0..2 {
        found.look(&object);
        for (name, path) in paths.iter().zip(&ends) {
            let (expected, warned) = (RefCell::new(Warned::new()), RefCell::new(Warned::new()));
            let by_steps = value_by_steps(&object, name, |wanted, one, other| {
                expected.borrow_mut().push((wanted.to_owned(), one.to_owned(), other.to_owned()));
            });
            let Some(path) = path else { continue };
            let value = found.value(path, |wanted, one, other| {
                warned.borrow_mut().push((wanted.to_owned(), one.to_owned(), other.to_owned()));
            });
            assert_eq!((value, warned.into_inner()), (by_steps, expected.into_inner()), "{name} of {text}");
        }
    }
}

fn json(random: &mut Random, depth: usize, text: &mut String) {
    let blank = |random: &mut Random| ["", "", " ", "\t "][random.below(4)];
    let length = random.below(4);
    match random.below(if depth == 0 { 3 } else { 7 }) {
        0 => *text += ["1", "-0.5e+3", "true", "null"][random.below(4)],
        1 => *text += ["\"\"", "\"x]}\"", "\"\\\"{\\\\\"", "\"a,é\""][random.below(4)],
        2 => *text += ["[]", "{}", "[ ]", "{ }"][random.below(4)],
        3 | 4 => {
            text.push('[');
            for at in 0..length {
                *text += if at > 0 { "," } else { "" };
                *text += blank(random);
                json(random, depth - 1, text);
                *text += blank(random);
            }
            text.push(']');
        }
        _ => fields(random, depth - 1, length, text),
    }
}

fn fields(random: &mut Random, depth: usize, length: usize, text: &mut String) {
    text.push('{');
    for at in 0..length {
        *text += if at > 0 { ", " } else { "" };
        *text +=
            ["\"a\"", "\"A\"", "\"ab\"", "\"aB\"", "\"1\"", "\"0\"", "\"\\u0061\"", "\"a.a\"", "\"\\ud800\"", "\"b\""]
                [random.below(if depth == 3 { 8 } else { 10 })];
        *text += [":", " : "][random.below(2)];
        json(random, depth, text);
    }
    text.push('}');
}

#[test]
fn paths_lead_where_their_steps_lead() {
    let mut random = Random(1);
    for round in 0..20_000 {
        let count = 1 + random.below(if round % 10 == 0 { 60 } else { 6 });
        let path = |random: &mut Random| {
            let steps =
                (0..1 + random.below(4)).map(|_| ["a", "A", "ab", "AB", "0", "1", "01", "2", ""][random.below(9)]);
            steps.collect::<Vec<_>>().join(".")
        };
        let paths: Vec<String> = (0..count).map(|_| path(&mut random)).collect();
        let (mut text, length) = (String::new(), random.below(5));
        fields(&mut random, 3, length, &mut text);
        check(&paths, &text);
    }
}

/// However many paths there are, and however long they are, a record is read once.
#[test]
fn paths_take_linear_time() {
    let fast = |paths: &[String], text: &str, values: usize| {
        let (object, (steps, ends)) = (object(text), FieldPaths::new(paths));
        let (start, mut found) = (Instant::now(), FoundValues::new(&steps));
        found.look(&object);
        let count = ends.iter().flatten().filter_map(|path| found.value(path, |_, _, _| ()).unwrap()).count();
        assert_eq!(count, values);
        // FieldPath by path, these take seconds.
        assert!(start.elapsed() < Duration::from_millis(500), "{:?}", start.elapsed());
    };
    let numbers: Vec<String> = (480_000..481_600).map(|number| format!("a.{number}")).collect();
    fast(&numbers, &format!("{{\"a\":[{}0]}}", "0,".repeat(490_000)), 1600);
    let nested = format!("{{\"a\":{}1{}", "{\"a\":".repeat(160_000), "}".repeat(160_001));
    fast(&["a.".repeat(7_000) + "a"], &nested, 1);
    let prefixes: Vec<String> = (1..120).map(|steps| "a".to_owned() + &".a".repeat(steps)).collect();
    fast(&prefixes, &nested, 119);
    let cases = |number: usize| (0..11).map(|bit| if number >> bit & 1 == 0 { 'a' } else { 'A' }).collect::<String>();
    let spellings: Vec<String> = (1..1200).map(|number| cases(number) + ".1").collect();
    let fields = |name: &str| format!("{{{}\"b\":1}}", format!("\"{name}\":[0,1],").repeat(40_000));
    fast(&spellings, &fields("b"), 0);
    let all: String = (0..2048).map(|number| format!("\"{}\":[0,1],", cases(number))).collect();
    fast(&spellings, &format!("{{{all}\"b\":1}}"), 1199);
}
