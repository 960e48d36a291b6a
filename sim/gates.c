/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "models/loads/load.h"
#include "sim/gates.h"

/* Thresholds.  Each gate states its own in its reason. */
#define RATE_LEAST 0.99  /* of the offered rate */
#define WINDOW_SHARE 0.5 /* of a window's requests above the run's p99 */
#define WINDOW_SHARE_LEAST 0.1
#define WINDOW_OF_ALL 0.25   /* of all requests above it */
#define WINDOW_MAX_ABOVE 1.1 /* times that p99 */
#define ANSWERED_LEAST 0.99  /* of the time in flight */

void gate_add(struct work *work, const char *name, size_t load, size_t recorder, bool passes,
              char *reason)
{
    struct result *result = work->result;
    if (result->gate_count % 8 == 0)
        result->gates = must_grow(result->gates, result->gate_count + 8, sizeof *result->gates);
    result->gates[result->gate_count++] = (struct gate_result){
        .name = name, .load = load, .recorder = recorder, .passes = passes, .reason = reason};
}

#define TEXT(number) #number
#define TEXT_OF(number) TEXT(number)

const char *gate_where(const struct work *work, size_t recorder)
{
    size_t load = work->plan->recorders[recorder].load;
    if (work_watched(work, recorder) == work->replications[load])
        return "";
    return work_watched(work, recorder) == 1
               ? " of the first replication"
               : " of the first " TEXT_OF(WATCHED_MORE) " replications";
}

static bool load_offers(const struct load_plan *load)
{
    struct open_load user;
    return load_kind(load->kind)->offers(load->kind.params, &user);
}

static void rate_gate(struct work *work, size_t load)
{
    const struct load_result *l = &work->result->loads[load];
    if (isnan(l->offered_per_s) || isnan(l->achieved_per_s) || l->offered_per_s <= 0.0)
        return;
    double share = l->achieved_per_s / l->offered_per_s;
    gate_add(
        work, "rate", load, NO_INDEX, share >= RATE_LEAST,
        must_format("achieved %.1f %% of the offered rate; at least 99 %% wanted", 100.0 * share));
}

static void closed_gate(struct work *work, size_t load)
{
    struct choice kind = work->plan->loads[load].kind;
    if (load_offers(&work->plan->loads[load]) || load_kind(kind)->in_flight_limit(kind.params) == 0)
        return;
    gate_add(
        work, "closed", load, NO_INDEX, false,
        must_copy("clients that wait for answers offer no rate: these percentiles do not say what "
                  "requests at a given rate would wait"));
}

/* Beyond capacity the response time climbs from quarter to quarter, by most of its own size. */
static void growing_gate(struct work *work, size_t load)
{
    const struct load_watch *watch = work_load_watch(work, load);
    double mean_ns[WATCH_QUARTERS];
    for (size_t q = 0; q < WATCH_QUARTERS; q++) {
        uint64_t count = 0;
        u128 sum_ns = 0;
        for (size_t k = 0; k < work->replications[load]; k++) {
            count += watch[k].quarter_count[q];
            sum_ns += watch[k].quarter_sum_ns[q];
        }
        if (count < GATE_REQUESTS_LEAST)
            return;
        mean_ns[q] = (double)sum_ns / (double)count;
    }
    bool climbs = mean_ns[1] > mean_ns[0] && mean_ns[2] > mean_ns[1] && mean_ns[3] > mean_ns[2];
    double average_ns = (mean_ns[0] + mean_ns[1] + mean_ns[2] + mean_ns[3]) / 4.0;
    bool passes = !climbs || mean_ns[3] - mean_ns[0] <= 0.5 * average_ns;
    gate_add(
        work, "growing", load, NO_INDEX, passes,
        must_format("mean response by quarter of the run %.4g, %.4g, %.4g, %.4g ms; it grows when "
                    "each is above the one before and the last above the first by half their mean",
                    mean_ns[0] / 1e6, mean_ns[1] / 1e6, mean_ns[2] / 1e6, mean_ns[3] / 1e6));
}

/* p99 of the send lag is above the limit exactly when more than n - ceil(0.99 n) are. */
static uint64_t late_allowed(const struct recorder_watch *watch)
{
    return watch->sends - (watch->sends * 99 + 99) / 100;
}

