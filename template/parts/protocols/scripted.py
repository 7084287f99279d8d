_NUMBERS = itertools.count(1)
_MODELS: dict[str, ScriptedModel] = {}


class ScriptedModel(Script):
    """The model that a script plays, found by its `url` while entered."""

    def __init__(self) -> None:
        super().__init__()
        self.url = f"scripted://{next(_NUMBERS)}"
        self.clients: list[Any] = []

    def __enter__(self) -> Self:
        _MODELS[self.url] = self
        return self

    def __exit__(self, *exc_info: object) -> None:
        del _MODELS[self.url]

    @property
    def connections(self) -> int:
        """How many clients the adapter holds open now."""
        return sum(not client.is_closed for client in self.clients)
