"""What the changes reach: references, dependents, rollouts, counts, images."""
