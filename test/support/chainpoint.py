"""Checks proofs of Chainpoint v2, written from its specification alone: one proof in JSON a line, from standard input.

Prints how many it accepts, and says of each other one why not; the exit code is 1 then.
"""

import hashlib
import json
import sys


def check(proof):
    if proof["@context"] != "https://w3id.org/chainpoint/v2":
        raise ValueError("another context")
    if proof["type"] != "ChainpointSHA256v2":
        raise ValueError("another type")
    node = bytes.fromhex(proof["targetHash"])
    for step in proof["proof"]:
        if set(step) == {"left"}:
            node = bytes.fromhex(step["left"]) + node
        elif set(step) == {"right"}:
            node = node + bytes.fromhex(step["right"])
        else:
            raise ValueError("a step that is neither left nor right")
        node = hashlib.sha256(node).digest()
    if node.hex() != proof["merkleRoot"]:
        raise ValueError("the path leads elsewhere")
    anchors = proof["anchors"]
    if not anchors or not all(anchor["type"] and anchor["sourceId"] for anchor in anchors):
        raise ValueError("no anchor")


def main():
    accepted = refused = 0
    for number, line in enumerate(sys.stdin, 1):
        try:
            check(json.loads(line))
            accepted += 1
        except (ValueError, KeyError, TypeError) as error:
            refused += 1
            print(f"{number}: {error!r}", file=sys.stderr)
    print(accepted)
    return 1 if refused else 0


sys.exit(main())
