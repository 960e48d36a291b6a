/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/report_text.h"
#include "tools/report/figures.h"
#include "tools/report/findings.h"
#include "tools/report/report.h"
#include "tools/report/utf8.h"

#define HOSTILE "a\"b|c,d\ne\x1b[31mf\xc2\x9bg<h>\xff\xe2\x80\xaei"

static void the_reference_figures_are_printed_in_us_to_the_digit(void **state)
{
    (void)state;
    struct made_result *m = made_result();
    char *text = report_as(m, FORMAT_MARKDOWN);
    assert_contains(text, "| times in us |");
    assert_line(text, "| p50 ",
                "| p50 | 100.0 (1.00; = holds) | 100.0 (1.00; = holds) | "
                "100.0 (1.00; = holds) |");
    assert_line(text, "| p90 ",
                "| p90 | 100.0 (0.000666; = holds) | 150100.0 (1.00; = holds) | "
                "80300.0 (0.535; = holds) |");
    assert_line(text, "| p99.9 ",
                "| p99.9 | 100.0 (0.000501; = holds) | 199600.0 (1.00; = holds) "
                "| 198900.0 (0.996; = holds) |");
    assert_line(text, "| share above 1ms ",
                "| share above 1ms | 0.0200 % | 39.8200 % | 16.6028 % |");
    assert_line(text, "| sum, s ",
                "| sum, s | 14.000 (= holds) | 4012.000 (= holds) | 2013.998 (= holds) |");
    assert_line(text, "| n added ", "| n added | 0 | 0 | 19980 |");
    free(text);
    free(m);
}

static void three_recorders_stand_side_by_side_at_100_columns(void **state)
{
    (void)state;
    struct made_result *m = made_result();
    char *text = report_as(m, FORMAT_TEXT);
    assert_int_equal(count_of(text, "\np99.9 "), 1);
    char *line = line_of(text, "max ");
    assert_int_equal(count_of(line, "200100.0"), 3);
    assert_int_equal(count_of(line, "= holds"), 3);
    free(line);
    free(text);
    free(m);
}

static void assert_no_line_wider(const char *text, size_t width)
{
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, "\n");
        char *line = must_format("%.*s", (int)length, at);
        if (utf8_width(line) > width)
            fail_msg("%zu columns, at most %zu allowed: %s", utf8_width(line), width, line);
        if (length > 0 && line[length - 1] == ' ')
            fail_msg("a line ends in a blank: \"%s\"", line);
        free(line);
        at += length + (at[length] == '\n');
    }
}

static void no_line_is_wider_than_asked(void **state)
{
    (void)state;
    static const size_t widths[] = {80, 100, 120, 250};
    static char *const names[] = {
        "a", "closed loop, from send, of a name that is far longer than any column can be",
        "onewordthatcannotbebrokenanywhereandislongerthantheeightycolumnsofanarrowterminalwindow",
        "\xc3\xa9\xc3\xa0 \xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x98\x80",
        HOSTILE};
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++)
        for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
            struct made_result *m = made_result();
            for (size_t i = 0; i <= n % MADE_RECORDERS; i++)
                m->recorders[i].name = names[n];
            m->loads[0].name = names[n];
            m->plan.title = names[n];
            m->above.text = "123456789.123456789ms";
            m->cells[1][1].value.exact.ns = NS_LIMIT - 1;
            m->cells[1][1].ratio = 1e300;
            char *text =
                report_written(m, (struct report_style){.width = widths[w], .first = true});
            assert_no_line_wider(text, widths[w]);
            free(text);
            free(m);
        }
}

static void what_is_unknown_is_an_empty_cell_and_null_but_never_0(void **state)
{
    (void)state;
    struct made_result *m = made_result();
    for (size_t i = 0; i < MADE_RECORDERS; i++) {
        m->cells[i][1] = (struct cell){.check = CHECK_NONE,
                                       .why = "no sample",
                                       .detectable = NAN,
                                       .clusters = NAN,
                                       .p_value = NAN,
                                       .wander = NAN,
                                       .ratio = NAN};
        m->recorder_results[i].mean = (struct figure){0};
        m->recorder_results[i].sum.known = false;
        m->above_results[i].share = NAN;
    }
    m->load_results[0].offered_per_s = NAN;
    m->load_results[0].has_answer = false;
    char *text = report_as(m, FORMAT_MARKDOWN);
    assert_line(text, "| p90 ", "| p90 | (no law) | (no law) | (no law) |");
    assert_line(text, "| mean ", "| mean |  |  |  |");
    assert_line(text, "| share above 1ms ", "| share above 1ms |  |  |  |");
    assert_line(text, "| offered", "| offered, per s |  | 5000 |  |");
    free(text);
    text = report_as(m, FORMAT_TEXT);
    assert_line(text, "mean", "mean");
    free(text);
    text = report_as(m, FORMAT_CSV);
    assert_contains(text, "made.json,\"open loop, from due\",open,p90,ns,,,none,,,,\n");
    assert_contains(text, "made.json,,one connection,offered,per s,,,,,,,\n");
    free(text);
    text = report_as(m, FORMAT_JSON);
    assert_contains(text, "\"90\": {\"value_ns\": null, \"at_least_ns\": null, "
                          "\"infinite\": false, \"law_ns\": null, \"check\": \"none\", "
                          "\"holds\": null, \"why\": \"no sample\", \"detectable\": null");
    assert_contains(text, "\"mean_ns\": null, \"sum_ns\": null");
    assert_contains(text, "\"one connection\": {\"offered_per_s\": null");
    assert_contains(text, "\"last_answer_ns\": null");
    assert_null(strstr(text, "nan"));
    free(text);
    free(m);
}

