/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/policies/late.h"

/* floor(i * num / den) >= now exactly when i >= now * den / num. */
uint64_t late_missed(const struct connection *connection, uint64_t slot, ns_t now_ns)
{
    u128 first = (u128)now_ns * connection->pace.den;
    first = (first + connection->pace.num - 1) / connection->pace.num;
    if (first <= slot)
        return 0;
    return (uint64_t)((first - slot + connection->stride - 1) / connection->stride);
}
