"""Numbers of 64 bits are strings in what hartscope prints with --json (docs/json.md)."""


def as_numbers(members):
    """For json.load(file, object_hook=as_numbers): strings of digits as numbers."""
    return {name: int(value) if isinstance(value, str) and value.isdigit() else value
            for name, value in members.items()}
