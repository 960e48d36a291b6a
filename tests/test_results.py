#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Published results are what the binary prints: usage: test_results.py BINARY SOURCE-ROOT; TAP.

results/ and the schema are made again and compared byte for byte.  README's tables are held to
results/, and its example is run.
"""
import os
import re
import subprocess
import sys
import tempfile


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def data(path):
    with open(path, 'rb') as file:
        return file.read()


def first_difference(kept, made):
    kept, made = kept.decode(errors='replace').split('\n'), made.decode(errors='replace').split('\n')
    for number, (old, new) in enumerate(zip(kept, made), 1):
        if old != new:
            return [f'line {number}: published {old!r}', f'line {number}: now       {new!r}']
    return [f'{len(kept)} lines published, {len(made)} now']


def blocks(text, language):
    return re.findall(rf'^```{language}\n(.*?)^```', text, flags=re.S | re.M)


def first_table(text):
    """The lines of the first Markdown table."""
    found = re.search(r'(?:^\|.*\n)+', text, flags=re.M)
    return found.group(0) if found else ''


class Tap:
    def __init__(self):
        self.count = self.failures = 0

    def say(self, good, name, complaints=()):
        self.count += 1
        self.failures += not good
        print(f'{"ok" if good else "not ok"} {self.count} - {name}')
        if not good:
            for complaint in complaints:
                print(f'# {complaint}')


def compare(tap, name, kept, made):
    if kept is None or made is None:
        tap.say(False, name, ['missing here' if kept is None else 'nothing makes it any more'])
    else:
        tap.say(kept == made, name, first_difference(kept, made))


def results(tap, binary, root):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([os.path.join(root, 'tools', 'results'), binary, folder],
                              capture_output=True, text=True)
        tap.say(done.returncode == 0, 'every scenario holds what it expects and what its laws say',
                done.stderr.split('\n'))
        made = set(os.listdir(folder)) - {'schema.json'}
        kept = set(os.listdir(os.path.join(root, 'results'))) - {'LICENSE'}
        tap.say(len(made) > 0, 'there are results')
        for name in sorted(made | kept):
            compare(tap, f'results/{name} is what the scenario prints',
                    data(os.path.join(root, 'results', name)) if name in kept else None,
                    data(os.path.join(folder, name)) if name in made else None)
        schema = os.path.join(folder, 'schema.json')
        compare(tap, 'scenarios/schema.json is what the field tables say',
                data(os.path.join(root, 'scenarios', 'schema.json')),
                data(schema) if os.path.exists(schema) else None)


def readme(tap, binary, root):
    text = read(os.path.join(root, 'README.md'))
    table = first_table(read(os.path.join(root, 'results', 'reference.md')))
    tap.say(table != '' and first_table(text) == table,
            "the first table of README is that of results/reference.md")
    examples = blocks(text, 'json')
    printed = blocks(text, 'text')
    tap.say(len(examples) == 1 and len(printed) == 1, 'README has one example and what it prints')
    done = subprocess.run([binary, 'run', '-'], input=(examples or ['{}'])[0], text=True,
                          capture_output=True, env={**os.environ, 'COLUMNS': '80'})
    tap.say(done.returncode == 0, "README's example runs", done.stderr.split('\n'))
    tap.say(done.stdout == (printed or [''])[0], 'and prints what README shows',
            first_difference((printed or [''])[0].encode(), done.stdout.encode()))
    tap.say(len((examples or [''])[0].split('\n')) <= 12, "README's example is about ten lines long")


def main(binary, root):
    tap = Tap()
    results(tap, os.path.abspath(binary), os.path.abspath(root))
    readme(tap, os.path.abspath(binary), os.path.abspath(root))
    tap.say(first_difference(b'a\nb', b'a\nc')[0].startswith('line 2'),
            'canary: a difference of one byte is found')
    print(f'1..{tap.count}')
    return 1 if tap.failures else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1], sys.argv[2]))
