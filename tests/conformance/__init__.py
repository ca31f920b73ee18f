"""The protocol's official conformance suite and its inspector, against the server as it is deployed."""
