# SPDX-License-Identifier: GPL-3.0-or-later
"""What the benchmark runs: scenarios as bench.py writes them to files, each a function of how many
requests a replication has."""
from collections import namedtuple

# build(requests) is a scenario; requests are per replication; loop: the loop by hand beside it;
# level: the widest vectors it may use; exact: its store grows, so only these two sizes compare.
Shape = namedtuple('Shape', 'name limit build replications loop level sizes',
                   defaults=(32, None, None, None))

EXPONENTIAL = {'exponential': '10ms'}
STALL = {'mode': 'suspend', 'first': '500ms', 'every': '1s', 'last': '200ms'}
STALLED = {'service': {'constant': '100us'}, 'stalls': [STALL]}
HDR = {'hdr': 3}


def scenario(server, load, recorders, requests, **run):
    return {'server': server, 'loads': {'l': load},
            'recorders': {name: {'load': 'l', **recorder} for name, recorder in recorders.items()},
            'run': {'requests': requests, **run}}


def one(server, load, origin='due', store=None, **more):
    recorder = {'from': origin, 'store': store or HDR, **more}
    return lambda requests: scenario(server, load, {'r': recorder}, requests)


def poisson(rate, **more):
    return {'open': {'rate': rate, 'arrivals': 'poisson'}, **more}


def workers(count, **more):
    return {'service': EXPONENTIAL, 'workers': count, **more}


def in_flight(clients):
    """A worker for everyone, and so many clients who think for a moment: almost all are in flight
    all the time, and no order of theirs is known without a queue of events."""
    recorder = {'from': 'sent', 'store': HDR}
    return lambda requests: scenario({'service': {'exponential': '1s'}, 'workers': 'unlimited'},
                                     {'closed': {'clients': clients,
                                                 'think': {'exponential': '1ms'}}},
                                     {'r': recorder}, requests, replications=1)


def recorders(count):
    every = [{'from': 'due'}, {'from': 'sent'}, {'from': 'started'}, {'from': 'due', 'rank': 'hdr'}]
    chosen = {f'r{i}': {'store': HDR, **which} for i, which in enumerate(every[:count])}
    return lambda requests: scenario(workers(1), poisson(75), chosen, requests)


def corrected(interval):
    more = {'expected_interval': interval} if interval else {}
    return one(workers(1), {'closed': {'clients': 1}}, 'sent', **more)


MM1 = one(workers(1), poisson(75))
# 32 million requests: cells and windows, of which a replication has thousands, cost little then.
MANY = (10000, 1000000)
OPEN = (
    Shape('open M/M/1 at 75 %, HDR, plain x86-64', 6.0, MM1, loop='plain', level='plain',
          sizes=MANY),
    Shape('open M/M/1 at 75 %, HDR, AVX2', 3.5, MM1, loop='vector-avx2', level='avx2', sizes=MANY),
    Shape('open M/M/1 at 75 %, HDR, AVX-512', 2.5, MM1, loop='vector-avx512', level='avx512',
          sizes=MANY),
    Shape('open M/M/1 at 75 %, HDR, 160,000 a replication', None, MM1, loop='best',
          sizes=(10000, 160000)),
    Shape('open M/M/1 at 75 %, exact store', None, one(workers(1), poisson(75), store='exact'),
          loop='best', sizes=(20000, 100000)),
    Shape('open even, constant with stalls, HDR', 1.3,
          one(STALLED, {'open': {'rate': 5000, 'arrivals': 'even'}}), 1, 'chain'),
    Shape('paced, constant with stalls, HDR', 1.3, one(STALLED, {'paced': {'rate': 5000}}, 'sent'),
          1, 'chain'),
    Shape('open Poisson, constant with stalls, HDR', None, one(STALLED, poisson(5000)), 32, 'best'),
)
CLOSED = tuple(
    Shape(f'closed, {clients} client{"s" * (clients > 1)}, {kind}, HDR', 6.0,
          one({'service': {kind: '10ms'}}, {'closed': {'clients': clients}}, 'sent'), replications,
          f'closed-{clients}' if kind == 'exponential' else 'chain')
    for clients in (1, 128)
    for kind, replications in (('exponential', 32), ('constant', 1)))
FOUR = workers(4)
EVENTS = (
    Shape('M/M/4 at 75 %', 30.0, one(FOUR, poisson(300)), loop='workers-4'),
    Shape('M/M/4, a timeout each', 60.0, one(FOUR, poisson(300, timeout='200ms')), loop='events'),
    Shape('M/M/4, a retry timer each', 60.0,
          one(FOUR, poisson(280, retry={'after': '200ms', 'copies': 2})), loop='events'),
    Shape('M/M/4, two replicas, a hedge timer each', 60.0,
          one(workers(4, replicas=2), poisson(500, hedge={'after': '100ms'})), loop='events'),
    Shape('closed, 16 clients, exponential think time', None,
          one(workers(1), {'closed': {'clients': 16, 'think': {'exponential': '100ms'}}}, 'sent'),
          loop='events'),
)
IN_FLIGHT = tuple(
    (number, Shape(f'{number} in flight', None, in_flight(number), 1, f'heap-{number}',
                   sizes=(2 * number, 6 * number + 500000)))
    for number in (100, 1000, 10000, 100000, 1000000))
RECORDERS = tuple((count, Shape(f'{count} recorders', None, recorders(count),
                                 sizes=(10000, 2000000)))
                  for count in (1, 2, 4))
CORRECTED = tuple((interval, Shape(f'corrected at {interval}', None, corrected(interval)))
                  for interval in (None, '1s', '1ms', '200us', '10us'))


def sweep(points):
    """So many points of a constant server, 100 requests each."""
    server = {'service': {'constant': '100us'}}
    found = scenario(server, {'open': {'rate': 5000}}, {'r': {'from': 'due', 'store': HDR}}, 100)
    found['sweep'] = {'/server/service/constant': {'from': '1ns', 'to': f'{points}ns',
                                                   'step': '1ns'}}
    return found


def long_text(length):
    """A scenario of so many bytes: a list of instants at which requests are due."""
    count = length // 19
    times = [f'{i}.{i % 1000:03}us' for i in range(100000000, 100000000 + count)]
    return scenario({'service': {'constant': '1us'}}, {'open': {'arrivals': {'times': times}}},
                    {'r': {'from': 'due', 'store': HDR}}, count)
