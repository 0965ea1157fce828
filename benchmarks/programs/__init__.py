"""The same programs, as each peer's users write them. A peer without a program for a workload is left out there."""
