# For Homebrew: `HOMEBREW_DEVELOPER=1 brew install --formula ./earmark.rb`, as `make release` writes it, with the source
# archive beside it. Without that variable Homebrew refuses a formula that is in no tap. To publish it in one, put the
# archive's address into `url`.
class Earmark < Formula
  include Language::Python::Virtualenv

  desc "Podcast player for the terminal that never loses your place"
  url "file://#{File.expand_path("earmark-@VERSION@.tar.gz", __dir__)}"
  sha256 "@SDIST_SHA256@"
  license "MIT"

  depends_on "chromaprint"
  depends_on "python@3.13"

  # In the versions that the source archive names, rather than in resources: all of them from wheels, none to be compiled.
  def install
    virtualenv_create(libexec, "python3.13", without_pip: false)
    system libexec/"bin/python", "-m", "pip", "install", "--prefer-binary",
           "--constraint", buildpath/"constraints.txt", "#{buildpath}[cast,mcp]"
    bin.install_symlink libexec/"bin/earmark"
    man1.install_symlink libexec/"share/man/man1/earmark.1"
    bash_completion.install_symlink libexec/"share/bash-completion/completions/earmark.bash" => "earmark"
    zsh_completion.install_symlink libexec/"share/zsh/site-functions/_earmark"
    fish_completion.install_symlink libexec/"share/fish/vendor_completions.d/earmark.fish"
  end

  def caveats
    <<~EOS
      The sound is libvlc's, which comes with VLC:
        brew install --cask vlc
    EOS
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/earmark --version")
    ENV["EARMARK_HOME"] = testpath
    assert_match "Welcome to Earmark", shell_output("#{bin}/earmark podcasts")
  end
end