static void an_infinite_value_is_inf_and_one_beyond_the_store_is_at_least(void **state)
{
    (void)state;
    struct made_result *m = made_result();
    m->cells[0][4].infinite = true;
    m->cells[0][4].ratio = INFINITY;
    m->cells[1][4].value = (struct figure){0};
    m->cells[1][4].at_least = figure_of_ns(10000);
    char *text = report_as(m, FORMAT_MARKDOWN);
    assert_contains(text, "| max | inf (inf; = holds) | >= 10.0 (1.00; = holds) |");
    free(text);
    text = report_as(m, FORMAT_JSON);
    assert_contains(text, "\"100\": {\"value_ns\": null, \"at_least_ns\": null, "
                          "\"infinite\": true");
    assert_contains(text, "\"100\": {\"value_ns\": null, \"at_least_ns\": 10000");
    assert_null(strstr(text, ": inf"));
    free(text);
    text = report_as(m, FORMAT_CSV);
    assert_contains(text, "p100,ns,inf,200100000,exact");
    assert_contains(text, "p100 at least,ns,10000,");
    free(text);
    free(m);
}

static void json_numbers_past_2_to_the_53_are_strings(void **state)
{
    (void)state;
    struct made_result *m = made_result();
    m->plan.run.seed = UINT64_MAX;
    m->recorder_results[0].sum.ns = (u128)1 << 53;
    m->recorder_results[1].sum.ns = ((u128)1 << 53) + 1;
    m->recorder_results[2].sum.ns = (u128)1 << 100;
    m->cells[0][0].value = (struct figure){.kind = FIGURE_EXACT, .exact = {1234567, 250}};
    m->cells[0][1].law = (struct figure){.kind = FIGURE_REAL, .real = 1e9 / 3};
    char *text = report_as(m, FORMAT_JSON);
    assert_contains(text, "\"seed\": \"18446744073709551615\"");
    assert_contains(text, "\"sum_ns\": 9007199254740992,");
    assert_contains(text, "\"sum_ns\": \"9007199254740993\"");
    assert_contains(text, "\"sum_ns\": \"1267650600228229401496703205376\"");
    assert_contains(text, "\"value_ns\": 1234567.25,");
    assert_contains(text, "\"law_ns\": 333333333.333,");
    free(text);
    free(m);
}

static void hostile_names_break_no_format_and_reach_no_terminal(void **state)
{
    (void)state;
    struct made_result *m = made_result();
    m->recorders[0].name = m->loads[0].name = m->plan.title = m->plan.file = HOSTILE;
    m->gates[1].reason = HOSTILE;
    for (enum report_format f = FORMAT_TEXT; f <= FORMAT_JSON; f++) {
        char *text = report_as(m, f);
        for (const char *at = text; *at; at++)
            if ((unsigned char)*at < 0x20 && *at != '\n')
                fail_msg("control character %d in format %d", *at, (int)f);
        assert_null(strstr(text, "\xc2\x9b"));
        assert_null(strstr(text, "\xe2\x80\xae"));
        free(text);
    }
    char *text = report_as(m, FORMAT_JSON);
    assert_contains(text, "\"a\\\"b|c,d\\u000ae\\u001b[31mf\\u009bg<h>\xef\xbf\xbd");
    assert_int_equal(count_of(text, "\n"), 1);
    free(text);
    text = report_as(m, FORMAT_CSV);
    assert_contains(text, ",\"a\"\"b|c,d\ne\\u001b[31mf\\u009bg<h>");
    free(text);
    free(m);
}

static void every_row_of_a_markdown_table_has_as_many_cells_as_its_head(void **state)
{
    (void)state;
    struct made_result *m = made_result();
    m->recorders[0].name = m->loads[0].name = HOSTILE;
    char *text = report_as(m, FORMAT_MARKDOWN);
    size_t rows = 0;
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, "\n"), bars = 0;
        for (size_t i = 0; i < length; i++)
            bars += at[i] == '|' && (i == 0 || at[i - 1] != '\\');
        if (at[0] == '|') {
            rows++;
            assert_int_equal(bars, MADE_RECORDERS + 2);
        }
        at += length + (at[length] == '\n');
    }
    assert_true(rows > 20);
    free(text);
    free(m);
}

