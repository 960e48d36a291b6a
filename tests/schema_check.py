# SPDX-License-Identifier: GPL-3.0-or-later
"""As much of JSON Schema as our own schemas use.  A word it does not know is an error."""

TYPES = {'object': dict, 'array': list, 'string': str, 'null': type(None)}
SILENT = {'$schema', '$defs', '$ref', 'title', 'description'}


def of_type(value, name):
    if name == 'integer':
        return isinstance(value, int) and not isinstance(value, bool)
    if name == 'number':
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def in_object(schema, value, root, place):
    known = schema.get('properties', {})
    for key in schema.get('required', []):
        if key not in value:
            yield f'{place}: there is no {key}'
    if len(value) < schema.get('minProperties', 0):
        yield f'{place}: too few members'
    for key, item in value.items():
        inner = known.get(key, schema.get('additionalProperties', {}))
        if inner is False:
            yield f'{place}: {key} is not known'
        else:
            yield from complaints(inner, item, root, f'{place}/{key}')


def in_array(schema, value, root, place):
    if not schema.get('minItems', 0) <= len(value) <= schema.get('maxItems', len(value)):
        yield f'{place}: {len(value)} items'
    first = schema.get('prefixItems', [])
    for number, item in enumerate(value):
        inner = first[number] if number < len(first) else schema.get('items', {})
        yield from complaints(inner, item, root, f'{place}/{number}')


def same(a, b):
    """1 and true are not one value."""
    return a == b and isinstance(a, bool) == isinstance(b, bool)


def plain(schema, value, place):
    names = schema.get('type', [])
    names = [names] if isinstance(names, str) else names
    if names and not any(of_type(value, name) for name in names):
        yield f'{place}: {value!r} is no {" or ".join(names)}'
    if 'const' in schema and not same(value, schema['const']):
        yield f'{place}: {value!r} is not {schema["const"]!r}'
    if 'enum' in schema and not any(same(value, one) for one in schema['enum']):
        yield f'{place}: {value!r} is none of {schema["enum"]}'
    if of_type(value, 'number') and not (
            schema.get('minimum', value) <= value <= schema.get('maximum', value)):
        yield f'{place}: {value} is out of range'


WORDS = {'type', 'const', 'enum', 'minimum', 'maximum', 'oneOf', 'required', 'properties', 'items',
         'additionalProperties', 'minProperties', 'prefixItems', 'minItems', 'maxItems'} | SILENT


def complaints(schema, value, root, place=''):
    """What in the value is not as the schema says."""
    if not set(schema) <= WORDS:
        raise ValueError(f'{place}: {sorted(set(schema) - WORDS)} is not known here')
    if '$ref' in schema:
        yield from complaints(root['$defs'][schema['$ref'].split('/')[-1]], value, root, place)
    yield from plain(schema, value, place)
    if 'oneOf' in schema:
        good = [one for one in schema['oneOf'] if not list(complaints(one, value, root, place))]
        if len(good) != 1:
            yield f'{place}: {len(good)} of the kinds that it may be'
    if isinstance(value, dict):
        yield from in_object(schema, value, root, place)
    if isinstance(value, list):
        yield from in_array(schema, value, root, place)
