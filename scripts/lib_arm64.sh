# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Functions that unpack Debian's packages for arm64, for virtual machines and qemu-aarch64. Steps source
# this file after lib.sh.

# shellcheck disable=SC2154 # lib.sh sets top
arm64_root=$top/build-vm

# unpack FOLDER PACKAGE...: downloads packages, and unpacks them without installing them.
unpack()
{
	local folder=$arm64_root/$1 package

	shift
	rm -rf "$folder"
	mkdir -p "$folder"
	# apt warns that its own user cannot write there.
	(cd "$folder" && apt-get download "$@" || exit 1
		for package in *.deb; do
			dpkg-deb -x "$package" . && rm "$package" || exit 1
		done)
}

# depends PACKAGE: prints the packages that it depends on directly, without alternatives.
depends()
{
	apt-cache depends "$1" | sed -n 's/^ *Depends: *\([^ <]*\)$/\1/p;s/^    \([^ ]*\)$/\1/p'
}

# libraries_of PACKAGE: prints the packages of all libraries that a package of arm64 needs.
libraries_of()
{
	apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks \
		--no-replaces --no-enhances "$1" | grep -E '^(lib|zlib1g)[^ ]*:arm64$' |
		grep -v -e -stdlib -e -minimal -e '^libc-' | sort -u
}

# Debian's perf, with all its libraries.
fetch_perf()
{
	[ ! -x "$arm64_root/perf/usr/bin/perf" ] || return 0
	# shellcheck disable=SC2046 # one per word
	unpack perf linux-perf:arm64 $(libraries_of linux-perf:arm64)
}

# The programs of bench/model/packages.py, for arm64 and for this machine, into the folders arm64 and
# native of programs. The C library of the latter is the machine's own.
fetch_programs()
{
	local names name

	[ ! -d "$arm64_root/programs/native/usr" ] || return 0
	mapfile -t names < <(printf '%s\n' gzip lua5.4 perl-base sqlite3 xz-utils
		apt-cache depends python3-minimal | grep -o 'python3\.[0-9]*-minimal')
	mapfile -t -O "${#names[@]}" names < <(for name in "${names[@]}"; do
		libraries_of "$name:arm64"
	done | sed 's/:arm64$//' | sort -u)
	unpack programs/arm64 "${names[@]/%/:arm64}" || return 1
	mapfile -t names < <(printf '%s\n' "${names[@]}" | grep -vx libc6)
	unpack programs/native "${names[@]/%/:$(dpkg --print-architecture)}"
}
