#!/bin/sh
# bare-machine.sh [FILTER...]: what the README promises, on a Debian 12 with nothing but its own git and npm.
# `npm ci`, `npm run demo` and `npm test` run there on the committed state (with FILTERs only those tests), and the
# machine is thrown away. Takes root, mmdebstrap (on Ubuntu also debian-archive-keyring) and 3 GB in TMPDIR.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
command -v mmdebstrap >/dev/null || {
  echo "bare-machine: mmdebstrap is missing; apt-get install mmdebstrap" >&2
  exit 1
}
machine=$(mktemp -d "${TMPDIR:-/tmp}/jig-bare-XXXXXX")
trap 'rm -rf --one-file-system "$machine"' EXIT
trap 'exit 130' INT TERM

mmdebstrap --quiet --variant=minbase --include=git,npm bookworm "$machine"
git -c safe.directory='*' clone --quiet "$root" "$machine/jig"

# How this machine reaches the registries: names, certificates, settings of npm and apt.
mkdir -p "$machine/etc/ssl/certs"
for file in /etc/resolv.conf /etc/ssl/certs/ca-certificates.crt /etc/apt/apt.conf.d/*proxy*; do
  if [ -e "$file" ]; then cp -L "$file" "$machine$file"; fi
done
if [ -e "$HOME/.npmrc" ]; then cp -L "$HOME/.npmrc" "$machine/root"; fi
if [ -e "$machine/etc/ssl/certs/ca-certificates.crt" ]; then
  certificates=NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
fi

# In a mount namespace, so that /proc and /dev are gone with the last process of the machine.
unshare --mount --propagation private sh -euc '
  machine=$1
  shift
  mount --bind "$machine" "$machine" # a file system of its own, so that the tests may have their own mounts
  mount -t proc proc "$machine/proc"
  mount --rbind /dev "$machine/dev"
  exec env -i HOME=/root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
' sh "$machine" ${certificates:-} ${http_proxy:+"http_proxy=$http_proxy"} ${https_proxy:+"https_proxy=$https_proxy"} \
  ${CI:+"CI=$CI"} chroot "$machine" sh -euc '
  cd /jig
  echo "a bare Debian $(cat /etc/debian_version): node $(node --version), npm $(npm --version)"
  npm ci
  npm run demo -- --no-open
  npm test -- "$@"
' sh "$@"
