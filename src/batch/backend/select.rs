//! Which backends can run on this CPU, which one is chosen, and why.
//!
//! PEXT latencies: Agner Fog, "Instruction tables", <https://www.agner.org/optimize/instruction_tables.pdf>.

use core::fmt;
#[cfg(target_arch = "x86_64")]
use std::sync::LazyLock;

/// All backends of all architectures, slowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::batch) enum BackendKind {
    Scalar,
    Bmi2,
    Ssse3,
    Avx2,
    Avx2Gfni,
    Avx512,
    Avx512Gfni,
    Neon,
}

/// No instruction set can be used on another architecture.
#[cfg(not(target_arch = "x86_64"))]
macro_rules! is_x86_feature_detected {
    ($feature:literal) => {
        false
    };
}
#[cfg(not(target_arch = "aarch64"))]
macro_rules! is_aarch64_feature_detected {
    ($feature:literal) => {
        false
    };
}
#[cfg(target_arch = "aarch64")]
use std::arch::is_aarch64_feature_detected;

crate::error::names! {
    BackendKind, 8: Scalar "scalar", Bmi2 "bmi2", Ssse3 "ssse3", Avx2 "avx2", Avx2Gfni "avx2-gfni", Avx512 "avx512",
    Avx512Gfni "avx512-gfni", Neon "neon"
}

impl BackendKind {
    /// Whether the CPU has the instructions and the operating system saves the registers they use.
    ///
    /// The standard library's macro checks both. Where the operating system has not enabled the AVX state, it also
    /// reports `bmi2` as absent on some CPUs, which costs such a machine nothing but speed.
    pub(in crate::batch) fn can_run(self) -> bool {
        match self {
            BackendKind::Scalar => true,
            BackendKind::Bmi2 => is_x86_feature_detected!("bmi2"),
            BackendKind::Ssse3 => is_x86_feature_detected!("ssse3"),
            BackendKind::Avx2 => is_x86_feature_detected!("avx2"),
            BackendKind::Avx2Gfni => BackendKind::Avx2.can_run() && is_x86_feature_detected!("gfni"),
            BackendKind::Avx512 => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512cd")
            }
            BackendKind::Avx512Gfni => {
                BackendKind::Avx512.can_run()
                    && is_x86_feature_detected!("avx512vbmi")
                    && is_x86_feature_detected!("avx512vbmi2")
                    && is_x86_feature_detected!("gfni")
            }
            // On big-endian ARM, vectors have their lanes in another order than memory. Miri does not know all instructions.
            BackendKind::Neon => cfg!(all(target_endian = "little", not(miri))) && is_aarch64_feature_detected!("neon"),
        }
    }

    /// Whether a kind that can run also has the instructions on single bits that the readers of text need. CPUs with AVX2 have
    /// them, but a hypervisor may hide them.
    #[cfg(target_arch = "x86_64")]
    pub(in crate::batch) fn reads_text(self) -> bool {
        match self {
            BackendKind::Scalar | BackendKind::Bmi2 | BackendKind::Neon => false,
            BackendKind::Ssse3 => true,
            BackendKind::Avx2 | BackendKind::Avx2Gfni | BackendKind::Avx512 | BackendKind::Avx512Gfni => {
                is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
                    && is_x86_feature_detected!("lzcnt")
                    && is_x86_feature_detected!("popcnt")
            }
        }
    }

    /// Whether a kind that can run has AVX2.
    #[cfg(target_arch = "x86_64")]
    pub(in crate::batch) fn has_avx2(self) -> bool {
        match self {
            BackendKind::Scalar | BackendKind::Bmi2 | BackendKind::Ssse3 | BackendKind::Neon => false,
            BackendKind::Avx2 | BackendKind::Avx2Gfni | BackendKind::Avx512 | BackendKind::Avx512Gfni => {
                is_x86_feature_detected!("avx2")
            }
        }
    }

    /// Whether a kind that can run has AVX2, and also PDEP, and that is not slow.
    #[cfg(target_arch = "x86_64")]
    pub(in crate::batch) fn spreads_bits(self) -> bool {
        static PDEP_IS_FAST: LazyLock<bool> = LazyLock::new(|| {
            let Cpu { vendor, family, .. } = Cpu::detect();
            is_x86_feature_detected!("bmi2") && !pext_is_slow(&vendor, family)
        });
        self.has_avx2() && *PDEP_IS_FAST
    }

    /// Why to choose this backend on a CPU of this vendor and family, if it can run there and nothing faster can;
    /// `None` if it should not be chosen.
    fn reason(self, vendor: &str, family: u8) -> Option<&'static str> {
        match self {
            // An estimate, by llvm-mca: no ARM CPU was measured.
            BackendKind::Neon => {
                Some("16 boards a step, about twice as fast as scalar for queens by an estimate (Neoverse V2)")
            }
            // Rooks are 1.7 times as fast, bishops 1.5; with AVX2, 1.6 and 1.25.
            BackendKind::Avx512Gfni => Some(
                "64 boards a step as bit matrices, 1.5 times as fast as avx512 for queens where measured (Granite Rapids)",
            ),
            BackendKind::Avx512 => Some(
                "64 boards a step, 2.4 times as fast as avx2 for queens where measured (Zen 5); \
                 AVX-512 VBMI, VBMI2 and GFNI cannot all be used",
            ),
            BackendKind::Avx2Gfni => Some(
                "32 boards a step as bit matrices, 1.3 times as fast as avx2 for queens where measured (Granite Rapids); \
                 AVX-512 F, BW, DQ, VL and CD cannot all be used",
            ),
            BackendKind::Avx2 => Some(
                "32 boards a step, 3.4 times as fast as scalar for queens where measured (Zen 5); \
                 neither GFNI nor AVX-512 F, BW, DQ, VL and CD can be used",
            ),
            // Compared with `bmi2`, queens take 0.75 times as long, rooks 0.7, but bishops 1.4 (Zen 5). One backend serves
            // all sliders, and CPUs that have BMI2 but not AVX2 hardly exist outside of hypervisors.
            BackendKind::Ssse3 => Some(
                "16 boards a step, 1.65 times as fast as scalar for queens where measured (Zen 5); \
                 no AVX2 that can be used",
            ),
            BackendKind::Bmi2 if pext_is_slow(vendor, family) => None,
            BackendKind::Bmi2 => Some(
                "PEXT is one fast instruction here, 1.25 times as fast as scalar for queens where measured (Zen 5); \
                 no SSSE3 or AVX2 that can be used",
            ),
            BackendKind::Scalar if pext_is_slow(vendor, family) => Some(
                "no SSSE3 or AVX2 that can be used, and PEXT is microcoded on this family (about 18 cycles and more)",
            ),
            BackendKind::Scalar => Some("no vector instruction set that this library has a backend for"),
        }
    }
}

