#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Run by `meson install`: copies ENGINE, if there is one, into FOLDER of the prefix.
# usage: install-engine.sh ENGINE FOLDER
set -eu

if [ -x "$1" ]; then
	echo "Installing $1 to $MESON_INSTALL_DESTDIR_PREFIX/$2"
	mkdir -p "$MESON_INSTALL_DESTDIR_PREFIX/$2"
	# Not into the old file, which may be running.
	cp "$1" "$MESON_INSTALL_DESTDIR_PREFIX/$2/.qemu-aarch64.new"
	chmod 755 "$MESON_INSTALL_DESTDIR_PREFIX/$2/.qemu-aarch64.new"
	mv -f "$MESON_INSTALL_DESTDIR_PREFIX/$2/.qemu-aarch64.new" \
		"$MESON_INSTALL_DESTDIR_PREFIX/$2/qemu-aarch64"
fi
