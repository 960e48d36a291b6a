/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/report/xml.h"

#include <stdlib.h>

#include "tools/report/utf8.h"

/* clean text is free of controls, so these five are all that XML needs. */
static void xml_write(FILE *out, const char *clean)
{
    for (; *clean; clean++)
        switch (*clean) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '"': fputs("&quot;", out); break;
        default: fputc(*clean, out);
        }
}

void xml_attribute(FILE *out, const char *key, const char *text)
{
    char *clean = utf8_clean(text);
    fprintf(out, " %s=\"", key);
    xml_write(out, clean);
    fputc('"', out);
    free(clean);
}
