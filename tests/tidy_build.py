# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of the house that are about what is built; tidy.py calls check()."""
import json
import os
import re
import subprocess
import tempfile

# What a signal handler must reach, and the width of vectors, which is looked up once.
MUTABLE = {('tools/interrupt.c', 'stop_requested'), ('models/base/vector.c', 'known')}


def built(files, compiled, included):
    """every C file is built, every header is included, every test script is run"""
    bad = []
    scripts = ''.join(text for path, text in files.items() if path.startswith('tests/') and
                      path.endswith(('.py', 'meson.build')))
    for path in files:
        name = os.path.splitext(os.path.basename(path))[0]
        if path.split('/')[0] not in ('models', 'sim', 'tools', 'tests'):
            continue
        if path.startswith('tools/examples/'):
            if os.path.basename(path) not in scripts and not path.endswith(('.md', '/LICENSE')):
                bad.append(f'{path}: no test runs it')
            continue
        if path.endswith('.c') and path not in compiled:
            bad.append(f'{path}: not in the build')
        if path.endswith('.h') and path not in included:
            bad.append(f'{path}: included nowhere')
        started = rf"'{name}\.py'|^(?:import|from) {name}\b"
        if path.endswith('.py') and not re.search(started, scripts, flags=re.M):
            bad.append(f'{path}: neither in tests/meson.build nor imported')
    return bad


def objects_of(listing):
    """Mutable objects in a listing of `objdump -t`: those that stand in writable sections."""
    for line in listing.split('\n'):
        found = re.match(r'[0-9a-f]+ (.{7}) (\S+)\t[0-9a-f]+ (?:\.hidden )?(.+)', line)
        if not found or 'O' not in found.group(1):
            continue
        section = found.group(2)
        if section == '*COM*' or re.match(r'\.(data|bss|tdata|tbss|sdata|sbss)\b', section):
            if not section.startswith('.data.rel.ro'):
                yield re.sub(r'\.\d+$', '', found.group(3))


def mutable(build):
    """no mutable object outlives a call, static or global"""
    bad = []
    seen = 0
    for folder, _, names in os.walk(build):
        for name in names:
            path = os.path.join(folder, name)
            source = name[:-2].replace('_', '/')
            if not name.endswith('.c.o') or source.startswith('tests/'):
                continue
            if os.path.basename(os.path.dirname(folder)) == 'tests':
                continue
            seen += 1
            listing = subprocess.run(['objdump', '-t', path], capture_output=True, text=True,
                                     check=True).stdout
            for symbol in objects_of(listing):
                if not any(file.replace('/', '_') == name[:-2] and symbol == allowed
                           for file, allowed in MUTABLE):
                    bad.append(f'{name[:-2]}: {symbol}')
    if seen == 0:
        bad.append(f'{build}: no object file')
    return bad


def sanitized(build):
    path = os.path.join(build, 'meson-info', 'intro-buildoptions.json')
    with open(path, encoding='utf-8') as file:
        return any(option['name'] == 'b_sanitize' and option['value'] not in ('none', [])
                   for option in json.load(file))


def compile_snippet(folder, text, *flags):
    source = os.path.join(folder, 'snippet.c')
    with open(source, 'w', encoding='utf-8') as file:
        file.write(text)
    return subprocess.run(['cc', '-std=c11', '-Wall', '-Wextra', '-Werror', *flags, source],
                          cwd=folder, capture_output=True, text=True)


def mutable_canaries():
    """Both kinds of object are seen, and constants are not."""
    with tempfile.TemporaryDirectory() as folder:
        done = compile_snippet(
            folder, 'int shared;\nint f(void) { static int calls = 1; return ++calls; }\n'
            'extern const int table[2];\nconst int table[2] = {1, 2};\n'
            'extern const char *const names[1];\nconst char *const names[1] = {"a"};\n',
            '-fPIC', '-c', '-o', os.path.join(folder, 'snippet.o'))
        if done.returncode != 0:
            return False
        listing = subprocess.run(['objdump', '-t', os.path.join(folder, 'snippet.o')],
                                 capture_output=True, text=True, check=True).stdout
        return sorted(objects_of(listing)) == ['calls', 'shared']


def recipe(root, files):
    """the example of a new distribution in CONTRIBUTING compiles as it stands"""
    found = re.search(r'^```c\n(.*?)^```', files.get('CONTRIBUTING.md', ''), flags=re.S | re.M)
    if not found:
        return ['CONTRIBUTING.md: no example']
    with tempfile.TemporaryDirectory() as folder:
        done = compile_snippet(folder, found.group(1), '-I', root, '-D_POSIX_C_SOURCE=200809L',
                               '-Wconversion', '-Wshadow', '-fsyntax-only')
        return [] if done.returncode == 0 else done.stderr.split('\n')


def compiled_sources(root, build):
    with open(os.path.join(build, 'compile_commands.json'), encoding='utf-8') as file:
        return {os.path.relpath(os.path.normpath(os.path.join(entry['directory'], entry['file'])),
                                root).replace(os.sep, '/') for entry in json.load(file)}


def check(tap, root, build, files, includes):
    included = {name[1:-1] for names in includes.values() for name in names}
    bad = built(files, compiled_sources(root, build), included)
    tap.say(not bad, built.__doc__, bad)
    tap.say(len(built({'sim/a.c': '', 'sim/a.h': '', 'tests/a.py': ''}, {'sim/b.c'}, set())) == 3,
            'canary: built complains about a file of each kind')
    if sanitized(build):
        print('# the sanitizers put objects of their own into every file: not looked at here')
    else:
        bad = mutable(build)
        tap.say(not bad, mutable.__doc__, bad)
    tap.say(mutable_canaries(), 'canary: mutable objects are told from constants')
    bad = recipe(root, files)
    tap.say(not bad, recipe.__doc__, bad)
