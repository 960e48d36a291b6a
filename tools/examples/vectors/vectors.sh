#!/bin/sh
# SPDX-License-Identifier: 0BSD
# Holds a recorder to the test vectors:  sh vectors.sh < results/vectors/vectors.txt
#
# report() and sort() are the recorder.  Numbers of awk are whole up to 2^53.
export LC_ALL=C
exec awk -v CONVFMT=%.17g -v OFMT=%.17g '
function report(figure,    part, below) {
    if (figure == "count") return n
    if (figure == "sum") return sum
    if (n == 0) return "nan"
    if (!sorted) sort()
    if (figure == "mean") return sum / n
    if (figure == "min") return x[1]
    if (figure == "max") return x[n]
    figure = substr(figure, 2)  # ceil(p n / 100) in whole numbers
    part = index(figure, ".") ? length(figure) - index(figure, ".") : 0
    sub(/\./, "", figure)
    below = 100 * 10 ^ part
    below = int((figure * n + below - 1) / below)
    return x[below < 1 ? 1 : below]
}
function sort(    gap, i, j, v) {
    for (gap = int(n / 2); gap > 0; gap = int(gap / 2))
        for (i = gap + 1; i <= n; i++) {
            v = x[i]
            for (j = i - gap; j > 0 && x[j] > v; j -= gap) x[j + gap] = x[j]
            x[j + gap] = v
        }
    sorted = 1
}
function add(value) {
    x[++n] = value
    sum += value
    for (; interval > 0 && value >= 2 * interval; value -= interval) {
        x[++n] = value - interval
        sum += value - interval
    }
}
# The rest is glue.
function same(a, b) {  # a mean is given to a thousandth
    return a == "nan" || b == "nan" ? a == b : a - b <= 0.001 && b - a <= 0.001
}
$1 == "case" { print; n = sum = count = bad = sorted = 0; fault = "" }
$1 == "asked" {
    from = $2 == "due" ? 2 : 3
    dropped = $3 == "dropped"
    interval = $4 == "none" ? 0 : $5
    skip = $4 != "none" && $4 != "hdr"
}
$1 == "value" { for (k = 0; k < $3; k++) add($2 + k * $4) }
$1 == "request" && ($6 == "ok" || !dropped) { add($5 - $from) }
$1 == "is" && !skip {
    name[++count] = $2
    right[count] = says[$2] = $3
    said[count] = report($2)
    if (same(said[count], $3)) next
    bad = failed = 1
    print "  not ok: " $2 " is " said[count] ", not " $3
}
$1 == "says" { says[$2] = $3 }
$1 == "fault" || $1 == "end" {
    fits = bad && fault != ""
    for (k = 1; k <= count; k++) {
        fits = fits && same(said[k], says[name[k]])
        says[name[k]] = right[k]
    }
    if (fits) print "  as " fault " says"
    fault = $2
}
END { exit failed }'
