#!/bin/sh
# Holds the tree to its own rules: folders under src include only downwards, every source file
# there has its test, nothing is over-long, and clang-format (where installed) agrees. Prints each
# breach.
cd "$(dirname "$0")/.." || exit 1
breaches=$(
    # A folder and those it may include.
    while read -r folder allowed; do
        grep -rnE --include='*.h' --include='*.cpp' '^#include "[a-z_]+/' "src/$folder" |
            grep -vE "#include \"($(echo "$allowed" | tr ' ' '|'))/" |
            sed "s|\$|: $folder may include only $allowed|"
    done <<'EOF'
base base
kernels base kernels
text base text
formats base formats
model base kernels text formats model
commands base kernels text formats model commands
EOF
    # Commands are tested as a user runs them.
    for source in $(find src -name '*.cpp' -not -path 'src/commands/*' -not -name main.cpp); do
        twin=$(echo "$source" | sed 's|^src/|tests/|; s|\.cpp$|_test.cpp|')
        [ -f "$twin" ] || echo "$source: no test $twin"
    done
    find src tests tools -name '*.h' -o -name '*.cpp' | xargs awk '
        FNR == 1 { file = FILENAME } { lines[FILENAME]++ }
        END { for (f in lines) if (lines[f] > 300) print f ": " lines[f] " lines, at most 300" }'
    if command -v clang-format > /dev/null; then
        find src tests tools \( -name '*.h' -o -name '*.cpp' \) |
            xargs clang-format --dry-run 2>&1 | grep warning:
    else
        echo "clang-format is not installed: formatting is not checked" >&2
    fi
)
[ -z "$breaches" ] || { echo "$breaches"; exit 1; }
echo "layers, tests, sizes and formatting agree"
