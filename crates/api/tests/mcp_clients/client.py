"""A whole loop through /mcp with the official Python client: URL, key and a key with the scope `callers:read` alone."""

import asyncio
import json
import sys
import urllib.request

import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

URL, KEY, NARROW_KEY = sys.argv[1:]


def connect(key, mode):
    http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=10)
    return Client(streamable_http_client(f"{URL}/mcp", http_client=http), mode=mode)


def rest(number):
    request = urllib.request.Request(f"{URL}/v1/caller/%2B{number[1:]}", headers={"Authorization": f"Bearer {KEY}"})
    with urllib.request.urlopen(request, timeout=10) as response:
        return json.load(response)


def answer(result):
    assert not result.is_error, result
    assert json.loads(result.content[0].text) == result.structured_content
    return result.structured_content


def failure(result):
    assert result.is_error and result.structured_content is None, result
    error = json.loads(result.content[0].text)["error"]
    assert error["message"] and error["request_id"], error
    return error["code"]


async def loop(mode, number):
    report = {
        "session_id": f"python-{mode}",
        "phone_number": number,
        "duration_s": 61.5,
        "outcome": "callback_requested",
        "transcript": [{"role": "user", "text": "Please call me back about my water heater.", "ts_ms": 0}],
    }
    async with connect(KEY, mode) as client:
        assert client.server_info.name == "caller-memory"
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == ["recall_and_enrich", "calls_end", "caller_lookup"]
        # The client checks each answer against these.
        assert all(tool.output_schema and tool.annotations for tool in tools)

        assert failure(await client.call_tool("caller_lookup", {"phone_number": number})) == "not_found"
        first = answer(await client.call_tool("recall_and_enrich", {"phone_number": number, "session_id": report["session_id"]}))
        assert first["known"] is False and first["caller"]["total_calls"] == 0, first
        for _ in range(2):
            assert answer(await client.call_tool("calls_end", report)) == {"committed": True}
        profile = answer(await client.call_tool("caller_lookup", {"phone_number": number}))
        assert profile["total_calls"] == 1 and profile == rest(number), profile
        again = answer(await client.call_tool("recall_and_enrich", {"phone_number": number}))
        assert again["known"] is True, again
        assert again["memory"]["recent_calls"][0]["outcome"] == "callback_requested", again

        assert failure(await client.call_tool("recall_and_enrich", {"phone_number": "anonymous"})) == "bad_request"
        assert failure(await client.call_tool("calls_end", report | {"outcome": "sold"})) == "validation_error"
        assert failure(await client.call_tool("calls_end", {})) == "validation_error"
        try:
            await client.call_tool("forget_everything", {})
        except MCPError as error:
            assert error.code == -32602, error
        else:
            raise AssertionError("an unknown tool is an error of the protocol")
        version = client.protocol_version
    async with connect(NARROW_KEY, mode) as client:
        assert len((await client.list_tools()).tools) == 3
        assert answer(await client.call_tool("caller_lookup", {"phone_number": number}))["total_calls"] == 1
        assert failure(await client.call_tool("recall_and_enrich", {"phone_number": number})) == "insufficient_scope"
        assert failure(await client.call_tool("calls_end", report)) == "insufficient_scope"
    try:
        async with connect("sk_live_wrongwrongwrongwrongwrong", mode):
            pass
    except Exception as error:
        assert not isinstance(error, AssertionError), error
    else:
        raise AssertionError("a wrong key connects")
    print(f"  python, mode {mode}: protocol {version}")


for index, mode in enumerate(["legacy", "auto"]):
    asyncio.run(asyncio.wait_for(loop(mode, f"+1202555010{index}"), 60))
