"""What the benchmark scripts share: timing, rows, payloads, and the peers that they measure against."""
