"""The records of the tests of extreme values have every possible key."""

import json

import extremes

SCHEMA = json.loads(extremes.SCHEMA.read_text(encoding="utf-8"))
RULES = {"Record": SCHEMA, **SCHEMA["$defs"]}


def keys(rule):
    """The keys of an object by what is ruled of each, those of every alternative together."""
    found = dict(rule.get("properties", {}))
    for alternative in rule.get("oneOf", []):
        found |= alternative.get("properties", {})
    return found


def rule_of(described):
    """The name of the rule of a value, or of each in a list; None if it is not an object."""
    described = described.get("items", described)
    for one in (described, *described.get("anyOf", [])):
        if "$ref" in one:
            return one["$ref"].removeprefix("#/$defs/")
    return None


def met(name, value):
    """Every key with a value in it, by the rule that it belongs to."""
    ruled = keys(RULES[name])
    for key, inside in value.items():
        if inside is None or inside == []:
            continue
        yield name, key
        if deeper := rule_of(ruled[key]):
            for one in inside if isinstance(inside, list) else [inside]:
                if isinstance(one, dict):
                    yield from met(deeper, one)


def test_every_key_of_the_schema_has_a_value_in_a_record_of_extremes():
    every = {(name, key) for name, rule in RULES.items() for key in keys(rule)}
    assert len(every) > 120
    found = {pair for of in extremes.RECORDS for pair in met("Record", of())}
    assert every - found == set()
