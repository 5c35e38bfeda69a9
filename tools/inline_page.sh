#!/bin/sh
# Puts the style sheet and the scripts that an HTML page names into the page itself, and prints it.
# Fails where one of them is missing.
exec awk -v folder="$(dirname "$1")/" '
    function insert(file, line, found) {
        while ((found = getline line < file) > 0) print line
        if (found < 0) { print file ": cannot be read" > "/dev/stderr"; exit 1 }
        close(file)
    }
    match($0, /(href|src)="[a-z]+\.(css|js)"/) {
        split(substr($0, RSTART, RLENGTH), part, "\"")
        tag = /<link/ ? "style" : "script"
        print "<" tag ">"
        insert(folder part[2])
        print "</" tag ">"
        next
    }
    { print }' "$1"
