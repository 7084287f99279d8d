"""Run the agent until it is stopped; the README says what to set up before."""

from __future__ import annotations

import asyncio

from band import Agent, configure_logging
from dotenv import load_dotenv

from band_adapter_acme import (
    AcmeAdapter,
)


async def main() -> None:
    load_dotenv()
    configure_logging()
    adapter = AcmeAdapter()
    agent = Agent.from_config("my_agent", adapter=adapter)
    await agent.run()


if __name__ == "__main__":
    asyncio.run(main())
