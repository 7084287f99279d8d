"""What the tool and the adapters that it makes cost, as ratios to what they stand beside."""
