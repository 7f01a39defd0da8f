//! What was detected of the CPU, and which backend was chosen for what reason.

use core::fmt;

use crate::Backend;
use crate::backend::Kind;

/// The CPU, as far as this library looks at it.
///
/// Its `Display` is the report that `slider-attacks cpu` prints.
#[derive(Clone, Debug)]
pub struct Cpu {
    /// The vendor's name for itself, such as `"GenuineIntel"`; empty if unknown.
    pub vendor: String,
    /// The name of the product; empty if unknown.
    pub brand: String,
    /// The family, extended family included.
    pub family: u8,
    /// The model, extended model included.
    pub model: u8,
    /// The instruction sets that backends ask for: name, whether the CPU says that it has it, and whether it can be
    /// used. The two differ where the operating system or a hypervisor does not save the registers.
    pub features: Vec<Feature>,
}

/// One instruction set extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feature {
    /// Its usual name in lower case, such as `"avx2"`.
    pub name: &'static str,
    /// The CPUID instruction lists it.
    pub listed: bool,
    /// It can be used: listed, and its registers are saved by the operating system.
    pub usable: bool,
}

/// A chosen backend and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The backend.
    pub backend: Backend,
    /// The reason, in a sentence.
    pub reason: &'static str,
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
                feature("avx2", has(|e| e.has_avx2()), is_x86_feature_detected!("avx2")),
                feature("avx512f", has(|e| e.has_avx512f()), is_x86_feature_detected!("avx512f")),
                feature("avx512bw", has(|e| e.has_avx512bw()), is_x86_feature_detected!("avx512bw")),
                feature("avx512dq", has(|e| e.has_avx512dq()), is_x86_feature_detected!("avx512dq")),
                feature("avx512vl", has(|e| e.has_avx512vl()), is_x86_feature_detected!("avx512vl")),
                feature("avx512cd", has(|e| e.has_avx512cd()), is_x86_feature_detected!("avx512cd")),
            ],
        }
    }

    /// Looks at the CPU that this code runs on: nothing is known of it, and nothing needs to be.
    #[cfg(not(target_arch = "x86_64"))]
    pub fn detect() -> Cpu {
        Cpu { vendor: String::new(), brand: String::new(), family: 0, model: 0, features: Vec::new() }
    }

    /// The backend that fits this CPU, and why. [`Backend::active`] is this choice, made once.
    pub fn choice(&self) -> Choice {
        let best = Kind::ALL.iter().rev().filter_map(|&kind| {
            let reason = self.reason(kind)?;
            Some(Choice { backend: Backend::if_can_run(kind)?, reason })
        });
        best.into_iter().next().expect("the scalar backend is always chosen if no other is")
    }

    /// Why this kind should be chosen on this CPU, if it can run there and nothing faster can; `None`
    /// if it should not.
    fn reason(&self, kind: Kind) -> Option<&'static str> {
        match kind {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => Some("64 boards a step; the fastest wherever AVX-512 was measured"),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => Some("32 boards a step; no AVX-512 F, BW, DQ, VL and CD that can be used"),
            #[cfg(target_arch = "x86_64")]
            Kind::Bmi2 if self.pext_is_slow() => None,
            #[cfg(target_arch = "x86_64")]
            Kind::Bmi2 => Some("PEXT is a fast instruction here; no AVX2 that can be used"),
            #[cfg(target_arch = "x86_64")]
            Kind::Scalar if self.pext_is_slow() => {
                Some("no AVX2 that can be used, and PEXT is microcoded on this family (about 18 cycles and more)")
            }
            Kind::Scalar => Some("no vector instruction set that this library has a backend for"),
        }
    }

    /// AMD before Zen 3 (families 15h and 17h) and Hygon (18h) have PEXT and PDEP as microcode: by Agner
    /// Fog's tables 18 cycles and up, growing with the bits of the mask, against 3 elsewhere.
    fn pext_is_slow(&self) -> bool {
        match self.vendor.as_str() {
            "AuthenticAMD" => matches!(self.family, 0x15 | 0x17),
            "HygonGenuine" => self.family == 0x18,
            _ => false,
        }
    }
}

impl fmt::Display for Cpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or_unknown = |text: &str| if text.is_empty() { "unknown".to_owned() } else { text.to_owned() };
        let Choice { backend, reason } = self.choice();
        writeln!(f, "vendor    {}", or_unknown(&self.vendor))?;
        writeln!(f, "brand     {}", or_unknown(&self.brand))?;
        writeln!(f, "family    {:#04x}, model {:#04x}", self.family, self.model)?;
        for feature in &self.features {
            let state = match (feature.listed, feature.usable) {
                (_, true) => "yes",
                (true, false) => "listed, but the operating system does not save its registers",
                (false, false) => "no",
            };
            writeln!(f, "{:<9} {state}", feature.name)?;
        }
        let names: Vec<&str> = Backend::available().map(Backend::name).collect();
        writeln!(f, "available {}", names.join(", "))?;
        write!(f, "chosen    {backend}: {reason}")
    }
}
