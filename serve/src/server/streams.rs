//! Streams of messages and results: reading, writing, compression and order.

pub mod coding;
pub mod exchange;
pub mod grpc;
pub mod incoming;
pub mod ipc;
pub mod working_body;