static void every_csv_row_has_the_columns_of_its_header_and_the_header_stands_once(void **state)
{
    (void)state;
    struct made_result *m = made_result();
    char *text = report_as(m, FORMAT_CSV);
    size_t fields = 1, lines = 0;
    bool quoted = false;
    for (const char *at = text; *at; at++) {
        quoted = quoted != (*at == '"');
        fields += *at == ',' && !quoted;
        if (*at == '\n' && !quoted) {
            assert_int_equal(fields, 12);
            fields = 1;
            lines++;
        }
    }
    assert_int_equal(lines, 1 + 2 * 13 + MADE_RECORDERS * (MADE_PERCENTILES + 8));
    free(text);
    text = report_written(m, (struct report_style){.format = FORMAT_CSV, .first = false});
    assert_null(strstr(text, "scenario,recorder"));
    free(text);
    free(m);
}

static void colour_is_there_only_when_asked_for(void **state)
{
    (void)state;
    struct made_result *m = made_result();
    char *plain = report_as(m, FORMAT_TEXT);
    assert_null(strchr(plain, '\033'));
    char *painted =
        report_written(m, (struct report_style){.width = 100, .colour = true, .first = true});
    assert_non_null(strstr(painted, "\033[32m= holds\033[0m"));
    free(plain);
    free(painted);
    free(m);
}

static void a_failed_check_shows_in_its_cell_in_the_verdict_and_in_the_count(void **state)
{
    (void)state;
    struct made_result *m = made_result();
    m->cells[1][2].holds = VERDICT_FAILS;
    m->cells[1][2].law.exact.ns += 1;
    m->result.holds = VERDICT_FAILS;
    struct findings findings;
    findings_collect(&m->result, &findings);
    struct finding_counts n = findings_count(&findings);
    assert_int_equal(n.failed, 1);
    assert_int_equal(n.failed_gates, 1);
    assert_int_equal(n.exact, MADE_RECORDERS * MADE_PERCENTILES);
    assert_int_equal(n.judged, MADE_RECORDERS * (MADE_PERCENTILES + 2) + 2);
    findings_free(&findings);
    char *text = report_as(m, FORMAT_TEXT);
    assert_contains(text, "195100.0    1.00 = FAILS");
    assert_contains(text, "\nFAILS: 1 of 23 checks");
    free(text);
    free(m);
}

static void laws_without_a_run_print_no_measured_figure(void **state)
{
    (void)state;
    struct made_result *m = made_result();
    m->result.law_only = true;
    char *text = report_as(m, FORMAT_JSON);
    assert_contains(text, "\"count\": null, \"added\": null");
    assert_contains(text, "\"sent\": null");
    free(text);
    text = report_as(m, FORMAT_MARKDOWN);
    assert_line(text, "| p90 ",
                "| p90 | 100.0 (150100.0) | 150100.0 (150100.0) | "
                "80300.0 (150100.0) |");
    assert_null(strstr(text, "n real"));
    free(text);
    free(m);
}

static void detectable_errors_stand_in_the_table_of_a_statistical_check(void **state)
{
    (void)state;
    struct made_result *m = made_result();
    m->cells[0][0].check = CHECK_STATISTICAL;
    m->cells[0][0].detectable = 0.0123456;
    m->cells[0][1].check = CHECK_STATISTICAL; /* null: none below 100 % */
    m->cells[0][2].check = CHECK_TOO_FEW;
    m->cells[0][2].why = "3 clusters of 200";
    m->cells[0][2].holds = VERDICT_UNKNOWN;
    char *text = report_as(m, FORMAT_MARKDOWN);
    assert_contains(text, "| p50 | 100.0 (1.00; ~ holds) |");
    assert_contains(text, "| p50 detects | 1.23 % |  |  |");
    assert_contains(text, "| p90 detects | none below 100 % |  |  |");
    assert_contains(text, "| p99 | 100.0 (0.000513; too few) |");
    assert_contains(text, "p99: 3 clusters of 200");
    free(text);
    free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_figures_are_printed_in_us_to_the_digit),
        cmocka_unit_test(three_recorders_stand_side_by_side_at_100_columns),
        cmocka_unit_test(no_line_is_wider_than_asked),
        cmocka_unit_test(what_is_unknown_is_an_empty_cell_and_null_but_never_0),
        cmocka_unit_test(an_infinite_value_is_inf_and_one_beyond_the_store_is_at_least),
        cmocka_unit_test(json_numbers_past_2_to_the_53_are_strings),
        cmocka_unit_test(hostile_names_break_no_format_and_reach_no_terminal),
        cmocka_unit_test(every_row_of_a_markdown_table_has_as_many_cells_as_its_head),
        cmocka_unit_test(every_csv_row_has_the_columns_of_its_header_and_the_header_stands_once),
        cmocka_unit_test(colour_is_there_only_when_asked_for),
        cmocka_unit_test(a_failed_check_shows_in_its_cell_in_the_verdict_and_in_the_count),
        cmocka_unit_test(laws_without_a_run_print_no_measured_figure),
        cmocka_unit_test(detectable_errors_stand_in_the_table_of_a_statistical_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
