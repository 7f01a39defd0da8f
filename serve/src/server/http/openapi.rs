//! The machine-readable description of the interface: <https://spec.openapis.org/oas/v3.1.0>.
//!
//! It is generated from the lists that requests use, so it cannot differ from them.

use serde_json::{Map, Value, json};
use slider_attacks_arrow::{ColumnKind, Product};

use super::super::streams::coding::Coding;
use super::left_out::{LEFT_OUT, SKIPPED};
use super::media::{ARROW, BodyFormat, CONTENTS, Format};
use super::query::{self, Parameter};
use crate::all_products;

/// The document.
pub fn document() -> Value {
    let products: Map<String, Value> = Product::ALL
        .iter()
        .flat_map(|product| product.columns())
        .map(|column| {
            let mut schema = of_kind(column.kind());
            if let Some(schema) = schema.as_object_mut() {
                schema.insert("description".to_owned(), column.meaning().into());
            }
            (column.name().to_owned(), schema)
        })
        .collect();
    let board = of_kind(ColumnKind::Bitboard);
    let attacks = json!({
        "type": "object",
        "properties": {
            "slider": {"type": "string", "enum": ["bishop", "rook", "queen"]},
            "square": {"type": "string", "pattern": "^[a-h][1-8]$"},
            "occupancy": board, "attacks": board,
            "count": {"type": "integer", "minimum": 0, "maximum": 27},
        },
        "required": ["slider", "square", "occupancy", "attacks", "count"],
        "additionalProperties": false,
    });
    let listed = json!({
        "type": "object",
        "additionalProperties": {
            "type": "object",
            "properties": {
                "definition": {"type": "string"},
                "columns": {"type": "object", "additionalProperties": {"type": "string"}},
                "options": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["definition", "columns", "options"],
            "additionalProperties": false,
        },
    });
    let problem = json!({
        "type": "object",
        "properties": {
            "type": {"type": "string"}, "title": {"type": "string"},
            "status": {"type": "integer", "minimum": 400, "maximum": 599}, "detail": {"type": "string"},
            "option": {"type": "string"}, "line": {"type": "integer"}, "element": {"type": "integer"},
            "game": {"type": "integer"},
            "ply": {"type": "integer"}, "row": {"type": "integer"}, "batch": {"type": "integer"},
            "column": {"type": "integer"}, "field": {"type": "string"}, "value": {"type": "string"},
        },
        "required": ["type", "title", "status", "detail"],
        "additionalProperties": false,
    });
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "slider-attacks",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Attack sets of sliding chess pieces, and products of positions. a1 is bit 0 of a set of squares, \
                            b1 is bit 1, h8 is bit 63.",
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        },
        "servers": [{"url": "/", "description": "The service that has this document"}],
        "security": [{"token": []}, {}],
        "paths": {
            "/v1/attacks": {
                "get": single("attacks", "The attack set of a piece", query::GET_ATTACKS, &["slider", "square", "occ"], "Attacks",
                    &json!({
                        "slider": "queen", "square": "d4", "occupancy": "0xffff00000000ffff", "attacks": "0x00492a1cf71c2a00",
                        "count": 22,
                    })),
                "post": stream("streamAttacks", "The attack set of each pair", query::POST_ATTACKS, &["slider"],
                    "A square and an occupancy per line, or an Arrow stream with the columns squares and occupancies",
                    &["text/plain", ARROW]),
            },
            "/v1/analyze": {
                "get": single("analyze", "Products of a position", &query::GET_ANALYZE, &["fen"], "Products",
                    &json!({"white_attacks": "0x010101010101393e", "black_attacks": "0x2838000000000000"})),
                "post": stream("streamAnalyze", "Products of each position", &query::POST_ANALYZE, &[],
                    "Positions as FEN, CSV, JSON lines, PGN, or an Arrow stream with a column fen or with bitboards",
                    &text_types(true)),
            },
            "/v1/summarize": {
                "post": stream("summarize", "Products, summed by square and group", &query::SUMMARIZE, &[],
                    "Positions as FEN, CSV, JSON lines or PGN", &text_types(false)),
            },
            "/v1/products": {
                "get": single("products", "All products, with their columns and options", &[], &[], "List",
                    &json!({"maps": all_products()["maps"]})),
            },
            "/openapi.json": {
                "get": single("openapi", "This document", &[], &[], "Document",
                    &json!({"openapi": "3.1.0", "info": {"title": "slider-attacks"}, "paths": {}})),
            },
            "/healthz": {
                "get": {
                    "operationId": "health",
                    "summary": "Whether the service serves",
                    "security": [],
                    "responses": {
                        "200": text_answer("It does", "serving\n"),
                        "503": text_answer("It stops", "stopping\n"),
                        "4XX": problem_answer(),
                        "default": problem_answer(),
                    },
                },
            },
        },
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {
                "Attacks": attacks,
                "Products": {"type": "object", "properties": products, "additionalProperties": false},
                "List": listed,
                "Document": {
                    "type": "object",
                    "properties": {"openapi": {"type": "string"}, "info": {"type": "object"}, "paths": {"type": "object"}},
                    "required": ["openapi", "info", "paths"],
                },
                "Problem": problem,
            },
        },
    })
}