/// AMD before Zen 3 (families 15h and 17h) and Hygon (18h) implement PEXT and PDEP in microcode: 18 cycles or more,
/// growing with the number of bits in the mask, against 3 elsewhere.
fn pext_is_slow(vendor: &str, family: u8) -> bool {
    match vendor {
        "AuthenticAMD" => matches!(family, 0x15 | 0x17),
        "HygonGenuine" => family == 0x18,
        _ => false,
    }
}

/// The backend to choose on a CPU of this vendor and family among those that `can_run`, and why. If there is no better
/// one, it is the scalar backend, which runs everywhere.
///
/// "Can run" and "should be chosen" are two questions. This function answers the second one. It does not look at the
/// CPU, so its answers for other CPUs can be tested.
fn choose(vendor: &str, family: u8, can_run: impl Fn(BackendKind) -> bool) -> (BackendKind, &'static str) {
    let runnable = BackendKind::ALL.into_iter().rev().filter(|&kind| kind == BackendKind::Scalar || can_run(kind));
    let mut choices = runnable.filter_map(|kind| Some((kind, kind.reason(vendor, family)?)));
    choices.next().expect("the scalar backend is always chosen if no other is")
}

/// The CPU as detected by this library, and the backend chosen for it.
///
/// Its `Display` is the report that `slider-attacks cpu` prints: vendor, brand, family and model in the first three
/// lines, then the instruction sets, the backends that can run, and the one that is chosen with the reason.
///
/// ```
/// use slider_attacks::Cpu;
///
/// let cpu = Cpu::detect();
/// println!("{} {}: {:#x}, {:#x}", cpu.vendor(), cpu.brand(), cpu.family(), cpu.model());
/// assert!(cpu.to_string().starts_with("vendor"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cpu {
    /// The vendor's name for itself, such as `"GenuineIntel"`; empty if unknown.
    vendor: String,
    /// The name of the product; empty if unknown.
    brand: String,
    /// The family, extended family included.
    family: u8,
    /// The model, extended model included.
    model: u8,
    features: Vec<Feature>,
}

/// An instruction set that backends ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Feature {
    /// Its usual name in lower case, such as `"avx2"`.
    name: &'static str,
    /// The CPUID instruction lists it.
    listed: bool,
    /// It can be used: it is listed, and the operating system or hypervisor saves its registers.
    usable: bool,
}

