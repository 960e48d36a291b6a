#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A broken engine is caught: usage: mutants.py SOURCE-ROOT [--write]; speaks TAP.

A copy of the tree is broken in one place after another, built, and put to a handful of scenarios
with `duetime check` and to the comparison with the slow second simulator.  Which check sees which
fault is written down in results/mutants.md: --write writes it, otherwise it must be so.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

from tap import Tap

BROKEN_OFF = 60  # seconds for one scenario: a mutant may never end


def scenario(server, load, recorder, run, percentiles=(50, 90, 99), **more):
    return {'title': 'for a mutant', 'server': server, 'loads': {'it': load},
            'recorders': {'it': dict(recorder, load='it')}, 'run': run,
            'report': {'percentiles': list(percentiles)}, **more}


RANDOM = {'requests': 20000}
POISSON = {'open': {'rate': 700, 'arrivals': 'poisson'}}
# Every 1 ms, in turn 2.5, 0.1, 0.2 and 0.3 ms of work.  One connection that skips sends requests 0,
# 3, 4 and 7 of 8, and these take 2.5, 0.3, 2.5 and 0.3 ms; the open load sends all eight.
SAME_WORK = {
    'title': 'two loads face the same work',
    'server': {'service': {'samples': ['2500us', '100us', '200us', '300us']}},
    'loads': {'skip': {'paced': {'every': '1ms', 'connections': 1, 'late': 'skip'}},
              'open': {'open': {'every': '1ms', 'max_in_flight': 100}}},
    'recorders': {'skip': {'load': 'skip', 'from': 'sent'},
                  'open': {'load': 'open', 'from': 'due'}},
    'run': {'requests': 8},
    'expect': {'skip': {'min': '300us', 'max': '2500us', 'sum': '5600us', 'count': 4},
               'open': {'min': '300us', 'max': '2500us', 'sum': '10400us', 'count': 8}},
}
SCENARIOS = {
    'M/M/1': scenario({'service': {'exponential': '1ms'}}, POISSON,
                      {'from': 'due', 'store': {'hdr': 3}}, RANDOM),
    'M/M/2': scenario({'service': {'exponential': '2ms'}, 'workers': 2}, POISSON, {'from': 'due'},
                      RANDOM),
    'closed 16': scenario({'service': {'exponential': '1ms'}}, {'closed': {'clients': 16}},
                          {'from': 'sent'}, RANDOM),
    'both and cancel': scenario({'service': {'exponential': '1ms'}, 'replicas': 2},
                                dict(POISSON, hedge={'after': 0}), {'from': 'due'}, RANDOM),
    'blackout': scenario({'service': {'constant': '300us'},
                          'stalls': [{'mode': 'blackout', 'first': '100200us', 'every': '200ms',
                                      'last': '50ms'}]},
                         {'open': {'every': '1ms'}}, {'from': 'due'}, {'duration': '2s'},
                         (50, 90, 99, 100)),
    'same work': SAME_WORK,
}
FILES = {'reference': 'reference.json', 'cells': 'field-25-cells.json',
         'ranks': 'percentile-boundary-990.json'}

