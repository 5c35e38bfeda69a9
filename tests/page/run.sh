#!/bin/bash
# Opens pages of `gpt explain` in headless Chromium and drives every part of them:
#   tests/page/run.sh GPT MAKE_MODELS    the program, and the one made of tests/page/models.cpp
# Any failed check, exception, or word on the browser's console fails the page.
gpt=$1
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -z "$browser" ]; then
    echo "make test-page: no Chromium here (apt-get install chromium), nothing was tested" >&2
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
models=$work/models
mkdir "$models" && "$2" "$models"
cp "$(dirname "$0")"/{test.html,drive.js} "$work"
passed=0
failed=0

# drive NAME [dark]: opens $work/NAME.html in the test page and prints its verdict.
drive() {
    timeout 300 "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
        --disable-background-networking --disable-component-update --disable-sync \
        --user-data-dir="$work/profile" --allow-file-access-from-files --enable-logging=stderr \
        ${2:+--blink-settings=preferredColorScheme=0} --window-size=1400,1000 \
        --virtual-time-budget=20000 --dump-dom "file://$work/test.html?page=$1.html${2:+&dark}" \
        2> "$work/console" | sed -n '/<pre id="verdict">/,/<\/pre>/p' | sed 's/<[^>]*>//g'
    rm -rf "$work/profile"
}

# page NAME [dark] -- OPTIONS...: makes a page with those options, and drives it.
page() {
    local name=$1 dark=
    shift
    [ "$1" = dark ] && dark=dark && shift
    "$gpt" explain -o "$work/page.html" "$@" 2> "$work/talk" || { cat "$work/talk"; }
    local size verdict
    size=$(stat -c %s "$work/page.html" 2> /dev/null || echo none)
    verdict=$(drive page $dark)
    grep CONSOLE "$work/console" && verdict="$verdict (and words on the console)"
    rm -f "$work/page.html"
    if [[ $verdict =~ ^ok\ [0-9]+$ && $size -le 3000000 ]]; then
        passed=$((passed + 1))
        echo "$name: $verdict, $size bytes"
    else
        failed=$((failed + 1))
        echo "$name: FAILED, $size bytes: ${verdict:-no verdict}"
    fi
}

page "a sentence"
page "a sentence, dark" dark
page "one token" "T"
page "another layer and head" --layer 0 --head 1 "The cat sat because it was tired."
page "full context" -f "$models/long.txt" -m "$models/bytes"
page "quotes and markup" -m "$models/bytes" \
    $'</script><img id=hostile src=x onerror="hacked=1">\'"`<!-- & </textarea>'
page "markup in the first token" -m "$models/words" "<script>hacked=1</script>"
page "line separators, controls, invalid bytes" -m "$models/bytes" $'a\u2028b\u2029c\x01\x7f\xff\xfe\xe2\x82 \t\n'
page "right to left" -m "$models/bytes" "שלום עולם"
page "Arabic, one piece a word" -m "$models/words" "قرأت القطة"
page "emoji" -m "$models/bytes" "a 🎈 👩‍👩‍👧"
page "emoji, one piece each" -m "$models/words" "🎈👩‍👩‍👧🎈"
page "no tokenizer" -m "$models/bare" --ids 3,1,4,1,5,9,2,6
page "one token, no tokenizer" -m "$models/bare" --ids 7
page "a large context" -m "$models/large" --ids "$(seq -s, 0 511)"
page "many layers and heads" -m "$models/deep" --ids "$(seq -s, 0 99)"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
