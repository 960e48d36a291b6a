/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/arrivals/arrivals.h"
#include "models/base/maths.h"

#define BLOCK 128

const char *const spacing_words[] = {"even", "poisson", NULL};

struct pace pace_of(struct ratio rate_per_s, ns_t every_ns)
{
    if (rate_per_s.num == 0)
        return (struct pace){every_ns, 1};
    /* 1e9 * den / num in lowest terms; num and den have no common factor already. */
    uint64_t g = gcd_u64(NS_PER_S, rate_per_s.num);
    u128 num = (u128)(NS_PER_S / g) * rate_per_s.den;
    return (struct pace){num < NS_LIMIT ? (uint64_t)num : NS_LIMIT, rate_per_s.num / g};
}

char *pace_describe(struct ratio rate_per_s, ns_t every_ns)
{
    char every[32];
    if (rate_per_s.num != 0)
        return must_format("%.15g/s", ratio_double(rate_per_s));
    duration_format(every_ns, every);
    return must_format("every %s", every);
}

const char *arrivals_refuse_pace(struct choice c, struct ratio rate_per_s, ns_t every_ns)
{
    const struct arrivals_type *type = arrivals(c);
    return type->refuses_pace == NULL ? NULL
                                      : type->refuses_pace(c.params, pace_of(rate_per_s, every_ns));
}

char *arrivals_describe(struct choice c, struct ratio rate_per_s, ns_t every_ns)
{
    const struct arrivals_type *type = arrivals(c);
    if (type->describe != NULL)
        return type->describe(c.params);
    return type->paced ? pace_describe(rate_per_s, every_ns) : must_copy("as listed");
}

void amounts_draw(enum spacing spacing, struct arrival_cursor *cursor, u128 *out, size_t count)
{
    if (spacing == SPACING_EVEN) {
        for (size_t i = 0; i < count; i++)
            out[i] = (u128)(cursor->next + i) << AMOUNT_BITS;
        return;
    }
    ns_t draws[BLOCK];
    for (size_t done = 0; done < count; done += BLOCK) {
        size_t block = count - done < BLOCK ? count - done : BLOCK;
        exponential_draws(cursor->stream, cursor->next + done, 0x1p32, draws, block);
        for (size_t i = 0; i < block; i++)
            out[done + i] = cursor->passed += draws[i];
    }
}
