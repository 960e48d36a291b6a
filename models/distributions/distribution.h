/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_DISTRIBUTION_H
#define DUETIME_DISTRIBUTION_H

/* Durations: service times, gaps, think times.  A new one is one file here and one name in
   meson.build. */

#include "models/base/maths.h"
#include "models/base/random.h"
#include "models/variant.h"

struct distribution_type {
    struct variant is;
    bool random; /* false: draw i is the same in every run */

    /* Writes draws first .. first+count-1 of the stream, in whole ns. */
    void (*draw)(const void *params, struct stream stream, uint64_t first, ns_t *out_ns,
                 size_t count);

    /* Mean in ns; only + - * /, since it may steer a stationary start. */
    double (*mean_ns)(const void *params);

    /* P(duration > x_ns) before rounding to whole ns; NULL where draws are not independent. */
    double (*tail)(const void *params, double x_ns);

    /* What is left of the one in service when somebody looks at a random instant: a draw of the
       equilibrium distribution with density tail(x)/mean.  NULL where draws are not independent. */
    ns_t (*residual)(const void *params, struct stream stream, uint64_t index);
};

static inline const struct distribution_type *distribution(struct choice c)
{
    return (const struct distribution_type *)(const void *)c.type;
}

/* Parameters of the variants that laws ask about by name. */
struct constant {
    ns_t value_ns;
};
struct exponential {
    ns_t mean_ns;
};

struct samples {
    struct durations values; /* at least one */
};

struct two_point {
    ns_t usual_ns, rare_ns;
    struct ratio probability; /* of the rare one */
};

struct uniform {
    ns_t low_ns, high_ns;
};

enum { ERLANG_STAGES_MOST = 10000 };

struct erlang {
    ns_t mean_ns; /* of all stages together */
    uint64_t stages;
};

struct branch {
    struct ratio probability;
    ns_t mean_ns;
};

struct hyperexponential {
    struct item_list branches; /* of struct branch; probabilities sum to 1 */
};

struct lognormal {
    ns_t mean_ns;
    struct ratio cv; /* standard deviation over mean */
};

struct pareto {
    ns_t minimum_ns;
    struct ratio shape; /* > 1: it has a mean */
};

struct weibull {
    ns_t scale_ns;
    struct ratio shape; /* 0.1 .. 1000 */
};

extern const struct distribution_type distribution_constant;
extern const struct distribution_type distribution_exponential;
extern const struct distribution_type distribution_samples;
extern const struct distribution_type distribution_two_point;
extern const struct distribution_type distribution_uniform;
extern const struct distribution_type distribution_erlang;
extern const struct distribution_type distribution_hyperexponential;
extern const struct distribution_type distribution_lognormal;
extern const struct distribution_type distribution_pareto;
extern const struct distribution_type distribution_weibull;

#endif
