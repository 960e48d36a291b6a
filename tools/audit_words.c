/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/audit_words.h"

#include <math.h>
#include <stdlib.h>

#include "models/base/error.h"
#include "tools/report/report.h"
#include "tools/words.h"

/* Paragraphs in the making. */
struct says {
    char **texts;
    size_t count;
};

/* Takes the text. */
static void say(struct says *says, char *text)
{
    says->texts = must_grow(says->texts, says->count + 1, sizeof *says->texts);
    says->texts[says->count++] = text;
}

/* Five digits with the largest unit of which it is at least one. */
struct time_text {
    char text[32];
};
static struct time_text words_of(struct fraction time_ns)
{
    static const struct {
        double ns;
        const char *name;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1.0, "ns"}};
    struct time_text out;
    double ns = fraction_double(time_ns);
    size_t unit = 0;
    while (unit < 3 && fabs(ns) < units[unit].ns)
        unit++;
    snprintf(out.text, sizeof out.text, "%.5g %s", ns / units[unit].ns, units[unit].name);
    return out;
}

static struct time_text words_of_ns(ns_t ns)
{
    return words_of(fraction_whole((i128)ns));
}

static unsigned long long whole(i128 value)
{
    return (unsigned long long)value;
}

/* What was given twice, in two ways, and is not the same. */
static void say_contradictions(struct says *says, const struct audit_summary *s,
                               const struct audit *a)
{
    if (a->rate_differs)
        say(says, must_format("The printed rate of %.6g a second contradicts %llu requests in %s, "
                              "which are %.6g a second: one of the three is of another run. What "
                              "follows is of the requests and the duration.",
                              ratio_double(s->rate_per_s), (unsigned long long)s->requests,
                              words_of_ns(s->duration_ns).text,
                              (double)s->requests / ((double)s->duration_ns / 1e9)));
    if (a->too_few)
        say(says, must_format("%llu request%s on %llu connections: not even one each, which is no "
                              "run that Little's law could be asked about.",
                              (unsigned long long)s->requests, s->requests == 1 ? "" : "s",
                              (unsigned long long)a->opened));
    if (a->above_max) {
        struct time_text mean = words_of_ns(s->mean_ns);
        say(says, must_format("The printed mean of %s is above the printed maximum of %s, which no "
                              "mean can be: they are not of one set of samples.",
                              mean.text, words_of_ns(s->max_ns).text));
    }
}

static void say_mean(struct says *says, const struct audit_summary *s, const struct audit *a)
{
    say(says, must_format("%llu connection%s at this throughput: the responses cannot average more "
                          "than %s each (Little's law, connections / throughput). The backlog is "
                          "never more than that much work.",
                          (unsigned long long)a->opened, a->opened == 1 ? "" : "s",
                          words_of(a->cap_ns).text));
    if (a->opened != s->connections)
        say(says, must_format("%llu threads share %llu connections: each opens %llu, %llu in all.",
                              (unsigned long long)s->threads, (unsigned long long)s->connections,
                              (unsigned long long)(a->opened / s->threads),
                              (unsigned long long)a->opened));
    if (s->mean_ns == 0)
        return;
    struct time_text mean_text = words_of_ns(s->mean_ns);
    const char *mean = mean_text.text;
    double times = fraction_double(a->inflation);
    if (a->above_cap)
        say(says, must_format("The printed mean of %s is %.4g times that, which no responses can "
                              "be: it is no mean of response times, but of samples that a "
                              "correction added, or of another stopwatch.",
                              mean, times));
    else if (a->at_cap)
        say(says,
            must_format("The printed mean of %s is that within 1 %%: it is only connections / "
                        "throughput, as in every closed loop without think time, and says "
                        "nothing that the throughput does not.",
                        mean));
    else
        say(says, must_format("The printed mean of %s is %.4g of that: for the rest of the time "
                              "connections were idle (think time), or held requests that were "
                              "never answered or not recorded.",
                              mean, times));
}

