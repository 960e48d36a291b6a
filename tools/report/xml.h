/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUETIME_XML_H
#define DUETIME_XML_H

/* What JUnit XML is made of. */

#include <stdio.h>

/* A blank, the key and the text in quotes; whatever the text holds, it stays one. */
void xml_attribute(FILE *out, const char *key, const char *text);

#endif
