#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every mechanism in words and as JSON.  usage: test_explain.py BINARY; speaks TAP."""
import json
import sys

from command_line import scenario, speak_tap

SERVER = {
    'service': {'exponential': '5ms'}, 'workers': 2, 'queue': 'lifo', 'queue_limit': 9,
    'replicas': 2, 'routing': 'round-robin', 'load_dependence': 0.25,
    'quota': {'budget': '50ms', 'period': '80ms'},
    'behind': {'service': {'constant': '1ms'}, 'workers': 3, 'queue': 'shortest',
               'keeps_worker': True},
    'network': {'delay': {'constant': '7ms'}, 'probability': 0.1},
    'stalls': [
        {'mode': 'slowdown', 'factor': 0.3, 'first': 0, 'every': '1s', 'last': '100ms',
         'target': {'replica': 1}},
        {'mode': 'neighbour', 'share': '20%', 'halves': '6ms', 'up': {'exponential': '1s'},
         'down': {'constant': '90ms'}, 'target': 'behind'},
        {'mode': 'reject', 'first': '500ms', 'last': '1ms'},
        {'mode': 'suspend', 'first': '600ms', 'last': '1ms', 'target': 'generator'},
        {'mode': 'gate', 'first': '700ms', 'last': '1ms', 'target': 'network'}],
}
LOADS = {
    'retrying': {'open': {'rate': 100}, 'timeout': '1s', 'timeout_cancel': 'queued',
                 'retry': {'after': '20ms', 'copies': 3, 'backoff': 2, 'jitter': 0.5,
                           'budget': 0.1},
                 'work': 'per-request', 'generator': {'cost': '10us', 'threads': 2},
                 'overhead': '5us'},
    'parts': {'closed': 3, 'fan_out': 2, 'wait_for': 1},
    'hedged': {'closed': 1, 'hedge': {'percentile': 95}, 'idempotent': False},
    'tied': {'closed': 1, 'tied': 2},
}
RECORDERS = {
    'windows': {'load': 'retrying', 'from': 'due', 'per': {'window': '1s'}},
    'queue': {'load': 'retrying', 'part': 'queue'},
    'clients': {'load': 'parts', 'part': 'stall', 'per': 'client', 'merge': 'average'},
}
ALL = scenario(server=SERVER, loads=LOADS, recorders=RECORDERS,
               run={'duration': '200ms', 'replications': 2},
               sweep={'/server/workers': [1, 2],
                      '/loads/retrying/open/rate': {'from': 50, 'to': 90, 'step': 10}},
               experiment='capacity')


def words(box):
    """explain tells in words of every station, disturbance, client, group and sweep"""
    said = ' '.join(box.run('explain', box.put('a', ALL)).stdout.decode().split())
    for phrase in (
            '2 workers and one queue, lifo: last come', 'At most 9 wait',
            'longer by 0.25 of itself', 'Quota: 50ms of work in every 80ms',
            'second station: 3 workers and one queue, shortest', "worker waits for its answer",
            'with probability 0.1 a request takes constant (value 7ms)',
            'of replica 1 alone: slowdown', '0.3 of the speed is left',
            'of the station behind: neighbour', '0.2 of the speed is lost',
            'halves every 6ms', 'Disturbance: reject', "sender threads: suspend",
            'of the network: gate', 'up 1s after it was sent; each copy is taken back that long',
            'copies 3, backoff 2, jitter 0.5, budget 0.1', 'bring the same work',
            'takes 10us of one of its 2 threads', 'costs 5us more',
            'answered when 1 of them is.', 'percentile 95', 'so none is sent', 'tied (copies 2',
            'for each window of 1s', 'spent in the queue', 'what of it stalls took',
            'averages of their percentiles, a mistake', '/server/workers takes 2 values: 1, 2.',
            'takes 5 values: 50, 60, 70, 80, 90.', '10 of them', 'Experiment: capacity'):
        assert phrase in said, (phrase, said)


def silence(box):
    """where a scenario has none of it, explain says nothing of it"""
    said = ' '.join(box.run('explain', box.put('g', scenario())).stdout.decode().split())
    said = said[:said.index('{')]
    for word in ('Quota', 'Behind', 'Network', 'Copies', 'Parts', 'Client', 'Sweep', 'Experiment',
                 'histogram', 'Disturbance'):
        assert word not in said, (word, said)
    assert 'Its client waits for every answer.' in said, said


def round_trip(box):
    """what explain prints as JSON is the same scenario, down to every mechanism"""
    once = box.run('explain', box.put('a', ALL), '--format', 'json')
    full = json.loads(once.stdout)
    again = box.run('explain', box.put('full', once.stdout.decode()), '--format', 'json')
    assert again.stdout == once.stdout, again
    for key in ('quota', 'behind', 'network', 'load_dependence', 'queue'):
        assert key in full['server'], (key, full)
    assert full['server']['stalls'][1]['share'] == 0.2, full
    assert full['sweep']['/loads/retrying/open/rate'] == [50, 60, 70, 80, 90], full
    assert full['loads']['hedged']['hedge']['after'] == 'measured', full


def lists(box):
    """list names every queue, and the queues and experiments among the lists"""
    queues = box.run('list', 'queues').stdout.decode().split('\n')
    for name in ('fifo', 'lifo', 'random', 'shortest', 'processor-sharing'):
        assert name in queues, (name, queues)
    rows = [line.split()[0] for line in box.run('list').stdout.decode().splitlines()]
    assert 'queues' in rows and 'experiments' in rows, rows
    assert 'processor-sharing' in box.run('list', 'servers').stdout.decode()


def settings(box):
    """--set reaches into objects that a scenario has left out, and hints at the nearest key"""
    box.put('g', scenario())
    got = json.loads(box.run('explain', 'g', '--format', 'json',
                             '--set', '/server/quota/budget=5ms',
                             '--set', '/loads/open/generator/cost=1us').stdout)
    assert got['server']['quota']['budget'] == '5ms', got
    assert got['loads']['open']['generator'] == {'cost': '1us', 'threads': 1}, got
    got = box.run('explain', 'g', '--set', '/server/quota/bugdet=5ms')
    assert got.returncode == 2 and b'nearest: "budget"' in got.stderr, got


TESTS = (words, silence, round_trip, lists, settings)

if __name__ == '__main__':
    sys.exit(speak_tap(TESTS))
