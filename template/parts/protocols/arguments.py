def _arguments(function: Mapping[str, Any]) -> dict[str, Any] | None:
    try:
        arguments = json.loads(function.get("arguments") or "")
    except ValueError:
        return None
    return arguments if isinstance(arguments, dict) else None
