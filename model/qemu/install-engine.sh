#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Run by `meson install`: copies ENGINE, if there is one, into FOLDER of the prefix. An engine that is
# there already and has no successor is kept: on some systems no other one runs the model.
# usage: install-engine.sh ENGINE|none FOLDER
set -eu

folder=$MESON_INSTALL_DESTDIR_PREFIX/$2
if [ "$1" != none ] && [ -x "$1" ]; then
	echo "Installing $1 to $folder"
	mkdir -p "$folder"
	# Not into the old file, which may be running.
	cp "$1" "$folder/.qemu-aarch64.new"
	chmod 755 "$folder/.qemu-aarch64.new"
	mv -f "$folder/.qemu-aarch64.new" "$folder/qemu-aarch64"
elif [ -e "$folder/qemu-aarch64" ]; then
	echo "Keeping $folder/qemu-aarch64, which an earlier installation put there and plumb prefers;"
	echo "remove it to run the model in another qemu-aarch64"
fi
