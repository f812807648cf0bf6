"""Validates documents against the JSON schemas (draft 2020-12) that `earmark --spec` has: the part of the language that
they use, and no field that isn't in them. A word that isn't known here is an error."""

from typing import Any

_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict, "array": list, "string": str, "boolean": bool, "null": type(None), "integer": int,
    "number": (int, float),
}  # fmt: skip
_KNOWN = {
    "type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "const", "$ref", "description",
    "title", "format", "default", "minimum", "maximum", "minLength", "maxLength", "minItems",
}  # fmt: skip


def problems(value: Any, schema: dict[str, Any], defs: dict[str, Any], where: str = "$") -> list[str]:
    """What of the value isn't as the schema says; [] for nothing."""
    assert not (unknown := set(schema) - _KNOWN), f"{where}: {unknown}"
    if "$ref" in schema:
        return problems(value, defs[schema["$ref"].removeprefix("#/$defs/")], defs, where)
    if "anyOf" in schema:
        found = [problems(value, one, defs, where) for one in schema["anyOf"]]
        return [] if not all(found) else [f"{where}: none of {len(found)} fits: {min(found, key=len)}"]
    if "enum" in schema and value not in schema["enum"]:
        return [f"{where}: {value!r} isn't one of {schema['enum']}"]
    if "const" in schema and value != schema["const"]:
        return [f"{where}: {value!r} isn't {schema['const']!r}"]
    wanted = schema.get("type")
    if wanted is not None and (
        not isinstance(value, _TYPES[wanted]) or (isinstance(value, bool) and wanted != "boolean")
    ):
        return [f"{where}: {value!r} is no {wanted}"]
    if bounds := _out_of_bounds(value, schema):
        return [f"{where}: {value!r} is beyond {bounds}"]
    if isinstance(value, dict):
        return _of_object(value, schema, defs, where)
    if isinstance(value, list) and "items" in schema:
        return [one for at, item in enumerate(value) for one in problems(item, schema["items"], defs, f"{where}[{at}]")]
    return []


def _out_of_bounds(value: Any, schema: dict[str, Any]) -> list[str]:
    size = value if isinstance(value, int | float) else len(value) if isinstance(value, str | list) else 0
    too_small = [one for one in ("minimum", "minLength", "minItems") if one in schema and not size >= schema[one]]
    return too_small + [one for one in ("maximum", "maxLength") if one in schema and not size <= schema[one]]


def _of_object(value: dict[str, Any], schema: dict[str, Any], defs: dict[str, Any], where: str) -> list[str]:
    known, others = schema.get("properties", {}), schema.get("additionalProperties", False)
    found = [f"{where}: {name} is missing" for name in schema.get("required", ()) if name not in value]
    for name, one in value.items():
        if name in known:
            found += problems(one, known[name], defs, f"{where}.{name}")
        elif others is False:
            found.append(f"{where}: {name} isn't described")
        else:
            found += problems(one, others, defs, f"{where}.{name}")
    return found
