# A formula of this checkout: HOMEBREW_DEVELOPER=1 brew install --HEAD packaging/homebrew/slider-attacks.rb. Without
# that variable, Homebrew takes formulae only from taps. For a tap, `homepage`, `url` and `sha256` of a release come
# before `license`.
class SliderAttacks < Formula
  desc "Attack sets of sliding chess pieces for whole arrays"
  license any_of: ["MIT", "Apache-2.0"]
  head "file://#{File.expand_path("../..", __dir__)}", using: :git, branch: "main"

  depends_on "rust" => :build
  depends_on "pkgconf" => :test

  def install
    system "capi/install", prefix, "--features", "readers"
    pkgshare.install "capi/examples/first.c"
  end

  test do
    flags = shell_output("pkg-config --cflags --libs slider-attacks").split
    system ENV.cc, pkgshare/"first.c", *flags, "-o", "first"
    system "./first"
  end
end
