#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Run by `meson install`: copies ENGINE, if there is one, into FOLDER of the prefix. An engine that is
# there already and has no successor is kept: on some systems no other one runs the model.
# usage: install-engine.sh ENGINE|none FOLDER
# Meson 1.0 does not show what a script prints, so `make install` gives it descriptor 3 for that, and
# sets PLUMB_INSTALL_NOTES.
set -eu

[ -z "${PLUMB_INSTALL_NOTES:-}" ] || exec >&3
folder=$MESON_INSTALL_DESTDIR_PREFIX/$2
if [ -d "$folder/qemu-aarch64" ]; then
	echo "$folder/qemu-aarch64 is a folder: remove it" >&2
	exit 1
fi
if [ "$1" != none ] && [ -x "$1" ]; then
	echo "Installing $1 to $folder"
	mkdir -p "$folder"
	# Not into the old file, which may be running.
	cp "$1" "$folder/.qemu-aarch64.new"
	chmod 755 "$folder/.qemu-aarch64.new"
	mv -fT "$folder/.qemu-aarch64.new" "$folder/qemu-aarch64"
elif [ -e "$folder/qemu-aarch64" ]; then
	echo "Keeping $folder/qemu-aarch64, which an earlier installation put there and plumb prefers;"
	echo "remove it to run the model in another qemu-aarch64"
fi
