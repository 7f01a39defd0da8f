"""A recipe for Conan 2 of this checkout: conan create packaging/conan. Needs cargo."""

import os

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.apple import fix_apple_shared_install_name
from conan.tools.build import cross_building
from conan.tools.files import copy, rm

required_conan_version = ">=2.0"

# What cargo builds for, by the names of Conan.
SYSTEMS = {"Linux": "unknown-linux-gnu", "Macos": "apple-darwin"}
PROCESSORS = {"armv8": "aarch64", "x86_64": "x86_64"}


class SliderAttacks(ConanFile):
    name = "slider-attacks"
    version = "0.1.0"
    description = "Attack sets of sliding chess pieces, and products of positions, for whole arrays"
    license = "MIT OR Apache-2.0"
    topics = ("chess", "bitboard", "simd")
    package_type = "library"
    settings = "os", "arch"
    options = {"shared": [True, False], "readers": [True, False]}
    default_options = {"shared": True, "readers": False}

    def validate(self):
        if str(self.settings.os) not in SYSTEMS:
            raise ConanInvalidConfiguration("capi/install is for Linux and macOS")
        if cross_building(self) and str(self.settings.arch) not in PROCESSORS:
            raise ConanInvalidConfiguration(f"this recipe names no target of Rust for {self.settings.arch}")
        # On macOS, one compiler is for both processors.
        is_macos = str(self.settings_build.os) == str(self.settings.os) == "Macos"
        if cross_building(self) and not is_macos and not self.compiler():
            raise ConanInvalidConfiguration("cross builds need the C compiler in tools.build:compiler_executables")

    def compiler(self):
        """The C compiler that the profile names."""
        return self.conf.get("tools.build:compiler_executables", default={}, check_type=dict).get("c")

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        built = ("target/*", "*/target/*", "web/dist/*", "*/test_package/build/*", "*/package/*.so", "*/__pycache__/*")
        copy(self, "*", root, self.export_sources_folder, excludes=(".git", ".git/*", *built))

    def build(self):
        options = " --features readers" if self.options.readers else ""
        variables = ""
        if cross_building(self):
            target = f"{PROCESSORS[str(self.settings.arch)]}-{SYSTEMS[str(self.settings.os)]}"
            options += f" --target {target}"
            if compiler := self.compiler():
                # Otherwise Rust links with the compiler of this machine. Nothing in the library is C.
                variables = f'CARGO_TARGET_{target.replace("-", "_").upper()}_LINKER="{compiler}" '
        folder = os.path.join(self.build_folder, "installed")
        self.run(f'{variables}capi/install "{folder}"{options}', cwd=self.source_folder)

    def package(self):
        copy(self, "LICENSE-*", self.source_folder, os.path.join(self.package_folder, "licenses"))
        built = os.path.join(self.build_folder, "installed")
        copy(self, "*.h*", os.path.join(built, "include"), os.path.join(self.package_folder, "include"))
        lib = os.path.join(self.package_folder, "lib")
        copy(self, "libslider_attacks*", os.path.join(built, "lib"), lib)
        for unwanted in ("*.a",) if self.options.shared else ("*.so*", "*.dylib"):
            rm(self, unwanted, lib)
        fix_apple_shared_install_name(self)

    def package_info(self):
        self.cpp_info.libs = ["slider_attacks"]
        self.cpp_info.set_property("cmake_file_name", "slider_attacks")
        self.cpp_info.set_property("cmake_target_name", "slider_attacks::slider_attacks")
        self.cpp_info.set_property("pkg_config_name", "slider-attacks")
        if not self.options.shared:
            self.cpp_info.system_libs = ["m", "dl", "pthread"] if self.settings.os == "Linux" else ["m"]
