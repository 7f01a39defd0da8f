//! Access control: tokens, and the files that hold them.

pub mod authenticate;
pub mod credentials;
pub mod tokens;
