#!/bin/sh
# Install jig: pick the asset for this machine, verify its checksum, put it in ~/.local/bin (or $JIG_INSTALL_DIR).
# JIG_RELEASE_URL: where the assets and SHA256SUMS are; a URL, or a local directory.
set -eu

fail() {
  echo "install: $1" >&2
  exit 1
}

release=${JIG_RELEASE_URL:-https://github.com/jig-tools/jig/releases/latest/download}
directory=${JIG_INSTALL_DIR:-${HOME:?HOME is not set; set JIG_INSTALL_DIR}/.local/bin}

is_musl() {
  # A system of GNU may have the other loader as well, for cross-compiling.
  if getconf GNU_LIBC_VERSION >/dev/null 2>&1; then return 1; fi
  for loader in /lib/ld-musl-*; do
    [ -e "$loader" ] && return 0
  done
  return 1
}

has_avx2() {
  [ ! -r /proc/cpuinfo ] || grep -q -m1 '^flags.* avx2' /proc/cpuinfo
}

choose_asset() {
  system=$(uname -s)
  machine=$(uname -m)
  case $machine in
    x86_64 | amd64) arch=x64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) fail "no build for the processor '$machine'" ;;
  esac
  case $system in
    Linux)
      asset=jig-linux-$arch
      if is_musl; then
        asset=$asset-musl
        check_musl_libraries
      elif [ "$arch" = x64 ] && ! has_avx2; then
        asset=$asset-baseline
      fi
      ;;
    Darwin)
      # Under Rosetta uname says x86_64; the machine itself is arm64.
      if [ "$arch" = x64 ] && [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || echo 0)" = 1 ]; then arch=arm64; fi
      asset=jig-darwin-$arch
      ;;
    *) fail "no build for '$system'; on Windows download jig-windows-x64.exe from the release page" ;;
  esac
}

check_musl_libraries() {
  for library in libstdc++.so.6 libgcc_s.so.1; do
    found=
    for place in /lib /usr/lib /usr/local/lib; do
      [ -e "$place/$library" ] && found=yes
    done
    [ -n "$found" ] || echo "install: $library is missing; jig needs it: apk add libstdc++ libgcc" >&2
  done
}

fetch() {
  case $release in
    http://* | https://*)
      if command -v curl >/dev/null 2>&1; then
        curl -fsSL --proto-redir =https -o "$2" "$release/$1"
      elif command -v wget >/dev/null 2>&1; then
        wget -q -O "$2" "$release/$1"
      else
        fail "neither curl nor wget found"
      fi
      ;;
    *) cp "${release#file://}/$1" "$2" ;;
  esac || fail "cannot get $1 from $release"
}

sum_of() {
  if command -v sha256sum >/dev/null 2>&1; then
    sha256sum "$1"
  elif command -v shasum >/dev/null 2>&1; then
    shasum -a 256 "$1"
  else
    fail "neither sha256sum nor shasum found; the download cannot be verified"
  fi | cut -d' ' -f1
}

choose_asset
mkdir -p "$directory" || fail "cannot make $directory"
directory=$(cd "$directory" && pwd) || fail "cannot enter $directory"
[ ! -d "$directory/jig" ] || fail "$directory/jig is a directory; move it away, or set JIG_INSTALL_DIR"
# Beside the target, so that the last step is one rename on one file system.
work=$(mktemp -d "$directory/.jig-install.XXXXXX") || fail "cannot write in $directory"
trap 'rm -rf "$work"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

fetch SHA256SUMS "$work/SHA256SUMS"
wanted=$(awk -v name="$asset" '$2 == name || $2 == "*" name { print $1 }' "$work/SHA256SUMS")
[ -n "$wanted" ] || fail "SHA256SUMS has no line for $asset"
fetch "$asset" "$work/jig"
found=$(sum_of "$work/jig")
[ "$found" = "$wanted" ] || fail "$asset does not match its checksum: expected $wanted, got $found; nothing was installed"

chmod 755 "$work/jig"
# The file is the one that was published, so macOS need not ask about it again.
if [ "$(uname -s)" = Darwin ]; then xattr -d com.apple.quarantine "$work/jig" 2>/dev/null || true; fi
version=$("$work/jig" version) || fail "$asset does not run on this machine"
mv -f "$work/jig" "$directory/jig" || fail "cannot write $directory/jig"
echo "installed $version to $directory/jig"

case ":${PATH:-}:" in
  *":$directory:"*) ;;
  *) printf 'add it to your PATH:\n  export PATH="%s:$PATH"\n' "$directory" ;;
esac
echo "next: jig demo, then jig skills install"
