# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorders of others, judged by the suite: the rows of results/recorders.md.
usage: recorder_rows.py BINARY BUILD-DIRECTORY [KEPT]; prints the page.  Rows of what is not
installed here are taken from the page KEPT."""
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'recorders')
JAR = '/usr/share/java/hdrhistogram.jar'
GO_SOURCE = '/usr/share/gocode/src/github.com/codahale/hdrhistogram'
DIGITS = {'precision': {'digits': 3}}
HDR_DIGITS = {'precision': {'digits': 3}, 'rank': 'hdr'}
ONE_PERCENT = {'precision': {'relative': 0.01}}
INTERPOLATED = {'precision': {'relative': 0.01}, 'interpolates': True}
TEN_PERCENT = {'precision': {'relative': 0.1}, 'interpolates': True}
OWN = None  # it declares itself
# The recorder, the package it is in, what starts it, and what it may declare.
RECORDERS = (
    ('perf_hooks.createHistogram', 'node', 'node_histogram.js', (DIGITS, HDR_DIGITS)),
    ('hdr-histogram-js', 'hdr-histogram-js', 'hdr_histogram_js.js', (DIGITS,)),
    ('hdr-histogram-js, WebAssembly', 'hdr-histogram-js', 'hdr_histogram_js.js wasm', (DIGITS,)),
    ('prom-client Histogram', 'prom-client', 'prom_client.js histogram', (OWN,)),
    ('prom-client Summary', 'prom-client', 'prom_client.js summary', (INTERPOLATED,)),
    ('prom-client Summary, five age buckets', 'prom-client', 'prom_client.js window',
     (INTERPOLATED,)),
    ('tdigest TDigest', 'tdigest', 'tdigest.js', (INTERPOLATED, TEN_PERCENT)),
    ('@datadog/sketches-js DDSketch', '@datadog/sketches-js', 'sketches_js.js', (ONE_PERCENT,)),
    ('@opentelemetry/sdk-metrics exponential histogram', '@opentelemetry/sdk-metrics',
     'opentelemetry.js', (OWN,)),
    ('HdrHistogram for Java', 'libhdrhistogram-java', 'java', (DIGITS,)),
    ('codahale/hdrhistogram', 'golang-github-codahale-hdrhistogram-dev', 'go', (HDR_DIGITS,)),
)


class Absent(Exception):
    pass


def first_line(text):
    return (text.strip() or 'it fails').splitlines()[0]


def must_run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, **more)
    if done.returncode != 0:
        raise Absent(f'{command[0]}: {first_line(done.stderr or done.stdout)}')
    return done.stdout


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            raise Absent(f'there is no {program} here')


class Shelf:
    """What is installed here, and how it is started."""

    def __init__(self, build):
        self.build = os.path.join(os.path.abspath(build), 'recorders')
        self.failed = {}
        self.made = {}
        os.makedirs(self.build, exist_ok=True)

    def once(self, name, make):
        """What make() gives, or why it cannot, is found out once."""
        if name in self.failed:
            raise Absent(self.failed[name])
        if name not in self.made:
            try:
                self.made[name] = make()
            except (Absent, OSError, subprocess.TimeoutExpired) as error:
                self.failed[name] = str(error)
                raise Absent(self.failed[name]) from error
        return self.made[name]

    def install(self):
        need('node', 'npm')
        for name in ('package.json', 'package-lock.json'):
            shutil.copy(os.path.join(HERE, name), self.build)
        kept = os.path.join(self.build, 'node_modules', '.package-lock.json')
        if not os.path.exists(kept):
            must_run(['npm', 'install', '--no-audit', '--no-fund', '--fetch-retries', '0',
                      '--fetch-timeout', '20000', '--prefix', self.build], cwd=self.build)
        return os.path.join(self.build, 'node_modules')

    def npm_version(self, package):
        modules = self.once('npm', self.install)
        path = os.path.join(modules, package, 'package.json')
        with open(path, encoding='utf-8') as file:
            return json.load(file)['version']

    def debian_version(self, package):
        need('dpkg-query')
        return must_run(['dpkg-query', '-W', '-f', '${Version}', package])

    def node_version(self):
        need('node')
        return must_run(['node', '--version']).strip().lstrip('v')

    def version(self, package):
        """Of the package as it is here; Absent where it is not."""
        if package == 'node':
            return self.once(package, self.node_version)
        if package.startswith(('lib', 'golang')):
            return self.once(package, lambda: self.debian_version(package))
        return self.once(package, lambda: self.npm_version(package))

    def java(self):
        need('javac', 'java')
        if not glob.glob(JAR):
            raise Absent('libhdrhistogram-java is not here')
        must_run(['javac', '-cp', JAR, '-d', self.build,
                  os.path.join(HERE, 'HdrHistogramJava.java')])
        return ('java -Xshare:auto -XX:TieredStopAtLevel=1 -cp '
                f'{shlex.quote(self.build)}:{JAR} HdrHistogramJava')

    def go(self):
        need('go')
        if not os.path.isdir(GO_SOURCE):
            raise Absent('golang-github-codahale-hdrhistogram-dev is not here')
        program = os.path.join(self.build, 'hdrhistogram')
        must_run(['go', 'build', '-o', program, os.path.join(HERE, 'hdrhistogram.go')],
                 env=dict(os.environ, GO111MODULE='off', GOPATH=GO_SOURCE.split('/src/')[0],
                          GOCACHE=os.path.join(self.build, 'cache')))
        return shlex.quote(program)

    def command(self, start):
        if start in ('java', 'go'):
            return self.once(start, self.java if start == 'java' else self.go)
        name, *arguments = start.split(' ')
        return ' '.join(['node', shlex.quote(os.path.join(HERE, name)), *arguments])

    def environment(self):
        return dict(os.environ, NODE_PATH=os.path.join(self.build, 'node_modules'))


def worst(judged):
    """The figure that is furthest off, or why there is none."""
    if judged['problem']:
        return judged['problem']
    wrong = [figure for figure in judged['figures'] if figure['right'] is False]
    if not wrong:
        return 'does not conform'
    figure = max(wrong, key=lambda figure: abs(figure['error_percent'] or 0))
    return f'{len(wrong)} wrong, {figure["name"]} by {figure["error_percent"]:.3g} %'


def judge(binary, shelf, start, declares):
    """Cells of one row: what it declares, where it conforms, what was found."""
    command = [binary, 'conform', '--suite', '--format', 'json', '--command', shelf.command(start)]
    if declares is not OWN:
        command += ['--declares', json.dumps(declares)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300,
                          env=shelf.environment())
    if done.returncode not in (0, 1) or not done.stdout:
        raise RuntimeError(f'{command}: {done.stderr}')
    *cases, together = [json.loads(line) for line in done.stdout.splitlines()]
    found = [fault['text'] for fault in together['faults']]
    if not together['conforms'] and not found:
        found = ['no fault of the catalogue explains all of it']
    for case in cases:
        if not case['conforms']:
            name = os.path.basename(case['scenario']['file'])[:-len('.json')]
            found.append(f'{name}: {worst(case)}')
    said = json.dumps(declares) if declares is not OWN else 'by itself: ' + cases[0]['declares']
    return [said, f'{together["conforming"]} of {together["scenarios"]}', '; '.join(found)]


def rows(binary, shelf):
    """Of each row the first two cells and the others; no others and why, where it is not here."""
    for name, package, start, claims in RECORDERS:
        for declares in claims:
            try:
                version = shelf.version(package)
                yield [name, version], judge(binary, shelf, start, declares), None
            except Absent as why:
                yield [name, None], None, f'{package}: {why}'


def line(cells):
    plain = (re.sub(r'\s+', ' ', cell).replace('|', '\\|') for cell in cells)
    return '| ' + ' | '.join(plain) + ' |'


HEAD = '''# Recorders of others, judged

Made by `tools/recorders`. Each answers all scenarios of the conformance suite through the
adapters in `tests/recorders/`, under what it declares: how exact its values are, and by which
rank rule. A row says in how many scenarios all that it said was right; then the faults of the
catalogue that explain all that was wrong, and for each scenario what was furthest off.

Where a recorder has no correction of its own the adapter records the added samples. Where it
has no percentiles (histograms of Prometheus and OpenTelemetry) the adapter tells the upper end
of the bucket that holds the nearest rank. A t-digest promises no error of a value: of it, and
of the summary that prom-client makes of one, the rows show how far off it is. perf_hooks
refuses to tell p0. A range of 24 hours was set where one must be.

| recorder | version | declares | right in | what was found |
| --- | --- | --- | ---: | --- |'''


def main(binary, build, kept=None):
    print(HEAD)
    old = []
    if kept is not None and os.path.exists(kept):
        with open(kept, encoding='utf-8') as file:
            old = [text for text in file.read().splitlines() if text.startswith('| ')][2:]
    told = set()
    for (name, version), cells, why in rows(os.path.abspath(binary), Shelf(build)):
        if cells is not None:
            print(line([name, version, *cells]), flush=True)
        elif name not in told:
            told.add(name)
            print(f'{name} is not here: {why}', file=sys.stderr)
            for text in old:
                if text.startswith(f'| {name} |'):
                    print(text)


if __name__ == '__main__':
    main(*sys.argv[1:])
