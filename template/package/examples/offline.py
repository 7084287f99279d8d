"""One question in a Band room on this machine: the real agent, and a scripted model.

Run it as ``python -m examples.offline``, and change the script to see what follows.
"""

from __future__ import annotations

import asyncio
import os

from tests.subject import SUBJECT
from tests.support.local_room import local_band
from tests.support.script import Call, Say
from tests.support.wire import ScriptedModel, live


async def main() -> None:
    # Every server is on this machine: no proxy may come between.
    os.environ["no_proxy"] = "127.0.0.1"
    with ScriptedModel() as model:
        model.script(
            Call("band_get_participants"),
            Say("Alice is here, and so am I."),
        )
        connected, _ = live(model)
        adapter = SUBJECT.make(model, **connected)
        async with local_band() as band, band.agent(adapter):
            await band.ask("Who is here?")
        for post in band.room.timeline:
            print(f"{post['sender_name']}, {post['message_type']}: {post['content']}")


if __name__ == "__main__":
    asyncio.run(main())
