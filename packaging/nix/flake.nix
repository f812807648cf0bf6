# For Nix: `nix run 'path:FOLDER?dir=packaging/nix'`, with the folder of the source archive. All packages are those of nixpkgs,
# each in the version that it has there.
{
  description = "Podcast player for the terminal that never loses your place";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
      ];
      forAll = function: nixpkgs.lib.genAttrs systems (system: function nixpkgs.legacyPackages.${system});
    in
    {
      packages = forAll (pkgs: rec {
        earmark = pkgs.python3Packages.buildPythonApplication {
          pname = "earmark";
          version = builtins.head (builtins.match ".*__version__ = \"([^\"]+)\".*" (builtins.readFile ../../player/__init__.py));
          src = ../..;
          pyproject = true;
          build-system = [ pkgs.python3Packages.setuptools ];
          dependencies = with pkgs.python3Packages; [
            av
            brotli
            certifi
            dbus-fast
            feedparser
            idna
            lxml
            msgspec
            mutagen
            pillow
            platformdirs
            pulsectl
            pycurl
            python-bidi
            python-vlc
            rich
            segno
            textual
            webencodings
          ];
          optional-dependencies = {
            cast = with pkgs.python3Packages; [
              async-upnp-client
              defusedxml
              ifaddr
              pychromecast
              zeroconf
            ];
            whisper = [ pkgs.python3Packages.faster-whisper ];
          };
          pythonRelaxDeps = true;
          # libvlc is in no folder where it is looked for elsewhere.
          makeWrapperArgs = [
            "--set-default PYTHON_VLC_LIB_PATH ${pkgs.libvlc}/lib/libvlc.so.5"
            "--set-default VLC_PLUGIN_PATH ${pkgs.libvlc}/lib/vlc/plugins"
          ];
          pythonImportsCheck = [
            "player.player"
            "tui.app"
          ];
          meta = {
            description = "Podcast player for the terminal that never loses your place";
            license = pkgs.lib.licenses.mit;
            mainProgram = "earmark";
            platforms = systems;
          };
        };
        default = earmark;
      });
    };
}
