#!/bin/sh
# Puts the style sheet and the scripts that an HTML page names into the page itself, and prints it.
exec awk -v folder="$(dirname "$1")/" '
    function insert(file, line) { while ((getline line < file) > 0) print line; close(file) }
    match($0, /(href|src)="[a-z]+\.(css|js)"/) {
        split(substr($0, RSTART, RLENGTH), part, "\"")
        tag = /<link/ ? "style" : "script"
        print "<" tag ">"
        insert(folder part[2])
        print "</" tag ">"
        next
    }
    { print }' "$1"
