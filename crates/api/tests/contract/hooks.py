"""What the document cannot tell schemathesis: which strings are phone numbers, and that no string may hold U+0000."""

import hashlib
import json

import schemathesis

# Numbers in E.164, and in any format, as bodies take them. Nobody calls from the last two in E.164: they are unknown.
E164 = ["+12025550142", "+442079460958", "+4915123456789", "+33612345678", "+5511961234567", "+911123456789", "+81312345678"]
ANY_FORMAT = E164[:-2] + ["(202) 555-0143", "tel:+1-202-555-0144", "sip:+12025550145@example.com", "whatsapp:+12025550146", "+44 20 7946 0959"]


@schemathesis.hook
def before_call(context, case, kwargs):
    """Puts a phone number into every other valid request, which else hardly ever has one."""
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    holder = case.path_parameters if "phone_number" in (case.path_parameters or {}) else case.body
    if not isinstance(holder, dict) or "phone_number" not in holder:
        return
    # Chosen by the request itself, so that every run makes the same choice.
    chosen = int.from_bytes(hashlib.sha256(repr(dict(holder)).encode("utf-8", "surrogatepass")).digest()[:4], "big")
    if chosen % 2 == 0:
        numbers = ANY_FORMAT if holder is case.body else E164
        holder["phone_number"] = numbers[chosen // 2 % len(numbers)]


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Lets a valid request be refused for its phone number or for U+0000, and for nothing else."""
    if failure.code != "ST202":
        return True
    message = json.loads(response.content)["error"]["message"]
    return not (
        (response.status_code == 400 and message.startswith("phone_number: "))
        or (response.status_code == 422 and "holds \\u0000; remove it" in message)
    )
