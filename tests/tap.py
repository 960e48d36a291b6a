# SPDX-License-Identifier: GPL-3.0-or-later
"""One line a test: what the scripts here that are not about the command line speak."""


class Tap:
    def __init__(self):
        self.count = self.failures = 0

    def say(self, good, name, complaints=()):
        self.count += 1
        self.failures += not good
        print(f'{"ok" if good else "not ok"} {self.count} - {name}', flush=True)
        if not good:
            for complaint in complaints:
                print(f'# {complaint}')

    def end(self):
        """The plan; returns the exit status."""
        print(f'1..{self.count}')
        return 1 if self.failures else 0
