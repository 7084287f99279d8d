{% extends "template/parts/wires/openai-responses.py" %}
{% block client_imports %}
from agents import Agent, OpenAIResponsesModel
from openai import AsyncOpenAI
{% endblock %}
{% block constants %}
{% endblock %}
{% block live %}
def live(model: ScriptedModel) -> tuple[dict[str, Any], Callable[[], bool]]:
    """An agent of the caller's own, and whether it is as it was, its client open."""
    client = AsyncOpenAI(base_url=model.url, api_key=KEY, max_retries=0)
    agent = Agent("Own", model=OpenAIResponsesModel("scripted", client))
    given = agent.clone(tools=[])
    return {"agent": agent}, lambda: agent == given and not client.is_closed()
{% endblock %}
{% block demands %}
{% endblock %}
{% block tool_list %}
            # The SDK sends a list without tools as well, and this API takes it.
            tool_list=bool(tools),
{% endblock %}
