//! gRPC [reflection](https://github.com/grpc/grpc/blob/master/doc/server-reflection.md) for tools: the supported calls of Arrow
//! Flight, and their messages.
//!
//! The names and numbers are those of `Flight.proto` of Apache Arrow,
//! <https://arrow.apache.org/docs/format/Flight.html>.

use anyhow::Context;
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{
    DescriptorProto, EnumDescriptorProto, EnumValueDescriptorProto, FieldDescriptorProto, FileDescriptorProto,
    FileDescriptorSet, MethodDescriptorProto, ServiceDescriptorProto,
};
use tonic_reflection::server::Builder;
use tonic_reflection::server::v1::{ServerReflection, ServerReflectionServer};

use crate::COMMAND_BYTES;

const PACKAGE: &str = "arrow.flight.protocol";

/// The type of a field.
#[derive(Clone, Copy)]
enum FieldType {
    Bytes,
    Text,
    Texts,
    Integer,
    Truth,
    One(&'static str),
    Many(&'static str),
    Enum(&'static str),
}
use FieldType::*;

/// A message by its name, and its fields by their names and numbers.
type MessageFields = &'static [(&'static str, FieldType, i32)];

const MESSAGES: [(&str, MessageFields); 12] = [
    ("Empty", &[]),
    ("Criteria", &[("expression", Bytes, 1)]),
    ("ActionType", &[("type", Text, 1), ("description", Text, 2)]),
    ("Action", &[("type", Text, 1), ("body", Bytes, 2)]),
    ("Result", &[("body", Bytes, 1)]),
    ("SchemaResult", &[("schema", Bytes, 1)]),
    (DESCRIPTOR, &[("type", Enum("FlightDescriptor.DescriptorType"), 1), ("cmd", Bytes, 2), ("path", Texts, 3)]),
    (
        "FlightInfo",
        &[
            ("schema", Bytes, 1),
            ("flight_descriptor", One(DESCRIPTOR), 2),
            ("endpoint", Many("FlightEndpoint"), 3),
            ("total_records", Integer, 4),
            ("total_bytes", Integer, 5),
            ("ordered", Truth, 6),
            ("app_metadata", Bytes, 7),
        ],
    ),
    ("FlightEndpoint", &[("ticket", One("Ticket"), 1), ("location", Many("Location"), 2), ("app_metadata", Bytes, 4)]),
    ("Location", &[("uri", Text, 1)]),
    ("Ticket", &[("ticket", Bytes, 1)]),
    (
        "FlightData",
        &[
            ("flight_descriptor", One(DESCRIPTOR), 1),
            ("data_header", Bytes, 2),
            ("app_metadata", Bytes, 3),
            ("data_body", Bytes, 1000),
        ],
    ),
];
const DESCRIPTOR: &str = "FlightDescriptor";

/// A call by its name, what it takes and gives, and whether each is a stream.
const METHODS: [(&str, &str, &str, bool, bool); 6] = [
    ("ListFlights", "Criteria", "FlightInfo", false, true),
    ("GetFlightInfo", DESCRIPTOR, "FlightInfo", false, false),
    ("GetSchema", DESCRIPTOR, "SchemaResult", false, false),
    ("DoExchange", "FlightData", "FlightData", true, true),
    ("DoAction", "Action", "Result", false, true),
    ("ListActions", "Empty", "ActionType", false, true),
];

fn qualified(name: &str) -> Option<String> {
    Some(format!(".{PACKAGE}.{name}"))
}

fn field(&(name, kind, number): &(&str, FieldType, i32)) -> FieldDescriptorProto {
    let (r#type, message) = match kind {
        Bytes => (Type::Bytes, None),
        Text | Texts => (Type::String, None),
        Integer => (Type::Int64, None),
        Truth => (Type::Bool, None),
        One(message) | Many(message) => (Type::Message, Some(message)),
        Enum(name) => (Type::Enum, Some(name)),
    };
    let label = if matches!(kind, Texts | Many(_)) { Label::Repeated } else { Label::Optional };
    FieldDescriptorProto {
        name: Some(name.to_owned()),
        number: Some(number),
        label: Some(label.into()),
        r#type: Some(r#type.into()),
        type_name: message.and_then(qualified),
        ..Default::default()
    }
}

fn message(&(name, fields): &(&str, MessageFields)) -> DescriptorProto {
    let value = |(name, number): (&str, i32)| EnumValueDescriptorProto {
        name: Some(name.to_owned()),
        number: Some(number),
        ..Default::default()
    };
    let kinds = || EnumDescriptorProto {
        name: Some("DescriptorType".to_owned()),
        value: [("UNKNOWN", 0), ("PATH", 1), ("CMD", 2)].map(value).into(),
        ..Default::default()
    };
    DescriptorProto {
        name: Some(name.to_owned()),
        field: fields.iter().map(field).collect(),
        enum_type: (name == DESCRIPTOR).then(kinds).into_iter().collect(),
        ..Default::default()
    }
}

/// All of it as one file.
fn file() -> FileDescriptorProto {
    let method = |&(name, takes, gives, many_in, many_out): &(&str, &str, &str, bool, bool)| MethodDescriptorProto {
        name: Some(name.to_owned()),
        input_type: qualified(takes),
        output_type: qualified(gives),
        client_streaming: Some(many_in),
        server_streaming: Some(many_out),
        ..Default::default()
    };
    FileDescriptorProto {
        name: Some("Flight.proto".to_owned()),
        package: Some(PACKAGE.to_owned()),
        message_type: MESSAGES.iter().map(message).collect(),
        service: vec![ServiceDescriptorProto {
            name: Some("FlightService".to_owned()),
            method: METHODS.iter().map(method).collect(),
            ..Default::default()
        }],
        syntax: Some("proto3".to_owned()),
        ..Default::default()
    }
}

/// The service that answers.
pub fn service() -> anyhow::Result<ServerReflectionServer<impl ServerReflection>> {
    let builder = Builder::configure()
        .register_file_descriptor_set(FileDescriptorSet { file: vec![file()] })
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET);
    Ok(builder.build_v1().context("reflection")?.max_decoding_message_size(COMMAND_BYTES))
}

