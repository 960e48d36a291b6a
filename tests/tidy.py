#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of the house, checked: usage: tidy.py SOURCE-ROOT BUILD-ROOT; speaks TAP.

Each rule is a function that returns complaints.  Each has a canary: a small bad example that it
must complain about, so that a rule which no longer looks at anything fails.  The rules about what
is built are in tidy_build.py.
"""
import json
import os
import re
import sys

import tidy_build
from tap import Tap

FILE_LINES_MOST = 400
FUNCTION_LINES_MOST = 60
COLUMNS_MOST = 100

# Which headers a file may include, by where it stands: the first prefix that fits decides.
# A kind of variant sees its own header and those of the kinds its parameters hold; to say which
# sets those are it may name registry.h, which declares the sets and includes no kind.
BASE = ('models/base/',)
VARIANT = BASE + ('models/variant.h',)
KIND = VARIANT + ('models/plan.h', 'models/registry.h')
LAYERS = (
    ('models/base/', BASE),
    ('models/variant.h', VARIANT),
    ('models/plan.', VARIANT + ('models/plan.h',)),
    ('models/chance.', ('models/',)),
    ('models/registry', ('models/', 'registry_list.h')),
    ('models/laws/', ('models/', 'registry_list.h')),
    ('models/arrivals/', KIND + ('models/arrivals/', 'models/distributions/')),
    ('models/schedulers/', KIND + ('models/schedulers/', 'models/policies/',
                                      'models/arrivals/')),
    ('models/policies/', KIND + ('models/policies/', 'models/arrivals/')),
    ('models/loads/', KIND + ('models/loads/', 'models/policies/', 'models/arrivals/',
                                 'models/distributions/')),
    ('models/distributions/', KIND + ('models/distributions/',)),
    ('models/queues/', KIND + ('models/queues/',)),
    ('models/routing/', KIND + ('models/routing/',)),
    ('models/stalls/', KIND + ('models/stalls/',)),
    ('models/corrections/', KIND + ('models/corrections/',)),
    ('models/stores/', KIND + ('models/stores/',)),
    ('models/experiments/', KIND + ('models/experiments/', 'models/distributions/')),
    ('models/ranks/', KIND + ('models/ranks/',)),
    ('models/faults/', KIND + ('models/faults/', 'models/ranks/', 'models/corrections/')),
    ('models/', ()),
    ('sim/', ('models/', 'sim/')),
    ('tools/report/', ('models/', 'tools/report/', 'sim/result.h', 'sim/scenario/reader.h')),
    ('tools/', ('models/', 'sim/', 'tools/')),
    ('tests/', ('models/', 'sim/', 'tools/', 'tests/', 'registry_list.h')),
)
# For others to copy: they know nothing of us.
EXAMPLES = 'tools/examples/'
CJSON_SEEN_BY = ('sim/scenario/', 'tests/')
# The main program switches off GSL's habit of ending the process.
GSL_SEEN_BY = ('models/laws/', 'sim/check', 'tools/duetime.c', 'tests/')
LIBM_CALLED_BY = ('models/laws/', 'sim/check', 'tools/report/', 'tests/')
LIBM = 'exp|exp2|expm1|log|log2|log10|log1p|pow|cbrt|hypot|fma|sin|cos|tan|tgamma|lgamma|erf|erfc'
CLOCKS = ('time|clock|clock_gettime|gettimeofday|timespec_get|ftime|nanosleep|'
          'rand|srand|random|srandom')

# Words that do not belong: unfinished work, and places on somebody's machine.
UNWANTED = re.compile('|'.join((r'\bTO' r'DO\b', r'\bFIX' r'ME\b', r'\bXX' r'X\b', r'\bHA' r'CK\b',
                                r'(?<![\w.])/(?:ho' r'me|ro' r'ot|wo' r'rk)/')))
SOURCES = ('models', 'sim', 'tools', 'tests')


def read(root, path):
    with open(os.path.join(root, path), encoding='utf-8') as file:
        return file.read()


def tree(root):
    """Every file of the project, relative, but for builds, git's own and generated ones."""
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith('build') and
                      name not in ('.git', '__pycache__')]
        for name in files:
            yield os.path.relpath(os.path.join(folder, name), root).replace(os.sep, '/')


def sources(files, endings):
    return {path: text for path, text in files.items()
            if path.split('/')[0] in SOURCES and path.endswith(endings)}


def without_comments(text):
    """C text with comments and the inside of strings blanked; lines stay."""
    def blank(match):
        return re.sub(r'[^\n]', ' ', match.group(0))
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', blank, text, flags=re.S)


def includes(text):
    return re.findall(r'^\s*#\s*include\s*([<"][^>"]+[>"])', text, flags=re.M)