static void lag_gate(struct work *work, size_t recorder)
{
    const struct recorder_watch *watch = work_recorder_watch(work, recorder);
    if (watch->sends == 0 || !work->recorders[recorder].has_tail)
        return;
    char limit[32];
    duration_format(watch->lag_limit_ns, limit);
    bool passes = watch->late_sends <= late_allowed(watch);
    gate_add(work, "send-lag", work->plan->recorders[recorder].load, recorder, passes,
             must_format("%s%.2f %% of requests%s left more than %s late; more than 1 %% is too "
                         "many (the limit is 100 ms, or a tenth of p99)",
                         passes ? "" : "INVALID: ",
                         100.0 * (double)watch->late_sends / (double)watch->sends,
                         gate_where(work, recorder), limit));
}

/* Real samples expected beyond a percentile; where they come in clusters, clusters. */
double gate_beyond(const struct work *work, size_t recorder, size_t i)
{
    const struct cell *cell = &work->result->recorders[recorder].cells[i];
    struct ratio p = work->plan->report.percentiles[i].p;
    double q = (double)(p.den - p.num) / (double)p.den;
    double real = (double)work->first.recorders[recorder].found.tally.requests * q;
    return cell->check == CHECK_STATISTICAL || cell->check == CHECK_TOO_FEW
               ? fmin(real, isnan(cell->clusters) ? real : cell->clusters)
               : real;
}

static void samples_gate(struct work *work, size_t recorder)
{
    const struct report_plan *report = &work->plan->report;
    double least = INFINITY;
    size_t where = 0;
    for (size_t i = 0; i < report->percentile_count; i++) {
        if (report->percentiles[i].p.num == report->percentiles[i].p.den)
            continue;
        double real = gate_beyond(work, recorder, i);
        if (real < least) {
            least = real;
            where = i;
        }
    }
    if (isinf(least))
        return;
    gate_add(work, "samples", work->plan->recorders[recorder].load, recorder,
             least >= GATE_SAMPLES_LEAST,
             must_format("%.1f real samples (in clusters) expected beyond p%s; at least 10 wanted",
                         least, report->percentiles[where].text));
}

/* Whether the recorder's samples are the times in flight of its load's answered requests. */
static bool times_in_flight(const struct work *work, size_t recorder)
{
    const struct recorder_plan *plan = &work->plan->recorders[recorder];
    bool closed = !load_offers(&work->plan->loads[plan->load]);
    return work->result->recorders[recorder].mean.kind == FIGURE_REAL && plan->warmup_ns == 0 &&
           plan->part == PART_NONE && plan->to == INSTANT_FINISHED &&
           (plan->from == INSTANT_SENT || closed) && plan->from != INSTANT_STARTED;
}

/* N in flight at most: the mean time in system cannot exceed N times the run over the answers. */
static void little_gate(struct work *work, size_t recorder)
{
    const struct recorder_plan *plan = &work->plan->recorders[recorder];
    const struct recorder_result *found = &work->result->recorders[recorder];
    const struct load_result *load = &work->result->loads[plan->load];
    struct choice kind = work->plan->loads[plan->load].kind;
    uint64_t n = load_kind(kind)->in_flight_limit(kind.params);
    if (n == 0 || load->answered == 0 || !times_in_flight(work, recorder))
        return;
    double run_ns = 0.0;
    const struct pass_load *first = &work->first.loads[plan->load];
    for (size_t k = 0; k < first->replications; k++)
        run_ns += (double)first->totals[k].end_ns;
    double most_ns = (double)n * run_ns / (double)load->answered;
    gate_add(work, "little", plan->load, recorder, found->mean.real <= most_ns * (1.0 + 1e-12),
             must_format("mean %.6g ms; %llu in flight at this throughput allow %.6g ms",
                         found->mean.real / 1e6, (unsigned long long)n, most_ns / 1e6));
}

/* Little's law from the other side: where the answered requests do not make up the time in flight,
   the rest was spent by requests that nobody recorded, and those are the slow ones. */
