"""From one line to typed records; the only place that knows how an agent spells its JSON."""