impl Cpu {
    /// Looks at the CPU that this code runs on.
    #[cfg(target_arch = "x86_64")]
    pub fn detect() -> Cpu {
        let cpuid = raw_cpuid::CpuId::new();
        let info = cpuid.get_feature_info();
        let extended = cpuid.get_extended_feature_info();
        let has = |test: fn(&raw_cpuid::ExtendedFeatures) -> bool| extended.as_ref().is_some_and(test);
        let feature = |name, listed, usable| Feature { name, listed, usable };
        Cpu {
            vendor: cpuid.get_vendor_info().map_or_else(String::new, |vendor| vendor.as_str().to_owned()),
            brand: cpuid
                .get_processor_brand_string()
                .map_or_else(String::new, |brand| brand.as_str().trim().to_owned()),
            family: info.as_ref().map_or(0, |info| info.family_id()),
            model: info.as_ref().map_or(0, |info| info.model_id()),
            features: vec![
                feature("bmi2", has(|e| e.has_bmi2()), is_x86_feature_detected!("bmi2")),
                feature("ssse3", info.as_ref().is_some_and(|info| info.has_ssse3()), is_x86_feature_detected!("ssse3")),
                feature("avx2", has(|e| e.has_avx2()), is_x86_feature_detected!("avx2")),
                feature("avx512f", has(|e| e.has_avx512f()), is_x86_feature_detected!("avx512f")),
                feature("avx512bw", has(|e| e.has_avx512bw()), is_x86_feature_detected!("avx512bw")),
                feature("avx512dq", has(|e| e.has_avx512dq()), is_x86_feature_detected!("avx512dq")),
                feature("avx512vl", has(|e| e.has_avx512vl()), is_x86_feature_detected!("avx512vl")),
                feature("avx512cd", has(|e| e.has_avx512cd()), is_x86_feature_detected!("avx512cd")),
                feature("avx512vbmi", has(|e| e.has_avx512vbmi()), is_x86_feature_detected!("avx512vbmi")),
                feature("avx512vbmi2", has(|e| e.has_avx512vbmi2()), is_x86_feature_detected!("avx512vbmi2")),
                feature("gfni", has(|e| e.has_gfni()), is_x86_feature_detected!("gfni")),
            ],
        }
    }

    /// Looks at the CPU that this code runs on. On this architecture, nothing is known about it but its instruction sets.
    #[cfg(not(target_arch = "x86_64"))]
    pub fn detect() -> Cpu {
        let mut features = Vec::new();
        if cfg!(target_arch = "aarch64") {
            let neon = is_aarch64_feature_detected!("neon");
            features.push(Feature { name: "neon", listed: neon, usable: neon });
        }
        Cpu { vendor: String::new(), brand: String::new(), family: 0, model: 0, features }
    }

    /// The vendor's name for itself, such as `"GenuineIntel"`; empty if unknown.
    #[must_use]
    pub fn vendor(&self) -> &str {
        &self.vendor
    }

    /// The name of the product; empty if unknown.
    #[must_use]
    pub fn brand(&self) -> &str {
        &self.brand
    }

    /// The family, extended family included; 0 if unknown.
    #[must_use]
    pub const fn family(&self) -> u8 {
        self.family
    }

    /// The model, extended model included; 0 if unknown.
    #[must_use]
    pub const fn model(&self) -> u8 {
        self.model
    }

    /// Whether an instruction set can be used: the CPU has it, and the operating system saves its registers. `None` for one
    /// that no backend needs.
    ///
    /// ```
    /// use slider_attacks::{Backend, Cpu};
    ///
    /// let has_avx2 = Cpu::detect().can_use("avx2");
    /// assert!(Backend::avx2().is_none() || has_avx2 == Some(true));
    /// assert_eq!(Cpu::detect().can_use("x87"), None);
    /// ```
    #[must_use]
    pub fn can_use(&self, instruction_set: &str) -> Option<bool> {
        self.features.iter().find(|feature| feature.name == instruction_set).map(|feature| feature.usable)
    }

    /// The backend that fits this CPU, which can run it, and why.
    pub(in crate::batch) fn choice(&self) -> (BackendKind, &'static str) {
        choose(&self.vendor, self.family, BackendKind::can_run)
    }
}

