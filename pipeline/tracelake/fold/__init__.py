"""From the records of one file to rows; one module per agent."""
