# make              ./gpt, the program: one file, with the default model inside
# make run          build it and let it write something
# make test         build and run every quick test
# make test-page    drive the page of `gpt explain` in Chromium, where it is installed
# make sanitize     the same tests under AddressSanitizer and UndefinedBehaviorSanitizer
# make tools        build/train and the other programs of tools/
# make check        folders include only downwards, each source has its test, clang-format agrees
# make install      copy gpt to $(DESTDIR)$(PREFIX)/bin
# make clean        remove everything built
#
# ARCH=native       processor to build for: native, x86-64-v4 (AVX-512), x86-64-v3 (AVX2), x86-64, ...
# OPENMP=1          0 builds for one thread, without OpenMP
# MODE=release      or sanitize, debug
# CXX=g++           or clang++
# WERROR=0          1 makes warnings errors

CXX    := $(if $(filter default,$(origin CXX)),g++,$(CXX))
ARCH   ?= native
OPENMP ?= 1
MODE   ?= release
WERROR ?= 0
PREFIX ?= /usr/local

# Every processor takes part, unless make is told how many may.
ifeq ($(MAKELEVEL)$(findstring -j,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 2)
endif

# One folder for each way to build, so that switching never mixes objects.
BUILD := build/$(MODE)-$(subst /,_,$(CXX))-$(ARCH)$(if $(filter 0,$(OPENMP)),-serial)

FLAGS_release  := -O2
FLAGS_debug    := -O0 -g
FLAGS_sanitize := -O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all

# -ffp-contract=off: a multiply and an add fuse where the source says fma, and nowhere else.
# GCC 12 sees overlaps where strings are put together (its bug 105651): no -Wrestrict.
CXXFLAGS := -std=c++20 -Wall -Wextra -Wshadow -ffp-contract=off $(FLAGS_$(MODE)) \
            $(if $(findstring clang,$(CXX)),,-Wno-restrict) $(if $(filter 1,$(WERROR)),-Werror) \
            $(if $(filter 0,$(OPENMP)),-Wno-unknown-pragmas,-fopenmp)
MACHINE  := $(if $(ARCH),-march=$(ARCH))

SOURCES := $(filter-out src/main.cpp,$(shell find src -name '*.cpp'))
TOOLS   := $(patsubst tools/%.cpp,%,$(wildcard tools/*.cpp))
PARTS   := $(shell find tools -mindepth 2 -name '*.cpp')
TESTS   := $(shell find tests -name '*.cpp' -not -path 'tests/fuzz/*' -not -path 'tests/page/*')
OBJECTS := $(SOURCES:%.cpp=$(BUILD)/%.o)

# V=1 shows the commands.
COMPILE = @mkdir -p $(@D); $(if $(V),set -x,echo compiling $<); \
          $(CXX) $(CXXFLAGS) $(MACHINE) -Isrc -MMD -MP -c $< -o $@
LINK    = @$(if $(V),set -x,echo linking $@); $(CXX) $(CXXFLAGS) $^ -o $@

all: gpt

gpt: $(BUILD)/gpt
	@cp -f $< $@

$(BUILD)/gpt: $(BUILD)/src/main.o $(OBJECTS)
	$(LINK)

$(BUILD)/tests/run: $(TESTS:%.cpp=$(BUILD)/%.o) $(PARTS:%.cpp=$(BUILD)/%.o) $(OBJECTS)
	$(LINK)

# A tool is tools/NAME.cpp and whatever lies in tools/NAME.
tools: $(TOOLS:%=build/%)

$(TOOLS:%=build/%): build/%: $(BUILD)/%
	@cp -f $< $@

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

# The model inside the program.
BUILTIN := weights/shakespeare-char
$(BUILD)/src/model/builtin.o: CXXFLAGS += -DBUILTIN_MODEL='"$(BUILTIN)"'
$(BUILD)/src/model/builtin.o: $(wildcard $(BUILTIN)/*)

# The page of `gpt explain`, with its style sheet and scripts inside.
PAGE := $(BUILD)/explain.html
$(PAGE): tools/inline_page.sh $(wildcard src/commands/explain/page/*)
	@mkdir -p $(@D)
	@$< src/commands/explain/page/page.html > $@
$(BUILD)/src/commands/explain/page.o: CXXFLAGS += -DEXPLAIN_PAGE='"$(PAGE)"'
$(BUILD)/src/commands/explain/page.o: $(PAGE)

# Tests need no speed of their own, and compile faster without it.
$(BUILD)/tests/%.o: tests/%.cpp
	$(COMPILE) -O1 -I. -DBUILD='"$(BUILD)"'

run: gpt
	./gpt generate --slide --tokens 300 --seed 1 "ROMEO:"

# Teams of more threads than processors wait for one another asleep: spinning, they take turns.
test: $(BUILD)/tests/run $(BUILD)/gpt $(BUILD)/train
	OMP_WAIT_POLICY=passive $<

test-page: $(BUILD)/gpt $(BUILD)/tests/page/models
	tests/page/run.sh $^

$(BUILD)/tests/page/models: $(BUILD)/tests/page/models.o $(OBJECTS)
	$(LINK)

sanitize:
	$(MAKE) MODE=sanitize test

check:
	tools/check_layers.sh

install: gpt
	install -D gpt $(DESTDIR)$(PREFIX)/bin/gpt

clean:
	rm -rf build gpt

.PHONY: all run test test-page sanitize tools check install clean
-include $(shell find build -name '*.d' 2>/dev/null)
