"""Counts the cases of a run of schemathesis by operation, phase and status; fails when an operation had too few of them."""

import collections
import json
import sys

events, least = sys.argv[1], int(sys.argv[2])
cases, statuses = collections.Counter(), collections.defaultdict(collections.Counter)
for line in open(events, encoding="utf-8"):
    finished = json.loads(line).get("ScenarioFinished")
    if finished is None:
        continue
    recorder = finished["recorder"]
    operation = recorder["label"]
    for case, interaction in recorder["interactions"].items():
        kind = recorder["cases"][case]["value"].get("meta", {}).get("generation", {}).get("mode", "other")
        cases[operation, finished["phase"], kind] += 1
        statuses[operation][(interaction["response"] or {}).get("status_code", "none")] += 1

few = []
for operation in sorted(statuses):
    total = sum(statuses[operation].values())
    phases = ", ".join(f"{phase} {kind} {count}" for (of, phase, kind), count in sorted(cases.items()) if of == operation)
    answers = ", ".join(f"{status}: {count}" for status, count in sorted(statuses[operation].items()))
    print(f"{operation}\n  {total} cases: {phases}\n  answers: {answers}")
    if sum(count for (of, phase, _), count in cases.items() if of == operation and phase == "fuzzing") < least:
        few.append(operation)
if few or not statuses:
    sys.exit(f"fewer than {least} generated cases for: {', '.join(few) or 'every operation'}")
