//! Connections, and the clients behind them.

pub mod client;
pub mod listen;
pub mod tls;
