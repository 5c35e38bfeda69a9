# make              ./gpt, the program: one file, with the default model inside
# make run          build it and let it write something
# make test         build and run every quick test
# make test-page    drive the page of `gpt explain` in Chromium, where it is installed
# make sanitize     the same tests under AddressSanitizer and UndefinedBehaviorSanitizer
# make tools        build/train, build/convert and the other programs of tools/
# make fuzz         a minute of mutated input for each reader, under clang's libFuzzer
# make portability  the tests with other compilers, settings and processors, as far as they are here
# make bench        tokens per second of GPT-2 124M on random weights, beside the machine's limits
# make check        folders include only downwards, each source has its test, clang-format agrees
# make install      copy gpt to $(DESTDIR)$(PREFIX)/bin
# make clean        remove everything built
#
# ARCH=native       processor to build for: native, x86-64-v4 (AVX-512), x86-64-v3 (AVX2), x86-64, ...
# LANES=            16 lays weights out as AVX-512 wants them, on any machine
# OPENMP=1          0 builds for one thread, without OpenMP
# MODE=release      or sanitize, debug, fuzz, thread (ThreadSanitizer, as make portability runs it)
# CXX=g++           or clang++
# STATIC=1          0 has a program find its libraries as it starts
# WERROR=0          1 makes warnings errors
# RUN=              the program that runs one built for another machine, such as qemu-s390x
# TEST_FLAGS=       which tests, as doctest has it: -sf='tests/kernels/*', -tc='*attention*'
# FUZZ_SECONDS=60   how long make fuzz takes for each reader

CXX    := $(if $(filter default,$(origin CXX)),g++,$(CXX))
ARCH   ?= native
OPENMP ?= 1
MODE   ?= release
STATIC ?= 1
WERROR ?= 0
FUZZ_SECONDS ?= 60
PREFIX ?= /usr/local

# Every processor takes part, unless make is told how many may.
ifeq ($(MAKELEVEL)$(findstring -j,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 2)
endif

# One folder for each way to build, so that switching never mixes objects.
empty :=
BUILD := build/$(MODE)-$(subst $(empty) $(empty),_,$(subst /,_,$(CXX)))-$(ARCH)$(LANES:%=-%-lanes)$(if $(filter 0,$(OPENMP)),-serial)

FLAGS_release  := -O2
FLAGS_debug    := -O0 -g -D_GLIBCXX_ASSERTIONS
FLAGS_sanitize := -O1 -g1 -DGPT_MOST_STEPS=2 -fsanitize=address,undefined -fno-sanitize-recover=all
FLAGS_thread   := -O1 -g1 -DGPT_MOST_STEPS=2 -fsanitize=thread
FLAGS_fuzz     := $(FLAGS_sanitize) -fsanitize=fuzzer-no-link

# -ffp-contract=off: a multiply and an add fuse where the source says fma, and nowhere else.
# GCC 12 sees overlaps where strings are put together (its bug 105651): no -Wrestrict.
CXXFLAGS := -std=c++20 -Wall -Wextra -Wshadow -ffp-contract=off $(FLAGS_$(MODE)) \
            $(if $(findstring clang,$(CXX)),,-Wno-restrict) $(if $(filter 1,$(WERROR)),-Werror) \
            $(if $(filter 0,$(OPENMP)),-Wno-unknown-pragmas,-fopenmp)
MACHINE  := $(ARCH:%=-march=%) $(LANES:%=-DGPT_LANES=% -Wno-psabi)

SOURCES := $(filter-out src/main.cpp,$(shell find src -name '*.cpp'))
TOOLS   := $(patsubst tools/%.cpp,%,$(wildcard tools/*.cpp))
PARTS   := $(shell find tools -mindepth 2 -name '*.cpp')
TESTS   := $(shell find tests -name '*.cpp' -not -path tests/fuzz/driver.cpp -not -path 'tests/page/*')
READERS := json safetensors model tokenizer vocabulary text torch meta llmc llmc_tokenizer gguf
OBJECTS := $(SOURCES:%.cpp=$(BUILD)/%.o)

# V=1 shows the commands.
COMPILE = @mkdir -p $(@D); $(if $(V),set -x,echo compiling $<); \
          $(CXX) $(CXXFLAGS) $(MACHINE) -Isrc -MMD -MP -c $< -o $@
# A released program brings its libraries along, and starts in two thirds of the time; where there are
# none to bring it finds them. (Of GCC's OpenMP the linker says that it may open a library, which it
# does for devices alone.)
LINK    = @$(if $(V),set -x,echo linking $@); \
          $(if $(filter release1,$(MODE)$(STATIC)),$(CXX) $(CXXFLAGS) $^ -static -o $@ 2>/dev/null ||) \
          $(CXX) $(CXXFLAGS) $^ -o $@
# A copy of what was asked for last, though one built in another way be newer: asked each time.
COPY    = @cmp -s $< $@ || cp -f $< $@

all: gpt

gpt: $(BUILD)/gpt FORCE
	$(COPY)

$(BUILD)/gpt: $(BUILD)/src/main.o $(OBJECTS)
	$(LINK)

$(BUILD)/tests/run: $(TESTS:%.cpp=$(BUILD)/%.o) $(PARTS:%.cpp=$(BUILD)/%.o) $(OBJECTS)
	$(LINK)

# A tool is tools/NAME.cpp and whatever lies in tools/NAME.
tools: $(TOOLS:%=build/%)

$(TOOLS:%=build/%): build/%: $(BUILD)/% FORCE
	$(COPY)

.SECONDEXPANSION:
$(TOOLS:%=$(BUILD)/%): $(BUILD)/%: $(BUILD)/tools/%.o \
        $$(addprefix $(BUILD)/,$$(addsuffix .o,$$(basename $$(wildcard tools/$$*/*.cpp)))) $(OBJECTS)
	$(LINK)

