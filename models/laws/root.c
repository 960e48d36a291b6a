/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/laws/root.h"

double root_rising(double (*f)(const void *context, double x), const void *context, double near)
{
    double low = near, high = near;
    if (f(context, near) < 0.0) {
        for (int step = 0; step < 1000 && f(context, high) < 0.0; step++) {
            low = high;
            high *= 2.0;
        }
    } else {
        for (int step = 0; step < 1000 && !(f(context, low) < 0.0); step++) {
            high = low;
            low /= 2.0;
        }
    }
    for (int step = 0; step < 60; step++) {
        double at = low + (high - low) / 2.0;
        if (f(context, at) < 0.0)
            low = at;
        else
            high = at;
    }
    return high;
}