/// A value of a column in JSON.
fn of_kind(kind: ColumnKind) -> Value {
    match kind {
        ColumnKind::Bitboard | ColumnKind::Key => json!({"type": "string", "pattern": "^0x[0-9a-f]{16}$"}),
        ColumnKind::Numbers => json!({
            "type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 255}, "minItems": 64, "maxItems": 64,
        }),
        ColumnKind::Number => json!({"type": "integer", "minimum": 0, "maximum": 65535}),
        ColumnKind::Sets => json!({
            "type": "array", "items": {"type": "string", "pattern": "^0x[0-9a-f]{1,16}$"}, "minItems": 64, "maxItems": 64,
        }),
        ColumnKind::Moves => json!({
            "type": "array", "items": {"type": "string", "pattern": "^[a-h][1-8][a-h][1-8][nbrq]?$"},
        }),
        ColumnKind::Threats => json!({
            "type": "array",
            "items": {"type": "string", "pattern": "^[PNBRQKpnbrqk][a-h][1-8]x[PNBRQKpnbrqk][a-h][1-8]$"},
        }),
        _ => json!({}),
    }
}

fn text_types(with_arrow: bool) -> Vec<&'static str> {
    let is_named = |kind: &&str| !matches!(*kind, "application/x-www-form-urlencoded" | "application/octet-stream");
    let of = |(kind, content): (&'static str, BodyFormat)| (with_arrow || content != BodyFormat::Arrow).then_some(kind);
    CONTENTS.into_iter().filter_map(of).filter(is_named).collect()
}

fn parameters(known: &[Parameter], needed: &[&str]) -> Value {
    let parameter = |parameter: &Parameter| {
        let name = parameter.name();
        json!({
            "name": name, "in": "query", "description": parameter.meaning(), "required": needed.contains(&name),
            "schema": parameter.schema(), "style": "form", "explode": false,
        })
    };
    known.iter().map(parameter).collect()
}

fn problem_answer() -> Value {
    json!({
        "description": "Why there is no answer",
        "content": {"application/problem+json": {
            "schema": {"$ref": "#/components/schemas/Problem"},
            "example": {
                "type": "about:blank", "title": "Bad Request", "status": 400, "option": "slider", "value": "king",
                "detail": "option \"slider\": expected one of bishop, rook, queen, found \"king\"",
            },
        }},
    })
}

fn text_answer(what: &str, example: &str) -> Value {
    json!({"description": what, "content": {"text/plain": {"schema": {"type": "string"}, "example": example}}})
}

/// A request with one answer in JSON.
fn single(id: &str, what: &str, known: &[Parameter], needed: &[&str], schema: &str, example: &Value) -> Value {
    let schema = json!({"$ref": format!("#/components/schemas/{schema}")});
    json!({
        "operationId": id,
        "summary": what,
        "parameters": parameters(known, needed),
        "responses": {
            "200": {"description": what, "content": {"application/json": {"schema": schema, "example": example}}},
            "4XX": problem_answer(),
            "default": problem_answer(),
        },
    })
}

