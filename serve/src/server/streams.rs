//! Messages in, results out: how they are read, written, compressed and put in order.

pub mod coding;
pub mod exchange;
pub mod grpc;
pub mod incoming;
pub mod ipc;
pub mod working_body;
