//! Executes one instruction of the set that the argument names, to find out whether an emulated CPU rejects it.

use std::arch::asm;

fn main() {
    let set = std::env::args().nth(1).expect("the name of an instruction set");
    // SAFETY: these compute in registers that are named as overwritten; a CPU that lacks them ends the program.
    unsafe {
        match set.as_str() {
            "ssse3" => asm!("pabsb xmm0, xmm0", out("xmm0") _),
            "bmi2" => asm!("pext rax, rax, rax", out("rax") _),
            "avx2" => asm!("vpabsb ymm0, ymm0", out("ymm0") _),
            _ => panic!("no instruction of {set} is known here"),
        }
    }
}
