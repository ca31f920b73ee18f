"""What requests and answers look like, each with an example for the OpenAPI document."""
