#!/bin/sh
# Installs what the build needs, as far as it is missing, with Debian's or Ubuntu's packages:
#   tools/setup.sh         a C++ compiler and make
#   tools/setup.sh test    doctest as well
#   tools/setup.sh all     and what .ci/run and make check use: clang, its OpenMP and sanitizers,
#                          clang-format, Chromium
#   tools/setup.sh portability   and what make portability uses: other machines, emulated
set -e

packages=
want() {  # want COMMAND-OR-FILE PACKAGE...
    thing=$1
    shift
    command -v "$thing" > /dev/null || [ -e "$thing" ] || packages="$packages $*"
}

want make make
want g++ g++
case ${1:-} in
    test | all | portability) want /usr/include/doctest/doctest.h doctest-dev ;;
esac
case ${1:-} in
    all | portability)
        want clang++ clang
        want clang-format clang-format
        want chromium chromium
        echo '#include <omp.h>' | clang++ -fopenmp -x c++ -fsyntax-only - 2> /dev/null ||
            packages="$packages libomp-dev"
        ls "$(clang++ -print-resource-dir 2> /dev/null)"/lib/*/libclang_rt.asan* > /dev/null 2>&1 ||
            packages="$packages libclang-rt-dev"
        want /usr/share/unicode/UnicodeData.txt unicode-data
        ;;
esac
case ${1:-} in
    portability)
        want qemu-s390x qemu-user
        for machine in aarch64 s390x; do want $machine-linux-gnu-g++ g++-$machine-linux-gnu; done
        want x86_64-w64-mingw32-g++-posix g++-mingw-w64-x86-64-posix
        want wine wine wine64
        want valgrind valgrind
        ;;
esac

[ -n "$packages" ] || exit 0
if ! command -v apt-get > /dev/null; then
    echo "please install by hand, as there is no apt-get here:$packages" >&2
    exit 1
fi
root=
[ "$(id -u)" -eq 0 ] || root=sudo
$root apt-get update -qq
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $root apt-get install -y -qq $packages
