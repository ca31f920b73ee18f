"""The `ddr` command."""
