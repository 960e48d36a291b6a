/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/random_text.h"

#include <stdarg.h>
#include <stdio.h>

#include "models/base/error.h"

void put(struct writer *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(w->text + w->length, TEXT_SIZE - w->length, format, args);
    va_end(args);
    BUG_IF(n < 0 || w->length + (size_t)n >= TEXT_SIZE);
    w->length += (size_t)n;
}

unsigned roll(struct writer *w, unsigned low, unsigned high)
{
    return low + (unsigned)below(stream_word(w->dice, w->thrown++), (uint64_t)high - low + 1);
}

bool one_in(struct writer *w, unsigned n)
{
    return roll(w, 1, n) == 1;
}

bool wants(struct writer *w, enum mechanism mechanism)
{
    return (w->mechanisms >> mechanism & 1) != 0 && !one_in(w, 5);
}

void put_list(struct writer *w, unsigned count, unsigned low, unsigned high, bool rising)
{
    unsigned value = roll(w, low, high);
    put(w, "[%u", value);
    for (unsigned i = 1; i < count; i++) {
        value = rising ? value + roll(w, 0, high) : roll(w, low, high);
        put(w, ", %u", value);
    }
    put(w, "]");
}

void put_distribution(struct writer *w, unsigned high)
{
    unsigned low = roll(w, 0, high);
    switch (roll(w, 0, 5)) {
    case 0:
    case 1: put(w, "{\"constant\": %u}", low); break;
    case 2: put(w, "{\"exponential\": %u}", roll(w, 1, high)); break;
    case 3:
        put(w, "{\"two-point\": {\"usual\": %u, \"rare\": %u, \"probability\": 0.%u}}", low,
            low + roll(w, 1, 4 * high), roll(w, 1, 9));
        break;
    case 4:
        put(w, "{\"uniform\": {\"low\": %u, \"high\": %u}}", low, low + roll(w, 1, high));
        break;
    default:
        put(w, "{\"samples\": ");
        put_list(w, roll(w, 1, 6), 0, 2 * high, false);
        put(w, "}");
    }
}