#[cfg(test)]
mod tests {
    use arrow_flight as flight;
    use prost::Message;

    use super::*;

    /// Each field has the number that Arrow's own reader of messages knows it by.
    #[test]
    fn fields_are_those_of_arrow() {
        let fields = |name: &str| MESSAGES.iter().find(|(message, _)| *message == name).unwrap().1;
        /// The numbers of the fields of a message.
        fn numbers(message: &impl Message) -> Vec<i32> {
            let mut bytes = &message.encode_to_vec()[..];
            let mut numbers = Vec::new();
            while !bytes.is_empty() {
                let (number, kind) = prost::encoding::decode_key(&mut bytes).unwrap();
                prost::encoding::skip_field(kind, number, &mut bytes, Default::default()).unwrap();
                numbers.push(number as i32);
            }
            numbers.dedup();
            numbers
        }
        let descriptor = flight::FlightDescriptor { r#type: 1, cmd: "x".into(), path: vec!["x".into()] };
        let ticket = flight::Ticket { ticket: "x".into() };
        let location = flight::Location { uri: "x".into() };
        let endpoint = flight::FlightEndpoint {
            ticket: Some(ticket.clone()),
            location: vec![location.clone()],
            app_metadata: "x".into(),
            ..Default::default()
        };
        let info = flight::FlightInfo {
            schema: "x".into(),
            flight_descriptor: Some(descriptor.clone()),
            endpoint: vec![endpoint.clone()],
            total_records: 1,
            total_bytes: 1,
            ordered: true,
            app_metadata: "x".into(),
        };
        let data = flight::FlightData {
            flight_descriptor: Some(descriptor.clone()),
            data_header: "x".into(),
            app_metadata: "x".into(),
            data_body: "x".into(),
        };
        for (name, found) in [
            ("Criteria", numbers(&flight::Criteria { expression: "x".into() })),
            ("ActionType", numbers(&flight::ActionType { r#type: "x".into(), description: "x".into() })),
            ("Action", numbers(&flight::Action { r#type: "x".into(), body: "x".into() })),
            ("Result", numbers(&flight::Result { body: "x".into() })),
            ("SchemaResult", numbers(&flight::SchemaResult { schema: "x".into() })),
            (DESCRIPTOR, numbers(&descriptor)),
            ("FlightInfo", numbers(&info)),
            ("FlightEndpoint", numbers(&endpoint)),
            ("Location", numbers(&location)),
            ("Ticket", numbers(&ticket)),
            ("FlightData", numbers(&data)),
        ] {
            assert_eq!(found, fields(name).iter().map(|field| field.2).collect::<Vec<_>>(), "{name}");
        }
    }
}
