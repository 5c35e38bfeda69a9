#!/bin/sh
# Makes README's picture: the first figure of the page that `gpt explain` writes, with Chromium.
#   tools/picture.sh PICTURE.png [OPTIONS OF gpt explain]
set -e
picture=$(realpath "$1")
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
./gpt explain -o "$work/page.html" "$@"
cat >> "$work/page.html" << 'EOF'
<style>
  header, nav, footer, section ~ section, h3, h3 ~ *, #means > p:not(.finding) { display: none !important; }
  section { padding-top: 1.5rem !important; }
</style>
EOF
chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --hide-scrollbars \
    --disable-background-networking --disable-component-update --disable-sync \
    --user-data-dir="$work/profile" --window-size=1136,790 --virtual-time-budget=5000 \
    --screenshot="$picture" "file://$work/page.html" 2> "$work/talk" || cat "$work/talk" >&2