static void say_slow(struct says *says, const struct audit_summary *s, const struct audit *a)
{
    if (s->max_ns != 0 && !a->interval_ns.lost)
        say(says,
            must_format("A correction with an expected interval of %s makes %llu samples of "
                        "one response of %s: %llu of them never happened. The maximum itself "
                        "is a real wait.",
                        words_of(a->interval_ns).text, (unsigned long long)a->added_to_max + 1,
                        words_of_ns(s->max_ns).text, (unsigned long long)a->added_to_max));
    for (size_t i = 0; i < a->slow_count; i++) {
        const struct audit_slow *slow = &a->slow[i];
        struct time_text length_text = words_of_ns(slow->length_ns);
        const char *length = length_text.text;
        if (!slow->possible) {
            say(says, must_format("No number of responses of %s would lift a real mean of %s to "
                                  "the printed one.",
                                  length, words_of(a->real_mean_ns).text));
            continue;
        }
        double one_in = 1.0 / fraction_double(slow->share);
        if (slow->count.lost) {
            say(says, must_format("To lift a real mean of %s to the printed one, one response in "
                                  "%.6g must have taken %s.",
                                  words_of(a->real_mean_ns).text, one_in, length));
            continue;
        }
        say(says, must_format("To lift a real mean of %s to the printed one, at least %llu "
                              "responses (%.8g; one in %.6g) must have taken %s: pauses that each "
                              "catch every connection would have to be %llu.",
                              words_of(a->real_mean_ns).text, whole(fraction_ceiling(slow->count)),
                              fraction_double(slow->count), one_in, length,
                              whole(fraction_ceiling(slow->pauses))));
    }
}

static void say_pause(struct says *says, const struct audit_summary *s, const struct audit *a)
{
    if (s->max_ns != 0)
        say(says, a->longest_pause_ns.num > 0
                      ? must_format("Served first come, first served, the maximum of %s needs a "
                                    "time of %s in which nothing at all is answered, or requests "
                                    "that others overtake.",
                                    words_of_ns(s->max_ns).text, words_of(a->longest_pause_ns).text)
                      : must_format("The maximum of %s needs no pause: it is within what a full "
                                    "backlog takes.",
                                    words_of_ns(s->max_ns).text));
    if (s->pause_ns != 0)
        say(says, must_format("A pause of %s makes the worst response %s%s.",
                              words_of_ns(s->pause_ns).text, words_of(a->paused_ns).text,
                              s->max_ns == 0 ? ""
                              : fraction_less(a->paused_ns, fraction_whole((i128)s->max_ns))
                                  ? ", less than the printed maximum: it does not account for it"
                                  : ", which accounts for the printed maximum"));
    if (s->timeout_ns != 0)
        say(says, s->max_ns > s->timeout_ns
                      ? must_format("The maximum is above the timeout of %s: what timed out is "
                                    "among the responses, or the timeout was another.",
                                    words_of_ns(s->timeout_ns).text)
                      : must_format("What took longer than the timeout of %s is in no figure: "
                                    "percentiles and maximum describe the others.",
                                    words_of_ns(s->timeout_ns).text));
}

static void say_percentile(struct says *says, const struct audit_percentile *p,
                           const struct audit_rank *r)
{
    struct time_text value_text = words_of_ns(p->value_ns);
    const char *value = value_text.text;
    if (!r->beyond.lost)
        say(says,
            must_format("p%s of %s: %.6g requests lie beyond it (rank %llu, by the rule floor "
                        "plus one %llu)%s.",
                        p->text, value, fraction_double(r->beyond), (unsigned long long)r->nearest,
                        (unsigned long long)r->floor_plus_one,
                        r->supported || p->p.num == p->p.den
                            ? ""
                            : "; with fewer than ten it is decided by a handful, and not to "
                              "be published"));
    if (r->out_of_order)
        say(says, must_format("p%s of %s is below a lower percentile, or above the maximum: these "
                              "are not of one set of samples.",
                              p->text, value));
    if (r->mean_too_low)
        say(says, must_format("What lies beyond p%s alone makes the mean larger than the printed "
                              "one: these are not of one set of samples.",
                              p->text));
    if (!r->has_all_at_max)
        return;
    say(says,
        must_format("If every slow response were as long as the maximum, p%s would be %s (%s "
                    "as a fluid)%s.",
                    p->text, words_of(r->all_at_max_ns).text, words_of(r->all_at_max_fluid_ns).text,
                    !r->contradicts ? ", which agrees with what was printed"
                    : fraction_less(fraction_whole((i128)p->value_ns), r->all_at_max_ns)
                        ? "; printed is less, so the slow ones are more and shorter"
                        : "; printed is more, so more were slow than the mean tells"));
}

static struct says words(const struct audit_summary *s, const struct audit *a)
{
    struct says says = {0};
    say_contradictions(&says, s, a);
    say_mean(&says, s, a);
    say_slow(&says, s, a);
    say_pause(&says, s, a);
    for (size_t i = 0; i < s->percentile_count; i++)
        say_percentile(&says, &s->percentiles[i], &a->ranks[i]);
    return says;
}

