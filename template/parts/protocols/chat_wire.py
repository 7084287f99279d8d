def read(messages: Sequence[Mapping[str, Any]]) -> tuple[Message, ...]:
    """Chat Completions messages in neutral form, without the instructions."""
    return tuple(itertools.chain.from_iterable(map(_read_message, messages)))


def _read_message(message: Mapping[str, Any]) -> Iterator[Message]:
    match message.get("role"):
        case "user":
            if text := _text(message):
                yield script.Heard(text)
            for part in _parts(message):
                if part.get("type") == "image_url":
                    header, _, data = part["image_url"]["url"].partition(";base64,")
                    yield script.Saw(header.removeprefix("data:"), data)
        case "assistant":
            if text := _text(message):
                yield script.Spoke(text)
            for call in message.get("tool_calls") or ():
                function = call.get("function") or {}
                arguments = _arguments(function) or {}
                yield script.Called(
                    call.get("id", ""), function.get("name", ""), arguments
                )
        case "tool":
            yield script.Answered(message.get("tool_call_id", ""), _text(message))


def _text(message: Mapping[str, Any]) -> str:
    texts = [part["text"] for part in _parts(message) if part.get("type") == "text"]
    return "\n".join(texts)


def _parts(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    content = message.get("content") or []
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


{% include "template/parts/protocols/arguments.py" %}


def faults(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """Why the API, or one that is stricter than OpenAI's own, refuses `messages`."""
    found = [] if messages else ["there are no messages"]
    for position, message in enumerate(messages):
        found += [f"messages[{position}]: {fault}" for fault in _faults_of(message)]
    return found + pairing_faults(map(_pairing, messages))


def _pairing(message: Mapping[str, Any]) -> tuple[list[str], str | None]:
    calls = [str(call.get("id")) for call in message.get("tool_calls") or ()]
    is_answer = message.get("role") == "tool"
    return calls, str(message.get("tool_call_id")) if is_answer else None


def _faults_of(message: Mapping[str, Any]) -> Iterator[str]:
    role, content = message.get("role"), message.get("content")
    calls = message.get("tool_calls")
    if role not in ("system", "developer", "user", "assistant", "tool"):
        yield f"the role {role!r} does not exist"
    if not isinstance(content, (str, list)) and not (role == "assistant" and calls):
        yield f"its content is {content!r}"
    if content == [] or calls == []:
        yield "it has an empty list"
    if role == "assistant" and not calls and content == "":
        yield "the assistant says nothing"
    if calls and role != "assistant":
        yield f"the role {role!r} cannot call tools"
    for call in calls or ():
        yield from _faults_of_call(call)


def _faults_of_call(call: Mapping[str, Any]) -> Iterator[str]:
    call_id, function = call.get("id"), call.get("function") or {}
    if call.get("type") != "function":
        yield f"the call's type is {call.get('type')!r}"
    if not isinstance(call_id, str) or not 1 <= len(call_id) <= 40:
        yield f"the call's id {call_id!r} is not a text of 1 to 40 characters"
    if not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", str(function.get("name", ""))):
        yield f"the called name {function.get('name')!r} does not match the pattern"
    if _arguments(function) is None:
        yield f"the arguments {function.get('arguments')!r} are not a JSON object"