static void unanswered_gate(struct work *work, size_t recorder)
{
    const struct recorder_plan *plan = &work->plan->recorders[recorder];
    const struct recorder_result *found = &work->result->recorders[recorder];
    const struct load_result *load = &work->result->loads[plan->load];
    if (load->in_flight_at_end == 0 || found->added != 0 || !times_in_flight(work, recorder))
        return;
    double area = 0.0;
    const struct pass_load *first = &work->first.loads[plan->load];
    for (size_t k = 0; k < first->replications; k++)
        area += (double)first->totals[k].flight_area;
    double share = area > 0.0 ? found->mean.real * (double)found->count / area : 1.0;
    gate_add(work, "unanswered", plan->load, recorder, share >= ANSWERED_LEAST,
             must_format("the recorded requests make up %.3g %% of the time in flight, and %llu "
                         "were in flight at the end; below 99 %% the rest, which nobody recorded, "
                         "is too much",
                         100.0 * share, (unsigned long long)load->in_flight_at_end));
}

/* A window of which most is slower than the run's p99; or a good part of it, while that is a good
   part of everything so slow and the maximum lies well above: then that tail is this window. */
static bool hides(const struct watch_window *window, double all_above, bool max_above)
{
    double above = (double)window->above, count = (double)window->count;
    bool is_the_tail = above >= WINDOW_OF_ALL * all_above && max_above;
    return above > WINDOW_SHARE * count || (above > WINDOW_SHARE_LEAST * count && is_the_tail);
}

/* The window of which the most is slower than the run's p99, those that are hidden before others.
 */
struct worst_window {
    size_t at;
    double share;
    bool hidden;
};

static struct worst_window find_worst(const struct work *work, size_t recorder)
{
    const struct recorder_watch *watch = work_recorder_watch(work, recorder);
    ns_t max_ns = work->first.recorders[recorder].found.tally.max_ns;
    bool max_above = (double)max_ns > WINDOW_MAX_ABOVE * (double)watch->tail_ns;
    struct worst_window worst = {0, 0.0, false};
    double all_above = 0.0;
    for (size_t w = 0; w < watch->window_count; w++)
        all_above += (double)watch->windows[w].above;
    for (size_t w = 0; w < watch->window_count; w++) {
        const struct watch_window *window = &watch->windows[w];
        if (window->count < GATE_REQUESTS_LEAST)
            continue;
        double share = (double)window->above / (double)window->count;
        bool hidden = window->above >= GATE_REQUESTS_LEAST && hides(window, all_above, max_above);
        if (hidden > worst.hidden || (hidden == worst.hidden && share > worst.share))
            worst = (struct worst_window){w, share, hidden};
    }
    return worst;
}

static void window_gate(struct work *work, size_t recorder)
{
    ns_t width_ns = work_recorder_watch(work, recorder)->width_ns;
    if (!work->recorders[recorder].has_tail)
        return;
    struct worst_window worst = find_worst(work, recorder);
    char begin[32], width[32];
    duration_format(worst.at * width_ns, begin);
    duration_format(width_ns, width);
    gate_add(work, "window", work->plan->recorders[recorder].load, recorder, !worst.hidden,
             must_format("%.1f %% of the requests due in the %s from %s%s took longer than the "
                         "whole run's p99; more than 50 %%, or 10 %% that are a quarter of all so "
                         "slow, mean that the run hides that window",
                         100.0 * worst.share, width, begin, gate_where(work, recorder)));
}

bool work_watch_alarms(const struct work *work, size_t recorder)
{
    const struct recorder_watch *watch = work_recorder_watch(work, recorder);
    return work->recorders[recorder].has_tail &&
           (watch->late_sends > late_allowed(watch) || find_worst(work, recorder).hidden ||
            gate_neighbour_coincides(work, recorder));
}

void work_fill_gates(struct work *work)
{
    for (size_t i = 0; i < work->plan->load_count; i++) {
        rate_gate(work, i);
        growing_gate(work, i);
        closed_gate(work, i);
        gates_of_load(work, i);
    }
    for (size_t r = 0; r < work->plan->recorder_count; r++) {
        lag_gate(work, r);
        samples_gate(work, r);
        little_gate(work, r);
        unanswered_gate(work, r);
        window_gate(work, r);
        gates_of_recorder(work, r);
    }
}