def layers(files):
    """nothing includes anything above it, or another variant"""
    bad = []
    for path, text in sources(files, ('.c', '.h')).items():
        if path.startswith(EXAMPLES):
            continue
        allowed = next((seen for prefix, seen in LAYERS if path.startswith(prefix)), ())
        for name in includes(text):
            if name[0] == '<':
                continue
            header = name[1:-1]
            if header.endswith('.c'):
                bad.append(f'{path}: includes the source file {header}')
            elif '/' not in header and header != 'registry_list.h':
                bad.append(f'{path}: {header} is not named from the root')
            elif not header.startswith(allowed):
                bad.append(f'{path}: may not include {header}')
    return bad


layers.canaries = (
    {'models/laws/a.c': '#include "sim/result.h"\n'},
    {'models/loads/open.c': '#include "models/laws/law.h"\n'},
    {'models/base/time.c': '#include "models/variant.h"\n'},
    {'models/registry.h': '#include "sim/run.h"\n'},
    {'models/stores/a.c': '#include "models/stores/exact.c"\n'},
    {'sim/run.c': '#include "tools/options.h"\n'},
    {'tools/report/csv.c': '#include "sim/engine.h"\n'},
)


def libraries(files):
    """only the reader sees cJSON, only laws and checks see GSL and the functions of libm"""
    bad = []
    for path, text in sources(files, ('.c', '.h')).items():
        for name in includes(text):
            if 'cJSON' in name and not path.startswith(CJSON_SEEN_BY):
                bad.append(f'{path}: includes {name}')
            if 'gsl/' in name and not path.startswith(GSL_SEEN_BY):
                bad.append(f'{path}: includes {name}')
        if not path.startswith(LIBM_CALLED_BY):
            # A distribution's tail is what laws are made of; no draw passes through it.
            code = re.sub(r'^static double tail\(.*?^}', '', without_comments(text),
                          flags=re.S | re.M)
            for call in re.findall(rf'(?<![\w.>])({LIBM})f?\s*\(', code):
                bad.append(f'{path}: calls {call}, whose last bit depends on the machine')
    return bad


libraries.canaries = (
    {'sim/run.c': '#include <cjson/cJSON.h>\n'},
    {'sim/engine.c': '#include <gsl/gsl_cdf.h>\n'},
    {'models/distributions/a.c': 'double f(double x) { return log(x); }\n'},
)


def clocks(files):
    """no clock of the machine and no random numbers of the machine in models/ and sim/"""
    bad = []
    for path, text in sources(files, ('.c', '.h')).items():
        if not path.startswith(('models/', 'sim/')):
            continue
        for name in includes(text):
            if name in ('<time.h>', '<sys/time.h>'):
                bad.append(f'{path}: includes {name}')
        for call in re.findall(rf'(?<![\w.>])({CLOCKS})\s*\(', without_comments(text)):
            bad.append(f'{path}: calls {call}')
    return bad


clocks.canaries = (
    {'sim/a.c': '#include <time.h>\n'},
    {'models/loads/a.c': 'void f(void) { srand(1); }\n'},
    {'sim/a.c': 'long f(void) { return time(NULL); }\n'},
)


def lengths(files):
    """files, functions and lines are short"""
    bad = []
    for path, text in sources(files, ('.c', '.h', '.py')).items():
        lines = text.split('\n')
        if len(lines) - 1 > FILE_LINES_MOST:
            bad.append(f'{path}: {len(lines) - 1} lines, {FILE_LINES_MOST} at most')
        begin = None
        for number, line in enumerate(lines, 1):
            if len(line) > COLUMNS_MOST:
                bad.append(f'{path}:{number}: {len(line)} columns, {COLUMNS_MOST} at most')
            if path.endswith('.c') and line == '{':
                begin = number
            elif line == '}' and begin is not None:
                if number - begin - 1 > FUNCTION_LINES_MOST:
                    bad.append(f'{path}:{begin}: a function of {number - begin - 1} lines, '
                               f'{FUNCTION_LINES_MOST} at most')
                begin = None
    return bad


lengths.canaries = (
    {'sim/a.c': 'int x;\n' * 401},
    {'sim/a.c': 'int ' + 'x' * 97 + ';\n'},
    {'sim/a.c': 'int f(void)\n{\n' + '    f();\n' * 61 + '}\n'},
)


def layout(files):
    """no tabs, no blanks at the end of a line, one line end at the end of a file"""
    bad = []
    for path, text in files.items():
        if path.startswith('results/') or path.endswith('LICENSE') or '/' not in path:
            continue
        if '\t' in text and not path.endswith('.go'):  # whose own formatter wants them
            bad.append(f'{path}: a tab')
        for number, line in enumerate(text.split('\n'), 1):
            if line != line.rstrip():
                bad.append(f'{path}:{number}: a blank at the end of the line')
        if text and (not text.endswith('\n') or text.endswith('\n\n')):
            bad.append(f'{path}: does not end with one line end')
    return bad