static void says_free(struct says *says)
{
    for (size_t i = 0; i < says->count; i++)
        free(says->texts[i]);
    free(says->texts);
}

void audit_write_text(FILE *out, const struct audit_summary *summary, const struct audit *audit,
                      size_t width)
{
    struct says says = words(summary, audit);
    for (size_t i = 0; i < says.count; i++)
        paragraph_write(out, says.texts[i], 0, width);
    says_free(&says);
}

/* A number of 12 digits, or null. */
static void member(FILE *out, const char *key, struct fraction value)
{
    if (value.lost)
        fprintf(out, "\"%s\": null, ", key);
    else
        fprintf(out, "\"%s\": %.12g, ", key, fraction_double(value));
}

static const char *truth(bool value)
{
    return value ? "true" : "false";
}

static void write_slow(FILE *out, const struct audit_slow *slow)
{
    struct fraction one = fraction_whole(1), least = fraction_whole(fraction_ceiling(slow->count));
    fputc('{', out);
    member(out, "length_ns", fraction_whole((i128)slow->length_ns));
    member(out, "added", fraction_whole((i128)slow->added));
    member(out, "share", slow->share);
    member(out, "one_in", fraction_divide(one, slow->share));
    member(out, "count", slow->count);
    member(out, "least", slow->count.lost ? slow->count : least);
    member(out, "pauses", slow->pauses);
    fprintf(out, "\"possible\": %s}", truth(slow->possible));
}

static void write_rank(FILE *out, const struct audit_percentile *p, const struct audit_rank *r)
{
    struct fraction none = {.den = 1, .lost = true};
    fprintf(out, "\"%s\": {", p->text);
    member(out, "value_ns", fraction_whole((i128)p->value_ns));
    member(out, "beyond", r->beyond);
    member(out, "rank_nearest", r->beyond.lost ? none : fraction_whole((i128)r->nearest));
    member(out, "rank_floor_plus_one",
           r->beyond.lost ? none : fraction_whole((i128)r->floor_plus_one));
    fprintf(out, "\"supported\": %s, ", r->beyond.lost ? "null" : truth(r->supported));
    member(out, "all_at_max_ns", r->has_all_at_max ? r->all_at_max_ns : none);
    member(out, "all_at_max_fluid_ns", r->has_all_at_max ? r->all_at_max_fluid_ns : none);
    fprintf(out, "\"contradicts\": %s}",
            truth(r->contradicts || r->out_of_order || r->mean_too_low));
}

void audit_write_json(FILE *out, const struct audit_summary *summary, const struct audit *audit)
{
    struct says says = words(summary, audit);
    fputs("{\"duetime\": \"" DUETIME_VERSION "\", \"audit\": {", out);
    member(out, "connections", fraction_whole((i128)audit->opened));
    member(out, "requests", audit->requests);
    member(out, "little_cap_ns", audit->cap_ns);
    member(out, "inflation", audit->inflation);
    fprintf(out, "\"mean_above_cap\": %s, \"mean_is_cap\": %s, ", truth(audit->above_cap),
            truth(audit->at_cap));
    fprintf(out, "\"mean_above_max\": %s, \"rate_differs\": %s, \"too_few\": %s, ",
            truth(audit->above_max), truth(audit->rate_differs), truth(audit->too_few));
    member(out, "real_mean_ns", audit->real_mean_ns);
    member(out, "interval_ns", audit->interval_ns);
    member(out, "added_to_max", fraction_whole((i128)audit->added_to_max));
    member(out, "longest_pause_ns", audit->longest_pause_ns);
    member(out, "worst_with_pause_ns", audit->paused_ns);
    fputs("\"slow\": [", out);
    for (size_t i = 0; i < audit->slow_count; i++) {
        fputs(i ? ", " : "", out);
        write_slow(out, &audit->slow[i]);
    }
    fputs("], \"percentiles\": {", out);
    for (size_t i = 0; i < summary->percentile_count; i++) {
        fputs(i ? ", " : "", out);
        write_rank(out, &summary->percentiles[i], &audit->ranks[i]);
    }
    fputs("}, \"says\": [", out);
    for (size_t i = 0; i < says.count; i++) {
        fputs(i ? ", " : "", out);
        json_write_string(out, says.texts[i]);
    }
    fputs("]}}\n", out);
    says_free(&says);
}
