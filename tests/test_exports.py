#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""HdrHistogram's files against its own libraries: usage: test_exports.py BINARY; speaks TAP.

For Java, Debian's libhdrhistogram-java; for JavaScript, hdr-histogram-js, which npm fetches into
the folder of the binary.  Where one of them is missing its tests are skipped.
"""
import glob
import json
import os
import shutil
import subprocess
import sys

from command_line import BINARY, Skip, scenario, speak_tap

STALLED = scenario(
    server={'service': {'two-point': {'usual': '300us', 'rare': '7ms', 'probability': 0.02}},
            'stalls': [{'mode': 'suspend', 'first': '500ms', 'every': '1s', 'last': '90ms'}]},
    loads={'open': {'open': {'rate': 900, 'arrivals': 'poisson'}},
           'paced': {'paced': {'rate': 900, 'connections': 1, 'late': 'catch-up'}}},
    recorders={'exact': {'load': 'open', 'from': 'due'},
               'two digits': {'load': 'open', 'from': 'due', 'store': {'hdr': 2}},
               'coarse': {'load': 'open', 'from': 'due',
                          'store': {'hdr': {'digits': 4, 'lowest': '1us', 'highest': '20s'}}},
               'corrected': {'load': 'paced', 'from': 'sent', 'expected_interval': '1ms'},
               'as wrk': {'load': 'paced', 'from': 'sent', 'correction': {'wrk': 'auto'}},
               'per client': {'load': 'paced', 'from': 'due', 'per': 'client'}},
    run={'requests': 4000, 'replications': 2, 'start': 'empty'})
RECORDERS = ('exact', 'two digits', 'coarse', 'corrected', 'as wrk', 'per client')
UNITS = {'ns': 1, 'us': 1000, 'ms': 1000000}

JAVA = '''
import org.HdrHistogram.*;
import java.io.*;
public class Tool {
    public static void main(String[] a) throws Exception {
        if (a[0].equals("write")) {
            HistogramLogWriter log = new HistogramLogWriter(a[1]);
            PrintStream text = new PrintStream(a[2]);
            Histogram all = new Histogram(3600000000000L, 3);
            log.outputLogFormatVersion();
            log.outputLegend();
            for (int w = 0; w < 3; w++) {
                Histogram h = new Histogram(3600000000000L, 3);
                for (long v = 1; v < 4000; v++)
                    h.recordValue(v * v * (w + 1));
                h.setStartTimeStamp(w * 1000);
                h.setEndTimeStamp(w * 1000 + 1000);
                log.outputIntervalHistogram(h);
                all.add(h);
            }
            log.close();
            all.outputPercentileDistribution(text, 5, 1.0);
            return;
        }
        HistogramLogReader log = new HistogramLogReader(new File(a[1]));
        Histogram all = null;
        while (log.hasNext()) {
            Histogram h = (Histogram) log.nextIntervalHistogram();
            if (all == null)
                all = h.copy();
            else
                all.add(h);
        }
        all.outputPercentileDistribution(System.out, 5, Double.parseDouble(a[2]));
    }
}
'''
SCRIPT = '''
const hdr = require(process.argv[2]), fs = require('fs'), how = process.argv[3];
if (how === 'read') {
    const log = new hdr.HistogramLogReader(fs.readFileSync(process.argv[4], 'utf8'));
    let all = null, h;
    while ((h = log.nextIntervalHistogram()) != null)
        if (all) all.add(h); else all = h;
    process.stdout.write(all.outputPercentileDistribution(5, +process.argv[5], false));
} else {
    let text = '';
    const log = new hdr.HistogramLogWriter(line => { text += line; });
    log.outputLogFormatVersion();
    log.outputLegend();
    const h = hdr.build({lowestDiscernibleValue: 1, highestTrackableValue: 1e12,
                         numberOfSignificantValueDigits: 3});
    for (let v = 1; v < 4000; v++) h.recordValue(v * v);
    h.startTimeStampMsec = 0;
    h.endTimeStampMsec = 1000;
    log.outputIntervalHistogram(h);
    fs.writeFileSync(process.argv[4], text);
}
'''


def java_tool(box):
    """A command line that runs the class, or a skip."""
    jars = glob.glob('/usr/share/java/hdrhistogram.jar')
    if not shutil.which('javac') or not jars:
        raise Skip('javac or libhdrhistogram-java is not there')
    box.put('Tool.java', JAVA)
    subprocess.run(['javac', '-cp', jars[0], 'Tool.java'], cwd=box.folder, check=True, timeout=300,
                   capture_output=True)
    return ['java', '-Xshare:auto', '-XX:TieredStopAtLevel=1', '-cp', f'.:{jars[0]}', 'Tool']


def script_tool(box):
    """The same for JavaScript; the package is kept beside the binary."""
    folder = os.path.join(os.path.dirname(BINARY), 'npm-hdr-histogram-js')
    package = os.path.join(folder, 'node_modules', 'hdr-histogram-js')
    if not shutil.which('node') or not shutil.which('npm'):
        raise Skip('node or npm is not there')
    if not os.path.isdir(package):
        os.makedirs(folder, exist_ok=True)
        got = subprocess.run(['npm', 'install', '--prefix', folder, '--no-audit', '--no-fund',
                              'hdr-histogram-js@3.0.1'], capture_output=True, text=True,
                             timeout=120, check=False, env=dict(os.environ, ASAN_OPTIONS=''))
        if got.returncode != 0 or not os.path.isdir(package):
            raise Skip('npm cannot install hdr-histogram-js: ' + got.stderr[-200:])
    box.put('tool.js', SCRIPT)
    return ['node', 'tool.js', package]


def run_tool(box, tool, *arguments):
    got = subprocess.run([*tool, *arguments], cwd=box.folder, capture_output=True, timeout=120,
                         check=False)
    assert got.returncode == 0, got
    return got.stdout


def export(box, *options):
    got = box.run('export', 's', *options)
    assert got.returncode == 0, got
    return got.stdout


def put_log(box, recorder):
    text = export(box, '--recorder', recorder, '--format', 'hlog', '--window', '700ms')
    return box.put('log', text.decode())


def java_reads(box):
    """the Java library reads every log, and prints it as hgrm to the byte"""
    tool = java_tool(box)
    box.put('s', STALLED)
    for recorder in RECORDERS:
        put_log(box, recorder)
        for unit, size in UNITS.items() if recorder == 'exact' else (('ms', 1000000),):
            wanted = run_tool(box, tool, 'read', 'log', str(size))
            found = export(box, '--recorder', recorder, '--unit', unit)
            assert found == wanted, (recorder, unit, found[-300:], wanted[-300:])


def without_maximum(text):
    return [line for line in text.splitlines() if not line.startswith(b'#[Max')]


def script_reads(box):
    """so does the JavaScript library, but for a maximum that it puts one cell too high"""
    tool = script_tool(box)
    box.put('s', STALLED)
    for recorder in RECORDERS:
        put_log(box, recorder)
        wanted = run_tool(box, tool, 'read', 'log', '1000000')
        found = export(box, '--recorder', recorder)
        if recorder == 'coarse':  # whose lowest value is not 1: it tells 93.2408 for 93.2333 ms
            found, wanted = without_maximum(found), without_maximum(wanted)
        assert found == wanted, recorder


def median_of(box, name, *options):
    got = box.run('import', name, '--format', 'json', *options)
    assert got.returncode == 0, got
    report = json.loads(got.stdout)
    return report['count'], report['percentiles']['50']['nearest'], report


def java_writes(box):
    """a log and a distribution that the Java library wrote are read, and agree"""
    tool = java_tool(box)
    run_tool(box, tool, 'write', 'log', 'text')
    values = sorted(v * v * (w + 1) for v in range(1, 4000) for w in range(3))
    count, median, _ = median_of(box, 'log')
    assert count == len(values)
    truth = values[(len(values) + 1) // 2 - 1]
    assert median['at_least_ns'] <= truth <= median['at_most_ns'], (median, truth)
    assert median['at_most_ns'] - median['at_least_ns'] <= truth / 1000
    again = median_of(box, 'text', '--unit', 'ns')
    assert again[:2] == (count, median), (again, median)
    lines = box.get('log').splitlines()
    compressed = [line for line in lines if line[0] not in '#"']
    assert len(compressed) == 3


def script_writes(box):
    """a log that the JavaScript library wrote is read"""
    tool = script_tool(box)
    run_tool(box, tool, 'write', 'log')
    values = [v * v for v in range(1, 4000)]
    count, median, _ = median_of(box, 'log')
    assert count == len(values)
    truth = values[len(values) // 2]
    assert median['at_least_ns'] <= truth <= median['at_most_ns'], (median, truth)


def same_samples(box):
    """both formats hold the samples that `run` counts, corrections among them"""
    box.put('s', STALLED)
    report = json.loads(box.run('run', 's', '--format', 'json').stdout)
    for recorder in RECORDERS:
        put_log(box, recorder)
        box.put('text', export(box, '--recorder', recorder, '--unit', 'ns').decode())
        count, _, log = median_of(box, 'log')
        assert count == report['recorders'][recorder]['count'], recorder
        assert median_of(box, 'text', '--unit', 'ns')[0] == count
        for p, cell in report['recorders'][recorder]['percentiles'].items():
            known = log['percentiles'][p]['nearest']
            low, high = known['at_least_ns'], known['at_most_ns']
            assert low <= cell['value_ns'] <= high, (recorder, p, cell['value_ns'], known)
        total = box.get('text').split('Total count    =')[1].split(']')[0]
        assert int(total) == count


def left_out(box):
    """samples that the file has no place for are left out with a word"""
    box.put('s', scenario(recorders={'r': {'load': 'open', 'from': 'due',
                                           'store': {'hdr': {'digits': 3, 'highest': '1ms'}}}}))
    got = box.run('export', 's', '--format', 'hgrm')
    assert got.returncode == 0 and b'20 samples are left out' in got.stderr, got
    assert b'Total count    =            0]' in got.stdout


def faults(box):
    """a recorder, a unit or digits that there are not are errors with status 2"""
    box.put('s', STALLED)
    for arguments, wanted in ((('--recorder', 'exat'), b'nearest is "exact"'),
                              (('--unit', 'h'), b'--unit is'), (('--digits', '6'), b'1 to 5'),
                              (('--window', '1s'), b'hlog'), (('--format', 'csv'), b'hgrm'),
                              (('--recorder', 'coarse', '--digits', '2'), b'of its own'),
                              (('--format', 'hlog', '--unit', 'us'), b'--unit'),
                              (('--format', 'hlog', '--window', '1ns'), b'windows')):
        got = box.run('export', 's', *arguments)
        assert got.returncode == 2 and got.stdout == b'' and wanted in got.stderr, (arguments, got)


if __name__ == '__main__':
    sys.exit(speak_tap([java_reads, script_reads, java_writes, script_writes, same_samples,
                        left_out, faults]))