# What is broken, and where: (file, what stands there, what stands there instead).
MUTANTS = [
    ('one completion is skipped', [
        ('sim/path.c', '        copies_answered(sim, copy);\n',
         '        if (sim->requests[c->request].number == 1000)\n'
         '            copy_unlink(sim, copy);\n'
         '        else\n'
         '            copies_answered(sim, copy);\n'),
        ('sim/plain.c', '        client_done(sim, request, STATUS_ANSWERED);\n',
         '        if (r->number != 1000)\n'
         '            client_done(sim, request, STATUS_ANSWERED);\n'),
        ('sim/fast_attempts.c', '        answer(c, i);\n',
         '        c->entries[e->copy.request].request.number == 1000 ? unlink_copy(c, i)\n'
         '                                                           : answer(c, i);\n')]),
    ('a stall ends one ns late', [
        ('sim/stalls.c', 'push(sim, sim->now_ns + last_ns, EVENT_STALL_END, index);',
         'push(sim, sim->now_ns + last_ns + 1, EVENT_STALL_END, index);'),
        ('sim/pauses.c', 'return begin_ns + s->last_ns;', 'return begin_ns + s->last_ns + 1;')]),
    ('last come, first served', [
        ('models/queues/fifo.c', '.pop = waiting_pop_front', '.pop = waiting_pop_back'),
        ('sim/fast_replicas.h',
         '    if (q->front == NOBODY)\n'
         '        q->front = i;\n'
         '    else\n'
         '        c->entries[q->back].copy.behind = i;\n',
         '    c->entries[i].copy.behind = q->front;\n'
         '    q->front = i;\n')]),
    ('service is drawn from the stream of the arrivals', [
        ('sim/engine.c', 'sim->service.stream = sim_stream(sim, PURPOSE_SERVICE);',
         'sim->service.stream = sim_stream(sim, PURPOSE_ARRIVALS);'),
        ('sim/fast_parts.c', 'request->replication, PURPOSE_SERVICE);',
         'request->replication, PURPOSE_ARRIVALS);')]),
    ('the first even arrival is missing', [
        ('models/arrivals/even.c', '(u128)first * pace.num', '(u128)(first + 1) * pace.num')]),
    ('service is drawn when it starts, not in the order of requests', [
        ('sim/sim.h', '    uint64_t in_flight, wakes;', '    uint64_t begun, in_flight, wakes;'),
        ('sim/station.c', '    c->started_ns = sim->now_ns;\n',
         '    c->work_ns = demand_ns(sim, sim->begun++, 0, STAGE_SERVER);\n'
         '    c->started_ns = sim->now_ns;\n'),
        ('sim/plain.c', '    r->started_ns = sim->now_ns;\n    station->serving++;\n',
         '    work_ns = demand_ns(sim, sim->begun++, 0, STAGE_SERVER);\n'
         '    r->started_ns = sim->now_ns;\n    station->serving++;\n')]),
    ('the rank is one too high', [
        ('models/ranks/rank.c', 'uint64_t clamped = rank < 1', 'rank++;\n'
         '    uint64_t clamped = rank < 1')]),
    ('the store takes the sample after the one of its rank', [
        ('models/stores/hdr.c', 'if (up_to >= rank)', 'if (up_to > rank)')]),
    ('the top of a cell is one too high', [
        ('models/stores/hdr.c', 'low_ns + ((UINT64_C(1) << shift) - 1)',
         'low_ns + (UINT64_C(1) << shift)')]),
    ('a copy taken back is served on', [
        ('sim/copies.c', '(cancel == CANCEL_IN_SERVICE || !sim->copies[i].begun)',
         '!sim->copies[i].begun'),
        ('sim/fast_attempts.c', 'if (c->resend->cancel == CANCEL_IN_SERVICE || c->entries[i]',
         'if (c->entries[i]')]),
    ('a blackout holds no answers', [
        ('sim/stalls.c', 'station->holding += stall->mode->holds_answers ? by : 0;', ''),
        ('sim/fast_line_serve.c', '> p->begin_ns ? p->end_ns : begun_ns + work_ns;',
         '> p->end_ns ? p->end_ns : begun_ns + work_ns;')]),
    ('a quota gives one ns more', [
        ('sim/quota.c', 'budget_ns = sim->server->quota.budget_ns;',
         'budget_ns = sim->server->quota.budget_ns + 1;')]),
    ('the fast path takes its worker for free at the first row of a batch', [
        ('sim/fast_line_serve.c',
         'queue_kernels()->serve(arrives_ns, work_ns, free_ns, done_ns, rows);',
         'queue_kernels()->serve(arrives_ns, work_ns, 0, done_ns, rows);')]),
    ('the fast path of a steady line sees a pause only once it has begun', [
        ('sim/fast_line_serve.c', 'most, begin_ns - work_ns);', 'most, begin_ns);')]),
    ('the fast path of several workers never waits', [
        ('sim/queue_kernels.c', 'later_of((int64_t)sent_ns[i], at[0]), ends',
         '(int64_t)sent_ns[i], ends')]),
    ('the fast path of copies sends them again though they are answered', [
        ('sim/fast_timers.h', ' || (r->done && what < TIMER_ABANDON)', '')]),
    ('the census puts values one cell too high', [
        ('sim/row_kernels.c', '(UINT32_C(1022) + bits) << bits;',
         '((UINT32_C(1022) + bits) << bits) - 1;')]),
    ('the census does not count the first value of a block', [
        ('sim/census.c', 'for (size_t i = 0; i < cells->count; i++)\n        counts',
         'for (size_t i = 1; i < cells->count; i++)\n        counts')]),
    ('a store is told of its samples one cell too high', [
        ('sim/sharing.c', 'list->entries[at + i]) + r->apart;',
         'list->entries[at + i]) + r->apart + 1;')]),
    ('a store is told of one sample too few in each cell', [
        ('sim/sharing.c', 'times[i] = census_count_of(list->entries[at + i]);',
         'times[i] = census_count_of(list->entries[at + i]) - 1;')]),
    ('those that share a worker are one more', [
        ('sim/progress.c', '(u128)den * station->serving', '(u128)den * (station->serving + 1)')]),
    ('a kept worker is not kept', [
        ('sim/path.c', 'next == STAGE_BEHIND && sim->server->behind.keeps_worker',
         'next == STAGE_BEHIND && false')]),
]
CHECKS = ['exact', 'statistical', 'recount', 'identity', 'expectation', 'stops']


def failing(report):
    """The kinds of check that a JSON report says do not hold."""
    for recorder in report['recorders'].values():
        for cell in recorder['percentiles'].values():
            if cell['holds'] is False:
                yield 'recount' if 'recount' in (cell['why'] or '') else cell['check']
        if recorder['tally']['holds'] is False:
            yield recorder['tally']['check']
        if any(share['holds'] is False for share in recorder['above'].values()):
            yield 'exact'
    if any(identity['holds'] is False for identity in report['identities']):
        yield 'identity'
    if any(expectation['holds'] is False for expectation in report['expect']):
        yield 'expectation'


