#!/bin/sh
# own-tmp.sh OWN [KEPT...] -- COMMAND...: in a mount namespace of its own (unshare --mount), put the directory OWN onto
# /tmp, with those parts of the machine's /tmp that are named as KEPT, and become the command.
set -e
own=$1
shift
while [ "$1" != -- ]; do
  mkdir -p "$own${1#/tmp}"
  mount --rbind "$1" "$own${1#/tmp}"
  shift
done
shift
here=$(pwd)
mount --rbind "$own" /tmp
cd "$here" # anew: it may lie in /tmp
exec "$@"
