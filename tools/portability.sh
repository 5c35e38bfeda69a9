#!/bin/sh
# The tests with other compilers, settings and processors. Runs those whose tools are installed, and
# names those that it skips; `tools/setup.sh portability` installs them all.
cd "$(dirname "$0")/.." || exit 1
failed=0

has() {  # has NAME TOOL...
    name=$1
    shift
    for tool; do
        command -v "$tool" > /dev/null && continue
        echo "skipped: $name, as there is no $tool"
        return 1
    done
    echo "== $name"
}
fail() {
    echo "FAILED: $name"
    failed=1
}

has "one thread, without OpenMP" g++ && { make OPENMP=0 test || fail; }
has "-O0 and the library's own assertions" g++ && { make MODE=debug test || fail; }
[ "$(uname -m)" = x86_64 ] && has "the layouts of AVX-512, in vectors of AVX2" g++ &&
    { make ARCH=x86-64-v3 LANES=16 test || fail; }
has "clang with its OpenMP" clang++ && { make CXX=clang++ test || fail; }
for arch in x86-64 x86-64-v3 x86-64-v4; do
    [ "$(uname -m)" = x86_64 ] && has "processors from $arch on" g++ || continue
    make CXX=g++ ARCH=$arch build/release-g++-$arch/gpt
    case $(build/release-g++-$arch/gpt --version 2>&1) in
        *"built for a processor with"*) echo "skipped: this processor is not one" ;;
        *) make CXX=g++ ARCH=$arch test || fail ;;
    esac
done

# The tests of commands, each command under Valgrind, which knows no AVX-512, and to which glibc is
# clean only as a library of its own.
plain=build/release-g++-x86-64
if [ -x $plain/tests/run ] && has "memory, watched by Valgrind" valgrind; then
    rm -f $plain/gpt && make CXX=g++ ARCH=x86-64 STATIC=0 $plain/gpt &&
        RUN=valgrind VALGRIND_OPTS='-q --error-exitcode=99' OMP_WAIT_POLICY=passive \
        $plain/tests/run -sf='tests/commands/*' || fail
fi

# OpenMP's own barriers are made known to ThreadSanitizer by libarcher.
archer=$(clang++ -print-resource-dir 2> /dev/null)/../../libarcher.so
if ! [ -f "$archer" ]; then
    echo "skipped: races, as there is no libarcher.so"
elif has "races, watched by ThreadSanitizer" clang++; then
    # Faults are left out, as the sanitizer has its own memory, files and signals.
    OMP_TOOL_LIBRARIES=$archer TSAN_OPTIONS=ignore_noninstrumented_modules=1 \
        make MODE=thread CXX=clang++ test TEST_FLAGS="-sfe='*faults_test*,*folder_writer_test*'" ||
        fail
fi
# Emulated, a few tests would take hours.
slow='*keep the perplexity*,*cut in any way*,windows that run side*'
slow=$slow',on a large vocabulary*,bench measures every*'
for machine in aarch64 s390x; do
    compiler=$machine-linux-gnu-g++
    has "$machine, emulated" $compiler qemu-$machine &&
        { make CXX=$compiler ARCH= RUN=qemu-$machine test \
            TEST_FLAGS="-tce='$slow'" || fail; }
done

# No vectors wider than 16 bytes there: GCC does not align Windows' stacks for them (its bug 54412).
compiler=x86_64-w64-mingw32-g++-posix
program=build/release-$compiler-x86-64/gpt
same_under_wine() {  # same_under_wine GPT-ARGUMENTS: as under this system
    expected=$(./gpt "$@" 2> /dev/null) && found=$(WINEDEBUG=-all wine $program.exe "$@" 2> /dev/null) &&
        [ -n "$found" ] && [ "$found" = "$expected" ] && return
    echo "gpt $*: expected '$expected', found '$found'"
    return 1
}
if has "Windows, under Wine" $compiler wine; then
    folder="build/модель é"
    rm -rf "$folder"
    make all && make CXX=$compiler ARCH=x86-64 RUN=wine $program && cp -r weights/shakespeare "$folder" &&
        same_under_wine generate -n 20 --temperature 0 "ROMEO:" &&
        same_under_wine tokenize --json "a 'quoted\" word \\" &&
        same_under_wine generate -n 20 --temperature 0 -m "$folder" "JULIET:" || fail
    rm -rf "$folder"
fi
exit $failed
