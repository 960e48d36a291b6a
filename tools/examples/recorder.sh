#!/bin/sh
# SPDX-License-Identifier: 0BSD
# A recorder that duetime can judge:  duetime conform --command 'sh recorder.sh'
#
# awk makes a latency of each request, sort puts them in order, and the last awk is the recorder:
# it keeps the values and answers with them.  awk counts in doubles, which are exact up to 2^53.
LC_ALL=C
export LC_ALL

read -r version
[ "$version" = 'duetime-conform 1' ] || { echo 'this is not version 1 of the pipe' >&2; exit 1; }
read -r asked

# What is asked for under a key: its text or number, or nothing where it is null.
asked() {
    printf '%s\n' "$asked" | sed -n 's/.*"'"$1"'": "\{0,1\}\([^",}]*\).*/\1/p' | sed 's/^null$//'
}

percentiles=$(printf '%s\n' "$asked" | sed 's/.*"percentiles": \[\([^]]*\)\].*/\1/; s/[",]//g')
[ "$(asked binary)" = false ] || { echo 'this recorder reads text' >&2; exit 1; }
case $(asked correction) in
'') interval=0 ;;
hdr) interval=$(asked interval_ns) ;;
*) echo 'this recorder has no such correction' >&2; exit 1 ;;
esac

awk -v from="$(asked from)" -v failures="$(asked failures)" -v warmup="$(asked warmup_ns)" \
    -v interval="$interval" '
    BEGIN { column["due"] = 1; column["sent"] = 2; column["started"] = 3; column["acquired"] = 6 }
    $1 == "end" { exit }
    $1 < warmup + 0 || (failures == "dropped" && $5 != "ok") { next }
    {
        value = $4 - $column[from]
        if (value < 0) next
        printf "%.0f\n", value
        # What HdrHistogram does where sends were held back.
        for (; interval + 0 > 0 && value >= 2 * interval; value -= interval)
            printf "%.0f\n", value - interval
    }' |
sort -n |
awk -v percentiles="$percentiles" '
    { values[NR] = $1; sum += $1 }
    END {
        if (NR == 0) { print "{\"count\": 0}"; exit }
        printf "{\"count\": %d, \"min\": %.0f, \"max\": %.0f", NR, values[1], values[NR]
        # Past 2^53 a sum of doubles is not exact, and what is not known is better not said.
        if (sum < 9007199254740992)
            printf ", \"sum\": %.0f, \"mean\": %.9f", sum, sum / NR
        printf ", \"percentiles\": {"
        n = split(percentiles, asked, " ")
        for (i = 1; i <= n; i++) {
            # ceil(p n / 100) in whole numbers: 99.9 is 999 / 10.
            p = asked[i]; below = 100
            if ((point = index(p, ".")) > 0) {
                for (k = length(p) - point; k > 0; k--) below *= 10
                sub(/\./, "", p)
            }
            rank = int((p * NR + below - 1) / below)
            printf "%s\"%s\": %.0f", (i > 1 ? ", " : ""), asked[i], values[rank < 1 ? 1 : rank]
        }
        print "}, \"unit\": \"ns\", \"declares\": {\"precision\": \"exact\", \"rank\": \"nearest\"}}"
    }'