class Copy:
    """The tree, to be broken."""

    def __init__(self, root, folder):
        self.folder = os.path.join(folder, 'copy')
        shutil.copytree(root, self.folder, ignore=shutil.ignore_patterns(
            'build*', '.git', '__pycache__', 'results'))
        os.mkdir(os.path.join(self.folder, 'results'))
        self.scenarios = {name: os.path.join(self.folder, 'scenarios', file)
                          for name, file in FILES.items()}
        for number, (name, text) in enumerate(SCENARIOS.items()):
            self.scenarios[name] = os.path.join(folder, f'{number}.json')
            with open(self.scenarios[name], 'w', encoding='utf-8') as file:
                json.dump(text, file)
        self.run('meson', 'setup', '-Dbuildtype=plain', '-Dc_args=-O1', 'build')

    def run(self, *command, seconds=600):
        try:
            return subprocess.run(command, cwd=self.folder, capture_output=True, text=True,
                                  timeout=seconds)
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(command, None, '', f'no end after {seconds} s')

    def build(self):
        return self.run('ninja', '-C', 'build', 'duetime', 'tests/test_engine_equals_oracle')

    def patch(self, changes):
        """Makes the changes; returns what restores the files, or None where one does not fit."""
        before = {}
        for name, old, new in changes:
            path = os.path.join(self.folder, name)
            with open(path, encoding='utf-8') as file:
                text = file.read()
            before.setdefault(path, text)
            if text.count(old) != 1:
                return self.restore(before)
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text.replace(old, new))
        return before

    @staticmethod
    def restore(before):
        for path, text in before.items():
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)

    def caught(self):
        """By which check, in which scenarios."""
        found = {check: [] for check in CHECKS}
        for name, path in self.scenarios.items():
            done = self.run(os.path.join('build', 'duetime'), 'check', '--format', 'json', path,
                            seconds=BROKEN_OFF)
            ended = done.returncode in (0, 1)
            kinds = set(failing(json.loads(done.stdout))) if ended else {'stops'}
            for kind in kinds:
                found[kind].append(name)
        return found

    def oracle_differs(self):
        done = self.run(os.path.join('build', 'tests', 'test_engine_equals_oracle'), seconds=300)
        return done.returncode != 0


def table(rows):
    lines = [
        '# Which check catches a broken engine',
        '',
        'The program is broken in one place at a time and put to a handful of scenarios;',
        '`tests/mutants.py` does it and says which. A cell names the scenarios in which that check',
        'fails; the last column is the comparison with the slow second simulator of the tests,',
        'which is no part of a report.',
        '',
        '| what is broken | ' + ' | '.join(CHECKS) + ' | second simulator |',
        '| --- |' + ' --- |' * (len(CHECKS) + 1),
    ]
    for name, found, differs in rows:
        cells = [', '.join(found[check]) for check in CHECKS] + ['differs' if differs else '']
        lines.append(f'| {name} | ' + ' | '.join(cells) + ' |')
    lines += ['', '`stops`: the program ends itself, or never ends.', '']
    return '\n'.join(lines)


def judge(tap, copy):
    """Breaks the copy in every way; the rows of the table."""
    rows = []
    for name, changes in MUTANTS:
        before = copy.patch(changes)
        tap.say(before is not None, f'"{name}" still fits the source')
        if before is None:
            continue
        done = copy.build()
        tap.say(done.returncode == 0, f'"{name}" builds', (done.stdout or '').split('\n')[-20:])
        if done.returncode == 0:
            found, differs = copy.caught(), copy.oracle_differs()
            tap.say(any(found.values()) or differs, f'"{name}" is caught')
            rows.append((name, found, differs))
        copy.restore(before)
    return rows


def main(root, write):
    tap = Tap()
    kept = os.path.join(root, 'results', 'mutants.md')
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(root, folder)
        done = copy.build()
        tap.say(done.returncode == 0, 'it builds unbroken', (done.stdout or '').split('\n')[-20:])
        if done.returncode != 0:
            return tap.end()
        found = copy.caught()
        tap.say(not any(found.values()), 'unbroken it passes every scenario', [str(found)])
        tap.say(not copy.oracle_differs(), 'and is what the second simulator says')
        text = table(judge(tap, copy))
    if write:
        with open(kept, 'w', encoding='utf-8') as file:
            file.write(text)
    published = ''
    if os.path.exists(kept):
        with open(kept, encoding='utf-8') as file:
            published = file.read()
    tap.say(published == text, 'results/mutants.md is what was found', text.split('\n'))
    return tap.end()


if __name__ == '__main__':
    sys.exit(main(os.path.abspath(sys.argv[1]), '--write' in sys.argv[2:]))
