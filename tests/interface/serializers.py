"""Bodies that are neither JSON nor forms, for schemathesis: what its generator makes of their schema, as bytes."""

import schemathesis


@schemathesis.serializer("application/x-protobuf")
def protobuf(_context, value):
    """Bytes of a list of numbers; anything else as its text, which is malformed."""
    if isinstance(value, list) and all(isinstance(item, int) for item in value):
        return bytes(item % 256 for item in value)
    return str(value).encode()
