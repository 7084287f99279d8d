# --- What the model is sent --------------------------------------------------------


def read(messages: Iterable[Any]) -> tuple[Message, ...]:
    """The protocol's messages in neutral form."""
    return tuple(itertools.chain.from_iterable(map(_read_message, messages)))


def _read_message(message: Any) -> Iterator[Message]:
    match message:
        case protocol.UserMessage(text=text):
            if text:
                yield script.Heard(text)
        case protocol.AssistantMessage(text=text, calls=calls):
            if text:
                yield script.Spoke(text)
            for call in calls:
                yield script.Called(call.id, call.name, call.arguments)
        case protocol.ToolMessage(call_id=call_id, text=text):
            yield script.Answered(call_id, text)
            # The protocol has images only where the adapter handles files.
            for image in getattr(message, "images", ()):
                yield script.Saw(image.mime_type, image.data)


def faults(messages: Sequence[Any]) -> list[str]:
    """Why hardly any model API would take `messages`."""
    found = [] if messages else ["there are no messages"]
    for position, message in enumerate(messages):
        found += [f"messages[{position}]: {fault}" for fault in _faults_of(message)]
    return found + pairing_faults(map(_pairing, messages))


def _pairing(message: Any) -> tuple[list[str], str | None]:
    match message:
        case protocol.AssistantMessage(calls=calls):
            return [call.id for call in calls], None
        case protocol.ToolMessage(call_id=call_id):
            return [], call_id
    return [], None


def _faults_of(message: Any) -> Iterator[str]:
    match message:
        case protocol.UserMessage(text=text):
            if not text:
                yield "the user says nothing"
        case protocol.AssistantMessage(text=text, calls=calls):
            if not text and not calls:
                yield "the assistant says nothing"
            for call in calls:
                yield from _faults_of_call(call)
        case protocol.ToolMessage():
            pass
        case _:
            yield f"{message!r} is not a message"


def _faults_of_call(call: Any) -> Iterator[str]:
    if not call.id:
        yield f"the call of {call.name!r} has no id"
    if not isinstance(call.arguments, dict):
        yield f"the arguments {call.arguments!r} are not an object"
