/* SPDX-License-Identifier: 0BSD */
/* Holds a recorder to the test vectors:  cc -O2 -o vectors vectors.c -lm
   and then  ./vectors < results/vectors/vectors.txt
   record() and report() are the recorder.  Put your own in their place; the rest stays as it is.
   A double holds whole ns up to 2^53. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct samples {
    double *x, sum;
    size_t n;
};

static void record(struct samples *s, double value)
{
    if ((s->n & (s->n + 1)) == 0 || s->x == NULL)
        s->x = realloc(s->x, 2 * (s->n + 1) * sizeof *s->x);
    if (s->x == NULL)
        abort();
    s->x[s->n++] = value;
    s->sum += value;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* NAN: there is none.  ceil(p n / 100) in whole numbers: p is text, such as 99.9. */
static double report(struct samples *s, const char *figure)
{
    unsigned long long above = 0, below = 100, rank;
    bool part = false;
    if (strcmp(figure, "count") == 0)
        return (double)s->n;
    if (strcmp(figure, "sum") == 0)
        return s->sum;
    if (s->n == 0)
        return NAN;
    qsort(s->x, s->n, sizeof *s->x, by_size);
    if (figure[0] != 'p')
        return strcmp(figure, "mean") == 0  ? s->sum / (double)s->n
               : strcmp(figure, "min") == 0 ? s->x[0]
                                            : s->x[s->n - 1];
    for (const char *c = figure + 1; *c != '\0'; c++) {
        below *= *c != '.' && part ? 10 : 1;
        above = *c == '.' ? above : above * 10 + (unsigned long long)(*c - '0');
        part = part || *c == '.';
    }
    rank = (above * s->n + below - 1) / below;
    return s->x[rank > 0 ? rank - 1 : 0];
}

static void record_corrected(struct samples *s, double value, double interval)
{
    record(s, value);
    for (; interval > 0 && value >= 2 * interval; value -= interval)
        record(s, value - interval);
}

/* The rest is glue. */

static bool same(double a, double b) /* a mean is given to a thousandth */
{
    return fabs(a - b) <= 0.001 || (isnan(a) && isnan(b));
}

int main(void)
{
    char names[40][32], line[512], from[8], fails[16], how[16], text[32], fault[64] = "";
    double said[40], right[40], says[40], a, b, c, every = 0;
    struct samples s = {NULL, 0, 0};
    size_t n = 0;
    bool skip = false, bad = false, failed = false;
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (strncmp(line, "case ", 5) == 0) {
            fputs(line, stdout);
            s.sum = (double)(s.n = n = 0);
            bad = false;
        } else if (sscanf(line, "asked %7s %15s %15s %lf", from, fails, how, &every) == 4) {
            skip = strcmp(how, "none") != 0 && strcmp(how, "hdr") != 0;
        } else if (sscanf(line, "value %lf %lf %lf", &a, &b, &c) == 3) {
            for (double k = 0; k < b; k++)
                record_corrected(&s, a + k * c, every);
        } else if (sscanf(line, "request %lf %lf %*s %lf %31s", &a, &b, &c, text) == 4) {
            if (strcmp(text, "ok") == 0 || strcmp(fails, "dropped") != 0)
                record_corrected(&s, c - (strcmp(from, "due") == 0 ? a : b), every);
        } else if (!skip && n < 40 && sscanf(line, "is %31s %31s", names[n], text) == 2) {
            right[n] = says[n] = strtod(text, NULL);
            said[n] = report(&s, names[n]);
            if (!same(said[n++], strtod(text, NULL)))
                bad = failed = printf("  not ok: %s is not %s\n", names[n - 1], text) > 0;
        } else if (sscanf(line, "says %31s %lf", text, &a) == 2) {
            for (size_t k = 0; k < n; k++)
                says[k] = strcmp(names[k], text) == 0 ? a : says[k];
        } else if (strncmp(line, "fault", 5) == 0 || strcmp(line, "end\n") == 0) {
            bool fits = bad && *fault != '\0';
            for (size_t k = 0; k < n; says[k] = right[k], k++)
                fits = fits && same(said[k], says[k]);
            if (fits)
                printf("  as %s says\n", fault);
            if (sscanf(line, "fault %63s", fault) != 1)
                *fault = '\0';
        }
    }
    free(s.x);
    return failed;
}
