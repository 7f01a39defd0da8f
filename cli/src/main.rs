//! The command `slider-attacks`.

#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    slider_attacks_cli::run(std::env::args_os()).into()
}