layout.canaries = (
    {'sim/a.c': '\tint x;\n'}, {'sim/a.c': 'int x; \n'}, {'sim/a.c': 'int x;'},
    {'scenarios/a.json': '{}\n\n'},
)


def licences(files):
    """every source file names its licence; the data folders carry theirs"""
    bad = []
    for path, text in files.items():
        script = path.split('/')[0] in ('tools', '.ci') and '.' not in os.path.basename(path)
        code = ('.c', '.h', '.py', '.js', '.go', '.sh', 'meson.build')
        if path.endswith(code) or script:
            licence = '0BSD' if path.startswith(EXAMPLES) else 'GPL-3.0-or-later'
            if f'SPDX-License-Identifier: {licence}' not in '\n'.join(text.split('\n')[:2]):
                bad.append(f'{path}: no SPDX line of {licence} among the first two')
    for folder in ('scenarios', 'results', 'tools/examples'):
        inside = [path for path in files if path.startswith(folder + '/')]
        if inside and '0BSD' not in files.get(folder + '/LICENSE', ''):
            bad.append(f'{folder}: no 0BSD LICENSE')
    return bad


licences.canaries = (
    {'sim/a.c': 'int x;\n'}, {'tools/run': '#!/bin/sh\n'}, {'scenarios/a.json': '{}\n'},
    {'tools/examples/a.c': '/* SPDX-License-Identifier: GPL-3.0-or-later */\n',
     'tools/examples/LICENSE': '0BSD\n'},
)


def words(files):
    """no unfinished work, no place on somebody's machine"""
    bad = []
    for path, text in files.items():
        for number, line in enumerate(text.split('\n'), 1):
            found = UNWANTED.search(line)
            if found:
                bad.append(f'{path}:{number}: {found.group(0)}')
    return bad


words.canaries = (
    {'sim/a.c': '/* TO' 'DO: later */\n'}, {'README.md': 'see /wo' 'rk/main\n'},
)


def scenarios(files):
    """every scenario has a title, two lines about it, its claims, and what it must print"""
    bad = []
    for path, text in files.items():
        if not re.fullmatch(r'scenarios/[^/]+\.json', path) or path.endswith('/schema.json'):
            continue
        scenario = json.loads(text)
        if not scenario.get('title') or not scenario.get('claims'):
            bad.append(f'{path}: no title or no claims')
        about = scenario.get('about')
        if not isinstance(about, list) or len(about) != 2:
            bad.append(f'{path}: about is not two lines')
        if not any(scenario.get('expect', {}).values()):
            bad.append(f'{path}: expects nothing')
    return bad


scenarios.canaries = (
    {'scenarios/a.json': '{"title": "t", "claims": ["S1-1"], "about": ["one"],'
                         ' "expect": {"a": {"p50": 1}}}'},
    {'scenarios/a.json': '{"title": "t", "claims": ["S1-1"], "about": ["one", "two"],'
                         ' "expect": {}}'},
)


def mentions(files):
    """files that README and CONTRIBUTING name are there"""
    bad = []
    folders = {os.path.dirname(path) for path in files} | {'build', 'results'}
    for path in ('README.md', 'CONTRIBUTING.md'):
        prose = re.sub(r'^```.*?^```', '', files.get(path, ''), flags=re.S | re.M)
        named = re.findall(r'`((?:models|sim|tools|tests|scenarios|results|\.ci)/[\w./-]*)`', prose)
        named += [link for link in re.findall(r'\]\(([^)#:]+)\)', prose)]
        for name in named:
            if name not in files and name.rstrip('/') not in folders:
                bad.append(f'{path}: names {name}, which is not there')
    return bad


mentions.canaries = ({'README.md': 'see `sim/none.c`\n'}, {'README.md': 'see [it](none.md)\n'})


def main(root, build):
    root, build = os.path.abspath(root), os.path.abspath(build)
    files = {path: read(root, path) for path in tree(root)}
    tap = Tap()
    for rule in (layers, libraries, clocks, lengths, layout, licences, words, scenarios, mentions):
        bad = rule(files)
        tap.say(not bad, rule.__doc__, bad)
        tap.say(all(rule(example) for example in rule.canaries),
                f'canary: {rule.__name__} complains about each bad example')
    tidy_build.check(tap, root, build, files, {path: includes(text) for path, text in
                                               sources(files, ('.c', '.h')).items()})
    return tap.end()


if __name__ == '__main__':
    sys.exit(main(sys.argv[1], sys.argv[2]))