impl fmt::Display for Cpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or_unknown = |text: &str| if text.is_empty() { "unknown".to_owned() } else { text.to_owned() };
        writeln!(f, "vendor      {}", or_unknown(&self.vendor))?;
        writeln!(f, "brand       {}", or_unknown(&self.brand))?;
        writeln!(f, "family      {:#04x}, model {:#04x}", self.family, self.model)?;
        for feature in &self.features {
            let state = match (feature.listed, feature.usable) {
                (_, true) => "yes",
                (true, false) => "listed, but the operating system does not let it be used",
                (false, false) => "no",
            };
            writeln!(f, "{:<11} {state}", feature.name)?;
        }
        let names: Vec<&str> =
            BackendKind::ALL.into_iter().filter(|kind| kind.can_run()).map(BackendKind::name).collect();
        writeln!(f, "available   {}", names.join(", "))?;
        let (kind, reason) = self.choice();
        write!(f, "chosen      {kind}: {reason}")
    }
}

/// Every 64-bit ARM CPU has the instructions.
#[cfg(all(test, target_arch = "aarch64", target_endian = "little"))]
#[test]
fn neon_is_chosen_on_arm() {
    let report = Cpu::detect().to_string();
    assert!(report.contains("\nneon        yes\navailable   scalar, neon\nchosen      neon: "), "{report}");
    assert_eq!(crate::Backend::active().name(), "neon");
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::Backend;
    use BackendKind::{Avx2, Avx2Gfni, Avx512, Avx512Gfni, Bmi2, Neon, Scalar, Ssse3};

    const AMD: &str = "AuthenticAMD";
    const HYGON: &str = "HygonGenuine";
    const INTEL: &str = "GenuineIntel";
    const ALL_OF_X86: [BackendKind; 7] = [Scalar, Bmi2, Ssse3, Avx2, Avx2Gfni, Avx512, Avx512Gfni];

    #[track_caller]
    fn assert_chosen(expected: BackendKind, vendor: &str, family: u8, runnable: &[BackendKind]) {
        let (chosen, reason) = choose(vendor, family, |kind| runnable.contains(&kind));
        assert_eq!(chosen, expected, "{vendor} family {family:#x} that can run {runnable:?}");
        assert!(!reason.is_empty());
    }

    #[test]
    fn the_choice_fits_known_cpus() {
        assert_chosen(Scalar, INTEL, 0x0f, &[Scalar]); // Pentium 4
        assert_chosen(Ssse3, INTEL, 0x06, &[Scalar, Ssse3]); // Core 2, Nehalem, Atoms; Ivy Bridge
        assert_chosen(Avx2, INTEL, 0x06, &[Scalar, Bmi2, Ssse3, Avx2]); // Haswell
        assert_chosen(Ssse3, INTEL, 0x06, &[Scalar, Bmi2, Ssse3]); // Haswell whose AVX2 a hypervisor hides
        assert_chosen(Avx512, INTEL, 0x06, &[Scalar, Bmi2, Ssse3, Avx2, Avx512]); // Skylake-X
        assert_chosen(Scalar, AMD, 0x10, &[Scalar]); // K10
        assert_chosen(Ssse3, AMD, 0x14, &[Scalar, Ssse3]); // Bobcat
        assert_chosen(Ssse3, AMD, 0x15, &[Scalar, Ssse3]); // Bulldozer
        assert_chosen(Avx2, AMD, 0x15, &[Scalar, Bmi2, Ssse3, Avx2]); // Excavator
        assert_chosen(Avx2, AMD, 0x17, &[Scalar, Bmi2, Ssse3, Avx2]); // Zen to Zen 2
        assert_chosen(Ssse3, AMD, 0x17, &[Scalar, Bmi2, Ssse3]); // the same with AVX2 hidden
        assert_chosen(Ssse3, AMD, 0x17, &[Scalar, Ssse3]); // the same with all of AVX hidden, and so BMI2
        assert_chosen(Avx2, HYGON, 0x18, &[Scalar, Bmi2, Ssse3, Avx2]); // Dhyana
        assert_chosen(Avx2, AMD, 0x19, &[Scalar, Bmi2, Ssse3, Avx2]); // Zen 3
        assert_chosen(Ssse3, AMD, 0x19, &[Scalar, Bmi2, Ssse3]);
        assert_chosen(Avx2Gfni, INTEL, 0x06, &[Scalar, Bmi2, Ssse3, Avx2, Avx2Gfni]); // Alder Lake
        assert_chosen(Avx512Gfni, INTEL, 0x06, &ALL_OF_X86); // Ice Lake
        assert_chosen(Avx512, INTEL, 0x06, &[Scalar, Bmi2, Ssse3, Avx2, Avx512]); // the same with GFNI hidden
        assert_chosen(Avx512, INTEL, 0x06, &[Scalar, Bmi2, Ssse3, Avx2, Avx2Gfni, Avx512]); // the same with VBMI hidden
        assert_chosen(Avx512Gfni, AMD, 0x1a, &ALL_OF_X86); // Zen 5
        assert_chosen(Bmi2, "", 0, &[Scalar, Bmi2]); // nothing known but what it can run
        assert_chosen(Neon, "", 0, &[Scalar, Neon]); // any ARM
    }

    #[test]
    fn slow_pext_is_never_chosen() {
        for (vendor, family) in [(AMD, 0x15), (AMD, 0x17), (HYGON, 0x18)] {
            assert_chosen(Scalar, vendor, family, &[Scalar, Bmi2]);
            for others in [&[Ssse3][..], &[Avx2], &[Avx512], &[Ssse3, Avx2, Avx512], &[]] {
                let runnable = [&[Scalar, Bmi2], others].concat();
                let (chosen, _) = choose(vendor, family, |kind| runnable.contains(&kind));
                assert_ne!(chosen, Bmi2, "{vendor} family {family:#x} that can run {runnable:?}");
            }
        }
        let (_, reason) = choose(AMD, 0x17, |kind| matches!(kind, Scalar | Bmi2));
        assert!(reason.contains("PEXT is microcoded"), "{reason}");
        let (_, reason) = choose(INTEL, 0x0f, |kind| kind == Scalar);
        assert!(!reason.contains("PEXT"), "{reason}");
        // The same family numbers of other vendors say nothing about PEXT.
        assert_chosen(Bmi2, INTEL, 0x17, &[Scalar, Bmi2]);
        assert_chosen(Bmi2, AMD, 0x18, &[Scalar, Bmi2]);
    }

    /// The tests run on emulated CPUs as well, and on some of these the operating system has not enabled the AVX state.
    #[test]
    fn nothing_is_usable_that_is_not_listed_or_not_saved() {
        let saved = raw_cpuid::CpuId::new().get_feature_info().is_some_and(|info| info.has_oxsave());
        let features = Cpu::detect().features;
        for feature in &features {
            assert!(feature.listed || !feature.usable, "{feature:?}");
            assert!(saved || !feature.usable || !feature.name.starts_with("avx"), "{feature:?}");
        }
        let usable = |start: &str| features.iter().filter(|f| f.name.starts_with(start)).all(|f| f.usable);
        assert_eq!(Backend::bmi2().is_some(), usable("bmi2"));
        assert_eq!(Backend::ssse3().is_some(), usable("ssse3"));
        assert_eq!(Backend::avx2().is_some(), usable("avx2"));
        let usable = |names: &[&str]| features.iter().filter(|f| names.contains(&f.name)).all(|f| f.usable);
        let avx512 = ["avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd"];
        assert_eq!(Backend::avx512().is_some(), usable(&avx512));
        assert_eq!(Backend::avx2_gfni().is_some(), usable(&["avx2", "gfni"]));
        assert_eq!(Backend::avx512_gfni().is_some(), usable(&avx512) && usable(&["avx512vbmi", "avx512vbmi2", "gfni"]));
    }

    #[test]
    fn the_report_tells_listed_from_usable() {
        let feature = |name, listed, usable| Feature { name, listed, usable };
        let cpu = Cpu {
            vendor: INTEL.to_owned(),
            brand: String::new(),
            family: 0x06,
            model: 0x3c,
            features: vec![
                feature("ssse3", true, true),
                feature("avx2", true, false),
                feature("avx512f", false, false),
                feature("avx512vbmi2", false, false),
            ],
        };
        let (kind, reason) = cpu.choice();
        let names: Vec<&str> = Backend::available().map(Backend::name).collect();
        assert_eq!(
            cpu.to_string(),
            format!(
                "vendor      GenuineIntel\n\
                 brand       unknown\n\
                 family      0x06, model 0x3c\n\
                 ssse3       yes\n\
                 avx2        listed, but the operating system does not let it be used\n\
                 avx512f     no\n\
                 avx512vbmi2 no\n\
                 available   {}\n\
                 chosen      {kind}: {reason}",
                names.join(", ")
            )
        );
    }

    #[test]
    fn the_choice_is_one_that_can_run() {
        for subset in 0_u32..1 << BackendKind::ALL.len() {
            for (vendor, family) in [(INTEL, 0x06), (AMD, 0x17), (AMD, 0x1a), (HYGON, 0x18), ("", 0)] {
                let can_run = |kind| subset >> kind as u8 & 1 == 1;
                let (chosen, _) = choose(vendor, family, can_run);
                assert!(chosen == Scalar || can_run(chosen), "{vendor} {family:#x} {subset:#010b}: {chosen:?}");
            }
        }
        assert_eq!(Backend::active().name(), Cpu::detect().choice().0.name());
    }
}