$(BUILD)/src/%.o: src/%.cpp
	$(COMPILE)

$(BUILD)/tools/%.o: tools/%.cpp
	$(COMPILE) -I.

ifeq ($(MODE),release)
$(BUILD)/src/kernels/%.o $(BUILD)/tools/train/%.o: CXXFLAGS += -O3
endif
# Under the sanitizers the page in plain loops crawls: it is compiled for speed, and only the
# addresses of its operations are watched. What computes little compiles faster without.
ifeq ($(MODE),sanitize)
$(BUILD)/src/kernels/reference.o: CXXFLAGS += -O2 -fno-sanitize=undefined
$(BUILD)/src/model/reference.o: CXXFLAGS += -O2
$(BUILD)/src/commands/%.o $(BUILD)/tools/convert/%.o: CXXFLAGS += -O0
endif

# The model inside the program.
BUILTIN := weights/shakespeare
$(BUILD)/src/model/builtin.o: CXXFLAGS += -DBUILTIN_MODEL='"$(BUILTIN)"'
$(BUILD)/src/model/builtin.o: $(wildcard $(BUILTIN)/*)

# The page of `gpt explain`, with its style sheet and scripts inside.
PAGE := $(BUILD)/explain.html
$(PAGE): tools/inline_page.sh $(wildcard src/commands/explain/page/*)
	@mkdir -p $(@D)
	@$< src/commands/explain/page/page.html > $@
$(BUILD)/src/commands/explain/page.o: CXXFLAGS += -DEXPLAIN_PAGE='"$(PAGE)"'
$(BUILD)/src/commands/explain/page.o: $(PAGE)

# Tests need little speed of their own, and compile faster without it: those that compute nothing
# much go without any.
FEW_SUMS   := tests/base/% tests/commands/% tests/formats/% tests/text/% tests/tools/convert/%
TEST_SPEED  = $(if $(filter $(FEW_SUMS),$<),-O0,-O1)
$(BUILD)/tests/%.o: tests/%.cpp
	$(COMPILE) $(TEST_SPEED) -I. -DBUILD='"$(BUILD)"'

$(READERS:%=$(BUILD)/fuzz/%): $(BUILD)/fuzz/%: tests/fuzz/driver.cpp $(BUILD)/tests/fuzz/targets.o \
        $(patsubst %.cpp,$(BUILD)/%.o,$(filter tools/convert/%,$(PARTS))) $(OBJECTS)
	@mkdir -p $(@D)
	$(LINK) -I. -Isrc -DTARGET='"$*"' -fsanitize=fuzzer

# No single allocation may be a thousand times the longest input.
$(READERS:%=fuzz-%): fuzz-%: $(BUILD)/fuzz/%
	@mkdir -p build/corpus/$*
	$< --seeds build/corpus/$*
	$< -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=1024 -malloc_limit_mb=16 \
	    -max_len=16384 -verbosity=0 -print_funcs=0 -print_final_stats=1 \
	    -artifact_prefix=build/corpus/$*- build/corpus/$* $(wildcard tests/fuzz/found/$*)

run: gpt
	./gpt generate --slide --tokens 300 --seed 1 "ROMEO:"

# Teams of more threads than processors wait for one another asleep: spinning, they take turns.
test: $(BUILD)/tests/run $(BUILD)/gpt $(BUILD)/train $(BUILD)/convert
	OMP_WAIT_POLICY=passive LSAN_OPTIONS="suppressions=$(CURDIR)/tests/leaks.txt:print_suppressions=0" \
	    RUN="$(RUN)" $(RUN) $< $(TEST_FLAGS)

test-page: $(BUILD)/gpt $(BUILD)/tests/page/models
	tests/page/run.sh $^

$(BUILD)/tests/page/models: $(BUILD)/tests/page/models.o $(OBJECTS)
	$(LINK)

sanitize:
	$(MAKE) MODE=sanitize test

fuzz:
	$(MAKE) MODE=fuzz CXX=clang++ OPENMP=0 $(READERS:%=fuzz-%)

portability:
	+tools/portability.sh

bench: gpt
	./gpt bench --shape 124M

check:
	tools/check_layers.sh

install: gpt
	install -D gpt $(DESTDIR)$(PREFIX)/bin/gpt

clean:
	rm -rf build gpt

.DELETE_ON_ERROR:
.PHONY: FORCE all run bench test test-page sanitize tools fuzz portability check install clean
-include $(shell find build -name '*.d' 2>/dev/null)