/// A body of a type.
fn example(kind: &str, id: &str) -> Option<&'static str> {
    Some(match kind {
        "text/plain" if id == "streamAttacks" => "d4 0xffff00000000ffff\n",
        "text/plain" => "4k3/8/8/8/8/8/8/R3K3 w Q -\n",
        "text/csv" => "fen\n4k3/8/8/8/8/8/8/R3K3 w Q -\n",
        ARROW => return None,
        kind if kind.ends_with("pgn") => "[White \"?\"]\n\n1. e4 e5 *\n",
        _ => "{\"fen\": \"4k3/8/8/8/8/8/8/R3K3 w Q -\"}\n",
    })
}

/// The beginning of the answer to that body, without options but those that must be there.
fn answer_example(format: Format, id: &str) -> Option<&'static str> {
    Some(match (format, id) {
        (Format::Arrow, _) => return None,
        (Format::JsonLines, "streamAttacks") => {
            "{\"line\":1,\"slider\":\"queen\",\"square\":\"d4\",\"occupancy\":\"0xffff00000000ffff\",\
             \"attacks\":\"0x00492a1cf71c2a00\",\"count\":22}\n"
        }
        (Format::Csv, "streamAttacks") => {
            "line,slider,square,occupancy,attacks,count\n1,queen,d4,0xffff00000000ffff,0x00492a1cf71c2a00,22\n"
        }
        (Format::JsonLines, "streamAnalyze") => {
            "{\"line\":1,\"white_attacks\":\"0x010101010101393e\",\"black_attacks\":\"0x2838000000000000\"}\n"
        }
        (Format::Csv, "streamAnalyze") => "line,white_attacks,black_attacks\n1,0x010101010101393e,0x2838000000000000\n",
        (Format::JsonLines, _) => {
            "{\"positions\":1,\"column\":\"white_attackers\",\"square\":\"a1\",\"count\":0,\"share\":0,\"sum\":0,\"mean\":0}\n"
        }
        (Format::Csv, _) => "positions,column,square,count,share,sum,mean\n1,white_attackers,a1,0,0,0,0\n",
    })
}

/// The headers of answers to text.
fn left_out_headers() -> Value {
    let header = |what: &str| {
        let description = format!("How many {what}; if the answer begins before that is known, a trailer");
        json!({"description": description, "schema": {"type": "integer", "minimum": 0}})
    };
    json!({
        SKIPPED.as_str(): header("malformed rows were left out"),
        LEFT_OUT.as_str(): header("positions were left out by conditions"),
    })
}

/// A request with a body, and an answer in one of the formats.
fn stream(id: &str, what: &str, known: &[Parameter], needed: &[&str], body: &str, types: &[&str]) -> Value {
    let text = json!({"schema": {"type": "string"}});
    let of = |kind: &&str| {
        let mut media = text.clone();
        if *kind == "application/json" {
            let object = json!({"type": "object", "properties": {"fen": {"type": "string"}}, "required": ["fen"]});
            let schema = json!({"anyOf": [object, {"type": "array", "items": object}]});
            return ((*kind).to_owned(), json!({"schema": schema, "example": [{"fen": "4k3/8/8/8/8/8/8/R3K3 w Q -"}]}));
        }
        if let Some(example) = example(kind, id) {
            media["example"] = example.into();
        }
        ((*kind).to_owned(), media)
    };
    let content: Map<String, Value> = types.iter().map(of).collect();
    let answer = |format: Format| {
        let mut media = text.clone();
        if let Some(example) = answer_example(format, id) {
            media["example"] = example.into();
        }
        (format.types()[0].to_owned(), media)
    };
    let answers: Map<String, Value> = Format::ALL.into_iter().map(answer).collect();
    let codings = Coding::ALL.map(Coding::name);
    let mut parameters = parameters(known, needed);
    if let Some(parameters) = parameters.as_array_mut() {
        parameters.push(json!({
            "name": "Content-Encoding", "in": "header", "description": "How the body is compressed",
            "schema": {"type": "string", "enum": codings},
        }));
    }
    json!({
        "operationId": id,
        "summary": what,
        "description": "The answer begins before the body has ended. One that is cut off ends with an error of the connection; in \
                        JSON lines, the last line before that is a problem.",
        "parameters": parameters,
        "requestBody": {"description": body, "required": true, "content": content},
        "responses": {
            "200": {"description": "A row per row of the request", "headers": left_out_headers(), "content": answers},
            "4XX": problem_answer(),
            "default": problem_answer(),
        },
    })
}
