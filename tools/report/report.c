/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/report/report.h"

#include "models/base/error.h"

void report_write(FILE *out, const struct result *result, const struct report_style *style)
{
    switch (style->format) {
    case FORMAT_TEXT: report_text(out, result, style); return;
    case FORMAT_MARKDOWN: report_markdown(out, result, style); return;
    case FORMAT_CSV: report_csv(out, result, style); return;
    case FORMAT_JSON: report_json(out, result, style); return;
    case FORMAT_HGRM:
    case FORMAT_HLOG: break;
    }
    BUG("format outside its enum");
}
