//! The command on slider-attacks.
fn main() {
    println!("{}", slider_attacks::cpu::Cpu::detect());
    for slider in slider_attacks::Slider::ALL {
        for backend in slider_attacks::Backend::available() {
            let mut n = 0;
            for sq in slider_attacks::Square::ALL {
                match slider_attacks::verify::verify(backend, slider, sq) {
                    Ok(k) => n += k,
                    Err(e) => {
                        println!("{e}");
                        break;
                    }
                }
            }
            println!("{backend} {slider} {n}");
        }
    }
}
