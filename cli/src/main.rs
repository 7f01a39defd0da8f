//! The command `slider-attacks`.

fn main() -> std::process::ExitCode {
    slider_attacks_cli::run(std::env::args_os()).into()
}
